/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_T_E_PROCESS_H
#define CONTEND_STATS_T_E_PROCESS_H

#include <stddef.h>

/*
 * The t e-process: evidence against a mean of 0 that may be looked at after every difference. It
 * assumes that the differences are normal, of unknown sd. With v = n - 1 and t Student's,
 *
 *	E_n = sqrt(1/(1+n)) ((1 + t^2/v) / (1 + t^2/((1+n) v)))^((v+1)/2)
 *
 * (Lai 1976 with a normal mixture over mean/sd of variance 1). The chance that it ever reaches
 * 1/alpha under a mean of 0 is at most alpha. Without spread it is 1 for a mean of 0 and the limit
 * (1+n)^((n-1)/2) otherwise.
 */
struct t_e_process {
	size_t n;
	int exponent; /* sum and squares are of d / 2^exponent */
	double sum, squares;
	double log_value, log_max;
};

/* Starts at n = 0 with E = 1. Nothing to release. */
void t_e_process_init(struct t_e_process *e);

/* Takes the next difference, finite, and returns E_n, +INFINITY above the largest double. */
double t_e_process_push(struct t_e_process *e, double d);

/* The largest E so far, and the anytime p = min(1, 1 / largest E), always above 0. */
double t_e_process_max(const struct t_e_process *e);
double t_e_process_p(const struct t_e_process *e);

#endif
