/* SPDX-License-Identifier: GPL-2.0-only */
/* Loops over files and directories, mostly of /proc. If one cannot be opened, the body does not
 * run. The body may use break, but not return, since the file is closed after the loop.
 */
#pragma once

#include <dirent.h>
#include <stdio.h>

static inline FILE *rxaqm_each_end(FILE *file)
{
	fclose(file);
	return NULL;
}

/* For each line of the file @path, in the array @line. A line longer than that comes in pieces. */
#define rxaqm_each_line(line, path)                                                 \
	for (FILE *file_ = fopen(path, "re"); file_; file_ = rxaqm_each_end(file_)) \
		while (fgets(line, sizeof(line), file_))

/* For each struct dirent of the directory @path; declares @entry. */
#define rxaqm_each_entry(entry, path)                                        \
	for (DIR *dir_ = opendir(path); dir_; dir_ = (closedir(dir_), NULL)) \
		for (const struct dirent *entry; (entry = readdir(dir_));)
