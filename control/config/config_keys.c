/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of rxaqm.conf. */
#include <string.h>

#include "config/config.h"

static const char *const on_stop_words[] = { "leave", "detach", NULL };
static const char *const xdp_mode_words[] = { "native", "generic", NULL };
static const char *const hook_words[] = { "auto", "tp", "fentry", "kprobe", NULL };
static const char *const per_words[] = { "queue", "interface", NULL };
static const char *const key_words[] = { "auto", "queue", "cpu", NULL };

#define AT(name, field) .section = name, .offset = offsetof(struct rxaqm_config, field)
#define IFACE(field) .section = "Interface", .offset = offsetof(struct rxaqm_config_iface, field)

#define MS RXAQM_NSEC_PER_MSEC
#define SEC RXAQM_NSEC_PER_SEC
#define HOUR (3600 * RXAQM_NSEC_PER_SEC)

const struct rxaqm_config_key rxaqm_config_keys[] = {
	{ AT("Daemon", on_stop), .name = "on_stop", .form = "leave|detach",
	  .summary = "what becomes of the interfaces at SIGTERM (default leave)",
	  .type = RXAQM_CONFIG_CHOICE, .choices = on_stop_words },
	{ AT("Daemon", settle_ns), .name = "settle", .form = "DURATION",
	  .summary = "how long an interface that appears is left alone, 0ns to 1m (default 500ms)",
	  .type = RXAQM_CONFIG_DURATION, .max = 60 * SEC },
	{ AT("Daemon", status_file), .name = "status_file", .form = "PATH|off",
	  .summary = "where status is written, for users who may not ask the kernel "
		     "(default /run/rxaqm/status.json)",
	  .type = RXAQM_CONFIG_PATH_OR_OFF },
	{ AT("Daemon", status_mode), .name = "status_mode", .form = "OCTAL",
	  .summary = "its permissions, 0400 to 0664 (default 0640)",
	  .type = RXAQM_CONFIG_FILE_MODE },
	{ AT("Daemon", status_group), .name = "status_group", .form = "GROUP",
	  .summary = "its group (default root)", .type = RXAQM_CONFIG_GROUP },
	{ AT("Daemon", status_interval_ns), .name = "status_interval", .form = "DURATION",
	  .summary = "how often it is written, 1s to 60m (default 10s)",
	  .type = RXAQM_CONFIG_DURATION, .min = SEC, .max = HOUR },

	{ AT("Metrics", metrics_listen), .name = "listen", .form = "ADDRESS:PORT|off",
	  .summary = "where Prometheus may ask, such as 127.0.0.1:9752 (default off)",
	  .type = RXAQM_CONFIG_LISTEN },
	{ AT("Metrics", metrics_per), .name = "per", .form = "queue|interface",
	  .summary = "what the figures are of (default queue)", .type = RXAQM_CONFIG_CHOICE,
	  .choices = per_words },
	{ AT("Metrics", metrics_textfile), .name = "textfile", .form = "PATH|off",
	  .summary = "file for node_exporter's textfile collector, in .prom (default off)",
	  .type = RXAQM_CONFIG_PATH_OR_OFF },
	{ AT("Metrics", metrics_textfile_interval_ns), .name = "textfile_interval",
	  .form = "DURATION", .summary = "how often it is written, 1s to 60m (default 15s)",
	  .type = RXAQM_CONFIG_DURATION, .min = SEC, .max = HOUR },

	{ AT("Overload", overload.raise_ns), .name = "raise", .form = "DURATION",
	  .summary = "a queue over target for so long is overloaded, 1s to 60m (default 10s)",
	  .type = RXAQM_CONFIG_DURATION, .min = SEC, .max = HOUR },
	{ AT("Overload", overload.clear_ns), .name = "clear", .form = "DURATION",
	  .summary = "and no longer when it has not been for so long, 1s to 60m (default 1m)",
	  .type = RXAQM_CONFIG_DURATION, .min = SEC, .max = HOUR },
	{ AT("Overload", autoenforce.enforce_after_ns), .name = "enforce_after", .form = "DURATION",
	  .summary = "auto_enforce: over target for so long, 1s to 60m (default 30s)",
	  .type = RXAQM_CONFIG_DURATION, .min = SEC, .max = HOUR },
	{ AT("Overload", autoenforce.observe_after_ns), .name = "observe_after", .form = "DURATION",
	  .summary = "auto_enforce: back when drained for so long, 1s to 1440m (default 10m)",
	  .type = RXAQM_CONFIG_DURATION, .min = SEC, .max = 24 * HOUR },
	{ AT("Overload", autoenforce.dwell_enforce_ns), .name = "dwell_enforce", .form = "DURATION",
	  .summary = "auto_enforce: least time in enforce, 0ns to 1440m (default 5m)",
	  .type = RXAQM_CONFIG_DURATION, .min = 0, .max = 24 * HOUR },
	{ AT("Overload", autoenforce.dwell_observe_ns), .name = "dwell_observe", .form = "DURATION",
	  .summary = "auto_enforce: least time in observe, 0ns to 1440m (default 1m)",
	  .type = RXAQM_CONFIG_DURATION, .min = 0, .max = 24 * HOUR },

	{ IFACE(enable), .name = "enable", .form = "yes|no",
	  .summary = "attach; no: detach (default yes)", .type = RXAQM_CONFIG_BOOL },
	{ IFACE(xdp_mode), .name = "xdp_mode", .form = "native|generic",
	  .summary = "XDP mode, as attach --mode (default native)", .type = RXAQM_CONFIG_CHOICE,
	  .choices = xdp_mode_words },
	{ IFACE(hook), .name = "hook", .form = "auto|tp|fentry|kprobe",
	  .summary = "how the Rx path is watched, as attach --hook (default auto)",
	  .type = RXAQM_CONFIG_CHOICE, .choices = hook_words },
	{ IFACE(key), .name = "key", .form = "auto|queue|cpu",
	  .summary = "what a queue is, as attach --key (default auto)", .type = RXAQM_CONFIG_CHOICE,
	  .choices = key_words },
	{ IFACE(profile), .name = "profile", .form = "PROFILE",
	  .summary = "NIC profile by name, or a file (default by driver)",
	  .type = RXAQM_CONFIG_WORD },
	{ IFACE(auto_enforce), .name = "auto_enforce", .form = "yes|no",
	  .summary = "enforce while a queue is overloaded, and only then (default no)",
	  .type = RXAQM_CONFIG_BOOL },
	{ 0 },
};

const struct rxaqm_gone rxaqm_config_gone[] = {
	{ "[Autotune]", NULL,
	  "targets follow what is measured without it; delete it, and in [Interface NAME] write "
	  "target=auto:DURATION for min, target=DURATION for max, interval for rtt" },
	{ "autotune", NULL, "target=auto does it, target=DURATION keeps a target as it is" },
	{ 0 },
};

const struct rxaqm_config_key *rxaqm_config_key_find(const char *section, const char *name)
{
	const struct rxaqm_config_key *key;

	for (key = rxaqm_config_keys; key->name; key++)
		if (!strcmp(key->section, section) && !strcmp(key->name, name))
			return key;
	return NULL;
}
