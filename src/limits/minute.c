/* SPDX-License-Identifier: MIT */
/*
 * minute.c — buckets of chained rows, in stripes with a lock each; in every stripe the rows stand in the
 * order of their last charge. A row whose window is empty says nothing and is taken away when another key
 * needs one, from whichever stripe has it: the pool belongs to all.
 *
 *     bucket ──▶ row ──▶ row          stripe: newest ⇄ row ⇄ row ⇄ oldest
 *
 * Two locks are never held at once but `pool` and one stripe's, in that order. Rows are given to keys only
 * under `pool`: a key that is seen absent there stays absent until its row is in.
 */
#include "limits/minute.h"

#include <pthread.h>

#define STRIPES 64
#define SLOTS   64 /* of a window: seconds modulo 64, at most 61 of them not zero */

struct row {
    struct minute_key key;
    uint32_t          second;       /* up to which the window is rolled */
    uint32_t          charged;      /* when something was spent last */
    uint32_t          sum;          /* of the window */
    uint32_t          next;         /* in its bucket, or among the free ones; 0 = none */
    uint32_t          newer, older; /* in its stripe; 0 = none */
};

struct window {
    uint16_t spent[SLOTS];
};

struct stripe {
    _Alignas(64) pthread_mutex_t lock;
    uint32_t newest, oldest;
    uint32_t now; /* the latest second anybody brought */
};

struct minutes {
    struct minute_settings settings;
    struct stripe          stripes[STRIPES];
    uint32_t              *buckets, bucket_mask;
    struct row            *rows; /* from 1 */
    struct window         *windows;
    pthread_mutex_t        pool;       /* for what follows */
    uint32_t               free;       /* first of the rows without a key */
    uint32_t               cursor;     /* the stripe where an old row was found last */
    uint32_t               full_until; /* before this second no row's window can be empty */
};

/* ---- memory ---- */

static uint32_t bucket_count(uint32_t rows) { return (uint32_t)power_of_two_above(rows < STRIPES ? STRIPES : rows); }

static size_t header_bytes(void) { return align_up(sizeof(struct minutes), 64); }
static size_t bucket_bytes(uint32_t rows) { return align_up((size_t)bucket_count(rows) * sizeof(uint32_t), 64); }
static size_t row_bytes(uint32_t rows) { return align_up(((size_t)rows + 1) * sizeof(struct row), 64); }

size_t minutes_size(uint32_t rows)
{
    return header_bytes() + bucket_bytes(rows) + row_bytes(rows) + ((size_t)rows + 1) * sizeof(struct window);
}

/* The rows are chained when they are first needed, so that memory nobody uses is never touched. */
struct minutes *minutes_init(void *memory, const struct minute_settings *settings)
{
    struct minutes *minutes = memory;
    uint8_t        *at = (uint8_t *)memory + header_bytes();

    assert(settings->rows >= 1 && settings->limit <= MINUTE_LIMIT_MAX);
    minutes->settings = *settings;
    minutes->bucket_mask = bucket_count(settings->rows) - 1;
    minutes->buckets = (void *)at;
    minutes->rows = (void *)(at + bucket_bytes(settings->rows));
    minutes->windows = (void *)(at + bucket_bytes(settings->rows) + row_bytes(settings->rows));
    minutes->free = 1;
    for (uint32_t i = 0; i < STRIPES; i++) (void)pthread_mutex_init(&minutes->stripes[i].lock, NULL);
    (void)pthread_mutex_init(&minutes->pool, NULL);
    return minutes;
}

void minutes_deinit(struct minutes *minutes)
{
    for (uint32_t i = 0; i < STRIPES; i++) (void)pthread_mutex_destroy(&minutes->stripes[i].lock);
    (void)pthread_mutex_destroy(&minutes->pool);
}

uint32_t minutes_limit(const struct minutes *minutes) { return minutes->settings.limit; }

/* ---- the hash ---- */

static uint64_t turn_left(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static void stir(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = turn_left(v[1], 13) ^ v[0];
    v[0] = turn_left(v[0], 32);
    v[2] += v[3];
    v[3] = turn_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = turn_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = turn_left(v[1], 17) ^ v[2];
    v[2] = turn_left(v[2], 32);
}

uint64_t keyed_hash(const uint64_t seed[2], uint64_t high, uint64_t low)
{
    uint64_t       v[4] = { seed[0] ^ UINT64_C(0x736f6d6570736575), seed[1] ^ UINT64_C(0x646f72616e646f6d),
                            seed[0] ^ UINT64_C(0x6c7967656e657261), seed[1] ^ UINT64_C(0x7465646279746573) };
    const uint64_t words[3] = { high, low, UINT64_C(16) << 56 };

    for (int i = 0; i < 3; i++) {
        v[3] ^= words[i];
        stir(v);
        v[0] ^= words[i];
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) stir(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- stripes and their rows ---- */

static uint32_t bucket_of(const struct minutes *minutes, const struct minute_key *key)
{
    return (uint32_t)keyed_hash(minutes->settings.seed, key->high, key->low) & minutes->bucket_mask;
}

static struct stripe *stripe_of(struct minutes *minutes, uint32_t bucket)
{
    return &minutes->stripes[bucket % STRIPES];
}

/* Threads read the clock before they wait for the lock; within a stripe time does not go back. */
static uint32_t stripe_lock(struct stripe *stripe, uint32_t second)
{
    (void)pthread_mutex_lock(&stripe->lock);
    if (second > stripe->now) stripe->now = second;
    return stripe->now;
}

static void stripe_unlock(struct stripe *stripe) { (void)pthread_mutex_unlock(&stripe->lock); }

static uint32_t find(const struct minutes *minutes, uint32_t bucket, const struct minute_key *key)
{
    uint32_t ix = minutes->buckets[bucket];

    while (ix != 0 && (minutes->rows[ix].key.high != key->high || minutes->rows[ix].key.low != key->low))
        ix = minutes->rows[ix].next;
    return ix;
}

static void take_out(struct minutes *minutes, struct stripe *stripe, uint32_t ix)
{
    struct row *row = &minutes->rows[ix];

    if (row->newer != 0) minutes->rows[row->newer].older = row->older;
    else stripe->newest = row->older;
    if (row->older != 0) minutes->rows[row->older].newer = row->newer;
    else stripe->oldest = row->newer;
}

static void put_first(struct minutes *minutes, struct stripe *stripe, uint32_t ix)
{
    struct row *row = &minutes->rows[ix];

    row->newer = 0;
    row->older = stripe->newest;
    if (stripe->newest != 0) minutes->rows[stripe->newest].newer = ix;
    else stripe->oldest = ix;
    stripe->newest = ix;
}

/* ---- windows ---- */

/* Forgets the seconds that are out of the window at `now`. */
static void roll(struct minutes *minutes, uint32_t ix, uint32_t now)
{
    struct row    *row = &minutes->rows[ix];
    struct window *window = &minutes->windows[ix];

    if (now - row->second >= MINUTE_SECONDS) {
        memset(window, 0, sizeof(*window));
        row->sum = 0;
        row->second = now;
    }
    while (row->second != now) {
        uint16_t *gone = &window->spent[(++row->second - MINUTE_SECONDS) % SLOTS];
        row->sum -= *gone;
        *gone = 0;
    }
}

static void book(struct minutes *minutes, struct stripe *stripe, uint32_t ix, uint32_t weight, uint32_t now)
{
    struct row *row = &minutes->rows[ix];
    uint16_t   *spent = &minutes->windows[ix].spent[now % SLOTS];

    weight = min_u32(weight, (uint32_t)UINT16_MAX - *spent);
    *spent = (uint16_t)(*spent + weight);
    row->sum += weight;
    if (row->charged == now) return; /* its place among the others is right already */
    row->charged = now;
    take_out(minutes, stripe, ix);
    put_first(minutes, stripe, ix);
}

/* In how many seconds enough of the window is gone. */
static uint32_t wait_for(const struct minutes *minutes, uint32_t ix, uint32_t weight)
{
    const struct row    *row = &minutes->rows[ix];
    const struct window *window = &minutes->windows[ix];
    uint32_t             left = row->sum, seconds = 0;

    while (seconds < MINUTE_SECONDS && (seconds == 0 || left + weight > minutes->settings.limit)) {
        left -= window->spent[(row->second + 1 - MINUTE_SECONDS + seconds) % SLOTS];
        seconds += 1;
    }
    return seconds;
}

static uint32_t spend_row(struct minutes *minutes, struct stripe *stripe, uint32_t ix, uint32_t weight, uint32_t now)
{
    roll(minutes, ix, now);
    if (minutes->rows[ix].sum + weight > minutes->settings.limit) return wait_for(minutes, ix, weight);
    book(minutes, stripe, ix, weight, now);
    return 0;
}

/* ---- rows for keys that have none; under `pool` ---- */

static void unchain(struct minutes *minutes, uint32_t ix)
{
    uint32_t *at = &minutes->buckets[bucket_of(minutes, &minutes->rows[ix].key)];

    while (*at != ix) at = &minutes->rows[*at].next;
    *at = minutes->rows[ix].next;
}

/* The stripe's oldest row when its window is empty, else 0, and *until is when it will be. */
static uint32_t take_old(struct minutes *minutes, struct stripe *stripe, uint32_t second, uint32_t *until)
{
    uint32_t now = stripe_lock(stripe, second), ix = stripe->oldest;

    if (ix != 0 && now - minutes->rows[ix].charged < MINUTE_SECONDS) {
        *until = min_u32(*until, minutes->rows[ix].charged + MINUTE_SECONDS);
        ix = 0;
    }
    if (ix != 0) {
        take_out(minutes, stripe, ix);
        unchain(minutes, ix);
    }
    stripe_unlock(stripe);
    return ix;
}

/* A row without a key, or 0: every window has something in it. */
static uint32_t take_row(struct minutes *minutes, uint32_t second)
{
    uint32_t until = UINT32_MAX;

    if (minutes->free <= minutes->settings.rows) return minutes->free++;
    if (second < minutes->full_until) return 0;
    for (uint32_t i = 0; i < STRIPES; i++) {
        uint32_t ix = take_old(minutes, &minutes->stripes[minutes->cursor], second, &until);
        if (ix != 0) return ix;
        minutes->cursor = (minutes->cursor + 1) % STRIPES;
    }
    minutes->full_until = until;
    return 0;
}

static void give_row(struct minutes *minutes, struct stripe *stripe, uint32_t bucket, uint32_t ix,
                     const struct minute_key *key, uint32_t now)
{
    memset(&minutes->windows[ix], 0, sizeof(struct window));
    minutes->rows[ix] = (struct row){ .key = *key, .second = now, .charged = now, .next = minutes->buckets[bucket] };
    minutes->buckets[bucket] = ix;
    put_first(minutes, stripe, ix);
}

static uint32_t spend_new(struct minutes *minutes, uint32_t bucket, const struct minute_key *key, uint32_t weight,
                          uint32_t *second)
{
    struct stripe *stripe = stripe_of(minutes, bucket);
    uint32_t       now = stripe_lock(stripe, *second), ix = find(minutes, bucket, key), wait;
    bool           found = ix != 0;

    stripe_unlock(stripe);
    if (weight > minutes->settings.limit) return MINUTE_SECONDS;
    if (!found) ix = take_row(minutes, now);
    if (ix == 0) return minutes->full_until > now ? minutes->full_until - now : 1;
    now = stripe_lock(stripe, now);
    if (!found) give_row(minutes, stripe, bucket, ix, key, now);
    wait = spend_row(minutes, stripe, ix, weight, now);
    stripe_unlock(stripe);
    *second = now;
    return wait;
}

/* ---- the door ---- */

uint32_t minutes_spend(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t *second)
{
    uint32_t       bucket = bucket_of(minutes, key), now, ix, wait = 0;
    struct stripe *stripe = stripe_of(minutes, bucket);

    now = stripe_lock(stripe, *second);
    ix = find(minutes, bucket, key);
    if (ix != 0) {
        wait = spend_row(minutes, stripe, ix, weight, now);
        *second = now;
    }
    stripe_unlock(stripe);
    if (ix != 0) return wait;
    (void)pthread_mutex_lock(&minutes->pool);
    wait = spend_new(minutes, bucket, key, weight, second);
    (void)pthread_mutex_unlock(&minutes->pool);
    return wait;
}

void minutes_overdraw(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second)
{
    uint32_t       bucket = bucket_of(minutes, key), now, ix;
    struct stripe *stripe = stripe_of(minutes, bucket);

    now = stripe_lock(stripe, second);
    ix = find(minutes, bucket, key);
    if (ix != 0) {
        roll(minutes, ix, now);
        book(minutes, stripe, ix, weight, now);
    }
    stripe_unlock(stripe);
}

void minutes_give_back(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second)
{
    uint32_t       bucket = bucket_of(minutes, key), now, ix;
    struct stripe *stripe = stripe_of(minutes, bucket);

    now = stripe_lock(stripe, second);
    ix = find(minutes, bucket, key);
    if (ix != 0 && now - second < MINUTE_SECONDS) {
        uint16_t *spent = &minutes->windows[ix].spent[second % SLOTS];
        roll(minutes, ix, now);
        weight = min_u32(weight, *spent);
        *spent = (uint16_t)(*spent - weight);
        minutes->rows[ix].sum -= weight;
    }
    stripe_unlock(stripe);
}

bool minutes_know(struct minutes *minutes, const struct minute_key *key)
{
    uint32_t       bucket = bucket_of(minutes, key);
    struct stripe *stripe = stripe_of(minutes, bucket);
    bool           known;

    (void)stripe_lock(stripe, 0);
    known = find(minutes, bucket, key) != 0;
    stripe_unlock(stripe);
    return known;
}
