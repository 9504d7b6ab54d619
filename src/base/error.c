// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool (error_set)(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return false;
}

bool (error_set_errno)(struct error *err, const char *format, ...)
{
	int saved = errno;
	char reason[128];
	size_t used;
	va_list args;

	err->code = ERROR_SYSTEM;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s",
		 strerror_r(saved, reason, sizeof(reason)));
	return false;
}

bool (error_wrap)(struct error *err, const char *format, ...)
{
	char inner[sizeof(err->text)];
	size_t used;
	va_list args;

	memcpy(inner, err->text, sizeof(inner));
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner);
	return false;
}
