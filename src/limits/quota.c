/* SPDX-License-Identifier: MIT */
/*
 * quota.c — one lock, chained rows, all of them in the order of their last use.
 *
 *     key-usage   magic 8 | month u32 | rows u32 | given up u32 | 0 u32 | rows × (key 16, count u32) | 8 bytes of keccak
 */
#include "limits/quota.h"

#include "base/keccak.h"
#include "limits/minute.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#define MINUTE_MS  60000
#define CANDIDATES 16               /* of the oldest rows, when one has to be given up */

struct quota_row {
    struct quota_key key;
    int64_t          reset_ms;      /* end of its minute                            */
    uint32_t         minute, month_count;
    uint32_t         month;         /* that month_count is of                       */
    uint32_t         next;          /* in its bucket; 0 = none                      */
    uint32_t         newer, older;
};

/* What the file holds, with the system's byte order (little endian everywhere we run). */
struct file_head { char magic[8]; uint32_t month, rows, given_up, reserved; };
struct file_row  { struct quota_key key; uint32_t count; };
#define CHECK_BYTES 8
static_assert(sizeof(struct file_head) == 24 && sizeof(struct file_row) == 20, "reaches disk");
static const char magic[8] = { 'd', 'o', 'j', 'i', 'm', 'a', 'K', '1' };

struct quotas {
    struct quota_settings settings;
    pthread_mutex_t       lock;
    uint32_t             *buckets, bucket_mask;
    struct quota_row     *rows;             /* from 1                                                */
    uint8_t              *file;             /* its bytes, while it is written or read                */
    uint32_t              used, newest, oldest;
    uint32_t              month, given_up;  /* the largest count of that month whose row was given up */
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
    uint32_t month = ms < 0 ? 0 : (uint32_t)(ms / INT64_C(2678400000));     /* months of 31 days: never too late */

    while (month_begin_ms(month + 1) <= ms) month += 1;
    return month;
}

/* ---- memory ---- */

static uint32_t bucket_count(uint32_t rows) { return (uint32_t)power_of_two_above(rows); }
static size_t   file_bytes(uint32_t rows)   { return sizeof(struct file_head) + (size_t)rows * sizeof(struct file_row) + CHECK_BYTES; }
static size_t   header_bytes(void)          { return align_up(sizeof(struct quotas), 64); }
static size_t   bucket_bytes(uint32_t rows) { return align_up((size_t)bucket_count(rows) * sizeof(uint32_t), 64); }
static size_t   row_bytes(uint32_t rows)    { return align_up(((size_t)rows + 1) * sizeof(struct quota_row), 64); }

size_t quotas_size(uint32_t rows) { return header_bytes() + bucket_bytes(rows) + row_bytes(rows) + file_bytes(rows); }

struct quotas *quotas_init(void *memory, const struct quota_settings *settings)
{
    struct quotas *quotas = memory;
    uint8_t       *at = (uint8_t *)memory + header_bytes();

    assert(settings->rows >= 1 && settings->per_minute >= 1 && settings->per_month >= 1);
    quotas->settings = *settings;
    quotas->bucket_mask = bucket_count(settings->rows) - 1;
    quotas->buckets = (void *)at;
    quotas->rows = (void *)(at + bucket_bytes(settings->rows));
    quotas->file = at + bucket_bytes(settings->rows) + row_bytes(settings->rows);
    (void)pthread_mutex_init(&quotas->lock, NULL);
    return quotas;
}

void quotas_deinit(struct quotas *quotas) { (void)pthread_mutex_destroy(&quotas->lock); }

const struct quota_settings *quotas_settings(const struct quotas *quotas) { return &quotas->settings; }

/* ---- rows ---- */

static uint32_t *bucket_of(struct quotas *quotas, const struct quota_key *key)
{
    uint64_t high, low;

    memcpy(&high, key->bytes, 8);
    memcpy(&low, key->bytes + 8, 8);
    return &quotas->buckets[(uint32_t)keyed_hash(quotas->settings.seed, high, low) & quotas->bucket_mask];
}

static uint32_t find(struct quotas *quotas, const struct quota_key *key)
{
    uint32_t ix = *bucket_of(quotas, key);

    while (ix != 0 && memcmp(&quotas->rows[ix].key, key, sizeof(*key)) != 0) ix = quotas->rows[ix].next;
    return ix;
}

static void take_out(struct quotas *quotas, uint32_t ix)
{
    struct quota_row *row = &quotas->rows[ix];

    if (row->newer != 0) quotas->rows[row->newer].older = row->older; else quotas->newest = row->older;
    if (row->older != 0) quotas->rows[row->older].newer = row->newer; else quotas->oldest = row->newer;
}

static void put_first(struct quotas *quotas, uint32_t ix)
{
    struct quota_row *row = &quotas->rows[ix];

    row->newer = 0;
    row->older = quotas->newest;
    if (quotas->newest != 0) quotas->rows[quotas->newest].newer = ix; else quotas->oldest = ix;
    quotas->newest = ix;
}

static void turn_month(struct quotas *quotas, uint32_t month)
{
    if (month <= quotas->month) return;
    quotas->month = month;
    quotas->given_up = 0;
}

static uint32_t month_count(const struct quotas *quotas, const struct quota_row *row)
{
    return row->month == quotas->month ? row->month_count : 0;
}

/* Of the rows used longest ago whose minute is over, the one used least this month; 0 when there is none. */
static uint32_t give_up(struct quotas *quotas, int64_t now_ms)
{
    uint32_t best = 0, ix = quotas->oldest, *at;

    for (uint32_t i = 0; i < CANDIDATES && ix != 0; i++, ix = quotas->rows[ix].newer) {
        const struct quota_row *row = &quotas->rows[ix];
        if (row->reset_ms > now_ms) continue;
        if (best == 0 || month_count(quotas, row) < month_count(quotas, &quotas->rows[best])) best = ix;
    }
    if (best == 0) return 0;
    if (month_count(quotas, &quotas->rows[best]) > quotas->given_up) quotas->given_up = month_count(quotas, &quotas->rows[best]);
    take_out(quotas, best);
    for (at = bucket_of(quotas, &quotas->rows[best].key); *at != best; at = &quotas->rows[*at].next) {}
    *at = quotas->rows[best].next;
    return best;
}

/* Whoever is new may be one of those who gave up a row before: it begins with the most that any of them had. */
static uint32_t add_row(struct quotas *quotas, const struct quota_key *key, int64_t now_ms)
{
    uint32_t begins_with = quotas->given_up, *bucket = bucket_of(quotas, key);
    uint32_t ix = quotas->used < quotas->settings.rows ? ++quotas->used : give_up(quotas, now_ms);

    if (ix == 0) return 0;
    quotas->rows[ix] = (struct quota_row){ .key = *key, .month = quotas->month, .month_count = begins_with, .next = *bucket };
    *bucket = ix;
    put_first(quotas, ix);
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

struct quota quotas_count(struct quotas *quotas, const struct quota_key *key, int64_t now_ms)
{
    struct quota quota;
    uint32_t     ix;

    (void)pthread_mutex_lock(&quotas->lock);
    turn_month(quotas, month_of(now_ms));
    ix = find(quotas, key);
    if (ix == 0) ix = add_row(quotas, key, now_ms);
    if (ix == 0) {              /* every candidate's minute is running: strict */
        quota = (struct quota){ .limit = quotas->settings.per_minute, .reset_ms = now_ms + MINUTE_MS, .wait = MINUTE_MS / 1000 };
    } else {
        quota = count_row(quotas, &quotas->rows[ix], now_ms);
        take_out(quotas, ix);
        put_first(quotas, ix);
    }
    (void)pthread_mutex_unlock(&quotas->lock);
    return quota;
}

/* ---- the file ---- */

static size_t write_file(struct quotas *quotas)
{
    struct file_head head = { .month = quotas->month, .given_up = quotas->given_up };
    uint8_t         *at = quotas->file + sizeof(head);
    struct hash256   check;

    memcpy(head.magic, magic, sizeof(magic));
    for (uint32_t ix = quotas->oldest; ix != 0; ix = quotas->rows[ix].newer) {
        const struct file_row row = { quotas->rows[ix].key, month_count(quotas, &quotas->rows[ix]) };
        if (row.count == 0) continue;
        memcpy(at, &row, sizeof(row));
        at += sizeof(row);
        head.rows += 1;
    }
    memcpy(quotas->file, &head, sizeof(head));
    check = keccak256(quotas->file, (size_t)(at - quotas->file));
    memcpy(at, check.bytes, CHECK_BYTES);
    return (size_t)(at - quotas->file) + CHECK_BYTES;
}

int quotas_store(struct quotas *quotas, const struct disk *disk)
{
    size_t bytes;
    bool   dirty;
    int    error;

    (void)pthread_mutex_lock(&quotas->lock);
    dirty = quotas->dirty;
    quotas->dirty = false;
    bytes = dirty ? write_file(quotas) : 0;
    (void)pthread_mutex_unlock(&quotas->lock);
    if (!dirty) return 0;
    error = disk->replace(disk->self, QUOTA_FILE, quotas->file, bytes);
    if (error == 0) return 0;
    (void)pthread_mutex_lock(&quotas->lock);
    quotas->dirty = true;
    (void)pthread_mutex_unlock(&quotas->lock);
    return error;
}

static bool damaged(char *why, size_t cap, const char *what)
{
    (void)snprintf(why, cap, "the file %s %s: the month's request counters of API keys begin at zero", QUOTA_FILE, what);
    return false;
}

/* There is room for all of them: the size of the file was looked at. */
static bool read_rows(struct quotas *quotas, const struct file_head *head, const uint8_t *at)
{
    struct file_row row;

    for (uint32_t i = 0; i < head->rows; i++, at += sizeof(row)) {
        memcpy(&row, at, sizeof(row));
        if (find(quotas, &row.key) != 0) return false;
        quotas->rows[add_row(quotas, &row.key, INT64_MAX)].month_count = row.count;
    }
    return true;
}

static void forget_all(struct quotas *quotas)
{
    memset(quotas->buckets, 0, bucket_count(quotas->settings.rows) * sizeof(uint32_t));
    quotas->used = quotas->newest = quotas->oldest = quotas->given_up = quotas->month = 0;
}

bool quotas_load(struct quotas *quotas, const struct disk *disk, int64_t now_ms, char *why, size_t cap)
{
    struct file_head head;
    struct hash256   check;
    uint64_t         bytes = 0;
    int              handle, error = disk->size(disk->self, QUOTA_FILE, &bytes);

    if (error == ENOENT) return true;
    if (error == 0 && (bytes < file_bytes(0) || bytes > file_bytes(quotas->settings.rows))) return damaged(why, cap, "has a size it cannot have");
    if (error == 0) error = disk->open(disk->self, QUOTA_FILE, false, &handle);
    if (error == 0) {
        error = disk->read(disk->self, handle, 0, quotas->file, (size_t)bytes);
        disk->close(disk->self, handle);
    }
    if (error != 0) return damaged(why, cap, "cannot be read");
    memcpy(&head, quotas->file, sizeof(head));
    check = keccak256(quotas->file, (size_t)bytes - CHECK_BYTES);
    if (memcmp(head.magic, magic, sizeof(magic)) != 0 || bytes != file_bytes(head.rows)
        || memcmp(quotas->file + bytes - CHECK_BYTES, check.bytes, CHECK_BYTES) != 0) return damaged(why, cap, "is damaged");
    if (head.month > month_of(now_ms)) return damaged(why, cap, "is of a month to come");
    quotas->month = head.month;
    if (!read_rows(quotas, &head, quotas->file + sizeof(head))) {
        forget_all(quotas);
        return damaged(why, cap, "names a key twice");
    }
    quotas->given_up = head.given_up;
    turn_month(quotas, month_of(now_ms));
    return true;
}
