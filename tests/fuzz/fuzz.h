/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_FUZZ_FUZZ_H
#define CONTEND_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* A fuzz target, for libFuzzer or for replay.c. It returns 0, or the program dies. */
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

/* What was found out is a bug: says so, and dies as the fuzzer wants it. */
#define fuzz_fail(...)                                                                             \
	do {                                                                                       \
		fprintf(stderr, "fuzz: " __VA_ARGS__);                                             \
		fputc('\n', stderr);                                                               \
		abort();                                                                           \
	} while (0)

#endif
