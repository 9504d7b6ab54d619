/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_IMPORT_IMPORTER_H
#define CONTEND_IMPORT_IMPORTER_H

#include "model/description.h"
#include "model/run.h"

/*
 * What other programs print, read. An agent sends the outputs of the programs that it executed
 * along, as they are (docs/wire.md); here they become figures, each time that a run is looked at,
 * so that what was read wrongly can be read again.
 */

/*
 * Reads the outputs of a run for the metrics that need them (SUMMARY_READING): run->readings. False
 * (ERROR_DATA) with what was not found, and the last lines there are. Without such metrics, or of a
 * run that is not ok, it does nothing.
 */
bool importer_read_run(struct run *run, const struct description *d, struct error *err);

#endif
