/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_INTERRUPT_H
#define CONTEND_CLI_INTERRUPT_H

#include "base/error.h"

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP makes *ret_fd readable, and another one, a moment
 * later, ends the process at once (an agent then sees the end of its input, and ends too). Signals
 * that were ignored stay so (nohup).
 */
bool interrupt_catch(int *ret_fd, struct error *err);

#endif
