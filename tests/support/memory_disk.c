/* SPDX-License-Identifier: MIT */
#include "memory_disk.h"
#include "rigs/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool fails_now(struct memory_disk *memory)
{
    memory->calls++;
    return memory->fail_at != 0
        && (memory->calls == memory->fail_at || (memory->fail_sticky && memory->calls > memory->fail_at));
}

static uint64_t random_next(struct memory_disk *memory) { return random_xorshift(&memory->random_state); }

struct memory_file *memory_disk_find(struct memory_disk *memory, const char *name)
{
    for (int i = 0; i < MEMORY_FILES; i++)
        if (strcmp(memory->files[i].name, name) == 0) return &memory->files[i];
    return NULL;
}

static int memory_size(void *self, const char *name, uint64_t *bytes)
{
    struct memory_disk *memory = self;
    if (fails_now(memory)) return memory->fail_error;
    const struct memory_file *file = memory_disk_find(memory, name);
    if (file == NULL) return ENOENT;
    *bytes = file->bytes;
    return 0;
}

static size_t sectors_of(uint64_t bytes) { return (size_t)(bytes / MEMORY_SECTOR + 1); }

static uint64_t bytes_used(const struct memory_disk *memory)
{
    uint64_t used = 0;

    for (int i = 0; i < MEMORY_FILES; i++) used += memory->files[i].name[0] != 0 ? memory->files[i].bytes : 0;
    return used;
}

/* A write behind the end makes the file longer; its new sectors are not on stable storage. */
static void grow_file(struct memory_file *file, uint64_t bytes)
{
    size_t sectors = sectors_of(file->bytes);

    file->plate = realloc(file->plate, bytes + 1);
    file->cache = realloc(file->cache, bytes + 1);
    file->lost = realloc(file->lost, sectors_of(bytes));
    assert(file->plate != NULL && file->cache != NULL && file->lost != NULL);
    memset(file->plate + file->bytes, 0, bytes - file->bytes);
    memset(file->cache + file->bytes, 0, bytes - file->bytes);
    memset(file->lost + sectors, 0, sectors_of(bytes) - sectors);
    file->bytes = bytes;
}

static int add_file(struct memory_disk *memory, const char *name, uint64_t bytes)
{
    struct memory_file *file = memory_disk_find(memory, "");

    if (memory->capacity != 0 && bytes_used(memory) + bytes > memory->capacity) return ENOSPC;
    assert(file != NULL && strlen(name) < sizeof(file->name));
    snprintf(file->name, sizeof(file->name), "%s", name);
    file->plate = calloc(1, bytes + 1);
    file->cache = calloc(1, bytes + 1);
    file->lost = calloc(1, sectors_of(bytes));
    file->bytes = bytes;
    assert(file->plate != NULL && file->cache != NULL && file->lost != NULL);
    return 0;
}

static void drop_file(struct memory_file *file)
{
    free(file->plate);
    free(file->cache);
    free(file->lost);
    *file = (struct memory_file){ 0 };
}

static int memory_create(void *self, const char *name, uint64_t bytes)
{
    struct memory_disk *memory = self;
    bool                fails = fails_now(memory);
    if (fails && !memory->fail_writes_half) return memory->fail_error;
    if (memory_disk_find(memory, name) != NULL) return EEXIST;
    int error = add_file(memory, name, bytes);
    return fails ? memory->fail_error : error;
}

static int memory_open(void *self, const char *name, bool write, int *handle)
{
    struct memory_disk *memory = self;
    if (fails_now(memory)) return memory->fail_error;
    const struct memory_file *file = memory_disk_find(memory, name);
    if (file == NULL) return ENOENT;
    *handle = (int)(file - memory->files) + (write ? 1000 : 0);
    return 0;
}

static int memory_read(void *self, int handle, uint64_t offset, void *bytes, size_t len)
{
    struct memory_disk       *memory = self;
    const struct memory_file *file = &memory->files[handle % 1000];
    if (fails_now(memory)) return memory->fail_error;
    assert(file->name[0] != 0);
    if (offset > file->bytes || len > file->bytes - offset) return EIO;
    memcpy(bytes, file->cache + offset, len);
    return 0;
}

static int memory_write(void *self, int handle, uint64_t offset, const void *bytes, size_t len)
{
    struct memory_disk *memory = self;
    struct memory_file *file = &memory->files[handle % 1000];
    bool                fails = fails_now(memory);
    assert(handle >= 1000 && file->name[0] != 0);
    if (fails && !memory->fail_writes_half) return memory->fail_error;
    if (fails) len /= 2;
    if (offset + len > file->bytes) {
        if (memory->capacity != 0 && bytes_used(memory) + (offset + len - file->bytes) > memory->capacity)
            return ENOSPC;
        grow_file(file, offset + len);
    }
    memcpy(file->cache + offset, bytes, len);
    if (len != 0)
        memset(file->lost + offset / MEMORY_SECTOR, 0,
               (size_t)((offset + len - 1) / MEMORY_SECTOR - offset / MEMORY_SECTOR + 1));
    memory->writes += len;
    memory->unsynced += len;
    if (memory->unsynced > memory->unsynced_most) memory->unsynced_most = memory->unsynced;
    return fails ? memory->fail_error : 0;
}

/* Exactly: a reader that skips what is zero must find the same as one that reads all. */
static uint64_t memory_find_data(void *self, int handle, uint64_t offset)
{
    const struct memory_disk *memory = self;
    const struct memory_file *file = &memory->files[handle % 1000];

    while (offset < file->bytes && file->cache[offset] == 0) offset++;
    return offset < file->bytes ? offset : UINT64_MAX;
}

static int memory_sync(void *self, int handle)
{
    struct memory_disk *memory = self;
    struct memory_file *file = &memory->files[handle % 1000];
    bool                fails = fails_now(memory) || memory->fail_syncs;

    memory->unsynced = 0;
    for (uint64_t at = 0; at < file->bytes; at += MEMORY_SECTOR) {
        size_t len = (size_t)min_u64(MEMORY_SECTOR, file->bytes - at);
        bool   dirty = memcmp(file->plate + at, file->cache + at, len) != 0;
        if (fails && dirty && memory->fail_sync_loses) file->lost[at / MEMORY_SECTOR] = 1;
        if (!fails && file->lost[at / MEMORY_SECTOR] == 0) memcpy(file->plate + at, file->cache + at, len);
    }
    return fails ? memory->fail_error : 0;
}

static void memory_close(void *self, int handle)
{
    (void)self;
    (void)handle;
}

static int memory_remove(void *self, const char *name)
{
    struct memory_disk *memory = self;
    if (fails_now(memory)) return memory->fail_error;
    struct memory_file *file = memory_disk_find(memory, name);
    if (file == NULL) return ENOENT;
    drop_file(file);
    return 0;
}

static int memory_replace(void *self, const char *name, const void *bytes, size_t len)
{
    struct memory_disk *memory = self;
    if (fails_now(memory)) return memory->fail_error;
    struct memory_file *file = memory_disk_find(memory, name);
    if (file != NULL) drop_file(file);
    int error = add_file(memory, name, len);
    if (error != 0) return error;
    file = memory_disk_find(memory, name);
    memcpy(file->plate, bytes, len);
    memcpy(file->cache, bytes, len);
    return 0;
}

static int memory_rename(void *self, const char *from, const char *to)
{
    struct memory_disk *memory = self;
    if (fails_now(memory)) return memory->fail_error;
    struct memory_file *file = memory_disk_find(memory, from), *old = memory_disk_find(memory, to);
    if (file == NULL) return ENOENT;
    if (old != NULL && old != file) drop_file(old);
    assert(strlen(to) < sizeof(file->name));
    snprintf(file->name, sizeof(file->name), "%s", to);
    return 0;
}

void memory_disk_init(struct memory_disk *memory)
{
    *memory = (struct memory_disk){ .fail_error = EIO, .random_state = 88172645463325252u };
    memory->disk = (struct disk){ .self = memory,
                                  .size = memory_size,
                                  .create = memory_create,
                                  .reserve = memory_create,
                                  .open = memory_open,
                                  .read = memory_read,
                                  .write = memory_write,
                                  .find_data = memory_find_data,
                                  .sync = memory_sync,
                                  .close = memory_close,
                                  .replace = memory_replace,
                                  .remove = memory_remove,
                                  .rename = memory_rename };
}

void memory_disk_free(struct memory_disk *memory)
{
    for (int i = 0; i < MEMORY_FILES; i++) drop_file(&memory->files[i]);
}

void memory_disk_copy(struct memory_disk *into, const struct memory_disk *from)
{
    *into = *from;
    into->disk.self = into;
    for (int i = 0; i < MEMORY_FILES; i++) {
        struct memory_file *file = &into->files[i];
        if (file->name[0] == 0) continue;
        file->plate = malloc(file->bytes + 1);
        file->cache = malloc(file->bytes + 1);
        file->lost = malloc(sectors_of(file->bytes));
        assert(file->plate != NULL && file->cache != NULL && file->lost != NULL);
        memcpy(file->lost, from->files[i].lost, sectors_of(file->bytes));
        memcpy(file->plate, from->files[i].plate, file->bytes);
        memcpy(file->cache, from->files[i].cache, file->bytes);
    }
}

static bool arrives(struct memory_disk *memory, enum crash_pattern pattern, uint64_t index, uint64_t count)
{
    switch (pattern) {
    case CRASH_ALL_ARRIVE: return true;
    case CRASH_FIRST_HALF: return index < (count + 1) / 2;
    case CRASH_LAST_HALF: return index >= count / 2;
    case CRASH_EVERY_OTHER: return index % 2 == 0;
    case CRASH_EVERY_OTHER_ODD: return index % 2 == 1;
    case CRASH_FIRST_SECTOR_ONLY: return index == 0;
    case CRASH_ALL_BUT_FIRST: return index != 0;
    case CRASH_ALL_BUT_LAST: return index + 1 != count;
    case CRASH_DICE: return random_next(memory) % 2 == 0;
    case CRASH_DICE_RARE: return random_next(memory) % 8 == 0;
    case CRASH_DICE_MOST: return random_next(memory) % 8 != 0;
    default: return false;
    }
}

void memory_disk_kill(struct memory_disk *memory)
{
    memory->fail_at = 0;
    memory->fail_syncs = false;
}

void memory_disk_crash(struct memory_disk *memory, enum crash_pattern pattern)
{
    for (int i = 0; i < MEMORY_FILES; i++) {
        struct memory_file *file = &memory->files[i];
        uint64_t            count = 0, index = 0;

        for (int pass = 0; pass < 2 && file->name[0] != 0; pass++)
            for (uint64_t at = 0; at < file->bytes; at += MEMORY_SECTOR) {
                size_t len = (size_t)min_u64(MEMORY_SECTOR, file->bytes - at);
                if (memcmp(file->plate + at, file->cache + at, len) == 0) continue;
                if (pass == 0) {
                    count++;
                    continue;
                }
                bool lost = file->lost[at / MEMORY_SECTOR] == 1;
                file->lost[at / MEMORY_SECTOR] = 0;
                if (!lost && arrives(memory, pattern, index++, count)) memcpy(file->plate + at, file->cache + at, len);
                else memcpy(file->cache + at, file->plate + at, len);
            }
    }
    memory_disk_kill(memory);
}

void memory_disk_truncate(struct memory_file *file, uint64_t bytes)
{
    file->plate = realloc(file->plate, bytes + 1);
    file->cache = realloc(file->cache, bytes + 1);
    file->lost = realloc(file->lost, sectors_of(bytes));
    assert(file->plate != NULL && file->cache != NULL && file->lost != NULL);
    memset(file->lost, 0, sectors_of(bytes));
    if (bytes > file->bytes) {
        memset(file->plate + file->bytes, 0, bytes - file->bytes);
        memset(file->cache + file->bytes, 0, bytes - file->bytes);
    }
    file->bytes = bytes;
}
