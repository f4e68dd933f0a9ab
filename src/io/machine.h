/* SPDX-License-Identifier: MIT */
/* machine.h — what the machine under an exchange is like, for dojima doctor. Nothing here is for hot paths. */
#ifndef IO_MACHINE_H
#define IO_MACHINE_H

#include "base/base.h"

/* Whether the kernel reports a synchronized clock; *error_us is its estimate of the clock's error. */
bool machine_clock_is_kept(int64_t *error_us);

struct machine_folder {
    bool     is_own;                /* it belongs to the user of this process */
    uint32_t mode;                  /* its permissions */
    uint64_t free_bytes, all_bytes; /* of its file system, for this user */
};

/* 0 or errno: ENOENT, ENOTDIR, EACCES … when files cannot be made in it. */
int machine_look_at_folder(const char *path, struct machine_folder *folder) MUST_USE;

#define MACHINE_SYNCS 32

/*
 * Writes 4 KiB to a file of its own in the folder and waits until they are durable, MACHINE_SYNCS times; the file is
 * gone then. The median and the longest time, nanoseconds. 0 or errno.
 */
int machine_measure_syncs(const char *path, int64_t *median_ns, int64_t *longest_ns) MUST_USE;

enum machine_huge { HUGE_UNKNOWN = 0, HUGE_NEVER, HUGE_ASKED, HUGE_ALWAYS };

/* What the kernel's text says: the value in force stands in brackets, "always [madvise] never". */
enum machine_huge machine_read_huge_pages(const char *setting);

/* Whether the kernel gives a process pages of 2 MiB by itself. */
enum machine_huge machine_huge_pages(void);

#endif
