/* SPDX-License-Identifier: MIT */
/*
 * views.h — folds of events into symbols, depth, trades, balances, open orders and fee tiers, for the reads. Views
 * never see the core, only its events.
 *
 * One thread folds (views_apply, views_part), any number read at the same time. A read holds the readers' side of a
 * lock while it copies its rows out; nothing is encoded under the lock, and a fold waits at most for one such copy.
 * Depth has an atomic version (views_book_version), so an encoded book can be served from a cache without the lock.
 *
 * The folding thread calls views_apply before it releases any reply of the same batch (ruling 24).
 */
#ifndef VIEWS_VIEWS_H
#define VIEWS_VIEWS_H

#include "model/events.h"
#include "model/genesis.h"

struct views;

/* Bytes of memory for views of this genesis. Its arrays begin on cache lines where it is aligned to 64. */
size_t views_size(const struct genesis *genesis);
/* In zeroed memory of views_size() bytes, touched only when used. `genesis` must outlive the views. */
struct views *views_init(void *memory, const struct genesis *genesis);
void          views_deinit(struct views *views);

/*
 * Views as memory, between two folds: views_size bytes may be copied as they lie there and adopted at another place.
 * NULL when they cannot be views of this genesis; views_layout_id is one number for how this build lays them out.
 */
struct views *views_adopt(void *memory, const struct genesis *genesis);
uint64_t      views_layout_id(const struct genesis *genesis);

/*
 * Views with higher limits: in zeroed memory of views_size() bytes of a genesis whose limits are nowhere lower (ruling
 * 75). With `stay` other threads read: the views and the part that no limit sizes stay where they are, the first
 * views_fixed_bytes() of their original memory, and get the other arrays in `memory`. When it returns, no reader uses
 * the old arrays and none has missed an event: a reader without the lock waits while they are exchanged.
 */
size_t        views_fixed_bytes(const struct genesis *genesis);
struct views *views_move(void *memory, struct views *from, const struct genesis *genesis, bool stay);

/*
 * The first bytes of the memory; behind the first views_kept_bytes() of them lie the lock and the counters, which
 * readers write and views_adopt sets anew.
 */
size_t views_head_bytes(void);
size_t views_kept_bytes(void);

/* Folds all events of a batch and, when it became a block (else NULL), names it: readers see both or neither. */
struct view_block {
    uint64_t height;
    int64_t  time_ms;
};
void views_apply(struct views *views, const struct events *events, const struct view_block *block);

/* Folds a part of a batch that is too large for one buffer: readers wait until views_apply ends it. */
void views_part(struct views *views, const struct events *events);

/* ---- reading (any thread) ---- */

struct view_block views_last_block(const struct views *views);

/* Engine time of the last command. */
int64_t views_time_ms(const struct views *views);

/* Symbols and coins never move or vanish: pointers stay good. NULL when there is none. */
const struct symbol *views_symbol_by_name(const struct views *views, uint8_t market, struct slice name);
const struct symbol *views_symbol(const struct views *views, uint8_t market, uint32_t symbol_id);
uint32_t             views_symbol_count(const struct views *views, uint8_t market);
const struct coin   *views_coin_by_name(const struct views *views, struct slice name);
const struct coin   *views_coin(const struct views *views, uint32_t coin_id);
uint32_t             views_coin_count(const struct views *views);
/* Last trade price, or the reference price before the first trade; 0 when there is neither. */
int64_t views_last_price(const struct views *views, uint8_t market, uint32_t symbol_id);
/* TRADING, HALT or SETTLED: the symbol's own status and the venue's mode
   together; the mode by itself (enum venue_mode). Atomic, no lock. */
uint8_t views_symbol_status(const struct views *views, uint8_t market, uint32_t symbol_id);
uint8_t views_mode(const struct views *views);

/*
 * Changes whenever anything here has changed; atomic, no lock. A cache that loads it before it reads keeps nothing
 * older than that value.
 */
uint64_t views_version(const struct views *views);

/* One level of a book: price and quantity in units of the symbol. */
struct view_level {
    int64_t price, quantity;
};
/* Changes whenever anything changes that views_book would copy, block included; atomic, no lock. */
uint64_t views_book_version(const struct views *views, uint8_t market, uint32_t symbol_id);
/* The same without the block: changes only with a level. */
uint64_t views_depth_version(const struct views *views, uint8_t market, uint32_t symbol_id);
struct view_book {
    uint64_t          update_id;
    struct view_block block;
    uint32_t          bid_count, ask_count;
};
/* The best `limit` levels of each side, best first. */
void views_book(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit, struct view_level *bids,
                struct view_level *asks, struct view_book *book);

/* The newest trades first; returns how many were copied. At most VIEW_TRADES_MAX are kept per symbol. */
#define VIEW_TRADES_MAX 500
uint32_t views_trades(const struct views *views, uint8_t market, uint32_t symbol_id, uint32_t limit,
                      struct traded *trades);

/* Owners of accounts; without the lock, because every write asks. */
struct view_account {
    uint64_t       account_id, user_id;
    struct address owner;
    uint32_t       is_primary;
};
bool views_account(const struct views *views, uint64_t account_id, struct view_account *account);
bool views_primary_account(const struct views *views, const struct address *owner, struct view_account *account);

/* The accounts of a user by ascending id; returns how many there are, copies at most `max`. */
uint32_t views_accounts(const struct views *views, uint64_t user_id, uint64_t *account_ids, uint32_t max);

/* A registered API key: its number, its user, and the actions that it is forbidden (wire 0.6). */
struct view_key {
    uint64_t         account_id, user_id;
    struct client_id name;
    struct address   public_key;
    uint32_t         key_id;
    int64_t          expires_ms;  /* 0 = never */
    uint64_t         permissions; /* disable mask */
    uint8_t          key_type, reserved[7];
};
/* The user's key of that name; without the lock, because writes ask. */
bool views_key(const struct views *views, uint64_t user_id, struct slice name, struct view_key *key);
/* All keys of a user, oldest first; returns how many there are, copies at most `max`. */
uint32_t views_keys(const struct views *views, uint64_t user_id, struct view_key *keys, uint32_t max);

/* Totals over all accounts of a user: transactions (including cancels), and traded value in vUSDC units. */
struct view_counts {
    uint64_t transactions, cancels;
    int64_t  volume;
};
struct view_counts views_counts(const struct views *views, uint64_t user_id);

/* Rows in use, for monitoring; the counters of events cover the whole log. */
#define VIEW_REASONS 32
struct view_symbol_totals {
    uint64_t open_orders, waiting_stops, positions, trades;
};
struct view_totals {
    uint64_t accounts, keys;
    uint64_t stages[STAGE_ADL + 1]; /* UNIT events by enum liquidation_stage */
    uint64_t forced[VIEW_REASONS];  /* fills by the enum end_reason that forced them */
};
struct view_totals        views_totals(const struct views *views);
struct view_symbol_totals views_symbol_totals(const struct views *views, uint8_t market, uint32_t symbol_id);

/* The EVM ledger balance of an address in a coin. */
int64_t views_evm_balance(const struct views *views, const struct address *address, uint32_t coin_id);

/* Balances of every coin the account ever held, by coin id; returns how many. */
struct view_balance {
    uint32_t coin_id, reserved;
    int64_t  total, locked;
};
uint32_t views_balances(const struct views *views, uint8_t market, uint64_t account_id,
                        struct view_balance balances[COINS_MAX]);

/* Open orders of an account, newest first, of one symbol or of all (symbol_id 0). Returns how many there
 * are; copies at most `max`. */
uint32_t views_open_orders(const struct views *views, uint8_t market, uint64_t account_id, uint32_t symbol_id,
                           struct view_block *block, struct order_changed *orders, uint32_t max);

struct view_fee_tier {
    uint8_t tier, staking, rebate;
};
struct view_fee_tier views_fee_tier(const struct views *views, uint8_t market, uint64_t user_id);

/* Prices and rates of a perps symbol from the last PRICE event; the version is atomic, no lock, and rises with each. */
struct price_changed views_price(const struct views *views, uint32_t symbol_id);
uint64_t             views_price_version(const struct views *views, uint32_t symbol_id);

/*
 * The composition of index and mark of a perps symbol from the last INDEX_COMPOSED; before the first one, of the
 * genesis alone.
 */
struct index_composed views_composition(const struct views *views, uint32_t symbol_id);

/* The insurance fund: its wallet now, and one entry for each of the last days with an event, oldest first. */
#define FUND_DAYS_MAX 30
struct view_fund_day {
    int64_t day, begin, end, paid, received, loss, beyond;
}; /* day: number of the UTC day */
struct view_fund {
    struct view_block    block;
    int64_t              balance;
    bool                 insolvent;
    uint32_t             day_count;
    struct fund_changed  rows[PERPS_MAX + 1]; /* by symbol id; 0: the whole fund */
    struct view_fund_day days[FUND_DAYS_MAX];
};
void views_fund(const struct views *views, struct view_fund *fund);

/* How far a perps symbol is from open to all, by itself and by the venue's
   mode, the instant of its settlement and the price (mechanics 3.15). */
struct phase_changed views_phase(const struct views *views, uint32_t symbol_id);

/*
 * All inputs of an account's margins at one instant: wallet, prices by symbol id - 1, positions by symbol id
 * (position_id 0: only a setting; an absent entry has the symbol's defaults) and open orders, newest first. Returns
 * the number of orders; copies at most `max`. An account of id 0 has nothing.
 */
struct view_margin {
    struct view_block    block;
    int64_t              wallet; /* W, vUSDC units */
    struct view_fee_tier tier;   /* of its user, on perps */
    struct price_changed prices[PERPS_MAX];
    uint64_t not_live; /* bit symbol id - 1: its prices are not live, or the venue is not in normal mode (ruling 64) */
    uint32_t position_count, balance_count;
    struct position_changed positions[PERPS_MAX];
    struct view_balance     balances[COINS_MAX];
};
uint32_t views_margin(const struct views *views, const struct view_account *account, struct view_margin *margin,
                      struct perps_order_changed *orders, uint32_t max);

/*
 * Positions of all accounts with the inputs of their ADL rank, in pieces: from slot *from on (0: the first), at most
 * `max`; *from is then the start of the next piece, 0 at the end. Only the wanted symbols and sides (sides[symbol id -
 * 1], a bit per enum side). Each piece is of one instant; the whole need not be.
 */
struct view_stake {
    uint64_t account_id;
    uint32_t symbol_id;
    uint8_t  side, reserved[3];           /* enum side */
    int128_t profit, cost, value, equity; /* u, C, N at mark, E of its unit */
};
uint32_t views_stakes(const struct views *views, const uint8_t sides[PERPS_MAX], uint32_t *from,
                      struct view_stake *stakes, uint32_t max);
/* How many places such a walk goes through. */
uint32_t views_stake_places(const struct views *views);

/* Everything of an account under one lock, for /state: balances and open orders of the same instant. */
uint32_t views_state(const struct views *views, uint8_t market, uint64_t account_id, struct view_block *block,
                     struct view_balance balances[COINS_MAX], uint32_t *balance_count, struct order_changed *orders,
                     uint32_t max);

#endif
