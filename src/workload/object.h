/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_OBJECT_H
#define CONTEND_WORKLOAD_OBJECT_H

#include "base/cleanup.h"
#include "model/json.h"

/* A shared object that has a test case for contend-runner, as it is known before it is loaded. */
struct object {
	char *path; /* without links */
	json_t *identity;
	/*
	 * It has contend_work() (include/contend/contend.h), otherwise testcase() of will-it-scale.
	 */
	bool own;
};

void object_done(struct object *o);

/*
 * Reads a file. ERROR_UNSUPPORTED with the reason where there is none, where it cannot be loaded
 * into a program of this machine, or has no test case. The identity is
 * {"file","bytes","sha256","build_id","kind"}, file without links, build_id where it has one, kind
 * "contend_work" or "testcase".
 */
bool object_read(const char *path, struct object *ret, struct error *err);

#endif
