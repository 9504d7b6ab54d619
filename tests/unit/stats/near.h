/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_STATS_NEAR_H
#define CONTEND_TESTS_UNIT_STATS_NEAR_H

/* cmocka's own comparison of floating-point numbers knows only float. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Fails unless the two differ by at most `tolerance`; infinities must be equal. */
#define assert_near(value, expected, tolerance)                                                    \
	do {                                                                                       \
		double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);         \
                                                                                                   \
		if (!(value_ == expected_ || fabs(value_ - expected_) <= tolerance_))              \
			fail_msg("%s: %.15g, not %.15g -+ %g", #value, value_, expected_,          \
				 tolerance_);                                                      \
	} while (0)

/* The same with half a unit of the last digit that a worked number has, in relative terms. */
#define assert_digits(value, expected, digits)                                                     \
	assert_near(value, expected, .51 * pow(10, 1 - (digits)) * fabs(expected))

#endif
