/* SPDX-License-Identifier: GPL-2.0-only */
/* Going through files and directories, mostly of /proc. One that cannot be opened has nothing. A
 * body may use break, but not return: what was opened is closed behind it.
 */
#pragma once

#include <dirent.h>
#include <stdio.h>

static inline FILE *rxaqm_each_end(FILE *file)
{
	fclose(file);
	return NULL;
}

/* For each line of the file @path, in @line, an array. What is longer comes in pieces. */
#define rxaqm_each_line(line, path)                                                 \
	for (FILE *file_ = fopen(path, "re"); file_; file_ = rxaqm_each_end(file_)) \
		while (fgets(line, sizeof(line), file_))

/* For each struct dirent of the directory @path, which is declared as @entry. */
#define rxaqm_each_entry(entry, path)                                        \
	for (DIR *dir_ = opendir(path); dir_; dir_ = (closedir(dir_), NULL)) \
		for (const struct dirent *entry; (entry = readdir(dir_));)
