/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STORE_SCHEMA_H
#define CONTEND_STORE_SCHEMA_H

/*
 * The tables of a store as the steps that lead to them: step N takes a file of version N to N + 1.
 * A step never changes once it has been released; a change of the tables is one more step, and
 * STORE_VERSION one more. C strings rather than a file that the build embeds: the steps are then in
 * the program by the language alone, and each can have its reason beside it.
 */
extern const char *const schema_steps[];

#endif
