/* SPDX-License-Identifier: MIT */
/*
 * loss.c — decides which of the waiting changes had arrived when the power failed. Each file draws a pattern of its
 * own, so that any order between files is possible; all names share one. A sector of a write that was under way
 *
 *   has arrived, or has not: then it keeps its older bytes, or, if there were none, is missing or zero;
 *   is noise: only at the end of a partial write, and only where there were no older bytes: an overwritten sector
 *   holds the old or the new bytes, as disks promise.
 */
#include "image.h"

#include <stdlib.h>
#include <unistd.h>

#define NEAR 24u /* every other tear is at most this far from the oldest waiting byte */

enum pattern {
    LOST,        /* nothing of it has arrived */
    KEPT,        /* all */
    BEGINNING,   /* the older sectors, up to some place */
    NOISE,       /* likewise, and the sector at that place is noise */
    END,         /* the newer sectors, from some place on */
    EVERY_OTHER, /* sector */
    WRITES,      /* whole writes, each by a throw */
    SECTORS,     /* sectors, each by a throw */
    LENGTH,      /* the length, and zeros for the new bytes */
    PATTERNS
};
static_assert(PATTERNS == IMAGE_PATTERNS, "each has a name");

const char *const image_patterns[IMAGE_PATTERNS] = { "lost",        "kept",   "beginning", "noise", "end",
                                                     "every other", "writes", "sectors",   "length" };

struct random_state {
    uint64_t state;
};

/* A walk by an odd step, scrambled: enough for throwing. */
static uint64_t throw(struct random_state * random_state, uint64_t below)
{
    uint64_t value = random_state->state += 0x9e3779b97f4a7c15u;

    value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
    value = (value ^ value >> 29) * 0xa3b195354a39b70du;
    return below == 0 ? 0 : (value ^ value >> 32) % below;
}

/* ---- bytes ---- */

static uint64_t sectors_of(const struct waiting *what)
{
    return what->len == 0 ? 1 : (what->at + what->len + IMAGE_SECTOR - 1) / IMAGE_SECTOR - what->at / IMAGE_SECTOR;
}

struct plan {
    enum pattern         pattern;
    uint64_t             place, share;
    struct random_state *random_state;
};

/* Whether sector `number` of the waiting ones arrived. `whole` is the random decision for its write. */
static bool arrives(const struct plan *plan, uint64_t number, bool whole)
{
    switch (plan->pattern) {
    case KEPT: return true;
    case BEGINNING:
    case NOISE: return number < plan->place;
    case END: return number >= plan->place;
    case EVERY_OTHER: return number % 2 == plan->place % 2;
    case WRITES: return whole;
    case SECTORS: return throw(plan->random_state, 100) < plan->share;
    default: return false;
    }
}

static void write_part(const struct image_file *file, const struct waiting *what, uint64_t from, size_t len)
{
    static const uint8_t zeros[IMAGE_SECTOR];
    const uint8_t       *bytes = what->zeros ? zeros : what->bytes + (from - what->at);

    if (pwrite(file->stable, bytes, len, (off_t)from) != (ssize_t)len) abort();
}

static void write_noise(const struct image_file *file, uint64_t from, size_t len, struct random_state *random_state)
{
    uint8_t was[IMAGE_SECTOR] = { 0 }, noise[IMAGE_SECTOR];
    ssize_t got = pread(file->stable, was, len, (off_t)from);

    for (ssize_t i = 0; i < got; i++)
        if (was[i] != 0) return;
    for (size_t i = 0; i < len; i++) noise[i] = (uint8_t) throw(random_state, 256);
    if (pwrite(file->stable, noise, len, (off_t)from) != (ssize_t)len) abort();
}

/* One write: sector by sector. `number` counts those of the file. */
static void tear(const struct image_file *file, const struct waiting *what, const struct plan *plan, uint64_t *number,
                 struct image_loss *loss)
{
    bool     whole = throw(plan->random_state, 100) < plan->share, here;
    uint64_t end = what->at + what->len;

    if (what->len == 0) {
        here = arrives(plan, (*number)++, whole) || plan->pattern == LENGTH;
        loss->sectors_kept += here;
        if (here && ftruncate(file->stable, (off_t)what->at) != 0) abort();
        return;
    }
    for (uint64_t from = what->at, next; from < end; from = next, *number += 1) {
        next = min_u64((from / IMAGE_SECTOR + 1) * IMAGE_SECTOR, end);
        here = arrives(plan, *number, whole);
        loss->sectors_kept += here;
        if (here) write_part(file, what, from, (size_t)(next - from));
        else if (plan->pattern == NOISE && *number == plan->place)
            write_noise(file, from, (size_t)(next - from), plan->random_state);
    }
    if (plan->pattern == LENGTH) {
        struct stat info;
        if (fstat(file->stable, &info) != 0) abort();
        if ((uint64_t)info.st_size < end && ftruncate(file->stable, (off_t)end) != 0) abort();
    }
}

static void lose_bytes(struct image_file *file, struct random_state *random_state, struct image_loss *loss)
{
    struct plan plan = { .pattern = (enum pattern) throw(random_state, PATTERNS),
                         .share = 1 + throw(random_state, 99),
                         .random_state = random_state };
    uint64_t    count = 0, number = 0;

    if (file->first == NULL) return;
    for (const struct waiting *what = file->first; what != NULL; what = what->next) count += sectors_of(what);
    plan.place = throw(random_state, throw(random_state, 2) == 0 ? count + 1 : min_u64(count, NEAR) + 1);
    loss->files[plan.pattern] += 1;
    loss->sectors += count;
    while (file->first != NULL) {
        tear(file, file->first, &plan, &number, loss);
        image_drop(file);
    }
}

/* ---- names ---- */

static void lose_names(struct image *image, struct random_state *random_state, struct image_loss *loss)
{
    static const enum pattern patterns[] = { LOST, KEPT, BEGINNING, WRITES };
    struct plan               plan = { .pattern = patterns[throw(random_state, ARRAY_COUNT(patterns))],
                                       .share = 1 + throw(random_state, 99),
                                       .random_state = random_state };

    for (const struct waiting_name *what = image->first; what != NULL; what = what->next) loss->names += 1;
    plan.place = throw(random_state, loss->names + 1);
    for (uint64_t number = 0; image->first != NULL; number++) {
        bool here = arrives(&plan, number, throw(random_state, 100) < plan.share);
        loss->names_kept += here;
        if (here) image_settle_name(image, NULL);
        else image_drop_name(image, NULL);
    }
}

/* ---- all ---- */

static void lose_below(struct image_file *folder, struct random_state *random_state, struct image_loss *loss)
{
    for (uint32_t i = 0; i < folder->stable_names.count; i++) {
        struct image_file *file = folder->stable_names.rows[i].file;
        if (S_ISDIR(file->mode)) lose_below(file, random_state, loss);
        else lose_bytes(file, random_state, loss);
    }
}

void image_lose(struct image *image, uint64_t seed, struct image_loss *loss)
{
    struct random_state random_state = { seed };

    *loss = (struct image_loss){ 0 };
    lose_names(image, &random_state, loss);
    lose_below(image->root, &random_state, loss); /* files without a name do not matter */
}
