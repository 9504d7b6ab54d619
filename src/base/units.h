/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_UNITS_H
#define CONTEND_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Numbers with units as people type them, and as they read them. A number without a unit is taken
 * only where the unit is obvious; nothing is ever guessed, and "12x" or "08s" is an error, whose
 * message has the first 100 bytes of the text.
 */

/* "50ms", "1.5s", "10m", "2h", "800us", "20ns"; "0" alone is zero. */
bool units_parse_duration(const char *text, int64_t *ret_ns, struct error *err);

/* "4096", "64k", "768M", "10G", "1T": powers of 1024, an optional "iB" or "B" behind the letter. */
bool units_parse_bytes(const char *text, int64_t *ret_bytes, struct error *err);

/* "2%" gives 0.02. The sign is demanded: "2" alone could mean either. */
bool units_parse_percent(const char *text, double *ret_ratio, struct error *err);

/* A plain decimal integer without sign, leading zeros or blanks. */
bool units_parse_count(const char *text, int64_t *ret_count, struct error *err);

/* A plain decimal number, optionally with fraction and sign. */
bool units_parse_number(const char *text, double *ret_number, struct error *err);

enum { UNITS_TEXT = 32 };

/*
 * Writes a value for reading, with a scaled unit and four significant digits at most, except that
 * whole places are never rounded away where there is no unit to scale:
 * 27614 "ns" is "27.61 us", 22000 "bytes" is "21.48 KiB", other units are printed behind the plain
 * number ("15820/s" for "1/s"). Returns buffer, which holds UNITS_TEXT bytes.
 */
const char *units_format(double value, const char *unit, char *buffer);

#endif
