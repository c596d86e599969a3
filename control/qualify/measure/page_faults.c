/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocations of pages that fail on purpose: fail_page_alloc (Documentation/fault-injection). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "nic/nic.h"
#include "qualify/measure/kind.h"

#define DIR_OF "/sys/kernel/debug/fail_page_alloc/"

/* In the order of the words. While others are written none is to fail. */
static const char *const files[] = { DIR_OF "times", DIR_OF "min-order", DIR_OF "verbose",
				     DIR_OF "probability" };
#define NR_FILES (sizeof(files) / sizeof(files[0]))
#define PROBABILITY (NR_FILES - 1)

static int put(const char *path, int number)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;
	char text[16];

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)snprintf(text, sizeof(text), "%d\n", number)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int qualify_get_page_faults(const char *ifname, const char *what, char *value)
{
	size_t i, at = 0;

	(void)ifname;
	(void)what;
	for (i = 0; i < NR_FILES; i++) {
		char text[16];
		int number;

		if (sscanf(rxaqm_first_line(AT_FDCWD, files[i], text, sizeof(text)), "%d",
			   &number) != 1)
			return -EOPNOTSUPP;
		at += (size_t)snprintf(value + at, QUALIFY_SETTING_LEN - at, "%s%d", i ? " " : "",
				       number);
	}
	return 0;
}

int qualify_set_page_faults(const char *ifname, const char *what, const char *value)
{
	int number[NR_FILES], err;
	size_t i;

	(void)ifname;
	(void)what;
	if (sscanf(value, "%d %d %d %d", &number[0], &number[1], &number[2], &number[3]) != 4)
		return -EINVAL;
	err = put(files[PROBABILITY], 0);
	for (i = 0; !err && i < NR_FILES; i++)
		err = put(files[i], number[i]);
	return err;
}
