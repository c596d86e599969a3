/* SPDX-License-Identifier: GPL-2.0-only */
#include <bpf/libbpf.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dirs.h"
#include "base/lock_file.h"
#include "base/now.h"
#include "nic/nic.h"
#include "doctor/collect/collect.h"
#include "doctor/deep/deep.h"

#define LOOK_NS (50 * RXAQM_NSEC_PER_MSEC)

__u64 doctor_deep_wait(struct doctor_deep *deep)
{
	__u64 begin_ns = rxaqm_now_ns(), now_ns = begin_ns, end_ns = begin_ns + deep->time_ns;

	while (now_ns < end_ns && !(deep->stop && *deep->stop)) {
		rxaqm_sleep_until(end_ns - now_ns < LOOK_NS ? end_ns : now_ns + LOOK_NS);
		now_ns = rxaqm_now_ns();
	}
	return now_ns - begin_ns;
}

bool doctor_deep_look(struct doctor_deep *deep, struct bpf_object_skeleton *skeleton,
		      const char *name, const char *what)
{
	if (!skeleton || bpf_object__load_skeleton(skeleton) ||
	    bpf_object__attach_skeleton(skeleton)) {
		const char *why = strerror(errno);

		doctor_cannot_see(deep->snap, what, "the kernel refuses the tracing programs: %s",
				  rxaqm_lockdown() ?: why);
		return false;
	}
	doctor_deep_ran(deep, name, doctor_deep_wait(deep));
	bpf_object__detach_skeleton(skeleton);
	return true;
}

void doctor_deep_ran(struct doctor_deep *deep, const char *name, __u64 ns)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_ns", name);
	doctor_map_set(&deep->snap->deep, key, ns);
}

int doctor_deep_lock(struct rxaqm_error *error)
{
	char path[RXAQM_DIRS_PATH_LEN], copy[RXAQM_DIRS_PATH_LEN];
	int fd;

	rxaqm_runtime_path("doctor-deep", path, sizeof(path));
	mkdir(dirname(strcpy(copy, path)), 0755);
	fd = rxaqm_lock_file(path);
	if (fd == -EWOULDBLOCK)
		return rxaqm_failed(error, EBUSY,
				    "another \"rxaqm doctor --deep\" is at work, and one disturbs the "
				    "figures of the other: run it when that has ended (\"fuser %s\" "
				    "tells its pid)",
				    path);
	if (fd < 0)
		return rxaqm_failed(error, -fd,
				    "cannot lock \"%s\" for --deep: %s; run as root, or name a "
				    "directory that can be written to with RUNTIME_DIRECTORY",
				    path, strerror(-fd));
	return 0;
}
