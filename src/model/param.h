/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_PARAM_H
#define CONTEND_MODEL_PARAM_H

#include "model/json.h"

enum param_type {
	PARAM_COUNT,	/* whole number */
	PARAM_NUMBER,	/* with a fraction */
	PARAM_DURATION, /* stored in ns */
	PARAM_BYTES,
	PARAM_PERCENT, /* stored as a ratio */
	PARAM_CHOICE,  /* stored as the index of the word */
	PARAM_SWITCH,  /* yes or no, stored as 1 or 0 */
	PARAM_TEXT,    /* as it is */
	/*
	 * A program and its arguments, which is given behind `--`: a JSON array of words. In a word
	 * {key} stands for the value of that parameter, {{ for a brace (experiment/command.h).
	 */
	PARAM_COMMAND,
	PARAM_WORD, /* what {key} stands for, where the workload has no parameter of that name */
	/*
	 * Figures from an output (model/reading.h), a line each: it may be given again.
	 */
	PARAM_METRIC,
};

/* A parameter as a workload (or the crew, or a setup) declares it. */
struct param {
	const char *name;
	enum param_type type;
	const char *preset;  /* the default, as the user would type it; NULL: there is none */
	double low, high;    /* inclusive range of the stored value; both 0: no limit;
			      * INFINITY: none on that side */
	const char *choices; /* PARAM_CHOICE: "maps|smaps|none" */
	const char *help;
	/*
	 * "record=yes": another value than the default makes sense only while that parameter has
	 * that value. NULL: always.
	 */
	const char *needs;
	/*
	 * Whose it is, where it is not the workload's: a setup's, which only has parameters without
	 * a default. What is not given changes nothing on the machine. NULL: the workload's.
	 */
	const char *setup;
	/* Such a setup changes the run's own processes alone, and nothing of the machine. */
	bool private;
	bool required; /* there is no default that means anything: it must be given */
};

extern const char *const param_type_words[];

/* True for types whose values are taken as they are typed. */
bool param_is_text(enum param_type type);

/*
 * Checks one value against its declaration. *ret_value is the stored number (0 for what is text).
 * A refusal says what would be right. The text must name the parameter itself only once: the
 * message begins with "name=value: ".
 */
bool param_check(const struct param *p, const char *value, double *ret_value, struct error *err);

/* True when two values mean the same, however they are typed: 1s is 1000ms. Both were checked. */
bool param_same(const struct param *p, const char *a, const char *b);

/*
 * {"name","type","preset","low","high","choices","help","needs","required","setup","private"}:
 * `low` and `high` where there is a limit, `choices` for PARAM_CHOICE, `preset`, `needs` and
 * `setup` where it has one, `required` and `private` where it is. The name of a setup's parameter
 * may have a dot in it. Reading refuses a default that param_check() refuses. The strings of *ret
 * are borrowed from the object.
 */
json_t *param_to_json(const struct param *p);
bool param_from_json(const json_t *object, struct param *ret, struct error *err);

/*
 * The values of a run: a JSON object of strings, name to value as typed. Absent means default, or
 * NULL where there is none.
 * These look a value up through its declaration; the name must be declared and the value checked
 * before (an agent checks all of them when a job arrives).
 */
double params_number(const json_t *values, const struct param *declared, const char *name);
int64_t params_integer(const json_t *values, const struct param *declared, const char *name);
const char *params_string(const json_t *values, const struct param *declared, const char *name);

/*
 * What only makes sense together: refuses (ERROR_USAGE) a value that needs what the others do not
 * say, and that one is missing that must be given. Each value must have been checked before.
 */
bool params_check(const json_t *values, const struct param *declared, struct error *err);

/* The first parameter that params_check() would refuse; NULL: none. */
const struct param *params_unmet(const json_t *values, const struct param *declared);

/* The first parameter that must be given and is not; NULL: none. */
const struct param *params_missing(const json_t *values, const struct param *declared);

/*
 * Refuses (ERROR_DATA) a declaration that needs what is not declared, or a value that it cannot
 * have.
 */
bool params_check_declared(const struct param *declared, struct error *err);

/* Finds a declaration by name in a list that ends with a NULL name; NULL: none. */
const struct param *param_find(const struct param *declared, const char *name);

#endif
