// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/series.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/conduct.h"
#include "experiment/calibrate.h"

void series_done(struct series *s)
{
	/* It borrows from the rest. */
	calibration_answer_free(s->answer);
	for (size_t i = 0; i < s->count; i++) {
		judgement_free(s->judgements[i]);
		lab_case_done(&s->cases[i]);
	}
	free(s->cases);
	free(s->judgements);
	free(s->stopped);
	calibration_free(s->kept);
	free(s->command);
	*s = (struct series){0};
}

static void make_room(struct series *s, size_t planned)
{
	s->planned = planned;
	s->cases = memory_array(planned, sizeof(*s->cases));
	s->judgements = memory_array(planned, sizeof(struct judgement *));
}

/* What `contend ab` does at most when nothing is said. */
static size_t most_pairs(void)
{
	struct experiment *preset __free(experiment) = experiment_new();
	const struct terms none = {0};

	terms_apply(&none, &none, preset);
	return (size_t)preset->pairs;
}

/* The parts of as many cases. Owned by the caller; borrows from the series. */
static struct calibration_part *parts_of(const struct series *s)
{
	struct calibration_part *parts = memory_array(s->count, sizeof(*parts));

	for (size_t i = 0; i < s->count; i++)
		parts[i] = (struct calibration_part){
			.experiment = s->cases[i].experiment,
			.runs = &s->cases[i].runs,
			.judgement = s->judgements[i],
		};
	return parts;
}

static void judge_series(struct series *s)
{
	struct calibration_part *parts __free(memory) = parts_of(s);

	s->answer = calibration_judge(parts, s->count, s->planned, most_pairs());
}

/* ---- measuring ---- */

static void note_end(struct series *s, enum lab_end end, const struct judgement *j)
{
	const struct experiment *e = s->cases[s->count - 1].experiment;

	s->interrupted = end == LAB_INTERRUPTED;
	if (s->interrupted)
		s->stopped = text_format("interrupted; what was measured is kept, and contend ab "
					 "--resume %" PRId64 " goes on with the last experiment",
					 e->id);
	else if (end == LAB_GAVE_UP)
		s->stopped = text_format("experiment %" PRId64 " gave up: %s", e->id,
					 j->comparisons[0].why_not ? j->comparisons[0].why_not
								   : "its runs failed");
}

/* The next experiment; takes it. False: the store failed. */
static bool run_next(struct series *s, struct experiment *e, const struct series_place *place,
		     struct error *err)
{
	struct judgement *j __free(judgement) = NULL;
	struct lab_case *held = &s->cases[s->count];
	enum lab_end end;

	held->experiment = e;
	s->count++;
	if (!conduct_keep(e, place->store, err) ||
	    !conduct_run(held, place->store, place->stop_fd, place->agent, false, place->common,
			 &end, &j, err))
		return false;
	note_end(s, end, j);
	if (!s->stopped)
		s->judgements[s->count - 1] = take(j);
	return true;
}

/* What a pair of A/A took, as the clock on the wall has it. */
static int64_t pair_ns(const struct series *s, int64_t began_ns)
{
	int64_t pairs = lab_pairs_done(s->cases[0].experiment, &s->cases[0].runs);

	return (clock_now_ns() - began_ns) / (pairs ? pairs : 1);
}

static bool run_shifts(struct series *s, const struct experiment *of, size_t subject,
		       int64_t began_ns, int64_t budget_ns, const struct series_place *place,
		       struct error *err)
{
	int64_t one_ns = pair_ns(s, began_ns);

	for (size_t i = 1; i < s->planned && !s->stopped; i++) {
		int64_t left_ns = budget_ns - (clock_now_ns() - began_ns);
		int64_t pairs = calibrate_shift_pairs(left_ns, s->planned - i, one_ns,
						      (int64_t)most_pairs());

		if (!run_next(s,
			      calibrate_experiment(of, subject, i, calibrate_delays[i - 1], pairs),
			      place, err))
			return false;
	}
	return true;
}

static bool keep(struct series *s, struct store *store, struct error *err)
{
	struct calibration_part *parts __free(memory) = parts_of(s);

	s->kept = calibration_summary(s->answer, parts, s->count, s->command, clock_wall_ns());
	return store_add_calibration(store, s->kept, err) ||
	       error_wrap(err, "keep the calibration");
}

static size_t count_shifts(const struct subject *s)
{
	const char *ignored;
	size_t count = 0;

	if (calibration_unseen(s, &ignored))
		return 0;
	while (calibrate_delays[count])
		count++;
	return count;
}

bool series_run(struct series *s, const struct experiment *of, size_t subject, int64_t budget_ns,
		const struct series_place *place, struct error *err)
{
	size_t shifts = count_shifts(&of->subjects[subject]);
	int64_t began_ns = clock_now_ns();
	int64_t pairs;

	if (!calibrate_aa_pairs(&of->subjects[subject], budget_ns, shifts, &pairs, err) ||
	    !calibrate_command(of, subject, budget_ns, &s->command, err))
		return false;
	make_room(s, 1 + shifts);
	if (!run_next(s, calibrate_experiment(of, subject, 0, NULL, pairs), place, err) ||
	    !run_shifts(s, of, subject, began_ns, budget_ns, place, err))
		return false;
	judge_series(s);
	return s->answer->missing || keep(s, place->store, err);
}

/* ---- again ---- */

bool series_read(struct series *s, struct calibration *kept, struct store *store, struct error *err)
{
	s->kept = kept;
	s->command = memory_string(kept->command);
	if (!kept->experiment_count)
		return error_set(err, ERROR_DATA,
				 "store %s: calibration %" PRId64
				 " is damaged: no experiment belongs to it",
				 store_path(store), kept->id);
	make_room(s, kept->experiment_count);
	for (size_t i = 0; i < kept->experiment_count; i++) {
		struct lab_case *held = &s->cases[i];

		if (!lab_read(held, store, kept->experiments[i], err))
			return false;
		s->count++;
		s->judgements[i] = lab_judge(held->experiment, &held->runs, held->history.how);
		if (!s->judgements[i] || s->judgements[i]->blind)
			return error_set(err, ERROR_DATA,
					 "store %s: calibration %" PRId64
					 " is damaged: experiment %" PRId64 " did not end",
					 store_path(store), kept->id, kept->experiments[i]);
	}
	judge_series(s);
	return true;
}
