/* SPDX-License-Identifier: MIT */
#include "app/check_mark.h"

#include <errno.h>

/* What the file holds, little endian. */
struct kept_mark {
    char                magic[8];
    struct hash256      instance;
    struct log_position position;
    uint64_t            next_seq;
    int64_t             time_ms;
    struct hash256      chain;
    struct hash256      sum; /* keccak256 of everything before it */
};
static_assert(sizeof(struct kept_mark) == 136, "reaches disk");

static const char kept_magic[8] = "DJCHECK1";

static struct hash256 sum_of(const struct kept_mark *kept) { return keccak256(kept, offsetof(struct kept_mark, sum)); }

static int open_file(const struct disk *disk, bool write, int *handle)
{
    int error = disk->open(disk->self, CHECK_MARK_FILE, write, handle);

    if (error != ENOENT || !write) return error;
    error = disk->create(disk->self, CHECK_MARK_FILE, sizeof(struct kept_mark));
    return error != 0 ? error : disk->open(disk->self, CHECK_MARK_FILE, write, handle);
}

bool check_mark_read(const struct disk *disk, const struct hash256 *instance, struct log_mark *mark)
{
    struct kept_mark kept;
    struct hash256   sum;
    int              handle, error;

    if (open_file(disk, false, &handle) != 0) return false;
    error = disk->read(disk->self, handle, 0, &kept, sizeof(kept));
    disk->close(disk->self, handle);
    if (error != 0 || memcmp(kept.magic, kept_magic, sizeof(kept_magic)) != 0) return false;
    sum = sum_of(&kept);
    if (!hash256_equal(&sum, &kept.sum) || !hash256_equal(&kept.instance, instance)) return false;
    *mark = (struct log_mark){
        .position = kept.position, .next_seq = kept.next_seq, .time_ms = kept.time_ms, .chain = kept.chain
    };
    return true;
}

bool check_mark_write(const struct disk *disk, const struct hash256 *instance, const struct log_mark *mark)
{
    struct kept_mark kept = { .instance = *instance,
                              .position = mark->position,
                              .next_seq = mark->next_seq,
                              .time_ms = mark->time_ms,
                              .chain = mark->chain };
    int              handle, error;

    memcpy(kept.magic, kept_magic, sizeof(kept_magic));
    kept.sum = sum_of(&kept);
    if (open_file(disk, true, &handle) != 0) return false;
    error = disk->write(disk->self, handle, 0, &kept, sizeof(kept));
    disk->close(disk->self, handle);
    return error == 0;
}
