// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: repeat [--leak] [WORKLOAD [NAME=VALUE...] -- [RUNS STEP]]
 *
 * Without a workload it prints the names of all workloads. Else runs one so many times in this
 * process, and prints for each run its outcome and reason, and after every STEP runs what the
 * process then has:
 *
 *	outcome ok
 *	reason
 *	own mappings 34
 *	own rss_kib 2300
 *	own page_tables_kib 60
 *	own heap_bytes 7616
 *	own descriptors 3
 *	own children 0
 *
 * With --leak each run leaves something of all but children behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "own.h"
#include "subject.h"

static void print_own(void)
{
	int64_t facts[OWN_MAX];
	int children = 0;

	own_read(facts);
	for (size_t i = 0; i < OWN_MAX; i++)
		printf("own %s %lld\n", own_names[i], (long long)facts[i]);
	/* Dead or alive. */
	if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD)
		children = 1;
	printf("own children %d\n", children);
}

int main(int argc, char **argv)
{
	struct subject subject;
	unsigned long runs, step;

	subject_read(argc, argv, &subject);
	if (!subject.rest[0] || !subject.rest[1])
		return 2;
	runs = strtoul(subject.rest[0], NULL, 10);
	step = strtoul(subject.rest[1], NULL, 10);
	/* What a worker leaves behind comes to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1UL);
	for (unsigned long i = 1; i <= runs; i++) {
		json_decref(subject_run(&subject));
		if (subject.leaks)
			own_leak();
		if (i % step == 0)
			print_own();
	}
	json_decref(subject.values);
	return 0;
}
