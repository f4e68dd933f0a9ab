/* SPDX-License-Identifier: MIT */
/*
 * world.h — the small venues in which the adversary plays, each drawn from a number: two perps symbols, a spot book
 * behind the first, an insurance fund, two to five accounts that cooperate (the coalition), and other participants.
 *
 *     flat     the fair price is constant. A house (market maker) quotes around it on both sides and takes at once
 *              every serious offer beyond it; two bystanders have a position against each other. Any gain of the
 *              coalition, or loss of theirs, is theft
 *     moves    the coalition decides when and how far the fair price moves, when feeders are silent about which symbol,
 *              and the operator's actions. The only other participant is the fund, so nothing can be won from an honest
 *              maker
 *     newborn  flat, and no feeder ever posts: BOOTSTRAP
 *
 * A world is restored by copying the engine's memory back.
 */
#ifndef ADVERSARY_WORLD_H
#define ADVERSARY_WORLD_H

#include "core/account/account.h"
#include "core/account/fees.h"
#include "core/account/ledger.h"
#include "core/perps/margin.h"
#include "core/state/market.h"
#include "rigs/core/perps_fixture.h"

#define COALITION_MAX 5
#define SYMBOLS       2
#define ALL_SYMBOLS   3              /* as bits */
#define TICKS_MAX     1500           /* in one sequence: more time does not pass */
#define BP            INT64_C(10000) /* of a price: away is counted in hundredths of a per cent */

enum setting { WORLD_FLAT, WORLD_MOVES, WORLD_NEWBORN, WORLD_SETTINGS };
extern const char *const setting_names[];

/* Everything but the engine that a sequence changes; restored with it. */
struct course {
    int64_t  fair[SYMBOLS];          /* the fair prices, in price units */
    int64_t  said[SYMBOLS], said_ms; /* the last posts of the feeders, and when; 0 = never */
    uint64_t feeder_seq, transfer_id;
    uint32_t ticks, order_count;
    uint8_t
        silent; /* symbols about which feeders are, bit 0 for the first; the engine does not know their fair price */
    int64_t  left_unseen[COALITION_MAX]; /* money that left an account's cross unit while prices were not live … */
    int64_t  left_bucket[COALITION_MAX]; /* … and its buckets */
    int128_t unseen_from;                /* how far units were below zero when feeders fell silent */
    uint8_t  overdue;    /* symbols, bit 0 for the first, in which the last TICK left a unit that it had to take over */
    int128_t allowed;    /* deficits of units by moves of the price alone */
    int128_t net_moved;  /* the gain of the coalition's positions together by moves of the index */
    int128_t fund_moved; /* the gain of the fund's positions by moves of the index */
    uint32_t fills, accepted, refused, deleveraged, taken_over, liquidated;
    int128_t outside;      /* how far the worst print lay beyond the band, in 1e-8 of the mark */
    int128_t other_volume; /* of the first user with others, vUSDC units */
    int128_t taken;        /* notional that the fund took over, vUSDC units */
    int128_t unwound;      /* and the part of it that the fund unwound in the book */
    int64_t  fees;         /* fees paid by the coalition on perps */
    uint32_t answer;       /* enum reject of the last command that was refused */
    bool     house_acts;
};

struct world {
    struct fixture *f;
    uint8_t        *begun; /* the engine's memory behind the start */
    size_t          bytes;
    struct fixture  start;
    struct course   now, first;

    enum setting setting;
    uint32_t     coalition; /* accounts */
    uint32_t     owner[COALITION_MAX], slot[COALITION_MAX];
    uint64_t     account[COALITION_MAX];
    bool         has_house, has_bystanders, has_key, one_user, has_spot;
    uint32_t     bystander[2]; /* slots */
    int64_t      spread;       /* half of the house's, in hundredths of a per cent */
    uint32_t     key_id;
    int64_t      fund; /* the fund's worth at the start */
    int128_t     had;  /* the initial holdings of the coalition */
    struct {
        int64_t  size, bucket, wallet;
        int128_t cost, worth;
    } stood[2];        /* the bystanders */
    uint64_t commands; /* over all sequences */
    bool     loud;     /* prints each stage of a liquidation: a replay */
};

#define USER_HOUSE     30
#define USER_BYSTANDER 31 /* and the next */
#define USER_KEY       40 /* a key of the first bystander; transfers only */
#define USER_FEEDER    50

/* Small dice: a number from 0 to n - 1. */
extern uint64_t random_state;
uint32_t        random_below(uint32_t n);

/* `setting` WORLD_SETTINGS: drawn as suits the goal. */
void world_make(struct world *world, int goal, enum setting setting);
void world_again(struct world *world);
void world_free(struct world *world);

/* Applies f->room; then the house takes offers beyond the fair price. True: it was accepted. */
bool world_apply(struct world *world);

/* Time passes, with a TICK at each whole second and the feeders' posts before it. */
void world_pass(struct world *world, int64_t ms);

/* The fair price moves to this, or is posted again; feeders may be silent about symbols, bit 0 for the first. */
void world_move(struct world *world, uint32_t symbol, int64_t fair);
void world_silence(struct world *world, uint8_t silent);
void world_say(struct world *world);

/* Operator: mode of the venue (enum venue_mode), or halted and trading for a symbol of perps. */
void world_mode(struct world *world, uint8_t mode);
void world_status(struct world *world, uint32_t symbol, uint8_t status);

/* A limit order of an account of the coalition on perps, market when tif is 0; true: accepted. */
struct wanted {
    uint32_t who, symbol;
    uint8_t  side, tif, reduce;
    int64_t  price, quantity;
    int64_t  stop_price;
    uint8_t  stop_type, trigger, stop_market;
};
bool world_order(struct world *world, struct wanted wanted);
bool world_spot_order(struct world *world, struct wanted wanted);
void world_cancel_all(struct world *world, uint32_t who);
/* In: from spot to perps. */
bool world_transfer(struct world *world, uint32_t who, int64_t amount, bool in);
bool world_margin(struct world *world, uint32_t who, uint32_t symbol, int64_t amount);
bool world_leverage(struct world *world, uint32_t who, uint32_t symbol, uint32_t leverage, uint8_t mode);
/* By the bystander's key, an id of its choice. */
bool world_key_transfer(struct world *world, uint64_t id, bool in);
/* The bystander itself moves a dollar: REJECT_NONE when it can. */
enum reject world_bystander_transfers(struct world *world);
enum reject world_bystander_trades(struct world *world);

static inline const struct perps_market *world_perps(const struct world *world, uint32_t symbol)
{
    return &engine_perps(world->f->engine)[symbol - 1];
}
static inline struct market *world_market(const struct world *world, uint32_t symbol)
{
    return market_at(world->f->engine, (uint8_t)(PERPS_FIRST + symbol - 1));
}
static inline const struct position *world_position(const struct world *world, uint32_t slot, uint32_t symbol)
{
    return position_find(world->f->engine, slot, (uint8_t)(PERPS_FIRST + symbol - 1));
}

/* Whether prices are live for every symbol of the account: the condition of ruling 64. */
bool world_is_live(const struct world *world, uint32_t slot);

#endif
