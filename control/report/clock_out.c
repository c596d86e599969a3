/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/clock_out.h"

#include "base/now.h"
#include "clock/phc.h"

static double ppm(__s64 q32)
{
	return (double)q32 * 1e6 / RXAQM_Q32_ONE;
}

/* A mapping as it was published, if one is: the daemon may replace it meanwhile. */
static bool copy(const __u32 *published, const struct rxaqm_clock *buffers,
		 struct rxaqm_clock *ret_clock)
{
	__u32 number = __atomic_load_n(published, __ATOMIC_ACQUIRE);

	if (!number)
		return false;
	*ret_clock = buffers[number & 1];
	return true;
}

static void out_mapping(struct rxaqm_out *out, const struct rxaqm_clock *clock, __u64 now_ns)
{
	rxaqm_out_s64(out, "offset_ns", ", host - NIC %lldns",
		      (__s64)(clock->host_ref_ns - clock->hw_ref_ns));
	rxaqm_out_double(out, "drift_ppm", ", drift %.3f ppm", ppm(clock->rate_q32));
	rxaqm_out_ns(out, "err_ns", ", error at most %s", rxaqm_clock_err(clock, now_ns));
	rxaqm_out_double(out, "drift_err_ppm", ", growing by %.1f ppm",
			 ppm((__s64)clock->drift_err_q32));
	rxaqm_out_ns(out, "age_ns", ", %s old", rxaqm_ns_since(now_ns, clock->host_ref_ns));
}

/* The mapping @clock, as it was read from @phc, or (NULL) learnt from packets. */
static void out_source(struct rxaqm_out *out, const struct rxaqm_clock *clock,
		       const struct rxaqm_clock_entry *kernel, const struct rxaqm_clock_phc *phc,
		       __u64 now_ns)
{
	out_mapping(out, clock, now_ns);
	if (phc) {
		rxaqm_out_u64(out, "points", ", from %llu readings", phc->points);
		rxaqm_out_str(out, "method", " by method \"%s\"",
			      rxaqm_phc_method_name(phc->method));
		rxaqm_out_u64(out, "phc_index", " of /dev/ptp%llu", phc->index);
	} else {
		rxaqm_out_u64(out, "points", ", from %llu points", kernel->est.nr_points);
		rxaqm_out_ns(out, "window_ns", " %s apart", kernel->est.window_ns);
	}
}

static void out_resets(struct rxaqm_out *out, __u32 resets)
{
	rxaqm_out_u64(out, "resets", resets ? ", begun anew %llu times" : NULL, resets);
}

/* The sources as objects, in JSON; in text the one that is not in use, on a line of its own. */
static void out_sources(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
			const struct rxaqm_clock_phc *phc, const struct rxaqm_clock *by_kernel,
			const struct rxaqm_clock *by_phc, bool phc_in_use, __u64 now_ns)
{
	if (by_kernel && (out->json || phc_in_use)) {
		rxaqm_out_text(out, "  kernel");
		rxaqm_out_object(out, "kernel");
		out_source(out, by_kernel, entry, NULL, now_ns);
		out_resets(out, entry->resets);
		rxaqm_out_end(out);
		rxaqm_out_text(out, "\n");
	} else if (!by_kernel) {
		rxaqm_out_null(out, "kernel", NULL);
	}
	if (by_phc && (out->json || !phc_in_use)) {
		rxaqm_out_text(out, "  phc, not used: %s",
			       rxaqm_ns_reached(now_ns, by_phc->expires_ns) ?
				       "expired, is the daemon running?" :
				       "packets' stamps contradict it");
		rxaqm_out_object(out, "phc");
		out_source(out, by_phc, entry, phc, now_ns);
		out_resets(out, phc->resets);
		rxaqm_out_u64(out, "outliers", NULL, phc->outliers);
		rxaqm_out_u64(out, "refusals", NULL, entry->phc_refusals);
		rxaqm_out_end(out);
		rxaqm_out_text(out, "\n");
	} else if (!by_phc) {
		rxaqm_out_null(out, "phc", NULL);
	}
}

static void out_difference(struct rxaqm_out *out, const struct rxaqm_clock *by_kernel,
			   const struct rxaqm_clock *by_phc, __u64 now_ns)
{
	__s64 differ_ns;
	__u64 excess_ns;

	if (!by_kernel || !by_phc || rxaqm_ns_reached(now_ns, by_kernel->expires_ns) ||
	    rxaqm_ns_reached(now_ns, by_phc->expires_ns)) {
		rxaqm_out_null(out, "phc_kernel_differ_ns", NULL);
		rxaqm_out_null(out, "phc_kernel_excess_ns", NULL);
		return;
	}
	differ_ns = rxaqm_clock_differ(by_phc, by_kernel, now_ns, &excess_ns);
	rxaqm_out_s64(out, "phc_kernel_differ_ns", "  phc - kernel %lldns", differ_ns);
	rxaqm_out_ns(out, "phc_kernel_excess_ns",
		     excess_ns ? ", %s more than their errors explain\n" :
				 ", within their errors\n",
		     excess_ns);
}

void rxaqm_clock_out(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
		     const struct rxaqm_clock_phc *phc, bool never, __u64 now_ns)
{
	struct rxaqm_clock kernel, read;
	const struct rxaqm_clock *by_kernel, *by_phc, *used;
	bool phc_in_use, expired;

	by_kernel = copy(&entry->published, entry->clock, &kernel) ? &kernel : NULL;
	by_phc = copy(&phc->published, phc->clock, &read) ? &read : NULL;
	/* As rxaqm_measure() takes them. */
	phc_in_use = by_phc && !rxaqm_ns_reached(now_ns, by_phc->expires_ns) &&
		     !rxaqm_ns_after(entry->phc_refused_until_ns, now_ns);
	used = phc_in_use ? by_phc : by_kernel;
	if (used) {
		expired = rxaqm_ns_reached(now_ns, used->expires_ns);
		rxaqm_out_str(out, "source", "%s",
			      phc_in_use ? "phc" :
			      expired	 ? "kernel (expired)" :
					   "kernel");
		rxaqm_out_bool(out, "valid", NULL, NULL, !expired);
		out_source(out, used, entry, phc_in_use ? phc : NULL, now_ns);
	} else {
		rxaqm_out_null(out, "source",
			       never ? "none: the profile knows of no Rx timestamps" :
				       "none yet: no stamped packet has met an empty queue");
		rxaqm_out_bool(out, "valid", NULL, NULL, false);
	}
	out_resets(out, phc_in_use ? phc->resets : entry->resets);
	rxaqm_out_text(out, "\n");
	out_sources(out, entry, phc, by_kernel, by_phc, phc_in_use, now_ns);
	out_difference(out, by_kernel, by_phc, now_ns);
}

void rxaqm_clock_out_sample(struct rxaqm_out *out, const struct rxaqm_phc_sample *sample,
			    const struct rxaqm_phc_fit *fit)
{
	__u64 offset_ns = sample->host_ns - sample->phc_ns;

	rxaqm_out_u64(out, "host_ns", "%llu", sample->host_ns);
	rxaqm_out_u64(out, "phc_ns", NULL, sample->phc_ns);
	rxaqm_out_s64(out, "offset_ns", ": host - NIC %lldns", (__s64)offset_ns);
	rxaqm_out_ns(out, "read_err_ns", " +- %s", sample->err_ns);
	rxaqm_out_bool(out, "valid", NULL, fit->nr_points ? "; suspect" : "; more are needed",
		       fit->valid);
	if (fit->valid) {
		rxaqm_out_double(out, "drift_ppm", "; mapping: drift %.3f ppm",
				 ppm(fit->clock.rate_q32));
		rxaqm_out_ns(out, "err_ns", ", error %s",
			     rxaqm_clock_err(&fit->clock, sample->host_ns));
		rxaqm_out_double(out, "drift_err_ppm", ", growing by %.2f ppm",
				 ppm((__s64)fit->clock.drift_err_q32));
		rxaqm_out_u64(out, "points", ", from %llu readings", fit->nr_points);
	}
	rxaqm_out_ns(out, "next_ns", "; next in %s\n", fit->gap_ns);
}
