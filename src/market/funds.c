/* SPDX-License-Identifier: MIT */
/* funds.c — money for traders: the opening amounts, and the same again for one that is ruined. Each is a deposit in the
   log like an operator's. */
#include "market/step.h"

#define LOOK_STEPS  600  /* between two looks at a trader's balances */
#define RUIN_PART   10   /* below a tenth of the opening amount */
#define BROKE_PART  2    /* of the over-leveraged below a half */
#define BROKE_STEPS 3000 /* between two looks at them: five minutes */

static void deposit(struct step *step, uint32_t number, uint8_t market, uint32_t coin_id, int64_t amount)
{
    struct deposit deposit = {
        .address = market_trader(number), .coin_id = coin_id, .amount = amount, .engine = market
    };
    char       text[64];
    struct out name = out_make(text, sizeof(text));

    if (amount <= 0) return;
    out_literal(&name, "market-");
    out_u64(&name, number);
    out_char(&name, market == MARKET_PERPS ? 'p' : 's');
    out_u64(&name, coin_id);
    out_char(&name, '-');
    out_i64(&name, step->time_ms);
    assert(!name.overflow);
    (void)step->writer->deposit(step->writer->self, &deposit, out_slice(&name));
}

/* Everything that it begins with. */
static void open(struct step *step, uint32_t number)
{
    const struct genesis *genesis = step->market->genesis;

    deposit(step, number, MARKET_PERPS, COIN_MARGIN, opening_amount(number, genesis, MARKET_PERPS, COIN_MARGIN));
    for (uint32_t coin_id = 0; coin_id < genesis->coin_count; coin_id++)
        deposit(step, number, MARKET_SPOT, coin_id, opening_amount(number, genesis, MARKET_SPOT, coin_id));
}

/* What is missing on one side, when little is left of the opening amount. */
static void refill(struct step *step, const struct trader *trader, uint8_t market)
{
    const struct genesis *genesis = step->market->genesis;
    struct view_balance   balances[COINS_MAX];
    uint32_t              count = views_balances(step->market->views, market, trader->account_id, balances);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t coin_id = balances[i].coin_id;
        int64_t  whole = opening_amount(trader->number, genesis, market, coin_id);

        if (balances[i].total < whole / (trader->number < FIRST_LEVERAGED ? RUIN_PART : BROKE_PART))
            deposit(step, trader->number, market, coin_id, whole - balances[i].total);
    }
}

/* All that have no account yet: in the order of their numbers, so that their ids follow one another. */
static void open_all(struct step *step)
{
    for (uint32_t number = 0; number < MARKET_TRADERS; number++)
        if (trader_at(step, number).account_id == 0) open(step, number);
}

void step_fund_traders(struct step *step)
{
    if (trader_at(step, (uint32_t)(step->number % MARKET_TRADERS)).account_id == 0) open_all(step);
    for (uint32_t number = 0; number < MARKET_TRADERS; number++) {
        uint32_t      period = number < FIRST_LEVERAGED ? LOOK_STEPS : BROKE_STEPS;
        struct trader trader;

        if ((step->number + number * 7) % period != 0) continue;
        trader = trader_at(step, number);
        if (trader.account_id == 0) continue;
        refill(step, &trader, MARKET_PERPS);
        refill(step, &trader, MARKET_SPOT);
    }
}
