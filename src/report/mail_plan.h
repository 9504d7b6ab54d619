/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_MAIL_PLAN_H
#define CONTEND_REPORT_MAIL_PLAN_H

#include "report/mail.h"
#include "report/plan.h"

/*
 * The parts of a plan as a mail. First its cells (mail_plan_cells.c), which are the caller's; "-":
 * not known.
 */

/* "1.43%": a spread that was computed. */
char *mail_plan_percent(double ratio);
/* The same of the smallest effect that is seen; ">100%": no such effect is worth a number. */
char *mail_plan_effect(double ratio);
/* "23 s", "1.9 h", "3 days". */
char *mail_plan_time(double ns);
/* "140"; 0 is ">1000", more than a plan names. */
char *mail_plan_pairs(size_t pairs);

/* What windows of another length would change: mail_plan_windows.c. */
bool mail_plan_windows(const struct planning_subject *s, struct text *out, struct error *err);

#endif
