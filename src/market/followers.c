/* SPDX-License-Identifier: MIT */
/*
 * followers.c — takers that look at the last trades: momentum buys what has risen, mean reversion sells what stands
 * above its index. Each has a position in mind for each symbol and trades towards it, a symbol every few seconds.
 */
#include "market/step.h"

#define LOOK_STEPS    50 /* five seconds between two looks at the same symbol */
#define TRADES_READ   60
#define AVERAGED      8     /* trades */
#define AGE_MS        30000 /* a trade at least so old is the past */
#define MOMENTUM_MOVE 800   /* 1/100 basis points that begin a trend */
#define MOMENTUM_ENDS 200   /* and below which it has ended */
#define REVERSION_GAP 400
#define REVERSION_END 100
#define POSITION      (25000 * USD)
#define ORDER_MOST    (5000 * USD)
#define REACH         3000

/* The mean price of some trades. */
static int64_t mean(const struct traded *trades, uint32_t count)
{
    int128_t sum = 0;

    for (uint32_t i = 0; i < count; i++) sum += trades[i].price;
    return (int64_t)(sum / count);
}

static int64_t above(int64_t price, int64_t other) { return (int64_t)((int128_t)(price - other) * 1000000 / other); }

/*
 * What a trader goes by, 1/100 basis points: momentum by how far the newest trades are above those before, mean
 * reversion by how far the anchor is above the newest trades.
 */
static int64_t signal_of(const struct step *step, const struct instrument *instrument, bool momentum)
{
    UNTOUCHED struct traded trades[TRADES_READ];
    uint32_t count = views_trades(step->market->views, instrument->market, instrument->symbol->id, TRADES_READ, trades);
    uint32_t past = 0;

    if (count < 2 * AVERAGED) return 0;
    if (!momentum) return above(instrument->anchor, mean(trades, AVERAGED));
    while (past + AVERAGED < count && trades[0].time_ms - trades[past].time_ms < AGE_MS) past++;
    return above(mean(trades, AVERAGED), mean(&trades[past], AVERAGED));
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
    held = step_value_of(step, instrument, step_inventory_of(step, &trader, instrument));
    if (number < FIRST_REVERTER) wants = target(signal_of(step, instrument, true), MOMENTUM_MOVE, MOMENTUM_ENDS, held);
    else wants = target(signal_of(step, instrument, false), REVERSION_GAP, REVERSION_END, held);
    missing = max_i64(-ORDER_MOST, min_i64(ORDER_MOST, wants - held));
    if (missing > -ORDER_MOST / 10 && missing < ORDER_MOST / 10) return;
    step_send_taker(step, &trader, instrument, missing > 0 ? SIDE_BUY : SIDE_SELL, missing > 0 ? missing : -missing,
                    REACH);
}

void step_followers(struct step *step)
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
