// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/surroundings.h"

#include <stdlib.h>
#include <unistd.h>

bool surroundings_enter(const struct surroundings *s, struct error *err)
{
	/* "0" is whoever writes it. */
	if (s->group < 0 || write(s->group, "0", 1) == 1)
		return true;
	return error_set_errno(err, "enter the control group");
}

void surroundings_done(struct surroundings *s)
{
	if (s->group >= 0)
		close(s->group);
	free(s->memcg);
	*s = (struct surroundings)SURROUNDINGS_NONE;
}
