// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema.h"

#include "store/store.h"

const char *const schema_steps[] = {
	/*
	 * An experiment is one JSON object (model/experiment.h); beside it only what `show` lists
	 * and what changes after the first run. A run is the agent's record as it came, NULL when
	 * none did. Words instead of numbers, so that the file explains itself to whoever opens it
	 * with sqlite3.
	 * AUTOINCREMENT: a number that was in a mail never comes to mean another experiment.
	 */
	[0] = "CREATE TABLE experiment ("
	      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	      "  created_ns INTEGER NOT NULL,"
	      "  command TEXT NOT NULL,"
	      "  definition TEXT NOT NULL,"
	      "  ended_ns INTEGER,"
	      "  how TEXT,"
	      "  CHECK ((ended_ns IS NULL) = (how IS NULL))"
	      ") STRICT;"
	      "CREATE TABLE run ("
	      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	      "  experiment INTEGER NOT NULL REFERENCES experiment (id),"
	      "  subject INTEGER NOT NULL CHECK (subject >= 0),"
	      "  pair INTEGER NOT NULL CHECK (pair >= 0),"
	      "  arm TEXT NOT NULL CHECK (arm IN ('A', 'B')),"
	      "  first INTEGER NOT NULL CHECK (first IN (0, 1)),"
	      "  started_ns INTEGER NOT NULL,"
	      "  ended_ns INTEGER NOT NULL,"
	      "  outcome TEXT NOT NULL,"
	      "  reason TEXT NOT NULL,"
	      "  record TEXT"
	      ") STRICT;"
	      "CREATE INDEX run_of_experiment ON run (experiment);",
	/*
	 * A run of a pair that was cut is set aside when the pair is run again; of the others each
	 * has its place once, which the index makes sure of whoever writes. A look at a pair count
	 * shows the same whenever it is taken, so there is one row for it; NULL is what was not known.
	 */
	[1] = "ALTER TABLE run ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0"
	      "  CHECK (set_aside IN (0, 1));"
	      "UPDATE run SET set_aside = 1 WHERE id NOT IN"
	      "  (SELECT min(id) FROM run GROUP BY experiment, subject, pair, arm);"
	      "CREATE UNIQUE INDEX run_once ON run (experiment, subject, pair, arm)"
	      "  WHERE set_aside = 0;"
	      "CREATE TABLE look ("
	      "  experiment INTEGER NOT NULL REFERENCES experiment (id),"
	      "  subject INTEGER NOT NULL CHECK (subject >= 0),"
	      "  pairs INTEGER NOT NULL CHECK (pairs >= 0),"
	      "  taken_ns INTEGER NOT NULL,"
	      "  rule TEXT NOT NULL,"
	      "  level REAL,"
	      "  p REAL,"
	      "  evidence REAL,"
	      "  estimate REAL,"
	      "  low REAL,"
	      "  high REAL,"
	      "  verdict TEXT NOT NULL,"
	      "  PRIMARY KEY (experiment, subject, pairs)"
	      ") STRICT, WITHOUT ROWID;"
	      "CREATE TABLE session ("
	      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	      "  experiment INTEGER NOT NULL REFERENCES experiment (id),"
	      "  began_ns INTEGER NOT NULL,"
	      "  version TEXT NOT NULL,"
	      "  agent TEXT NOT NULL,"
	      "  pairs INTEGER NOT NULL CHECK (pairs >= 0),"
	      "  budget_ns INTEGER NOT NULL CHECK (budget_ns >= 0),"
	      "  beyond INTEGER NOT NULL CHECK (beyond IN (0, 1))"
	      ") STRICT;"
	      "CREATE INDEX session_of_experiment ON session (experiment);",
	/*
	 * A calibration is a JSON object (model/calibration.h) about the experiments that name it. Its
	 * row comes last, when all of them have ended.
	 */
	[2] = "CREATE TABLE calibration ("
	      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	      "  made_ns INTEGER NOT NULL,"
	      "  workload TEXT NOT NULL,"
	      "  definition TEXT NOT NULL"
	      ") STRICT;"
	      "ALTER TABLE experiment ADD COLUMN calibration INTEGER REFERENCES calibration (id);"
	      "CREATE INDEX experiment_of_calibration ON experiment (calibration)"
	      "  WHERE calibration IS NOT NULL;",
};

_Static_assert(sizeof(schema_steps) / sizeof(*schema_steps) == STORE_VERSION,
	       "one step for each version");
