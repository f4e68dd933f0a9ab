/* SPDX-License-Identifier: MIT */
/*
 * arbitrage.c — one trader that ties spot, perps and index together: it buys where the book is cheap and sells where it
 * is dear, when the difference pays the fees of both sides, and closes what it holds when the difference has gone.
 */
#include "market/step.h"

#define LOOK_STEPS 5    /* half a second */
#define PAYS       1300 /* 1/100 basis points: spot 6.5 and perps 4.5 for taking, and a little */
#define INDEX_PAYS 1200 /* perps against the index: in and out */
#define CLOSES     100
#define ORDER_MOST (10000 * USD)
#define HOLDS_MOST (200000 * USD)
#define REACH      5000

struct quote {
    int64_t bid, ask; /* 0 = none */
};

static struct quote quote_of(const struct step *step, const struct instrument *instrument)
{
    struct view_level bid = { 0, 0 }, ask = { 0, 0 };
    struct view_book  book;

    views_book(step->market->views, instrument->market, instrument->symbol->id, 1, &bid, &ask, &book);
    return (struct quote){ book.bid_count != 0 ? bid.price : 0, book.ask_count != 0 ? ask.price : 0 };
}

/* How far a price is above an anchor, 1/100 basis points: prices of different precision compare by it. */
static int64_t above(const struct instrument *instrument, int64_t price)
{
    return (int64_t)((int128_t)(price - instrument->anchor) * 1000000 / instrument->anchor);
}

/* Both legs at once; the second is taken back by the next look when the first was not filled. */
static void trade(struct step *step, const struct trader *trader, const struct instrument *cheap,
                  const struct instrument *dear)
{
    step_send_taker(step, trader, cheap, SIDE_BUY, ORDER_MOST, REACH);
    step_send_taker(step, trader, dear, SIDE_SELL, ORDER_MOST, REACH);
}

/* What is held on one instrument goes back to nothing. */
static void close(struct step *step, const struct trader *trader, const struct instrument *instrument, int64_t held)
{
    int64_t value = min_i64(ORDER_MOST, held < 0 ? -held : held);

    if (value < ORDER_MOST / 100) return;
    step_send_taker(step, trader, instrument, held < 0 ? SIDE_BUY : SIDE_SELL, value, REACH);
}

/* Spot against the perps symbol that follows the same index. */
static void look_at_pair(struct step *step, const struct trader *trader, const struct instrument *spot,
                         const struct instrument *perps)
{
    struct quote s = quote_of(step, spot), p = quote_of(step, perps);
    int64_t      held = step_value_of(step, spot, step_inventory_of(step, trader, spot)), dearer, cheaper;

    if (s.bid == 0 || s.ask == 0 || p.bid == 0 || p.ask == 0) return;
    dearer = above(spot, s.bid) - above(perps, p.ask);
    cheaper = above(perps, p.bid) - above(spot, s.ask);
    if (dearer > PAYS && held > -HOLDS_MOST) trade(step, trader, perps, spot);
    else if (cheaper > PAYS && held < HOLDS_MOST) trade(step, trader, spot, perps);
    else if (dearer < CLOSES && cheaper < CLOSES && held != 0) close(step, trader, spot, held);
}

/* Perps against the index; what the position is beyond the opposite of the spot side. */
static void look_at_index(struct step *step, const struct trader *trader, const struct instrument *perps, int64_t spot)
{
    struct quote quote = quote_of(step, perps);
    int64_t      held = step_value_of(step, perps, step_inventory_of(step, trader, perps)) + spot;

    if (quote.bid == 0 || quote.ask == 0) return;
    if (above(perps, quote.bid) > INDEX_PAYS && held > -HOLDS_MOST)
        step_send_taker(step, trader, perps, SIDE_SELL, ORDER_MOST, 0);
    else if (above(perps, quote.ask) < -INDEX_PAYS && held < HOLDS_MOST)
        step_send_taker(step, trader, perps, SIDE_BUY, ORDER_MOST, 0);
    else if (above(perps, quote.bid) < CLOSES * 3 && above(perps, quote.ask) > -CLOSES * 3)
        close(step, trader, perps, held);
}

/* The spot instrument with the same index; NULL anchor when there is none. */
static struct instrument spot_of(const struct step *step, uint32_t perps_id)
{
    for (uint32_t i = 0; i < instrument_count(step); i++) {
        struct instrument instrument = instrument_at(step, i);

        if (instrument.market == MARKET_SPOT && instrument.perps_id == perps_id) return instrument;
    }
    return (struct instrument){ 0 };
}

void step_arbitrageur(struct step *step)
{
    uint32_t      count = instrument_count(step);
    struct trader trader = { 0 };

    if (step->preset->takers == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        struct instrument perps, spot;
        int64_t           held = 0;

        if ((step->number + i) % LOOK_STEPS != 0) continue;
        perps = instrument_at(step, i);
        if (perps.market != MARKET_PERPS || perps.anchor <= 0) continue;
        if (trader.account_id == 0) trader = trader_at(step, ARBITRAGEUR);
        if (trader.account_id == 0) return;
        spot = spot_of(step, perps.symbol->id);
        if (spot.anchor > 0) {
            look_at_pair(step, &trader, &spot, &perps);
            held = step_value_of(step, &spot, step_inventory_of(step, &trader, &spot));
        }
        look_at_index(step, &trader, &perps, held);
    }
}
