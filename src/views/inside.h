/* SPDX-License-Identifier: MIT */
/*
 * inside.h — what the views are made of; for the files of this room only.
 *
 * One block of memory: the struct, then arrays sized from genesis->limits. Everything is reached by
 * index and touched only when used. Each market has its own books, trades, balances and order lists;
 * accounts and orders are numbered over both.
 */
#ifndef VIEWS_INSIDE_H
#define VIEWS_INSIDE_H

#include "base/chained.h"
#include "base/id_map.h"
#include "views/depth.h"

#include <pthread.h>
#include <stdatomic.h>

#define MARKETS 2 /* market m has index m - 1 */

/* The perps part of an order, in the same slot, touched only on perps. */
struct order_part {
    int64_t  stop_price;
    uint64_t position_id, primary_order_id, attached_order_ids[2];
    uint8_t  modifier, stop_type, trigger_type, reduce_only, triggered, reserved[3];
};
static_assert(sizeof(struct order_changed) + sizeof(struct order_part) == sizeof(struct perps_order_changed)
                  && offsetof(struct perps_order_changed, stop_price) == sizeof(struct order_changed),
              "the part is the rest of the event");

/* A position, or (position_id 0) only what an account chose for a symbol; both need not be there. */
struct position_node {
    struct position_changed position;
    uint32_t                next;    /* of the account, or the next free place */
    uint32_t                account; /* slot */
};

struct order_node {
    struct order_changed order;
    uint32_t             newer, older; /* neighbours in the account's list; `older` links the free list */
    uint32_t             account;      /* slot */
    uint32_t             reserved;
};

/*
 * The ownership of an account is written before account.user_id and the chain that leads to it, and never again: a
 * signer is looked up without the lock, so that a write never waits for a fold.
 */
struct account_node {
    struct view_account account;
    uint64_t            held[MARKETS]; /* a bit per coin id */
    uint32_t            newest_order[MARKETS];
    uint32_t            next_by_owner;       /* of the owners' table; primary accounts only */
    uint32_t            older_of_user;       /* the user's accounts, newest first */
    uint32_t            positions, reserved; /* list of its positions and settings */
    struct view_counts  counts;
};

/* Slots are given with the first event that names the user. */
struct user_node {
    uint32_t newest_account, newest_key;
};

/* An API key, or a free place; `next` leads to the user's key before it, or to the next free place. */
struct key_node {
    struct view_key key;
    uint32_t        next, reserved;
};

struct coin_balance {
    int64_t total, locked;
};

struct symbol_state {
    _Atomic uint64_t          version; /* counts changes of the depth */
    uint64_t                  update_id;
    uint32_t                  side_root[2]; /* bids, asks */
    _Atomic uint8_t           status;       /* 0 = as in the genesis */
    int64_t                   last_price;   /* 0 = no trade yet */
    uint64_t                  trade_count;  /* ever; the ring holds the last VIEW_TRADES_MAX */
    struct view_symbol_totals totals;       /* but for the trades */
    struct traded             trades[VIEW_TRADES_MAX];
};

#define READER_PLACES 64
#define READER_STRIDE 16 /* a cache line each */

struct views {
    const struct genesis *genesis;
    bool                  folding; /* the folding thread holds the lock: a batch is not yet whole */
    _Atomic int64_t       time_ms;
    _Atomic uint64_t      blocks; /* counts blocks folded: part of the version of every book */
    struct view_block     block;

    uint32_t             symbol_count[MARKETS];
    struct symbol_state *symbols[MARKETS];
    struct depth_pool    depth;

    struct account_node *accounts; /* slots from 1 */
    uint32_t             account_cap, account_count;
    struct id_map        account_by_id;
    uint32_t            *owner_heads;
    uint64_t             owner_mask, owner_seed;
    struct coin_balance *balances[MARKETS]; /* [slot * coin_count + coin] */
    int64_t             *evm;               /* EVM ledger, likewise; at the owner's primary account */

    struct order_node *orders; /* from 1 */
    uint32_t           order_cap, order_used, order_free;
    struct id_map      order_by_id;
    struct order_part *order_parts; /* by the same numbers */

    struct price_changed  *prices; /* by perps symbol id - 1 */
    _Atomic uint64_t      *price_versions;
    struct phase_changed  *phases;       /* by perps symbol id - 1 */
    struct index_composed *compositions; /* likewise */
    struct view_fund       fund;         /* but for the block */
    struct position_node  *positions;    /* from 1 */
    uint32_t               position_cap, position_used, position_free;

    struct view_fee_tier *tiers[MARKETS]; /* by user slot */
    struct user_node     *users;          /* likewise */
    struct id_map         user_by_id;
    uint32_t              user_cap, user_count;

    /*
     * Keys are looked up without the lock on every signed request: the number is odd while a key changes, and a lookup
     * counts only when the number is the same before and after. Words of keys and links are stored with release and
     * loaded with acquire, so a reader that saw a new one also sees the changed number.
     */
    _Atomic uint32_t   keys_version;
    struct key_node   *keys; /* from 1 */
    uint32_t           key_cap, key_used, key_free;
    _Atomic int64_t    offset_ms; /* engine time runs ahead of the clock (ruling 43) */
    _Atomic uint64_t   mode;      /* enum venue_mode */
    struct view_totals totals;
    _Atomic uint64_t   folds; /* counts batches folded */

    /*
     * From here on readers write. Those without the lock count themselves in a slot of their thread; a move of the
     * views admits no reader and waits until all have left.
     */
    pthread_rwlock_t lock; /* fold: writer; reads: readers */
    _Atomic uint32_t moving;
    _Atomic uint32_t readers[READER_PLACES * READER_STRIDE];
};

static_assert(sizeof(struct view_key) % 8 == 0, "stored and loaded by words");
static inline void key_store(struct view_key *to, const struct view_key *from)
{
    for (size_t i = 0; i < sizeof(*to) / 8; i++)
        __atomic_store_n((uint64_t *)(void *)to + i, ((const uint64_t *)(const void *)from)[i], __ATOMIC_RELEASE);
}
static inline void key_load(struct view_key *to, const struct view_key *from)
{
    for (size_t i = 0; i < sizeof(*to) / 8; i++)
        ((uint64_t *)(void *)to)[i] = __atomic_load_n((const uint64_t *)(const void *)from + i, __ATOMIC_ACQUIRE);
}
static inline void     link_store(uint32_t *link, uint32_t ix) { __atomic_store_n(link, ix, __ATOMIC_RELEASE); }
static inline uint32_t link_load(const uint32_t *link) { return __atomic_load_n(link, __ATOMIC_ACQUIRE); }

/* Primary accounts by owner; searched without the lock, because none is ever removed. */
static inline struct chained owners_of(const struct views *views)
{
    return CHAINED(views->owner_heads, (uint32_t)views->owner_mask, views->accounts, next_by_owner, 0);
}

/* Mixed with a seed of this memory, which its snapshots keep. */
uint64_t owner_hash(const struct views *views, const struct address *owner);

static inline struct symbol_state *symbol_state(const struct views *views, uint8_t market, uint32_t symbol_id)
{
    assert(market >= 1 && market <= MARKETS);
    assert(symbol_id >= 1 && symbol_id <= views->symbol_count[market - 1]);
    return &views->symbols[market - 1][symbol_id - 1];
}

static inline struct coin_balance *balance_at(const struct views *views, uint8_t market, uint32_t slot,
                                              uint32_t coin_id)
{
    assert(market >= 1 && market <= MARKETS && coin_id < views->genesis->coin_count);
    return &views->balances[market - 1][(size_t)slot * views->genesis->coin_count + coin_id];
}

#endif
