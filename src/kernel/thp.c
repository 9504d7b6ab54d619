// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/thp.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/units.h"

size_t thp_pmd_bytes(const char *root)
{
	char *line __free(memory) =
		file_read_line(root, "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	struct error ignored;
	int64_t bytes;

	return line && units_parse_bytes(line, &bytes, &ignored) ? (size_t)bytes : 0;
}
