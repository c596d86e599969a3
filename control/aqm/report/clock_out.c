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

	rxaqm_out_s64(out, "offset_ns", NULL, (__s64)(clock->host_ref_ns - clock->hw_ref_ns));
	rxaqm_out_ns(out, "err_ns", ", error at most %s", rxaqm_clock_err(clock, now_ns));
	rxaqm_out_double(out, "drift_err_ppm", NULL, ppm((__s64)clock->drift_err_q32));
	rxaqm_out_ns(out, "age_ns", ", %s old", rxaqm_ns_since(now_ns, clock->host_ref_ns));
	rxaqm_out_double(out, "drift_ppm", ", drift %.3f ppm", ppm(clock->rate_q32));
	rxaqm_out_u64(out, "points", NULL, phc ? phc->points : entry->est.nr_points);
	if (phc) {
		rxaqm_out_str(out, "method", ", read by method \"%s\"",
			      rxaqm_phc_method_name(phc->method));
		rxaqm_out_u64(out, "phc_index", " of /dev/ptp%llu", phc->index);
	} else {
		rxaqm_out_u64(out, "window_ns", NULL, entry->est.window_ns);
	}
	rxaqm_out_u64(out, "resets", source->resets ? ", restarted %llu times" : NULL,
		      source->resets);
}

/* Print a source, in use or not, as an object. JSON only. */
static void out_object(struct rxaqm_out *out, const struct source *source,
		       const struct rxaqm_clock_entry *entry, __u64 now_ns)
{
	if (!source->known) {
		rxaqm_out_null(out, source->name, NULL);
		return;
	}
	rxaqm_out_object(out, source->name);
	out_source(out, source, entry, now_ns);
	if (source->phc) {
		rxaqm_out_u64(out, "outliers", NULL, source->phc->outliers);
		rxaqm_out_u64(out, "refusals", NULL, entry->phc_refusals);
	}
	rxaqm_out_end(out);
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
	rxaqm_out_s64(out, "phc_kernel_differ_ns", excess_ns ? "; phc - kernel %lldns" : NULL,
		      differ_ns);
	rxaqm_out_ns(out, "phc_kernel_excess_ns",
		     excess_ns ? ", %s more than their errors explain" : NULL, excess_ns);
}

void rxaqm_clock_out(struct rxaqm_out *out, const struct rxaqm_clock_entry *entry,
		     const struct rxaqm_clock_phc *phc, __u64 now_ns)
{
	struct source kernel = { .name = "kernel", .resets = entry->resets };
	struct source read = { .name = "phc", .phc = phc, .resets = phc->resets };
	const struct source *used = &kernel;

	take(&kernel, &entry->published, entry->clock, now_ns);
	take(&read, &phc->published, phc->clock, now_ns);
	/* The order of rxaqm_measure(). */
	if (read.known && !read.expired && !rxaqm_ns_after(entry->phc_refused_until_ns, now_ns))
		used = &read;
	rxaqm_out_object(out, "clock");
	rxaqm_out_text(out, "  clock: ");
	if (used->known)
		rxaqm_out_str(out, "source", "%s", used->expired ? "kernel (expired)" : used->name);
	else
		rxaqm_out_null(out, "source", "none yet: no stamped packet has met an empty queue");
	rxaqm_out_bool(out, "valid", NULL, NULL, used->known && !used->expired);
	if (used->known)
		out_source(out, used, entry, now_ns);
	if (read.known && used != &read)
		rxaqm_out_text(out, "; phc is not used: %s",
			       read.expired ? "expired, is the daemon running?" :
					      "packets' stamps contradict it");
	if (out->json) {
		out_object(out, &kernel, entry, now_ns);
		out_object(out, &read, entry, now_ns);
	}
	out_difference(out, &kernel, &read, now_ns);
	rxaqm_out_text(out, "\n");
	rxaqm_out_end(out);
}
