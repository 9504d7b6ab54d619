// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "report/mail.h"

static bool is_primary(const struct subject *s, const struct metric *m)
{
	return text_equal(m->name, s->primary);
}

void mail_no_figures(const struct subject *s, const struct mail_refusal *list, size_t count,
		     struct text *out)
{
	for (size_t i = 0; i < count; i++) {
		char *label __free(memory) = facts_label(list[i].metric);

		if (is_primary(s, list[i].metric))
			mail_remark(out, "no figure for the primary, %s: %s", label,
				    list[i].reason);
	}
	for (size_t i = 0; i < count; i++) {
		struct mail_labels labels __cleanup(mail_labels_done) = {0};
		bool seen = is_primary(s, list[i].metric);

		for (size_t k = 0; k < count; k++) {
			if (is_primary(s, list[k].metric) ||
			    !text_equal(list[k].reason, list[i].reason))
				continue;
			seen |= k < i;
			mail_add_label(&labels, list[k].metric);
		}
		if (!seen)
			mail_remark(out, "no figure for %s: %s", text_string(&labels.text),
				    list[i].reason);
	}
}

/* What a subject's ok runs have of the samples that a metric needs. */
struct supply {
	size_t runs;
	int64_t fewest, most; /* samples */
	int64_t window_ns;    /* of the run with the fewest, as asked for; 0: it does not say */
};

static struct supply supply_of(const struct findings *f, size_t subject, const struct metric *m)
{
	struct supply s = {0};

	for (size_t i = 0; i < f->runs->count; i++) {
		const struct entry *e = &f->runs->list[i];
		int64_t samples;

		if (e->subject != subject || e->set_aside || e->run->outcome != OUTCOME_OK)
			continue;
		samples = run_figure_count(e->run, m);
		if (!s.runs++ || samples < s.fewest) {
			const json_t *window = json_object_get(e->run->record, "window_ns");

			s.fewest = samples;
			s.window_ns = json_integer_value(window);
		}
		s.most = samples > s.most ? samples : s.most;
	}
	return s;
}

/*
 * Where some runs have enough the reason stands with the pairs or runs that lack it; that of a
 * primary stands alone.
 */
static bool is_short(const struct subject *subject, const struct supply *s, const struct metric *m)
{
	return s->fewest > 0 && s->most < (int64_t)summary_least_samples(m->summary) &&
	       !is_primary(subject, m);
}

bool mail_is_short(const struct findings *f, size_t subject, const struct metric *m)
{
	struct supply s = supply_of(f, subject, m);

	return is_short(&f->experiment->subjects[subject], &s, m);
}

/* As it is typed: 1.7s, 350ms. */
static void put_window(struct text *out, int64_t window_ns)
{
	if (window_ns < NS_PER_SEC)
		text_printf(out, "window=%gms", (double)window_ns / NS_PER_MS);
	else
		text_printf(out, "window=%gs", (double)window_ns / (double)NS_PER_SEC);
}

/*
 * A window in which the run with the fewest would have had enough, and a tenth more; two digits of
 * it, rounded up. 0: it does not say what its window was, or none that is allowed would do.
 */
static int64_t window_needed_ns(const struct supply *s, unsigned int needs)
{
	double window_ns = 1.1 * (double)s->window_ns * needs / (double)s->fewest;
	double step;

	if (!(window_ns > 0) || window_ns > 3600 * (double)NS_PER_SEC)
		return 0;
	step = pow(10, floor(log10(window_ns)) - 1);
	return (int64_t)(ceil(window_ns / step) * step);
}

/* "p99.9 needs 2995 (window=1.7s would do)". */
static void put_need(struct text *out, const struct supply *s, const struct metric *m)
{
	unsigned int needs = summary_least_samples(m->summary);
	int64_t window_ns = window_needed_ns(s, needs);

	text_printf(out, ", %s needs %u", summary_words[m->summary], needs);
	if (!window_ns)
		return;
	text_puts(out, " (");
	put_window(out, window_ns);
	text_puts(out, " would do)");
}

/* Series with the same numbers share them. */
struct shortage {
	struct text names, needs;
};

static void put_shortage(struct text *out, const struct shortage *s)
{
	if (s->names.length)
		text_printf(out, "%s%s%s", out->length ? "; " : "", text_string(&s->names),
			    text_string(&s->needs));
}

static void shortage_done(struct shortage *s)
{
	text_done(&s->names);
	text_done(&s->needs);
}

/* What the series of a metric lacks, of all quantiles that are made of it. */
static void find_needs(const struct findings *f, size_t subject, size_t first, struct text *needs)
{
	const struct subject *own = &f->experiment->subjects[subject];
	const struct description *d = own->description;

	for (size_t i = first; i < d->metric_count; i++) {
		const struct metric *m = &d->metrics[i];
		struct supply s;

		if (!metric_shares_shift(&d->metrics[first], m))
			continue;
		s = supply_of(f, subject, m);
		if (!is_short(own, &s, m))
			continue;
		if (!needs->length && s.most > s.fewest)
			text_printf(needs, " %" PRId64 " to %" PRId64, s.fewest, s.most);
		else if (!needs->length)
			text_printf(needs, " %" PRId64, s.fewest);
		put_need(needs, &s, m);
	}
}

void mail_shortage(const struct findings *f, size_t subject, struct text *out)
{
	const struct description *d = f->experiment->subjects[subject].description;
	struct shortage last __cleanup(shortage_done) = {0};
	struct text line __text = {0};

	for (size_t i = 0; i < d->metric_count; i++) {
		char *series __free(memory) = memory_string(d->metrics[i].of);
		struct text needs __text = {0};

		if (!description_opens_shift(d, i))
			continue;
		series[strcspn(series, ".")] = ' ';
		find_needs(f, subject, i, &needs);
		if (!needs.length)
			continue;
		if (!text_equal(text_string(&needs), text_string(&last.needs))) {
			put_shortage(&line, &last);
			shortage_done(&last);
			text_puts(&last.needs, text_string(&needs));
		}
		text_printf(&last.names, "%s%s", last.names.length ? ", " : "", series);
	}
	put_shortage(&line, &last);
	if (line.length)
		mail_remark(out, "no row, too few samples a run: %s", text_string(&line));
}
