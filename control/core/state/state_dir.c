/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of the pins: its path, and whether it is safe. */
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "state/state.h"

/* So that the path of every pin fits. */
#define BPFFS_MAX 180
#define PIN_PATH_LEN 256

static const char *bpffs_dir(void)
{
	const char *dir = getenv("RXAQM_BPFFS");

	return dir && *dir ? dir : "/sys/fs/bpf";
}

const char *rxaqm_state_dir(void)
{
	static char dir[BPFFS_MAX + sizeof("/rxaqm")];

	snprintf(dir, sizeof(dir), "%s/rxaqm", bpffs_dir());
	return dir;
}

int rxaqm_state_check_path(struct rxaqm_error *error)
{
	size_t len = strlen(bpffs_dir());

	if (len <= BPFFS_MAX)
		return 0;
	return rxaqm_error_set(error, RXAQM_EXIT_USAGE, ENAMETOOLONG,
			       "RXAQM_BPFFS is a path of %zu characters; name a BPF file system whose "
			       "path has %d at most",
			       len, BPFFS_MAX);
}

const char *rxaqm_state_path(const char *name)
{
	static char path[PIN_PATH_LEN];

	snprintf(path, sizeof(path), "%s/%s", rxaqm_state_dir(), name);
	return path;
}

int rxaqm_state_check_bpffs(struct rxaqm_error *error)
{
	struct statfs fs;

	if (!statfs(bpffs_dir(), &fs) && fs.f_type == BPF_FS_MAGIC)
		return 0;
	return rxaqm_failed(
		error, ENOENT,
		"\"%s\" is not a BPF file system; mount it with \"mount -t bpf -o mode=0700 bpf "
		"%s\", or, inside \"ip netns exec\", which hides it, run rxaqm outside with "
		"--netns NAME",
		bpffs_dir(), bpffs_dir());
}

/* Is it a directory of root's, with none of @for_others in its mode, or else with @unless as well?
 */
static bool is_safe(const char *path, mode_t for_others, mode_t unless)
{
	struct stat st;

	/* If it is missing, or may not be looked at, whoever opens it reports that. */
	if (lstat(path, &st))
		return true;
	return S_ISDIR(st.st_mode) && !st.st_uid &&
	       (!(st.st_mode & for_others) || (st.st_mode & unless));
}

int rxaqm_state_check_dir(struct rxaqm_error *error)
{
	char resolved[PATH_MAX];

	if (is_safe(rxaqm_state_dir(), 077, 0) &&
	    (!realpath(bpffs_dir(), resolved) || is_safe(resolved, 022, S_ISVTX)))
		return 0;
	return rxaqm_failed(
		error, ENOTDIR,
		"\"%s\" is not a directory that only root can change, so rxaqm does not trust what "
		"is in it; see \"ls -ld %s\", remove it, and keep others out with \"chmod 0700 "
		"%s\"",
		rxaqm_state_dir(), rxaqm_state_dir(), bpffs_dir());
}
