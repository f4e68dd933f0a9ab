/* SPDX-License-Identifier: MIT */
/*
 * quota.c — one lock, chained rows, all of them in the order of their last use.
 *
 *     key-usage   magic 8 | month u32 | rows u32 | owners u32 | 0 u32 | rows × (key 16, owner 8, count u32)
 *                 | owners × (owner 8, count u32) | 8 bytes of keccak
 */
#include "limits/quota.h"

#include "base/chained.h"
#include "base/keccak.h"
#include "base/siphash.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define MINUTE_MS  60000
#define CANDIDATES 16 /* of the oldest rows, when one has to be given up */

struct quota_row {
    struct quota_key key;
    int64_t          reset_ms; /* end of its minute */
    uint32_t         minute, month_count;
    uint32_t         month; /* that month_count is of */
    struct row_links links;
};

/* The contents of the file, in the system's byte order (little endian everywhere we run). */
struct file_head {
    char     magic[8];
    uint32_t month, rows, owners, reserved;
};
struct file_row {
    uint8_t  key[16];
    uint32_t owner[2], count;
};
struct file_owner {
    uint32_t owner[2], count;
};
#define CHECK_BYTES 8
static_assert(sizeof(struct file_head) == 24 && sizeof(struct file_row) == 28 && sizeof(struct file_owner) == 12,
              "reaches disk");
static const char magic[8] = { 'd', 'o', 'j', 'i', 'm', 'a', 'K', '2' };

/* The most that a key of this owner gave up in a month. */
struct quota_owner {
    uint64_t owner;
    uint32_t month, count;
};

struct quotas {
    struct quota_settings settings;
    pthread_mutex_t       lock;
    struct chained        table;
    struct use_order      by_use;
    struct quota_row     *rows; /* from 1 */
    uint8_t              *file; /* its bytes, while it is written or read */
    uint32_t              month;
    struct quota_owner   *owners; /* by hash, as many as heads; an owner has one place */
    bool                  dirty;
};

/* ---- months ---- */

/* Days since 1970-01-01 of the first of a month: years are counted from March, so that the odd day comes last. */
static int64_t month_begin_day(uint32_t month)
{
    int64_t year = 1970 + month / 12, number = month % 12, from_march = (number + 10) % 12;

    year -= number < 2;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * from_march + 2) / 5 - 719468;
}

int64_t month_begin_ms(uint32_t month) { return month_begin_day(month) * INT64_C(86400000); }

uint32_t month_of(int64_t ms)
{
    uint32_t month = ms < 0 ? 0 : (uint32_t)(ms / INT64_C(2678400000)); /* months of 31 days: never too late */

    while (month_begin_ms(month + 1) <= ms) month += 1;
    return month;
}

/* ---- memory ---- */

static size_t file_bytes(uint32_t rows, uint32_t owners)
{
    return sizeof(struct file_head) + (size_t)rows * sizeof(struct file_row)
         + (size_t)owners * sizeof(struct file_owner) + CHECK_BYTES;
}
static size_t header_bytes(void) { return align_up(sizeof(struct quotas), 64); }
static size_t table_bytes(uint32_t rows) { return chained_bytes(chained_heads(rows), rows, sizeof(struct quota_row)); }
static size_t owner_bytes(uint32_t rows) { return chained_heads(rows) * sizeof(struct quota_owner); }

size_t quotas_size(uint32_t rows)
{
    return header_bytes() + table_bytes(rows) + owner_bytes(rows) + file_bytes(rows, chained_heads(rows));
}

struct quotas *quotas_init(void *memory, const struct quota_settings *settings)
{
    struct quotas *quotas = memory;
    uint8_t       *at = (uint8_t *)memory + header_bytes();

    assert(settings->rows >= 1 && settings->per_minute >= 1 && settings->per_month >= 1);
    quotas->settings = *settings;
    quotas->rows = (void *)(at + chained_head_bytes(chained_heads(settings->rows)));
    quotas->table = CHAINED((void *)at, chained_heads(settings->rows) - 1, quotas->rows, links, settings->rows,
                            .key = sizeof(struct quota_key), .seed = { settings->seed[0], settings->seed[1] });
    quotas->owners = (void *)(at + table_bytes(settings->rows));
    quotas->file = (uint8_t *)quotas->owners + owner_bytes(settings->rows);
    (void)pthread_mutex_init(&quotas->lock, NULL);
    return quotas;
}

void quotas_deinit(struct quotas *quotas) { (void)pthread_mutex_destroy(&quotas->lock); }

const struct quota_settings *quotas_settings(const struct quotas *quotas) { return &quotas->settings; }

/* ---- rows ---- */

static uint32_t month_count(const struct quotas *quotas, const struct quota_row *row)
{
    return row->month == quotas->month ? row->month_count : 0;
}

/* ---- owners ---- */

static struct quota_owner *owner_of(struct quotas *quotas, uint64_t owner)
{
    return &quotas->owners[siphash13(quotas->settings.seed, &owner, sizeof(owner)) & quotas->table.mask];
}

static uint32_t given_up(struct quotas *quotas, uint64_t owner)
{
    const struct quota_owner *place = owner_of(quotas, owner);

    return owner != 0 && place->owner == owner && place->month == quotas->month ? place->count : 0;
}

static void remember(struct quotas *quotas, uint64_t owner, uint32_t count)
{
    struct quota_owner *place = owner_of(quotas, owner);

    if (owner == 0 || (place->month == quotas->month && place->count >= count)) return;
    *place = (struct quota_owner){ owner, quotas->month, count };
}

/* Of the rows used longest ago whose minute is over, the one used least this month; 0 when there is none. */
static uint32_t give_up(struct quotas *quotas, int64_t now_ms)
{
    uint32_t best = 0, ix = quotas->by_use.oldest;

    for (uint32_t i = 0; i < CANDIDATES && ix != 0; i++, ix = quotas->rows[ix].links.newer) {
        const struct quota_row *row = &quotas->rows[ix];
        if (row->reset_ms > now_ms) continue;
        if (best == 0 || month_count(quotas, row) < month_count(quotas, &quotas->rows[best])) best = ix;
    }
    if (best == 0) return 0;
    remember(quotas, quotas->rows[best].key.owner, month_count(quotas, &quotas->rows[best]));
    use_order_remove(&quotas->by_use, &quotas->table, best);
    chained_detach(&quotas->table, best);
    return best;
}

/* A new key may have lost a row before: it begins with the most that any key of its owner had. */
static uint32_t add_row(struct quotas *quotas, const struct quota_key *key, uint64_t hash, int64_t now_ms)
{
    uint32_t ix = chained_take(&quotas->table);

    if (ix == 0) ix = give_up(quotas, now_ms);
    if (ix == 0) return 0;
    chained_assign(&quotas->table, hash, ix, key);
    quotas->rows[ix].month = quotas->month;
    quotas->rows[ix].month_count = given_up(quotas, key->owner);
    use_order_add(&quotas->by_use, &quotas->table, ix);
    return ix;
}

/* ---- counting ---- */

static uint32_t seconds_until(int64_t then_ms, int64_t now_ms)
{
    return then_ms <= now_ms ? 1 : (uint32_t)((then_ms - now_ms + 999) / 1000);
}

static struct quota count_row(struct quotas *quotas, struct quota_row *row, int64_t now_ms)
{
    struct quota quota = { .limit = quotas->settings.per_minute };

    if (row->reset_ms <= now_ms) {
        row->reset_ms = now_ms + MINUTE_MS;
        row->minute = 0;
    }
    if (row->month != quotas->month) {
        row->month = quotas->month;
        row->month_count = 0;
    }
    quota.reset_ms = row->reset_ms;
    if (row->month_count >= quotas->settings.per_month) {
        quota.by_month = true;
        quota.wait = seconds_until(month_begin_ms(quotas->month + 1), now_ms);
    } else if (row->minute >= quotas->settings.per_minute) {
        quota.wait = seconds_until(row->reset_ms, now_ms);
    } else {
        row->minute += 1;
        row->month_count += 1;
        quotas->dirty = true;
    }
    quota.remaining = quotas->settings.per_minute - row->minute;
    return quota;
}

/* Every candidate's minute is running: strict. A key whose month is certainly over is refused as such. */
static struct quota no_row(struct quotas *quotas, const struct quota_key *key, int64_t now_ms)
{
    struct quota quota = { .limit = quotas->settings.per_minute,
                           .reset_ms = now_ms + MINUTE_MS,
                           .wait = MINUTE_MS / 1000 };

    quota.by_month = given_up(quotas, key->owner) >= quotas->settings.per_month;
    if (quota.by_month) quota.wait = seconds_until(month_begin_ms(quotas->month + 1), now_ms);
    return quota;
}

struct quota quotas_count(struct quotas *quotas, const struct quota_key *key, int64_t now_ms)
{
    uint64_t     hash = chained_hash(&quotas->table, key);
    struct quota quota;
    uint32_t     ix;

    (void)pthread_mutex_lock(&quotas->lock);
    quotas->month = max_u32(quotas->month, month_of(now_ms));
    ix = chained_find(&quotas->table, hash, key);
    if (ix == 0) ix = add_row(quotas, key, hash, now_ms);
    if (ix == 0) {
        quota = no_row(quotas, key, now_ms);
    } else {
        quota = count_row(quotas, &quotas->rows[ix], now_ms);
        use_order_renew(&quotas->by_use, &quotas->table, ix);
    }
    (void)pthread_mutex_unlock(&quotas->lock);
    return quota;
}

/* ---- the file ---- */

static void *put(void *into, const void *from, size_t bytes)
{
    memcpy(into, from, bytes);
    return (uint8_t *)into + bytes;
}

static uint8_t *write_rows(struct quotas *quotas, uint8_t *at, uint32_t *rows)
{
    for (uint32_t ix = quotas->by_use.oldest; ix != 0; ix = quotas->rows[ix].links.newer) {
        const struct quota_row *row = &quotas->rows[ix];
        struct file_row         kept = { .count = month_count(quotas, row) };
        if (kept.count == 0) continue;
        memcpy(kept.key, row->key.bytes, sizeof(kept.key));
        memcpy(kept.owner, &row->key.owner, sizeof(kept.owner));
        at = put(at, &kept, sizeof(kept));
        *rows += 1;
    }
    return at;
}

static uint8_t *write_owners(const struct quotas *quotas, uint8_t *at, uint32_t *owners)
{
    for (uint32_t i = 0; i <= quotas->table.mask; i++) {
        const struct quota_owner *place = &quotas->owners[i];
        struct file_owner         kept = { .count = place->count };
        if (place->count == 0 || place->month != quotas->month) continue;
        memcpy(kept.owner, &place->owner, sizeof(kept.owner));
        at = put(at, &kept, sizeof(kept));
        *owners += 1;
    }
    return at;
}

/* What the file has before its check, in bytes. */
static size_t write_file(struct quotas *quotas)
{
    struct file_head head = { .month = quotas->month };
    uint8_t         *end;

    end = write_owners(quotas, write_rows(quotas, quotas->file + sizeof(head), &head.rows), &head.owners);
    memcpy(head.magic, magic, sizeof(magic));
    memcpy(quotas->file, &head, sizeof(head));
    return (size_t)(end - quotas->file);
}

size_t quotas_take(struct quotas *quotas)
{
    size_t bytes;

    (void)pthread_mutex_lock(&quotas->lock);
    bytes = quotas->dirty ? write_file(quotas) : 0;
    quotas->dirty = false;
    (void)pthread_mutex_unlock(&quotas->lock);
    return bytes;
}

int quotas_store(struct quotas *quotas, size_t bytes, const struct disk *disk)
{
    struct hash256 check;
    int            error;

    if (bytes == 0) return 0;
    check = keccak256(quotas->file, bytes);
    memcpy(quotas->file + bytes, check.bytes, CHECK_BYTES);
    error = disk->replace(disk->self, QUOTA_FILE, quotas->file, bytes + CHECK_BYTES);
    if (error == 0) return 0;
    (void)pthread_mutex_lock(&quotas->lock);
    quotas->dirty = true;
    (void)pthread_mutex_unlock(&quotas->lock);
    return error;
}

static bool damaged(char *why, size_t cap, const char *what)
{
    (void)snprintf(why, cap, "the file %s %s: the month's request counters of API keys begin at zero", QUOTA_FILE,
                   what);
    return false;
}

/* There is room for all of them: the size of the file was looked at. */
static bool read_rows(struct quotas *quotas, const struct file_head *head, const uint8_t *at)
{
    for (uint32_t i = 0; i < head->rows; i++, at += sizeof(struct file_row)) {
        struct file_row  row;
        struct quota_key key;
        uint64_t         hash;
        memcpy(&row, at, sizeof(row));
        memcpy(key.bytes, row.key, sizeof(key.bytes));
        memcpy(&key.owner, row.owner, sizeof(key.owner));
        hash = chained_hash(&quotas->table, &key);
        if (chained_find(&quotas->table, hash, &key) != 0) return false;
        quotas->rows[add_row(quotas, &key, hash, INT64_MAX)].month_count = row.count;
    }
    for (uint32_t i = 0; i < head->owners; i++, at += sizeof(struct file_owner)) {
        struct file_owner kept;
        uint64_t          owner;
        memcpy(&kept, at, sizeof(kept));
        memcpy(&owner, kept.owner, sizeof(owner));
        remember(quotas, owner, kept.count);
    }
    return true;
}

static void forget_all(struct quotas *quotas)
{
    memset(quotas->table.heads, 0, chained_head_bytes(chained_heads(quotas->settings.rows)));
    memset(quotas->owners, 0, owner_bytes(quotas->settings.rows));
    quotas->table.used = quotas->month = 0;
    quotas->by_use = (struct use_order){ 0, 0 };
}

bool quotas_load(struct quotas *quotas, const struct disk *disk, int64_t now_ms, char *why, size_t cap)
{
    struct file_head head;
    struct hash256   check;
    uint64_t         bytes = 0;
    int              handle, error = disk->size(disk->self, QUOTA_FILE, &bytes);

    if (error == ENOENT) return true;
    if (error == 0
        && (bytes < file_bytes(0, 0)
            || bytes > file_bytes(quotas->settings.rows, chained_heads(quotas->settings.rows))))
        return damaged(why, cap, "has a size it cannot have");
    if (error == 0) error = disk->open(disk->self, QUOTA_FILE, false, &handle);
    if (error == 0) {
        error = disk->read(disk->self, handle, 0, quotas->file, (size_t)bytes);
        disk->close(disk->self, handle);
    }
    if (error != 0) return damaged(why, cap, "cannot be read");
    memcpy(&head, quotas->file, sizeof(head));
    check = keccak256(quotas->file, (size_t)bytes - CHECK_BYTES);
    if (memcmp(head.magic, magic, sizeof(magic)) != 0 || bytes != file_bytes(head.rows, head.owners)
        || head.rows > quotas->settings.rows
        || memcmp(quotas->file + bytes - CHECK_BYTES, check.bytes, CHECK_BYTES) != 0)
        return damaged(why, cap, "is damaged");
    if (head.month > month_of(now_ms)) return damaged(why, cap, "is of a month to come");
    quotas->month = head.month;
    if (!read_rows(quotas, &head, quotas->file + sizeof(head))) {
        forget_all(quotas);
        return damaged(why, cap, "names a key twice");
    }
    quotas->month = max_u32(quotas->month, month_of(now_ms));
    return true;
}
