/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_OUTPUT_H
#define CONTEND_WORKLOAD_CREW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/json.h"

/*
 * What another program prints into a pipe. It is read whenever there is some, so that the program
 * never waits for room, and kept up to a size: its begin and its end.
 */
struct output {
	int fd; /* our end of the pipe, which does not block; -1: closed */
	size_t head_room, tail_room;
	char *bytes; /* head, then room for two tails */
	size_t length;
	uint64_t left_out; /* between the two */
};

#define OUTPUT_NONE                                                                                \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Makes a pipe; *ret_child is the other end, the caller's, close-on-exec as ours is. */
bool output_open(struct output *o, size_t head_room, size_t tail_room, int *ret_child,
		 struct error *err);
void output_done(struct output *o);

/* Reads what is there now, at most so many times 64 KiB. */
void output_read(struct output *o, int times);

/* As text, where a byte that is none (zero too) is U+FFFD, and a line says what was left out. */
json_t *output_text(const struct output *o);

/*
 * The last lines that are not empty, as plain text and with " | " between, at most so many bytes.
 * Owned by the caller.
 */
char *output_last_lines(const struct output *o, int lines, size_t bytes);

#endif
