/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_STATS_WORKED_H
#define CONTEND_TESTS_UNIT_STATS_WORKED_H

#include <math.h>
#include <stddef.h>

enum { WORKED_PAIRS = 8 };

/* The worked pairs of method (a), as differences of logarithms. */
static inline void worked_differences(double d[WORKED_PAIRS])
{
	static const double a[] = {100.2, 101.5, 99.8, 102.0, 100.9, 101.1, 99.5, 100.7};
	static const double b[] = {101.9, 102.4, 102.1, 103.3, 101.7, 103.0, 101.6, 101.2};

	for (size_t i = 0; i < WORKED_PAIRS; i++)
		d[i] = log(b[i] / a[i]);
}

#endif
