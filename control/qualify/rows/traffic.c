/* SPDX-License-Identifier: GPL-2.0-only */
#include "qualify/rows/traffic.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/each.h"
#include "base/now.h"
#include "nic/nic.h"

#define STEP_MS 5
#define QUIET_MS 150
#define NOTHING_MS 1000 /* wait for the first frame */
#define SETTLE_MAX_MS 4000
#define SEND_MAX_MS 5000
#define AWAIT_MS 10000 /* 10GBASE-T may need as long */
#define FEW_MS 20
#define FRAME_MS 50
#define TRIES 5

void qualify_sleep_ms(const struct qualify_run *run, unsigned int ms)
{
	__u64 until_ns = rxaqm_now_ns() + ms * RXAQM_NSEC_PER_MSEC;

	while (!*run->stop && !rxaqm_ns_reached(rxaqm_now_ns(), until_ns))
		rxaqm_sleep_until(rxaqm_now_ns() + STEP_MS * RXAQM_NSEC_PER_MSEC);
}

bool qualify_has_carrier(const struct qualify_run *run)
{
	char value[QUALIFY_SETTING_LEN];

	return !qualify_setting_get(run->ifname, QUALIFY_SYSFS, "carrier", value) &&
	       value[0] == '1';
}

/* Send a frame outside of all rows. Return what saw it, or NULL. */
static const struct qualify_seen *one_frame(struct qualify_run *run)
{
	struct qualify_send send = QUALIFY_SEND(.count = 1, .first = QUALIFY_SEQ_ASIDE,
						.max_ms = FRAME_MS);
	const struct qualify_seen *seen = NULL;
	struct qualify_sent sent;
	unsigned int ms;

	memcpy(send.to, run->mac, ETH_ALEN);
	run->probe.seen[QUALIFY_SEQ_ASIDE % QUALIFY_SEEN] = (struct qualify_seen){};
	if (qualify_peer_begin(&run->peer, &send, NULL) ||
	    qualify_peer_end(&run->peer, &sent, NULL))
		return NULL;
	for (ms = 0; ms < FRAME_MS && !seen; ms += STEP_MS) {
		seen = qualify_seen(run, QUALIFY_SEQ_ASIDE);
		if (!seen)
			qualify_sleep_ms(run, STEP_MS);
	}
	return seen;
}

void qualify_await_link(struct qualify_run *run)
{
	char changes[QUALIFY_SETTING_LEN] = "";
	__u64 until_ns = rxaqm_now_ns() + AWAIT_MS * RXAQM_NSEC_PER_MSEC;

	qualify_setting_get(run->ifname, QUALIFY_SYSFS, "carrier_changes", changes);
	while (strcmp(changes, run->carrier_changes) && !*run->stop && run->peer.fd >= 0 &&
	       !rxaqm_ns_reached(rxaqm_now_ns(), until_ns)) {
		if (!qualify_has_carrier(run) || (run->probe.skel && !one_frame(run))) {
			qualify_sleep_ms(run, FEW_MS);
			continue;
		}
		snprintf(run->carrier_changes, sizeof(run->carrier_changes), "%.15s", changes);
		qualify_setting_get(run->ifname, QUALIFY_SYSFS, "carrier_changes", changes);
	}
}

bool qualify_xdp_runs(struct qualify_run *run)
{
	const struct qualify_seen *seen = NULL;
	int i;

	for (i = 0; i < TRIES && !seen; i++) {
		qualify_await_link(run);
		seen = one_frame(run);
	}
	/* A frame that only the stack saw passed XDP by. */
	return !seen || seen->xdp_ns;
}

int qualify_begin_at_once(struct qualify_run *run, struct qualify_send *send)
{
	memcpy(send->to, run->mac, ETH_ALEN);
	send->max_ms = send->max_ms ? send->max_ms : SEND_MAX_MS;
	send->first = run->seq;
	run->seq += send->count;
	return qualify_peer_begin(&run->peer, send, &run->error);
}

int qualify_begin(struct qualify_run *run, struct qualify_send *send)
{
	qualify_await_link(run);
	return qualify_begin_at_once(run, send);
}

/* Frames seen by the probe and taken by @receiver. */
static __u64 arrived(const struct qualify_run *run, struct qualify_receiver *receiver)
{
	const volatile struct qualify_progress *progress;
	__u64 nr = 0;

	if (receiver) {
		qualify_receiver_take(receiver);
		nr = receiver->seen.nr;
	}
	if (run->probe.skel) {
		progress = run->probe.progress;
		nr += progress->xdp + progress->stack;
	}
	return nr;
}

/* Have all @sent frames come, as far as they are to go? */
static bool all_came(struct qualify_run *run, __u64 sent)
{
	const volatile struct qualify_progress *progress;

	if (!run->probe.skel)
		return false;
	progress = run->probe.progress;
	return progress->stack >= sent || (run->probe.orders->drop && progress->xdp >= sent);
}

void qualify_settle(struct qualify_run *run, struct qualify_receiver *receiver, __u64 sent)
{
	__u64 start_ns = rxaqm_now_ns(), still_ns = start_ns, nr = arrived(run, receiver), now;

	while (!*run->stop && !all_came(run, sent) &&
	       rxaqm_ns_since(rxaqm_now_ns(), still_ns) <
		       (nr ? QUIET_MS : NOTHING_MS) * RXAQM_NSEC_PER_MSEC &&
	       rxaqm_ns_since(rxaqm_now_ns(), start_ns) < SETTLE_MAX_MS * RXAQM_NSEC_PER_MSEC) {
		qualify_sleep_ms(run, STEP_MS);
		now = arrived(run, receiver);
		if (now != nr)
			still_ns = rxaqm_now_ns();
		nr = now;
	}
	arrived(run, receiver);
}

int qualify_await_sent(struct qualify_run *run, struct qualify_receiver *receiver,
		       struct qualify_sent *sent)
{
	while (!*run->stop && !qualify_peer_done(&run->peer, STEP_MS)) {
		if (receiver)
			qualify_receiver_take(receiver);
	}
	if (*run->stop)
		return qualify_failed(run, EINTR, "interrupted");
	return qualify_peer_end(&run->peer, sent, &run->error);
}

int qualify_finish(struct qualify_run *run, struct qualify_receiver *receiver,
		   struct qualify_sent *sent)
{
	int err = qualify_await_sent(run, receiver, sent);

	if (!err)
		qualify_settle(run, receiver, sent->count);
	return err;
}

int qualify_traffic(struct qualify_run *run, struct qualify_send *send,
		    struct qualify_receiver *receiver, struct qualify_sent *sent)
{
	int err = qualify_begin(run, send);

	return err ?: qualify_finish(run, receiver, sent);
}

/* Pin the kernel threads called @name to the last CPU and raise their priority, as an interrupt
 * would have. The threads end when native XDP goes.
 */
static void pin_threads(const char *name)
{
	long last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	char path[64], comm[32];
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((size_t)last, &cpus);
	rxaqm_each_entry(entry, "/proc") {
		long pid = strtol(entry->d_name, NULL, 10);

		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		rxaqm_first_line(AT_FDCWD, path, comm, sizeof(comm));
		if (pid <= 0 || strncmp(comm, name, strlen(name)))
			continue;
		sched_setaffinity((pid_t)pid, sizeof(cpus), &cpus);
		setpriority(PRIO_PROCESS, (id_t)pid, -19);
	}
}

void qualify_part_veth(struct qualify_run *run)
{
	char name[32];

	if (strcmp(run->record->driver, "veth") || !run->probe.native ||
	    qualify_setting_change(&run->journal, QUALIFY_THREADED, "", "1"))
		return;
	snprintf(name, sizeof(name), "napi/%.9s", run->ifname);
	pin_threads(name);
}

int qualify_xdp_on(struct qualify_run *run)
{
	bool was_on = run->probe.xdp_fd >= 0;
	int err = qualify_probe_xdp_on(&run->probe, &run->error);

	if (!err && !was_on)
		qualify_part_veth(run);
	return err;
}
