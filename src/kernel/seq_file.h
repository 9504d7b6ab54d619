/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_SEQ_FILE_H
#define CONTEND_KERNEL_SEQ_FILE_H

/*
 * Undoes in place what seq_escape() of the kernel does to a path in /proc/swaps or mountinfo: a
 * blank, tab, line feed, backslash or # is \ and three octal digits. Anything else stays.
 */
void seq_file_unescape(char *text);

#endif
