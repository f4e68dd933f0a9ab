/* SPDX-License-Identifier: MIT */
/*
 * leveraged.c — two traders with little money and the highest leverage, each on one perps symbol. They bet all they
 * have on a direction, hold it until it has won a good part or is liquidated, and come back with new money (funds.c).
 */
#include "market/step.h"

#define LOOK_STEPS 100 /* ten seconds */
#define WINS       200 /* per cent of the margin at which it takes its profit: a move of a tenth brings it */
#define USES       92  /* per cent of the money, times the leverage; the rest pays fees and the way to the mark */
#define REACH      3000
#define REST       75 /* per cent of the money, times the leverage: no bet that was not liquidated is smaller */
#define REST_LOOKS 32 /* one look in so many ends what a liquidation has left over: after five minutes on average */

enum { DRAW_DIRECTION = 200, DRAW_END };

static uint32_t leverage_of(const struct step *step, const struct instrument *instrument)
{
    return step->market->genesis->contracts[instrument->symbol->id - 1].tiers[0].max_leverage;
}

static void set_leverage(struct step *step, const struct trader *trader, const struct instrument *instrument)
{
    struct {
        struct command         head;
        struct update_leverage update;
    } room = { .head = { .bytes = sizeof(room),
                         .kind = CMD_UPDATE_LEVERAGE,
                         .market = MARKET_PERPS,
                         .domain = COMMAND_BY_TRADER | DOMAIN_FUTURES,
                         .signer = trader->address } };

    room.update = (struct update_leverage){ .account_id = trader->account_id,
                                            .symbol_id = instrument->symbol->id,
                                            .leverage = leverage_of(step, instrument),
                                            .margin_mode = MARGIN_CROSS };
    (void)step->writer->send(step->writer->self, &room.head);
}

static int64_t wallet_of(const struct step *step, const struct trader *trader)
{
    struct view_balance balances[COINS_MAX];
    uint32_t            count = views_balances(step->market->views, MARKET_PERPS, trader->account_id, balances);

    for (uint32_t i = 0; i < count; i++)
        if (balances[i].coin_id == COIN_MARGIN) return balances[i].total;
    return 0;
}

/* The value that a position must have gained before it is closed: a multiple of what was put in. */
static bool has_won(const struct step *step, const struct trader *trader, const struct instrument *instrument)
{
    struct view_account          account = { .account_id = trader->account_id };
    UNTOUCHED struct view_margin margin;

    if (!views_account(step->market->views, trader->account_id, &account)) return false;
    (void)views_margin(step->market->views, &account, &margin, NULL, 0);
    for (uint32_t i = 0; i < margin.position_count; i++) {
        const struct position_changed *position = &margin.positions[i];
        int128_t cost = (int128_t)((uint128_t)(uint64_t)position->cost_high << 64 | (uint64_t)position->cost_low);

        if (position->symbol_id != instrument->symbol->id || position->size == 0) continue;
        return step_value_of(step, instrument, position->size) - cost > (int128_t)margin.wallet * WINS / 100;
    }
    return false;
}

/*
 * What a liquidation has left over. Its stages end as soon as the margin is enough again, and what is left then would
 * be neither lost nor won, the less so with new money (funds.c).
 */
static bool ends_rest(const struct step *step, const struct trader *trader, const struct instrument *instrument,
                      int64_t held, int64_t wallet)
{
    return (held < 0 ? -held : held) < wallet / 100 * REST * leverage_of(step, instrument)
        && step_draw(step, trader->number, DRAW_END) % REST_LOOKS == 0;
}

static void bet(struct step *step, const struct trader *trader, const struct instrument *instrument)
{
    int64_t held = step_value_of(step, instrument, step_inventory_of(step, trader, instrument)),
            wallet = wallet_of(step, trader);
    uint8_t side = (step_draw(step, trader->number, DRAW_DIRECTION) & 1) != 0 ? SIDE_BUY : SIDE_SELL;

    if (held != 0) {
        if (has_won(step, trader, instrument) || ends_rest(step, trader, instrument, held, wallet))
            step_send_taker(step, trader, instrument, held < 0 ? SIDE_BUY : SIDE_SELL, held < 0 ? -held : held, REACH);
        return;
    }
    if (wallet < opening_amount(trader->number, step->market->genesis, MARKET_PERPS, COIN_MARGIN) / 10) return;
    set_leverage(step, trader, instrument);
    step_send_taker(step, trader, instrument, side, wallet / 100 * USES * leverage_of(step, instrument), REACH);
}

void step_leveraged(struct step *step)
{
    const struct genesis *genesis = step->market->genesis;

    if (step->preset->takers == 0 || step->knobs->takers == 0 || genesis->perps_count == 0) return;
    for (uint32_t i = 0; i < LEVERAGED; i++) {
        struct trader     trader;
        struct instrument instrument;

        if ((step->number + i * 37) % LOOK_STEPS != 0) continue;
        /* the symbols that move most come last */
        instrument = instrument_at(step, genesis->spot_count + genesis->perps_count - 1 - i % genesis->perps_count);
        trader = trader_at(step, FIRST_LEVERAGED + i);
        if (trader.account_id != 0 && instrument.anchor > 0) bet(step, &trader, &instrument);
    }
}
