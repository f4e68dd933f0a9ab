/* SPDX-License-Identifier: MIT */
#include "io/disk.h"

#include "io/clock.h"
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME_BYTES   64
#define ZEROS_BYTES  (128 * 1024)
#define DIRECT_BYTES 4096 /* what goes past the cache lies in memory at a multiple of it */

static int folder_fd(void *self) { return ((const struct disk_folder *)self)->fd; }

/* ---- whole transfers ---- */

static int write_all(int fd, uint64_t offset, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len > 0) {
        ssize_t n = pwrite(fd, at, len, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return EIO;
        at += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

static int read_all(int fd, uint64_t offset, void *bytes, size_t len)
{
    uint8_t *at = bytes;

    while (len > 0) {
        ssize_t n = pread(fd, at, len, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return EIO;
        at += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

/* ---- the table ---- */

static int folder_size(void *self, const char *name, uint64_t *bytes)
{
    struct stat status;

    if (fstatat(folder_fd(self), name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return EINVAL;
    *bytes = (uint64_t)status.st_size;
    return 0;
}

static int file_open(void *self, const char *name, bool write, int *handle)
{
    int fd = openat(folder_fd(self), name, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0) return errno;
    *handle = fd;
    return 0;
}

static int file_read(void *self, int handle, uint64_t offset, void *bytes, size_t len)
{
    (void)self;
    return read_all(handle, offset, bytes, len);
}

static int file_write(void *self, int handle, uint64_t offset, const void *bytes, size_t len)
{
    (void)self;
    return write_all(handle, offset, bytes, len);
}

/* A file system that knows no holes says that all is data, and one that fails is not believed. */
static uint64_t file_find_data(void *self, int handle, uint64_t offset)
{
    off_t found = lseek(handle, (off_t)offset, SEEK_DATA);

    (void)self;
    if (found < 0) return errno == ENXIO ? UINT64_MAX : offset;
    return (uint64_t)found;
}

static int file_sync(void *self, int handle)
{
    int64_t began_ns = clock_mono_ns();
    int     error;

    if (atomic_load(&((struct disk_folder *)self)->lazy)) return 0;
    error = fdatasync(handle) == 0 ? 0 : errno;

    histogram_add_shared(&((struct disk_folder *)self)->syncs, clock_mono_ns() - began_ns);
    return error;
}

static void file_close(void *self, int handle)
{
    (void)self;
    close(handle);
}

enum zeros { ZEROS_WRITTEN, ZEROS_ALLOCATED, ZEROS_SPARSE };

/* From now on writes of a file go past the system's cache, or through it. A file system that cannot leaves it as it
 * was. */
static void set_direct(int fd, bool direct)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags >= 0) (void)fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

/* Zeros on the disk, past the cache (decision 157). */
static int write_zeros(int fd, uint64_t at, uint64_t len)
{
    /* never written; const, it would take this much of the program's file */
    static _Alignas(DIRECT_BYTES) uint8_t zeros[ZEROS_BYTES];
    int                                   error = write_all(fd, at, zeros, (size_t)len);

    if (error == EINVAL) { /* a device with larger blocks, or the end of a file between two blocks */
        set_direct(fd, false);
        error = write_all(fd, at, zeros, (size_t)len);
    }
    return error != 0 ? error : files_write_back(fd, at, len);
}

/*
 * Allocates first, so that a full disk fails here, and then writes the zeros, so that later writes change no metadata.
 * Each piece is on the disk before the next is written: a sync of another file waits for one piece at most.
 */
static int fill_zeros(const struct disk_folder *folder, int fd, uint64_t bytes, enum zeros how)
{
    if (how == ZEROS_SPARSE) return ftruncate(fd, (off_t)bytes) == 0 ? 0 : errno;
    int error = bytes == 0 ? 0 : posix_fallocate(fd, 0, (off_t)bytes);
    set_direct(fd, how == ZEROS_WRITTEN);
    for (uint64_t at = 0; how == ZEROS_WRITTEN && at < bytes && error == 0; at += ZEROS_BYTES) {
        if (atomic_load(&folder->ending)) return ECANCELED;
        error = write_zeros(fd, at, min_u64(bytes - at, ZEROS_BYTES));
    }
    return error;
}

/* Makes NAME.tmp durable with the given content (NULL: zeros), and renames it. */
static int put_file(void *self, const char *name, const void *bytes, uint64_t len, enum zeros how)
{
    char temporary[NAME_BYTES];
    int  folder = folder_fd(self), fd, error;

    if (snprintf(temporary, sizeof(temporary), "%s.tmp", name) >= (int)sizeof(temporary)) return ENAMETOOLONG;
    fd = openat(folder, temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return errno;
    error = bytes == NULL ? fill_zeros(self, fd, len, how) : write_all(fd, 0, bytes, (size_t)len);
    if (error == 0 && fsync(fd) != 0) error = errno;
    if (close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && renameat(folder, temporary, folder, name) != 0) error = errno;
    if (error != 0) {
        unlinkat(folder, temporary, 0);
        return error;
    }
    return fsync(folder) == 0 ? 0 : errno;
}

static int put_zeros(void *self, const char *name, uint64_t bytes, enum zeros how)
{
    uint64_t there;
    int      error = folder_size(self, name, &there);

    if (error != ENOENT) return error == 0 ? EEXIST : error;
    return put_file(self, name, NULL, bytes, ((const struct disk_folder *)self)->sparse ? ZEROS_SPARSE : how);
}

static int folder_create(void *self, const char *name, uint64_t bytes)
{
    return put_zeros(self, name, bytes, ZEROS_WRITTEN);
}

static int folder_reserve(void *self, const char *name, uint64_t bytes)
{
    return put_zeros(self, name, bytes, ZEROS_ALLOCATED);
}

static int folder_replace(void *self, const char *name, const void *bytes, size_t len)
{
    return put_file(self, name, len == 0 ? "" : bytes, len, ZEROS_WRITTEN);
}

static int folder_remove(void *self, const char *name)
{
    if (unlinkat(folder_fd(self), name, 0) != 0) return errno;
    return fsync(folder_fd(self)) == 0 ? 0 : errno;
}

static int folder_rename(void *self, const char *from, const char *to)
{
    if (renameat(folder_fd(self), from, folder_fd(self), to) != 0) return errno;
    return fsync(folder_fd(self)) == 0 ? 0 : errno;
}

/* ---- the folder ---- */

/* The folder's own name. Who made it and was killed, or an operator,
   has not synced it: without it all that is in it is lost. */
static int sync_parent(int fd, bool made)
{
    int parent = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

    if (parent < 0 || fsync(parent) != 0) error = errno;
    if (parent >= 0) close(parent);
    /* A folder that was made for us may lie in one that is not ours to read, or is of a kind that cannot be synced. */
    return !made && (error == EACCES || error == EPERM || error == EROFS || error == EINVAL) ? 0 : error;
}

int disk_rename_folder(const char *from, const char *to)
{
    int fd, error;

    if (rename(from, to) != 0) return errno;
    fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno;
    error = sync_parent(fd, false);
    close(fd);
    return error;
}

int disk_open(struct disk_folder *folder, const char *path, enum disk_use use, bool sparse, struct disk *disk)
{
    bool made = use == DISK_WRITE && mkdir(path, 0700) == 0;
    int  error = 0;

    if (use == DISK_WRITE && !made && errno != EEXIST) return errno;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno;
    if (use == DISK_WRITE) error = sync_parent(fd, made);
    /* A file that a killed process made may not have its name on disk yet; from here on it has. */
    if (error == 0 && use == DISK_WRITE && !made && fsync(fd) != 0) error = errno;
    if (error != 0) {
        close(fd);
        return error;
    }
    *folder = (struct disk_folder){ .fd = fd, .sparse = sparse };
    *disk = (struct disk){ .self = folder,
                           .size = folder_size,
                           .create = folder_create,
                           .reserve = folder_reserve,
                           .open = file_open,
                           .read = file_read,
                           .write = file_write,
                           .find_data = file_find_data,
                           .sync = file_sync,
                           .close = file_close,
                           .replace = folder_replace,
                           .remove = folder_remove,
                           .rename = folder_rename };
    return 0;
}

void disk_close(struct disk_folder *folder)
{
    close(folder->fd);
    folder->fd = -1;
}

int disk_sync_all(const struct disk_folder *folder) { return syncfs(folder->fd) == 0 ? 0 : errno; }

void disk_end_filling(struct disk_folder *folder) { atomic_store(&folder->ending, true); }

int disk_changed_ns(const struct disk_folder *folder, const char *name, int64_t *ns)
{
    struct stat status;

    if (fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    *ns = status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
    return 0;
}

int disk_free_bytes(const struct disk_folder *folder, uint64_t *bytes)
{
    struct statvfs info;

    if (fstatvfs(folder->fd, &info) != 0) return errno;
    *bytes = (uint64_t)info.f_bavail * info.f_frsize;
    return 0;
}

int disk_lock(const char *path, enum disk_use use, int *fd) { return disk_lock_name(path, "lock", use, fd); }

int disk_lock_name(const char *path, const char *file, enum disk_use use, int *fd)
{
    char name[4096];

    *fd = -1;
    if (snprintf(name, sizeof(name), "%s/%s", path, file) >= (int)sizeof(name)) return ENAMETOOLONG;
    int lock = open(name, use != DISK_READ ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0600);
    if (lock < 0) return errno == ENOENT && use == DISK_READ ? 0 : errno;
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        int error = errno;
        close(lock);
        return error;
    }
    *fd = lock;
    return 0;
}
