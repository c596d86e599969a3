/* SPDX-License-Identifier: GPL-2.0-only */
/* Q5, Q6: the source of stamps, and the cost of reading the clock. */
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "clock/phc.h"
#include "nic/netlink.h"
#include "nic/netns.h"
#include "qualify/rows/row.h"

/* include/uapi/linux/ethtool_netlink_generated.h; the build may have older headers. */
#define TSINFO_PROVIDER 7 /* 6.14 */
#define TSINFO_SOURCE 8 /* 6.17 */
#define PROVIDER_QUALIFIER 2
#define SOURCE_PHYLIB 2

struct source {
	int source, qualifier; /* -1: not known */
};

static int take_source(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *attr, *provider;
	struct source *source = arg;

	attr = rxaqm_netlink_attr(message, GENL_HDRLEN, TSINFO_SOURCE, sizeof(__u32));
	if (attr)
		source->source = (int)rxaqm_attr_u32(attr);
	provider = rxaqm_netlink_attr(message, GENL_HDRLEN, TSINFO_PROVIDER, 0);
	attr = provider ? rxaqm_netlink_nested(provider, PROVIDER_QUALIFIER, sizeof(__u32)) : NULL;
	if (attr)
		source->qualifier = (int)rxaqm_attr_u32(attr);
	return 0;
}

static struct source ask_source(const char *ifname)
{
	int family = rxaqm_netlink_family(ETHTOOL_GENL_NAME, NULL, NULL);
	struct source source = { -1, -1 };
	union rxaqm_netlink_request request;
	struct genlmsghdr *genl;
	struct {
		struct nlattr attr;
		__u32 ifindex;
	} device = { { sizeof(device), ETHTOOL_A_HEADER_DEV_INDEX }, if_nametoindex(ifname) };

	if (family < 0)
		return source;
	genl = rxaqm_netlink_begin(&request, (__u16)family, 0, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = ETHTOOL_MSG_TSINFO_GET, .version = 1 };
	rxaqm_netlink_put(&request, ETHTOOL_A_TSINFO_HEADER | NLA_F_NESTED, &device,
			  sizeof(device));
	rxaqm_netlink_ask(NETLINK_GENERIC, &request, take_source, &source);
	return source;
}

/* If the clock belongs to the NIC's device, the NIC makes the stamps; if to a PHY, the PHY. */
static const char *source_by_device(const char *ifname, int phc)
{
	char device[48], clock[80];
	int sys = rxaqm_netns_sysfs(false);
	const char *source = "unknown";

	snprintf(device, sizeof(device), "class/net/%.15s/device", ifname);
	snprintf(clock, sizeof(clock), "%s/ptp/ptp%d", device, phc);
	if (sys >= 0 && !faccessat(sys, device, F_OK, 0))
		source = faccessat(sys, clock, F_OK, 0) ? "phylib" : "netdev";
	if (sys >= 0)
		close(sys);
	return source;
}

int qualify_row_stamp_source(struct qualify_run *run, struct qualify_row *row)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct source source = ask_source(run->ifname);
	bool asked = source.source > 0;
	int err = rxaqm_ethtool(run->ifname, &info);

	if (err)
		return qualify_unknown(row, "the driver tells nothing about timestamps: %s",
				       strerror(-err));
	qualify_put_words(row, "source",
			  asked ? "ethtool tsinfo" :
				  "device of the clock (tsinfo tells from "
				  "Linux 6.17 on)",
			  "%s",
			  !(info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE) ? "none" :
			  asked ? (source.source == SOURCE_PHYLIB ? "phylib" : "netdev") :
			  info.phc_index < 0 ? "unknown" :
					       source_by_device(run->ifname, info.phc_index));
	if (source.qualifier >= 0)
		qualify_put_words(row, "qualifier", "ethtool tsinfo", "%s",
				  source.qualifier ? "approx" : "precise");
	return 0;
}

#define READS 50
#define RATE_NS (RXAQM_NSEC_PER_SEC / 2)

static void read_rate(struct rxaqm_phc *phc, struct qualify_row *row)
{
	struct qualify_samples width = {};
	struct rxaqm_phc_sample sample;
	__u64 start_ns = rxaqm_now_ns(), failed = 0;
	double nr;

	phc->nr_readings = 1;
	while (rxaqm_ns_since(rxaqm_now_ns(), start_ns) < RATE_NS) {
		if (rxaqm_phc_read(phc, &sample, NULL))
			failed++;
		else
			qualify_samples_add(&width, 2 * (double)sample.err_ns);
	}
	nr = (double)width.nr;
	qualify_put_number(row, "reads_per_second", "count", nr * 1e9 / (double)RATE_NS, width.nr,
			   NAN, "%s, one after the other for 0.5 s",
			   rxaqm_phc_method_name(phc->method));
	qualify_put_number(row, "read_failures", "share", (double)failed / (nr + (double)failed),
			   width.nr + failed, NAN, "the same; also readings spoilt by a step");
	qualify_samples_free(&width);
}

int qualify_row_phc_read(struct qualify_run *run, struct qualify_row *row)
{
	struct qualify_samples best = {};
	struct qualify_figure *figure;
	struct rxaqm_phc_sample sample;
	struct rxaqm_phc phc;
	int err = rxaqm_phc_open(&phc, run->ifname, &run->error), i;

	if (err)
		return err;
	for (i = 0; i < READS; i++) {
		phc.nr_readings = RXAQM_PHC_READINGS;
		if (!rxaqm_phc_read(&phc, &sample, NULL))
			qualify_samples_add(&best, 2 * (double)sample.err_ns);
	}
	figure = qualify_figure_add(row, "read_best", "ns", "%s, narrowest of %d readings",
				    rxaqm_phc_method_name(phc.method), RXAQM_PHC_READINGS);
	qualify_figure_samples(figure, &best, 1);
	qualify_figure_of(figure, READS);
	qualify_curve_cdf(figure, "as rxaqm reads it", &best);
	qualify_samples_free(&best);
	read_rate(&phc, row);
	rxaqm_phc_close(&phc);
	return 0;
}
