/* SPDX-License-Identifier: GPL-2.0-only */
/* One line an event, for the journal and for a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/run.h"

/* Is what we print read by the journal? Then "<4>" at the beginning of a line is its priority. */
static bool to_journal;

void rxaqm_run_log_init(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	/* Inherited by programs whose stderr was then turned elsewhere: compare. */
	to_journal = stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
		     !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
	/* A line at once, or lines of others get in between. */
	setvbuf(stderr, NULL, _IOLBF, 0);
}

void rxaqm_run_log(int level, const char *fmt, ...)
{
	va_list args;

	if (to_journal)
		fprintf(stderr, "<%d>", level);
	else
		fputs(level <= LOG_ERR	   ? "rxaqm: error: " :
		      level == LOG_WARNING ? "rxaqm: warning: " :
					     "rxaqm: ",
		      stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}
