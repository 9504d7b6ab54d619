// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "kernel/abi.h"
#include "kernel/memfd.h"

/* Where the file is mapped: 64 KiB pages divide it too. */
#define PROGRAM_ADDRESS 0x400000UL
#define PROGRAM_ALIGN 0x10000UL

#if defined(__x86_64__)
#define PROGRAM_MACHINE EM_X86_64
#define PROGRAM_CODE                                                                               \
	{                                                                                          \
		0xb8, 0xe7, 0x00, 0x00, 0x00, /* mov  $231, %eax: exit_group */                    \
		0x31, 0xff,                   /* xor  %edi, %edi */                                \
		0x0f, 0x05,                   /* syscall */                                        \
	}
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define PROGRAM_MACHINE EM_AARCH64
#define PROGRAM_CODE                                                                               \
	{                                                                                          \
		0xc8, 0x0b, 0x80, 0xd2, /* mov x8, #94: exit_group */                              \
		0x00, 0x00, 0x80, 0xd2, /* mov x0, #0 */                                           \
		0x01, 0x00, 0x00, 0xd4, /* svc #0 */                                               \
	}
#endif

#ifdef PROGRAM_MACHINE
/* The file. A linker would leave the same, and room for symbols and sections that nobody needs. */
static const struct {
	Elf64_Ehdr header;
	Elf64_Phdr text, stack;
	unsigned char code[12];
} program = {
	.header =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				    EV_CURRENT, ELFOSABI_NONE},
			.e_type = ET_EXEC,
			.e_machine = PROGRAM_MACHINE,
			.e_version = EV_CURRENT,
			.e_entry = PROGRAM_ADDRESS + sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr),
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
		},
	.text =
		{
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = PROGRAM_ADDRESS,
			.p_paddr = PROGRAM_ADDRESS,
			.p_filesz = sizeof(program),
			.p_memsz = sizeof(program),
			.p_align = PROGRAM_ALIGN,
		},
	/* Without it some machines take the stack for executable. */
	.stack = {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16},
	.code = PROGRAM_CODE,
};

bool program_open(int *ret_fd, struct error *err)
{
	/* Executable also where memfds are not by default (vm.memfd_noexec=1). */
	int fd __free(fd) = memfd_make("contend-program", MFD_EXEC, MFD_CLOEXEC);

	if (fd < 0) {
		error_set_errno(err, "make an executable memfd (vm.memfd_noexec?)");
		err->code = ERROR_UNSUPPORTED;
		return false;
	}
	if (!file_write_all(fd, &program, sizeof(program), err))
		return error_wrap(err, "write the program");
	*ret_fd = take_fd(fd);
	return true;
}
#else
bool program_open(int *ret_fd __attribute__((unused)), struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED,
			 "this build has no program to execute for this kind of machine");
}
#endif

void program_become(int fd)
{
	static char name[] = "contend-program";
	static char *const argv[] = {name, NULL}, *const envp[] = {NULL};

	syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}
