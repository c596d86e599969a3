/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a queue becomes overloaded, run "rxaqm doctor" to find the cause, as a process of its own,
 * so that the daemon does not wait for it. Its answer goes to a file in memory; each tick checks
 * whether it has ended.
 */
#include "daemon/diagnose.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "daemon/log.h"

#define WINDOW "--time=5s"
/* It takes the window and a second; beyond this it hangs. */
#define LIMIT_NS (60 * RXAQM_NSEC_PER_SEC)

static int spawn(struct rxaqm_run_diagnosis *diagnosis)
{
	static char *const argv[] = { "rxaqm", "doctor", "-j", WINDOW, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, diagnosis->fd, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = posix_spawn(&diagnosis->pid, "/proc/self/exe", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

void rxaqm_run_diagnose(struct rxaqm_run *run)
{
	struct rxaqm_run_diagnosis *diagnosis = &run->diagnosis;
	__u64 now_ns = rxaqm_now_ns();
	int err;

	if (!run->config.diagnose_ns || diagnosis->pid ||
	    (diagnosis->begun_ns &&
	     rxaqm_ns_since(now_ns, diagnosis->begun_ns) < run->config.diagnose_ns))
		return;
	diagnosis->begun_ns = now_ns;
	diagnosis->fd = memfd_create("rxaqm-doctor", MFD_CLOEXEC);
	err = diagnosis->fd < 0 ? -errno : spawn(diagnosis);
	if (!err)
		return;
	diagnosis->pid = 0;
	diagnosis->failed++;
	if (diagnosis->fd >= 0)
		close(diagnosis->fd);
	rxaqm_run_log(LOG_WARNING, "cannot start \"rxaqm doctor\": %s", strerror(-err));
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) :
								NULL;
}

/* Note the primary cause. -EBADMSG: @report is not from doctor. */
static int read_report(struct rxaqm_run_diagnosis *diagnosis, struct json_object *report)
{
	const char *id = text_of(report, "primary"), *place = NULL, *cause = NULL;
	struct json_object *findings, *finding;
	size_t i;

	if (!json_object_object_get_ex(report, "findings", &findings) ||
	    !json_object_is_type(findings, json_type_array))
		return -EBADMSG;
	for (i = 0; id && i < json_object_array_length(findings); i++) {
		finding = json_object_array_get_idx(findings, i);
		if (strcmp(text_of(finding, "id") ?: "", id))
			continue;
		place = text_of(finding, "place");
		cause = text_of(finding, "cause");
	}
	if (id && (!place || !cause))
		return -EBADMSG;
	snprintf(diagnosis->id, sizeof(diagnosis->id), "%s", id ?: "");
	snprintf(diagnosis->place, sizeof(diagnosis->place), "%s", place ?: "");
	if (id)
		rxaqm_run_log(LOG_NOTICE, "doctor: %s: %s", id, cause);
	else
		rxaqm_run_log(LOG_NOTICE, "doctor: nothing found");
	return 0;
}

static void finish(struct rxaqm_run_diagnosis *diagnosis, int status)
{
	struct json_object *report = NULL;

	if (WIFEXITED(status) && lseek(diagnosis->fd, 0, SEEK_SET) == 0)
		report = json_object_from_fd(diagnosis->fd);
	if (report && !read_report(diagnosis, report)) {
		diagnosis->done++;
		diagnosis->done_ns = rxaqm_now_ns();
	} else {
		diagnosis->failed++;
		rxaqm_run_log(
			LOG_WARNING,
			"\"rxaqm doctor\" failed (status %d); is the package rxaqm-doctor installed?",
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
	json_object_put(report);
	close(diagnosis->fd);
	diagnosis->pid = 0;
}

void rxaqm_run_diagnosis_look(struct rxaqm_run *run)
{
	struct rxaqm_run_diagnosis *diagnosis = &run->diagnosis;
	int status;

	if (!diagnosis->pid)
		return;
	if (waitpid(diagnosis->pid, &status, WNOHANG) == diagnosis->pid)
		finish(diagnosis, status);
	else if (rxaqm_ns_since(rxaqm_now_ns(), diagnosis->begun_ns) > LIMIT_NS)
		kill(diagnosis->pid, SIGKILL);
}

void rxaqm_run_diagnosis_metrics(struct rxaqm_metrics_text *text, const struct rxaqm_run *run)
{
	const struct rxaqm_run_diagnosis *diagnosis = &run->diagnosis;

	if (!diagnosis->begun_ns)
		return;
	rxaqm_metrics_family(text, RXAQM_METRICS_COUNTER, "rxaqm_doctor_runs_total",
			     "Diagnoses made when a queue became overloaded");
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("result", "ok"), diagnosis->done);
	rxaqm_metrics_u64(text, RXAQM_METRICS_LABELS("result", "failed"), diagnosis->failed);
	if (!diagnosis->done_ns)
		return;
	rxaqm_metrics_family(text, RXAQM_METRICS_GAUGE, "rxaqm_doctor_age_seconds",
			     "Time since the last diagnosis");
	rxaqm_metrics_ns(text, RXAQM_METRICS_NO_LABELS,
			 (__s64)rxaqm_ns_since(rxaqm_now_ns(), diagnosis->done_ns));
	rxaqm_metrics_family(
		text, RXAQM_METRICS_GAUGE, "rxaqm_doctor_cause",
		"1: the primary cause that it found, and where; id=\"none\": it found none");
	rxaqm_metrics_u64(text,
			  RXAQM_METRICS_LABELS("id", *diagnosis->id ? diagnosis->id : "none",
					       "place", *diagnosis->id ? diagnosis->place : "none"),
			  1);
}
