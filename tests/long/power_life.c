/* SPDX-License-Identifier: MIT */
/*
 * power_life.c — loaded before libc (LD_PRELOAD): the machine's boot id is the content of the file that POWER_BOOT_ID
 * names, so that a machine with its power back has a new one. With POWER_NO_SYNC=N the N-th fdatasync and all later
 * ones do nothing and report success (a planted bug).
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))
SEEN int open(const char *path, int flags, ...);
SEEN int open64(const char *path, int flags, ...);
SEEN int fdatasync(int file);

static int open_other(const char *path, int flags, mode_t mode)
{
    const char *boot_id = getenv("POWER_BOOT_ID");
    const char *other = boot_id != NULL && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? boot_id : path;

    return (int)syscall(SYS_openat, AT_FDCWD, other, flags, mode);
}

static mode_t mode_of(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    int file = open_other(path, flags, mode_of(flags, arguments));
    va_end(arguments);
    return file;
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    int file = open_other(path, flags, mode_of(flags, arguments));
    va_end(arguments);
    return file;
}

int fdatasync(int file)
{
    static _Atomic long calls;
    const char         *from = getenv("POWER_NO_SYNC");

    return from != NULL && ++calls >= atol(from) ? 0 : (int)syscall(SYS_fdatasync, file);
}
