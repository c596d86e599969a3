/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings as text and JSON. */
#include <stdio.h>

#include "base/exempt.h"
#include "ns.h"
#include "base/out.h"
#include "base/parse.h"
#include "config/settings.h"

static __u64 lease_left_ns(const struct rxaqm_policy *policy, __u64 now_ns)
{
	return rxaqm_ns_since(policy->lease_until_ns, now_ns);
}

static void format_lease(const struct rxaqm_policy *policy, __u64 now_ns, char *buf)
{
	__u64 left_ns = lease_left_ns(policy, now_ns);
	char duration[RXAQM_DURATION_LEN];

	/* Whole ms, rounded up to the least lease there is. */
	left_ns += RXAQM_NSEC_PER_MSEC - 1;
	left_ns -= left_ns % RXAQM_NSEC_PER_MSEC;
	if (!policy->lease_until_ns)
		snprintf(buf, RXAQM_SETTING_LEN, "off");
	else if (!left_ns)
		snprintf(buf, RXAQM_SETTING_LEN, "expired");
	else
		snprintf(buf, RXAQM_SETTING_LEN, "%s",
			 rxaqm_format_duration_exact(left_ns, duration));
}

static const char *choice_name(const struct rxaqm_setting *setting, unsigned int value)
{
	unsigned int i;

	for (i = 0; i < value && setting->choices[i]; i++)
		;
	return setting->choices[i] ? setting->choices[i] : "?";
}

const char *rxaqm_setting_format(const struct rxaqm_setting *setting,
				 const struct rxaqm_policy *policy, __u64 now_ns,
				 char buf[RXAQM_SETTING_LEN])
{
	const void *field = (const char *)policy + setting->offset;
	char duration[RXAQM_DURATION_LEN];
	const char *text = duration;
	unsigned int permille;

	switch (setting->type) {
	case RXAQM_SETTING_LEASE:
		format_lease(policy, now_ns, buf);
		return buf;
	case RXAQM_SETTING_PORTS:
		rxaqm_exempt_format_ports(policy, buf, RXAQM_SETTING_LEN);
		return buf;
	case RXAQM_SETTING_DSCP:
		rxaqm_exempt_format_dscp(policy, buf, RXAQM_SETTING_LEN);
		return buf;
	case RXAQM_SETTING_PERCENT:
		permille = *(const __u16 *)field;
		if (permille % 10)
			snprintf(duration, sizeof(duration), "%u.%u%%", permille / 10,
				 permille % 10);
		else
			snprintf(duration, sizeof(duration), "%u%%", permille / 10);
		break;
	case RXAQM_SETTING_CHOICE:
		text = choice_name(setting, *(const __u8 *)field);
		break;
	case RXAQM_SETTING_TARGET:
		rxaqm_format_duration_exact(policy->target_ns, duration);
		snprintf(buf, RXAQM_SETTING_LEN, "%s%s", policy->target_auto ? "auto:" : "",
			 duration);
		return buf;
	case RXAQM_SETTING_THRESHOLD:
	case RXAQM_SETTING_DURATION:
		rxaqm_format_duration_exact(*(const __u64 *)field, duration);
		if (setting->type == RXAQM_SETTING_THRESHOLD && !*(const __u64 *)field)
			text = "off";
		break;
	}
	snprintf(buf, RXAQM_SETTING_LEN, "%s", text);
	return buf;
}

void rxaqm_settings_sources_out(struct rxaqm_out *out, const struct rxaqm_policy *policy)
{
	static const char *const names[] = { "default", "profile", "configuration", "operator" };
	const struct rxaqm_setting *setting;
	bool any = false;
	char fmt[64];

	rxaqm_out_object(out, "sources");
	for (setting = rxaqm_settings; setting->name; setting++) {
		enum rxaqm_source source = rxaqm_setting_source(policy, setting->name);

		snprintf(fmt, sizeof(fmt), "%s%s by %%s", any ? ", " : "    set: ", setting->name);
		rxaqm_out_str(out, setting->name, source ? fmt : NULL, names[source]);
		any |= source != RXAQM_SOURCE_DEFAULT;
	}
	rxaqm_out_end(out);
	if (any)
		rxaqm_out_text(out, "\n");
}

static void out_json_ns(struct rxaqm_out *out, const struct rxaqm_setting *setting,
			const struct rxaqm_policy *policy, __u64 now_ns)
{
	const void *field = (const char *)policy + setting->offset;
	__u64 ns = setting->type == RXAQM_SETTING_LEASE ? lease_left_ns(policy, now_ns) :
							  *(const __u64 *)field;
	char key[40];

	snprintf(key, sizeof(key), "%s_ns", setting->name);
	if (setting->type != RXAQM_SETTING_DURATION && setting->type != RXAQM_SETTING_TARGET &&
	    !*(const __u64 *)field)
		rxaqm_out_null(out, key, NULL);
	else
		rxaqm_out_u64(out, key, NULL, ns);
}

static void out_json_list(struct rxaqm_out *out, const struct rxaqm_setting *setting,
			  const struct rxaqm_policy *policy)
{
	unsigned int i;

	rxaqm_out_array(out, setting->name);
	if (setting->type == RXAQM_SETTING_PORTS)
		for (i = 0; i < policy->nr_exempt_ports; i++)
			rxaqm_out_u64(out, NULL, NULL, policy->exempt_port[i]);
	else
		for (i = 0; i < 64; i++)
			if (policy->exempt_dscp >> i & 1)
				rxaqm_out_u64(out, NULL, NULL, i);
	rxaqm_out_end(out);
}

void rxaqm_setting_out(struct rxaqm_out *out, const struct rxaqm_setting *setting, const char *fmt,
		       const struct rxaqm_policy *policy, __u64 now_ns)
{
	char text[RXAQM_SETTING_LEN];

	rxaqm_setting_format(setting, policy, now_ns, text);
	if (!out->json || setting->type == RXAQM_SETTING_CHOICE) {
		rxaqm_out_str(out, setting->name, fmt, text);
		return;
	}
	switch (setting->type) {
	case RXAQM_SETTING_PERCENT:
		rxaqm_out_u64(out, "max_drop_permille", NULL, policy->max_drop_permille);
		break;
	case RXAQM_SETTING_PORTS:
	case RXAQM_SETTING_DSCP:
		out_json_list(out, setting, policy);
		break;
	case RXAQM_SETTING_TARGET:
		out_json_ns(out, setting, policy, now_ns);
		rxaqm_out_bool(out, "target_auto", NULL, NULL, policy->target_auto);
		break;
	default:
		out_json_ns(out, setting, policy, now_ns);
	}
}
