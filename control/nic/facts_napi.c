/* SPDX-License-Identifier: GPL-2.0-only */
/* The NAPIs of an interface: read from the kernel by a BPF program that is run once. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "napi_list.skel.h"
#include "nic/facts.h"

/* Turn addresses of functions into names. Those of other modules are as good. */
static unsigned int resolve(const __u64 *address, unsigned int nr, char name[][RXAQM_SYMBOL_LEN])
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned int i, found = 0;
	char line[512];

	while (file && found < nr && fgets(line, sizeof(line), file)) {
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
	}
	if (file)
		fclose(file);
	return found;
}

/* Joint or apart? By what the driver tells of queue 0; if it does not, by counting. */
static enum rxaqm_napi judge(const struct rxaqm_nic_facts *facts, unsigned int nr_kinds,
			     __u64 rx_napi, __u64 tx_napi)
{
	if (rx_napi && tx_napi)
		return rx_napi == tx_napi ? RXAQM_NAPI_JOINT : RXAQM_NAPI_APART;
	if (!facts->nr_combined || facts->nr_rx || facts->nr_tx)
		return RXAQM_NAPI_UNKNOWN;
	if (facts->nr_napis == facts->nr_combined)
		return RXAQM_NAPI_JOINT;
	/* More of another kind may be there for XDP (ena). */
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
		facts->napi_unknown = "reading kernel memory needs CAP_BPF and CAP_PERFMON";
		return;
	}
	facts->napi_unknown = read_napis(skel, facts);
	napi_list__destroy(skel);
}
