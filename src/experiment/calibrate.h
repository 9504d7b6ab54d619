/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_CALIBRATE_H
#define CONTEND_EXPERIMENT_CALIBRATE_H

#include "model/experiment.h"

/*
 * The experiments of a calibration: A/A first, of planned pairs, then for each known shift one
 * until decided, as `contend ab` does it by default.
 */

/*
 * What B is slowed by, the largest first; ends with NULL. Those that need few pairs leave time to
 * others.
 */
extern const char *const calibrate_delays[];

/* Less is asked of nobody's patience, and more is of little use. */
#define CALIBRATE_BUDGET_NS (270 * INT64_C(1000000000))

/*
 * Pairs of A/A of a workload where all experiments together may take budget_ns, by the windows that
 * its parameters ask for. shifts: how many known shifts come after it. Refuses (ERROR_USAGE) a time
 * in which the least number of pairs does not fit.
 */
bool calibrate_aa_pairs(const struct subject *s, int64_t budget_ns, size_t shifts,
			int64_t *ret_pairs, struct error *err);

/*
 * Pairs at most for the next known shift, of `shifts` that are left and have left_ns together,
 * where a pair takes pair_ns. It is never more than most, nor less than the rule needs for a look.
 */
int64_t calibrate_shift_pairs(int64_t left_ns, size_t shifts, int64_t pair_ns, int64_t most);

/*
 * Experiment number `number` of the calibration of a subject of `of`, which has margin, alpha and
 * the seed from which each gets its own. delay: what B is slowed by; NULL: A/A. Owned by the
 * caller; its command and its stamp are yet to be set.
 */
struct experiment *calibrate_experiment(const struct experiment *of, size_t subject, size_t number,
					const char *delay, int64_t pairs);

/* The command line that calibrates one subject again. Owned by the caller. */
bool calibrate_command(const struct experiment *of, size_t subject, int64_t budget_ns,
		       char **ret_command, struct error *err);

#endif
