/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_DATABASE_OPEN_H
#define CONTEND_STORE_DATABASE_OPEN_H

#include "store/database.h"

/* See store_open(). */
bool database_open(struct database *d, const char *path, bool create, struct error *err);

/* Makes every commit durable in the way that does not block readers. The last step of opening. */
bool database_use_wal(struct database *d, struct error *err);

#endif
