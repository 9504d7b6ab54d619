// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/list.h"
#include "report/report.h"

const struct report *const *report_all(void)
{
	return report_table;
}

const struct report *report_find(const char *name)
{
	for (const struct report *const *r = report_table; *r; r++) {
		if (text_equal((*r)->name, name))
			return *r;
	}
	return NULL;
}
