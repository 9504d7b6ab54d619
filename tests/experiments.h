/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_EXPERIMENTS_H
#define CONTEND_TESTS_EXPERIMENTS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * How many experiments a simulation makes, and how far the number of them in which something
 * happens may be from what its rate says.
 */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EXPERIMENTS_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define EXPERIMENTS_SANITIZED 1
#endif
#ifndef EXPERIMENTS_SANITIZED
#define EXPERIMENTS_SANITIZED 0
#endif

/*
 * Of `plain`, which is how many a plain run has time for: ten times as many with CONTEND_LONG=1; a
 * tenth in a sanitized program, which looks for faults of the code and takes five times as long.
 */
static inline int experiments(int plain)
{
	const char *wanted = getenv("CONTEND_LONG");
	bool many = wanted && strcmp(wanted, "1") == 0;

	plain = EXPERIMENTS_SANITIZED ? (plain + 9) / 10 : plain;
	return many ? 10 * plain : plain;
}

/* The chance of at most `count` of n, each with a chance of 0 < rate < 1. */
static inline double experiments_chance(int count, int n, double rate)
{
	double sum = 0;

	for (int k = 0; k <= count; k++)
		sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(rate) +
			   (n - k) * log1p(-rate));
	return sum;
}

/* What is less likely than this is a fault: about three standard errors. */
static const double experiments_fault = 1e-3;

/* The most of n that are seen where the rate is no more than `rate`. */
static inline int experiments_most(int n, double rate)
{
	int count = (int)(n * rate);

	while (count < n && 1 - experiments_chance(count, n, rate) > experiments_fault)
		count++;
	return count;
}

/* The least of n that are seen where the rate is no less than `rate`; 0: that would say nothing. */
static inline int experiments_least(int n, double rate)
{
	return n - experiments_most(n, 1 - rate);
}

#endif
