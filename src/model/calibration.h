/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_CALIBRATION_H
#define CONTEND_MODEL_CALIBRATION_H

#include "model/experiment.h"

/*
 * What a machine could resolve when it was calibrated for a workload: the summary of an A/A
 * experiment and of some with known shifts, which later verdicts quote. It is kept in the store
 * beside those experiments, from which everything else about it can be computed again.
 */

/* Did the known shifts show what the spread of A/A promises? */
enum calibration_check {
	CALIBRATION_UNCHECKED,	  /* none was large enough, or what it must come to is not known */
	CALIBRATION_CONFIRMED,	  /* all that were to be found were */
	CALIBRATION_CONTRADICTED, /* so many were not that chance explains it in under 5 % */
	CALIBRATION_UNCLEAR,	  /* some were not, which may be chance */
};

extern const char *const calibration_check_words[];

struct calibration {
	int64_t id;	 /* in its store; 0: not stored */
	int64_t made_ns; /* wall clock: when the last experiment had ended */
	char *workload;
	json_t *params; /* object of strings: every parameter but delay=, as the runs had it */
	char *primary;
	double alpha;
	char *command; /* the command line that repeats it */
	json_t *host;  /* the fingerprint of the first run that had one; else an empty object */
	int64_t *experiments; /* in the store: A/A, then the known shifts in order of their runs */
	size_t experiment_count;
	int64_t pairs; /* of A/A, that were whole */
	double sd;     /* of its differences, logarithms of ratios; NAN: not known */
	bool rejected; /* A/A as a whole */
	int64_t cuts;  /* smaller A/A experiments that its pairs make */
	int64_t cuts_rejected;
	double effect;	     /* the smallest that is resolved, a ratio: 0.021; NAN: not known */
	double effect_pairs; /* that it takes on average; NAN with effect */
	int64_t effect_ns;   /* how long that is */
	int64_t most_pairs;  /* at most which it was planned with */
	enum calibration_check check;
	int64_t took_ns; /* all experiments, in runs */
};

void calibration_free(struct calibration *c);
DEFINE_FREE(calibration, struct calibration *, calibration_free(_T))

/*
 * All but id, made_ns, workload and experiments, for which a store has columns. Whole: it comes
 * back.
 */
json_t *calibration_to_json(const struct calibration *c);

/* The rest of a calibration that has those. It is unchanged on failure. */
bool calibration_from_json(const json_t *object, struct calibration *c, struct error *err);

/*
 * True when it was made with a workload of an experiment as it is there: the same primary metric,
 * and for each parameter but delay= a value that one of the arms has. So what both arms share it
 * has too.
 */
bool calibration_is_of(const struct calibration *c, const struct subject *s);

/*
 * The values that a calibration of the subject's arm A has: a new object, all declared parameters
 * but delay= and what has no value, name to value.
 */
json_t *calibration_params(const struct subject *s);

/* The parameter by which shifts are made known. */
extern const char calibration_delay[];

struct calibrations {
	struct calibration **list; /* owned; the oldest first */
	size_t count;
};

void calibrations_done(struct calibrations *c);

/* Appends; takes the calibration. */
void calibrations_add(struct calibrations *c, struct calibration *one);

/*
 * The last one that was made before `before_ns` and is_of() the subject: the one that counts then,
 * whatever the machine was. NULL: none. Borrowed.
 */
const struct calibration *calibrations_find(const struct calibrations *c, const struct subject *s,
					    int64_t before_ns);

#endif
