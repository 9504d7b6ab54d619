// SPDX-License-Identifier: GPL-2.0-or-later
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static _Noreturn void list(void)
{
	for (const struct workload *const *w = workload_all(); *w; w++)
		printf("%s\n", (*w)->name);
	exit(0);
}

static _Noreturn void refuse(const char *words)
{
	fprintf(stderr, "%s\n", words);
	exit(2);
}

void subject_read(int argc, char **argv, struct subject *ret)
{
	struct subject s = {.values = json_object()};
	struct error err;
	int i;

	s.leaks = argc > 1 && text_equal(argv[1], "--leak");
	argc -= s.leaks;
	argv += s.leaks;
	if (argc < 2)
		list();
	/* As the agent does. */
	memory_brk_guard();
	s.workload = workload_find(argv[1]);
	if (!s.workload)
		refuse("no such workload");
	for (i = 2; i < argc && !text_equal(argv[i], "--"); i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals)
			refuse("neither NAME=VALUE nor --");
		*equals = '\0';
		json_object_set_new(s.values, argv[i], json_string(equals + 1));
	}
	if (!crew_check(s.workload, s.values, &err))
		refuse(err.text);
	s.rest = argv + i + (i < argc);
	*ret = s;
}

json_t *subject_run(const struct subject *s)
{
	json_t *record = crew_run(s->workload, s->values, NULL, NULL);

	printf("outcome %s\n", json_string_value(json_object_get(record, "outcome")));
	printf("reason %s\n", json_string_value(json_object_get(record, "reason")));
	return record;
}
