/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings, presets and defaults. */
#include <string.h>

#include "settings.h"

#define LEASE_MIN_NS RXAQM_NSEC_PER_MSEC
#define LEASE_MAX_NS (24 * 3600 * RXAQM_NSEC_PER_SEC)

static const char *const mode_names[] = { "off", "observe", "enforce", NULL };
static const char *const signal_names[] = { "auto", "hint", "stamp", "busy", NULL };
static const char *const ecn_names[] = { "off", "codel", "step", NULL };
static const char *const not_ect_names[] = { "drop", "pass", "couple", NULL };
static const char *const ack_names[] = { "keep", "thin", NULL };

#define AT(field) offsetof(struct rxaqm_policy, field)

const struct rxaqm_setting rxaqm_settings[RXAQM_NR_SETTINGS + 1] = {
	{ "mode", "off|observe|enforce",
	  "observe counts what enforce would do; off measures nothing (default observe)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(mode), .choices = mode_names },
	{ "signal", "auto|hint|stamp|busy",
	  "Rx timestamps read in XDP or behind it, NAPI polls, or what works (default auto)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(signal), .choices = signal_names },
	{ "target", "DURATION", "acceptable standing delay, 1us to 4s (default 2ms)",
	  .type = RXAQM_SETTING_DURATION, .offset = AT(target_ns), .min_ns = RXAQM_TARGET_MIN_NS,
	  .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "interval", "DURATION",
	  "CoDel interval, the longest RTT to control, 100us to 4s (default 40ms)",
	  .type = RXAQM_SETTING_DURATION, .offset = AT(interval_ns),
	  .min_ns = RXAQM_INTERVAL_MIN_NS, .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "ecn", "off|codel|step",
	  "mark ECT packets where CoDel would drop, or all over ce_threshold (default codel)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(ecn), .choices = ecn_names },
	{ "ce_threshold", "DURATION|off",
	  "mark every ECT packet over this, 1us to 4s; off with ecn=step: target (default off)",
	  .type = RXAQM_SETTING_THRESHOLD, .offset = AT(ce_threshold_ns),
	  .min_ns = RXAQM_TARGET_MIN_NS, .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "l4s_threshold", "DURATION|off",
	  "mark every ECT(1) packet over this, 1us to 4s; off: as ECT(0) (default off)",
	  .type = RXAQM_SETTING_THRESHOLD, .offset = AT(l4s_threshold_ns),
	  .min_ns = RXAQM_TARGET_MIN_NS, .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "not_ect", "drop|pass|couple",
	  "Not-ECT packets: dropped by CoDel, never, or also as fits ecn=step (default drop)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(not_ect), .choices = not_ect_names },
	{ "ack", "keep|thin", "thin drops redundant pure ACKs while a queue stands (default keep)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(ack), .choices = ack_names },
	{ "max_drop", "PERCENT", "cap on the share of packets dropped, 0% to 100% (default 50%)",
	  .type = RXAQM_SETTING_PERCENT, .offset = AT(max_drop_permille) },
	{ "lease", "DURATION|off",
	  "time after which enforce lapses to observe, 1ms to 1440m (default off)",
	  .type = RXAQM_SETTING_LEASE, .offset = AT(lease_until_ns), .min_ns = LEASE_MIN_NS,
	  .max_ns = LEASE_MAX_NS },
	{ "exempt_ports", "PORT,...|none",
	  "up to 8 TCP or UDP ports, of either end, never touched (default none)",
	  .type = RXAQM_SETTING_PORTS, .offset = AT(exempt_port) },
	{ "exempt_dscp", "DSCP,...|none",
	  "DSCPs never touched, as numbers, names or ranges: cs1,46,8-10 (default none)",
	  .type = RXAQM_SETTING_DSCP, .offset = AT(exempt_dscp) },
	{ 0 },
};

const struct rxaqm_preset rxaqm_presets[] = {
	{ "dc",
	  "data centre: RTTs of 10 ms at most",
	  { { "target", "500us" },
	    { "interval", "10ms" },
	    { "ecn", "codel" },
	    { "ce_threshold", "off" } } },
	{ "wan",
	  "Internet: the values of RFC 8289",
	  { { "target", "5ms" },
	    { "interval", "100ms" },
	    { "ecn", "codel" },
	    { "ce_threshold", "off" } } },
	{ "meta2022",
	  "as deployed for DCTCP in 2022: step marking at 10 ms",
	  { { "target", "10ms" },
	    { "interval", "100ms" },
	    { "ecn", "step" },
	    { "ce_threshold", "10ms" } } },
	{ 0 },
};

void rxaqm_policy_init(struct rxaqm_policy *policy)
{
	*policy = (struct rxaqm_policy){
		.mode = RXAQM_MODE_OBSERVE,
		.signal = RXAQM_SIGNAL_AUTO,
		.target_ns = 2 * RXAQM_NSEC_PER_MSEC,
		.interval_ns = 40 * RXAQM_NSEC_PER_MSEC,
		.ecn = RXAQM_ECN_CODEL,
		.not_ect = RXAQM_NOT_ECT_DROP,
		.ack = RXAQM_ACK_KEEP,
		.max_drop_permille = 500,
	};
}

const struct rxaqm_setting *rxaqm_setting_find(const char *name)
{
	const struct rxaqm_setting *setting;

	for (setting = rxaqm_settings; setting->name; setting++)
		if (!strcmp(setting->name, name))
			return setting;
	return NULL;
}
