/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
#include "tool.h"

#include "figures/figures.h"
#include "base/now.h"
#include "base/out.h"

void report_packet(struct report *r, const struct rxaqm_xsk_packet *packet, __u64 now_ns)
{
	const struct rxaqm_meta *meta = packet->meta;
	__u64 wait_ns;

	r->packets++;
	r->bytes += packet->len;
	if (!meta)
		return;
	wait_ns = now_ns > meta->host_ns ? now_ns - meta->host_ns : 0;
	r->with_meta++;
	r->marked += !!(meta->flags & RXAQM_META_MARKED);
	r->wait[rxaqm_hist_bucket(wait_ns)]++;
	/* Its own sojourn, or the newest one of its queue; neither: unknown. */
	if (!(meta->flags & (RXAQM_META_SOJOURN | RXAQM_META_SAMPLED)))
		return;
	r->sojourn[rxaqm_hist_bucket(meta->sojourn_ns)]++;
	r->total[rxaqm_hist_bucket(meta->sojourn_ns + wait_ns)]++;
}

static void print_quantiles(struct rxaqm_out *out, const char *p50_key, const char *p99_key,
			    const __u64 *hist)
{
	if (rxaqm_hist_packets(hist, NULL)) {
		rxaqm_out_ns(out, p50_key, " %9s", rxaqm_hist_quantile_ns(hist, NULL, 500));
		rxaqm_out_ns(out, p99_key, " %9s", rxaqm_hist_quantile_ns(hist, NULL, 990));
	} else {
		rxaqm_out_null(out, p50_key, "         -");
		rxaqm_out_null(out, p99_key, "         -");
	}
}

static void print_queue(struct rxaqm_out *out, const struct report *r, __u64 interval_ns)
{
	double seconds = (double)interval_ns / RXAQM_NSEC_PER_SEC;

	rxaqm_out_object(out, NULL);
	rxaqm_out_u64(out, "queue", "%4llu", r->queue);
	rxaqm_out_double(out, "pps", " %9.0f", (double)r->packets / seconds);
	rxaqm_out_double(out, "bytes_per_second", NULL, (double)r->bytes / seconds);
	rxaqm_out_u64(out, "packets", NULL, r->packets);
	rxaqm_out_u64(out, "with_meta", NULL, r->with_meta);
	rxaqm_out_u64(out, "marked", " %7llu", r->marked);
	rxaqm_out_u64(out, "ring_full", " %7llu", r->ring_full - r->ring_full_before);
	print_quantiles(out, "sojourn_p50_ns", "sojourn_p99_ns", r->sojourn);
	print_quantiles(out, "wait_p50_ns", "wait_p99_ns", r->wait);
	print_quantiles(out, "total_p50_ns", "total_p99_ns", r->total);
	rxaqm_out_u64(out, "wait_ns", NULL, r->wait_ns);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}

void report_print(struct report *reports, unsigned int nr, __u64 interval_ns, bool json)
{
	static bool header_printed;
	struct rxaqm_out out;
	unsigned int i;

	rxaqm_out_open(&out, stdout, json);
	if (!header_printed)
		rxaqm_out_text(&out, "%4s %9s %7s %7s %9s %9s %9s %9s %9s %9s\n", "Q", "pps",
			       "mark", "full", "nic p50", "nic p99", "ring p50", "ring p99",
			       "sum p50", "sum p99");
	header_printed = true;
	rxaqm_out_u64(&out, "time_ns", NULL, rxaqm_now_ns());
	rxaqm_out_u64(&out, "interval_ns", NULL, interval_ns);
	rxaqm_out_array(&out, "queues");
	for (i = 0; i < nr; i++) {
		struct report *r = &reports[i];

		print_queue(&out, r, interval_ns);
		*r = (struct report){ .queue = r->queue,
				      .ring_full = r->ring_full,
				      .ring_full_before = r->ring_full };
	}
	rxaqm_out_end(&out);
	rxaqm_out_close(&out, true);
	fflush(stdout);
}
