/* SPDX-License-Identifier: MIT */
#include "pipeline/remains.h"

#include "admin/audit.h"
#include "log/log.h"
#include "snapshot/snapshot.h"

#include <errno.h>

#define CHUNK (16u << 10)

static const char started[] = "\"event\":\"started\"";

/* A piece of the audit log, behind the end of the one before: the words may lie on both sides. */
struct piece {
    size_t len;
    char   at[sizeof(started) + CHUNK];
};

static void piece_add(struct piece *piece, size_t len)
{
    size_t kept = min_size(piece->len, sizeof(started) - 1);

    memmove(piece->at, piece->at + piece->len - kept, kept);
    piece->len = kept + len;
}

static int read_pieces(const struct disk *disk, int handle, uint64_t bytes, bool *found)
{
    struct piece piece = { 0 };
    int          error = 0;

    for (uint64_t at = 0; at < bytes && error == 0 && !*found; at += CHUNK) {
        size_t len = (size_t)min_u64(CHUNK, bytes - at);

        piece_add(&piece, len);
        error = disk->read(disk->self, handle, at, piece.at + piece.len - len, len);
        *found = error == 0 && memmem(piece.at, piece.len, started, sizeof(started) - 1) != NULL;
    }
    return error;
}

static int look_for_a_start(const struct disk *disk, bool *found)
{
    uint64_t bytes;
    int      handle, error = disk->size(disk->self, AUDIT_LOG, &bytes);

    if (error == 0) error = disk->open(disk->self, AUDIT_LOG, false, &handle);
    if (error != 0) return error;
    error = read_pieces(disk, handle, bytes, found);
    disk->close(disk->self, handle);
    return error;
}

const char *remains_find(const struct disk *disk, int *error)
{
    const char *const names[] = { "history/data.mdb", snapshot_name(0), snapshot_name(1) };
    bool              found = false;
    uint64_t          bytes;

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        *error = disk->size(disk->self, names[i], &bytes);
        if (*error == 0) return names[i];
        if (*error != ENOENT && *error != ENOTDIR) return NULL;
    }
    *error = look_for_a_start(disk, &found);
    if (*error == ENOENT || *error == EINVAL) *error = 0; /* a folder or a link of that name holds no lines */
    return found ? AUDIT_LOG : NULL;
}

/* The log goes last: without it, what is left of its history would look like that of a lost one. */
int remains_take_back(const struct disk *disk)
{
    static const char *const names[] = { "history/kept", "history/state", "history/data.mdb", "history/lock.mdb",
                                         LOG_FIRST_FILE };
    int                      error = 0;

    for (size_t i = 0; i < ARRAY_COUNT(names) && error == 0; i++) {
        error = disk->remove(disk->self, names[i]);
        if (error == ENOENT || error == ENOTDIR) error = 0;
    }
    return error;
}

uint64_t remains_known(const struct disk *disk, const struct hash256 *instance, const char **name)
{
    uint64_t known = 0;

    for (uint32_t place = 0; place < SNAPSHOT_PLACES; place++) {
        struct snapshot_header facts;
        struct snapshot_report report;

        if (snapshot_look(disk, snapshot_name(place), &facts, &report) != SNAPSHOT_OK) continue;
        if (!hash256_equal(&facts.instance, instance) || facts.seq <= known) continue;
        known = facts.seq;
        *name = snapshot_name(place);
    }
    return known;
}
