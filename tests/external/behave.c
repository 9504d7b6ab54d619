// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A test case of the kind that will-it-scale has. BEHAVE, in the environment, is what it does
 * besides counting; FOLDER where it leaves its traces.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *testcase_description = "Behaves as it is told";

void new_task(void *(*func)(void *), void *arg);
void testcase_prepare(unsigned long nr_tasks);
void testcase_cleanup(void);
void testcase(unsigned long long *iterations, unsigned long nr);

static int behaves(const char *how)
{
	const char *said = getenv("BEHAVE");

	return said && !strcmp(said, how);
}

/* Leaves a file with a number in it. */
static void leave(const char *name, unsigned long number)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", getenv("FOLDER") ? getenv("FOLDER") : ".", name);
	file = fopen(path, "a");
	if (!file)
		abort();
	fprintf(file, "%lu\n", number);
	fclose(file);
}

static void close_all(void)
{
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}

/* A process that nobody waits for, in a session of its own. */
static void leave_daemon(void)
{
	if (fork())
		return;
	setsid();
	if (fork())
		_exit(0);
	leave("daemon", (unsigned long)getpid());
	for (;;)
		pause();
}

void testcase_prepare(unsigned long nr_tasks)
{
	leave("prepared", nr_tasks);
	if (behaves("crash_prepare"))
		raise(SIGSEGV);
	if (behaves("exit_prepare")) {
		fprintf(stderr, "no such device: /dev/fast\n");
		exit(3);
	}
	if (behaves("endless_prepare"))
		for (;;)
			pause();
	if (behaves("close_prepare"))
		close_all();
	if (behaves("ignore_children"))
		signal(SIGCHLD, SIG_IGN);
}

void testcase_cleanup(void)
{
	leave("cleaned", 1);
	if (behaves("endless_cleanup"))
		for (;;)
			pause();
}

static void *sleep_for_ever(void *arg)
{
	*(char volatile *)arg = 1;
	for (;;)
		pause();
	return NULL;
}

static void begin(unsigned long nr)
{
	static char room;

	if (behaves("crash") && nr)
		raise(SIGSEGV);
	if (behaves("assert"))
		assert(!"the moon is full");
	if (behaves("exit"))
		exit(0);
	if (behaves("quick_exit"))
		_exit(7);
	if (behaves("close"))
		close_all();
	if (behaves("daemon"))
		leave_daemon();
	if (behaves("helper"))
		new_task(sleep_for_ever, &room);
}

void testcase(unsigned long long *iterations, unsigned long nr)
{
	cpu_set_t all;

	begin(nr);
	if (behaves("return"))
		return;
	while (behaves("idle"))
		pause();
	for (;;) {
		if (behaves("print")) {
			printf("{\"contend\":1,\"type\":\"end\",\"id\":\"1\"}\n");
			fflush(stdout);
		}
		/* As malloc1 of will-it-scale does, whose threads cannot be cancelled. */
		if (behaves("malloc"))
			free(malloc(128 << 20));
		if (behaves("stray")) {
			memset(&all, 0xff, sizeof(all));
			sched_setaffinity(0, sizeof(all), &all);
		}
		if (behaves("count_back"))
			*iterations -= 2;
		(*iterations)++;
	}
}
