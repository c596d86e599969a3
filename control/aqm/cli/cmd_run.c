/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm run */
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "state/machine.h"
#include "command/options.h"
#include "base/out.h"
#include "daemon/log.h"
#include "daemon/loop.h"
#include "daemon/section_plan.h"

struct args {
	const char *config;
	bool check;
};

static const struct rxaqm_option run_options[] = {
	{ "config", 'c', "FILE", "Configuration; default: " RXAQM_CONFIG_PATH, RXAQM_WORD(config) },
	{ "check", 'n', NULL, "Check the configuration, print what is in effect, and end",
	  RXAQM_FLAG(check) },
	{ 0 },
};

/* Print which section each interface here gets, and check that the policy fits its profile. */
static void print_here(struct rxaqm_out *out, const struct rxaqm_config *config,
		       struct rxaqm_error *errors)
{
	struct if_nameindex *all = if_nameindex(), *one;
	struct rxaqm_error error;

	rxaqm_out_text(out, "\n# Interfaces here:\n");
	rxaqm_out_array(out, "here");
	for (one = all; one && one->if_index; one++) {
		const struct rxaqm_config_iface *section = rxaqm_config_find(config, one->if_name);

		rxaqm_out_object(out, NULL);
		rxaqm_out_str(out, "interface", "# %s: ", one->if_name);
		rxaqm_out_str(out, "section", "[Interface %s]", section ? section->match : NULL);
		rxaqm_out_text(out, "%s", section ? "" : "no section");
		rxaqm_out_bool(out, "enable", "", ", not enabled", !section || section->enable);
		rxaqm_out_text(out, "\n");
		rxaqm_out_end(out);
		if (rxaqm_run_check(section, one->if_name, &error))
			rxaqm_error_join(errors, &error);
	}
	rxaqm_out_end(out);
	if (all)
		if_freenameindex(all);
}

/* Does the directory of the file @path exist, which the daemon writes? It creates its own
 * directory.
 */
static void check_directory(const char *key, const char *path, struct rxaqm_error *errors)
{
	char dir[RXAQM_CONFIG_PATH_LEN], own[RXAQM_CONFIG_PATH_LEN];
	struct rxaqm_error error;
	const char *slash = strrchr(path, '/');

	if (!slash)
		return;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path + 1), path);
	if (!strcmp(dir, rxaqm_runtime_path("", own, sizeof(own))) || !access(dir, F_OK))
		return;
	rxaqm_failed(&error, errno,
		     "%s=%s: cannot open directory \"%s\": %s; make it, or set %s=off", key, path,
		     dir, strerror(errno), key);
	rxaqm_error_join(errors, &error);
}

static int check(const struct rxaqm_config *config, struct rxaqm_error *error)
{
	struct rxaqm_out out;

	/* Not wrapped: one line per key. */
	rxaqm_out_open(&out, stdout, rxaqm_json);
	if (rxaqm_json)
		rxaqm_out_head(&out, "config");
	rxaqm_config_out(&out, config);
	print_here(&out, config, error);
	check_directory("status_file", config->status_file, error);
	check_directory("textfile", config->metrics_textfile, error);
	rxaqm_out_close(&out, false);
	return -error->err;
}

/* Block SIGHUP until the event loop waits for it: it would end the process. */
static void hold_reload(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, NULL);
}

static void print_keys(void)
{
	rxaqm_keys_list(stdout, rxaqm_config_keys);
}

int rxaqm_cmd_run(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm run",
		.help = "Attach the interfaces that the configuration names, follow their "
			"changes, and keep leases, clocks and targets up to date, until SIGTERM. "
			"SIGHUP reads the configuration again.",
		.options = run_options,
		.more = print_keys,
	};
	/* Never freed: it lives as long as the process. */
	static struct rxaqm_run run = { .state = RXAQM_STATE_NONE };
	struct args args = { .config = RXAQM_CONFIG_PATH };
	int exit_code;

	rxaqm_options_read(&command, argc, argv, &args);
	run.config_path = args.config;
	if (!args.check)
		hold_reload();
	if (rxaqm_config_read(args.config, &run.config, &call->error))
		return -1;
	if (args.check) {
		exit_code = check(&run.config, &call->error);
	} else {
		rxaqm_run_log_init();
		if (rxaqm_machine_check(&call->error) || rxaqm_run_lock(&call->error)) {
			rxaqm_run_log(LOG_ERR, "%s", call->error.text);
			exit_code = call->error.exit_code;
		} else {
			exit_code = rxaqm_run_loop(&run);
		}
	}
	return exit_code;
}
