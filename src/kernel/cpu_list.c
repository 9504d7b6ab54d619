// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/cpu_list.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"

void cpu_list_done(struct cpu_list *l)
{
	free(l->has);
	*l = (struct cpu_list){0};
}

bool cpu_list_has(const struct cpu_list *l, size_t number)
{
	return number < l->room && l->has[number];
}

void cpu_list_add(struct cpu_list *l, size_t number)
{
	if (number >= l->room) {
		size_t room = 2 * number + 64;

		l->has = memory_grow(l->has, room * sizeof(*l->has));
		memset(l->has + l->room, 0, (room - l->room) * sizeof(*l->has));
		l->room = room;
	}
	l->has[number] = true;
}

static bool parse_number(const char **at, size_t *ret)
{
	size_t number = 0;

	if (!isdigit((unsigned char)**at))
		return false;
	while (isdigit((unsigned char)**at)) {
		number = number * 10 + (size_t)(*(*at)++ - '0');
		if (number >= CPU_LIST_LIMIT)
			return false;
	}
	*ret = number;
	return true;
}

static bool refuse(const char *text, struct error *err)
{
	return error_set(err, ERROR_DATA, "'%s' is not a list of CPUs", text);
}

bool cpu_list_parse(struct cpu_list *l, const char *text, struct error *err)
{
	const char *at = text;
	size_t first, last;

	while (*at && *at != '\n') {
		if (!parse_number(&at, &first))
			return refuse(text, err);
		last = first;
		if (*at == '-') {
			at++;
			if (!parse_number(&at, &last) || last < first)
				return refuse(text, err);
		}
		for (size_t number = first; number <= last; number++)
			cpu_list_add(l, number);
		if (*at == ',')
			at++;
		else if (*at && *at != '\n')
			return refuse(text, err);
	}
	return true;
}
