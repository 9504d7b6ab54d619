/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_ORDER_EFFECT_H
#define CONTEND_STATS_ORDER_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether it matters which arm of a pair ran first. d = arm effect + slot effect (A first) or arm
 * effect - slot effect (B first) + noise: half the difference between the mean d of the two kinds
 * of pairs is the slot effect, Student's t with n - 2 df its test (normal noise of one variance).
 * Since a coin decides the order, a slot effect is noise for the verdict, not bias.
 */
struct order_effect {
	bool known;	 /* there are pairs of both kinds, three at least, and they have a spread */
	double estimate; /* by what the second slot is above the first, in the unit of d */
	double t, df, p; /* two-sided */
};

/* d of each pair, finite, and whether A ran first in it. */
struct order_effect order_effect(const double *d, const bool *a_first, size_t n);

#endif
