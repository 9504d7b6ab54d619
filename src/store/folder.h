/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_FOLDER_H
#define CONTEND_STORE_FOLDER_H

#include "base/error.h"

/*
 * Makes the folder for a new file, with those above it, durably and for their owner alone. False
 * where none can be made or written: SQLite would only say that there is no file.
 */
bool folder_make_for(const char *path, struct error *err);

#endif
