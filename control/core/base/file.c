/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has another user put a link, a pipe or the like there, where all may write? A link is not
 * followed then, as by fs.protected_symlinks, whatever that says.
 */
static bool is_planted(const char *path)
{
	const mode_t all_may = S_ISVTX | S_IWOTH;
	const char *slash = strrchr(path, '/');
	struct stat status, dir;
	char parent[PATH_MAX];

	if (lstat(path, &status) || S_ISREG(status.st_mode) || status.st_uid == geteuid())
		return false;
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	return !stat(parent, &dir) && (dir.st_mode & all_may) == all_may &&
	       status.st_uid != dir.st_uid;
}

static int write_failed(const char *path, int err, struct rxaqm_error *error)
{
	return rxaqm_failed(error, err, "cannot write \"%s\": %s%s", path, strerror(err),
			    err == EACCES && is_planted(path) ?
				    "; another user has put something there: name another path" :
				    "");
}

/* Where a file is to be written. */
struct place {
	char path[PATH_MAX]; /* of a new file, or of the one to be replaced: no link */
	int fd; /* O_PATH, of a device or a pipe, which must not be replaced; else -1 */
	mode_t keep; /* bits of the mode that a new file may have */
};

/* Find where @path leads to. 0, or an errno. */
static int find_place(const char *path, struct place *place)
{
	struct stat status;
	int at_fd, err = 0;
	char same[32];
	ssize_t len;

	*place = (struct place){ .fd = -1, .keep = 0777 };
	if (is_planted(path))
		return EACCES;
	at_fd = open(path, O_PATH | O_CLOEXEC);
	if (at_fd < 0 && errno == ENOENT && *path) {
		len = snprintf(place->path, sizeof(place->path), "%s", path);
		return len < PATH_MAX ? 0 : ENAMETOOLONG;
	}
	if (at_fd < 0)
		return errno;
	snprintf(same, sizeof(same), "/proc/self/fd/%d", at_fd);
	if (fstat(at_fd, &status)) {
		err = errno;
	} else if (S_ISDIR(status.st_mode)) {
		err = EISDIR;
	} else if (S_ISREG(status.st_mode) && status.st_nlink) {
		len = readlink(same, place->path, sizeof(place->path) - 1);
		err = len < 0 ? errno : 0;
		place->keep = status.st_mode & 0777;
	} else if (faccessat(AT_FDCWD, same, W_OK, AT_EACCESS)) {
		err = errno;
	} else {
		place->fd = at_fd;
		return 0;
	}
	close(at_fd);
	return err;
}

bool rxaqm_is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

void rxaqm_file_put(FILE *file, const void *text)
{
	fputs(text, file);
}

/* Create a file beside @path, and write its name to @temporary. A descriptor, or -errno. */
static int open_beside(const char *path, char temporary[PATH_MAX])
{
	int fd;

	if (snprintf(temporary, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int rxaqm_file_try(const char *path, struct rxaqm_error *error)
{
	char temporary[PATH_MAX];
	struct place place;
	int err, fd;

	if (rxaqm_is_stdout(path))
		return 0;
	err = find_place(path, &place);
	if (err)
		return write_failed(path, err, error);
	fd = place.fd < 0 ? open_beside(place.path, temporary) : place.fd;
	if (fd < 0)
		return write_failed(path, -fd, error);
	close(fd);
	if (place.fd < 0)
		unlink(temporary);
	return 0;
}

int rxaqm_files_try(const char *const paths[], size_t nr, struct rxaqm_error *error)
{
	size_t i, k;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		for (k = 0; paths[i] && k < i; k++)
			if (paths[k] && !strcmp(paths[k], paths[i]))
				return rxaqm_bad(error,
						 "two documents would go to %s: name a file for each",
						 rxaqm_is_stdout(paths[i]) ? "standard output" :
									     paths[i]);
		err = paths[i] ? rxaqm_file_try(paths[i], error) : 0;
	}
	return err;
}

/* Set the owner and mode of @fd, and sync it if @own asks for that. 0, or an errno. */
static int own_fd(int fd, const struct rxaqm_own_file *own)
{
	bool failed = fchown(fd, (uid_t)-1, own->gid) || fchmod(fd, own->mode) ||
		      (own->sync && fsync(fd));

	return failed ? errno : 0;
}

/* Print to @fd and close it. @is_new: it is a new file, not a device or a pipe. 0, or an errno. */
static int print_to(int fd, const struct rxaqm_own_file *own, bool is_new)
{
	FILE *file = fdopen(fd, "w");
	int err = file ? 0 : errno;

	if (file) {
		own->print(file, own->what);
		err = fflush(file) || ferror(file) ? errno ?: EIO : 0;
	}
	if (!err && is_new)
		err = own_fd(fd, own);
	if ((file ? fclose(file) : close(fd)) && !err)
		err = errno;
	return err;
}

/* Print to @fd, the file @temporary, and rename that to @path. 0, or an errno. */
static int put_in_place(int fd, const char *temporary, const char *path,
			const struct rxaqm_own_file *own)
{
	int err = print_to(fd, own, true);

	if (!err && rename(temporary, path))
		err = errno;
	if (err)
		unlink(temporary);
	return err;
}

int rxaqm_file_own(const char *path, const struct rxaqm_own_file *own)
{
	char temporary[PATH_MAX];
	struct stat status;
	int fd;

	if (!lstat(path, &status) && !S_ISLNK(status.st_mode) && is_planted(path))
		return -EACCES;
	/* A device or a pipe, such as /dev/null, must not become a file. */
	if (!lstat(path, &status) && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
		fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		return fd < 0 ? -errno : -print_to(fd, own, false);
	}
	/* No other file has such a name: names of interfaces are shorter. */
	if (snprintf(temporary, sizeof(temporary), "%s.not-yet-written", path) >=
	    (int)sizeof(temporary))
		return -ENAMETOOLONG;
	/* Left by a writer that was killed. O_EXCL and O_NOFOLLOW: no link of others is followed.
	 */
	unlink(temporary);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : -put_in_place(fd, temporary, path, own);
}

/* stdout cleans the text. Report a failed write here, and not at exit again. */
static int print_to_stdout(const struct rxaqm_own_file *own, struct rxaqm_error *error)
{
	int err = 0;

	own->print(stdout, own->what);
	if (fflush(stdout) || ferror(stdout)) {
		err = write_failed("standard output", errno ?: EIO, error);
		__fpurge(stdout);
		clearerr(stdout);
	}
	return err;
}

int rxaqm_file_print(const char *path, void (*print)(FILE *file, const void *what),
		     const void *what, mode_t mode, struct rxaqm_error *error)
{
	struct rxaqm_own_file own = { print, what, mode, (gid_t)-1, false };
	char temporary[PATH_MAX], same[32];
	mode_t mask = umask(0);
	struct place place;
	int fd, err;

	umask(mask);
	if (rxaqm_is_stdout(path))
		return print_to_stdout(&own, error);
	err = find_place(path, &place);
	if (err)
		return write_failed(path, err, error);
	own.mode = mode & ~mask & place.keep;
	if (place.fd >= 0) {
		snprintf(same, sizeof(same), "/proc/self/fd/%d", place.fd);
		fd = open(same, O_WRONLY | O_CLOEXEC);
		err = fd < 0 ? errno : print_to(fd, &own, false);
		close(place.fd);
	} else {
		fd = open_beside(place.path, temporary);
		err = fd < 0 ? -fd : put_in_place(fd, temporary, place.path, &own);
	}
	return err ? write_failed(path, err, error) : 0;
}

int rxaqm_file_replace(const char *path, const char *text, mode_t mode, struct rxaqm_error *error)
{
	return rxaqm_file_print(path, rxaqm_file_put, text, mode, error);
}

char *rxaqm_read_all(int fd, size_t max, size_t *ret_len)
{
	size_t size = 4096, len = 0;
	char *text = NULL, *grown;
	ssize_t got = 1;

	while (got > 0 && len <= max) {
		grown = realloc(text, size + 1);
		if (!grown) {
			got = -1;
			break;
		}
		text = grown;
		got = read(fd, text + len, size - len);
		len += got > 0 ? (size_t)got : 0;
		size *= len == size ? 2 : 1;
	}
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	*ret_len = len;
	return text;
}

int rxaqm_file_read(const char *path, char **ret_text, size_t *ret_len, struct rxaqm_error *error)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), err = 0;
	char *text = fd < 0 ? NULL : rxaqm_read_all(fd, RXAQM_FILE_MAX, ret_len);

	if (!text)
		err = rxaqm_failed(error, errno, "cannot read \"%s\": %s", path, strerror(errno));
	else if (*ret_len > RXAQM_FILE_MAX)
		err = rxaqm_error_set(error, RXAQM_EXIT_USAGE, EFBIG, "%s: larger than 64 MiB",
				      path);
	if (fd >= 0 && !standard)
		close(fd);
	if (err)
		free(text);
	else
		*ret_text = text;
	return err;
}
