/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_EVIDENCE_SUBJECT_H
#define CONTEND_TESTS_EVIDENCE_SUBJECT_H

#include "workload/crew/crew.h"

/* The run that a program of this folder watches, in its own process. */
struct subject {
	const struct workload *workload;
	json_t *values;
	bool leaks;  /* --leak: the program is to be found out */
	char **rest; /* the words behind "--"; borrowed */
};

/*
 * From the command line: [--leak] WORKLOAD [NAME=VALUE...] [-- WORD...]. Ends the program, with
 * status 0 behind the names of all workloads where there is no workload, else with status 2.
 */
void subject_read(int argc, char **argv, struct subject *ret);

/*
 * Runs it, and prints the outcome and its reason as a line each. Returns the record, the caller's.
 */
json_t *subject_run(const struct subject *s);

#endif
