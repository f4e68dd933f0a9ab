/* SPDX-License-Identifier: MIT */
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder_mark folder_mark(const char *path, const char *name)
{
    int         folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat info;
    bool        found = folder >= 0 && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);

    if (folder >= 0) (void)close(folder);
    if (!found) return (struct folder_mark){ 0 };
    return (struct folder_mark){ info.st_dev, info.st_ino, (uint64_t)info.st_size,
                                 info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec };
}

bool folder_is_same(const char *path, const char *other)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* The whole of an open file into new memory; NULL: it is left out. */
static void *read_whole(int handle, size_t bytes_max, size_t *len)
{
    struct stat info;
    char       *bytes;
    ssize_t     got = 1;

    if (fstat(handle, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) return NULL;
    if ((uint64_t)info.st_size > bytes_max) return NULL;
    bytes = malloc((size_t)info.st_size);
    if (bytes == NULL) return NULL;
    *len = 0;
    while (got > 0 && *len < (size_t)info.st_size) {
        got = read(handle, bytes + *len, (size_t)info.st_size - *len);
        if (got > 0) *len += (size_t)got;
        else if (got < 0 && errno == EINTR) got = 1;
    }
    if (*len == (size_t)info.st_size) return bytes;
    free(bytes); /* it became shorter meanwhile */
    return NULL;
}

static bool pass_file(int folder, const char *name, size_t bytes_max, folder_take *take, void *self)
{
    int    handle = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    size_t len = 0;
    void  *bytes;

    if (handle < 0) return true;
    bytes = read_whole(handle, bytes_max, &len);
    (void)close(handle);
    return bytes == NULL || take(self, name, bytes, len);
}

static int pass_files(int folder, size_t bytes_max, folder_take *take, void *self)
{
    DIR                 *list = fdopendir(folder);
    const struct dirent *entry;

    if (list == NULL) return errno;
    while ((entry = readdir(list)) != NULL)
        if (entry->d_name[0] != '.' && !pass_file(folder, entry->d_name, bytes_max, take, self)) break;
    (void)closedir(list);
    return 0;
}

int folder_read(const char *path, const char *sub, size_t bytes_max, folder_take *take, void *self)
{
    int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder, error;

    if (top < 0) return errno;
    if (sub == NULL) return pass_files(top, bytes_max, take, self);
    folder = openat(top, sub, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    error = folder < 0 ? errno : pass_files(folder, bytes_max, take, self);
    (void)close(top);
    return error;
}
