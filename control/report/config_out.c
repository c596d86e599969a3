/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in effect: text that is itself a configuration file, and JSON. */
#include <string.h>

#include "base/out.h"
#include "base/parse.h"
#include "config/config.h"

/* Are the facts that "by default" stands for unknown until there is an interface? */
static bool left_open(const struct rxaqm_key *row, const struct rxaqm_config_iface *iface)
{
	return (!strcmp(row->name, "profile") && !iface->profile[0]) ||
	       (!strcmp(row->name, "xdp_mode") && !iface->xdp_mode_set);
}

static void print_key(struct rxaqm_out *out, const struct rxaqm_key *row, const void *object)
{
	rxaqm_out_text(out, "%s=", row->name);
	rxaqm_key_out(out, row, "%s\n", object, 0);
}

static void print_iface(struct rxaqm_out *out, const struct rxaqm_config_iface *iface)
{
	const struct rxaqm_key *row;
	char lease[RXAQM_DURATION_LEN];
	unsigned int i;

	rxaqm_out_object(out, NULL);
	rxaqm_out_str(out, "match", "\n[Interface %s]\n", iface->match);
	for (row = rxaqm_config_keys; row->name; row++)
		if (!strcmp(row->section, "Interface") && !left_open(row, iface))
			print_key(out, row, iface);
	rxaqm_out_object(out, "policy");
	for (i = 0; i < iface->nr_settings; i++) {
		rxaqm_out_text(out, "%s=", iface->setting[i].key);
		rxaqm_out_str(out, iface->setting[i].key, "%s\n", iface->setting[i].value);
	}
	rxaqm_out_end(out);
	if (iface->lease_ns) {
		rxaqm_out_text(out, "lease=%s\n",
			       rxaqm_format_duration_exact(iface->lease_ns, lease));
		rxaqm_out_u64(out, "lease_ns", NULL, iface->lease_ns);
	}
	rxaqm_out_end(out);
}

void rxaqm_config_out(struct rxaqm_out *out, const struct rxaqm_config *config)
{
	const struct rxaqm_key *row;
	const char *section = "";
	unsigned int i;

	for (row = rxaqm_config_keys; row->name && strcmp(row->section, "Interface"); row++) {
		if (strcmp(row->section, section)) {
			if (*section)
				rxaqm_out_end(out);
			rxaqm_out_text(out, "%s[%s]\n", *section ? "\n" : "", row->section);
			rxaqm_out_object(out, row->section);
			section = row->section;
		}
		print_key(out, row, config);
	}
	rxaqm_out_end(out);
	rxaqm_out_array(out, "Interface");
	for (i = 0; i < config->nr_ifaces; i++)
		print_iface(out, &config->iface[i]);
	rxaqm_out_end(out);
}
