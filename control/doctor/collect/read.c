/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers that all collectors use. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "doctor/collect/collect.h"
#include "nic/netns.h"
#include "nic/nic.h"

#define LARGEST (8 << 20)

char *doctor_read(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	char *text;
	size_t len;

	if (fd < 0)
		return NULL;
	text = rxaqm_read_all(fd, LARGEST, &len);
	close(fd);
	return text;
}

void doctor_parse(struct doctor_snapshot *snap, const char *path, const char *what,
		  void (*parse)(void *to, char *text), void *to)
{
	char *text = doctor_read(AT_FDCWD, path);

	if (text)
		parse(to, text);
	else if (what)
		doctor_cannot_see(snap, what, "cannot read %s: %s", path, strerror(errno));
	free(text);
}

bool doctor_read_schedstat(__u32 tid, struct doctor_schedstat *times)
{
	char line[128];

	return doctor_read_line(AT_FDCWD, line, sizeof(line), "/proc/%u/schedstat", tid) &&
	       sscanf(line, "%llu %llu %llu", &times->run_ns, &times->wait_ns, &times->waits) == 3;
}

bool doctor_read_line(int dir_fd, char *buf, size_t size, const char *fmt, ...)
{
	char path[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	if (!rxaqm_read_line(dir_fd, path, buf, size))
		return false;
	/* Anyone may give a process a name with control characters. */
	rxaqm_clean(buf);
	return true;
}

__u64 doctor_read_u64(int dir_fd, __u64 otherwise, const char *fmt, ...)
{
	char path[512], line[64], *end;
	unsigned long long value;
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	if (!rxaqm_read_line(dir_fd, path, line, sizeof(line)) || *line < '0' || *line > '9')
		return otherwise;
	value = strtoull(line, &end, 10);
	return *end && *end != ' ' ? otherwise : value;
}

static bool map_ready(doctor_map *map)
{
	if (!*map)
		*map = json_object_new_object();
	return *map;
}

void doctor_map_set(doctor_map *map, const char *name, __u64 value)
{
	char key[512];

	snprintf(key, sizeof(key), "%s", name);
	rxaqm_clean(key);
	if (map_ready(map))
		json_object_object_add(*map, key, json_object_new_uint64(value));
}

void doctor_map_set_words(doctor_map *map, const char *name, const char *words)
{
	if (map_ready(map))
		json_object_object_add(*map, name, rxaqm_clean_json(words));
}

int doctor_sysfs_open(struct doctor_snapshot *snap)
{
	int fd = rxaqm_netns_mount_sysfs(false);

	if (fd >= 0)
		return fd;
	doctor_cannot_see(snap, "sysfs of this network namespace",
			  "cannot mount a sysfs (%s): /sys is read as it is", strerror(-fd));
	return open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
}
