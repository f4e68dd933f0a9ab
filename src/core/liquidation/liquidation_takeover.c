/* SPDX-License-Identifier: MIT */
#include "core/liquidation/liquidation_takeover.h"
#include "core/liquidation/adl.h"
#include "core/liquidation/fund_day.h"
#include "core/account/ledger.h"
#include "core/liquidation/receipt.h"
#include "core/state/rulings.h"

#define CARRY 5 /* the fund carries inventory of so many times its equity (mechanics 3.13) */

/*
 * A unit whose live rows are taken over: their state at mark and at t, the money that the account keeps, and whether
 * the fund refuses them.
 */
struct going {
    const struct unit_entry *unit;
    struct health            at_mark, at_worse;
    int128_t                 wallet;               /* of the account, when the rows are gone */
    int128_t                 carries, fund_equity; /* the fund's inventory and equity, if it took the unit over */
    uint8_t                  refusal;              /* enum fund_refusal */
};

/* ---- what the fund may do (mechanics 3.13) ---- */

/* The fund's notional in the position's symbol if it took the position
   over, opposite sides netted; `before` gets what it has. */
static int128_t inventory_with(const struct engine *e, const struct position *position, int128_t *before)
{
    const struct position *held = position_find(e, SLOT_FUND, position->market);
    int128_t               more = position_value(e, position);

    assert(position->account != SLOT_FUND && more >= 0);
    *before = held != NULL ? position_value(e, held) : 0;
    if (held == NULL || (held->exposure.size > 0) == (position->exposure.size > 0)) return *before + more;
    return *before > more ? *before - more : more - *before;
}

static void judge_inventory(const struct engine *e, struct going *going)
{
    struct risk_unit fund = risk_unit_cross(e, SLOT_FUND);

    assert(going->refusal == 0 && going->carries == 0); /* the first judge */
    for (uint32_t ix = engine_margins(e)[SLOT_FUND].positions; ix != 0; ix = position_at(e, ix)->next)
        going->carries += position_value(e, position_at(e, ix));
    TROUBLE_EACH(position, e, going->unit) {
        int128_t before, after = inventory_with(e, position, &before), most = fund_inventory_limit(e, position->market);

        if (perps_is_suspended(e, position->market)) continue;
        if (most != 0 && after > most) going->refusal |= FUND_NO_INVENTORY;
        going->carries += after - before;
    }
    assert(going->carries >= 0);
    going->fund_equity = risk_unit_equity(e, SLOT_FUND, &fund) + going->at_mark.equity;
    if (going->fund_equity * CARRY < going->carries) going->refusal |= FUND_NO_CARRY;
}

static uint64_t market_bit(uint8_t number)
{
    assert(market_is_perps(number));
    return UINT64_C(1) << (number - PERPS_FIRST);
}

/* Each symbol is charged its share of the unit's deficit at t, and the day all of it (ruling 66). */
static void judge_loss(struct engine *e, struct going *going)
{
    struct health    left = going->at_worse;
    struct position *position;
    uint64_t         done = 0;

    assert(going->at_worse.maintenance >= 0);
    if (going->at_worse.equity >= 0) return;
    if (-going->at_worse.equity > fund_total_left(e)) going->refusal |= FUND_NO_TOTAL_BUDGET;
    if (-going->at_worse.equity > fund_money(e)) going->refusal |= FUND_NO_MONEY;
    while ((position = liquidation_unit_largest_without(e, going->unit, done)) != NULL) {
        int128_t own = position_maintenance(e, position), share = liquidation_unit_share(going->at_worse, own, left),
                 loss = liquidation_charge(share, left.equity);

        left.equity -= share;
        left.maintenance -= own;
        done |= market_bit(position->market);
        if (loss > fund_symbol_left(e, position->market)) going->refusal |= FUND_NO_SYMBOL_BUDGET;
    }
    assert(left.equity == 0 && left.maintenance == 0);
}

/* Without ruling 66: the budget of the largest position's symbol was for all of it. */
static void judge_largest(struct engine *e, struct going *going)
{
    if (going->at_worse.equity < -fund_budget(e, liquidation_unit_largest(e, going->unit)->market))
        going->refusal |= FUND_NO_SYMBOL_BUDGET;
}

/* ---- carrying it out ---- */

/* The remaining money of the unit goes to the fund, or its debt comes from the fund. */
static void settle_residue(struct engine *e, uint32_t slot, int128_t amount)
{
    int128_t both = (int128_t)ledger_wallet(e, slot) + ledger_wallet(e, SLOT_FUND);

    assert(slot != SLOT_FUND && amount >= -AMOUNT_MAX && amount <= AMOUNT_MAX);
    ledger_position(e, slot, (int64_t)-amount);
    ledger_position(e, SLOT_FUND, (int64_t)amount);
    assert((int128_t)ledger_wallet(e, slot) + ledger_wallet(e, SLOT_FUND) == both);
}

/* The record's result includes what liquidation takes from the trader, or pays for him (mechanics 3.1). */
static void count_loss(struct position *position, int128_t loss)
{
    int128_t realized = position->realized - loss;

    assert(position->exposure.size != 0);
    position->realized = (int64_t)margin_max(-AMOUNT_MAX, margin_min(realized, AMOUNT_MAX));
    assert(position->id != 0);
}

/* The receipt of one of the unit's positions, with the fund's limits at that time. */
static struct liquidated open_receipt(struct engine *e, const struct going *going, const struct position *position,
                                      uint8_t stage, uint32_t round)
{
    struct liquidated receipt = receipt_of(e, going->unit, position, stage, going->at_mark);
    int128_t          before;

    assert(round >= 1 && round <= PERPS_MAX);
    assert((stage == STAGE_TAKEOVER) == (going->refusal == 0));
    receipt.round = (uint8_t)round;
    receipt.refusal = going->refusal;
    receipt.symbol_left = risk_unit_shown(fund_symbol_left(e, position->market));
    receipt.total_left = risk_unit_shown(fund_total_left(e));
    receipt.inventory = risk_unit_shown(inventory_with(e, position, &before));
    receipt.inventory_limit = risk_unit_shown(fund_inventory_limit(e, position->market));
    receipt.fund_carries = risk_unit_shown(going->carries);
    receipt.fund_equity = risk_unit_shown(going->fund_equity);
    receipt.equity = risk_unit_shown(going->at_mark.equity);
    receipt.maintenance = risk_unit_shown(going->at_mark.maintenance);
    receipt.equity_worse = risk_unit_shown(going->at_worse.equity);
    return receipt;
}

/* The position's gain or loss for the fund at t: a loss is charged, a gain is kept for the unwinding (fund.c). */
static void charge(struct engine *e, uint8_t market, int128_t share, int128_t loss)
{
    struct fund_symbol *symbol = &perps_at(e, market)->fund;

    assert(symbol->cushion >= 0 && symbol->gapped <= 1 && loss <= margin_max(0, -share));
    fund_lost(e, market, loss);
    if (share < 0) symbol->gapped = 1;
    else symbol->cushion = risk_unit_shown(symbol->cushion + share);
}

/* The position at mark to the fund; the unit's money follows once all are gone. */
static void move_to_fund(struct apply_context *ctx, struct position *position, int64_t price)
{
    struct position *fund = position_make(ctx->engine, SLOT_FUND, position->market);

    assert(fund != NULL); /* it has a row of its own for each symbol */
    assert(price >= 1 && (fund->exposure.size == 0 || fund->id != 0));
    move_between(ctx, position, fund, -position->exposure.size, position_value(ctx->engine, position), REASON_TAKEOVER,
                 price);
}

struct shares {
    struct health left_at_mark, left_at_worse;
};

/* One position of the unit, with its share of the unit's money: the fund buys at the bankruptcy price. */
static void take_one(struct apply_context *ctx, const struct going *going, struct position *position,
                     struct shares *shares, struct liquidated *receipt)
{
    struct engine *e = ctx->engine;
    int128_t       own = position_maintenance(e, position), value = position_value(e, position);
    int128_t       share = liquidation_unit_share(going->at_mark, own, shares->left_at_mark),
             share_worse = liquidation_unit_share(going->at_worse, own, shares->left_at_worse),
             loss = liquidation_charge(share_worse, shares->left_at_worse.equity);
    int64_t price = liquidation_take_over_price(value, position->exposure.size, share,
                                                market_at(e, position->market)->power),
            size = size_abs(position->exposure.size);
    uint8_t number = position->market;

    assert(position->account == going->unit->slot && size > 0);
    shares->left_at_mark.equity -= share;
    shares->left_at_worse.equity -= share_worse;
    shares->left_at_mark.maintenance -= own;
    shares->left_at_worse.maintenance -= own;
    receipt->share = risk_unit_shown(share);
    receipt->bankruptcy_price = price;
    receipt->charge = risk_unit_shown(loss);
    count_loss(position, share);
    receipt_begin(ctx, receipt);
    move_to_fund(ctx, position, price);
    assert(position_find(e, going->unit->slot, number) == NULL
           || position_find(e, going->unit->slot, number)->exposure.size == 0);
    settle_residue(e, going->unit->slot, share);
    if (RULING(66)) charge(e, number, share_worse, loss);
    (void)receipt_emit(ctx, receipt, size, value);
}

static void take_over(struct apply_context *ctx, const struct going *going)
{
    struct engine           *e = ctx->engine;
    const struct unit_entry *unit = going->unit;
    struct shares            shares = { going->at_mark, going->at_worse };
    struct position         *position;
    uint8_t                  first = liquidation_unit_largest(e, unit)->market;
    uint32_t                 round = 0;

    while ((position = liquidation_unit_largest(e, unit)) != NULL) {
        struct liquidated receipt = open_receipt(e, going, position, STAGE_TAKEOVER, ++round);
        take_one(ctx, going, position, &shares, &receipt);
    }
    assert(shares.left_at_mark.equity == 0 && shares.left_at_worse.equity == 0
           && shares.left_at_mark.maintenance == 0); /* the shares are all of it */
    assert(ledger_wallet(e, unit->slot) == going->wallet);
    if (!RULING(66)) fund_lost(e, first, -going->at_mark.equity);
}

/* The fund pays what it may of a deficit into the unit; returns how much. */
static int128_t subsidize(struct engine *e, const struct position *position, int128_t share)
{
    int128_t subsidy = share < 0 ? margin_min(-share, fund_budget(e, position->market)) : 0;

    assert(subsidy >= 0 && subsidy <= AMOUNT_MAX);
    assert(position->account != SLOT_FUND && position->exposure.size != 0);
    if (subsidy == 0) return 0;
    ledger_position(e, SLOT_FUND, (int64_t)-subsidy);
    ledger_position(e, position->account, (int64_t)subsidy);
    fund_lost(e, position->market, subsidy);
    return subsidy;
}

/* One position against the other side, at t or where the subsidy brings it (mechanics 3.12, 1). */
static void deleverage_one(struct apply_context *ctx, struct position *position, int128_t share,
                           struct liquidated *receipt)
{
    struct engine *e = ctx->engine;
    uint32_t       slot = position->account, count;
    uint8_t        number = position->market;
    bool           isolated = position_is_isolated(position), is_long = position->exposure.size > 0;
    int64_t        wallet_before = engine_margins(e)[slot].wallet, size = size_abs(position->exposure.size);
    int128_t       value = liquidation_unit_worse_value(e, position), residue, subsidy = subsidize(e, position, share);

    assert(slot != SLOT_FUND && size > 0);
    receipt->share = risk_unit_shown(share);
    receipt->charge = risk_unit_shown(subsidy);
    receipt->bankruptcy_price =
        liquidation_take_over_price(value, position->exposure.size, share, market_at(e, position->market)->power);
    if (share < 0)
        value = is_long ? value - (share + subsidy) : margin_max(0, value + share + subsidy); /* never below nothing */
    assert(value >= 0);
    count_loss(position, share > 0 ? share : -subsidy);
    receipt_begin(ctx, receipt);
    count = adl_close(ctx, position, value, REASON_ADL);
    residue = isolated ? engine_margins(e)[slot].wallet - wallet_before : share > 0 ? share : 0;
    if (isolated || residue != 0) settle_residue(e, slot, residue);
    fund_lost_beyond(e, number, -residue);
    receipt->candidates = count;
    adl_emit_ranking(ctx, receipt_emit(ctx, receipt, size, value), count);
}

/* The unit's positions one by one, each with its share of E_t; the
   fund pays what it may of a deficit (mechanics 3.12). */
static void deleverage(struct apply_context *ctx, const struct going *going)
{
    struct engine           *e = ctx->engine;
    const struct unit_entry *unit = going->unit;
    struct health            left = going->at_worse;
    struct position         *position;
    uint32_t                 round = 0;
    uint8_t                  number = 0;
    int128_t                 lacks;

    while ((position = liquidation_unit_largest(e, unit)) != NULL) {
        int128_t own = position_maintenance(e, position), share = liquidation_unit_share(going->at_worse, own, left);
        struct liquidated receipt = open_receipt(e, going, position, STAGE_ADL, ++round);

        number = position->market;
        left.equity -= share;
        left.maintenance -= own;
        deleverage_one(ctx, position, share, &receipt);
    }
    assert(left.equity == 0 && left.maintenance == 0);
    lacks = going->wallet - ledger_wallet(e, unit->slot);
    assert(lacks >= 0);
    if (unit->market != 0 || lacks == 0) return;
    fund_lost_beyond(e, number, lacks); /* a loss that no price could cover */
    settle_residue(e, unit->slot, -lacks);
}

void liquidation_takeover(struct apply_context *ctx, const struct unit_entry *unit, struct health health)
{
    struct engine   *e = ctx->engine;
    struct live_part live = liquidation_unit_live(e, unit, health);
    struct going going = { .unit = unit, .at_mark = live.at_mark, .at_worse = live.at_worse, .wallet = live.wallet };

    assert(unit->slot >= SLOT_USERS && health.equity < health.maintenance);
    assert(unit->liquidation != 0
           && live.at_worse.equity <= live.at_mark.equity); /* mark is never the worse one for it */
    judge_inventory(e, &going);
    if (RULING(66)) judge_loss(e, &going);
    else judge_largest(e, &going);
    liquidation_unit_emit(ctx, unit, going.refusal == 0 ? STAGE_TAKEOVER : STAGE_ADL, health);
    if (going.refusal == 0) take_over(ctx, &going);
    else deleverage(ctx, &going);
}
