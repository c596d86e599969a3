/* SPDX-License-Identifier: GPL-2.0-only */
#include "nic/facts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/each.h"
#include "napi_list.skel.h"
#include "nic/netdev.h"
#include "nic/nic.h"

static void read_flags(const char *ifname, struct rxaqm_nic_facts *facts)
{
	struct ethtool_value on = { .cmd = ETHTOOL_GPFLAGS };
	struct ethtool_gstrings *names = rxaqm_ethtool_names(ifname, ETH_SS_PRIV_FLAGS);
	unsigned int i;

	if (names && !rxaqm_ethtool(ifname, &on)) {
		/* A word of flags has 32 bits. */
		for (i = 0; i < names->len && i < 32; i++) {
			memcpy(facts->flag[i].name, names->data + (size_t)i * ETH_GSTRING_LEN,
			       ETH_GSTRING_LEN);
			facts->flag[i].on = on.data & (1U << i);
		}
		facts->nr_flags = i;
	}
	free(names);
}

static void read_numbers(const char *ifname, struct rxaqm_nic_facts *facts)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };

	if (!rxaqm_ethtool(ifname, &ring)) {
		facts->ring = ring.rx_pending;
		facts->ring_max = ring.rx_max_pending;
	}
	if (!rxaqm_ethtool(ifname, &coalesce))
		facts->moderation_us = (int)coalesce.rx_coalesce_usecs;
	if (!rxaqm_ethtool(ifname, &channels)) {
		facts->channels_known = true;
		facts->nr_rx = channels.rx_count;
		facts->nr_tx = channels.tx_count;
		facts->nr_combined = channels.combined_count;
	}
}

int rxaqm_nic_facts_read(const char *ifname, struct rxaqm_nic_facts *facts)
{
	unsigned int ifindex = if_nametoindex(ifname);
	int err = ifindex ? 0 : -errno;

	memset(facts, 0, sizeof(*facts));
	facts->moderation_us = -1;
	if (err)
		return err;
	snprintf(facts->ifname, sizeof(facts->ifname), "%s", ifname);
	rxaqm_nic_driver(ifname, facts->driver, sizeof(facts->driver));
	read_numbers(ifname, facts);
	read_flags(ifname, facts);
	facts->coverage = rxaqm_nic_coverage(ifname);
	facts->gives_hint = rxaqm_netdev_gives_rx_time(ifindex);
	return 0;
}

/* Turn addresses of functions into names, whatever module they are in. */
static unsigned int resolve(const __u64 *address, unsigned int nr, char name[][RXAQM_SYMBOL_LEN])
{
	unsigned int i, found = 0;
	char line[512];

	rxaqm_each_line(line, "/proc/kallsyms") {
		char symbol[RXAQM_SYMBOL_LEN];
		uint64_t at;

		if (sscanf(line, "%" SCNx64 " %*c %63s", &at, symbol) != 2 || !at)
			continue;
		for (i = 0; i < nr; i++) {
			if (address[i] != at || name[i][0])
				continue;
			snprintf(name[i], RXAQM_SYMBOL_LEN, "%s", symbol);
			found++;
		}
		if (found == nr)
			break;
	}
	return found;
}

/* Are the NAPIs joint or apart? By what the driver says of queue 0; if it says nothing, by
 * counting.
 */
static enum rxaqm_napi judge(const struct rxaqm_nic_facts *facts, unsigned int nr_kinds,
			     __u64 rx_napi, __u64 tx_napi)
{
	if (rx_napi && tx_napi)
		return rx_napi == tx_napi ? RXAQM_NAPI_JOINT : RXAQM_NAPI_APART;
	if (!facts->nr_combined || facts->nr_rx || facts->nr_tx)
		return RXAQM_NAPI_UNKNOWN;
	if (facts->nr_napis == facts->nr_combined)
		return RXAQM_NAPI_JOINT;
	/* NAPIs of another kind may be additional ones for XDP (ena). */
	if (facts->nr_napis == 2 * facts->nr_combined && nr_kinds == 1)
		return RXAQM_NAPI_APART;
	return RXAQM_NAPI_UNKNOWN;
}

static const char *read_napis(struct napi_list *skel, struct rxaqm_nic_facts *facts)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	unsigned int nr;

	skel->bss->ifindex = (int)if_nametoindex(facts->ifname);
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.napi_list), &run) ||
	    !skel->bss->found)
		return "the kernel does not let its NAPIs be listed";
	facts->nr_napis = skel->bss->nr_napis;
	if (!facts->nr_napis)
		return "it has no NAPI now; many drivers have them only while the interface is up";
	facts->napi = judge(facts, skel->bss->nr_polls, skel->bss->rx_napi, skel->bss->tx_napi);
	nr = skel->bss->nr_polls;
	if (nr > RXAQM_NIC_POLLS_MAX)
		nr = RXAQM_NIC_POLLS_MAX;
	if (resolve(skel->bss->poll, nr, facts->napi_poll) < nr)
		return "/proc/kallsyms does not name its poll functions";
	facts->nr_polls = nr;
	return NULL;
}

void rxaqm_nic_facts_napi(struct rxaqm_nic_facts *facts)
{
	struct napi_list *skel;

	if (facts->napi_asked)
		return;
	facts->napi_asked = true;
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		facts->napi_unknown = "this kernel has no BTF";
		return;
	}
	skel = napi_list__open_and_load();
	if (!skel) {
		facts->napi_unknown = rxaqm_lockdown() ?:
					      "reading kernel memory needs CAP_BPF and CAP_PERFMON";
		return;
	}
	facts->napi_unknown = read_napis(skel, facts);
	napi_list__destroy(skel);
}
