// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/resolution.h"

#include <string.h>

#include "base/text.h"

const char *resolution_whom(int where, struct place place)
{
	static const char *const options[ARM_MOST] = {"--a", "--b", "--c", "--d"};

	if (where == SAID_BOTH)
		return "all arms";
	return place.line ? arm_keys[where] : options[where];
}

bool resolution_unknown(struct nearest *nearest, const char *what, const char *list,
			struct error *err)
{
	return error_set(err, ERROR_USAGE, "no %s '%.100s'%s (`contend list%s%s` shows them)", what,
			 nearest->name, nearest_hint(nearest), list ? " " : "", list ? list : "");
}

const struct description *resolution_workload(struct description *const *known, const char *name,
					      struct error *err)
{
	struct nearest nearest = {.name = name};

	for (size_t i = 0; known[i]; i++) {
		if (text_equal(known[i]->name, name))
			return known[i];
		nearest_try(&nearest, known[i]->name);
	}
	resolution_unknown(&nearest, "workload", NULL, err);
	return NULL;
}

bool resolution_check(const struct experiment *e, const char *key, struct error *err)
{
	int length = (int)strcspn(key, ".");
	const char *ignored;

	for (size_t i = 0; i < e->subject_count; i++) {
		if (request_meant_for(key, e->subjects[i].description, &ignored))
			return true;
	}
	for (const struct param *p = e->subjects[0].description->params; p->name; p++) {
		if (p->setup && (int)strlen(p->setup) == length &&
		    !strncmp(key, p->setup, (size_t)length))
			return error_set(
				err, ERROR_USAGE,
				"setup %s has no parameter '%.100s' (`contend list setups` "
				"shows them)",
				p->setup, key);
	}
	return error_set(err, ERROR_USAGE, "'%.100s': workload %.*s does not take part", key,
			 length, key);
}

const struct said *resolution_said(const struct request *r, size_t end,
				   const struct description *workload, const char *name, int where)
{
	for (size_t i = 0; i < end; i++) {
		const struct said *said = &r->said[i];
		const char *its;

		if (said->where != where && said->where != SAID_BOTH && where != SAID_BOTH)
			continue;
		if (request_meant_for(said->key, workload, &its) && text_equal(its, name))
			return said;
	}
	return NULL;
}

bool resolution_wrap(const struct said *said, struct error *err)
{
	return said->where == SAID_BOTH
		       ? false
		       : error_wrap(err, "%s", resolution_whom(said->where, said->place));
}
