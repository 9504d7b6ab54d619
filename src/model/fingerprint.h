/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_MODEL_FINGERPRINT_H
#define CONTEND_MODEL_FINGERPRINT_H

#include "base/text.h"
#include "model/json.h"

/*
 * The fingerprint of a machine, the "host" of a run's record: strings and numbers by name, written by
 * kernel/host.c. A fact that is missing is not known. Here is what each is, for whoever shows or
 * compares fingerprints; one from another version may have other facts, too.
 */

enum fact_group {
	FACT_KERNEL,
	FACT_CPU,
	FACT_MM,
	FACT_ACCESS,
	FACT_LOAD,
	FACT_GROUPS,
};

extern const char *const fact_group_words[]; /* ends with NULL */

/*
 * State is what stays as it is unless somebody changes it: kernel, governor, limits. A reading is
 * another one at each moment.
 */
enum fact_kind {
	FACT_STATE,
	FACT_READING,
	FACT_RUN, /* a reading over the time of a run: no other fingerprint has it */
};

struct fact {
	const char *key;
	enum fact_group group;
	enum fact_kind kind;
};

/*
 * All facts, by group, in the order in which they are shown; ends with a NULL key. The
 * configuration of the kernel is not in it: each "CONFIG_NAME" is a state of group FACT_KERNEL.
 */
const struct fact *fingerprint_facts(void);

bool fingerprint_is_config(const char *key);

/* True for one of fingerprint_facts(). */
bool fingerprint_is_known(const char *key);

/* True for a reading. What is not known is taken for state. */
bool fingerprint_is_reading(const char *key);

/*
 * False for a number that its name rules out: less than nothing of bytes, time or a share (_bytes,
 * _ns, _ratio), a share of more than all.
 */
bool fingerprint_is_possible(const char *key, const json_t *value);

/* Appends a value for reading: bytes with their unit, ratios in percent, times in seconds. */
void fingerprint_put_value(struct text *out, const char *key, const json_t *value);

/* One fact that is known in both of two fingerprints, and is not the same. Borrowed from them. */
struct fact_change {
	const char *key;
	json_t *before, *after;
};

struct fact_changes {
	struct fact_change *list;
	size_t count;
};

void fact_changes_done(struct fact_changes *c);

/*
 * The states that changed, in the order of the first. Readings, and what is not known, are left
 * out.
 */
struct fact_changes fingerprint_diff(json_t *before, json_t *after);

/* The number of CPUs in a list as the kernel writes it ("0-3,8"); 0: not such a list. */
int64_t fingerprint_cpu_count(const char *list);

#endif
