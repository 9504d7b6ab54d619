/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_CLI_COMMAND_H
#define CONTEND_CLI_COMMAND_H

#include "base/error.h"
#include "report/report.h"

/*
 * The door for whoever adds a command: one file with one `const struct command command_NAME`, and
 * its name in meson.build.
 */
struct command {
	const char *name;
	const char *summary; /* its line in `contend --help` */

	/*
	 * argv[0] is "contend NAME". Returns the exit status, having printed what there is to print
	 * on standard output, or COMMAND_FAILED with the reason in err, which main() prints.
	 */
	int (*run)(int argc, char **argv, struct error *err);
};

enum { COMMAND_FAILED = -1 };

/*
 * Exit statuses; what is between 0 and 3 is a verdict's (judgement_status()), and
 * STATUS_INTERRUPTED is the report's.
 */
enum { STATUS_OK = 0, STATUS_USAGE = 2, STATUS_IMPOSSIBLE = 4 };

#endif
