// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/aslr.h"

#include <sys/personality.h>

#include "base/text.h"

/* Asks, and changes nothing. */
static const unsigned long query = 0xffffffff;

bool aslr_is_forbidden(void)
{
	int now = personality(query);

	return now >= 0 && now & ADDR_NO_RANDOMIZE;
}

char *aslr_personality_before(void)
{
	return text_format("%08x", (unsigned int)personality(query) & ~ADDR_NO_RANDOMIZE);
}

bool aslr_forbid(struct error *err)
{
	int now = personality(query);

	if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
		return error_set_errno(err, "personality");
	return true;
}
