/* SPDX-License-Identifier: MIT */
/*
 * state.h — the whole state of the exchange, as one block of memory without pointers. Inside core/ only.
 *
 *   struct engine | account rows | schedules | heap | orders | aliases | levels | pages | wide pages | rungs |
 *                 | order ids | tables (order id, client id, alias, address, operator, key address, key name) |
 *                 | operators' ids | touched list | perps wallets | EVM ledger | API keys | transfer ids | perps
 *                 | volumes | revocations | nonce sets | nonce chunks
 *
 * Every part is found by its offset from the engine; every record by a 32-bit index into its part. Index 0 of orders,
 * aliases, levels, volumes, revocations, nonce sets, nonce chunks, keys and transfers is "none". A part is touched when
 * it is used.
 *
 * Logical state is covered by engine_hash. The rest is derived and can be rebuilt: free lists, tables, page_hint, fee
 * rates, the heap's shape and the touched list.
 */
#ifndef CORE_STATE_STATE_H
#define CORE_STATE_STATE_H

#include "base/fixed.h"
#include "base/table.h"
#include "model/events.h"
#include "model/genesis.h"
#include "core/state/side.h"
#include "core/state/perps_state.h"

/* Functions on the path of every order: they are placed together to fit the instruction cache. */
#define HOT __attribute__((hot))
/* The same for one that several of them call: one copy for all, because a copy for each does not fit that cache. */
#if __has_attribute(noclone)
#define SHARED __attribute__((hot, noinline, noclone))
#else
#define SHARED __attribute__((hot, noinline))
#endif

/* Everything that it calls is inlined, but what is COLD or SHARED: for the one caller of checks that others need
 * rarely. */
#define FLAT __attribute__((hot, flatten))

#define NONCES_MAX        100            /* highest nonces kept per (domain, signer): service, Authentication */
#define NONCE_CHUNK_BYTES 56             /* of nonces in a chunk */
#define VOLUME_DAYS       (FEE_DAYS + 1) /* completed days and the running one */
#define VOLUMES_DAYS      3              /* days of a record of volumes */
#define PAGE_PRICES       32             /* prices of a page of levels: the bits of its set */
#define PAGE_FEW          7              /* levels that fit the page itself */
#define PAGE_WIDE_MIN     5              /* levels that a wide page has at least */
#define PAGE_HINTS        16384          /* of each side; a power of two */
#define TRANSFERS_MAX     1024           /* highest transfer ids kept per (account, side): mechanics 7 */
#define KEYS_PER_OWNER    5              /* live ones of a user, over all accounts (ruling 73) */
#define REVOCATIONS_MAX   32             /* of one user within three days: ruling 73 */
#define DOMAINS           3              /* of signatures, each with nonces of its own */
#define SCRATCH_ORDER     32             /* bytes to sort an order of an account by */

/* Account rows: four system accounts, then users; slot = id - ACCOUNT_FIRST + SLOT_USERS. */
enum { SLOT_OUTSIDE = 0, SLOT_FUND = 1, SLOT_FEES = 2, SLOT_BRIDGE = 3, SLOT_USERS = 4 };

/* Money of one account in one coin. Only ledger.c writes these. */
struct bucket {
    int64_t available, held;
};

/* The nonces of one address that signs, a wallet or a key: a set per domain, made when it is first used. */
struct signer {
    uint64_t highest;       /* of all domains; so the ordinary nonce is judged without its set */
    uint32_t sets[DOMAINS]; /* by domain; 0 = none yet */
    uint32_t reserved;
};

/* One row: this head, then one bucket per coin. */
struct account {
    struct address owner;
    uint32_t       user; /* slot of the user's primary account; its own slot when it is that */
    uint32_t       order_head, order_tail, order_count; /* open orders by ascending id */
    struct tiers   tiers;                               /* on spot; of the user, equal on all its accounts */
    uint8_t        key_count;   /* live API keys of the user; in the row of the primary account, as the next two */
    uint32_t       volumes;     /* of the user (volume.h) */
    uint32_t       revocations; /* of keys of the user; 0 = none yet */
    struct signer  signer;      /* of the owner; used on the row of the user's primary account */
    uint64_t       touched;     /* coins whose balance changed in this item, one bit each */
};
static_assert(sizeof(struct account) == 80, "with the buckets of three coins two cache lines");

/* The inputs of fee tiers: what a user has traded on one side on one day. */
struct volume_day {
    int64_t volume, maker_volume; /* vUSDC units */
};

/* Some days of a user (volume.h). */
struct volumes {
    uint32_t          next;             /* earlier days; also chains free ones */
    uint8_t           on[VOLUMES_DAYS]; /* side and place of each; 0 = free, and its volumes are 0 */
    uint8_t           reserved[9];
    struct volume_day days[VOLUMES_DAYS];
};
static_assert(sizeof(struct volumes) == 64, "one cache line");

/* Dead man's switch of one account. */
struct schedule_state {
    int64_t  fire_ms; /* 0 = none */
    int64_t  day;     /* the UTC day that `count` is about */
    uint32_t count;   /* firings on that day */
    uint32_t heap_at; /* place in the heap from 1; 0 = not in it */
};

/* The highest nonces of one signer in one domain, as bytes in a list of chunks (nonce_store.h). */
struct nonce_set {
    uint64_t nonce, seq;     /* of the highest one */
    uint32_t oldest, newest; /* chunks; 0 = none */
    uint32_t owner;          /* slot of the wallet's primary account, or the key … */
    uint8_t  domain, of_key; /* … when of_key is 1 */
    uint8_t  count;          /* nonces in its chunks; of more than NONCES_MAX the lowest ones are forgotten */
    uint8_t  used;           /* bytes of the newest chunk; all of them when there is none */
};
static_assert(sizeof(struct nonce_set) == 32, "half a cache line");

struct nonce_chunk {
    uint32_t next;  /* towards the newest; also chains free ones */
    uint8_t  first; /* where the first nonce that begins here does; what is before belongs to one of the chunk before */
    uint8_t  begun; /* how many begin here */
    uint8_t  reserved[2];
    uint8_t  bytes[NONCE_CHUNK_BYTES];
};
static_assert(sizeof(struct nonce_chunk) == 64, "one cache line");

/*
 * An open order, two cache lines: first the members that matching needs, then those that events need. Its hold is not
 * stored: order_hold() computes it from price and open quantity.
 */
struct order {
    uint64_t id;
    int64_t  price, quantity, executed; /* quantity: origQty; open = quantity - executed */
    uint32_t next, prev;                /* towards the newest, the oldest of its level */
    uint32_t level;
    uint32_t account; /* slot */
    uint32_t account_next, account_prev;
    uint32_t key;                                 /* client_id_key of its own client id */
    uint8_t  market, side, time_in_force, status; /* number of the market; flags in time_in_force */

    struct client_id client_id;
    int64_t          created_ms, updated_ms;
    int64_t          executed_value;
};
static_assert(sizeof(struct order) == 128, "two cache lines");

/* The second client id of the order in the slot with the same index; valid with ORDER_HAS_ALIAS. */
struct alias {
    struct client_id client_id;
};

/* A client id that may not come back (retired_id.h). */
struct retired_id {
    struct client_id client_id;
    uint32_t         owner, reserved;
};

/* One price of one side of a book: the orders at it, oldest first. */
struct level {
    int64_t  price, quantity;   /* quantity = sum of open quantities */
    uint32_t head, tail, count; /* head also chains free ones */
    uint32_t page;              /* that it is in (page.h) */
};
static_assert(sizeof(struct level) == 32, "half a cache line");

/* The levels of PAGE_PRICES prices that follow one another, on one side of a book (page.h). */
struct page {
    uint64_t key;           /* price / PAGE_PRICES, market and side: page_key() */
    uint64_t digits;        /* price % PAGE_PRICES of each of `few`, in a byte; PAGE_FREE where there is none */
    uint32_t set;           /* a bit per price with a level */
    uint32_t lower, higher; /* neighbours; lower also chains free ones */
    uint32_t wide;          /* the levels by digit, when they were once more than `few`; 0 = they are in `few` */
    uint32_t few[PAGE_FEW];
    uint8_t  count, reserved[3];
};
static_assert(sizeof(struct page) == 64, "one cache line");

/* The levels of a page that has many. */
struct wide_page {
    uint32_t level[PAGE_PRICES]; /* the first one also chains free ones */
};

/* A place for each of 16 digits of a page's number (ladder.h). */
struct rung {
    int64_t  number;             /* of any page below it */
    uint16_t set;                /* a bit per child */
    uint8_t  shift, reserved[5]; /* of its digit: 0, 4, 8, … */
    uint32_t child[16];
};
static_assert(sizeof(struct rung) == 80, "no padding");

struct book_side {
    uint32_t root, best; /* root: a rung or a page (ladder.c); best: a level */
    uint32_t level_count, order_count;
    int64_t  quantity; /* sum of all open quantities, at most AMOUNT_MAX */
};

/*
 * An address that is an API key or was one. The record stays after revocation, because the nonces of the
 * address must (ruling 9); a revoked one is given away only when nothing signed before can be fresh again.
 */
struct api_key {
    struct address   address;
    uint32_t         number;  /* of its last registration: command.key_id; never re-used */
    uint32_t         account; /* slot it was registered for; it signs for all of that user */
    uint8_t          live, key_type;
    uint8_t          has_floor, reserved;
    struct client_id name;
    int64_t          expires_ms;   /* 0 = never; judged by engine time */
    uint64_t         permissions;  /* disable mask */
    int64_t          revoked_ms;   /* when it was revoked, on the clock of nonces */
    uint32_t         older, newer; /* revoked keys in the order of their revocation */
    uint32_t         lists;        /* its lists of transfer ids */
    uint32_t         unused;
    uint64_t         floor; /* the highest id of lists that it lost; valid with has_floor */
    struct signer    signer;
};
static_assert(sizeof(struct api_key) == 144, "no padding that the hash would see");

/* A transfer that was made, kept to recognize its id. Payload and result; members left out are the same for all. */
struct transfer {
    uint64_t id;
    int64_t  amount;
    uint32_t coin_id;
    uint32_t lower, higher; /* neighbours by id in the account's list; lower also chains free ones */
    uint8_t  type, reserved[3];
};
static_assert(sizeof(struct transfer) == 32, "half a cache line");

/*
 * The highest transfer ids that one signer used for one account on one side, ascending (ruling 69). An account's wallet
 * has a list per side in its row; lists of keys are made with their first id and hang from the key's record.
 */
struct transfer_list {
    uint64_t floor; /* the highest id that was given up; valid with has_floor */
    uint32_t lowest, highest, count;
    uint32_t next;    /* of the same key; also chains free ones */
    uint32_t account; /* of a key's list: the slot it is for */
    uint8_t  market, has_floor;
    uint8_t  own; /* of a key's list: its first id has a place that was reserved with the account;
                     of a wallet's list: how many lists of keys have such places     */
    uint8_t reserved;
};
static_assert(sizeof(struct transfer_list) == 32, "half a cache line");

/* When a user last revoked keys, in engine time: a ring, its oldest entry at `next` once it is full (ruling 73). */
struct revocations {
    int64_t  at_ms[REVOCATIONS_MAX];
    uint32_t next, count;
};

/* A past request of an operator: its id, and its account. */
struct operator_record {
    struct operator_id id;
    uint8_t            digest[12]; /* of kind and payload */
    uint32_t           account;    /* slot */
};
static_assert(sizeof(struct operator_record) == 32, "half a cache line");

/* A symbol at work, spot or perps. */
struct market {
    struct symbol    symbol;
    int32_t          power;                                    /* k of mechanics 1.2 */
    uint8_t          number, kind, reserved[2];                /* see market.h; enum market_kind */
    int64_t          value_unit;                               /* 10^k when k >= 0, else 0 */
    int64_t          base_unit;                                /* base coin units per quantity unit */
    uint32_t         coin_spent[3];                            /* by enum side, as the next two: looked up, because a */
    uint32_t         reserved2;                                /* branch on the side goes wrong every other time */
    int64_t          hold_unit[3];                             /* value_unit of a buy, base_unit of a sell */
    int64_t          band_edge[3];                             /* 1 + ratio up, 1 - ratio down; 1e-8 */
    int64_t          last_price;                               /* last trade; 0 before the first */
    uint64_t         update_id;                                /* of the last LEVEL event */
    struct book_side sides[3];                                 /* by enum side */
    int64_t          taker_rate[FEE_TIERS_MAX][FEE_TIERS_MAX]; /* effective, [tier][staking] */
    int64_t          maker_rate[FEE_TIERS_MAX][FEE_TIERS_MAX];
};

/* Where the parts lie in the engine's memory, and how large its tables are (layout.c). */
struct layout {
    uint32_t account_stride; /* bytes of an account row */
    uint32_t order_table_size, alias_table_size, address_table_size, operator_table_size, key_table_size,
        retired_table_size, order_places; /* of ids: a power of two */
    size_t at_schedules, at_heap, at_volumes, at_revocations, at_nonces, at_nonce_chunks, at_orders, at_aliases,
        at_levels, at_pages, at_wide_pages, at_rungs, at_order_ids, at_order_table, at_client_table, at_alias_table,
        at_address_table, at_operator_table, at_operators, at_touched, at_margins, at_evm, at_keys, at_key_table,
        at_key_name_table, at_transfers, at_transfer_lists, at_key_lists, at_perps, at_positions, at_stops, at_scratch,
        at_fired, at_units, at_sums, at_candidates, at_wallets_touched, at_retired, at_retired_table, bytes;
};

struct engine {
    uint64_t seq;
    int64_t  time_ms;
    uint64_t next_order_id, next_trade_id, next_position_id, next_liquidation_id, next_receipt_id;

    uint32_t account_end; /* slots in use */
    uint32_t signer_end;  /* nonce sets in use, and one */
    uint32_t order_end, order_free, order_count;
    uint32_t order_crowded; /* open orders whose place of ids a younger one has */
    uint32_t alias_count;
    uint32_t level_end, level_free, level_count;
    uint32_t page_end, page_free, wide_end, wide_free;
    uint32_t rung_end, rung_free;
    uint32_t operator_count, schedule_count, touched_count, wallet_touched_count;
    uint32_t key_end, next_key_number;    /* keys in use, and one; the next number */
    uint32_t key_oldest, key_newest;      /* revoked ones */
    uint32_t transfer_end, transfer_free; /* transfer ids in use, and one */
    uint32_t transfer_shared;             /* of them, those in unreserved slots */
    uint32_t key_list_end, key_list_free; /* lists of keys' transfer ids */
    uint32_t nonce_chunk_end, nonce_chunk_free;
    uint32_t volumes_end, volumes_free, revocations_end;
    uint32_t reserved;
    uint32_t development; /* 1: time may be moved */
    uint64_t next_transfer_number;
    int64_t  time_offset_ms; /* engine time ahead of the clock */

    int64_t  fee_day;                     /* UTC day that volumes are counted in */
    int64_t  maker_total[3][VOLUME_DAYS]; /* of all users, by enum market_kind */
    uint64_t hash_seed[2];                /* of the tables over texts that clients choose */

    uint32_t         coin_count, market_count, perps_count;
    int32_t          traders_takers; /* development: as struct set_traders, with the three others below */
    struct rules     rules;
    struct limits    limits;         /* in force: of the genesis, or what was raised */
    uint32_t         raised[LIMITS]; /* by enum limit_pool; 0 = as in the genesis */
    struct fee_table fees, perps_fees;
    struct coin      coins[COINS_MAX];
    struct market    markets[SYMBOLS_MAX + PERPS_MAX]; /* spot, then perps: by number - 1 */

    uint32_t position_end, position_free, position_count;
    uint32_t retry_head, retry_tail, retry_count; /* stop-markets that are tried again */
    uint32_t retired_count;                       /* client ids that are spent */
    uint32_t work_left;                           /* 1: triggers or liquidations wait for the next TICK */
    uint32_t insolvent;                           /* 1: the insurance fund is below zero */
    uint32_t price_step;                          /* times the prices have moved */
    uint8_t  mode;                                /* enum venue_mode */
    uint8_t  quiet, traders_preset,
        traders_pulled;            /* 1: nothing was accepted since a TICK that found nothing to wait for (quiet.h) */
    int64_t             priced_ms; /* when they last did: of a quiet exchange, a whole second */
    uint64_t            scans;     /* passes over all units: makes their sums fresh (no state) */
    struct fund_day     fund_day;
    struct fund_changed fund_emitted; /* the last FUND of the whole */
    uint32_t            feeder_count;
    int32_t             traders_drift;
    struct {
        struct address address;
        uint32_t       weight;
        uint64_t       seq;
    } feeders[FEEDERS_MAX];

    uint32_t page_hint[2][PAGE_HINTS]; /* by side: where a page was last found; checked when used */

    struct layout layout; /* last: it follows from limits and genesis, and adopt.c compares it whole */
};

/* The account rows follow directly, at a constant offset: they are the most frequently used part. */
#define PART_ALIGN   64
#define ENGINE_BYTES ((sizeof(struct engine) + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN)

/* The command being applied: one argument in place of five. Lives on the stack. */
struct engine_ahead;
struct apply_context {
    struct engine             *engine;
    struct events             *events;
    const struct command      *command;
    const struct engine_ahead *ahead;      /* hints that are of this command (decision 935); NULL = none */
    const struct hints        *hints;      /* of this command (decision 938); NULL = none */
    const struct item_hint    *hint;       /* of the item that runs; NULL = none */
    uint32_t                   client_key; /* client_id_key of the item's own client id */
    uint32_t                   taking;     /* perps: the order that is trading right now, 0 = none */
    uint32_t                   placed;     /* perps: the order of the item */
    uint8_t                    ended;      /* perps: the status that order ended with, 0 = it is open */
    uint8_t  taking_type;   /* perps: enum order_type of the trading order; 0 = emitted as a limit order */
    int64_t  taking_funds;  /* perps: the amount that a market buy may spend */
    uint64_t traded, armed; /* perps: markets that printed a trade, where a stop was armed */
    uint64_t liquidation;   /* perps: the incident whose stage is moving positions, 0 = none */
    uint32_t client_place;  /* spot: where the key of a new order may go (order_place) */
    bool     self_traded;   /* a user traded with himself on perps: that sets nothing off, but moves open interest */
};

/* The signer of a signed command, and the account it signs for. */
struct speaker {
    struct signer    *signer;  /* the nonces of the address that signed */
    struct nonce_set *below;   /* of the signer, when the command's nonce is above all in it; else NULL */
    uint32_t          account; /* slot it speaks for */
    uint32_t          wallet;  /* slot of that account's user */
    uint32_t          key;     /* index of the key that signed; 0 = the main wallet */
};

#define ENGINE_PART(type, name, member)                                                                                \
    static inline type *name(const struct engine *e) { return (type *)(void *)((uintptr_t)e + e->layout.member); }
/* clang-format off */
ENGINE_PART(struct volumes,        engine_volumes,       at_volumes)
ENGINE_PART(struct schedule_state, engine_schedules,     at_schedules)
ENGINE_PART(uint32_t,              engine_heap,          at_heap)
ENGINE_PART(struct nonce_set,      engine_nonces,        at_nonces)
ENGINE_PART(struct nonce_chunk,    engine_nonce_chunks,  at_nonce_chunks)
ENGINE_PART(struct order,          engine_orders,        at_orders)
ENGINE_PART(struct alias,          engine_aliases,       at_aliases)
ENGINE_PART(struct level,          engine_levels,        at_levels)
ENGINE_PART(struct page,           engine_pages,         at_pages)
ENGINE_PART(struct wide_page,      engine_wide_pages,    at_wide_pages)
ENGINE_PART(struct rung,           engine_rungs,         at_rungs)
ENGINE_PART(uint32_t,              engine_order_ids,     at_order_ids)
ENGINE_PART(struct table_entry,    engine_order_table,   at_order_table)
ENGINE_PART(struct table_entry,    engine_client_table,  at_client_table)
ENGINE_PART(struct table_entry,    engine_alias_table,   at_alias_table)
ENGINE_PART(struct table_entry,    engine_address_table, at_address_table)
ENGINE_PART(struct table_entry,    engine_operator_table, at_operator_table)
ENGINE_PART(struct operator_record, engine_operators,    at_operators)
ENGINE_PART(uint32_t,              engine_touched,       at_touched)
ENGINE_PART(struct margin_account, engine_margins,       at_margins)
ENGINE_PART(int64_t,               engine_evm,           at_evm)
ENGINE_PART(struct api_key,        engine_keys,          at_keys)
ENGINE_PART(struct table_entry,    engine_key_table,     at_key_table)
ENGINE_PART(struct table_entry,    engine_key_name_table, at_key_name_table)
ENGINE_PART(struct transfer,       engine_transfers,     at_transfers)
ENGINE_PART(struct transfer_list,  engine_transfer_lists, at_transfer_lists)
ENGINE_PART(struct transfer_list,  engine_key_lists,       at_key_lists)
ENGINE_PART(struct revocations,    engine_revocations,     at_revocations)
ENGINE_PART(struct retired_id,     engine_retired,         at_retired)
ENGINE_PART(struct table_entry,    engine_retired_table,   at_retired_table)
ENGINE_PART(struct perps_market,   engine_perps,           at_perps)
ENGINE_PART(struct position,       engine_positions,       at_positions)
ENGINE_PART(struct stop,           engine_stops,           at_stops)
ENGINE_PART(void,                  engine_scratch,         at_scratch)
ENGINE_PART(struct fired,          engine_fired,           at_fired)
ENGINE_PART(struct unit_entry,     engine_units,           at_units)
ENGINE_PART(struct unit_sum,       engine_sums,            at_sums)
ENGINE_PART(struct candidate,      engine_candidates,      at_candidates)
ENGINE_PART(uint32_t,              engine_wallets_touched, at_wallets_touched)
/* clang-format on */
#undef ENGINE_PART

static inline struct account *account_at(const struct engine *e, uint32_t slot)
{
    return (struct account *)(void *)((uintptr_t)e + ENGINE_BYTES + (size_t)slot * e->layout.account_stride);
}
static inline struct bucket *account_buckets(struct account *account) { return (struct bucket *)(void *)(account + 1); }

static inline struct order *order_at(const struct engine *e, uint32_t ix) { return engine_orders(e) + ix; }
static inline struct level *level_at(const struct engine *e, uint32_t ix) { return engine_levels(e) + ix; }
static inline struct page  *page_at(const struct engine *e, uint32_t ix) { return engine_pages(e) + ix; }

static inline struct position *position_at(const struct engine *e, uint32_t ix) { return engine_positions(e) + ix; }

static inline bool position_is_isolated(const struct position *position) { return position->mode == MARGIN_ISOLATED; }

/* Whether the account has a cross position in any symbol. */
static inline bool position_any_cross(const struct engine *e, uint32_t slot)
{
    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next)
        if (position_at(e, ix)->exposure.size != 0 && !position_is_isolated(position_at(e, ix))) return true;
    return false;
}

/* Flags beside the time in force: of a perps order, and whether it has an alias, which is not hashed. */
enum { ORDER_REDUCES = 0x80, ORDER_HAS_STOP = 0x40, ORDER_IS_STOP = 0x20, ORDER_HAS_ALIAS = 0x10, ORDER_TIF = 0x0f };
static inline bool order_reduces(const struct order *order) { return (order->time_in_force & ORDER_REDUCES) != 0; }
static inline bool order_has_stop(const struct order *order) { return (order->time_in_force & ORDER_HAS_STOP) != 0; }
static inline bool order_is_stop(const struct order *order) { return (order->time_in_force & ORDER_IS_STOP) != 0; }
static inline bool order_has_alias(const struct order *order) { return (order->time_in_force & ORDER_HAS_ALIAS) != 0; }
static inline uint8_t order_tif(const struct order *order) { return order->time_in_force & ORDER_TIF; }

static inline int64_t order_open(const struct order *order) { return order->quantity - order->executed; }

/* a + b, not above `max`: for totals that are shown or compared, never for money that moves. */
static inline int64_t add_saturating(int64_t a, int64_t b, int64_t max) { return a > max - b ? max : a + b; }

#endif
