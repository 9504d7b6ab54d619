/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_WAIT_H
#define CONTEND_STORE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Waiting for another process that has a lock on the store, until the user wants to stop. */

/* How long, without a user who wants to stop; its transactions take milliseconds. */
enum { WAIT_SECONDS = 30 };

/* True when the user wants to stop (store_stop_on()). */
bool wait_is_stopped(void);

/* For whoever waits since then (clock_now_ns()): waits a little longer. False: that is enough. */
bool wait_a_little(int64_t since_ns);

#endif
