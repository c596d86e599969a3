/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals that end a command soon, instead of at once. */
#pragma once

/* Set by each signal given to rxaqm_stop_at(): end soon. */
extern volatile int rxaqm_stop;
void rxaqm_stop_at(int signal);
