/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_MAIL_PLAN_H
#define CONTEND_REPORT_MAIL_PLAN_H

#include "report/mail.h"
#include "report/plan.h"

/* The parts of a plan as a mail. Cells are the caller's; "-": not known. */

/* "1.43%": a spread or an effect that was computed. */
char *mail_plan_percent(double ratio);
/* "23 s", "1.9 h", "3 days". */
char *mail_plan_time(double ns);
/* "140"; 0 is ">MOST". */
char *mail_plan_pairs(size_t pairs, size_t most);

/* What windows of another length would change: mail_plan_windows.c. */
bool mail_plan_windows(const struct planning_subject *s, struct text *out, struct error *err);

#endif
