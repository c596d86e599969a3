/* SPDX-License-Identifier: GPL-2.0-only */
#include "config/detached.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_file.h"
#include "config/config.h"

#define PATH_LEN (RXAQM_CONFIG_PATH_LEN + RXAQM_IFNAMSIZ)

static const char *path_of(const char *ifname, char path[PATH_LEN])
{
	char name[16 + RXAQM_IFNAMSIZ];

	snprintf(name, sizeof(name), "detached/%s", ifname);
	return rxaqm_config_state_path(name, path, PATH_LEN);
}

static void print_digest(FILE *file, const void *digest)
{
	fprintf(file, "%u\n", *(const __u32 *)digest);
}

int rxaqm_detached_note(const char *ifname, __u32 digest)
{
	/* A power cut may follow at once: on the disk, or not there. */
	const struct rxaqm_own_file note = { print_digest, &digest, 0644, (gid_t)-1, true };
	char dir[PATH_LEN], path[PATH_LEN];
	int dir_fd, err;

	mkdir(rxaqm_config_state_path("", dir, sizeof(dir)), 0755);
	mkdir(rxaqm_config_state_path("detached", dir, sizeof(dir)), 0755);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	err = rxaqm_file_own(path_of(ifname, path), &note);
	if (!err && fsync(dir_fd))
		err = -errno;
	close(dir_fd);
	return err;
}

void rxaqm_detached_forget(const char *ifname)
{
	char path[PATH_LEN];

	unlink(path_of(ifname, path));
}

bool rxaqm_detached(const char *ifname, __u32 digest)
{
	char path[PATH_LEN];
	FILE *file = fopen(path_of(ifname, path), "re");
	unsigned int noted = 0;

	if (!file)
		return false;
	if (fscanf(file, "%u", &noted) != 1)
		noted = 0;
	fclose(file);
	return noted == digest;
}
