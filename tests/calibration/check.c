// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"

#include <math.h>
#include <stdio.h>

static int checks, failures;

static void report(bool holds, const char *text)
{
	checks++;
	failures += !holds;
	printf("%s %d - %s\n", holds ? "ok" : "not ok", checks, text);
	fflush(stdout);
}

void check_that(const char *what, bool holds)
{
	report(holds, what);
}

static double two_errors(size_t n, double bound)
{
	return 2 * sqrt(bound * (1 - bound) / (double)n);
}

void check_at_most(const char *what, size_t count, size_t n, double bound)
{
	double rate = (double)count / (double)n, error = two_errors(n, bound);
	char text[200];

	snprintf(text, sizeof(text), "%s: %.2f %% of %zu, at most %.2f + %.2f %%", what, 100 * rate,
		 n, 100 * bound, 100 * error);
	report(rate <= bound + error, text);
}

void check_at_least(const char *what, size_t count, size_t n, double bound)
{
	double rate = (double)count / (double)n, error = two_errors(n, bound);
	char text[200];

	snprintf(text, sizeof(text), "%s: %.2f %% of %zu, at least %.2f - %.2f %%", what,
		 100 * rate, n, 100 * bound, 100 * error);
	report(rate >= bound - error, text);
}

void check_near(const char *what, size_t count, size_t n, double expected)
{
	double rate = (double)count / (double)n, error = 2 * two_errors(n, expected);
	char text[200];

	snprintf(text, sizeof(text), "%s: %.2f %% of %zu, is %.2f -+ %.2f %%", what, 100 * rate, n,
		 100 * expected, 100 * error);
	report(fabs(rate - expected) <= error, text);
}

void check_value_at_most(const char *what, double value, double bound)
{
	char text[200];

	snprintf(text, sizeof(text), "%s: %.2f, at most %.2f", what, value, bound);
	report(value <= bound, text);
}

int check_finish(void)
{
	printf("1..%d\n", checks);
	return failures > 0;
}
