// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/list.h"
#include "probe/probe.h"

const struct probe *const *probe_all(void)
{
	return probe_table;
}
