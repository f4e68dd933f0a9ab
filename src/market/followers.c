/* SPDX-License-Identifier: MIT */
/*
 * followers.c — takers that look at the last trades: momentum buys what has risen, mean reversion sells what stands
 * above its index. Each has a position in mind for each symbol and trades towards it, a symbol every few seconds.
 */
#include "market/step.h"

#define LOOK_STEPS    50 /* five seconds between two looks at the same symbol */
#define TRADES_READ   60
#define AGE_MS        20000 /* a trade at least so old is the past */
#define MOMENTUM_MOVE 400   /* 1/100 basis points that begin a trend */
#define MOMENTUM_ENDS 100   /* and below which it has ended */
#define REVERSION_GAP 250
#define REVERSION_END 50
#define POSITION      (25000 * USD)
#define ORDER_MOST    (5000 * USD)
#define REACH         3000

/* How far the newest trade is above an older one, 1/100 basis points. */
static int64_t move_of(const struct step *step, const struct instrument *instrument)
{
    struct traded trades[TRADES_READ];
    uint32_t count = views_trades(step->market->views, instrument->market, instrument->symbol->id, TRADES_READ, trades);
    uint32_t past = 0;

    while (past + 1 < count && trades[0].time_ms - trades[past].time_ms < AGE_MS) past++;
    if (count < 2) return 0;
    return (int64_t)((int128_t)(trades[0].price - trades[past].price) * 1000000 / trades[past].price);
}

/* How far the last price is above the anchor. */
static int64_t gap_of(const struct step *step, const struct instrument *instrument)
{
    int64_t last = views_last_price(step->market->views, instrument->market, instrument->symbol->id);

    return last == 0 ? 0 : (int64_t)((int128_t)(last - instrument->anchor) * 1000000 / instrument->anchor);
}

/* The position in mind: `held` while the signal says nothing. */
static int64_t target(int64_t signal, int64_t begins, int64_t ends, int64_t held)
{
    if (signal >= begins) return POSITION;
    if (signal <= -begins) return -POSITION;
    return signal < ends && signal > -ends ? 0 : held;
}

static void follow(struct step *step, uint32_t number, const struct instrument *instrument)
{
    struct trader trader = trader_at(step, number);
    int64_t       held, wants, missing;

    if (trader.account_id == 0 || instrument->anchor <= 0) return;
    held = value_of(step, instrument, inventory_of(step, &trader, instrument));
    if (number < FIRST_REVERTER) wants = target(move_of(step, instrument), MOMENTUM_MOVE, MOMENTUM_ENDS, held);
    else wants = target(-gap_of(step, instrument), REVERSION_GAP, REVERSION_END, held);
    missing = max_i64(-ORDER_MOST, min_i64(ORDER_MOST, wants - held));
    if (missing > -ORDER_MOST / 10 && missing < ORDER_MOST / 10) return;
    send_taker(step, &trader, instrument, missing > 0 ? SIDE_BUY : SIDE_SELL, missing > 0 ? missing : -missing, REACH);
}

void run_followers(struct step *step)
{
    uint32_t count = instrument_count(step);

    if (step->preset->takers == 0 || step->knobs->takers == 0) return;
    for (uint32_t number = FIRST_MOMENTUM; number < ARBITRAGEUR; number++)
        for (uint32_t i = 0; i < count; i++) {
            struct instrument instrument;

            if ((step->number + number * 17 + i * 7) % LOOK_STEPS != 0) continue;
            instrument = instrument_at(step, i);
            follow(step, number, &instrument);
        }
}
