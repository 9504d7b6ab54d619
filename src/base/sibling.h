/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_SIBLING_H
#define CONTEND_BASE_SIBLING_H

#include "base/error.h"

/*
 * Finds another program of ours: the one that the environment variable names, else the one beside
 * this program (in the build folder, and as installed), else the one in folder. NULL with the
 * reason in err where there is none. Owned by the caller.
 */
char *sibling_find(const char *name, const char *variable, const char *folder, struct error *err);

#endif
