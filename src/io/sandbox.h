/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h — the system calls that the process may make after its start (process 7). Code that an attacker injects
 * can start no program, read no other process and change no identity.
 */
#ifndef IO_SANDBOX_H
#define IO_SANDBOX_H

#include "base/base.h"

/* A sanitizer's runtime makes calls of its own: such builds have no sandbox. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_LEFT_OUT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANDBOX_LEFT_OUT
#endif
#endif

/*
 * Refuses io_uring (ENOSYS) to the calling thread and those that it starts from now on: requests through a ring would
 * bypass the filter of sandbox_close. 0 or errno.
 */
int sandbox_refuse_rings(void) MUST_USE;

/*
 * From now on, for all threads there are and will be, and for good: system calls that are listed in sandbox.c work,
 * those that only an attacker wants end the process (SIGSYS), all others fail with EPERM. 0 or errno; ENOTSUP where
 * there is no list for this processor, or a sanitizer in the build.
 */
int sandbox_close(void) MUST_USE;

/*
 * For the calling thread alone, after sandbox_close (which cannot be called for all threads once one has a filter of
 * its own): only the calls that serving connections needs. The thread opens no socket, writes and creates no file,
 * starts no thread. 0, errno or ENOTSUP.
 */
int sandbox_close_reader(void) MUST_USE;

#endif
