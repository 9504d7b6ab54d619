// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/mail.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* Longer texts are cut: whoever wants them whole finds them in the JSON report. */
enum { RECURRENCES_SHOWN = 6, PART_SHOWN = 240, REMARK_SHOWN = 1000 };

void mail_remark(struct text *out, const char *format, ...)
{
	struct text words __text = {0}, ascii __text = {0};
	va_list args;

	va_start(args, format);
	text_vprintf(&words, format, args);
	va_end(args);
	page_ascii(&ascii, text_string(&words), REMARK_SHOWN);
	page_paragraph(out, "", "  ", text_string(&ascii));
}

static bool is_empty(const struct mail_part *part)
{
	return !part->words || !*part->words;
}

void mail_parts(struct text *out, const struct mail_part *parts, size_t count)
{
	struct text line __text = {0};

	for (size_t i = 0; i < count; i++) {
		if (is_empty(&parts[i]))
			continue;
		text_printf(&line, "%s%s", line.length ? "      " : "  ", parts[i].lead);
		page_ascii(&line, parts[i].words, PART_SHOWN);
	}
	if (line.length <= PAGE_WIDTH) {
		if (line.length)
			text_printf(out, "%s\n", text_string(&line));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		char *first __free(memory) = text_format("  %s", parts[i].lead);
		char *next __free(memory) = text_format("%*s", (int)strlen(first), "");

		struct text words __text = {0};

		if (is_empty(&parts[i]))
			continue;
		page_ascii(&words, parts[i].words, PART_SHOWN);
		page_paragraph(out, first, next, text_string(&words));
	}
}

char *mail_label(const struct metric *m, const struct figure_style *style)
{
	char *label __free(memory) = facts_label(m);
	struct text out = {0};

	page_ascii(&out, label, 0);
	if (*style->rest) {
		bool per = *style->rest == '/';

		text_puts(&out, per ? " (per " : " (");
		page_ascii(&out, style->rest + per, PAGE_WIDTH / 2);
		text_puts(&out, ")");
	}
	return text_take(&out);
}

void mail_add_label(struct mail_labels *labels, const struct metric *m)
{
	char *label __free(memory) = facts_label(m);
	const char *own = strrchr(label, ' ');
	bool goes_on = own && labels->last && metric_shares_shift(labels->last, m);

	text_printf(&labels->text, "%s%s", labels->text.length ? ", " : "",
		    goes_on ? own + 1 : label);
	labels->last = m;
}

void mail_labels_done(struct mail_labels *labels)
{
	text_done(&labels->text);
}

char *mail_row_label(const struct metric *m, const struct figure_style *style)
{
	char *label = mail_label(m, style);
	char *own = metric_shares_shift(m, m) && !*style->rest ? strrchr(label, ' ') : NULL;

	if (own)
		*own = '\t';
	return label;
}

void mail_order(const struct metric *const *metrics, size_t count, size_t *ret_order)
{
	size_t used = 0;
	bool placed = false;

	for (size_t i = 1; i < count; i++) {
		if (!metric_shares_shift(metrics[0], metrics[i]))
			continue;
		/* Both lie in the description's list. */
		if (!placed && metrics[i] > metrics[0]) {
			ret_order[used++] = 0;
			placed = true;
		}
		ret_order[used++] = i;
	}
	if (!placed && count)
		ret_order[used++] = 0;
	for (size_t i = 1; i < count; i++) {
		if (!metric_shares_shift(metrics[0], metrics[i]))
			ret_order[used++] = i;
	}
}

void mail_time(struct text *out, int64_t ns)
{
	double s = (double)ns / (double)NS_PER_SEC;

	if (s < 10)
		text_printf(out, "%.2g s", s);
	else if (s < 600)
		text_printf(out, "%.0f s", s);
	else
		text_printf(out, "%.0f min", s / 60);
}

void mail_count(struct text *out, size_t count, const char *what)
{
	text_printf(out, "%zu %s%s", count, what, count == 1 ? "" : "s");
}

void mail_which(struct text *out, const size_t runs[ARM_MOST], const size_t of[ARM_MOST],
		bool one_arm)
{
	const char *separator = "";

	if (!memcmp(runs, of, ARM_MOST * sizeof(*runs))) {
		text_puts(out, "all runs");
		return;
	}
	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (!runs[arm])
			continue;
		text_puts(out, separator);
		if (!one_arm)
			text_printf(out, "%s ", arm_words[arm]);
		text_printf(out, "%zu of %zu", runs[arm], of[arm]);
		separator = ", ";
	}
	text_puts(out, " runs");
}

size_t mail_all(const size_t runs[ARM_MOST])
{
	size_t all = 0;

	for (int arm = 0; arm < ARM_MOST; arm++)
		all += runs[arm];
	return all;
}

void mail_arms(struct text *out, const struct experiment *e)
{
	for (int arm = 0; arm < e->arm_count; arm++)
		text_printf(out, "%s%s",
			    !arm		      ? ""
			    : arm == e->arm_count - 1 ? " and "
						      : ", ",
			    arm_words[arm]);
}

static void put_recurrences(struct text *out, const struct subject_facts *s,
			    const struct recurrences *r, bool one_arm)
{
	for (size_t i = 0; i < r->count && i < RECURRENCES_SHOWN; i++) {
		struct text runs __text = {0};

		if (one_arm && s->runs[ARM_A] == 1) {
			mail_remark(out, "%s", r->list[i].text);
			continue;
		}
		mail_which(&runs, r->list[i].runs, s->runs, one_arm);
		mail_remark(out, "%s (%s)", r->list[i].text, text_string(&runs));
	}
	if (r->count > RECURRENCES_SHOWN)
		mail_remark(out, "and %zu other remark%s, which the JSON report has",
			    r->count - RECURRENCES_SHOWN,
			    r->count - RECURRENCES_SHOWN == 1 ? "" : "s");
}

void mail_windows(struct text *out, const struct subject_facts *s)
{
	if (s->window_high_ns) {
		const double windows[] = {(double)s->window_low_ns, (double)s->window_high_ns};
		struct figure_style style = figure_style_of("ns", windows, 2);
		bool several = (windows[1] - windows[0]) * 100 > windows[0];

		text_puts(out, " of ");
		if (several)
			text_printf(out, "%.*f to ", style.decimals, windows[0] / style.factor);
		figure_print(out, &style, windows[1]);
	}
	if (s->run_ns) {
		text_puts(out, " in ");
		mail_time(out, s->run_ns);
	}
}

void mail_troubles(struct text *out, const struct subject_facts *s)
{
	put_recurrences(out, s, &s->troubles, true);
}

static void put_failed(struct text *out, int64_t operations, size_t runs, size_t of)
{
	if (operations)
		text_printf(out, "%" PRId64 " in %zu of %zu runs", operations, runs, of);
	else
		text_puts(out, "none");
}

void mail_recurrences(struct text *out, const struct subject_facts *s, bool one_arm)
{
	/* One reason stands with the first dropped pair already; of one arm they have a place. */
	if (s->troubles.count > 1 && !one_arm)
		put_recurrences(out, s, &s->troubles, false);
	put_recurrences(out, s, &s->notes, one_arm);
	for (size_t i = 0; i < s->failed_count; i++) {
		const struct failed_operations *failed = &s->failed[i];
		struct text line __text = {0};

		/* Of one run the task table has them. */
		if (one_arm && s->runs[ARM_A] == 1)
			break;
		for (int arm = 0; arm < (one_arm ? 1 : ARM_MOST); arm++) {
			/* A and B there always are. */
			if (arm > ARM_B && !s->runs[arm])
				continue;
			text_puts(&line, arm ? ", " : "");
			if (!one_arm)
				text_printf(&line, "%s ", arm_words[arm]);
			put_failed(&line, failed->operations[arm], failed->runs[arm], s->runs[arm]);
		}
		mail_remark(out, "%s: failed operations (counted, not timed): %s", failed->role,
			    text_string(&line));
	}
}

char *mail_params(const struct subject *s, int arms)
{
	struct text out = {0};
	const char *key;
	json_t *value;

	json_object_foreach(s->params[ARM_A], key, value) {
		int same = 1;

		while (same < arms && json_equal(json_object_get(s->params[same], key), value))
			same++;
		if (same == arms)
			text_printf(&out, "%s%s=%s", out.length ? " " : "", key,
				    json_string_value(value));
	}
	return text_take(&out);
}
