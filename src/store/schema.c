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
	 * shows the same whenever it is taken, so there is one row for it; NULL is what was not
	 * known.
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
	 * A calibration is a JSON object (model/calibration.h) about the experiments that name it.
	 * Its row comes last, when all of them have ended.
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
	/*
	 * More than two arms: of a block in which some arm had no part each run says which had one,
	 * 'AC'; NULL is all of the experiment. A constraint cannot be changed in place: the tables
	 * are made anew, the runs with their numbers, of which none was ever deleted.
	 */
	[3] = "CREATE TABLE run_4 ("
	      "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	      "  experiment INTEGER NOT NULL REFERENCES experiment (id),"
	      "  subject INTEGER NOT NULL CHECK (subject >= 0),"
	      "  pair INTEGER NOT NULL CHECK (pair >= 0),"
	      "  arm TEXT NOT NULL CHECK (arm IN ('A', 'B', 'C', 'D')),"
	      "  arms TEXT CHECK (instr(arms, 'A') = 1 AND instr(arms, arm) > 0),"
	      "  first INTEGER NOT NULL CHECK (first IN (0, 1)),"
	      "  started_ns INTEGER NOT NULL,"
	      "  ended_ns INTEGER NOT NULL,"
	      "  outcome TEXT NOT NULL,"
	      "  reason TEXT NOT NULL,"
	      "  record TEXT,"
	      "  set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside IN (0, 1))"
	      ") STRICT;"
	      "INSERT INTO run_4 (id, experiment, subject, pair, arm, first, started_ns, ended_ns,"
	      "  outcome, reason, record, set_aside)"
	      "  SELECT id, experiment, subject, pair, arm, first, started_ns, ended_ns,"
	      "  outcome, reason, record, set_aside FROM run ORDER BY id;"
	      "DROP TABLE run;"
	      "ALTER TABLE run_4 RENAME TO run;"
	      "CREATE INDEX run_of_experiment ON run (experiment);"
	      "CREATE UNIQUE INDEX run_once ON run (experiment, subject, pair, arm)"
	      "  WHERE set_aside = 0;"
	      "CREATE TABLE look_4 ("
	      "  experiment INTEGER NOT NULL REFERENCES experiment (id),"
	      "  subject INTEGER NOT NULL CHECK (subject >= 0),"
	      "  arm TEXT NOT NULL CHECK (arm IN ('B', 'C', 'D')),"
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
	      "  PRIMARY KEY (experiment, subject, arm, pairs)"
	      ") STRICT, WITHOUT ROWID;"
	      "INSERT INTO look_4 SELECT experiment, subject, 'B', pairs, taken_ns, rule, level, p,"
	      "  evidence, estimate, low, high, verdict FROM look;"
	      "DROP TABLE look;"
	      "ALTER TABLE look_4 RENAME TO look;",
};

_Static_assert(sizeof(schema_steps) / sizeof(*schema_steps) == STORE_VERSION,
	       "one step for each version");
