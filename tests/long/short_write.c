/* SPDX-License-Identifier: MIT */
/*
 * short_write.c — loaded before libc (LD_PRELOAD): the SHORT_WRITE_AT-th pwrite of more than half a block writes only
 * its first half, as a disk may; all later ones too when SHORT_WRITE_ALWAYS is set. strace can change a call's result,
 * but not how much it wrote.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset);
__attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset);

static size_t cut(size_t len)
{
    static _Atomic long calls;
    const char         *at = getenv("SHORT_WRITE_AT");
    long                number;

    if (at == NULL || len < 2048) return len;
    number = atomic_fetch_add(&calls, 1) + 1;
    return number == atol(at) || (number > atol(at) && getenv("SHORT_WRITE_ALWAYS") != NULL) ? len / 2 : len;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    return syscall(SYS_pwrite64, fd, bytes, cut(len), offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
    return syscall(SYS_pwrite64, fd, bytes, cut(len), offset);
}
