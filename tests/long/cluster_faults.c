/* SPDX-License-Identifier: MIT */
/*
 * cluster_faults.c — loaded before libc (LD_PRELOAD) by the nemesis: a disk that is slow or full, and a wall clock that
 * jumps, for one program of a node. The file that FAULTS_FILE names is a struct faults, which the nemesis writes while
 * the program runs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

struct faults {
    _Atomic int64_t sync_us;  /* each sync takes so much longer */
    _Atomic int64_t full;     /* 1: files do not grow and nothing is written to them */
    _Atomic int64_t ahead_ms; /* of the wall clock */
    _Atomic int64_t synced;   /* counted here: syncs that were slow */
    _Atomic int64_t refused;  /* counted here: writes that found the disk full */
};

static struct faults *faults;
static int (*true_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULTS_FILE");
    int         fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void       *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
    if (at != MAP_FAILED) faults = at;
    if (fd >= 0) (void)close(fd);
}

/* Sockets and pipes have no disk. */
static int is_file(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static int is_full(int fd)
{
    if (faults == NULL || faults->full == 0 || !is_file(fd)) return 0;
    faults->refused += 1;
    errno = ENOSPC;
    return 1;
}

static void wait_for_disk(void)
{
    struct timespec pause;
    int64_t         us = faults == NULL ? 0 : faults->sync_us;

    if (us <= 0) return;
    faults->synced += 1;
    pause = (struct timespec){ us / 1000000, us % 1000000 * 1000 };
    (void)syscall(SYS_nanosleep, &pause, NULL);
}

EXPORTED int     fsync(int fd);
EXPORTED int     fdatasync(int fd);
EXPORTED ssize_t write(int fd, const void *bytes, size_t len);
EXPORTED ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset);
EXPORTED ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset);
EXPORTED ssize_t writev(int fd, const struct iovec *parts, int count);
EXPORTED ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset);
EXPORTED int     posix_fallocate(int fd, off_t offset, off_t len);
EXPORTED int     fallocate(int fd, int mode, off_t offset, off_t len);
EXPORTED int     clock_gettime(clockid_t clock, struct timespec *at);
EXPORTED int     gettimeofday(struct timeval *at, void *zone);

int fsync(int fd)
{
    wait_for_disk();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    wait_for_disk();
    return (int)syscall(SYS_fdatasync, fd);
}

ssize_t write(int fd, const void *bytes, size_t len) { return is_full(fd) ? -1 : syscall(SYS_write, fd, bytes, len); }

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    return is_full(fd) ? -1 : syscall(SYS_pwrite64, fd, bytes, len, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset) { return pwrite(fd, bytes, len, offset); }

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    return is_full(fd) ? -1 : syscall(SYS_pwritev, fd, parts, count, offset, 0);
}

/* LMDB writes several pages with it; a page alone, and a meta page, with pwrite. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    return is_full(fd) ? -1 : syscall(SYS_writev, fd, parts, count);
}

int posix_fallocate(int fd, off_t offset, off_t len)
{
    if (is_full(fd)) return ENOSPC;
    return syscall(SYS_fallocate, fd, 0, offset, len) == 0 ? 0 : errno;
}

int fallocate(int fd, int mode, off_t offset, off_t len)
{
    return is_full(fd) ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, len);
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    int     result = true_clock != NULL ? true_clock(clock, at) : (int)syscall(SYS_clock_gettime, clock, at);
    int64_t ns;

    if (result != 0 || clock != CLOCK_REALTIME || faults == NULL || faults->ahead_ms == 0) return result;
    ns = (int64_t)at->tv_sec * 1000000000 + at->tv_nsec + faults->ahead_ms * 1000000;
    *at = (struct timespec){ ns / 1000000000, ns % 1000000000 };
    return 0;
}

int gettimeofday(struct timeval *at, void *zone)
{
    struct timespec now;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *at = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
    return 0;
}
