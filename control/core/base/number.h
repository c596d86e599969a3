/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers with units, for people: as text and on pages. */
#pragma once

#define RXAQM_NUMBER_LEN 48

/* "1.25 us", "98.7 %", "1.2 Mpps", "-"; three significant digits. */
const char *rxaqm_format_number(double value, const char *unit, char buf[RXAQM_NUMBER_LEN]);
/* The same as text that lives until the end of the enclosing block. */
#define rxaqm_number(value, unit) rxaqm_format_number(value, unit, (char[RXAQM_NUMBER_LEN]){ "" })

#define RXAQM_COUNTED_LEN 32
/* Counters and their rates: 1234567.8 as 1,234,568, 0.25 as 0.25. */
const char *rxaqm_counted(double value, char buf[RXAQM_COUNTED_LEN]);
