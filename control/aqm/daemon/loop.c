/* SPDX-License-Identifier: GPL-2.0-only */
/* The event loop: signals, timers, start and end. */
#include "daemon/loop.h"

#include <fcntl.h>
#include <libgen.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/undo.h"
#include "base/lock_file.h"
#include "base/now.h"
#include "daemon/clock.h"
#include "daemon/diagnose.h"
#include "daemon/status_and_metrics.h"
#include "daemon/link.h"
#include "daemon/link_list.h"
#include "daemon/log.h"
#include "daemon/netlink.h"
#include "daemon/overload_watch.h"
#include "daemon/section_plan.h"
#include "daemon/reconcile.h"
#include "daemon/state.h"
#include "nic/netns.h"
#include "nic/way_out.h"
#include "state/trial.h"

#define TICK_NS RXAQM_NSEC_PER_SEC
#define POLL_TICKS 10 /* between checks for unannounced changes */
#define PATIENCE_NS (10 * RXAQM_NSEC_PER_SEC) /* READY waits this long for the lock */
#define USEC(ns) ((ns) / RXAQM_NSEC_PER_USEC)

int rxaqm_run_lock(struct rxaqm_error *error)
{
	char path[RXAQM_CONFIG_PATH_LEN], copy[RXAQM_CONFIG_PATH_LEN], pid[16];
	const char *dir;
	int fd;

	rxaqm_runtime_path("daemon.lock", path, sizeof(path));
	dir = dirname(strcpy(copy, path));
	if (mkdir(dir, 0755) && errno != EEXIST)
		return rxaqm_failed(error, errno,
				    "cannot make directory \"%s\": %s; run as root, or name "
				    "one that can be written to with RUNTIME_DIRECTORY",
				    dir, strerror(errno));
	fd = rxaqm_lock_file(path);
	/* The lock is held until the process ends; the file has its pid, and stays. */
	if (fd >= 0 && !ftruncate(fd, 0) && dprintf(fd, "%d\n", getpid()) > 0)
		return 0;
	if (fd >= 0)
		return rxaqm_failed(error, errno, "cannot write \"%s\": %s; see that there is room",
				    path, strerror(errno));
	if (fd != -EWOULDBLOCK)
		return rxaqm_failed(error, -fd,
				    "cannot lock \"%s\": %s; run as root, or name a "
				    "directory that can be written to with RUNTIME_DIRECTORY",
				    path, strerror(-fd));
	if (!*rxaqm_first_line(AT_FDCWD, path, pid, sizeof(pid)))
		return rxaqm_failed(error, EBUSY, "another daemon holds \"%s\"; see \"fuser %s\"",
				    path, path);
	return rxaqm_failed(error, EBUSY,
			    "another daemon runs, with pid %s (it holds \"%s\"); stop it first, or "
			    "have it read its configuration again: \"kill -HUP %s\"",
			    pid, path, pid);
}

static int on_sync(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	rxaqm_run_sync(arg);
	return 0;
}

/* Runs after any other callback, to set the timer for what is due next. */
static int on_any(sd_event_source *source, void *arg)
{
	struct rxaqm_run *run = arg;

	(void)source;
	if (run->due_ns)
		sd_event_source_set_time(run->sync_timer, USEC(rxaqm_timer_ns(run->due_ns)) + 1);
	sd_event_source_set_enabled(run->sync_timer, run->due_ns ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
	return 0;
}

/* Find changes that no message announces: commands that attach and detach, a state that is gone,
 * and, where the kernel does not announce them, changes of rings and channels.
 */
static void look_for_silent_changes(struct rxaqm_run *run)
{
	bool poll = run->ticks % POLL_TICKS == 0;
	char text[RXAQM_WAY_OUT_LEN];
	struct rxaqm_link *link;

	rxaqm_run_state_open(run);
	for (link = run->links; link; link = link->next) {
		const struct rxaqm_iface *iface = rxaqm_link_iface(link);

		if (link->state == RXAQM_LINK_ATTACHED && !iface)
			link->verify = true;
		if (link->state == RXAQM_LINK_RELEASED && poll)
			link->verify = true;
		if (link->state == RXAQM_LINK_LOST && !run->bpffs_lost && !link->due_ns)
			rxaqm_run_try_again(link, 0);
		if (poll && iface)
			rxaqm_run_check_arrivals(link, iface);
		/* Changes of the length of a backlog, a sysctl, of RPS, and of forwarding are not
		 * announced.
		 */
		if (poll && iface && !link->due_ns && link->section &&
		    (((!run->ethtool_family || (iface->flags & RXAQM_IFACE_GENERIC)) &&
		      rxaqm_entry_outgrown(iface, link->name)) ||
		     !rxaqm_way_out(link->name, text) == !!(iface->flags & RXAQM_IFACE_LEAVES)))
			rxaqm_run_try_again(link, 0);
	}
	/* In case a message was lost. */
	run->rescan |= poll;
}

/* Free the entries of interfaces of which the kernel said that they are deleted. */
static void free_deleted(struct rxaqm_run *run, struct rxaqm_error *error)
{
	struct rxaqm_iface *iface = NULL;
	char ifname[IF_NAMESIZE];

	while ((iface = rxaqm_iface_next(&run->state, iface)))
		/* A command may have given the slot to another one since. */
		if (run->deleted[iface - run->state.iface] &&
		    iface->netns_ino == rxaqm_netns_ino() &&
		    !if_indextoname(iface->ifindex, ifname))
			rxaqm_undo_attach(&run->state, iface, error);
	memset(run->deleted, 0, sizeof(run->deleted));
	run->any_deleted = false;
}

/* Free the entries of interfaces that are gone; the kernel frees their programs some time later.
 */
static void free_gone(struct rxaqm_run *run)
{
	struct rxaqm_error error = {};

	if ((!run->recover && !run->any_deleted && !rxaqm_trial_killed(&run->state, NULL)) ||
	    rxaqm_state_trylock(&run->state))
		return;
	run->recover -= run->recover > 0;
	if (rxaqm_run_state_open(run)) {
		rxaqm_trial_undo_killed(&run->state);
		free_deleted(run, &error);
		rxaqm_undo_interrupted(&run->state, &error);
		if (error.text[0])
			rxaqm_run_log(LOG_WARNING, "%s", error.text);
	}
	rxaqm_state_unlock(&run->state);
}

/* If a callback returns an error, sd-event never calls it again, without a word. */
static int on_tick(sd_event_source *source, uint64_t usec, void *arg)
{
	struct rxaqm_run *run = arg;

	run->ticks++;
	rxaqm_run_netlink_resume(run);
	look_for_silent_changes(run);
	free_gone(run);
	rxaqm_run_sync(run);
	rxaqm_run_overload(run);
	rxaqm_run_diagnosis_look(run);
	rxaqm_run_status(run);
	rxaqm_run_metrics(run);
	/* From now, not from when it was due: after a suspend there is nothing to catch up with. */
	(void)usec;
	if (sd_event_source_set_time_relative(source, USEC(TICK_NS)) < 0 ||
	    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) < 0) {
		rxaqm_run_log(LOG_ERR, "cannot set the timer of the event loop");
		sd_event_exit(run->event, RXAQM_EXIT_FAILED);
	}
	return 0;
}

static int check_here(const struct rxaqm_run *run, const struct rxaqm_config *config,
		      struct rxaqm_error *error)
{
	const struct rxaqm_link *link;
	int err = 0;

	for (link = run->links; link && !err; link = link->next)
		err = rxaqm_run_check(rxaqm_config_find(config, link->name), link->name, error);
	return err;
}

static void be_ready_soon(struct rxaqm_run *run)
{
	run->ready = false;
	run->ready_by_ns = rxaqm_now_ns() + PATIENCE_NS;
}

/* SIGHUP: use the whole new configuration; if it has an error, keep the old one. */
static void reload(struct rxaqm_run *run)
{
	struct rxaqm_config config = {}, old = run->config;
	struct rxaqm_error error = {};

	be_ready_soon(run);
	/* The time tells the manager which of several reloads the next READY=1 answers. */
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu\nSTATUS=reading the configuration",
		   USEC(rxaqm_now_ns()));
	run->reload_failed = rxaqm_config_read(run->config_path, &config, &error) ||
			     check_here(run, &config, &error);
	if (run->reload_failed) {
		rxaqm_config_free(&config);
		run->reloads_failed++;
		snprintf(run->reload_text, sizeof(run->reload_text), "%.250s", error.text);
		rxaqm_run_log(LOG_ERR, "%s; the configuration stays as it was", error.text);
		rxaqm_run_notify(run, true);
		return;
	}
	run->reloads_ok++;
	rxaqm_run_log(LOG_NOTICE, "configuration read again");
	if (strcmp(config.status_file, old.status_file))
		rxaqm_run_status_remove(run, &old);
	run->config = config;
	run->status_due_ns = 0;
	run->status_failed = run->status_text_failed = false;
	run->metrics = (struct rxaqm_run_metrics){};
	rxaqm_run_links_reconfigure(run, &old);
	rxaqm_run_sync(run);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	struct rxaqm_run *run = arg;

	(void)source;
	if (info->ssi_signo == SIGHUP) {
		reload(run);
		return 0;
	}
	rxaqm_run_log(LOG_NOTICE, "%s: stopping",
		      info->ssi_signo == SIGTERM ? "SIGTERM" : "SIGINT");
	return sd_event_exit(run->event, 0);
}

static int set_up(struct rxaqm_run *run)
{
	static const int signals[] = { SIGHUP, SIGTERM, SIGINT };
	sigset_t mask;
	size_t i;
	int err;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&mask, signals[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	err = sd_event_default(&run->event);
	for (i = 0; err >= 0 && i < sizeof(signals) / sizeof(signals[0]); i++)
		err = sd_event_add_signal(run->event, NULL, signals[i], on_signal, run);
	if (err >= 0)
		err = sd_event_add_time_relative(run->event, NULL, CLOCK_MONOTONIC, USEC(TICK_NS),
						 USEC(TICK_NS / 10), on_tick, run);
	if (err >= 0)
		/* The first time at once. */
		err = sd_event_add_time_relative(run->event, &run->sync_timer, CLOCK_MONOTONIC, 0,
						 1, on_sync, run);
	if (err >= 0)
		err = sd_event_add_post(run->event, NULL, on_any, run);
	/* If WATCHDOG_USEC is set, as it says. */
	if (err >= 0)
		err = sd_event_set_watchdog(run->event, true);
	return err;
}

static void detach_all(struct rxaqm_run *run)
{
	struct rxaqm_error error = {};
	struct rxaqm_link *link;

	if (rxaqm_state_lock(&run->state, &error)) {
		rxaqm_run_log(LOG_ERR, "nothing is detached: %s", error.text);
		run->exit_code = RXAQM_EXIT_FAILED;
		return;
	}
	for (link = run->links; link; link = link->next) {
		struct rxaqm_iface *iface;

		rxaqm_run_state_open(run);
		iface = rxaqm_link_iface(link);
		if (!iface)
			continue;
		error.text[0] = '\0';
		rxaqm_run_note_detached(link, iface);
		/* Without fields: once a process has ended, the journal finds no unit for it. */
		if (rxaqm_detach(&run->state, iface, &error))
			run->exit_code = RXAQM_EXIT_FAILED;
		else
			rxaqm_run_log(LOG_NOTICE, "%s: detached", link->name);
		if (error.text[0])
			rxaqm_run_log(LOG_ERR, "%s: %s", link->name, error.text);
	}
	rxaqm_state_unlock(&run->state);
}

#define LOOP_TRIES 10 /* a second apart */

/* Returns the exit code that was asked for, or -errno. One system call that fails, such as the read
 * of a timer, is not the end.
 */
static int loop(struct rxaqm_run *run)
{
	int err = 0, failed = 0;

	while (failed < LOOP_TRIES && sd_event_get_state(run->event) != SD_EVENT_FINISHED) {
		err = sd_event_run(run->event, UINT64_MAX);
		if (err >= 0) {
			failed = 0;
			continue;
		}
		rxaqm_run_log(LOG_ERR, "the event loop failed: %s; it goes on in 1s",
			      strerror(-err));
		failed++;
		rxaqm_sleep_until(rxaqm_now_ns() + RXAQM_NSEC_PER_SEC);
	}
	if (failed < LOOP_TRIES)
		sd_event_get_exit_code(run->event, &err);
	return err;
}

int rxaqm_run_loop(struct rxaqm_run *run)
{
	struct rxaqm_error error = {};
	struct rxaqm_link *link;
	int err = set_up(run);

	if (err < 0) {
		rxaqm_run_log(LOG_ERR, "cannot set up the event loop: %s", strerror(-err));
		run->exit_code = RXAQM_EXIT_FAILED;
	} else if (rxaqm_run_netlink_open(run, &error)) {
		rxaqm_run_log(LOG_ERR, "%s", error.text);
		run->exit_code = error.exit_code;
	} else {
		run->recover = 1;
		free_gone(run);
		run->rescan = true;
		be_ready_soon(run);
		rxaqm_run_sync_by(run, rxaqm_now_ns());
		err = loop(run);
		if (err < 0)
			rxaqm_run_log(LOG_ERR, "the event loop ended: %s", strerror(-err));
		if (err)
			run->exit_code = RXAQM_EXIT_FAILED;
		sd_notifyf(0, "STOPPING=1\nSTATUS=%s",
			   run->config.on_stop == RXAQM_ON_STOP_DETACH ? "detaching" :
									 "leaving all attached");
		if (run->config.on_stop == RXAQM_ON_STOP_DETACH)
			detach_all(run);
		rxaqm_run_status_remove(run, &run->config);
		rxaqm_run_metrics_remove();
	}
	if (run->diagnosis.pid && !kill(run->diagnosis.pid, SIGKILL))
		waitpid(run->diagnosis.pid, NULL, 0);
	for (link = run->links; link; link = link->next)
		rxaqm_run_clock_free(link);
	return run->exit_code;
}
