/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_MACHINE_H
#define CONTEND_REPORT_MACHINE_H

#include "report/recurrences.h"
#include "report/report.h"

/*
 * What the runs say of the machine: what it is, what of it changed, and what makes figures
 * doubtful.
 */

/* One time that a fact was not what it had been in the run before that said it. */
struct change {
	char *before, *after; /* for reading */
	size_t run;	      /* the one that saw it first: an index into the findings' runs */
};

/* A fact that was not the same in all runs. Readings, such as the load, are none. */
struct difference {
	const char *key; /* borrowed from a record */
	struct recurrences values;
	bool of_arms;		/* each arm has one value, as kernels have that are the arms */
	struct change *changes; /* in the order of the runs */
	size_t change_count;
};

/* A doubt (judge/doubt.h) and the runs whose machine gives cause for it. */
struct machine_doubt {
	char *key, *reason; /* of the worst of them */
	bool grave;
	double degree;
	size_t worst; /* the run it was worst before or in: an index into the findings' runs */
	size_t runs[ARM_MOST];
};

struct machine {
	json_t *host;	  /* each fact as the first run that knew it says; NULL: none did */
	json_t *baseline; /* the same of the runs of arm A, whose setups may be other ones */
	struct difference *differences;
	size_t difference_count;
	struct machine_doubt *doubts;
	size_t doubt_count;
	double load_low, load_high; /* load average of a minute when runs started; NAN: unknown */
};

/* Owned by the caller; borrows from the findings. */
struct machine machine_collect(const struct findings *f);
void machine_done(struct machine *m);

/* How the runs differ in that fact; NULL: they agree. Borrowed. */
const struct difference *machine_difference(const struct machine *m, const char *key);

/* True where instructions are emulated: times then say nothing about a machine. */
bool machine_emulated(const struct machine *m);

#endif
