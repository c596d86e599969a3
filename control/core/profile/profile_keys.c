/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile/profile_keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "poll.h"

const char *const rxaqm_design_names[] = { "unknown", "shared", "split", "writeback", "none", NULL };
const char *const rxaqm_path_names[] = { "unknown", "gro",     "frags", "list",
					 "backlog", "receive", NULL };
const char *const rxaqm_stamp_names[] = { "none", "hwtstamp", "tstamp", NULL };
const char *const rxaqm_napi_names[] = { "unknown", "joint", "apart", NULL };

bool rxaqm_profile_is_name(const char *value, const char *more)
{
	if (!*value)
		return false;
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr(more, *value))
			return false;
	return true;
}

int rxaqm_profile_check_symbol(const char *value, struct rxaqm_error *error)
{
	return rxaqm_profile_is_name(value, "_.") ?
		       0 :
		       rxaqm_bad(error, "must be the name of a kernel function");
}

/* A kernel release such as 6.3. */
static int check_release(const char *value, struct rxaqm_error *error)
{
	unsigned int major, minor;
	char more;

	if (!value[strspn(value, "0123456789.")] &&
	    sscanf(value, "%2u.%3u%c", &major, &minor, &more) == 2 && major >= 2)
		return 0;
	return rxaqm_bad(error, "must be a kernel release such as 6.3");
}

#define FACT(field) .section = "Nic", RXAQM_FIELD(struct rxaqm_profile, field)
#define CHOICE(words) .type = RXAQM_TYPE_FACT, .choices = words
#define NUMBER(most) .type = RXAQM_TYPE_NUMBER, .min = 1, .max = most, .none = ""
#define TEXT .type = RXAQM_TYPE_TEXT, .none = ""
#define UNKNOWN .otherwise = "unknown"
#define RING_MAX (1U << 20)

const struct rxaqm_key rxaqm_fact_keys[] = {
	{ FACT(design), .name = "CompletionDesign", CHOICE(rxaqm_design_names), UNKNOWN,
	  .label = "completion design",
	  .help = "how Rx and Tx completions reach the host: in one queue (shared), in one each "
		  "(split), as marks in the rings (writeback), or not at all (none)" },
	{ FACT(napi), .name = "Napi", CHOICE(rxaqm_napi_names), UNKNOWN,
	  .label = "NAPIs of Rx and Tx",
	  .help = "Rx and Tx of a queue are polled by one NAPI, or by one each" },
	{ FACT(napi_poll), .name = "NapiPoll", TEXT, UNKNOWN, .form = "SYMBOL",
	  .check = rxaqm_profile_check_symbol, .label = "NAPI poll function",
	  .help = "the driver's NAPI poll function, for Rx" },
	{ FACT(poll_packets), .name = "PollPackets", NUMBER(RXAQM_POLL_PACKETS_MAX),
	  .otherwise = "the NAPI budget, 64", .label = "packets a poll",
	  .help = "most packets that a poll takes, if that is not the NAPI budget" },
	{ FACT(path_generic), .name = "ReceivePathGeneric", CHOICE(rxaqm_path_names), UNKNOWN,
	  .label = "receive path",
	  .help = "how packets enter the stack with generic XDP: napi_gro_receive (gro), "
		  "napi_gro_frags (frags), netif_receive_skb_list (list), netif_receive_skb "
		  "(receive), netif_rx (backlog); with backlog the queue that stands is the CPU's, "
		  "not the NIC's, and rxaqm works by CPU" },
	{ FACT(stamp), .name = "TimestampField", CHOICE(rxaqm_stamp_names), .otherwise = "none",
	  .label = "Rx timestamps in",
	  .help = "where the skb has its receive time: skb_shinfo(skb)->hwtstamps or skb->tstamp" },
	{ FACT(xdp_resets_clock), .name = "XdpResetsClock", .type = RXAQM_TYPE_BOOL,
	  .must = "no or yes", UNKNOWN, .label = "XDP resets clock",
	  .help = "the driver resets the NIC's clock when native XDP comes or goes" },
	{ FACT(hint_since), .name = "HintSince", TEXT, UNKNOWN, .form = "RELEASE",
	  .check = check_release, .label = "XDP hint since",
	  .help = "first kernel in which XDP can read the receive time "
		  "(bpf_xdp_metadata_rx_timestamp), such as 6.3" },
	{ FACT(ring_entries), .name = "RxRing", NUMBER(RING_MAX), UNKNOWN, .label = "Rx ring",
	  .help = "packets that an Rx ring holds, if ethtool -g cannot read it" },
	{ FACT(moderation_ns), .name = "Moderation", .type = RXAQM_TYPE_DURATION, .min = 1,
	  .max = RXAQM_NSEC_PER_SEC, .none = "", UNKNOWN,
	  .must = "a time of up to 1s, with a unit (ns, us, ms), such as 50us",
	  .label = "Rx moderation",
	  .help = "wait for an Rx interrupt by default, before it adapts" },
	{ FACT(target_rule), .name = "TargetRule", CHOICE(rxaqm_target_rule_names), UNKNOWN,
	  .none = "", .label = "rule for targets",
	  .help = "how the target follows from the floor, the delay by batching, without a queue" },
	{ FACT(note[0].text), .name = "Note", TEXT,
	  .help = "anything else to know, up to 191 characters; profile show prints it; may be "
		  "given several times" },
	{ FACT(note[0].text), .name = "Warning", TEXT, .help = "the same; attach prints it, too" },
	{ 0 },
};

int rxaqm_profile_unknown_key(const struct rxaqm_key *keys, const char *section, const char *key,
			      struct rxaqm_error *error)
{
	char list[RXAQM_KEY_TEXT_LEN], must_be[RXAQM_KEY_TEXT_LEN];
	const char *names[RXAQM_KEYS_MAX + 1];

	rxaqm_key_names(keys, NULL, 0, names);
	snprintf(must_be, sizeof(must_be), "it must be %.400s",
		 rxaqm_words(names, ", ", " or ", list));
	return rxaqm_key_unknown("key", key, section, names, must_be, error);
}
