// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/hypervisor.h"

#include <ctype.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/file.h"

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

char *hypervisor_name(const char *root)
{
	char *type = file_read_line(root, "/sys/hypervisor/type");

#if defined(__x86_64__) || defined(__i386__)
	/* The instruction speaks of this machine only, not of a captured one. */
	if (!type && !*root)
		return cpuid_hypervisor();
#endif
	return type;
}
