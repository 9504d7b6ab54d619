// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/list.h"
#include "setup/setup.h"

const struct setup *const *setup_all(void)
{
	return setup_table;
}
