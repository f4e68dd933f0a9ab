/* SPDX-License-Identifier: MIT */
/* step.h — what every kind of trader works with: the instant, the instruments, orders as they are sent. Inside the room
   only. */
#ifndef MARKET_STEP_H
#define MARKET_STEP_H

#include "market/draw.h"
#include "market/market.h"
#include "market/presets.h"

#define INSTRUMENTS_MAX 16 /* further symbols have no traders */

struct step {
    const struct traders       *market;
    const struct market_knobs  *knobs;
    const struct preset        *preset;
    const struct market_writer *writer;
    uint64_t                    number; /* time / MARKET_STEP_MS */
    int64_t                     time_ms;
    uint32_t                    orders; /* numbers client ids */
};

/* A symbol that traders trade. */
struct instrument {
    uint32_t             index; /* among all: spot symbols, then perps */
    uint8_t              market;
    const struct symbol *symbol;
    uint32_t             perps_id; /* the perps symbol whose index it follows; 0 = none */
    int64_t              anchor;   /* the price everything stands around, price units; 0 = not known */
};

/* One trader's account. */
struct trader {
    uint32_t       number;
    struct address address;
    uint64_t       account_id; /* 0 = none yet */
};

struct wanted_order {
    uint8_t side, tif; /* enum time_in_force; GTX for makers, IOC for takers */
    uint8_t slot;      /* of a maker's ladder; part of the client id */
    bool    reduces;   /* reduce only, perps */
    int64_t price, quantity;
};

/* An order that stands, and its new price and quantity. */
struct changed_order {
    uint64_t            order_id;
    struct wanted_order wanted;
};

/* ---- step.c ---- */

/* How many symbols traders trade: the first INSTRUMENTS_MAX, those of spot before those of perps. */
uint32_t instrument_count(const struct step *step);

/* The symbol of an index from 0. Its anchor is 0 while it does not trade. */
struct instrument instrument_at(const struct step *step, uint32_t index);

/* The trader of a number below MARKET_TRADERS, and its account as the views have it. */
struct trader trader_at(const struct step *step, uint32_t number);

/* The perps symbol that names this spot symbol as its market; 0: none does. */
uint32_t step_perps_of(const struct genesis *genesis, uint32_t spot_id);

/* A price between two precisions, rounded to zero. */
int64_t step_rescale(int64_t price, uint32_t from, uint32_t to);

/* 64 bits of this step. */
uint64_t step_draw(const struct step *step, uint32_t who, uint32_t what);

/* A share of a price in 1/100 basis points, rounded to zero. */
int64_t step_share_of(int64_t price, int64_t centipoints);

/* On the tick: for a purchase down, for a sale up. */
int64_t step_on_tick(const struct instrument *instrument, int64_t price, uint8_t side);

/* A quantity on the step that costs about `value` vUSDC units, at least the smallest that is accepted. */
int64_t step_quantity_for(const struct step *step, const struct instrument *instrument, int64_t value);

/* vUSDC units of a quantity, at the anchor. */
int64_t step_value_of(const struct step *step, const struct instrument *instrument, int64_t quantity);

/*
 * What a trader holds beyond what it began with, in units of the instrument's quantity: on perps its position, on spot
 * its base coin less the opening amount.
 */
int64_t step_inventory_of(const struct step *step, const struct trader *trader, const struct instrument *instrument);

/*
 * One command each, with up to BATCH_MAX items; none for a count of 0. Prices and quantities are in the symbol's units.
 * A command for which step->writer has no room is dropped: nothing is sent later, and the caller is not told.
 */
void step_send_orders(struct step *step, const struct trader *trader, const struct instrument *instrument,
                      const struct wanted_order *orders, uint32_t count);
void step_send_changes(struct step *step, const struct trader *trader, const struct instrument *instrument,
                       const struct changed_order *orders, uint32_t count);
void step_send_cancels(struct step *step, const struct trader *trader, const struct instrument *instrument,
                       const uint64_t *order_ids, uint32_t count);

/* An order that takes what is there up to `centipoints` beyond the anchor. */
void step_send_taker(struct step *step, const struct trader *trader, const struct instrument *instrument, uint8_t side,
                     int64_t value, int64_t centipoints);

/* ---- one file each ---- */

void step_fund_traders(struct step *step); /* money for accounts that have none, or that are ruined */
void step_move_indexes(struct step *step);
void step_makers(struct step *step);
void step_noise(struct step *step);
void step_followers(struct step *step); /* momentum and mean reversion */
void step_arbitrageur(struct step *step);
void step_leveraged(struct step *step);

#endif
