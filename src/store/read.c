// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/statements.h"

/* Reading a store, which may have come by mail: nothing in it is trusted. */

enum { RUN_SECONDS_MAX = 7 * 24 * 3600 };

static bool column_is_null(sqlite3_stmt *statement, int column)
{
	return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

static bool column_word(sqlite3_stmt *statement, int column, const char *const *words, int *ret,
			struct error *err)
{
	const char *text = statements_string(statement, column);

	for (int i = 0; words[i]; i++) {
		if (text_equal(words[i], text)) {
			*ret = i;
			return true;
		}
	}
	return error_set(err, ERROR_DATA, "unknown word '%.50s'", text);
}

/*
 * The run of a row. Its outcome and reason are the columns', but "ok" only where the record says so
 * itself: figures are computed from that.
 */
static bool row_run(sqlite3_stmt *statement, enum outcome outcome, struct run **ret_run,
		    struct error *err)
{
	json_t *record __free(json) = NULL;
	struct run *run __free(run) = NULL;

	if (column_is_null(statement, 9)) {
		if (outcome == OUTCOME_OK)
			return error_set(err, ERROR_DATA, "it has no record in the store");
		*ret_run = run_without_record(outcome, statements_string(statement, 8));
		return true;
	}
	if (!statements_json(statement, 9, &record, err) || !run_from_record(record, &run, err))
		return error_wrap(err, "its record in the store is damaged");
	if (outcome == OUTCOME_OK && run->outcome != OUTCOME_OK)
		return error_set(err, ERROR_DATA, "its record in the store is not of an ok run");
	free(run->reason);
	run->reason = memory_string(statements_string(statement, 8));
	run->outcome = outcome;
	*ret_run = take(run);
	return true;
}

/*
 * Stamps as they may be: since 1970, the end behind the beginning by at most a week, which no run
 * takes. Others count as unknown, so that nobody who adds them up comes out of 64 bits.
 */
static void set_stamps(struct run *run, int64_t started_ns, int64_t ended_ns)
{
	if (started_ns < 0 || ended_ns < 0)
		return;
	if (ended_ns - started_ns > RUN_SECONDS_MAX * NS_PER_SEC)
		return;
	run->started_ns = started_ns;
	run->ended_ns = ended_ns;
}

/* A place that the experiment has. */
static bool has_place(const struct experiment *e, int64_t subject, int64_t pair, int arm)
{
	return subject >= 0 && (size_t)subject < e->subject_count && pair >= 0 &&
	       pair < EXPERIMENT_PAIRS_MAX && arm < e->arm_count;
}

/* The arms of a block, 'AC', as an entry has them; 0: all, or what is none. */
static unsigned int arms_of(const char *letters, int arm_count)
{
	unsigned int arms = 0;

	for (int arm = 0; arm < arm_count; arm++)
		arms |= strstr(letters, arm_words[arm]) ? 1U << arm : 0;
	return arms;
}

static bool read_run(sqlite3_stmt *statement, const struct experiment *e, struct entries *runs,
		     struct error *err)
{
	int64_t id = sqlite3_column_int64(statement, 0);
	int64_t subject = sqlite3_column_int64(statement, 1);
	struct entry entry = {
		.id = id,
		.subject = (size_t)subject,
		.pair = sqlite3_column_int64(statement, 2),
		.first = sqlite3_column_int64(statement, 4),
		.set_aside = sqlite3_column_int64(statement, 10),
		.arms = arms_of(statements_string(statement, 11), e->arm_count),
	};
	struct error why;
	int outcome;

	if (!column_word(statement, 3, arm_words, &entry.arm, err) ||
	    !column_word(statement, 7, outcome_words, &outcome, err))
		return error_wrap(err, "run %lld is damaged", (long long)id);
	if (!has_place(e, subject, entry.pair, entry.arm))
		return error_set(err, ERROR_DATA,
				 "run %lld is damaged (subject %lld, pair %lld, arm %s)",
				 (long long)id, (long long)subject, (long long)entry.pair,
				 arm_words[entry.arm]);
	if (!row_run(statement, (enum outcome)outcome, &entry.run, &why))
		entry.run = run_without_record(OUTCOME_FAILED, why.text);
	/* No figure is made of them. */
	if (!experiment_keeps_raw(e))
		run_drop_raw(entry.run);
	set_stamps(entry.run, sqlite3_column_int64(statement, 5),
		   sqlite3_column_int64(statement, 6));
	entries_add(runs, entry);
	return true;
}

static bool read_runs(struct store *s, const struct experiment *e, struct entries *runs,
		      struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!statements_prepare(s, STATEMENT_READ_RUNS, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, e->id);
	while (statements_row(s, statement, &row, err)) {
		if (!row)
			return true;
		if (!read_run(statement, e, runs, err))
			return error_wrap(err, "store %s: experiment %lld", s->database.path,
					  (long long)e->id);
	}
	return false;
}

/* A number; NAN where there is none. */
static double column_number(sqlite3_stmt *statement, int column)
{
	return column_is_null(statement, column) ? NAN : sqlite3_column_double(statement, column);
}

static bool read_looks(struct store *s, const struct experiment *e, struct history *h,
		       struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!statements_prepare(s, STATEMENT_READ_LOOKS, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, e->id);
	while (statements_row(s, statement, &row, err)) {
		int64_t subject, pairs;
		int arm;

		if (!row)
			return true;
		subject = sqlite3_column_int64(statement, 0);
		pairs = sqlite3_column_int64(statement, 1);
		if (!column_word(statement, 11, arm_words, &arm, err))
			return error_wrap(err, "store %s: experiment %lld: a look is damaged",
					  s->database.path, (long long)e->id);
		if (!has_place(e, subject, pairs - !!pairs, arm) || arm == ARM_A)
			return error_set(err, ERROR_DATA,
					 "store %s: experiment %lld: a look is damaged (subject "
					 "%lld, arm %s, pairs %lld)",
					 s->database.path, (long long)e->id, (long long)subject,
					 arm_words[arm], (long long)pairs);
		history_add_look(h,
				 (struct look){
					 .subject = (size_t)subject,
					 .arm = arm,
					 .pairs = pairs,
					 .taken_ns = sqlite3_column_int64(statement, 2),
					 .rule = memory_string(statements_string(statement, 3)),
					 .level = column_number(statement, 4),
					 .p = column_number(statement, 5),
					 .evidence = column_number(statement, 6),
					 .estimate = column_number(statement, 7),
					 .low = column_number(statement, 8),
					 .high = column_number(statement, 9),
					 .verdict = memory_string(statements_string(statement, 10)),
				 });
	}
	return false;
}

static bool read_sessions(struct store *s, const struct experiment *e, struct history *h,
			  struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!statements_prepare(s, STATEMENT_READ_SESSIONS, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, e->id);
	while (statements_row(s, statement, &row, err)) {
		struct session session = {
			.began_ns = sqlite3_column_int64(statement, 0),
			.pairs = sqlite3_column_int64(statement, 3),
			.budget_ns = sqlite3_column_int64(statement, 4),
			.beyond = sqlite3_column_int64(statement, 5),
		};

		if (!row)
			return true;
		if (session.pairs < 0 || session.pairs > EXPERIMENT_PAIRS_MAX ||
		    session.budget_ns < 0)
			return error_set(err, ERROR_DATA,
					 "store %s: experiment %lld: a session is damaged (%lld "
					 "pairs, %lld ns)",
					 s->database.path, (long long)e->id,
					 (long long)session.pairs, (long long)session.budget_ns);
		session.version = memory_string(statements_string(statement, 1));
		session.agent = memory_string(statements_string(statement, 2));
		history_add_session(h, session);
	}
	return false;
}

static bool read_experiment(struct store *s, int64_t id, struct experiment **ret, char **ret_how,
			    struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	json_t *definition __free(json) = NULL;
	struct experiment *e;
	bool row;

	if (!statements_prepare(s, STATEMENT_READ_EXPERIMENT, &statement, err))
		return false;
	sqlite3_bind_int64(statement, 1, id);
	if (!statements_row(s, statement, &row, err))
		return false;
	if (!row) {
		statements_no_experiment(s, id, err);
		return false;
	}
	if (!statements_json(statement, 0, &definition, err) ||
	    !experiment_from_json(definition, &e, err)) {
		err->code = ERROR_DATA;
		error_wrap(err, "store %s: experiment %lld is damaged", s->database.path,
			   (long long)id);
		return false;
	}
	e->id = id;
	*ret = e;
	*ret_how = column_is_null(statement, 1) ? NULL
						: memory_string(statements_string(statement, 1));
	return true;
}

/*
 * Version 1 kept no looks, and showed what an experiment of planned pairs had whenever it ended.
 * Its pairs were run in turn, so the last second run that ended tells how many there were.
 */
static int64_t shown_by_version_1(const struct entries *runs)
{
	int64_t pairs = 0;

	for (size_t i = 0; i < runs->count; i++) {
		const struct entry *e = &runs->list[i];

		if (!e->first && e->run->outcome != OUTCOME_INTERRUPTED && e->pair >= pairs)
			pairs = e->pair + 1;
	}
	return pairs;
}

/*
 * The pairs at the first end: all workloads were looked at then, and one that was given up has less
 * of them. Looks are in the order of workloads and arms, then of pairs.
 */
static int64_t shown_first(const struct history *h)
{
	int64_t pairs = 0;

	for (size_t i = 0; i < h->look_count; i++) {
		if (i && h->looks[i].subject == h->looks[i - 1].subject &&
		    h->looks[i].arm == h->looks[i - 1].arm)
			continue;
		if (h->looks[i].pairs > pairs)
			pairs = h->looks[i].pairs;
	}
	return pairs;
}

/*
 * Under a budget: the pairs at the end of its time. Later looks of an extension have the same word.
 */
static int64_t time_up(const struct history *h)
{
	int64_t pairs = 0;

	for (size_t i = 0; i < h->look_count; i++) {
		if (text_equal(h->looks[i].rule, HISTORY_RULE_ENDED) &&
		    (!pairs || h->looks[i].pairs < pairs))
			pairs = h->looks[i].pairs;
	}
	return pairs;
}

/* What the history changes of the definition. */
static void apply_history(struct experiment *e, const struct entries *runs, const struct history *h)
{
	if (h->session_count) {
		const struct session *last = &h->sessions[h->session_count - 1];

		e->pairs = last->pairs;
		e->budget_ns = last->budget_ns;
	}
	if (e->plan == PLAN_BUDGET)
		e->time_up = time_up(h);
	if (e->plan == PLAN_PAIRS && h->look_count)
		e->looked = shown_first(h);
	else if (e->plan == PLAN_PAIRS && h->how && !h->session_count)
		e->looked = shown_by_version_1(runs);
}

/* Inside one transaction, so that experiment, runs and looks belong together. */
static bool read_whole(struct store *s, int64_t id, struct experiment **ret_experiment,
		       struct entries *ret_runs, struct history *ret_history, struct error *err)
{
	struct experiment *e __free(experiment) = NULL;
	struct entries runs __cleanup(entries_done) = {0};
	struct history history __cleanup(history_done) = {0};

	if (!read_experiment(s, id, &e, &history.how, err) || !read_runs(s, e, &runs, err) ||
	    !read_looks(s, e, &history, err) || !read_sessions(s, e, &history, err))
		return false;
	apply_history(e, &runs, &history);
	*ret_experiment = take(e);
	*ret_history = history;
	history = (struct history){0};
	*ret_runs = runs;
	runs = (struct entries){0};
	return true;
}

bool store_read_all(struct store *s, int64_t id, struct experiment **ret_experiment,
		    struct entries *ret_runs, struct history *ret_history, struct error *err)
{
	bool ok = database_exec(&s->database, "BEGIN", err) &&
		  read_whole(s, id, ret_experiment, ret_runs, ret_history, err);

	database_rollback(&s->database);
	return ok;
}

bool store_read(struct store *s, int64_t id, struct experiment **ret_experiment,
		struct entries *ret_runs, char **ret_how, struct error *err)
{
	struct history history __cleanup(history_done) = {0};

	if (!store_read_all(s, id, ret_experiment, ret_runs, &history, err))
		return false;
	*ret_how = take(history.how);
	return true;
}

static char *string_or_null(sqlite3_stmt *statement, int column)
{
	return column_is_null(statement, column)
		       ? NULL
		       : memory_string(statements_string(statement, column));
}

static bool read_lines(struct store *s, struct store_lines *lines, struct error *err)
{
	sqlite3_stmt *statement __free(statement) = NULL;
	bool row;

	if (!statements_prepare(s, STATEMENT_LIST, &statement, err))
		return false;
	while (statements_row(s, statement, &row, err)) {
		struct store_line *line;

		if (!row)
			return true;
		lines->list = memory_grow(lines->list, (lines->count + 1) * sizeof(*lines->list));
		line = &lines->list[lines->count++];
		*line = (struct store_line){
			.id = sqlite3_column_int64(statement, 0),
			.created_ns = sqlite3_column_int64(statement, 1),
			.runs = sqlite3_column_int64(statement, 4),
			.command = memory_string(statements_string(statement, 2)),
			.how = string_or_null(statement, 3),
			.verdicts = string_or_null(statement, 5),
			.plan = string_or_null(statement, 6),
			.workloads = string_or_null(statement, 7),
		};
	}
	return false;
}

bool store_list(struct store *s, struct store_lines *ret, struct error *err)
{
	struct store_lines lines = {0};

	if (!read_lines(s, &lines, err)) {
		store_lines_done(&lines);
		return false;
	}
	*ret = lines;
	return true;
}

void store_lines_done(struct store_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->list[i].command);
		free(lines->list[i].how);
		free(lines->list[i].verdicts);
		free(lines->list[i].plan);
		free(lines->list[i].workloads);
	}
	free(lines->list);
	*lines = (struct store_lines){0};
}
