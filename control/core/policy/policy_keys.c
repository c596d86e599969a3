/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings, presets, defaults, and former settings. */
#include <string.h>

#include "base/terminal.h"
#include "policy/settings.h"

static const char *const mode_names[] = { "off", "observe", "enforce", NULL };
static const char *const signal_names[] = { "auto", "hint", "stamp", "busy", NULL };
static const char *const law_names[] = { "auto", "codel", NULL };
static const char *const switch_names[] = { "off", "on", NULL };
static const char *const selector_names[] = { "any", "ect1", NULL };
static const char *const ack_names[] = { "keep", "thin", NULL };

#define KEY(key, field) .name = key, .section = "Policy", RXAQM_FIELD(struct rxaqm_policy, field)
#define CHOICE(words) .type = RXAQM_TYPE_CHOICE, .choices = words
#define TIME(of, likely, least, most) .type = of, .unit = likely, .min = least, .max = most

const struct rxaqm_key rxaqm_settings[RXAQM_NR_SETTINGS + 1] = {
	{ KEY("mode", mode), CHOICE(mode_names), .standard = "observe",
	  .help = "off: measure nothing; observe: count what enforce would do; enforce: mark and "
		  "drop" },
	{ KEY("signal", signal), CHOICE(signal_names), .standard = "auto",
	  .help = "Rx timestamps read in XDP or behind it, NAPI polls, or whatever works" },
	{ KEY("law", law), CHOICE(law_names), .standard = "auto",
	  .help = "each flow pays for itself, or CoDel as RFC 8289 and Linux have it" },
	/* The minimum of auto: twice a round of 64 packets that take 4 us each. */
	{ KEY("target", target_ns),
	  TIME(RXAQM_TYPE_TARGET, "ms", RXAQM_TARGET_MIN_NS, RXAQM_INTERVAL_MAX_NS),
	  .standard = "auto:500us",
	  .help = "acceptable standing delay, at most the interval; auto: as measured, but at "
		  "least 500us or the time given" },
	{ KEY("interval", interval_ns),
	  TIME(RXAQM_TYPE_DURATION, "ms", RXAQM_INTERVAL_MIN_NS, RXAQM_INTERVAL_MAX_NS),
	  .standard = "40ms",
	  .help = "the longest RTT to control; it counts as at least 4 targets and 8 rounds of polls" },
	{ KEY("ecn", ecn), CHOICE(switch_names), .standard = "on",
	  .help = "mark ECT packets; off: drop them like others" },
	{ KEY("ce_threshold", ce_threshold_ns),
	  TIME(RXAQM_TYPE_DURATION, "ms", RXAQM_TARGET_MIN_NS, RXAQM_INTERVAL_MAX_NS),
	  .standard = "off", .none = "off", .help = "law=codel: mark every ECT packet over this" },
	{ KEY("ce_threshold_selector", ce_selector), CHOICE(selector_names), .standard = "any",
	  .help = "law=codel: the ECT packets that ce_threshold marks" },
	{ KEY("ack", ack), CHOICE(ack_names), .standard = "thin",
	  .help = "law=auto: thin drops redundant pure ACKs first while a queue stands" },
	{ KEY("max_drop", max_drop_permille), .type = RXAQM_TYPE_PERCENT, .max = 1000,
	  .standard = "100%", .help = "largest share of any class of packets that is dropped" },
	{ KEY("lease", lease_until_ns),
	  TIME(RXAQM_TYPE_LEASE, "s", RXAQM_NSEC_PER_MSEC, 24 * 3600 * RXAQM_NSEC_PER_SEC),
	  .standard = "off", .none = "off",
	  .help = "time after which enforce lapses to observe, unless it is set again" },
	{ KEY("exempt_ports", exempt_port), .type = RXAQM_TYPE_PORTS, .standard = "none",
	  .help = "up to 8 TCP or UDP ports, of either end, that are exempt" },
	/* Network control (RFC 2474, 4.2.2): what BGP, OSPF and their like are sent with. */
	{ KEY("exempt_dscp", exempt_dscp), .type = RXAQM_TYPE_DSCP, .standard = "cs6,cs7",
	  .help = "DSCPs that are exempt, as numbers, names or ranges: cs6,cs7,46,8-10" },
	{ KEY("merge", merge), CHOICE(switch_names), .standard = "on",
	  .help = "law=auto: clear PSH of full TCP segments while a queue stands, so that GRO merges "
		  "them; only where packets end on this host" },
	{ 0 },
};

const struct rxaqm_preset rxaqm_presets[] = {
	{ "dc", "data centre: RTTs of 10 ms at most",
	  "law=auto target=auto:500us interval=10ms ce_threshold=off" },
	{ "wan", "Internet: RTTs of 100 ms, and no target under that of RFC 8289",
	  "law=auto target=auto:5ms interval=100ms ce_threshold=off" },
	{ "meta2022", "as deployed for DCTCP in 2022: CoDel, and all ECT packets marked over 10 ms",
	  "law=codel target=10ms interval=100ms ce_threshold=10ms" },
	{ 0 },
};

void rxaqm_policy_init(struct rxaqm_policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	rxaqm_keys_init(rxaqm_settings, NULL, policy);
}

const struct rxaqm_key *rxaqm_setting_find(const char *name)
{
	return rxaqm_key_find(rxaqm_settings, NULL, name);
}

void rxaqm_presets_list(FILE *file)
{
	const struct rxaqm_preset *preset;
	char text[RXAQM_KEY_TEXT_LEN];

	for (preset = rxaqm_presets; preset->name; preset++) {
		fprintf(file, "  preset=%s\n", preset->name);
		snprintf(text, sizeof(text), "%s; %s", preset->summary, preset->settings);
		rxaqm_wrap(file, 4, text, NULL);
	}
}
