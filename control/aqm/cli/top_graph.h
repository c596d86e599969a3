/* SPDX-License-Identifier: GPL-2.0-only */
/* One queue's sojourn over the last minutes, drawn by curses. */
#pragma once

#include "cli/top.h"

void rxaqm_top_graph(const struct rxaqm_top *top, const struct rxaqm_top_row *row,
		     __u64 interval_ns);
