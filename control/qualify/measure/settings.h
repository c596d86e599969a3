/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What qualify changes of an interface. What was there is noted in a journal in the runtime
 * directory before anything is changed, so that it can be put back after whatever happened.
 *
 * A journal is lines of "SETTING WHAT\tOLD VALUE". The first note of a setting counts. Putting
 * back begins at the end and may be done again: a value that is put back twice is the same.
 */
#pragma once

#include <stdbool.h>

#include "base/log.h"

enum qualify_setting {
	QUALIFY_RING, /* "entries", of Rx */
	QUALIFY_CHANNELS, /* "rx tx combined" */
	QUALIFY_COALESCE, /* "usecs adaptive", of Rx */
	QUALIFY_HWTSTAMP, /* "flags tx_type rx_filter" */
	QUALIFY_LINK, /* "1" up, "0" down */
	QUALIFY_SYSFS, /* @what: a file of /sys/class/net/IFACE; its text */
	QUALIFY_THREADED, /* NAPI: "0" or "1" */
	QUALIFY_TC, /* the program at ingress: "none" or "clsact" without it, "on" */
	QUALIFY_ATTACHED, /* rxaqm: "no", or words for "rxaqm attach IFACE" */
	QUALIFY_PAGE_FAULTS, /* @what: a file of fail_page_alloc in debugfs; its text */
	QUALIFY_NR_SETTINGS,
};

#define QUALIFY_SETTING_LEN 256
#define QUALIFY_JOURNAL_LEN 160

struct qualify_journal {
	char ifname[32];
	char path[QUALIFY_JOURNAL_LEN];
};

/* The journal for @ifname of the network namespace entered; touches nothing. */
void qualify_journal_init(struct qualify_journal *journal, const char *ifname);

/* Does it have notes, of a run that did not put everything back? */
bool qualify_journal_left(const struct qualify_journal *journal);

/* Put back all that is noted, and remove the journal once all of it is. -errno with @error, which
 * names what could not be put back.
 */
int qualify_journal_restore(struct qualify_journal *journal, struct rxaqm_error *error);

/* What @setting is now, into @value. -errno: cannot be told. */
int qualify_setting_get(const char *ifname, enum qualify_setting setting, const char *what,
			char value[QUALIFY_SETTING_LEN]);

/* Note what it is and set it to @value. -errno: nothing changed. @what may be "". */
int qualify_setting_change(struct qualify_journal *journal, enum qualify_setting setting,
			   const char *what, const char *value);

/* For the journal: set it, and note nothing. */
int qualify_setting_set(const char *ifname, enum qualify_setting setting, const char *what,
			const char *value);
extern const char *const qualify_setting_names[QUALIFY_NR_SETTINGS];

/* Has it an IP address that is more than link-local? Those, and routes, go when it is taken down,
 * and nobody puts them back.
 */
bool qualify_has_address(const char *ifname);
