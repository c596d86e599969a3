/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/clock_out.h"

#include "base/now.h"
#include "clock/phc.h"

static double ppm(__s64 q32)
{
	return (double)q32 * 1e6 / RXAQM_Q32_ONE;
}

/* The source of a mapping. */
struct source {
	const char *name;
	const struct rxaqm_clock_phc *phc; /* where it was read; NULL: learnt from packets */
	bool known, expired;
	struct rxaqm_clock clock; /* a copy: the daemon may replace it meanwhile */
	__u32 resets;
};

static void take(struct source *source, const __u32 *published, const struct rxaqm_clock *buffers,
		 __u64 now_ns)
{
	__u32 number = __atomic_load_n(published, __ATOMIC_ACQUIRE);

	source->known = number;
	source->clock = buffers[number & 1];
	source->expired = rxaqm_ns_reached(now_ns, source->clock.expires_ns);
}

static void out_source(struct rxaqm_out *out, const struct source *source,
		       const struct rxaqm_clock_entry *entry, __u64 now_ns)
{
	const struct rxaqm_clock *clock = &source->clock;
	const struct rxaqm_clock_phc *phc = source->phc;

	rxaqm_out_s64(out, "offset_ns", ", host - NIC %lldns",
		      (__s64)(clock->host_ref_ns - clock->hw_ref_ns));
	rxaqm_out_double(out, "drift_ppm", ", drift %.3f ppm", ppm(clock->rate_q32));
	rxaqm_out_ns(out, "err_ns", ", error at most %s", rxaqm_clock_err(clock, now_ns));
	rxaqm_out_double(out, "drift_err_ppm", ", growing by %.1f ppm",
			 ppm((__s64)clock->drift_err_q32));
	rxaqm_out_ns(out, "age_ns", ", %s old", rxaqm_ns_since(now_ns, clock->host_ref_ns));
	if (phc) {
		rxaqm_out_u64(out, "points", ", from %llu readings", phc->points);
		rxaqm_out_str(out, "method", " by method \"%s\"",
			      rxaqm_phc_method_name(phc->method));
		rxaqm_out_u64(out, "phc_index", " of /dev/ptp%llu", phc->index);
	} else {
		rxaqm_out_u64(out, "points", ", from %llu points", entry->est.nr_points);
		rxaqm_out_ns(out, "window_ns", " %s apart", entry->est.window_ns);
	}
}

static void out_resets(struct rxaqm_out *out, __u32 resets)
{
	rxaqm_out_u64(out, "resets", resets ? ", restarted %llu times" : NULL, resets);
}

/* Print a source: in JSON as an object, in text on a line of its own, unless it is in use. */
static void out_alone(struct rxaqm_out *out, const struct source *source,
		      const struct rxaqm_clock_entry *entry, bool in_use, __u64 now_ns)
{
	if (!source->known)
		rxaqm_out_null(out, source->name, NULL);
	if (!source->known || (in_use && !out->json))
		return;
	rxaqm_out_text(out, "  %s%s", source->name,
		       !source->phc    ? "" :
		       source->expired ? ", not used: expired, is the daemon running?" :
					 ", not used: packets' stamps contradict it");
	rxaqm_out_object(out, source->name);
	out_source(out, source, entry, now_ns);
	out_resets(out, source->resets);
	if (source->phc) {
		rxaqm_out_u64(out, "outliers", NULL, source->phc->outliers);
		rxaqm_out_u64(out, "refusals", NULL, entry->phc_refusals);
	}
	rxaqm_out_end(out);
	rxaqm_out_text(out, "\n");
}

static void out_difference(struct rxaqm_out *out, const struct source *kernel,
			   const struct source *phc, __u64 now_ns)
{
	__s64 differ_ns;
	__u64 excess_ns;

	if (!kernel->known || !phc->known || kernel->expired || phc->expired) {
		rxaqm_out_null(out, "phc_kernel_differ_ns", NULL);
		rxaqm_out_null(out, "phc_kernel_excess_ns", NULL);
		return;
	}
	differ_ns = rxaqm_clock_differ(&phc->clock, &kernel->clock, now_ns, &excess_ns);
	rxaqm_out_s64(out, "phc_kernel_differ_ns", "  phc - kernel %lldns", differ_ns);
	rxaqm_out_ns(out, "phc_kernel_excess_ns",
		     excess_ns ? ", %s more than their errors explain\n" :
				 ", within their errors\n",
		     excess_ns);
}

void rxaqm_clock_out(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
		     const struct rxaqm_clock_phc *phc, bool never, __u64 now_ns)
{
	struct source kernel = { .name = "kernel", .resets = entry->resets };
	struct source read = { .name = "phc", .phc = phc, .resets = phc->resets };
	const struct source *used = &kernel;

	take(&kernel, &entry->published, entry->clock, now_ns);
	take(&read, &phc->published, phc->clock, now_ns);
	/* The order of rxaqm_measure(). */
	if (read.known && !read.expired && !rxaqm_ns_after(entry->phc_refused_until_ns, now_ns))
		used = &read;
	if (used->known)
		rxaqm_out_str(out, "source", "%s", used->expired ? "kernel (expired)" : used->name);
	else
		rxaqm_out_null(out, "source",
			       never ? "none: the profile names no Rx timestamps" :
				       "none yet: no stamped packet has met an empty queue");
	rxaqm_out_bool(out, "valid", NULL, NULL, used->known && !used->expired);
	if (used->known)
		out_source(out, used, entry, now_ns);
	out_resets(out, used->resets);
	rxaqm_out_text(out, "\n");
	out_alone(out, &kernel, entry, used == &kernel, now_ns);
	out_alone(out, &read, entry, used == &read, now_ns);
	out_difference(out, &kernel, &read, now_ns);
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
