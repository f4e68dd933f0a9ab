/* SPDX-License-Identifier: MIT */
/* goals.c — computes the gain and the distance to it. See goals.h. */
#include "goals.h"
#include "core/account/volume.h"
#include "core/liquidation/liquidation_unit.h"

#define SLACK       2000000             /* 2 %, in 1e-8: a move of the mark itself */
#define NOT_YET     (INT128_C(1) << 90) /* scores below zero: nothing was taken; the score is the distance */
#define INT128_C(n) ((int128_t)(n))
#define UNWINDING   510000  /* 0.5 % of the better of mark and index, as a fraction of the execution price */
#define TRIFLE      5000000 /* of funding, by quotes that the house has no reason to take */
#define BAIT        50      /* a 50th of the notional that the fund took over counts as progress */
#define CLOSING_MS  15000   /* the mark follows by 1 % a second */

const char *const goal_names[GOALS] = { "all", "profit", "fund", "harm", "print", "tier" };

/* ---- what is there ---- */

/* The cross unit, and the isolated ones by symbol, at prices. */
struct units {
    int128_t cross, isolated[SYMBOLS];
};

static struct units units_of(const struct world *world, uint32_t slot, const int64_t price[SYMBOLS])
{
    struct units units = { .cross = ledger_wallet(world->f->engine, slot) };

    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
        const struct position *position = world_position(world, slot, symbol);
        int128_t               profit;

        if (position == NULL || position->exposure.size == 0) continue;
        profit = (int128_t)position->exposure.size * price[symbol - 1] - position->exposure.cost;
        if (position_is_isolated(position)) units.isolated[symbol - 1] = position->exposure.bucket + profit;
        else units.cross += profit;
    }
    return units;
}

int128_t goal_worth(const struct world *world, uint32_t slot)
{
    struct units units = units_of(world, slot, world->now.fair);

    return units.cross + units.isolated[0] + units.isolated[1];
}

int128_t goal_fund(const struct world *world) { return goal_worth(world, SLOT_FUND); }

static int128_t deficit_at(const struct world *world, const int64_t price[SYMBOLS], bool unseen)
{
    int128_t sum = 0;

    for (uint32_t i = 0; i < world->coalition; i++) {
        struct units units = units_of(world, world->slot[i], price);
        int128_t     left = unseen ? world->now.left_unseen[i] : 0, bucket = unseen ? world->now.left_bucket[i] : 0;
        sum += margin_max(0, -units.cross - left);
        for (uint32_t k = 0; k < SYMBOLS; k++)
            sum += margin_max(0, -units.isolated[k] - (units.isolated[k] != 0 ? bucket : 0));
    }
    return sum;
}

/*
 * When a jump is held back in one symbol while the other moves, the engine knows a part of the move: the worse of the
 * two deficits counts.
 */
int128_t goal_deficit(const struct world *world, bool unseen)
{
    int64_t known[SYMBOLS];

    for (uint32_t i = 0; i < SYMBOLS; i++) {
        int64_t index = world_perps(world, 1 + i)->index, fair = world->now.fair[i];
        known[i] = fair - index > index / 10 || index - fair > index / 10 ? index : fair;
    }
    return margin_max(deficit_at(world, world->now.fair, unseen), deficit_at(world, known, unseen));
}

static int128_t spot_of(const struct world *world, uint32_t slot)
{
    const struct engine *e = world->f->engine;
    const struct bucket *usd = ledger_bucket(e, slot, VUSDC), *btc = ledger_bucket(e, slot, VBTC);

    return (int128_t)usd->available + usd->held + ((int128_t)btc->available + btc->held) * world->first.fair[0] / 1000;
}

int128_t goal_both(const struct world *world, uint32_t slot) { return goal_worth(world, slot) + spot_of(world, slot); }

int128_t goal_holds(struct world *world, bool paper)
{
    int128_t sum = 0;

    for (uint32_t i = 0; i < world->coalition; i++) {
        struct units units = units_of(world, world->slot[i], world->now.fair);
        sum += spot_of(world, world->slot[i]);
        if (!paper) {
            sum += margin_withdrawable(world->f->engine, world->slot[i]);
            continue;
        }
        sum += margin_max(0, units.cross) + margin_max(0, units.isolated[0]) + margin_max(0, units.isolated[1]);
    }
    return sum;
}

/* ---- each goal ---- */

static int64_t free_price(const struct world *world, uint32_t symbol)
{
    int64_t mark = world_perps(world, symbol)->mark, fair = world->now.fair[symbol - 1];

    return max_i64(mark * 96 / 100, min_i64(mark * 104 / 100, fair));
}

static int64_t size_of(const struct world *world, uint32_t slot, uint32_t symbol)
{
    const struct position *position = world_position(world, slot, symbol);

    return position == NULL ? 0 : position->exposure.size;
}

/* The coalition's longs and shorts of a symbol close against each other. */
static void close_pairs(struct world *world, uint32_t symbol)
{
    for (uint32_t i = 0; i < world->coalition; i++)
        for (uint32_t k = 0; k < world->coalition; k++) {
            int64_t longs = size_of(world, world->slot[i], symbol), shorts = -size_of(world, world->slot[k], symbol);
            struct wanted wanted = { .who = i,
                                     .symbol = symbol,
                                     .side = SIDE_SELL,
                                     .tif = TIF_GTC,
                                     .reduce = 1,
                                     .price = free_price(world, symbol) };

            if (i == k || longs <= 0 || shorts <= 0) continue;
            wanted.quantity = min_i64(longs, shorts);
            (void)world_order(world, wanted);
            wanted = (struct wanted){ .who = k,
                                      .symbol = symbol,
                                      .side = SIDE_BUY,
                                      .tif = TIF_IOC,
                                      .reduce = 1,
                                      .price = wanted.price,
                                      .quantity = wanted.quantity };
            (void)world_order(world, wanted);
            world_cancel_all(world, i);
        }
}

/* Against the house, where there is one. */
static void close_rest(struct world *world, uint32_t symbol)
{
    for (uint32_t i = 0; world->has_house && i < world->coalition; i++) {
        int64_t       size = size_of(world, world->slot[i], symbol);
        struct wanted wanted = { .who = i,
                                 .symbol = symbol,
                                 .side = size > 0 ? SIDE_SELL : SIDE_BUY,
                                 .tif = TIF_IOC,
                                 .reduce = 1,
                                 .quantity = size_abs(size) };

        wanted.price = world->now.fair[symbol - 1] * (BP + (size > 0 ? -world->spread : world->spread)) / BP;
        if (size != 0) (void)world_order(world, wanted);
    }
}

/* The world continues without attack, and the coalition closes its positions as far as it can. */
static void close_everything(struct world *world)
{
    world->now.ticks = 0;
    if (world->f->engine->mode != VENUE_RUN) world_mode(world, VENUE_RUN);
    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++)
        if (world_market(world, symbol)->symbol.status != SYMBOL_TRADING) world_status(world, symbol, SYMBOL_TRADING);
    world_silence(world, 0);
    for (uint32_t i = 0; i < world->coalition; i++) world_cancel_all(world, i);
    world_pass(world, CLOSING_MS);
    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
        close_pairs(world, symbol);
        close_rest(world, symbol);
    }
    world_pass(world, 2000);
}

/* The loss that ruling 66 allows the fund by unwinding positions it took over in a gap. */
static int128_t unwinding(const struct world *world)
{
    if (world->setting != WORLD_MOVES) return 0;
    return world->now.unwound * UNWINDING / RATE_ONE + world->now.fills;
}

/*
 * The gain over its initial holdings, less the cost of price moves to the insurer of its units, and less the gain of
 * its net position by them.
 */
static int128_t gained(struct world *world, bool paper)
{
    return goal_holds(world, paper) - world->had - world->now.allowed - margin_max(0, world->now.net_moved)
         - unwinding(world);
}

static int128_t judge_profit(struct world *world)
{
    int128_t paper = gained(world, true), bait = world->now.taken / BAIT, real;

    if (paper <= 0) return paper + world->now.fees + bait - NOT_YET;
    close_everything(world);
    real = gained(world, false);
    return real > 0 ? real : paper + margin_min(0, gained(world, true)) + bait - NOT_YET;
}

/* At the index where that moves, as the rules count; moves of the index on the fund's own positions are left out. */
static int128_t judge_fund(const struct world *world)
{
    int128_t lost = world->fund - goal_fund(world), budget = 0;

    if (world->setting == WORLD_MOVES) {
        int128_t at_index = ledger_wallet(world->f->engine, SLOT_FUND);
        for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
            const struct position *position = world_position(world, SLOT_FUND, symbol);
            if (position != NULL)
                at_index +=
                    (int128_t)position->exposure.size * world_perps(world, symbol)->index - position->exposure.cost;
        }
        lost = world->fund - at_index + world->now.fund_moved;
        budget =
            world->fund / 5 * (world->f->time_ms / 86400000 - world->start.time_ms / 86400000 + 1) + unwinding(world);
        if (world->now.deleveraged != 0) return margin_min(lost, 0) - NOT_YET;
    }
    if (lost > budget) return lost - budget;
    return lost + world->now.taken / BAIT - NOT_YET;
}

static bool bystander_moved(const struct world *world, uint32_t i)
{
    const struct position *position = world_position(world, world->bystander[i], BTC);

    return position == NULL || position->exposure.size != world->stood[i].size
        || position->exposure.cost != world->stood[i].cost;
}

static int128_t judge_harm(struct world *world, int128_t near)
{
    int128_t harm = 0;

    if (!world->has_bystanders) return -2 * NOT_YET;
    for (uint32_t i = 0; i < 2; i++) {
        int128_t lost = world->stood[i].worth - goal_both(world, world->bystander[i]);
        harm += (lost > TRIFLE ? lost : 0) + (bystander_moved(world, i) ? 1000000 : 0);
    }
    if (harm > 0) return harm;
    if (world->setting != WORLD_FLAT) return near; /* without posts of prices transfers wait */
    if (world_bystander_trades(world) != REJECT_NONE) return 2000000;
    if (world_bystander_transfers(world) != REJECT_NONE) return 2000000;
    return near;
}

static int128_t judge_tier(const struct world *world)
{
    struct volume_day days[VOLUME_DAYS];
    int128_t          counted = 0;

    if (!world->one_user || world->now.liquidated != 0) return -2 * NOT_YET;
    volume_read(world->f->engine, MARKET_PERPS, world->slot[0], days);
    for (uint32_t day = 0; day < VOLUME_DAYS; day++) counted += days[day].volume;
    return counted > world->now.other_volume ? counted - world->now.other_volume : -NOT_YET;
}

/* How near to its maintenance margin the mark brings a bystander, in
   hundred-thousandths of its value; the nearer, the higher. */
void goal_watch(struct world *world, struct score *score)
{
    for (uint32_t i = 0; world->has_bystanders && i < 2; i++) {
        const struct position *position = world_position(world, world->bystander[i], BTC);
        struct health          health;
        int128_t               value;

        if (position == NULL || position->exposure.size == 0) continue;
        health = risk_unit_health(world->f->engine, position);
        value = position_value(world->f->engine, position);
        score->value[GOAL_HARM] =
            margin_max(score->value[GOAL_HARM], -(health.equity - health.maintenance) * 100000 / value - NOT_YET);
    }
}

static bool flat(const struct world *world) { return world->setting == WORLD_FLAT; }

bool goal_judge(struct world *world, enum goal goal, struct score *score)
{
    bool any = world->now.fills != 0;

    score->value[GOAL_TIER] = judge_tier(world);
    score->value[GOAL_PRINT] = !flat(world)               ? -2 * NOT_YET
                             : world->now.outside > SLACK ? world->now.outside - SLACK
                                                          : world->now.outside - NOT_YET;
    score->value[GOAL_FUND] = any ? judge_fund(world) : -2 * NOT_YET;
    score->value[GOAL_HARM] = judge_harm(world, score->value[GOAL_HARM]);
    score->value[GOAL_PROFIT] = any ? judge_profit(world) : -2 * NOT_YET;
    score->value[GOAL_ALL] = -2 * NOT_YET;
    for (uint32_t i = GOAL_ALL + 1; i < GOALS; i++)
        if (score->value[i] > 0 && (goal == GOAL_ALL || goal == i))
            score->value[GOAL_ALL] = margin_max(score->value[GOAL_ALL], score->value[i]);
    return score->value[GOAL_ALL] > 0;
}
