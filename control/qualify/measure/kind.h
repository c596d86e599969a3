/* SPDX-License-Identifier: GPL-2.0-only */
/* How each setting is read and written, as text: settings.c; used by journal.c. */
#ifndef RXAQM_QUALIFY_KIND_H
#define RXAQM_QUALIFY_KIND_H

#include "qualify/measure/settings.h"

struct qualify_setting_kind {
	const char *name;
	/* 0 or -errno. @value is of QUALIFY_SETTING_LEN. */
	int (*get)(const char *ifname, const char *what, char *value);
	int (*set)(const char *ifname, const char *what, const char *value);
};
/* rss_key.c */
int qualify_get_rss_key(const char *ifname, const char *what, char *value);
int qualify_set_rss_key(const char *ifname, const char *what, const char *value);

/* page_faults.c */
int qualify_get_page_faults(const char *ifname, const char *what, char *value);
int qualify_set_page_faults(const char *ifname, const char *what, const char *value);

extern const struct qualify_setting_kind qualify_setting_kinds[QUALIFY_NR_SETTINGS];

#endif /* RXAQM_QUALIFY_KIND_H */
