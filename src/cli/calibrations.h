/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_CALIBRATIONS_H
#define CONTEND_CLI_CALIBRATIONS_H

#include "cli/options.h"
#include "store/store.h"

/* Lists the calibrations of a store, a line each or as JSON. Returns as a command does. */
int calibrations_list(const struct common *c, struct store *store, struct error *err);

#endif
