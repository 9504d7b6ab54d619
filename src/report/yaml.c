// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "experiment/file.h"
#include "report/report.h"

/* Not what was found, but what was asked: the file for `contend ab -f`. */

static bool render(const struct findings *f, struct text *out, struct error *err)
{
	if (f->experiment->id)
		text_printf(out, "# Experiment %" PRId64 "; `contend ab -f FILE` repeats it.\n",
			    f->experiment->id);
	return experiment_file_write(f->experiment, out, err);
}

const struct report report_yaml = {
	.name = "yaml",
	.summary = "the experiment file that repeats it, without figures: contend ab -f",
	.of_two_arms = true,
	.render = render,
};
