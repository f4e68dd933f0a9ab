/* SPDX-License-Identifier: MIT */
#include "pipeline/save_points.h"

#include <errno.h>
#include <stdlib.h>

#define FILE_NAME "savepoints"

struct record {
    char              magic[8]; /* "DOJIMASP" */
    uint64_t          reserved[2];
    struct save_point point;
    uint64_t          check;
};
static_assert(sizeof(struct record) == 160, "reaches disk");

static uint64_t record_check(const struct record *record)
{
    struct hash256 hash = keccak256(record, offsetof(struct record, check));
    uint64_t       check;

    memcpy(&check, hash.bytes, sizeof(check));
    return check;
}

static bool is_good(const struct record *record, uint64_t id)
{
    return memcmp(record->magic, "DOJIMASP", 8) == 0 && record->check == record_check(record) && record->point.id == id;
}

static bool make_room(struct save_points *points)
{
    struct save_point *all;
    uint32_t           cap = points->cap == 0 ? 256 : 2 * points->cap;

    if (points->count < points->cap) return true;
    all = realloc(points->all, cap * sizeof(*all));
    if (all == NULL) return false;
    points->all = all;
    points->cap = cap;
    return true;
}

static int read_records(struct save_points *points, uint64_t bytes)
{
    struct record record;
    int           error = 0;

    while (error == 0 && (points->count + UINT64_C(1)) * sizeof(record) <= bytes && points->count < SAVE_POINTS_MAX) {
        error = points->disk.read(points->disk.self, points->handle, points->count * sizeof(record), &record,
                                  sizeof(record));
        if (error != 0 || !is_good(&record, points->count + 1)) break;
        if (!make_room(points)) return ENOMEM;
        points->all[points->count++] = record.point;
    }
    return error;
}

int save_points_open(struct save_points *points, const struct disk *disk)
{
    uint64_t bytes;
    int      error;

    *points = (struct save_points){ .disk = *disk, .handle = -1, .is_open = true };
    pthread_mutex_init(&points->lock, NULL);
    error = disk->size(disk->self, FILE_NAME, &bytes);
    if (error == ENOENT) return 0;
    if (error == 0) error = disk->open(disk->self, FILE_NAME, true, &points->handle);
    return error == 0 ? read_records(points, bytes) : error;
}

void save_points_close(struct save_points *points)
{
    if (!points->is_open) return;
    if (points->handle >= 0) points->disk.close(points->disk.self, points->handle);
    free(points->all);
    pthread_mutex_destroy(&points->lock);
    *points = (struct save_points){ .handle = -1 };
}

static int open_file(struct save_points *points)
{
    struct disk *disk = &points->disk;
    int          error;

    if (points->handle >= 0) return 0;
    error = disk->create(disk->self, FILE_NAME, 0);
    return error == 0 || error == EEXIST ? disk->open(disk->self, FILE_NAME, true, &points->handle) : error;
}

int save_points_add(struct save_points *points, struct save_point *point)
{
    struct disk  *disk = &points->disk;
    struct record record = { .magic = "DOJIMASP" };
    int           error;

    if (points->count == SAVE_POINTS_MAX) return ENOSPC;
    point->id = points->count + UINT64_C(1);
    record.point = *point;
    record.check = record_check(&record);
    error = open_file(points);
    if (error == 0)
        error = disk->write(disk->self, points->handle, points->count * sizeof(record), &record, sizeof(record));
    if (error == 0) error = disk->sync(disk->self, points->handle);
    if (error != 0) return error;
    pthread_mutex_lock(&points->lock);
    if (make_room(points)) points->all[points->count++] = *point;
    else error = ENOMEM;
    pthread_mutex_unlock(&points->lock);
    return error;
}

bool save_points_find(struct save_points *points, uint64_t id, const char name[SNAPSHOT_NAME_MAX],
                      struct save_point *point)
{
    bool found = false;

    pthread_mutex_lock(&points->lock);
    if (id != 0) {
        found = id <= points->count;
        if (found) *point = points->all[id - 1];
    } else {
        for (uint32_t i = points->count; i > 0 && !found && name[0] != '\0'; i--) {
            found = memcmp(points->all[i - 1].name, name, SNAPSHOT_NAME_MAX) == 0;
            if (found) *point = points->all[i - 1];
        }
    }
    pthread_mutex_unlock(&points->lock);
    return found;
}

uint32_t save_points_copy(struct save_points *points, uint64_t first, struct save_point *copies, uint32_t max)
{
    uint32_t count;

    assert(first >= 1);
    pthread_mutex_lock(&points->lock);
    count = first > points->count ? 0 : min_u32(max, (uint32_t)(points->count - (first - 1)));
    if (count != 0) memcpy(copies, &points->all[first - 1], count * sizeof(*copies));
    pthread_mutex_unlock(&points->lock);
    return count;
}
