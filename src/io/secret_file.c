/* SPDX-License-Identifier: MIT */
#include "io/secret_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static bool fail(char why[SECRET_WHY_BYTES], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(why, SECRET_WHY_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* Is it a file whose content is this user's secret? */
static bool check(int handle, const char *path, char why[SECRET_WHY_BYTES])
{
    struct stat info;

    if (fstat(handle, &info) != 0) return fail(why, "%.160s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return fail(why, "%.160s is no plain file", path);
    if (info.st_uid != geteuid() && info.st_uid != 0) return fail(why, "%.160s belongs to another user", path);
    if ((info.st_mode & 077) != 0)
        return fail(why, "%.120s has mode %04o, so other users can read or change it; chmod 600 %.60s", path,
                    (unsigned)(info.st_mode & 07777), path);
    return true;
}

static bool read_all(int handle, const char *path, void *bytes, size_t cap, size_t *len, char why[SECRET_WHY_BYTES])
{
    ssize_t got = 1;
    char    more;

    *len = 0;
    while (got > 0 && *len < cap) {
        got = read(handle, (char *)bytes + *len, cap - *len);
        if (got < 0) return fail(why, "%.160s: %s", path, strerror(errno));
        *len += (size_t)got;
    }
    return got == 0 || read(handle, &more, 1) == 0 || fail(why, "%.160s is too long", path);
}

bool secret_file_read(const char *path, void *bytes, size_t cap, size_t *len, char why[SECRET_WHY_BYTES])
{
    int  handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool ok;

    *len = 0;
    if (handle < 0) return fail(why, "%.160s: %s", path, strerror(errno));
    ok = check(handle, path, why) && read_all(handle, path, bytes, cap, len, why);
    (void)close(handle);
    return ok;
}

static int write_all(int handle, struct slice text)
{
    while (text.len != 0) {
        ssize_t put = write(handle, text.at, text.len);

        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put == 0 ? EIO : errno;
        text = slice_make(text.at + put, text.len - (size_t)put);
    }
    return fsync(handle) == 0 ? 0 : errno;
}

/* The name of a new file is durable when its folder is. */
static int sync_parent(const char *path)
{
    char        folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int         handle, error;

    if (snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1,
                 slash != NULL ? path : ".")
        >= (int)sizeof(folder))
        return ENAMETOOLONG;
    handle = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) return errno;
    error = fsync(handle) == 0 ? 0 : errno;
    (void)close(handle);
    return error;
}

bool secret_file_make(const char *path, struct slice text, char why[SECRET_WHY_BYTES])
{
    int handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error;

    if (handle < 0 && errno == EEXIST) return fail(why, "%.160s exists already; it is not overwritten", path);
    if (handle < 0) return fail(why, "%.160s: %s", path, strerror(errno));
    error = write_all(handle, text);
    if (close(handle) != 0 && error == 0) error = errno;
    if (error == 0) error = sync_parent(path);
    if (error == 0) return true;
    (void)unlink(path);
    return fail(why, "%.160s: %s", path, strerror(error));
}

bool secret_folder_make(const char *path, char why[SECRET_WHY_BYTES])
{
    char part[PATH_MAX];

    if (strlen(path) >= sizeof(part)) return fail(why, "the path of the folder is too long");
    for (size_t i = 1; i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        (void)snprintf(part, sizeof(part), "%.*s", (int)i, path);
        if (mkdir(part, 0700) != 0 && errno != EEXIST) return fail(why, "%.160s: %s", part, strerror(errno));
    }
    return true;
}

bool secret_folder_check(const char *path, char why[SECRET_WHY_BYTES])
{
    struct stat info;

    if (stat(path, &info) != 0) return errno == ENOENT || fail(why, "%.160s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode)) return fail(why, "%.160s is no folder", path);
    if (info.st_uid != geteuid() && info.st_uid != 0) return fail(why, "%.160s belongs to another user", path);
    if ((info.st_mode & 022) != 0)
        return fail(why, "%.100s has mode %04o, so other users can exchange its files; chmod go-w %.60s", path,
                    (unsigned)(info.st_mode & 07777), path);
    return true;
}

int secret_folder_list(const char *path, const char *ending, void *self, void (*take)(void *self, const char *name))
{
    DIR           *folder = opendir(path);
    struct dirent *entry;

    if (folder == NULL) return errno == ENOENT ? 0 : errno;
    while ((entry = readdir(folder)) != NULL) {
        size_t len = strlen(entry->d_name), end = strlen(ending);

        if (len > end && entry->d_name[0] != '.' && strcmp(entry->d_name + len - end, ending) == 0)
            take(self, entry->d_name);
    }
    (void)closedir(folder);
    return 0;
}

void secret_forget(void *bytes, size_t len) { explicit_bzero(bytes, len); }
