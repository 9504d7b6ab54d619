/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_SETUP_H
#define CONTEND_SETUP_SETUP_H

#include "base/text.h"
#include "kernel/surroundings.h"
#include "model/json.h"
#include "model/param.h"
#include "setup/journal.h"

/*
 * The door for whoever adds a setup: something that changes the machine for a run. A setup has no
 * undo callback. apply() changes the machine only by way of the journal, which stores and syncs the
 * old state before each change and replays it backwards at the end, whoever died meanwhile.
 */

/* What is being set up. */
struct scene {
	struct journal *journal;
	const json_t *values; /* of all setups, an object of strings; checked */
	struct surroundings surroundings;
	int zram;	   /* number of the run's zram device; -1: none */
	struct text notes; /* a sentence a line: what who reads the figures must know */
	/* Told before each setup; false: nobody wants it any more. NULL: nobody is. */
	bool (*go_on)(void *context);
	void *context;
};

/* In which order setups are applied: what changes a value that another one sets comes before it. */
enum setup_rank {
	SETUP_PAGES,  /* how memory is handed out */
	SETUP_SYSCTL, /* single values, on which the ones above have side effects */
	SETUP_SWAP,   /* where to swap to */
	SETUP_GROUP,  /* the control group */
	SETUP_MEMBER, /* what is a value of that group, or else of the machine */
	SETUP_RANKS,
};

/* A file of the kernel with one value, as the first parameter says. */
struct knob {
	const char *path;
	const char *lacks;    /* "CONFIG_KSM", without which it is not there; NULL */
	const char *yes, *no; /* what a PARAM_SWITCH means; NULL: the value as it is typed */
};

struct setup {
	const char *name;
	const char *summary;
	/*
	 * Ends with a NULL name. None has a preset: what is not given changes nothing. The first
	 * one's name is the setup's.
	 */
	const struct param *params;
	enum setup_rank rank;

	/*
	 * It changes the run's own processes, and nothing of the machine: anybody may have it, at
	 * any time, and nothing is to be put back.
	 */
	bool private;

	/* A setup that is the value of one file; the two below are NULL then. */
	const struct knob *knob;

	/*
	 * False (ERROR_UNSUPPORTED) with the reason where this machine cannot. root: "" or the
	 * folder of a fake tree.
	 */
	bool (*supported)(const char *root, struct error *err);

	/*
	 * Makes the change that the values ask for, of which at least one is this setup's. False:
	 * what it did by then is in the journal.
	 */
	bool (*apply)(struct scene *scene, struct error *err);
};

/* Whether this machine can; see struct setup. */
bool setup_supported(const struct setup *s, const char *root, struct error *err);

/* All setups of this build; ends with NULL. */
const struct setup *const *setup_all(void);

/* The declaration of a setup's parameter; NULL: there is none. *ret_setup: whose. */
const struct param *setup_find_param(const char *name, const struct setup **ret_setup);

/* False where all setups that have one of these values are private. */
bool setup_changes_machine(const json_t *values);

/* A value that was given, as typed; NULL: it was not. Borrowed. */
static inline const char *scene_value(const struct scene *scene, const char *name)
{
	return json_string_value(json_object_get(scene->values, name));
}

/*
 * A scene with nothing in it. Borrows both. journal: NULL where all that is asked for is private.
 */
void scene_init(struct scene *scene, struct journal *journal, const json_t *values);

/*
 * Sets the machine up: all setups that are asked for, by rank. False: the caller undoes what the
 * journal has. ERROR_INTERRUPTED: go_on() said no.
 */
bool scene_set(struct scene *scene, struct error *err);

void scene_done(struct scene *scene);

/*
 * True where the file of a kernel can be written, or read: ERROR_UNSUPPORTED otherwise. lacks: the
 * option without which it is not there; NULL: every kernel has it.
 */
bool setup_can_write(const char *root, const char *path, const char *lacks, struct error *err);
bool setup_can_read(const char *root, const char *path, const char *lacks, struct error *err);

/* For supported(): false where this process may not change the machine. */
bool setup_is_allowed(const char *root, struct error *err);

#endif
