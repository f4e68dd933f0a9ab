/* SPDX-License-Identifier: MIT */
/*
 * minute.c — chained rows, whose chains are divided among stripes with a lock each; the rows of a stripe are kept in
 * the order of their last charge. A row whose window is empty is taken away when another key needs one, from any
 * stripe.
 *
 * Two locks are never held at once but `pool` and one stripe's, in that order. Rows are given to keys only
 * under `pool`: a key that is seen absent there stays absent until its row is in.
 */
#include "limits/minute.h"

#include "base/chained.h"

#include <pthread.h>

#define STRIPES 64
#define SLOTS   64 /* of a window: seconds modulo 64, at most 61 of them not zero */

struct row {
    struct minute_key key;
    uint32_t          second;  /* up to which the window is rolled */
    uint32_t          charged; /* when something was spent last */
    uint32_t          sum;     /* of the window */
    struct row_links  links;
};

struct window {
    uint16_t spent[SLOTS];
};

struct stripe {
    _Alignas(64) pthread_mutex_t lock;
    struct use_order by_charge;
    uint32_t         now; /* the latest second of any call */
};

struct minutes {
    struct minute_settings settings;
    struct stripe          stripes[STRIPES];
    struct chained         table; /* its list of free rows is under `pool` */
    struct row            *rows;  /* from 1 */
    struct window         *windows;
    pthread_mutex_t        pool;       /* for what follows */
    uint32_t               cursor;     /* the stripe where an old row was found last */
    uint32_t               full_until; /* before this second no row's window can be empty */
};

/* ---- memory ---- */

static uint32_t head_count(uint32_t rows) { return chained_heads(max_u32(rows, STRIPES)); }

static size_t header_bytes(void) { return align_up(sizeof(struct minutes), 64); }
static size_t table_bytes(uint32_t rows) { return chained_bytes(head_count(rows), rows, sizeof(struct row)); }

size_t minutes_size(uint32_t rows)
{
    return header_bytes() + table_bytes(rows) + ((size_t)rows + 1) * sizeof(struct window);
}

struct minutes *minutes_init(void *memory, const struct minute_settings *settings)
{
    struct minutes *minutes = memory;
    uint8_t        *at = (uint8_t *)memory + header_bytes();

    assert(settings->rows >= 1 && settings->limit <= MINUTE_LIMIT_MAX);
    minutes->settings = *settings;
    minutes->rows = (void *)(at + chained_head_bytes(head_count(settings->rows)));
    minutes->windows = (void *)(at + table_bytes(settings->rows));
    minutes->table = CHAINED((void *)at, head_count(settings->rows) - 1, minutes->rows, links, settings->rows,
                             .key = sizeof(struct minute_key), .seed = { settings->seed[0], settings->seed[1] });
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

/* ---- stripes and their rows ---- */

/* There are at least as many chains as stripes, so a chain is in one stripe. */
static struct stripe *stripe_of(struct minutes *minutes, uint64_t hash) { return &minutes->stripes[hash % STRIPES]; }

/* Threads read the clock before they wait for the lock; within a stripe time does not go back. */
static uint32_t stripe_lock(struct stripe *stripe, uint32_t second)
{
    (void)pthread_mutex_lock(&stripe->lock);
    if (second > stripe->now) stripe->now = second;
    return stripe->now;
}

static void stripe_unlock(struct stripe *stripe) { (void)pthread_mutex_unlock(&stripe->lock); }

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
    use_order_renew(&stripe->by_charge, &minutes->table, ix);
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

/* The amount that must fit, and the amount that is spent when it does. */
struct demand {
    uint32_t weight, booked;
};

static uint32_t spend_row(struct minutes *minutes, struct stripe *stripe, uint32_t ix, struct demand demand,
                          uint32_t now)
{
    roll(minutes, ix, now);
    if (minutes->rows[ix].sum + demand.weight > minutes->settings.limit) return wait_for(minutes, ix, demand.weight);
    book(minutes, stripe, ix, demand.booked, now);
    return 0;
}

/* ---- rows for keys that have none; under `pool` ---- */

/* The stripe's oldest row when its window is empty, else 0, and *until is when it will be. */
static uint32_t take_old(struct minutes *minutes, struct stripe *stripe, uint32_t second, uint32_t *until)
{
    uint32_t now = stripe_lock(stripe, second), ix = stripe->by_charge.oldest;

    if (ix != 0 && now - minutes->rows[ix].charged < MINUTE_SECONDS) {
        *until = min_u32(*until, minutes->rows[ix].charged + MINUTE_SECONDS);
        ix = 0;
    }
    if (ix != 0) {
        use_order_remove(&stripe->by_charge, &minutes->table, ix);
        chained_detach(&minutes->table, ix);
    }
    stripe_unlock(stripe);
    return ix;
}

/* A row without a key, or 0: every window has something in it. */
static uint32_t take_row(struct minutes *minutes, uint32_t second)
{
    uint32_t until = UINT32_MAX, fresh = chained_take(&minutes->table);

    if (fresh != 0) return fresh;
    if (second < minutes->full_until) return 0;
    for (uint32_t i = 0; i < STRIPES; i++) {
        uint32_t ix = take_old(minutes, &minutes->stripes[minutes->cursor], second, &until);
        if (ix != 0) return ix;
        minutes->cursor = (minutes->cursor + 1) % STRIPES;
    }
    minutes->full_until = until;
    return 0;
}

static void give_row(struct minutes *minutes, struct stripe *stripe, uint64_t hash, uint32_t ix,
                     const struct minute_key *key, uint32_t now)
{
    memset(&minutes->windows[ix], 0, sizeof(struct window));
    chained_assign(&minutes->table, hash, ix, key);
    minutes->rows[ix].second = minutes->rows[ix].charged = now;
    use_order_add(&stripe->by_charge, &minutes->table, ix);
}

static uint32_t spend_new(struct minutes *minutes, uint64_t hash, const struct minute_key *key, struct demand demand,
                          uint32_t *second)
{
    struct stripe *stripe = stripe_of(minutes, hash);
    uint32_t       now = stripe_lock(stripe, *second), ix = chained_find(&minutes->table, hash, key), wait;
    bool           found = ix != 0;

    stripe_unlock(stripe);
    if (demand.weight > minutes->settings.limit) return MINUTE_SECONDS;
    if (!found) ix = take_row(minutes, now);
    if (ix == 0) return minutes->full_until > now ? minutes->full_until - now : 1;
    now = stripe_lock(stripe, now);
    if (!found) give_row(minutes, stripe, hash, ix, key, now);
    wait = spend_row(minutes, stripe, ix, demand, now);
    stripe_unlock(stripe);
    *second = now;
    return wait;
}

/* ---- interface ---- */

static uint32_t spend(struct minutes *minutes, const struct minute_key *key, struct demand demand, uint32_t *second)
{
    uint64_t       hash = chained_hash(&minutes->table, key);
    uint32_t       now, ix, wait = 0;
    struct stripe *stripe = stripe_of(minutes, hash);

    now = stripe_lock(stripe, *second);
    ix = chained_find(&minutes->table, hash, key);
    if (ix != 0) {
        wait = spend_row(minutes, stripe, ix, demand, now);
        *second = now;
    }
    stripe_unlock(stripe);
    if (ix != 0) return wait;
    (void)pthread_mutex_lock(&minutes->pool);
    wait = spend_new(minutes, hash, key, demand, second);
    (void)pthread_mutex_unlock(&minutes->pool);
    return wait;
}

uint32_t minutes_spend(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t *second)
{
    return spend(minutes, key, (struct demand){ weight, weight }, second);
}

uint32_t minutes_wait(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second)
{
    return spend(minutes, key, (struct demand){ weight, 0 }, &second);
}

void minutes_overdraw(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second)
{
    uint64_t       hash = chained_hash(&minutes->table, key);
    uint32_t       now, ix;
    struct stripe *stripe = stripe_of(minutes, hash);

    now = stripe_lock(stripe, second);
    ix = chained_find(&minutes->table, hash, key);
    if (ix != 0) {
        roll(minutes, ix, now);
        book(minutes, stripe, ix, weight, now);
    }
    stripe_unlock(stripe);
}

void minutes_give_back(struct minutes *minutes, const struct minute_key *key, uint32_t weight, uint32_t second)
{
    uint64_t       hash = chained_hash(&minutes->table, key);
    uint32_t       now, ix;
    struct stripe *stripe = stripe_of(minutes, hash);

    now = stripe_lock(stripe, second);
    ix = chained_find(&minutes->table, hash, key);
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
    uint64_t       hash = chained_hash(&minutes->table, key);
    struct stripe *stripe = stripe_of(minutes, hash);
    bool           known;

    (void)stripe_lock(stripe, 0);
    known = chained_find(&minutes->table, hash, key) != 0;
    stripe_unlock(stripe);
    return known;
}
