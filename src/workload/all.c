// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "workload/list.h"
#include "workload/workload.h"

const struct workload *const *workload_all(void)
{
	return workload_table;
}

const struct workload *workload_find(const char *name)
{
	for (const struct workload *const *w = workload_table; *w; w++) {
		if (text_equal((*w)->name, name))
			return *w;
	}
	return NULL;
}
