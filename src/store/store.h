/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_STORE_H
#define CONTEND_STORE_STORE_H

#include "model/calibration.h"
#include "model/experiment.h"
#include "model/history.h"

/*
 * One SQLite file holds any number of experiments with their runs. A run is durable when
 * store_add_run() returns: the file is in WAL mode and synced at every commit. Any number of
 * processes may use one file at once. What fails leaves everything that was stored before, and
 * nothing of what it was about to store.
 *
 * The program must ignore SIGXFSZ, or a limit of the file size kills it instead of giving a reason.
 */
struct store;

/*
 * Version of the tables. A file with a higher one is refused; a lower one is brought up to date
 * when it is opened for writing, and read as it is otherwise.
 */
enum { STORE_VERSION = 4 };

/* "cntd": tells a store from other programs' databases (PRAGMA application_id). */
enum { STORE_APPLICATION_ID = 0x636e7464 };

/*
 * The file that is used when none is named: $CONTEND_STORE, else contend/store.db under
 * $XDG_DATA_HOME (when that is an absolute path, as its specification demands) or
 * ~/.local/share. NULL with err set where neither is known. Owned by caller.
 */
char *store_default_path(struct error *err);

/*
 * From now on no store waits for another process once this becomes readable, but for a moment, in
 * which what has been measured can still be kept: it fails with ERROR_INTERRUPTED. -1: nothing
 * stops it, which is how it begins. Not read.
 */
void store_stop_on(int stop_fd);

/*
 * Opens a store. With create it is for writing: the file and its folders (mode 0700) are made when
 * missing, an empty file becomes a store. Without, it is for reading: nothing is created, and a
 * file that may not be written can be read too; store_add_*() and store_end_experiment() may then
 * fail.
 *
 * Refuses, with the reason and without changing a byte: what is no database, another program's, a
 * newer version, a damaged file (ERROR_DATA; it names `sqlite3 FILE .recover`); no access
 * (ERROR_SYSTEM); without create a missing file (ERROR_USAGE) or an empty one (ERROR_DATA).
 */
bool store_open(const char *path, bool create, struct store **ret_store, struct error *err);
void store_close(struct store *s);
DEFINE_FREE(store, struct store *, store_close(_T))

const char *store_path(const struct store *s);

/* Stores a new experiment and sets e->id. Numbers are never used again. */
bool store_add_experiment(struct store *s, struct experiment *e, struct error *err);

/*
 * Makes this process the only one that runs an experiment, until it closes the store or ends,
 * however it ends. False (ERROR_SYSTEM) where another one on this machine does already.
 */
bool store_claim(struct store *s, int64_t experiment, struct error *err);

/*
 * Takes an experiment up, for the first time or again: from now on it has not ended, and the runs
 * of that list (ids) are set aside. Takes a copy of the session.
 */
bool store_add_session(struct store *s, int64_t experiment, const struct session *session,
		       const int64_t *set_aside, size_t set_aside_count, struct error *err);

/*
 * Stores one ended run and sets entry->id. A place (subject, pair, arm) has one run beside those
 * that were set aside; a second one is refused.
 */
bool store_add_run(struct store *s, int64_t experiment, struct entry *entry, struct error *err);

/* Keeps what a look showed, all of its subjects or none. */
bool store_add_looks(struct store *s, int64_t experiment, const struct look *looks, size_t count,
		     struct error *err);

/*
 * Keeps that an experiment has ended, and how: "decided", "planned end", "interrupted". One that
 * was taken up again may end again; the last time counts.
 */
bool store_end_experiment(struct store *s, int64_t experiment, const char *how, struct error *err);

/*
 * Reads an experiment, its runs in the order in which they were added, those set aside too, and its
 * history. Pairs and budget of the experiment are those of its last session. A number that the
 * store does not have is ERROR_USAGE. A run whose record cannot be read any more comes back as a
 * failed one that says so, and does not hide the others. An ok run has a record of an ok run,
 * without its single latencies (run_drop_raw()) unless it is the only one (experiment_keeps_raw()).
 */
bool store_read_all(struct store *s, int64_t id, struct experiment **ret_experiment,
		    struct entries *ret_runs, struct history *ret_history, struct error *err);

/* The same without the history, but for how it ended: owned, NULL when it never did (killed). */
bool store_read(struct store *s, int64_t id, struct experiment **ret_experiment,
		struct entries *ret_runs, char **ret_how, struct error *err);

/*
 * Keeps a calibration, whose id it sets, and that its experiments belong to it: all or nothing. One
 * that the store does not have is refused (ERROR_USAGE), as is one that another calibration has.
 */
bool store_add_calibration(struct store *s, struct calibration *c, struct error *err);

/* All calibrations, the oldest first. */
bool store_read_calibrations(struct store *s, struct calibrations *ret, struct error *err);

/* One line of `contend show`. */
struct store_line {
	int64_t id, created_ns, runs;
	char *command;
	char *how;	 /* NULL: never ended */
	char *verdicts;	 /* of the primaries at the last look, a word each; NULL: none was taken */
	char *plan;	 /* plan_words; NULL: its definition is damaged */
	char *workloads; /* names with a space between; NULL: as above */
};

struct store_lines {
	struct store_line *list;
	size_t count;
};

/* All experiments, the oldest first. */
bool store_list(struct store *s, struct store_lines *ret, struct error *err);
void store_lines_done(struct store_lines *lines);

#endif
