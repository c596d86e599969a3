/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings, presets, defaults, and what was a setting once. */
#include <string.h>

#include "config/settings.h"

#define LEASE_MIN_NS RXAQM_NSEC_PER_MSEC
#define LEASE_MAX_NS (24 * 3600 * RXAQM_NSEC_PER_SEC)

static const char *const mode_names[] = { "off", "observe", "enforce", NULL };
static const char *const signal_names[] = { "auto", "hint", "stamp", "busy", NULL };
static const char *const law_names[] = { "auto", "codel", NULL };
static const char *const ecn_names[] = { "off", "on", NULL };
static const char *const ect0_names[] = { "auto", "dctcp", "classic", NULL };
static const char *const selector_names[] = { "any", "ect1", NULL };
static const char *const ack_names[] = { "keep", "thin", NULL };

#define AT(field) offsetof(struct rxaqm_policy, field)

const struct rxaqm_setting rxaqm_settings[RXAQM_NR_SETTINGS + 1] = {
	{ "mode", "off|observe|enforce",
	  "observe counts what enforce would do; off measures nothing (default observe)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(mode), .choices = mode_names },
	{ "signal", "auto|hint|stamp|busy",
	  "Rx timestamps read in XDP or behind it, NAPI polls, or what works (default auto)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(signal), .choices = signal_names },
	{ "law", "auto|codel",
	  "one law for all traffic, or CoDel as RFC 8289 and Linux have it (default auto)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(law), .choices = law_names },
	{ "target", "DURATION|auto[:DURATION]",
	  "acceptable standing delay, 1us to 4s; auto: as is measured, but at least 500us or "
	  "what is said (default auto:500us)",
	  .type = RXAQM_SETTING_TARGET, .offset = AT(target_ns), .min_ns = RXAQM_TARGET_MIN_NS,
	  .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "interval", "DURATION",
	  "the longest RTT to control, 100us to 4s; 4 targets at least with target=auto "
	  "(default 40ms)",
	  .type = RXAQM_SETTING_DURATION, .offset = AT(interval_ns),
	  .min_ns = RXAQM_INTERVAL_MIN_NS, .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "ecn", "off|on", "mark ECT packets; off: drop them as others (default on)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(ecn), .choices = ecn_names },
	{ "ect0", "auto|dctcp|classic",
	  "law=auto: what ECT(0) means; auto: as tcp_congestion_control says (default auto)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(ect0), .choices = ect0_names },
	{ "ce_threshold", "DURATION|off",
	  "law=codel: mark every ECT packet over this, 1us to 4s (default off)",
	  .type = RXAQM_SETTING_THRESHOLD, .offset = AT(ce_threshold_ns),
	  .min_ns = RXAQM_TARGET_MIN_NS, .max_ns = RXAQM_INTERVAL_MAX_NS },
	{ "ce_threshold_selector", "any|ect1",
	  "law=codel: ce_threshold is for these packets (default any)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(ce_selector), .choices = selector_names },
	{ "ack", "keep|thin",
	  "law=auto: thin drops redundant pure ACKs first while a queue stands (default thin)",
	  .type = RXAQM_SETTING_CHOICE, .offset = AT(ack), .choices = ack_names },
	{ "max_drop", "PERCENT",
	  "most of any class of packets that is dropped, 0% to 100% (default 100%)",
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
	  { { "law", "auto" },
	    { "target", "auto:500us" },
	    { "interval", "10ms" },
	    { "ce_threshold", "off" } } },
	{ "wan",
	  "Internet: RTTs of 100 ms, and no target under that of RFC 8289",
	  { { "law", "auto" },
	    { "target", "auto:5ms" },
	    { "interval", "100ms" },
	    { "ce_threshold", "off" } } },
	{ "meta2022",
	  "as deployed for DCTCP in 2022: CoDel, and all ECT packets marked over 10 ms",
	  { { "law", "codel" },
	    { "target", "10ms" },
	    { "interval", "100ms" },
	    { "ce_threshold", "10ms" } } },
	{ 0 },
};

const struct rxaqm_gone rxaqm_gone_settings[] = {
	{ "not_ect", NULL, "law=auto drops Not-ECT packets as fits the marks; delete the key" },
	{ "l4s_threshold", NULL,
	  "law=auto marks ECT(1) as L4S has it; with law=codel use ce_threshold and "
	  "ce_threshold_selector=ect1" },
	{ "ecn", "codel", "use ecn=on, with law=codel for marks where CoDel would drop" },
	{ "ecn", "step",
	  "use ecn=on: law=auto marks by itself; preset=meta2022 marks all over a threshold" },
	{ 0 },
};

void rxaqm_policy_init(struct rxaqm_policy *policy)
{
	*policy = (struct rxaqm_policy){
		.mode = RXAQM_MODE_OBSERVE,
		.signal = RXAQM_SIGNAL_AUTO,
		.law = RXAQM_LAW_AUTO,
		.target_auto = true,
		.target_ns = RXAQM_TARGET_LEAST_NS,
		.interval_ns = 40 * RXAQM_NSEC_PER_MSEC,
		.ecn = RXAQM_ECN_ON,
		.ect0 = RXAQM_ECT0_AUTO,
		.ack = RXAQM_ACK_THIN,
		.max_drop_permille = 1000,
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
