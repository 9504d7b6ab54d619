// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/list.h"
#include "setup/setup.h"

const struct setup *const *setup_all(void)
{
	return setup_table;
}

const struct param *setup_find_param(const char *name, const struct setup **ret_setup)
{
	for (const struct setup *const *s = setup_table; *s; s++) {
		const struct param *p = param_find((*s)->params, name);

		if (!p)
			continue;
		*ret_setup = *s;
		return p;
	}
	return NULL;
}

static bool is_asked_for(const json_t *values, const struct setup *s)
{
	for (const struct param *p = s->params; p->name; p++) {
		if (json_object_get(values, p->name))
			return true;
	}
	return false;
}

bool setup_changes_machine(const json_t *values)
{
	for (const struct setup *const *s = setup_table; *s; s++) {
		if (!(*s)->private && is_asked_for(values, *s))
			return true;
	}
	return false;
}

static bool turn(struct scene *scene, const struct setup *s, struct error *err)
{
	const char *value = scene_value(scene, s->params[0].name);

	if (s->knob->yes)
		value = text_equal(value, "yes") ? s->knob->yes : s->knob->no;
	return journal_write(scene->journal, s->knob->path, value, err);
}

static bool set_one(struct scene *scene, const struct setup *s, struct error *err)
{
	if (scene->go_on && !scene->go_on(scene->context))
		return error_set(err, ERROR_INTERRUPTED, "stopped during setup");
	if (setup_supported(s, journal_root(scene->journal), err) &&
	    (s->knob ? turn(scene, s, err) : s->apply(scene, err)))
		return true;
	return error_wrap(err, "set up %s", s->name);
}

void scene_init(struct scene *scene, struct journal *journal, const json_t *values)
{
	*scene = (struct scene){
		.journal = journal,
		.values = values,
		.surroundings = SURROUNDINGS_NONE,
		.zram = -1,
	};
}

bool scene_set(struct scene *scene, struct error *err)
{
	for (int rank = 0; rank < SETUP_RANKS; rank++) {
		for (const struct setup *const *s = setup_table; *s; s++) {
			if ((int)(*s)->rank == rank && is_asked_for(scene->values, *s) &&
			    !set_one(scene, *s, err))
				return false;
		}
	}
	return true;
}

void scene_done(struct scene *scene)
{
	surroundings_done(&scene->surroundings);
	text_done(&scene->notes);
}

bool setup_supported(const struct setup *s, const char *root, struct error *err)
{
	if (s->knob)
		return setup_can_write(root, s->knob->path, s->knob->lacks, err);
	return s->supported(root, err);
}
