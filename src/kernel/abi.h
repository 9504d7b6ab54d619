/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_ABI_H
#define CONTEND_KERNEL_ABI_H

#include <linux/types.h>
#include <sys/ioctl.h>

/* Kernel interfaces newer than the distribution's headers (Debian 12: Linux 6.1). */

/* PROCMAP_QUERY on /proc/PID/maps: Linux 6.11, commit bfc69fd05ef9. */
#ifndef PROCMAP_QUERY
#define PROCMAP_QUERY _IOWR('f', 17, struct procmap_query)

enum procmap_query_flags {
	PROCMAP_QUERY_VMA_READABLE = 0x01,
	PROCMAP_QUERY_VMA_WRITABLE = 0x02,
	PROCMAP_QUERY_VMA_EXECUTABLE = 0x04,
	PROCMAP_QUERY_VMA_SHARED = 0x08,
	PROCMAP_QUERY_COVERING_OR_NEXT_VMA = 0x10,
	PROCMAP_QUERY_FILE_BACKED_VMA = 0x20,
};

struct procmap_query {
	__u64 size;
	__u64 query_flags;
	__u64 query_addr;
	__u64 vma_start;
	__u64 vma_end;
	__u64 vma_flags;
	__u64 vma_page_size;
	__u64 vma_offset;
	__u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 vma_name_size;
	__u32 build_id_size;
	__u64 vma_name_addr;
	__u64 build_id_addr;
};
#endif

/* madvise() that makes huge pages of what is there: Linux 6.1, commit 7d8faaf15545. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* A memfd that may be executed, whatever vm.memfd_noexec says: Linux 6.3, commit 105ff5339f49. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* One that may not: the same commit. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#endif
