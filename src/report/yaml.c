// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "experiment/file.h"
#include "experiment/repeat.h"
#include "report/report.h"

/*
 * Not what was found, but what was asked: the file for `contend ab -f`. What --resume made of it is
 * nothing that a file can ask for, and stands in remarks.
 */

static bool render(const struct findings *f, struct text *out, struct error *err)
{
	const struct experiment asked = repeat_as_asked(f->experiment, f->history);

	if (f->experiment->id)
		text_printf(out, "# Experiment %" PRId64 "; `contend ab -f FILE` repeats it.\n",
			    f->experiment->id);
	if (repeat_caveat(f->experiment))
		text_printf(out, "# %s\n", repeat_caveat(f->experiment));
	for (size_t i = 0; f->history && i < f->history->session_count; i++) {
		struct text change __text = {0};

		if (repeat_change(f->experiment, f->history, i, &change))
			text_printf(out, "# %s\n", text_string(&change));
	}
	return experiment_file_write(&asked, out, err);
}

const struct report report_yaml = {
	.name = "yaml",
	.summary = "the experiment file that repeats it, without figures: contend ab -f",
	.of_two_arms = true,
	.render = render,
};
