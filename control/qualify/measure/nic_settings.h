/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings of an interface that qualify changes. The old value is noted in a journal in the
 * runtime directory before a change, so that it can be restored whatever happens.
 *
 * A journal has lines "SETTING WHAT\tOLD VALUE"; the first note of a setting counts. Restoring
 * begins at the end, and may be repeated: the result is the same.
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
	QUALIFY_TC, /* at ingress: "none" or "clsact": no program; "on" */
	QUALIFY_ATTACHED, /* rxaqm: "no", or the words of "rxaqm attach IFACE" */
	QUALIFY_NR_SETTINGS,
};

#define QUALIFY_SETTING_LEN 256
#define QUALIFY_JOURNAL_LEN 160

struct qualify_journal {
	char ifname[32];
	char path[QUALIFY_JOURNAL_LEN];
};

/* Prepare the journal for @ifname of the current network namespace; change nothing. */
void qualify_journal_init(struct qualify_journal *journal, const char *ifname);

/* Does it still have notes, because a run did not restore everything? */
bool qualify_journal_left(const struct qualify_journal *journal);

/* Restore all noted settings; remove the journal when all of them succeeded. -errno with @error,
 * which names those that failed.
 */
int qualify_journal_restore(struct qualify_journal *journal, struct rxaqm_error *error);

/* Read @setting into @value. -errno: not known. */
int qualify_setting_get(const char *ifname, enum qualify_setting setting, const char *what,
			char value[QUALIFY_SETTING_LEN]);

/* Note the old value and set @value. -errno: nothing changed. @what may be "". */
int qualify_setting_change(struct qualify_journal *journal, enum qualify_setting setting,
			   const char *what, const char *value);

/* Set without a note; only for the journal. */
int qualify_setting_set(const char *ifname, enum qualify_setting setting, const char *what,
			const char *value);
extern const char *const qualify_setting_names[QUALIFY_NR_SETTINGS];

/* True if it has an IP address that is not link-local. Such addresses and routes may go when the
 * link is taken down, and nothing restores them.
 */
bool qualify_has_address(const char *ifname);
