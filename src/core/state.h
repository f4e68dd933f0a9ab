/* SPDX-License-Identifier: MIT */
/*
 * state.h — everything the exchange knows, as one block of memory without pointers. Inside core/ only.
 *
 *   struct engine | account rows | users | schedules | heap | nonce sets | orders | aliases | levels |
 *                 | tables (order id, client id, alias, address, deposit) | deposits | touched list
 *
 * Every part is found by its offset from the engine; every record by a 32-bit index into its part.
 * Index 0 of orders, aliases, levels and nonce sets is "none". A part is touched when it is used.
 *
 * What is logical state (covered by engine_hash) and what only makes it fast: free lists, tables,
 * level_hint, fee rates, the heap's shape and the touched list are derived and can be rebuilt.
 */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include "base/fixed.h"
#include "base/table.h"
#include "core/engine.h"
#include "core/side.h"

#define DAY_MS          INT64_C(86400000)
#define NONCES_MAX      100             /* highest nonces kept per (domain, signer): service, Authentication */
#define VOLUME_DAYS     (FEE_DAYS + 1)  /* completed days and the running one                               */
#define LEVEL_HINTS     4096            /* a power of two                                                   */

/* Account rows: four of the house, then users; slot = id - ACCOUNT_FIRST + SLOT_USERS. */
enum { SLOT_OUTSIDE = 0, SLOT_FUND = 1, SLOT_FEES = 2, SLOT_BRIDGE = 3, SLOT_USERS = 4 };

/* Money of one account in one coin. Only ledger.c writes these. */
struct bucket { int64_t available, held; };

/* Where in a nonce set its nonces are: ascending from entry `start`, around the end. Kept in the account row,
   so that the ordinary nonce is judged and its place known before the set itself has to come from memory. */
struct nonce_ring { uint8_t start, count; };
static_assert(NONCES_MAX <= UINT8_MAX, "counted in a byte");

/* One row: this head, then one bucket per coin. */
struct account {
    struct address owner;
    uint32_t       user;                /* slot of the user's primary account; its own slot when it is that */
    uint32_t       order_head, order_tail, order_count;     /* open orders by ascending id                  */
    uint32_t       nonces[3];           /* nonce set per domain of the owner; 0 = none yet                  */
    uint8_t        tier, staking, rebate, reserved;         /* of the user; kept equal on all its accounts  */
    uint32_t       reserved2;
    uint64_t       touched;             /* coins whose balance changed in this item, one bit each           */
    uint64_t       nonce_highest;       /* of the spot domain; so the ordinary nonce is judged right here   */
    struct nonce_ring rings[3];         /* per domain, of the sets in `nonces`                              */
    uint8_t        reserved3[2];
};
static_assert(sizeof(struct account) == 80, "with the buckets of three coins two cache lines");

/* What fee tiers are made of, per user; day d is in place d % VOLUME_DAYS. vUSDC units. */
struct user { int64_t volume[VOLUME_DAYS], maker_volume[VOLUME_DAYS]; };

/* Dead man's switch of one account. */
struct schedule_state {
    int64_t  fire_ms;                   /* 0 = none                          */
    int64_t  day;                       /* the UTC day that `count` is about */
    uint32_t count;                     /* firings on that day               */
    uint32_t heap_at;                   /* place in the heap from 1; 0 = not in it */
};

struct nonce_entry { uint64_t nonce, seq, payload_tag; };

/* The highest nonces of one signer in one domain: a ring whose ends are in the account row. */
struct nonce_set {
    uint32_t           account;         /* slot of the signer's primary account */
    uint32_t           domain;
    uint64_t           reserved[3];
    struct nonce_entry entries[NONCES_MAX];
};
static_assert(sizeof(struct nonce_set) % 64 == 0, "whole cache lines");

/*
 * An open order, two cache lines: what matching needs first, what is only told second.
 * Money it holds is not stored: order_hold() computes it from price and open quantity.
 */
struct order {
    uint64_t         id;
    int64_t          price, quantity, executed;     /* quantity: origQty; open = quantity - executed */
    uint32_t         next, prev;                    /* towards the newest, the oldest of its level   */
    uint32_t         level;
    uint32_t         account;                       /* slot                                          */
    uint32_t         account_next, account_prev;
    uint32_t         alias;                         /* second client id, 0 = none                    */
    uint8_t          symbol_id, side, time_in_force, status;

    struct client_id client_id;
    int64_t          created_ms, updated_ms;
    int64_t          executed_value;
};
static_assert(sizeof(struct order) == 128, "two cache lines");

struct alias { struct client_id client_id; uint32_t order, reserved; };

/* One price of one side of a book: the orders at it, oldest first, and its place in the tree. */
struct level {
    int64_t  price, quantity;           /* quantity = sum of open quantities  */
    uint32_t head, tail, count;
    uint32_t left, right, parent;       /* AVL by price                       */
    uint32_t lower, higher;             /* neighbours by price                */
    uint8_t  symbol_id, side, height, live;
    uint32_t reserved[3];
};
static_assert(sizeof(struct level) == 64, "one cache line");

struct book_side {
    uint32_t root, best;
    uint32_t level_count, order_count;
    int64_t  quantity;                  /* sum of all open quantities, at most AMOUNT_MAX */
};

/* A spot symbol at work. */
struct market {
    struct symbol    symbol;
    int32_t          power;             /* k of mechanics 1.2                                  */
    int32_t          reserved;
    int64_t          value_unit;        /* 10^k when k >= 0, else 0                            */
    int64_t          base_unit;         /* base coin units per quantity unit                   */
    int64_t          last_price;        /* last trade; 0 before the first                      */
    uint64_t         update_id;         /* of the last LEVEL event                             */
    struct book_side sides[3];          /* by enum side                                        */
    int64_t          taker_rate[FEE_TIERS_MAX][FEE_TIERS_MAX];      /* effective, [tier][staking] */
    int64_t          maker_rate[FEE_TIERS_MAX][FEE_TIERS_MAX];
};

struct engine {
    uint64_t seq;
    int64_t  time_ms;
    uint64_t next_order_id, next_trade_id;

    uint32_t account_end;               /* slots in use                     */
    uint32_t signer_end;                /* nonce sets in use, and one       */
    uint32_t order_end, order_free, order_count;
    uint32_t alias_end, alias_free, alias_count;
    uint32_t level_end, level_free, level_count;
    uint32_t deposit_count, schedule_count, touched_count;

    int64_t  fee_day;                           /* UTC day that volumes are counted in           */
    int64_t  maker_total[VOLUME_DAYS];          /* of all users                                  */
    uint64_t hash_seed[2];                      /* of the tables over texts that clients choose  */

    uint32_t         coin_count, market_count;
    struct rules     rules;
    struct limits    limits;
    struct fee_table fees;
    struct coin      coins[COINS_MAX];
    struct market    markets[SYMBOLS_MAX];

    uint32_t level_hint[LEVEL_HINTS];           /* where a price was last found; checked when used */

    uint32_t account_stride;                    /* bytes of an account row                       */
    uint32_t order_table_size, alias_table_size, address_table_size, deposit_table_size;
    size_t   at_accounts, at_users, at_schedules, at_heap, at_nonces, at_orders, at_aliases, at_levels,
             at_order_table, at_client_table, at_alias_table, at_address_table, at_deposit_table,
             at_deposits, at_touched, bytes;
};

/* One command being applied: what is passed along instead of five arguments. Lives on the stack. */
struct turn {
    struct engine        *engine;
    struct events        *events;
    const struct command *command;
    uint32_t              client_key;   /* order_key of the item's own client id */
};

#define ENGINE_PART(type, name, member)                                                            \
    static inline type *name(const struct engine *e) { return (type *)(void *)((uintptr_t)e + e->member); }
ENGINE_PART(struct user,           engine_users,         at_users)
ENGINE_PART(struct schedule_state, engine_schedules,     at_schedules)
ENGINE_PART(uint32_t,              engine_heap,          at_heap)
ENGINE_PART(struct nonce_set,      engine_nonces,        at_nonces)
ENGINE_PART(struct order,          engine_orders,        at_orders)
ENGINE_PART(struct alias,          engine_aliases,       at_aliases)
ENGINE_PART(struct level,          engine_levels,        at_levels)
ENGINE_PART(struct table_entry,    engine_order_table,   at_order_table)
ENGINE_PART(struct table_entry,    engine_client_table,  at_client_table)
ENGINE_PART(struct table_entry,    engine_alias_table,   at_alias_table)
ENGINE_PART(struct table_entry,    engine_address_table, at_address_table)
ENGINE_PART(struct table_entry,    engine_deposit_table, at_deposit_table)
ENGINE_PART(struct operator_id,    engine_deposits,      at_deposits)
ENGINE_PART(uint32_t,              engine_touched,       at_touched)
#undef ENGINE_PART

static inline struct account *account_at(const struct engine *e, uint32_t slot)
{
    return (struct account *)(void *)((uintptr_t)e + e->at_accounts + (size_t)slot * e->account_stride);
}
static inline struct bucket *account_buckets(struct account *account) { return (struct bucket *)(void *)(account + 1); }

static inline struct order *order_at(const struct engine *e, uint32_t ix)  { return engine_orders(e) + ix; }
static inline struct level *level_at(const struct engine *e, uint32_t ix)  { return engine_levels(e) + ix; }

static inline int64_t order_open(const struct order *order) { return order->quantity - order->executed; }

/* a + b, not above `max`: for totals that are shown or compared, never for money that moves. */
static inline int64_t add_saturating(int64_t a, int64_t b, int64_t max) { return a > max - b ? max : a + b; }

#endif
