// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "stats/quantiles.h"

/*
 * usage: quantiles make FILE N   writes N latencies, doubles of this machine
 *        quantiles FILE          summarises them, prints the ms it took and what came of it
 *
 * The best of several rounds: all that can go wrong makes one longer.
 */
enum { ROUNDS = 5 };

/* Lognormal about 2 us in whole ns, one in a thousand a hundred times as long: a lock's waiters. */
static int make(const char *path, size_t n)
{
	FILE *file = fopen(path, "we");
	struct random r;

	if (!file)
		return 1;
	random_seed(&r, 1, 0);
	for (size_t i = 0; i < n; i++) {
		double radius = sqrt(-2 * log(1 - random_unit(&r)));
		double normal = radius * cos(2 * M_PI * random_unit(&r));
		double ns = floor(2000 * exp(.3 * normal) * (random_below(&r, 1000) ? 1 : 100));

		fwrite(&ns, sizeof(ns), 1, file);
	}
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	struct quantile list[] = {{.q = .5}, {.q = .95}, {.q = .99}, {.q = .999}};
	struct quantiles all = {0};
	int64_t best_ns = INT64_MAX;
	struct stat status;
	const double *x;
	size_t n;
	int fd;

	if (argc == 4 && !strcmp(argv[1], "make"))
		return make(argv[2], strtoul(argv[3], NULL, 10));
	fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &status))
		return 1;
	n = (size_t)status.st_size / sizeof(*x);
	/* Read before the clock starts, as R has its vector. */
	x = mmap(NULL, n * sizeof(*x), PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (x == MAP_FAILED)
		return 1;
	for (int round = 0; round < ROUNDS; round++) {
		int64_t start_ns = clock_now_ns(), took_ns;

		quantiles_find(x, n, .95, list, sizeof(list) / sizeof(*list), &all);
		took_ns = clock_now_ns() - start_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	printf("%.1f\n%.17g %.17g %.9g\n", (double)best_ns / NS_PER_MS, all.min, all.max, all.mean);
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		printf("%.17g %.17g %.17g\n", list[i].value, list[i].interval.low,
		       list[i].interval.high);
	return 0;
}
