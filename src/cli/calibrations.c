// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/calibrations.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/calibration.h"
#include "report/page.h"

/* What it resolves, in short. Owned by the caller. */
static char *found(const struct calibration *c)
{
	struct text out = {0};

	if (isnan(c->effect))
		text_puts(&out, "not known");
	else
		calibration_put_resolved(&out, c->effect, c->effect_pairs, c->effect_ns);
	if (c->check == CALIBRATION_CONTRADICTED)
		text_puts(&out, ", contradicted");
	return text_take(&out);
}

/* The command without what all begin with. */
static const char *short_command(const char *command)
{
	static const char program[] = "contend calibrate ";

	return text_starts(command, program) ? command + strlen(program) : command;
}

static void put_line(const struct calibration *c, int width, struct text *out)
{
	struct text whole __text = {0}, ascii __text = {0};
	char *resolved __free(memory) = found(c);

	text_printf(&whole, "%5" PRId64 "  ", c->id);
	calibration_put_date(&whole, c->made_ns);
	text_printf(&whole, "  %-*s  %s", width, resolved, short_command(c->command));
	/* A store may have come by mail: nothing in it may do anything to a terminal. */
	page_ascii(&ascii, text_string(&whole), output_columns());
	text_printf(out, "%s\n", text_string(&ascii));
}

static void put_lines(const struct calibrations *all, struct text *out)
{
	size_t width = strlen("resolves");

	for (size_t i = 0; i < all->count; i++) {
		char *resolved __free(memory) = found(all->list[i]);

		width = strlen(resolved) > width ? strlen(resolved) : width;
	}
	text_printf(out, "%5s  %-10s  %-*s  %s\n", "id", "made", (int)width, "resolves",
		    "what was calibrated");
	for (size_t i = 0; i < all->count; i++)
		put_line(all->list[i], (int)width, out);
}

static json_t *line_to_json(const struct calibration *c)
{
	json_t *object = json_object();
	json_t *definition __free(json) = calibration_to_json(c);
	json_t *experiments = json_array();

	for (size_t i = 0; i < c->experiment_count; i++)
		json_array_append_new(experiments, json_integer(c->experiments[i]));
	json_object_set_new(object, "id", json_integer(c->id));
	json_object_set_new(object, "made_ns", json_integer(c->made_ns));
	json_object_set_new(object, "workload", json_text(c->workload));
	json_object_set_new(object, "experiments", experiments);
	json_object_update(object, definition);
	return object;
}

int calibrations_list(const struct common *c, struct store *store, struct error *err)
{
	struct calibrations all __cleanup(calibrations_done) = {0};
	struct text out __text = {0};

	if (!store_read_calibrations(store, &all, err))
		return COMMAND_FAILED;
	if (text_equal(c->report->name, "json")) {
		json_t *array __free(json) = json_array();

		for (size_t i = 0; i < all.count; i++)
			json_array_append_new(array, line_to_json(all.list[i]));

		char *line __free(memory) = json_line(array);

		text_printf(&out, "%s\n", line);
	} else {
		put_lines(&all, &out);
	}
	return output_text(&out, err) ? STATUS_OK : COMMAND_FAILED;
}
