/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_CURVES_H
#define CONTEND_EXPERIMENT_CURVES_H

#include "experiment/points.h"
#include "experiment/resolution.h"

/* The lists of numbers of tasks that a request asks for, from which curves are made. */

/*
 * Makes numbers of all such lists of the request, as struct said has it. Refuses what is none, and
 * what workloads without such a parameter are asked for.
 */
bool curves_settle(const struct resolution *x, struct error *err);

/* What was said of the tasks of a workload in an arm; NULL: nothing. */
const struct said *curves_said(const struct resolution *x, const struct description *workload,
			       int arm);

/*
 * *ret_points: the numbers of tasks of a workload, which all arms have to have; one, or none, is no
 * curve. The caller's.
 */
bool curves_find_points(const struct resolution *x, const struct description *d,
			struct points *ret_points, struct error *err);

#endif
