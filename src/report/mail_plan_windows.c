// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "base/memory.h"
#include "report/mail_plan.h"

static char *window_words(double ns)
{
	struct text out = {0};

	figure_print_alone(&out, ns, "ns");
	return text_take(&out);
}

/* The window with which the asked effect takes the least time; NULL: times are not known. */
static const struct planning_window *quickest(const struct planning_subject *s)
{
	const struct planning_window *best = NULL;

	for (size_t i = 0; i < s->other_count; i++) {
		const struct planning_window *w = &s->others[i];

		if (isfinite(w->time_ns) && (!best || w->time_ns < best->time_ns))
			best = w;
	}
	return best;
}

static void put_advice(const struct planning_subject *s, struct text *line)
{
	const struct planning_window *longest = &s->others[s->other_count - 1];
	const struct planning_window *best = quickest(s), *own = longest;

	while (own > s->others && !own->own)
		own--;
	if (longest->pairs && longest->pairs == own->pairs)
		text_puts(line, "longer windows, extrapolated, would need as many pairs");
	else if (longest->pairs && own->pairs)
		text_printf(
			line,
			"four times the window, extrapolated, would need %zu pairs instead of %zu",
			longest->pairs, own->pairs);
	else if (longest->pairs)
		text_printf(line, "four times the window, extrapolated, would need %zu pairs",
			    longest->pairs);
	else
		text_printf(line, "four times the window would need more than %d pairs, too",
			    PLANNING_PAIRS_MAX);
	if (!best || !isfinite(own->time_ns))
		return;
	char *window __free(memory) = window_words(best->window_ns);

	if (best == own)
		text_printf(line, "; no other window of the table takes less time");
	else if (best->pairs == own->pairs)
		text_printf(line, "; %s would need the same pairs and %.0f %% of the time", window,
			    100 * best->time_ns / own->time_ns);
	else
		text_printf(line, "; %s would need %zu pairs and %.0f %% of the time", window,
			    best->pairs, 100 * best->time_ns / own->time_ns);
}

/* " (4 batches in each of 15 of 16 pairs: in another one a batch has no operation" */
static void put_batches(const struct planning_subject *s, struct text *line)
{
	const struct windows *w = &s->windows;

	text_printf(line, " (%d batches in each of %zu", WINDOWS_BATCHES, w->pairs);
	if (w->left_out)
		text_printf(line, " of %zu pairs; elsewhere %s", s->pairs, w->left_out);
	else
		text_puts(line, " pairs");
	if (w->p > .05)
		text_printf(line, "; that any does is not shown: p %.2f", w->p);
	text_puts(line, "): ");
}

static void put_shares(const struct planning_subject *s, struct text *out)
{
	const struct windows *w = &s->windows;
	char *window __free(memory) = window_words((double)w->window_ns);
	struct text line __text = {0};

	text_printf(&line, "window of %s: %.0f %% of the variance lies between runs", window,
		    100 * w->between / (w->between + w->within));
	if (w->source == WINDOWS_SLICES) {
		put_batches(s, &line);
	} else {
		text_puts(&line, " at most (latencies taken for independent");
		if (w->left_out)
			text_printf(&line, "; of %zu of %zu pairs: elsewhere %s", w->pairs,
				    s->pairs, w->left_out);
		text_puts(&line, "): ");
	}
	put_advice(s, &line);
	mail_remark(out, "%s", text_string(&line));
}

static void put_cheapest(const struct planning_subject *s, struct text *out)
{
	const struct windows *w = &s->windows;
	double shortest_ns = (double)w->window_ns / WINDOWS_BATCHES;
	char *fixed __free(memory) = window_words((double)w->fixed_ns);
	char *cheapest __free(memory) =
		isfinite(w->cheapest_ns) ? window_words(w->cheapest_ns) : NULL;

	if (!w->fixed_ns)
		return;
	if (cheapest)
		mail_remark(out,
			    "a run takes %s besides its window (start, warm-up, end); where many "
			    "pairs are needed a window of %s%s costs least (Kalibera and Jones)",
			    fixed, cheapest, w->cheapest_ns <= shortest_ns ? " or less" : "");
	else
		mail_remark(out,
			    "a run takes %s besides its window (start, warm-up, end); runs do not "
			    "differ beyond what their windows explain, so where many pairs are "
			    "needed a longer window costs less",
			    fixed);
}

bool mail_plan_windows(const struct planning_subject *s, struct text *out, struct error *err)
{
	const struct page_column columns[] = {
		{"window", false}, {"sd planned by", true}, {"--pairs N", true}, {"time", true}};
	struct page_table t __cleanup(page_table_done) = {.columns = columns, .column_count = 4};

	if (!s->other_count) {
		mail_remark(out, "windows of another length: %s",
			    s->windows.why_not ? s->windows.why_not : "not known");
		return true;
	}
	for (size_t i = 0; i < s->other_count; i++) {
		const struct planning_window *w = &s->others[i];
		char *window __free(memory) = window_words(w->window_ns);
		char **cells = page_table_row(&t);

		cells[0] = text_format("%s%s", window,
				       w->own		 ? ", as it was"
				       : w->extrapolated ? ", extrapolated"
							 : "");
		cells[1] = mail_plan_percent(w->sd_upper);
		cells[2] = mail_plan_pairs(w->pairs);
		cells[3] = mail_plan_time(w->time_ns);
	}
	if (!page_table_print(out, &t, err))
		return false;
	put_shares(s, out);
	put_cheapest(s, out);
	return true;
}
