/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this machine says of an interface, to choose its profile and to compare with the profile's
 * facts. What it does not say stays unknown, and is not an error.
 */
#pragma once

#include <linux/ethtool.h>
#include <net/if.h>
#include <stdbool.h>

#include "nic/ethtool.h"

enum rxaqm_napi { /* Rx and Tx of a queue are polled by */
	RXAQM_NAPI_UNKNOWN,
	RXAQM_NAPI_JOINT, /* one NAPI */
	RXAQM_NAPI_APART, /* one each */
};

#define RXAQM_NIC_POLLS_MAX 4
#define RXAQM_NIC_FLAGS_MAX 64
#define RXAQM_SYMBOL_LEN 64

struct rxaqm_nic_facts {
	char ifname[IF_NAMESIZE];
	char driver[32];
	bool channels_known;
	unsigned int nr_rx, nr_tx, nr_combined; /* channels */
	unsigned int ring, ring_max; /* entries of an Rx ring; 0: unknown */
	int moderation_us; /* rx-usecs; -1: unknown */
	int gives_hint; /* Rx times to XDP programs; negative: unknown */
	enum rxaqm_coverage coverage; /* what ethtool -T promises */
	unsigned int nr_flags;
	struct {
		char name[ETH_GSTRING_LEN + 1];
		bool on;
	} flag[RXAQM_NIC_FLAGS_MAX]; /* private ones */
	/* From here on filled in by rxaqm_nic_facts_napi(). */
	bool napi_asked;
	const char *napi_unknown; /* why, or NULL */
	unsigned int nr_napis;
	unsigned int nr_polls;
	char napi_poll[RXAQM_NIC_POLLS_MAX][RXAQM_SYMBOL_LEN];
	enum rxaqm_napi napi;
};

/* Read all but the NAPIs of interface @ifname in this namespace. -ENODEV if there is none. */
int rxaqm_nic_facts_read(const char *ifname, struct rxaqm_nic_facts *facts);

/* Read the NAPIs, too, unless that was done, by a BPF program that runs once. Takes some 50 ms,
 * root, and a kernel with BTF.
 */
void rxaqm_nic_facts_napi(struct rxaqm_nic_facts *facts);
