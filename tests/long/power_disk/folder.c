/* SPDX-License-Identifier: MIT */
/* folder.c — makes an image of a folder of the system, and a folder of the stable part of an image. */
#include "image.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK_BYTES 65536

/* Copies the parts that are not holes from one file into another of the same length. */
static int copy_bytes(int from, int to, uint64_t bytes)
{
    static uint8_t chunk[CHUNK_BYTES];
    off_t          at = 0, hole;

    if (ftruncate(to, (off_t)bytes) != 0) return errno;
    while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
        hole = lseek(from, at, SEEK_HOLE);
        while (at < hole) {
            ssize_t got = pread(from, chunk, min_u64(sizeof(chunk), (uint64_t)(hole - at)), at);
            if (got <= 0) return got == 0 ? EIO : errno;
            if (pwrite(to, chunk, (size_t)got, at) != got) return errno != 0 ? errno : EIO;
            at += got;
        }
    }
    return errno == ENXIO ? 0 : errno;
}

/* ---- in ---- */

static int load_folder(struct image *image, struct image_file *folder, int at);

static int load_one(struct image *image, struct image_file *folder, int at, const char *name)
{
    struct stat        info;
    struct image_file *file;
    int                handle = -1, error = 0;

    if (fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) && !S_ISSOCK(info.st_mode)) return EINVAL;
    if (!S_ISSOCK(info.st_mode)) handle = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (!S_ISSOCK(info.st_mode) && handle < 0) return errno;
    file = image_new(image, info.st_mode);
    if (S_ISREG(info.st_mode)) error = copy_bytes(handle, file->seen, (uint64_t)info.st_size);
    if (S_ISREG(info.st_mode) && error == 0) error = copy_bytes(file->seen, file->stable, (uint64_t)info.st_size);
    if (S_ISDIR(info.st_mode)) error = load_folder(image, file, handle); /* closes it */
    else if (handle >= 0) (void)close(handle);
    image_name(image, folder, name, file);
    file->changed = info.st_mtim;
    image_unuse(file, 1);
    return error;
}

static int load_folder(struct image *image, struct image_file *folder, int at)
{
    DIR                 *list = fdopendir(at);
    const struct dirent *row;
    int                  error = list == NULL ? errno : 0;

    while (error == 0 && (row = readdir(list)) != NULL)
        if (strcmp(row->d_name, ".") != 0 && strcmp(row->d_name, "..") != 0)
            error = load_one(image, folder, dirfd(list), row->d_name);
    if (list != NULL) (void)closedir(list);
    return error;
}

int image_load(struct image *image, const char *path)
{
    int at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = at < 0 ? errno : load_folder(image, image->root, at);

    if (error == 0) image_sync_all(image);
    return error;
}

/* ---- out ---- */

static int leave_folder(const struct image_file *folder, int at);

static int leave_one(const struct image_file *file, int at, const char *name)
{
    struct timespec times[2] = { { 0, UTIME_NOW }, file->changed };
    struct stat     info;
    int             handle, error;

    if (S_ISSOCK(file->mode)) return mknodat(at, name, file->mode, 0) == 0 ? 0 : errno;
    if (S_ISDIR(file->mode) && mkdirat(at, name, 0700) != 0) return errno;
    handle =
        openat(at, name,
               S_ISDIR(file->mode) ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (handle < 0) return errno;
    if (S_ISDIR(file->mode)) error = leave_folder(file, handle);
    else error = fstat(file->stable, &info) == 0 ? copy_bytes(file->stable, handle, (uint64_t)info.st_size) : errno;
    if (error == 0 && (fchmod(handle, file->mode & 07777) != 0 || futimens(handle, times) != 0)) error = errno;
    (void)close(handle);
    return error;
}

static int leave_folder(const struct image_file *folder, int at)
{
    int error = 0;

    for (uint32_t i = 0; i < folder->stable_names.count && error == 0; i++)
        error = leave_one(folder->stable_names.rows[i].file, at, folder->stable_names.rows[i].text);
    return error;
}

int image_leave(const struct image *image, const char *path)
{
    int at = mkdir(path, 0700) == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int error = at < 0 ? errno : leave_folder(image->root, at);

    if (at >= 0) (void)close(at);
    return error;
}
