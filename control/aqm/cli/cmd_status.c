/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm status */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/machine.h"
#include "base/json_file.h"
#include "base/now.h"
#include "base/parse.h"
#include "cli/cmd.h"
#include "command/options.h"
#include "config/config.h"
#include "report/status.h"

struct args {
	const char *ifname; /* NULL: all */
	bool all; /* queues */
	__u64 window_ns; /* between two looks; 0: one second for text, one look for JSON */
};

static struct rxaqm_looks first; /* large: zero until used */
static bool looked;

static void print_iface(struct rxaqm_out *out, const struct rxaqm_state *state,
			const struct rxaqm_iface *iface)
{
	struct rxaqm_status_view view;

	rxaqm_status_look(&view, state, iface, looked ? &first : NULL);
	rxaqm_status_out(out, &view, true, NULL);
}

/* Open the state, take the first of two looks, and wait for the second. */
static int look_first(struct rxaqm_call *call, const struct args *args)
{
	const struct rxaqm_iface *iface;
	int err = rxaqm_view_open(call, args->ifname);

	if (err)
		return err;
	looked = true;
	rxaqm_view_each(iface, &call->state, args->ifname)
		rxaqm_looks_take(&first, &call->state, iface);
	rxaqm_sleep_until(rxaqm_now_ns() + (args->window_ns ?: RXAQM_NSEC_PER_SEC));
	/* It may have been detached meanwhile. */
	return rxaqm_view_open(call, args->ifname);
}

/* Where the daemon writes its file, by its configuration if that may be read, else by default. */
static void find_path(char path[RXAQM_CONFIG_PATH_LEN])
{
	struct rxaqm_config config;

	/* If the configuration cannot be read, the defaults hold. */
	if (rxaqm_config_read(RXAQM_CONFIG_PATH, &config, NULL) || !config.status_file[0])
		rxaqm_runtime_path("status.json", path, RXAQM_CONFIG_PATH_LEN);
	else
		strcpy(path, config.status_file);
	rxaqm_config_free(&config);
}

/* Print the daemon's document about @ifname or (NULL) all. Returns how many interfaces it has, or
 * -1 if @path is not such a file.
 */
static int print_json(const char *path, const char *ifname)
{
	static const struct rxaqm_json_format format = { "rxaqm-status", "status",
							 RXAQM_OUT_VERSION };
	struct json_object *root = NULL, *all, *one, *name;
	char *text = NULL;
	int nr = -1;
	size_t len, i;

	if (!rxaqm_file_read(path, &text, &len, NULL))
		rxaqm_json_parse(text, len, &format, path, &root, NULL);
	free(text);
	if (json_object_object_get_ex(root, "interfaces", &all) &&
	    json_object_is_type(all, json_type_array)) {
		for (i = json_object_array_length(all); ifname && i-- > 0;) {
			one = json_object_array_get_idx(all, i);
			if (!json_object_object_get_ex(one, "interface", &name) ||
			    strcmp(json_object_get_string(name) ?: "", ifname))
				json_object_array_del_idx(all, i, 1);
		}
		nr = (int)json_object_array_length(all);
		puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
								  JSON_C_TO_STRING_SPACED |
								  JSON_C_TO_STRING_NOSLASHESCAPE));
	}
	json_object_put(root);
	return nr;
}

/* Print the daemon's text. Returns its length, or -1 if @path cannot be read. */
static int print_text(const char *path)
{
	struct rxaqm_out out;
	char *text;
	size_t len;

	if (rxaqm_file_read(path, &text, &len, NULL))
		return -1;
	rxaqm_out_begin(&out, "status", false);
	rxaqm_out_text(&out, "%s", text);
	rxaqm_out_close(&out, false);
	free(text);
	return (int)len;
}

/* Print what the daemon wrote last, and its age on stderr. Returns an exit code, or -1 if there is
 * no such file that may be read.
 */
static int status_from_file(const struct args *args)
{
	char path[RXAQM_CONFIG_PATH_LEN];
	bool json, text;
	struct stat st;
	__s64 age_ns;
	int nr;

	find_path(path);
	json = !access(path, R_OK);
	text = !rxaqm_json && rxaqm_config_status_text(path) && !access(path, R_OK);
	if (!json && !text)
		return -1;
	if (!rxaqm_json && (args->ifname || args->all || !text)) {
		rxaqm_log_error("you may not ask the kernel, and the daemon has not written this "
				"as text; see \"rxaqm status -j\", or run as root");
		return RXAQM_EXIT_FAILED;
	}
	if (stat(path, &st))
		return -1;
	age_ns = (__s64)rxaqm_clock_ns(CLOCK_REALTIME) - st.st_mtim.tv_nsec -
		 st.st_mtim.tv_sec * (__s64)RXAQM_NSEC_PER_SEC;
	nr = rxaqm_json ? print_json(path, args->ifname) : print_text(path);
	if (nr < 0) {
		rxaqm_log_error("you may not ask the kernel, and \"%s\" has no status that can be "
				"read; run as root, or wait until the daemon writes it "
				"(status_interval)",
				path);
		return RXAQM_EXIT_FAILED;
	}
	rxaqm_log_notice("you may not ask the kernel; this is what the daemon wrote %s ago to "
			 "\"%s\"",
			 rxaqm_duration(age_ns > 1 ? (__u64)age_ns : 1), path);
	if (nr)
		return RXAQM_EXIT_OK;
	rxaqm_log_error(args->ifname ? "not attached to \"%s\"; see \"rxaqm status\"" :
				       "not attached to any interface",
			args->ifname);
	return RXAQM_EXIT_NOT_ATTACHED;
}

/* Neither the kernel nor the file may be read. */
static int status_refused(struct rxaqm_call *call)
{
	struct rxaqm_error *error = &call->error;

	if (!rxaqm_state_open(&call->state, false, error))
		rxaqm_machine_check_readable(error);
	if (error->exit_code != RXAQM_EXIT_FAILED)
		return -1;
	rxaqm_log_error("%s; \"status_mode=0644\" in [Daemon] lets all users read status",
			error->text);
	return RXAQM_EXIT_FAILED;
}

static int print_state(struct rxaqm_call *call, const struct args *args)
{
	const struct rxaqm_iface *iface;
	struct rxaqm_overview overview = {};
	struct rxaqm_status_view view;
	char text[RXAQM_OVERVIEW_LEN];
	struct rxaqm_out head, body;

	rxaqm_out_begin(&body, "status", false);
	rxaqm_view_each(iface, &call->state, args->ifname) {
		rxaqm_status_look(&view, &call->state, iface, &first);
		rxaqm_out_text(&body, "\n");
		rxaqm_status_out(&body, &view, args->all, &overview);
	}
	rxaqm_status_next(&body, &overview);
	rxaqm_out_begin(&head, "status", false);
	rxaqm_out_paint(&head, rxaqm_overview_paint(&overview));
	rxaqm_out_text(&head, "%s\n", rxaqm_overview_text(&overview, text));
	rxaqm_out_close(&head, false);
	return rxaqm_out_close(&body, false) ? RXAQM_EXIT_FAILED : RXAQM_EXIT_OK;
}

static int status_of_state(struct rxaqm_call *call, const struct args *args)
{
	int err = rxaqm_json && !args->window_ns ? 0 : look_first(call, args);

	if (rxaqm_json)
		return rxaqm_view_print(call, "status", args->ifname, print_iface);
	return err ? err : print_state(call, args);
}

static const struct rxaqm_option status_options[] = {
	{ "all", 'a', NULL, "Idle queues, too", RXAQM_FLAG(all) },
	{ "interval", 'i', "DURATION",
	  "Time between the two looks (default 1s); JSON has one look, unless this is given",
	  RXAQM_DURATION(window_ns, 10 * RXAQM_NSEC_PER_MSEC, 60 * RXAQM_NSEC_PER_SEC) },
	{ 0 },
};

int rxaqm_cmd_status(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm status",
		.args = "[IFACE]",
		.help = "Show which queues stand, and state, signal and counters of each queue "
			"that gets packets.",
		.options = status_options,
		.max_words = 1,
	};
	struct args args = {};
	int exit_code, i;

	/* The option of 0.1.0 for monitoring, which would take a usage error for a critical state.
	 */
	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--check"))
			return rxaqm_check_failed("\"status --check\" is \"rxaqm check\" now");
	args.ifname = *rxaqm_options_read(&command, argc, argv, &args);
	/* Users who may not ask the kernel get the daemon's file, if it runs. */
	if (rxaqm_machine_check_readable(NULL)) {
		exit_code = status_from_file(&args);
		return exit_code >= 0 ? exit_code : status_refused(call);
	}
	return status_of_state(call, &args);
}
