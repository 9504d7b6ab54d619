// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/names.h"

#include "base/memory.h"
#include "model/param.h"

bool names_refuse(const char *what, const char *name, const char *const *known, struct error *err)
{
	size_t count = 0;
	const char *near;

	while (known[count])
		count++;

	/* The rule for what is near is that of parameters, so it is asked of a list of them. */
	struct param *list __free(memory) = memory_array(count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i].name = known[i];
	near = param_nearest(list, name);
	if (near)
		return error_set(err, ERROR_USAGE, "no %s '%.100s'; did you mean '%s'?", what, name,
				 near);
	return error_set(err, ERROR_USAGE, "no %s '%.100s'", what, name);
}
