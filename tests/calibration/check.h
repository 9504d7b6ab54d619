/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_CALIBRATION_CHECK_H
#define CONTEND_TESTS_CALIBRATION_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * TAP for rates that were found by simulation. A rate is held against its bound with two standard
 * errors of the simulation (at the bound) added: what is asserted is printed with what was found.
 */

/* `count` of n at most / at least `bound`, a ratio, as far as n experiments can tell. */
void check_at_most(const char *what, size_t count, size_t n, double bound);
void check_at_least(const char *what, size_t count, size_t n, double bound);

/* `count` of n is the known rate `expected`, within four standard errors. */
void check_near(const char *what, size_t count, size_t n, double expected);

void check_that(const char *what, bool holds);

/* A figure without an error worth mentioning. */
void check_value_at_most(const char *what, double value, double bound);

/* Prints the plan; returns the exit status. */
int check_finish(void);

#endif
