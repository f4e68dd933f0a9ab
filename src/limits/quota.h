/* SPDX-License-Identifier: MIT */
/*
 * quota.h — the second rule set: requests per minute and per UTC calendar month of an API key (service 8; ruling 16),
 * in a table of fixed size whose months are kept in a small file.
 *
 * A minute begins with the first request in it and lasts 60 s; X-RateLimit-Reset is its end. A month ends with the UTC
 * calendar's. When more keys come than there are rows, the least used of those unused for longest loses its row. A new
 * key begins the month with the most that a key of the same owner lost in it, so that no owner gets a new month by
 * naming many keys, and no owner starts with the usage of another. Owners are remembered in a table with at least as
 * many slots as there are rows; of two owners with the same slot, the one with more usage is remembered.
 */
#ifndef LIMITS_QUOTA_H
#define LIMITS_QUOTA_H

#include "base/outside.h"
#include "base/slice.h"

#define QUOTA_FILE "key-usage"

struct quota_key {
    uint8_t  bytes[16]; /* a hash of the key's address */
    uint64_t owner;     /* owner, whose keys may inherit from each other; 0 = none */
};
static_assert(sizeof(struct quota_key) == 24, "compared as bytes");

struct quota_settings {
    uint32_t rows; /* keys at once */
    uint32_t per_minute, per_month;
    uint64_t seed[2];
};

/* The answer to one request. */
struct quota {
    uint32_t limit, remaining; /* of the current minute */
    int64_t  reset_ms;         /* when it ends, Unix milliseconds */
    uint32_t wait;             /* 0: counted. Else refused, and room is back in so many seconds */
    bool     by_month;         /* it was the month's limit */
};

struct quotas; /* memory of quotas_size() bytes, zeroed, aligned to 64 */
size_t                       quotas_size(uint32_t rows);
struct quotas               *quotas_init(void *memory, const struct quota_settings *settings);
void                         quotas_deinit(struct quotas *quotas);
const struct quota_settings *quotas_settings(const struct quotas *quotas);

/* Counts one request, unless it is one too many. From any thread. */
struct quota quotas_count(struct quotas *quotas, const struct quota_key *key, int64_t now_ms);

/*
 * Reads the month's counters of an earlier run; an absent file is no error. False: the file is damaged or cannot be
 * read, all counters begin at zero, and `why` (of `cap` bytes) has the reason. Before any other thread counts.
 */
bool quotas_load(struct quotas *quotas, const struct disk *disk, int64_t now_ms, char *why, size_t cap) MUST_USE;

/* Copies them under the lock of quotas_count: bytes, 0 when nothing has changed since. From one thread at a time. */
size_t quotas_take(struct quotas *quotas) MUST_USE;

/* Writes what quotas_take has copied, without the lock; 0 or errno. The same thread. */
int quotas_store(struct quotas *quotas, size_t bytes, const struct disk *disk) MUST_USE;

/* UTC months since January 1970, and when a month begins. */
uint32_t month_of(int64_t ms);
int64_t  month_begin_ms(uint32_t month);

#endif
