// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/elf.h"
#include "base/file.h"

/*
 * A shared object that is all there is of one: headers, a build id, and two names, one of them its.
 */
static struct {
	ElfW(Ehdr) header;
	ElfW(Shdr) sections[4];
	ElfW(Nhdr) note;
	char note_name[4];
	unsigned char id[20];
	ElfW(Sym) symbols[3];
	char names[24];
} made;

#define AT(field) offsetof(__typeof__(made), field)

/* The machine that this is. */
static unsigned short our_machine(void)
{
	struct text self __text = {0};
	struct error err;
	ElfW(Ehdr) header;

	assert_true(file_read_head("", "/proc/self/exe", sizeof(header), &self, &err));
	memcpy(&header, self.bytes, sizeof(header));
	return header.e_machine;
}

static int make(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	memcpy(made.header.e_ident, ELFMAG, SELFMAG);
	made.header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	made.header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	made.header.e_type = ET_DYN;
	made.header.e_machine = our_machine();
	made.header.e_shoff = AT(sections);
	made.header.e_shentsize = sizeof(ElfW(Shdr));
	made.header.e_shnum = 4;
	made.sections[1] = (ElfW(Shdr)){
		.sh_type = SHT_NOTE,
		.sh_offset = AT(note),
		.sh_size = AT(symbols) - AT(note),
	};
	made.sections[2] = (ElfW(Shdr)){
		.sh_type = SHT_DYNSYM,
		.sh_offset = AT(symbols),
		.sh_size = sizeof(made.symbols),
		.sh_link = 3,
	};
	made.sections[3] = (ElfW(Shdr)){
		.sh_type = SHT_STRTAB,
		.sh_offset = AT(names),
		.sh_size = sizeof(made.names),
	};
	made.note = (ElfW(Nhdr)){.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID};
	memcpy(made.note_name, "GNU", 4);
	memset(made.id, 0xa5, sizeof(made.id));
	memcpy(made.names, "\0wanted\0testcase", 17);
	made.symbols[1] = (ElfW(Sym)){.st_name = 1, .st_shndx = SHN_UNDEF};
	made.symbols[2] = (ElfW(Sym)){.st_name = 8, .st_shndx = 1};
	return 0;
}

static void refused(const char *reason)
{
	struct error err;

	assert_false(elf_check_shared(&made, sizeof(made), &err));
	assert_int_equal(err.code, ERROR_DATA);
	if (!strstr(err.text, reason))
		fail_msg("'%s' is not said in '%s'", reason, err.text);
}

static void test_whole(void **state)
{
	char build[ELF_BUILD_TEXT];
	struct error err;
	size_t at = 0;

	(void)state;
	assert_true(elf_check_shared(&made, sizeof(made), &err));
	elf_build_id(&made, sizeof(made), build);
	assert_string_equal(build, "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5");
	assert_string_equal(elf_next_defined(&made, sizeof(made), &at), "testcase");
	assert_null(elf_next_defined(&made, sizeof(made), &at));
	assert_true(elf_defines(&made, sizeof(made), "testcase"));
	/* What it wants of others is not its own. */
	assert_false(elf_defines(&made, sizeof(made), "wanted"));
}

static void test_no_build_id(void **state)
{
	char build[ELF_BUILD_TEXT];

	(void)state;
	made.note.n_type = NT_GNU_ABI_TAG;
	elf_build_id(&made, sizeof(made), build);
	assert_string_equal(build, "");
	/* One that says that it is longer than its section. */
	made.note.n_type = NT_GNU_BUILD_ID;
	made.note.n_descsz = 4000;
	elf_build_id(&made, sizeof(made), build);
	assert_string_equal(build, "");
}

static void test_refused(void **state)
{
	struct error err;

	(void)state;
	made.header.e_type = ET_REL;
	refused("object file of the compiler");
	made.header.e_type = ET_EXEC;
	refused("ELF type 2");
	made.header.e_type = ET_DYN;
	made.header.e_machine = EM_SPARC;
	refused("ELF machine 2");
	made.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
	refused("byte order");
	made.header.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
	refused("-bit programs");
	made.header.e_ident[0] = 'F';
	refused("no ELF file");
	assert_false(elf_check_shared("", 0, &err));
}

/* Whatever it says, nothing outside of it is read: AddressSanitizer sees to that. */
static void test_damaged(void **state)
{
	for (size_t at = 0; at < sizeof(made); at++) {
		for (unsigned int value = 0; value < 256; value += 15) {
			char *copy __free(memory) = malloc(sizeof(made));
			char build[ELF_BUILD_TEXT];
			struct error err;

			make(state);
			memcpy(copy, &made, sizeof(made));
			copy[at] = (char)value;
			elf_check_shared(copy, sizeof(made), &err);
			elf_build_id(copy, sizeof(made), build);
			elf_defines(copy, sizeof(made), "nobody");
		}
	}
}

static void test_cut(void **state)
{
	(void)state;
	for (size_t length = 0; length < sizeof(made); length++) {
		char *copy __free(memory) = malloc(length + 1);
		char build[ELF_BUILD_TEXT];
		struct error err;

		memcpy(copy, &made, length);
		copy = realloc(copy, length ? length : 1);
		elf_check_shared(copy, length, &err);
		elf_build_id(copy, length, build);
		elf_defines(copy, length, "nobody");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_whole, make),
		cmocka_unit_test_setup(test_no_build_id, make),
		cmocka_unit_test_setup(test_refused, make),
		cmocka_unit_test_setup(test_damaged, make),
		cmocka_unit_test_setup(test_cut, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
