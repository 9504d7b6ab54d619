/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_FAMILY_H
#define CONTEND_STATS_FAMILY_H

#include <stddef.h>

/*
 * Holm's adjusted p for n tests that are one family (Holm 1979): the i-th smallest p becomes
 * max over j <= i of min(1, (n - j + 1) p_(j)). Rejecting what is at most alpha keeps the chance of
 * any false rejection at alpha, whatever the tests have to do with each other.
 *
 * p lies in [0, 1]. The results go to ret_adjusted in the order of p; the two may be the same
 * array.
 */
void family_adjust_holm(const double *p, size_t n, double *ret_adjusted);

/*
 * n tests in groups, group[i] from 0: p[i] is adjusted within its group already, by closed testing,
 * so that it is the largest p of all sets of the group's hypotheses that it is in. ret_adjusted:
 * for all groups together. It is closed testing, too: where sets of k groups are tested at once, k
 * times the smallest of their p counts (Bonferroni), and the sets that are hardest to reject are
 * those with the largest p of each other group, k - 1 of which are taken, whichever these are. Of
 * groups of one it is Holm's, of one group p itself. May be the same array.
 */
void family_adjust_groups(const double *p, const size_t *group, size_t n, double *ret_adjusted);

/*
 * Benjamini and Hochberg's adjusted p (1995): the i-th smallest p becomes
 * min over j >= i of min(1, n p_(j) / j). Of what is at most alpha, alpha is false on average, when
 * the tests are independent or positively dependent: for looking through many counters, not for a
 * verdict on one. Arguments as above.
 */
void family_adjust_benjamini_hochberg(const double *p, size_t n, double *ret_adjusted);

#endif
