/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_NAMES_H
#define CONTEND_CLI_NAMES_H

#include "base/error.h"

/*
 * Refuses a name that is not among the known ones (a list that ends with NULL), with the nearest of
 * them where one is near: "no option '--pair'; did you mean '--pairs'?". Returns false.
 */
bool names_refuse(const char *what, const char *name, const char *const *known, struct error *err);

#endif
