/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RXAQM_QUALIFY_FACTS_H
#define RXAQM_QUALIFY_FACTS_H

#include "qualify/record/record.h"

/* Fill in all of @record that is no row, class or peer, and the MAC address. -errno. */
int qualify_facts_read(const char *ifname, struct qualify_record *record, __u8 mac[6]);

#endif /* RXAQM_QUALIFY_FACTS_H */
