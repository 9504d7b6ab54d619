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
};

_Static_assert(sizeof(schema_steps) / sizeof(*schema_steps) == STORE_VERSION,
	       "one step for each version");
