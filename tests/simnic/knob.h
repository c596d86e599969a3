/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in the files of debugfs. */
#ifndef SIMNIC_KNOB_H
#define SIMNIC_KNOB_H

#include <linux/seq_file.h>

#include "simnic.h"

/* One file: a name, how it is read, how a written line is taken. Either may be missing. If both
 * are it is a number of struct simnic.
 */
struct simnic_knob {
	const char *name;
	void (*show)(struct simnic *sn, struct seq_file *m);
	int (*store)(struct simnic *sn, char *line);
	size_t field;
	u32 min, max;
};

/* settings.c */
extern const struct simnic_knob simnic_knobs[SIMNIC_NR_FILES];
int simnic_store_number(const struct simnic_file *file, const char *line);

static inline bool simnic_is_number(const struct simnic_knob *knob)
{
	return !knob->show && !knob->store;
}

static inline u32 *simnic_number(const struct simnic_file *file)
{
	return (void *)file->sn + file->knob->field;
}

#endif
