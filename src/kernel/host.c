// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/file.h"
#include "base/text.h"

enum { FILE_LIMIT = 16 << 20 }; /* /proc/cpuinfo: about 1.5 kB a CPU */

/* Adds a string where there is one. Takes it. */
static void add(json_t *host, const char *key, char *value)
{
	if (value && *value)
		json_object_set_new(host, key, json_string(value));
	free(value);
}

/* The value behind the first "name<blanks>: value" of a file such as /proc/cpuinfo. */
static char *field(const char *root, const char *path, const char *name)
{
	struct text contents __text = {0};
	struct error ignored;
	size_t length = strlen(name);

	if (!file_read(root, path, FILE_LIMIT, &contents, &ignored))
		return NULL;
	for (const char *line = text_string(&contents); line;) {
		const char *at = line + length;

		if (text_starts(line, name)) {
			while (*at == ' ' || *at == '\t')
				at++;
			if (*at == ':') {
				at++;
				while (*at == ' ' || *at == '\t')
					at++;
				return text_trim(text_format("%.*s", (int)strcspn(at, "\n"), at));
			}
		}
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return NULL;
}

#if defined(__x86_64__) || defined(__i386__)
/* A hypervisor that wants to be known sets a CPUID bit and signs leaf 0x40000000. */
static char *cpuid_hypervisor(void)
{
	static const struct {
		const char *signature, *name;
	} known[] = {
		{"KVMKVMKVM", "KVM"},	       {"TCGTCGTCGTCG", "QEMU TCG"},
		{"XenVMMXenVMM", "Xen"},       {"VMwareVMware", "VMware"},
		{"Microsoft Hv", "Hyper-V"},   {"bhyve bhyve ", "bhyve"},
		{"ACRNACRNACRN", "ACRN"},      {"prl hyperv  ", "Parallels"},
		{" lrpepyh  vr", "Parallels"},
	};
	unsigned int eax, part[3], ecx, edx;
	char signature[sizeof(part) + 1];

	if (!__get_cpuid(1, &eax, &part[0], &ecx, &edx))
		return NULL;
	if (!(ecx & (1U << 31)))
		return text_format("none");
	/* Not __get_cpuid(): its limit is that of the basic leaves. */
	__cpuid(0x40000000, eax, part[0], part[1], part[2]);
	memcpy(signature, part, sizeof(part));
	signature[sizeof(part)] = '\0';
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (text_equal(signature, known[i].signature))
			return text_format("%s", known[i].name);
	}
	for (const char *at = signature; *at; at++) {
		if (!isprint((unsigned char)*at))
			return NULL;
	}
	return text_format("%s", signature);
}
#endif

static char *hypervisor(const char *root)
{
	char *type = file_read_line(root, "/sys/hypervisor/type");

#if defined(__x86_64__) || defined(__i386__)
	/* The instruction speaks of this machine only, not of a captured one. */
	if (!type && !*root)
		return cpuid_hypervisor();
#endif
	return type;
}

/* "always [madvise] never": the word in brackets. */
static char *chosen(const char *root, const char *path)
{
	char *line __free(memory) = file_read_line(root, path);
	const char *open = line ? strchr(line, '[') : NULL;

	return open ? text_format("%.*s", (int)strcspn(open + 1, "]"), open + 1) : NULL;
}

static void add_kernel(json_t *host, const char *root)
{
	struct utsname names;

	if (!*root && !uname(&names)) {
		json_object_set_new(host, "kernel", json_string(names.release));
		json_object_set_new(host, "version", json_string(names.version));
		json_object_set_new(host, "machine", json_string(names.machine));
		return;
	}
	add(host, "kernel", file_read_line(root, "/proc/sys/kernel/osrelease"));
	add(host, "version", file_read_line(root, "/proc/sys/kernel/version"));
	add(host, "machine", file_read_line(root, "/proc/sys/kernel/arch"));
}

static void add_numbers(json_t *host, const char *root)
{
	char *memory __free(memory) = field(root, "/proc/meminfo", "MemTotal");
	char *load __free(memory) = file_read_line(root, "/proc/loadavg");
	long long total_kb;
	double load1;

	if (memory && sscanf(memory, "%lld kB", &total_kb) == 1)
		json_object_set_new(host, "memory_bytes", json_integer(total_kb * 1024));
	if (!*root)
		json_object_set_new(host, "page_bytes", json_integer(sysconf(_SC_PAGESIZE)));
	if (load && sscanf(load, "%lf", &load1) == 1)
		json_object_set_new(host, "load1", json_real(load1));
}

json_t *host_describe(const char *root)
{
	json_t *host = json_object();

	add_kernel(host, root);
	add(host, "cpus_online", file_read_line(root, "/sys/devices/system/cpu/online"));
	add(host, "cpus_allowed", field(root, "/proc/self/status", "Cpus_allowed_list"));
	add(host, "cpu_model", field(root, "/proc/cpuinfo", "model name"));
	add(host, "hypervisor", hypervisor(root));
	add(host, "clocksource",
	    file_read_line(root,
			   "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	add(host, "thp", chosen(root, "/sys/kernel/mm/transparent_hugepage/enabled"));
	add_numbers(host, root);
	return host;
}
