/* SPDX-License-Identifier: MIT */
#include "io/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int files_make_folder(const char *path)
{
    struct stat info;

    if (mkdir(path, 0700) == 0) return 0;
    if (errno != EEXIST) return errno;
    if (stat(path, &info) != 0) return errno;
    return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}

int files_make_temporary(char *path, size_t cap)
{
    const char *place = getenv("TMPDIR");
    int         len;

    if (place == NULL || place[0] == '\0') place = "/tmp";
    len = snprintf(path, cap, "%s/dojima-XXXXXX", place);
    if (len < 0 || (size_t)len >= cap) return ENAMETOOLONG;
    return mkdtemp(path) != NULL ? 0 : errno;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    (void)remove(path);
    return 0;
}

void files_remove_tree(const char *path) { (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

static bool is_one_of(const char *name, const char *const known[])
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    for (; *known != NULL; known++)
        if (strcmp(name, *known) == 0) return true;
    return false;
}

int files_find_other(const char *path, const char *const known[], char name[256])
{
    DIR                 *folder = opendir(path);
    const struct dirent *entry;
    int                  error = 0;

    if (folder == NULL) return errno == ENOENT ? 0 : errno;
    while (error == 0 && (entry = readdir(folder)) != NULL) {
        if (is_one_of(entry->d_name, known)) continue;
        (void)snprintf(name, 256, "%s", entry->d_name);
        error = EEXIST;
    }
    (void)closedir(folder);
    return error;
}

int files_keep_from_children(int handle) { return fcntl(handle, F_SETFD, FD_CLOEXEC) == 0 ? 0 : errno; }

void files_close(int handle)
{
    if (handle >= 0) (void)close(handle);
}

int files_check_folder(const char *path, bool write)
{
    struct stat info;

    if (stat(path, &info) != 0) return errno;
    if (!S_ISDIR(info.st_mode)) return ENOTDIR;
    return access(path, R_OK | X_OK | (write ? W_OK : 0)) == 0 ? 0 : errno;
}

int files_read(const char *path, void *bytes, size_t cap, size_t *len)
{
    int     handle = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;

    *len = 0;
    if (handle < 0) return errno;
    while (got > 0 && *len < cap) {
        got = read(handle, (char *)bytes + *len, cap - *len);
        if (got < 0 && errno == EINTR) got = 1;
        else if (got > 0) *len += (size_t)got;
    }
    got = got < 0 ? errno : 0;
    (void)close(handle);
    return (int)got;
}

int files_create(const char *path, struct slice bytes)
{
    int     handle = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600), error = 0;
    ssize_t done;

    if (handle < 0) return errno;
    done = write(handle, bytes.at, bytes.len);
    if (done != (ssize_t)bytes.len) error = done < 0 ? errno : ENOSPC;
    if (error == 0 && fsync(handle) != 0) error = errno;
    (void)close(handle);
    if (error != 0) (void)unlink(path);
    return error;
}

/* Its end, which is in the middle of a line when a writer was cut off there. */
static int begin_line(int handle, const struct stat *info)
{
    char last = '\n';

    if (info->st_size > 0 && pread(handle, &last, 1, info->st_size - 1) != 1) return EIO;
    return last == '\n' || write(handle, "\n", 1) == 1 ? 0 : errno;
}

static int append_to(int handle, struct slice line)
{
    struct stat info;
    int         error;

    if (fstat(handle, &info) != 0) return errno;
    if (!S_ISREG(info.st_mode)) return EINVAL;
    error = begin_line(handle, &info);
    while (error == 0 && line.len > 0) {
        ssize_t n = write(handle, line.at, line.len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : EIO;
        line = slice_make(line.at + n, line.len - (size_t)n);
    }
    return error != 0 || fdatasync(handle) == 0 ? error : errno;
}

/* The name of a file that was made just now. */
static int sync_folder(const char *path)
{
    int handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

    if (handle < 0) return errno;
    error = fsync(handle) == 0 ? 0 : errno;
    (void)close(handle);
    return error;
}

int files_append(const char *folder, const char *name, struct slice line)
{
    int  flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, handle, error;
    char path[4096];
    bool made = false;

    assert(line.len != 0 && line.at[line.len - 1] == '\n');
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) return ENAMETOOLONG;
    handle = open(path, flags);
    if (handle < 0 && errno == ENOENT) {
        handle = open(path, flags | O_CREAT, 0600);
        made = true;
    }
    if (handle < 0) return errno;
    error = append_to(handle, line);
    (void)close(handle);
    return error == 0 && made ? sync_folder(folder) : error;
}

int files_write_back(int handle, uint64_t offset, uint64_t len)
{
    unsigned how = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

    if (sync_file_range(handle, (off_t)offset, (off_t)len, how) == 0) return 0;
    return errno == ENOSYS || errno == EPERM ? 0 : errno;
}

struct slice files_boot_id(void)
{
    static char text[64];
    size_t      len = 0;

    if (files_read("/proc/sys/kernel/random/boot_id", text, sizeof(text), &len) != 0) len = 0;
    while (len != 0 && (text[len - 1] == '\n' || text[len - 1] == ' ')) len -= 1;
    return slice_make(text, len);
}

uint64_t files_want_handles(uint64_t wanted)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
        (void)getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur;
}

void *files_take_memory(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

void files_forget_memory(void *at, size_t bytes)
{
    uintptr_t from = align_up((uintptr_t)at, 4096), to = ((uintptr_t)at + bytes) & ~(uintptr_t)4095;

    if (to > from) (void)madvise((void *)from, to - from, MADV_DONTNEED);
}

void files_give_memory(void *at, size_t bytes)
{
    if (at != NULL) (void)munmap(at, bytes);
}

/* Linux before 3.17, and containers that know fewer calls than their kernel. */
static bool random_of_device(void *bytes, size_t len)
{
    int     handle = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t count = handle >= 0 ? read(handle, bytes, len) : -1;

    if (handle >= 0) (void)close(handle);
    return count == (ssize_t)len;
}

bool files_random(void *bytes, size_t len)
{
    ssize_t count = getrandom(bytes, len, 0);

    if (count < 0 && errno == ENOSYS) return random_of_device(bytes, len);
    return count == (ssize_t)len;
}

bool files_is_terminal(int number) { return isatty(number) == 1; }

void files_exit_now(int code) { _exit(code); }
