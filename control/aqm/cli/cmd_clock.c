/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm clock: the mapping from NIC time to host time, and how good it is. */
#include <stdio.h>

#include "report/clock_out.h"
#include "base/now.h"
#include "command/options.h"
#include "clock/phc.h"
#include "cli/cmd.h"

struct args {
	const char *sample; /* interface whose PHC to read */
	__u64 count; /* 0: not given */
};

static const struct rxaqm_option clock_options[] = {
	{ "sample", 's', "IFACE",
	  "Read the PTP hardware clock of IFACE, attached or not, and print each reading and the "
	  "mapping made of them; changes nothing",
	  RXAQM_WORD(sample) },
	{ "count", 'n', "COUNT", "With --sample: readings to take (default 10)",
	  RXAQM_NUMBER(count, 1, 1000000) },
	{ 0 },
};

static void print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface)
{
	size_t slot = (size_t)(iface - state->iface);
	char name[RXAQM_IFNAMSIZ];

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "interface", "%s: ", rxaqm_iface_name(iface, name, NULL));
	rxaqm_clock_out(out, &state->clock[slot], &state->clock_phc[slot],
			iface->stamp == RXAQM_STAMP_NONE, rxaqm_now_ns());
	rxaqm_out_end(out);
}

/* Take one reading, add it to @fit, and print it as a line or an object. */
static int sample_once(struct rxaqm_phc *phc, struct rxaqm_phc_fit *fit, struct rxaqm_out *out,
		       struct rxaqm_error *error)
{
	struct rxaqm_phc_sample sample;
	int err = rxaqm_phc_read(phc, &sample, error);

	if (err && err != -EAGAIN)
		return err;
	rxaqm_out_object(out, NULL);
	if (err) {
		rxaqm_out_null(out, "phc_ns",
			       "spoilt by a step of CLOCK_REALTIME or by a busy device\n");
	} else {
		rxaqm_phc_fit_add(fit, &sample);
		rxaqm_clock_out_sample(out, &sample, fit);
	}
	rxaqm_out_end(out);
	rxaqm_out_flush(out);
	return 0;
}

static int sample(const char *ifname, __u64 count, struct rxaqm_error *error)
{
	struct rxaqm_phc phc = RXAQM_PHC_CLOSED;
	struct rxaqm_phc_fit fit;
	struct rxaqm_out out;
	int err;

	err = rxaqm_phc_open(&phc, ifname, error);
	if (err)
		return err;
	rxaqm_phc_fit_init(&fit);
	rxaqm_out_begin(&out, "clock-samples", rxaqm_json);
	rxaqm_out_str(&out, "interface", "%s: ", ifname);
	rxaqm_out_u64(&out, "phc_index", "/dev/ptp%llu", (__u64)phc.index);
	rxaqm_out_str(&out, "method", ", read by method \"%s\"\n",
		      rxaqm_phc_method_name(phc.method));
	rxaqm_out_array(&out, "samples");
	while (count--) {
		err = sample_once(&phc, &fit, &out, error);
		if (err || !count)
			break;
		rxaqm_sleep_until(rxaqm_now_ns() + fit.gap_ns);
	}
	rxaqm_out_end(&out);
	rxaqm_out_u64(&out, "resets", NULL, fit.resets);
	rxaqm_out_u64(&out, "outliers", NULL, fit.outliers);
	rxaqm_phc_close(&phc);
	if (rxaqm_out_close(&out, false))
		return RXAQM_EXIT_FAILED;
	return err;
}

int rxaqm_cmd_clock(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm clock",
		.args = "[IFACE]",
		.help = "Show how NIC time is converted to host time.",
		.options = clock_options,
		.max_words = 1,
	};
	struct args args = {};
	const char *ifname = *rxaqm_options_read(&command, argc, argv, &args);

	if (args.sample && ifname)
		rxaqm_usage_error("--sample names the interface; leave \"%s\" out", ifname);
	if (args.count && !args.sample)
		rxaqm_usage_error("--count goes with --sample");
	if (args.sample)
		return sample(args.sample, args.count ?: 10, &call->error);
	return rxaqm_view_print(call, "clock", ifname, print_iface);
}
