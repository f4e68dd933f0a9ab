/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h — what the process may still ask of the kernel once it has started (process 7). Whoever gets it to run
 * his code finds no way to start a program, to look into another process, or to become somebody else.
 */
#ifndef IO_SANDBOX_H
#define IO_SANDBOX_H

#include "base/base.h"

/* A sanitizer's library asks for things of its own: such builds have no sandbox. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_LEFT_OUT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANDBOX_LEFT_OUT
#endif
#endif

/*
 * For the calling thread and those that it starts from now on there is no io_uring (ENOSYS): what is asked through a
 * ring goes past the filter of sandbox_close. 0 or errno.
 */
int sandbox_refuse_rings(void) MUST_USE;

/*
 * From now on, for all threads there are and will be, and for good: system calls that are listed in sandbox.c work,
 * those that only an attacker wants end the process (SIGSYS), all others fail with EPERM. 0 or errno; ENOTSUP where
 * there is no list for this processor, or a sanitizer in the build.
 */
int sandbox_close(void) MUST_USE;

/*
 * For the calling thread alone, behind sandbox_close (which cannot be called for all any more once a thread has a
 * filter of its own): what whoever answers strangers' connections needs, and no more. It opens no socket, writes and
 * makes no file, starts no thread. 0, errno or ENOTSUP.
 */
int sandbox_close_reader(void) MUST_USE;

#endif
