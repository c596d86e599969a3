/* SPDX-License-Identifier: GPL-2.0-only */
/* rxaqm status */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/machine.h"
#include "base/now.h"
#include "base/parse.h"
#include "cli/cmd.h"
#include "command/options.h"
#include "config/config.h"
#include "report/status.h"

/* Where the daemon writes, by its configuration if that may be read, else by default. */
static void find_path(char path[RXAQM_CONFIG_PATH_LEN])
{
	struct rxaqm_config config;

	/* A file that cannot be read leaves the defaults. */
	if (rxaqm_config_read(RXAQM_CONFIG_PATH, &config, NULL) || !config.status_file[0])
		rxaqm_runtime_path("status.json", path, RXAQM_CONFIG_PATH_LEN);
	else
		strcpy(path, config.status_file);
	rxaqm_config_free(&config);
}

/* What the daemon has written of @ifname or (NULL) of all; NULL if it is no such thing. */
static struct json_object *read_json(const char *path, const char *ifname)
{
	struct json_object *root = json_object_from_file(path), *all, *one, *name;
	size_t i;

	if (!json_object_object_get_ex(root, "interfaces", &all) ||
	    !json_object_is_type(all, json_type_array)) {
		json_object_put(root);
		return NULL;
	}
	for (i = json_object_array_length(all); ifname && i-- > 0;) {
		one = json_object_array_get_idx(all, i);
		if (!json_object_object_get_ex(one, "interface", &name) ||
		    strcmp(json_object_get_string(name) ?: "", ifname))
			json_object_array_del_idx(all, i, 1);
	}
	return root;
}

/* Print @root, which goes with that, unless @ifname is not in it. Returns whether it did. */
static bool print_json(struct json_object *root, const char *ifname)
{
	struct json_object *all = json_object_object_get(root, "interfaces");
	bool any = !ifname || json_object_array_length(all);

	if (any)
		puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
								  JSON_C_TO_STRING_SPACED |
								  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
	return any;
}

/* Print the JSON that the daemon has written last, of the interface @ifname or (NULL) of all, and
 * its age on stderr. Returns an exit code, or -1 if there is no such file that may be read.
 */
static int status_from_file(const char *ifname)
{
	char path[RXAQM_CONFIG_PATH_LEN], age[RXAQM_DURATION_LEN];
	struct json_object *root;
	struct stat st;
	__s64 age_ns;

	find_path(path);
	if (access(path, R_OK) || stat(path, &st))
		return -1;
	root = read_json(path, ifname);
	if (!root) {
		rxaqm_log_error("you may not ask the kernel, and \"%s\" has no status that can be "
				"read; the daemon writes it anew (status_interval), or run as root",
				path);
		return RXAQM_EXIT_FAILED;
	}
	age_ns = (__s64)rxaqm_clock_ns(CLOCK_REALTIME) - st.st_mtim.tv_nsec -
		 st.st_mtim.tv_sec * (__s64)RXAQM_NSEC_PER_SEC;
	rxaqm_log_notice("you may not ask the kernel; this is what the daemon wrote %s ago to "
			 "\"%s\", in JSON",
			 rxaqm_format_duration(age_ns > 1 ? (__u64)age_ns : 1, age), path);
	if (print_json(root, ifname))
		return RXAQM_EXIT_OK;
	rxaqm_log_error("not attached to \"%s\"; see \"rxaqm status\"", ifname);
	return RXAQM_EXIT_NOT_ATTACHED;
}

/* Where neither the kernel nor the file may be read. */
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

int rxaqm_cmd_status(int argc, char **argv, struct rxaqm_call *call)
{
	static const struct rxaqm_command command = {
		.name = "rxaqm status",
		.args = "[IFACE]",
		.help = "Show state, signal and counters of each queue.",
		.max_words = 1,
	};
	const char *ifname;
	int exit_code, i;

	/* What 0.1.0 had for monitoring, to which a usage error would be a critical state. */
	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--check"))
			return rxaqm_check_failed("\"status --check\" is \"rxaqm check\" now");
	ifname = *rxaqm_options_read(&command, argc, argv, NULL);
	/* Who may not ask the kernel gets what the daemon has left to be read, if it runs. */
	if (rxaqm_machine_check_readable(NULL)) {
		exit_code = status_from_file(ifname);
		return exit_code >= 0 ? exit_code : status_refused(call);
	}
	return rxaqm_view_print(call, ifname, rxaqm_status_print_iface);
}
