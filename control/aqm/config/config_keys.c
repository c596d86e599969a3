/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys of rxaqm.conf. */
#include <grp.h>

#include "config/config.h"

static const char *const on_stop_words[] = { "leave", "detach", NULL };
const char *const rxaqm_xdp_mode_words[] = { "native", "generic", NULL };
const char *const rxaqm_hook_words[] = { "auto", "tp", "kprobe", NULL };
static const char *const per_words[] = { "queue", "interface", NULL };
const char *const rxaqm_queue_key_words[] = { "auto", "queue", "cpu", NULL };

static int check_path(const char *value, struct rxaqm_error *error)
{
	return value[0] == '/' ? 0 : rxaqm_bad(error, "must be an absolute path, or off");
}

static int check_group(const char *value, struct rxaqm_error *error)
{
	return getgrnam(value) ?
		       0 :
		       rxaqm_bad(error, "there is no such group; see \"getent group\", or make "
					"it with \"groupadd --system\"");
}

#define AT(name, field) .section = name, RXAQM_FIELD(struct rxaqm_config, field)
#define IFACE(field) .section = "Interface", RXAQM_FIELD(struct rxaqm_config_iface, field)
#define TIME(least, most) .type = RXAQM_TYPE_DURATION, .min = least, .max = most
/* A temporary file beside it ends in ".XXXXXX". */
#define PATH_TO                                                                      \
	.type = RXAQM_TYPE_TEXT, .form = "PATH", .none = "off", .check = check_path, \
	.max = RXAQM_CONFIG_PATH_LEN - 9

#define SEC RXAQM_NSEC_PER_SEC
#define HOUR (3600 * RXAQM_NSEC_PER_SEC)

const char *const rxaqm_config_sections[] = { "Daemon", "Metrics", "Overload", NULL };

const struct rxaqm_key rxaqm_config_keys[] = {
	{ AT("Daemon", on_stop), .name = "on_stop", .type = RXAQM_TYPE_CHOICE,
	  .choices = on_stop_words, .standard = "leave",
	  .help = "what happens to the interfaces at SIGTERM and SIGINT" },
	{ AT("Daemon", settle_ns), .name = "settle", TIME(0, 60 * SEC), .standard = "500ms",
	  .help = "how long an interface that appears, or gets another name, is left alone" },
	{ AT("Daemon", status_file), .name = "status_file", PATH_TO,
	  .standard = "/run/rxaqm/status.json",
	  .help = "where status is written, for users who may not ask the kernel" },
	{ AT("Daemon", status_mode), .name = "status_mode", .type = RXAQM_TYPE_OCTAL, .min = 0400,
	  .max = 0664, .standard = "0640", .help = "permissions of the status files" },
	{ AT("Daemon", status_group), .name = "status_group", .type = RXAQM_TYPE_TEXT,
	  .form = "GROUP", .check = check_group, .standard = "root",
	  .help = "group of the status files" },
	{ AT("Daemon", status_interval_ns), .name = "status_interval", TIME(SEC, HOUR),
	  .standard = "10s", .help = "how often status is written" },

	{ AT("Metrics", metrics_per), .name = "per", .type = RXAQM_TYPE_CHOICE,
	  .choices = per_words, .standard = "queue",
	  .help = "whether the figures are by queue or by interface" },
	{ AT("Metrics", metrics_textfile), .name = "textfile", PATH_TO, .standard = "off",
	  .help = "file for node_exporter's textfile collector, whose name ends in .prom" },
	{ AT("Metrics", metrics_interval_ns), .name = "textfile_interval", TIME(SEC, HOUR),
	  .standard = "15s", .help = "how often the metrics are written" },

	{ AT("Overload", overload.raise_ns), .name = "raise", TIME(SEC, HOUR), .standard = "10s",
	  .help = "a queue is overloaded once it was over target for this long" },
	{ AT("Overload", overload.clear_ns), .name = "clear", TIME(SEC, HOUR), .standard = "1m",
	  .help = "it is no longer overloaded once it was not over target for this long" },
	{ AT("Overload", diagnose_ns), .name = "diagnose", TIME(10 * SEC, 24 * HOUR), .none = "off",
	  .standard = "10m",
	  .help = "doctor looks for the cause of an overload at most once in this time, for the "
		  "log and the metrics" },

	{ IFACE(enable), .name = "enable", .type = RXAQM_TYPE_BOOL, .standard = "yes",
	  .help = "attach; no: detach, at start and at SIGHUP" },
	{ IFACE(xdp_mode), .name = "xdp_mode", .type = RXAQM_TYPE_CHOICE,
	  .choices = rxaqm_xdp_mode_words, .standard = "native",
	  .help = "XDP mode, as attach --mode" },
	{ IFACE(hook), .name = "hook", .type = RXAQM_TYPE_CHOICE, .choices = rxaqm_hook_words,
	  .standard = "auto", .help = "how the Rx path is watched, as attach --hook" },
	{ IFACE(key), .name = "key", .type = RXAQM_TYPE_CHOICE, .choices = rxaqm_queue_key_words,
	  .standard = "auto", .help = "what a queue is, as attach --key" },
	{ IFACE(profile), .name = "profile", .type = RXAQM_TYPE_TEXT, .form = "PROFILE",
	  .must = "1 to 107 characters long", .otherwise = "by driver",
	  .help = "NIC profile by name, or a file" },
	/* Different from the setting of that name: the daemon renews it. */
	{ IFACE(lease_ns), .name = "lease", TIME(SEC, 24 * HOUR), .none = "off",
	  .otherwise = "5m with mode=enforce, else off",
	  .must = "1s to 1440m (the daemon renews it), or off",
	  .help = "enforce lapses to observe when the daemon has not renewed it for this long" },
	{ 0 },
};
