/* SPDX-License-Identifier: MIT */
/* world.h — what the twin consists of, and the functions its files share.
   Everything is in arrays and is found by looking at all of it. */
#ifndef TWIN_WORLD_H
#define TWIN_WORLD_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "twin.h"

#define NONCES_KEPT    100  /* service 5 (5) */
#define TRANSFERS_KEPT 1024 /* mechanics 7 */
#define DAYS_KEPT      (FEE_DAYS + 2)
#define CLOSED_ROOM    65536 /* positions that end in one command */
#define PERPS_HERE     3     /* perps symbols of a small world */

/* An order that is open. `is` is what is told of it, for spot orders its base alone. */
struct order {
    struct perps_order_changed is;
    struct client_id           alias;     /* of the last replacement (mechanics 2.8); len 0 = none */
    uint64_t                   place;     /* in the queue: who came first has the smaller one */
    int64_t                    fundsleft; /* of an order by funds */
    bool                       counts;    /* perps: what it would open needs margin */
    bool                       rests;     /* in the book */

    /* stops (mechanics 4) */
    int64_t  cap;             /* the quantity that was asked for; 0 = all, or what the parent fills */
    uint64_t parent, sibling; /* of a bracket's child, while they are open; 0 = gone */
    bool     armed, fresh;    /* waits for its price; has fired in this TICK */
    uint64_t waits;           /* fired and not done: its place among those */
    uint32_t retries;
    uint8_t  market;
};

struct moved {
    uint64_t id;
    uint32_t coin_id;
    uint8_t  type;
    int64_t  amount;
};

/* A position, or only the setting of an account on a symbol (mechanics 3.1). */
struct position {
    struct position_changed is;                 /* its record; size 0 and position_id 0: a setting */
    int128_t                cost;               /* C */
    uint8_t                 stage;              /* of an isolated unit: enum liquidation_stage, 0 = healthy */
    uint64_t                liquidation, tried; /* its number; the step of prices it was looked after in */
};

struct account {
    uint64_t        id, user_id;
    struct address  owner;
    bool            primary;
    int64_t         total[COINS_MAX]; /* spot */
    int64_t         evm[COINS_MAX];   /* EVM ledger of the owner; primary */
    int64_t         wallet;           /* perps W (mechanics 1.5) */
    uint8_t         stage;            /* of the cross unit */
    uint64_t        liquidation, tried;
    struct position positions[PERPS_HERE]; /* by symbol id - 1 */
    struct {
        int64_t  fire_ms, day;
        uint32_t count;
    } schedule[3]; /* by market (mechanics 6) */
    struct {
        uint8_t tier, rebate, staking;
    } fees[3]; /* of the user, kept with the primary account */
    struct {
        int64_t day, volume, maker;
    } traded[3][DAYS_KEPT]; /* of the user, with the primary account */
};

struct nonce {
    uint64_t nonce, seq, tag;
};
struct nonces {
    uint8_t        domain;
    struct address signer;
    struct nonce   at[NONCES_KEPT]; /* ascending */
    uint32_t       count;
};

/* The ids that one signer used for one account on one side (ruling
   69); a wallet's lists are always its own, a key has two. */
struct moved_list {
    uint64_t       account_id;
    uint8_t        market;
    struct address key; /* zero: the wallet */
    bool           own, gave;
    uint64_t       last_given; /* the highest id that was given up */
    struct moved  *at;         /* ascending id */
    uint32_t       count;
};

struct key {
    struct key_changed is;
    bool               live;
    uint64_t           revoked_at; /* order of revocations */
    int64_t            revoked_ms;
    bool               lost;    /* a place for ids of its transfers ... */
    uint64_t           lost_id; /* ... of which this is the highest */
};

/* What an operator's id stood for (rulings 34, 49). */
struct said_once {
    struct operator_id id;
    uint16_t           kind;
    uint8_t            payload[64];
    uint32_t           bytes;
    uint64_t           answer;
};

struct retired {
    uint64_t         account_id;
    uint8_t          market;
    struct client_id id;
};

/* Depth and balances as events have told them. */
struct told_balance {
    uint64_t account_id;
    uint8_t  market;
    uint32_t coin_id;
    int64_t  total, locked;
};
struct told_evm {
    struct address address;
    uint32_t       coin_id;
    int64_t        amount;
};
struct told_level {
    uint8_t  market, side;
    uint32_t symbol_id;
    int64_t  price, quantity;
};

/* What index and mark were made of in a second, as the venue shows it. */
struct made_of {
    int64_t  time_ms, index, mark, median, spot, held;
    int64_t  bid, ask, last, mid, p1, p2, p3, raw;
    uint32_t agreed, need, valid, quorum;
    uint64_t oracle;
    struct {
        int64_t  price, mid, time_ms;
        uint64_t valid;
    } from[FEEDERS_MAX + 1];
};

/* Ruling 67: what the books were worth in each millisecond since it was last asked, summed. */
struct stood {
    int128_t bid, ask, middle, spot, premium;
    int64_t  bid_ms, ask_ms, both_ms, spot_ms, premium_ms, ms;
    bool     asked; /* the next millisecond begins a new second */
};

struct print {
    int64_t time_ms, price, quantity;
}; /* a book trade of the last minute */

struct symbol_state {
    int64_t last; /* last trade, or 0 */
    int64_t last_ms;
    int64_t others_last, others_ms; /* of the last trade between two users (ruling 71) */
    uint8_t status;

    /* perps: prices and rates (mechanics 3.8 to 3.10) */
    int64_t  index, mark, candidate;
    uint32_t agreed; /* aggregations in a row that agree on the candidate */
    uint8_t  oracle; /* enum oracle_state */
    int128_t basis, samples;
    int64_t  sample_count, funding_rate, next_funding_ms, mark_ms;
    struct {
        int64_t price, mid, time_ms;
    } feeds[FEEDERS_MAX + 1];
    bool                 by_hand;
    struct stood         stood;
    struct print        *prints;
    uint32_t             print_count, print_room;
    bool                 ever_live;
    int64_t              anchor, hour_index, hour_ms; /* ruling 68: of the drift without feeders */
    struct price_changed told;                        /* the last PRICE */
    struct made_of       making, made;                /* of this second; as it was shown last */
    uint64_t             made_step;                   /* price step of that */
    uint8_t              phase;                       /* enum symbol_phase (mechanics 3.15) */
    int64_t              settle_ms, settle_price, settle_seconds, settle_sampled;
    int128_t             settle_sum;
    uint32_t             step, at[2];  /* of the closing: which step, from which accounts on */
    int64_t              loss, beyond; /* of the fund, today (mechanics 3.13) */
    int64_t              cushion;      /* what its position brought along and has not cost yet */
    bool                 gapped;       /* some of it came at a loss */
    struct fund_changed  fund_told;
    uint64_t             update_id; /* of the last LEVEL that was told */
    uint64_t             seen_id;   /* and as it was when time last went on */
    int64_t              mark_step; /* of the last second */
};

struct twin {
    struct genesis      genesis;
    enum twin_bug       bug;
    int64_t             now_ms, offset_ms, day;
    uint64_t            seq;
    uint64_t            next_order, next_trade, next_transfer, next_place, next_key, next_revocation;
    uint32_t            next_account;
    struct symbol_state state[3][SYMBOLS_MAX];
    int64_t             inside[COINS_MAX]; /* deposits less redemptions */

    struct account    *accounts;
    uint32_t           account_count;
    struct order      *orders;
    uint32_t           order_count, order_cap;
    struct nonces     *nonces;
    uint32_t           nonces_count;
    struct key        *keys;
    uint32_t           key_count;
    struct said_once  *said;
    uint32_t           said_count;
    struct moved_list *moves;
    uint32_t           move_lists;
    struct {
        uint64_t user_id;
        int64_t  ms;
    } * revocations;
    uint32_t        revocation_count;
    struct retired *retired;
    uint32_t        retired_count, burnt_cap;

    /* the command at hand */
    const struct command *command;
    struct account       *actor;
    struct events         events;
    uint8_t              *results; /* RESULTs, which stand before the rest */
    char                  wrong[1024];

    struct position_changed *closed; /* positions that ended in this command */
    uint32_t                 closed_count;
    uint64_t                 next_position;
    bool                     work_left;     /* of the last TICK (ruling 61) */
    int64_t                  priced_ms;     /* when prices moved last */
    bool                     after_tick;    /* nothing was accepted since the last TICK */
    bool                     caught_up;     /* this TICK's seconds have gone by already */
    uint64_t                 taking;        /* the order that trades, or was about to */
    uint64_t                 traded, woken; /* symbols with a book trade, or a child that woke: bits by id */
    uint64_t                 next_wait;
    uint64_t                 next_liquidation, next_receipt, price_step;
    uint64_t                 incident;        /* the liquidation whose stage is at work, 0 = none */
    int64_t dawn, fund_at_dawn, loss, beyond; /* the fund's day, from 1 = 1970-01-01; its wallet then; of all symbols */
    struct fund_changed fund_told;
    bool                force;     /* the order that takes is a liquidation's */
    int64_t             force_fee; /* what its last fill gave the fund */
    bool                insolvent;
    uint8_t             mode; /* enum venue_mode */
    uint64_t            feeder_seq[FEEDERS_MAX];

    /* what the engine has told */
    struct position_changed *told_positions; /* last of each (account, symbol) */
    uint32_t                 told_position_count;
    struct told_balance     *balances;
    struct told_evm         *evms;
    struct told_level       *levels;
    uint32_t                 balance_count, evm_count, level_count;
};

/* ---- numbers.c: mechanics 1 ---- */
int64_t n_floor(const struct symbol *symbol, const struct genesis *genesis, int64_t price, int64_t quantity);
int64_t n_ceil(const struct symbol *symbol, const struct genesis *genesis, int64_t price, int64_t quantity);
int64_t n_coin(const struct symbol *symbol, const struct genesis *genesis, int64_t quantity);
/* The most that funds buy at a price, on the step (mechanics 2.3). */
int64_t  n_bought(const struct symbol *symbol, const struct genesis *genesis, int64_t funds, int64_t price);
int128_t n_exact(const struct symbol *symbol, const struct genesis *genesis, int64_t price, int64_t quantity, bool up);
int128_t divide_floor(int128_t a, int128_t b);
int128_t divide_ceil(int128_t a, int128_t b);
int128_t power10(int n);
bool     units_of(struct decimal decimal, uint32_t precision, int128_t *units);
struct decimal decimal_of(int128_t units, uint32_t precision);
struct decimal whole(int128_t number);

/* ---- twin.c ---- */
void *tell(struct twin *twin, uint16_t kind, size_t bytes, uint8_t market);
#define TELL(twin, NAME, type, market) ((struct type *)tell((twin), EVENT_##NAME, sizeof(struct type), (market)))
void            settings(const struct twin *twin, struct account *account);
struct order   *order_by_id(struct twin *twin, uint64_t order_id);
struct account *account_by_id(struct twin *twin, uint64_t id);
struct account *account_by_owner(struct twin *twin, const struct address *owner);
struct account *account_primary(struct twin *twin, const struct account *account);
struct symbol  *symbol_by_id(struct twin *twin, uint8_t market, uint64_t id);

/* What a symbol is and how far it is from open, the venue's mode considered: enum symbol_status, enum symbol_phase. */
uint8_t status_now(const struct twin *twin, uint8_t market, uint64_t id);
uint8_t phase_now(const struct twin *twin, uint64_t id);

/* What came of an item; the caller fills the rest in. */
struct result *answer(struct twin *twin, uint32_t index, enum reject reject);
/* … with what came and what was needed. */
struct result *answer_said(struct twin *twin, uint32_t index, enum reject reject, struct decimal got,
                           struct decimal need);

/* … with a number that came, or a client id that came. */
struct result *answer_got(struct twin *twin, uint32_t index, enum reject reject, uint64_t got);
struct result *answer_id(struct twin *twin, uint32_t index, enum reject reject, const struct client_id *id);

/* ---- rights.c: who may ---- */
bool            admit(struct twin *twin);
struct refused *turn_away(struct twin *twin, enum reject reject);
void            give_nonce_back(struct twin *twin);

/* ---- operator.c ---- */
void            do_deposit(struct twin *twin, const struct deposit *deposit);
void            do_redeem(struct twin *twin, const struct redeem *redeem);
void            do_transfer_between(struct twin *twin, const struct transfer_between *between);
void            do_open_account(struct twin *twin, const struct open_account *open);
void            do_advance_time(struct twin *twin, const struct advance_time *advance);
void            do_set_staking(struct twin *twin, const struct set_staking *set);
void            do_set_traders(struct twin *twin, const struct set_traders *set);
void            do_set_mode(struct twin *twin, const struct set_mode *set);
void            do_set_market(struct twin *twin, const struct set_market *set);
void            do_settle(struct twin *twin, const struct settle_symbol *settle);
void            do_cancel_for(struct twin *twin, const struct cancel_for *cancel);
void            do_raise_limit(struct twin *twin, const struct raise_limit *raise);
struct account *account_new(struct twin *twin, const struct address *owner, bool primary);

/* ---- keys.c ---- */
void do_add_key(struct twin *twin, const struct add_key *add);
void do_revoke_key(struct twin *twin, const struct revoke_key *revoke);
void end_key(struct twin *twin, struct key *key);

/* ---- transfers.c ---- */
static inline bool is_nobody(const struct address *address)
{
    return address_equal(address, &(struct address){ { 0 } });
}
void do_transfer(struct twin *twin, const struct transfer_asset *transfer);
void tell_moved(struct twin *twin, uint8_t market, const struct account *account, uint64_t transfer_id,
                const struct address *address, uint32_t coin_id, int64_t amount, uint8_t type);

/* ---- schedule.c: scheduled cancel, and time ---- */
void do_schedule(struct twin *twin, const struct schedule_cancel *schedule);
void do_tick(struct twin *twin, const struct tick *tick);

/* ---- orders.c: what orders of both sides have in common ---- */
struct order *order_find(struct twin *twin, uint8_t market, uint64_t account_id, uint64_t order_id,
                         const struct client_id *client_id);
/* Answers that there is no order of the number, or of the client id where no number came. */
void          order_not_found(struct twin *twin, uint32_t index, uint64_t order_id, uint8_t id_field,
                              const struct client_id *client_id, uint8_t client_field);
bool          order_id_taken(struct twin *twin, uint8_t market, uint64_t account_id, const struct client_id *id);
bool          alias_taken(struct twin *twin, uint8_t market, uint64_t account_id, const struct client_id *id,
                          const struct order *but);
struct order *order_new(struct twin *twin, uint8_t market);
void          order_says(struct twin *twin, struct order *order, uint8_t exec_type, uint8_t reason);
void          order_end(struct twin *twin, struct order *order, uint8_t status, uint8_t reason);
bool          may_be_retired(struct twin *twin, uint32_t index, uint32_t orders);
/* A trade, with the maker first. */
struct dealt {
    const struct symbol *symbol;
    const struct order  *sides[2];
    int64_t              price, quantity, value, fees[2];
    uint32_t             fee_coins[2];
    bool                 self;
};
/* TRADE and both FILLs, the maker's first. Returns the taker's, to which perps adds. */
struct filled *trade_says(struct twin *twin, uint8_t market, const struct dealt *dealt);
int64_t        order_rest(const struct order *order);
int64_t        order_holds(const struct twin *twin, const struct order *order, uint32_t *coin_id);
int64_t        locked(const struct twin *twin, const struct account *account, uint32_t coin_id);
int64_t        available(const struct twin *twin, const struct account *account, uint32_t coin_id);
struct order  *book_best(struct twin *twin, uint8_t market, uint32_t symbol_id, uint8_t side);
bool           own_order(struct twin *twin, const struct order *maker, const struct account *taker);
bool           level_exists(struct twin *twin, uint8_t market, uint32_t symbol_id, uint8_t side, int64_t price,
                            const struct order *but);
uint32_t       level_total(struct twin *twin, const struct order *but);
uint32_t       open_orders(struct twin *twin, const struct account *account);
bool           better(uint8_t side, int64_t a, int64_t b);

/* ---- fees.c ---- */
int64_t fee_rate(struct twin *twin, const struct account *account, const struct symbol *symbol, bool maker);
bool    one_user(struct twin *twin, const struct account *a, const struct account *b);
int64_t maker_rate_against(struct twin *twin, const struct account *maker, const struct account *taker,
                           const struct symbol *symbol);
void    fee_volume(struct twin *twin, struct account *account, const struct symbol *symbol, int64_t value, bool maker);
void    fee_day(struct twin *twin);
void    fee_staking(struct twin *twin, struct account *user, uint32_t tier);
int64_t fee_discounted(int64_t rate, int64_t staking, int64_t symbol);
int64_t fee_of(const struct twin *twin, int64_t amount, int64_t rate);

/* ---- filters.c: a price, a quantity and a value (spot place rules 5 to 9) ---- */
struct wanted {
    int64_t price, quantity, funds;
    bool    limit;
    uint8_t side;
};
/* Every check that needs the symbol but neither account nor book; false = answered. */
bool wants_price(struct twin *twin, uint32_t index, const struct symbol *symbol, struct decimal price, int64_t *units,
                 uint8_t field);
bool wants_quantity(struct twin *twin, uint32_t index, const struct symbol *symbol, struct decimal quantity,
                    int64_t *units, bool market_too);
bool wants_numbers(struct twin *twin, uint32_t index, const struct symbol *symbol, struct decimal price,
                   struct decimal quantity);
bool wants_value(struct twin *twin, uint32_t index, const struct symbol *symbol, int128_t low, int128_t high,
                 uint8_t field);
bool wants_notional(struct twin *twin, uint32_t index, const struct symbol *symbol, int64_t price, int64_t quantity);

/* ---- spot.c ---- */
void do_place_spot(struct twin *twin, const struct place_orders *place);
void do_cancel_spot(struct twin *twin, const struct cancel_orders *cancel);
void do_replace(struct twin *twin, const struct replace_orders *replace);

/* ---- margin.c: units and what they need (mechanics 3.2 to 3.5) ---- */
struct position       *position_of(struct twin *twin, const struct account *account, const struct symbol *symbol);
const struct contract *contract_of(const struct twin *twin, const struct symbol *symbol);
int64_t                mark_of(const struct twin *twin, const struct symbol *symbol);
/* At the mark; at the worst of mark, index and a candidate that is held back
   (ruling 63); there, and no profit while the mark catches up. */
enum valued { AT_MARK, AT_WORST, AT_WORST_CAREFUL };
int64_t  worst_at(const struct twin *twin, const struct symbol *symbol, bool of_longs);
int128_t profit(struct twin *twin, const struct symbol *symbol, const struct position *position, enum valued valued);
/* The first symbol out of which no money of the account's goes, and why; NULL: it may go (ruling 64). */
const struct symbol *money_is_held_by(struct twin *twin, const struct account *account, const char **why);
bool                 money_is_held(struct twin *twin, const struct account *account, uint32_t index);

/* The same of money that would go into an isolated bucket (decision 154); whether it may go, and the answer that it may
   not. */
bool     bucket_may_grow(struct twin *twin, const struct account *account);
bool     bucket_is_shut(struct twin *twin, const struct account *account, uint32_t index);
int128_t position_margin(struct twin *twin, const struct symbol *symbol, const struct position *position);
int128_t maintenance(struct twin *twin, const struct symbol *symbol, const struct position *position);
int128_t cross_equity(struct twin *twin, const struct account *account, enum valued valued);
int128_t cross_maintenance(struct twin *twin, const struct account *account);
int128_t need_of(struct twin *twin, const struct account *account, const struct symbol *symbol);
int128_t reserve_of(struct twin *twin, const struct account *account, const struct symbol *symbol);
int128_t needs(struct twin *twin, const struct account *account);
int128_t reserves(struct twin *twin, const struct account *account);
int128_t available_isolated(struct twin *twin, const struct account *account);
int128_t withdrawable(struct twin *twin, const struct account *account);
int128_t order_price(struct twin *twin, const struct symbol *symbol, const struct order *order);

int64_t  liquidation_price(struct twin *twin, const struct account *account, const struct symbol *symbol);
int128_t bankruptcy_share(struct twin *twin, const struct account *account, const struct symbol *symbol);

static inline uint8_t  other(uint8_t side) { return side == SIDE_BUY ? SIDE_SELL : SIDE_BUY; }
static inline int128_t least(int128_t a, int128_t b) { return a < b ? a : b; }
static inline int128_t greatest(int128_t a, int128_t b) { return a > b ? a : b; }
static inline int128_t clamp(int128_t x, int128_t low, int128_t high) { return x < low ? low : x > high ? high : x; }
static inline int64_t  magnitude(int64_t size) { return size < 0 ? -size : size; }

/* ---- position.c: what a fill does (mechanics 1.5, 3.1) ---- */
int64_t leg_fill(struct twin *twin, struct account *account, const struct symbol *symbol, uint8_t side, int64_t x,
                 int64_t value, int64_t fee, uint8_t reason);
void    position_says(struct twin *twin, struct position *position);

/* ---- form.c: an item by itself; false: it has been answered ---- */
bool well_formed(struct twin *twin, uint32_t index, const struct perps_order *item);
bool bracket_formed(struct twin *twin, const struct place_perps *place);
bool stands_alone(struct twin *twin, uint32_t index, const struct perps_order *item);

/* ---- perps_take.c ---- */
int64_t  open_interest(struct twin *twin, const struct symbol *symbol);
int64_t  interest_room(struct twin *twin, const struct symbol *symbol);
int64_t  opens(struct twin *twin, const struct account *account, const struct symbol *symbol, uint8_t side, int64_t x);
int64_t  opens_last(struct twin *twin, const struct account *account, const struct symbol *symbol,
                    const struct order *order, int64_t x);
int128_t tier_end(struct twin *twin, const struct account *account, const struct symbol *symbol);
bool covered(struct twin *twin, const struct account *account, const struct symbol *symbol, const struct order *fresh);
int128_t row_has(struct twin *twin, const struct symbol *symbol, const struct position *p);
int128_t row_needs(struct twin *twin, const struct symbol *symbol, const struct position *p);
void     trim(struct twin *twin, const struct account *account, const struct symbol *symbol);

/* Of a purchase by funds: what it would cost, the best price that it can get now, and the size it has at that price. */
int128_t bought_for(struct twin *twin, const struct symbol *symbol, const struct order *order, int128_t price);
int64_t  cheapest(struct twin *twin, const struct symbol *symbol, const struct order *order);
int64_t  most_bought(struct twin *twin, const struct symbol *symbol, const struct order *order);
uint8_t  work_order(struct twin *twin, const struct symbol *symbol, uint64_t id, int128_t before);
void     take_by_force(struct twin *twin, const struct symbol *symbol, uint64_t id);
void     after_change(struct twin *twin, const struct symbol *symbol, struct account *account, uint64_t position_id);

/* ---- perps_settings.c ---- */
void do_leverage(struct twin *twin, const struct update_leverage *update);
void do_margin(struct twin *twin, const struct update_margin *update);

/* ---- perps.c ---- */
bool row_fits(struct twin *twin, uint32_t index, const struct account *account, const struct symbol *symbol);
bool only_reduces(const struct perps_order *item);
struct reply_route {
    struct order_changed wants;
    int64_t              stop, best;
    bool                 reduces, crosses;
};
bool perps_item_stands(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item);
bool perps_item_passes(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                       uint32_t orders, uint32_t stops, struct reply_route *asked);
struct order *order_asked(struct twin *twin, const struct perps_order *item, struct reply_route *asked);
bool perps_order_made(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                      struct reply_route *asked, int128_t *before);
bool perps_crosses(struct twin *twin, const struct symbol *symbol, uint8_t side, int64_t price, int64_t *best);

enum reject may_open_now(struct twin *twin, uint64_t id);
bool        may_trade(struct twin *twin, uint32_t index, const struct symbol *symbol);
void        do_place_perps(struct twin *twin, const struct place_perps *place);
void        do_cancel_perps(struct twin *twin, const struct cancel_perps *cancel);
void        replace_perps(struct twin *twin, uint32_t index, const struct replace_order *item);

/* ---- stops.c: what waits for a price (mechanics 4) ---- */
bool     is_stop(const struct order *order);
bool     stop_holds(const struct twin *twin, uint8_t side, uint8_t kind, int64_t stop, int64_t reference);
int64_t  reference_now(const struct twin *twin, const struct symbol *symbol, uint8_t trigger);
uint32_t stops_of(const struct twin *twin, const struct account *account);
bool     stop_passes(struct twin *twin, uint32_t index, const struct symbol *symbol, const struct perps_order *item,
                     bool reduces, int64_t stop_price, int64_t quantity);
void     stop_becomes(struct order *order, const struct perps_order *item, int64_t stop_price);
uint8_t  stop_warning(struct twin *twin, const struct symbol *symbol, const struct order *order);
void     stops_after(struct twin *twin);
void     stops_tick(struct twin *twin, bool goes_on);
void     do_modify(struct twin *twin, const struct modify_order *modify);

/* ---- brackets.c: parents and children (mechanics 4.3) ---- */
int64_t child_may_close(struct twin *twin, const struct order *child, int64_t filled);
int64_t child_asleep(struct twin *twin, const struct order *child);
void    children_filled(struct twin *twin, uint64_t id, int64_t x);
void    children_follow(struct twin *twin, uint64_t id);
void    relations_left(struct twin *twin, const struct order *gone);
void position_gone(struct twin *twin, const struct account *account, const struct symbol *symbol, uint64_t position_id);
void place_bracket(struct twin *twin, const struct symbol *symbol, const struct place_perps *place);

/* ---- liquidation.c: liquidation, take-over (mechanics 3.11) ---- */

/* The cross account (symbol NULL), or the isolated position in one symbol. */
struct risk {
    struct account      *account;
    const struct symbol *symbol;
    int128_t             equity, maintenance;
};
void     judge_risk(struct twin *twin, struct risk *unit);
bool     belongs(const struct risk *unit, const struct position *position);
bool     suspended(const struct twin *twin, const struct symbol *symbol);
int128_t value_at(struct twin *twin, const struct symbol *symbol, const struct position *position, int64_t price);
int64_t  worse_price(struct twin *twin, const struct symbol *symbol, const struct position *position);
int64_t  send_ioc(struct twin *twin, struct account *account, const struct symbol *symbol, int64_t quantity,
                  int64_t limit, int64_t *value);
int64_t  price_of(struct twin *twin, const struct symbol *symbol, int128_t value, int64_t x);
struct ranked {
    uint64_t        account_id, position_id;
    int64_t         size, bears, can, part, score, leverage, cost, equity;
    int128_t        value;
    uint32_t        group;
    struct account *account;
};
void units_tick(struct twin *twin, bool goes_on);
void move_position(struct twin *twin, struct account *from, struct account *to, const struct symbol *symbol, int64_t x,
                   int128_t value, int64_t price, int64_t take_over_price, uint8_t reason);

/* ---- deleverage.c: the other side (mechanics 3.12) ---- */
struct ranked *deleverage(struct twin *twin, struct account *account, const struct symbol *symbol, int128_t value,
                          uint8_t reason, uint32_t *count);

/* ---- receipts.c: what is told of each stage ---- */
struct liquidated receipt_before(struct twin *twin, const struct risk *unit, const struct symbol *symbol, uint8_t stage,
                                 uint64_t number);
void              receipt_says(struct twin *twin, struct liquidated *receipt, int64_t x, int128_t value,
                               const struct ranked *ranking, uint32_t count);

/* ---- insurance.c: the fund, its limits, its unwinding (mechanics 3.13, ruling 66) ---- */
void     fund_dawn(struct twin *twin);
int128_t fund_left_in(struct twin *twin, const struct symbol *symbol);
int128_t fund_left(struct twin *twin);
int128_t fund_may_lose(struct twin *twin, const struct symbol *symbol);
void     fund_has_lost(struct twin *twin, const struct symbol *symbol, int128_t amount);
void     fund_loses_beyond(struct twin *twin, const struct symbol *symbol, int128_t amount);
int128_t fund_inventory_most(struct twin *twin, const struct symbol *symbol);
int128_t fund_would_hold(struct twin *twin, const struct risk *unit, const struct symbol *symbol);
uint8_t  fund_refuses(struct twin *twin, const struct risk *unit, int128_t at_worse, int128_t *carries);
bool     unwind_fund(struct twin *twin);
void     fund_says(struct twin *twin);

/* ---- delist.c: reduce-only by hand, settlement (mechanics 3.15) ---- */
void restrict_symbol(struct twin *twin, const struct symbol *symbol, bool reduce_only);
bool announce(struct twin *twin, const struct settle_symbol *settle);
void delist_tick(struct twin *twin, bool goes_on);

/* ---- prices.c ---- */
void     do_set_index(struct twin *twin, const struct set_index *set);
uint32_t do_oracle(struct twin *twin, const struct oracle_post *post);
void     first_prices(struct twin *twin);
void     time_goes_by(struct twin *twin, int64_t now);

/* Nothing waits for the next second: then a TICK makes up for up to 60 of them, each as if it had had its own. */
bool nothing_stirs(struct twin *twin);
void seconds_left_out(struct twin *twin, int64_t now);
void remember_print(struct twin *twin, const struct symbol *symbol, int64_t price, int64_t quantity);
void second_goes_by(struct twin *twin);

/* ---- funding.c (mechanics 3.10) ---- */
int128_t premium_of(const struct symbol_state *s, int64_t ib, int64_t ia);
void     premium_sample(struct twin *twin, const struct symbol *symbol, struct symbol_state *s, int64_t before_ms);
int64_t  funding_hourly(const struct twin *twin, const struct symbol *symbol, const struct symbol_state *s);
void     funding_settle(struct twin *twin, const struct symbol *symbol, struct symbol_state *s);

/* composition.c: what is shown of the prices of a second: when anything but its time is new, or `anyway`. */
void show_composition(struct twin *twin, const struct symbol *symbol, bool anyway);

#endif
