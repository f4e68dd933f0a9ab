/* SPDX-License-Identifier: MIT */
/* archive_disk.c — the disk in which archived files are there under their own names. */
#include "log/file/archive/inside.h"

#include <errno.h>
#include <stdlib.h>

#define READERS      32         /* archives open at once */
#define READER_FIRST 0x40000000 /* handles from here on are archives, not inner */

struct archive {
    struct disk     inner;
    pthread_mutex_t lock; /* guards `taken` */
    bool            taken[READERS];
    struct reader   readers[READERS];
};

static int over_size(void *self, const char *name, uint64_t *bytes)
{
    const struct archive *archive = self;
    char                  text[ARCHIVE_NAME_MAX];
    int                   error = archive->inner.size(archive->inner.self, name, bytes);

    if (error != ENOENT || !archive_name(name, ARCHIVE_SUFFIX, text)) return error;
    return archive_size(&archive->inner, text, bytes);
}

static int take_reader_slot(struct archive *archive)
{
    int place = -1;

    (void)pthread_mutex_lock(&archive->lock);
    for (int i = 0; i < READERS && place < 0; i++)
        if (!archive->taken[i]) place = i;
    if (place >= 0) archive->taken[place] = true;
    (void)pthread_mutex_unlock(&archive->lock);
    return place;
}

static void give_reader_slot(struct archive *archive, int place)
{
    (void)pthread_mutex_lock(&archive->lock);
    assert(place >= 0 && place < READERS && archive->taken[place]);
    archive->taken[place] = false;
    (void)pthread_mutex_unlock(&archive->lock);
}

static int over_open(void *self, const char *name, bool write, int *handle)
{
    struct archive *archive = self;
    char            text[ARCHIVE_NAME_MAX];
    uint64_t        bytes;
    int             place, error = archive->inner.open(archive->inner.self, name, write, handle);

    assert(error != 0 || *handle < READER_FIRST);
    if (error != ENOENT || !archive_name(name, ARCHIVE_SUFFIX, text)) return error;
    if (archive->inner.size(archive->inner.self, text, &bytes) != 0) return error;
    if (write) return EROFS;
    place = take_reader_slot(archive);
    if (place < 0) return EMFILE;
    error = reader_open(&archive->readers[place], &archive->inner, text);
    if (error != 0) give_reader_slot(archive, place);
    else *handle = READER_FIRST + place;
    return error;
}

static int over_read(void *self, int handle, uint64_t offset, void *bytes, size_t len)
{
    struct archive *archive = self;

    if (handle < READER_FIRST) return archive->inner.read(archive->inner.self, handle, offset, bytes, len);
    assert(handle < READER_FIRST + READERS);
    return reader_read(&archive->readers[handle - READER_FIRST], &archive->inner, offset, bytes, len);
}

static void over_close(void *self, int handle)
{
    struct archive *archive = self;

    if (handle < READER_FIRST) {
        archive->inner.close(archive->inner.self, handle);
        return;
    }
    assert(handle < READER_FIRST + READERS);
    reader_close(&archive->readers[handle - READER_FIRST], &archive->inner);
    give_reader_slot(archive, handle - READER_FIRST);
}

/* Under an archived name nothing new is made: two files would have it. */
static int refuse_taken(void *self, const char *name)
{
    uint64_t there;
    int      error = over_size(self, name, &there);

    if (error == 0) return EEXIST;
    return error == ENOENT ? 0 : error;
}

static int over_create(void *self, const char *name, uint64_t bytes)
{
    const struct archive *archive = self;
    int                   error = refuse_taken(self, name);

    return error != 0 ? error : archive->inner.create(archive->inner.self, name, bytes);
}

static int over_reserve(void *self, const char *name, uint64_t bytes)
{
    const struct archive *archive = self;
    int                   error = refuse_taken(self, name);

    return error != 0 ? error : archive->inner.reserve(archive->inner.self, name, bytes);
}

static int over_write(void *self, int handle, uint64_t offset, const void *bytes, size_t len)
{
    const struct archive *archive = self;

    return handle >= READER_FIRST ? EROFS : archive->inner.write(archive->inner.self, handle, offset, bytes, len);
}

static uint64_t over_find_data(void *self, int handle, uint64_t offset)
{
    const struct archive *archive = self;

    if (handle >= READER_FIRST || archive->inner.find_data == NULL) return offset;
    return archive->inner.find_data(archive->inner.self, handle, offset);
}

static int over_sync(void *self, int handle)
{
    const struct archive *archive = self;

    return handle >= READER_FIRST ? 0 : archive->inner.sync(archive->inner.self, handle);
}

static int over_replace(void *self, const char *name, const void *bytes, size_t len)
{
    const struct archive *archive = self;

    return archive->inner.replace(archive->inner.self, name, bytes, len);
}

static int over_remove(void *self, const char *name)
{
    const struct archive *archive = self;

    return archive->inner.remove(archive->inner.self, name);
}

static int over_rename(void *self, const char *from, const char *to)
{
    const struct archive *archive = self;

    return archive->inner.rename(archive->inner.self, from, to);
}

struct archive *archive_open(const struct disk *inner, struct disk *disk)
{
    struct archive *archive = calloc(1, sizeof(*archive));

    if (archive == NULL) return NULL;
    archive->inner = *inner;
    (void)pthread_mutex_init(&archive->lock, NULL);
    *disk = (struct disk){ .self = archive,
                           .size = over_size,
                           .create = over_create,
                           .reserve = over_reserve,
                           .open = over_open,
                           .read = over_read,
                           .write = over_write,
                           .find_data = over_find_data,
                           .sync = over_sync,
                           .close = over_close,
                           .replace = over_replace,
                           .remove = over_remove,
                           .rename = over_rename };
    return archive;
}

void archive_close(struct archive *archive)
{
    if (archive == NULL) return;
    for (int i = 0; i < READERS; i++)
        if (archive->taken[i]) reader_close(&archive->readers[i], &archive->inner);
    (void)pthread_mutex_destroy(&archive->lock);
    free(archive);
}
