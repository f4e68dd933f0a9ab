/* SPDX-License-Identifier: MIT */
/*
 * explain.c — dojima explain-liquidation DIR ID: replays a data folder that is not in use, without writing to it, and
 * prints how one liquidation was decided, step by step. Derived numbers are computed again by the rules (rules/), not
 * by the engine; a number that differs from the rules is named, and the exit code reports it.
 */
#include "app/cli/explain_check.h"
#include "app/cli/explain_index.h"

#include "core/account/account.h"
#include "core/account/fees.h"
#include "core/perps/inputs.h"
#include "core/perps/perps.h"
#include "io/files.h"
#include "rules/liquidation.h"
#include "rules/price.h"
#include "app/cli/arguments.h"
#include "diagnostics/program_log.h"
#include "app/cli/receipts.h"
#include "app/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>

#define RATIO_DECIMALS 8
#define FILLS_MAX      4096 /* of one receipt that are printed and added up */

struct explain {
    const struct genesis *genesis;
    const struct engine  *engine; /* as the command that is looked at left it */
    uint64_t              id;
    uint32_t              receipts;
    struct explain_check  check;
    bool                  found, in_unit;
    struct liquidated     receipt; /* its ranking is being read */
    struct unit_stage     unit;    /* as in the last event */
    struct adl_ranked    *ranking;
    uint32_t              ranked, ranked_cap, fills;
    struct filled         fill[FILLS_MAX];
    struct index_composed made[PERPS_MAX];        /* of each symbol, the last event */
    int64_t               mark_before[PERPS_MAX]; /* of the TICK before that; 0 = its first */
    uint32_t              price_step;             /* prices have moved so often */
    struct explain_before before[PERPS_MAX];      /* the last time; not its mark */
    struct {
        int128_t basis;
        int64_t  funding_rate, funding_hour;
    } left[PERPS_MAX]; /* by that */
};

static const struct symbol *symbol_of(const struct explain *explain, uint32_t id)
{
    return &explain->genesis->perps[id - 1];
}

static int power_of(const struct explain *explain, const struct symbol *symbol)
{
    return symbol_notional_power(symbol, &explain->genesis->coins[symbol->quote_coin_id]);
}

/* ---- checking ---- */

static void expect_value(struct explain *explain, const char *what, int128_t told, int128_t computed)
{
    explain_expect(&explain->check, what, told, computed);
}

static void expect_true(struct explain *explain, const char *what, bool holds)
{
    expect_value(explain, what, 1, holds);
}

static int128_t value_at(const struct explain *explain, const struct liquidated *receipt, int64_t price,
                         int64_t quantity)
{
    return notional_floor(price, quantity, power_of(explain, symbol_of(explain, receipt->symbol_id)));
}

static void check_prices(struct explain *explain, const struct liquidated *receipt)
{
    const struct contract *contract = &explain->genesis->contracts[receipt->symbol_id - 1];
    int64_t                size = size_abs(receipt->size_before);
    bool                   is_long = receipt->size_before > 0;

    expect_value(explain, "worse of mark and index", receipt->worse,
                 is_long ? min_i64(receipt->mark, receipt->index) : max_i64(receipt->mark, receipt->index));
    expect_value(explain, "side", receipt->side, is_long ? SIDE_SELL : SIDE_BUY);
    expect_value(explain, "maintenance of the position", receipt->own_maintenance,
                 margin_maintenance(contract, value_at(explain, receipt, receipt->mark, size)));
    expect_true(explain, "equity is below maintenance",
                receipt->equity < receipt->maintenance || receipt->account_id == ACCOUNT_FUND);
    expect_true(explain, "the worse price is no better", receipt->equity_worse <= receipt->equity);
}

/* ---- the stages ---- */

static const char *price(const struct explain *explain, const struct liquidated *receipt, int64_t units, char text[64])
{
    return receipts_units(units, symbol_of(explain, receipt->symbol_id)->price_precision, text);
}
static const char *quantity(const struct explain *explain, const struct liquidated *receipt, int64_t units,
                            char text[64])
{
    return receipts_units(units, symbol_of(explain, receipt->symbol_id)->quantity_precision, text);
}
static const char *money(const struct explain *explain, int64_t units, char text[64])
{
    return receipts_units(units, explain->genesis->coins[COIN_MARGIN].precision, text);
}

static void print_head(struct explain *explain, uint64_t seq, const struct liquidated *r)
{
    const struct symbol *symbol = symbol_of(explain, r->symbol_id);
    char                 text[4][64];

    (void)printf("  step %u       ", explain->receipts);
    receipts_print_line(explain->genesis, seq, r);
    (void)printf("    prices       mark %s, index %s (%s), worse of both %s\n", price(explain, r, r->mark, text[0]),
                 price(explain, r, r->index, text[1]), enum_name_of(oracle_state_names, r->index_state),
                 price(explain, r, r->worse, text[2]));
    (void)printf("    unit         %s, equity %s, maintenance %s, at the worse prices %s\n",
                 enum_name_of(margin_mode_names, r->margin_mode), money(explain, r->equity, text[0]),
                 money(explain, r->maintenance, text[1]), money(explain, r->equity_worse, text[2]));
    (void)printf("    position     %s %.*s, its maintenance %s, its share of the equity %s, bankruptcy price %s\n",
                 quantity(explain, r, r->size_before, text[0]), (int)symbol->name.len, symbol->name.at,
                 money(explain, r->own_maintenance, text[1]), money(explain, r->share, text[2]),
                 price(explain, r, r->bankruptcy_price, text[3]));
}

/*
 * The proceeds needed, fees included, for the unit to be healthy again with the buffer; all of it where less would
 * leave dust (mechanics 3.11).
 */
static void check_shortage(struct explain *explain, const struct liquidated *r)
{
    const struct engine *engine = explain->engine;
    const struct market *market = market_at(engine, (uint8_t)(PERPS_FIRST + r->symbol_id - 1));
    const struct symbol *symbol = symbol_of(explain, r->symbol_id);
    uint32_t             slot = account_find(engine, r->account_id);
    int64_t rate = max_i64(fees_taker_rate(engine, market, slot), 0), fees = rate + engine->rules.liquidation_fee,
            size = size_abs(r->size_before);
    int64_t wanted = liquidation_quantity(&explain->genesis->contracts[r->symbol_id - 1], r->equity, r->maintenance,
                                          r->mark, r->size_before, fees, engine->rules.liquidation_buffer,
                                          symbol->step_size, power_of(explain, symbol));
    char    text[3][64];

    assert(slot != 0);
    (void)printf("    shortage     a fee of %s and a buffer of %s of the maintenance make it %s\n",
                 receipts_units(fees, RATIO_DECIMALS, text[0]),
                 receipts_units(engine->rules.liquidation_buffer, RATIO_DECIMALS, text[1]),
                 quantity(explain, r, wanted, text[2]));
    if (wanted >= size || value_at(explain, r, r->mark, size - wanted) < symbol->min_notional) wanted = size;
    expect_value(explain, "quantity of the order", r->wanted, wanted);
}

/* Stage 1: the bound is the bankruptcy price, or liqSlippage from the mark where that is nearer (mechanics 3.11). */
static void explain_book(struct explain *explain, const struct liquidated *r)
{
    const struct symbol *symbol = symbol_of(explain, r->symbol_id);
    int64_t              slip = explain->genesis->rules.liquidation_slippage, tick = symbol->tick_size, sum = 0;
    int64_t              bound = r->side == SIDE_SELL ? (price_below(r->mark, slip) + tick - 1) / tick * tick
                                                      : price_above(r->mark, slip) / tick * tick;
    int128_t             value = 0;
    char                 text[4][64];

    (void)printf("    why          equity is below maintenance: the shortage goes into the book, round %u\n", r->round);
    (void)printf("    order        %s of %s, no worse than %s (bankruptcy price %s, slippage bound %s)\n",
                 r->side == SIDE_SELL ? "sale" : "purchase", quantity(explain, r, r->wanted, text[0]),
                 price(explain, r, r->limit, text[1]), price(explain, r, r->bankruptcy_price, text[2]),
                 price(explain, r, bound, text[3]));
    check_shortage(explain, r);
    expect_value(explain, "limit of the order", r->limit,
                 r->side == SIDE_SELL ? max_i64(r->bankruptcy_price, bound) : min_i64(r->bankruptcy_price, bound));
    expect_value(explain, "bankruptcy price", r->bankruptcy_price,
                 liquidation_bankruptcy_price(value_at(explain, r, r->mark, size_abs(r->size_before)), r->size_before,
                                              r->share, tick, power_of(explain, symbol)));
    for (uint32_t i = 0; i < explain->fills; i++) {
        const struct filled *fill = &explain->fill[i];

        if (fill->account_id != r->account_id || fill->is_maker || fill->symbol_id != r->symbol_id) continue;
        (void)printf("    fill         trade %lu: %s at %s\n", (unsigned long)fill->trade_id,
                     quantity(explain, r, fill->quantity, text[0]), price(explain, r, fill->price, text[1]));
        sum += fill->quantity;
        value += value_at(explain, r, fill->price, fill->quantity);
        expect_true(explain, "the fill is within the bound",
                    r->side == SIDE_SELL ? fill->price >= r->limit : fill->price <= r->limit);
    }
    if (explain->fills == FILLS_MAX) {
        (void)printf("    fills        more than %u, not added up\n", FILLS_MAX);
        return;
    }
    expect_value(explain, "quantity of the fills", r->quantity, sum);
    expect_value(explain, "value of the fills", r->value, value);
}

/*
 * The closable part of the unit has its share of the equity, by maintenance margin; suspended positions keep the rest
 * (mechanics 3.11).
 */
static void check_part(struct explain *explain, const struct liquidated *r)
{
    const struct unit_stage *unit = &explain->unit;
    char                     text[2][64];

    if (r->maintenance == unit->maintenance) {
        expect_value(explain, "equity of the unit", r->equity, unit->equity);
        return;
    }
    (void)printf("    suspended    other positions of the unit cannot be closed now; of its equity %s and maintenance "
                 "%s they keep their part\n",
                 money(explain, unit->equity, text[0]), money(explain, unit->maintenance, text[1]));
    expect_value(explain, "part of the unit's equity", r->equity,
                 liquidation_share(unit->equity, r->maintenance, unit->maintenance));
}

static void explain_limits(struct explain *explain, const struct liquidated *r)
{
    int128_t lacks = r->equity_worse < 0 ? -(int128_t)r->equity_worse : 0;
    char     text[4][64];

    (void)printf("    day's budget %s left in the symbol, %s in all; the unit lacks %s at the worse prices\n",
                 money(explain, r->symbol_left, text[0]), money(explain, r->total_left, text[1]),
                 money(explain, (int64_t)lacks, text[2]));
    (void)printf("    inventory    the fund would hold %s of %s here, carry %s with an equity of %s\n",
                 money(explain, r->inventory, text[0]),
                 r->inventory_limit == 0 ? "no limit" : money(explain, r->inventory_limit, text[1]),
                 money(explain, r->fund_carries, text[2]), money(explain, r->fund_equity, text[3]));
    check_part(explain, r);
    if (r->round != 1) return; /* the cost of the first one reduces the remainder for the others */
    expect_value(explain, "refused by the budget of all symbols", (r->refusal & FUND_NO_TOTAL_BUDGET) != 0,
                 lacks > r->total_left);
    expect_value(explain, "refused because the fund could not carry it", (r->refusal & FUND_NO_CARRY) != 0,
                 (int128_t)r->fund_equity * 5 < r->fund_carries);
    if (r->inventory_limit != 0 && r->inventory > r->inventory_limit)
        expect_true(explain, "refused by the inventory limit", (r->refusal & FUND_NO_INVENTORY) != 0);
}

static void explain_fund(const struct explain *explain, const struct liquidated *r)
{
    char text[3][64];

    (void)printf("    fund         %s before, %s after; charged to its day %s\n",
                 money(explain, r->fund_before, text[0]), money(explain, r->fund_after, text[1]),
                 money(explain, r->charge, text[2]));
}

static void explain_take_over(struct explain *explain, const struct liquidated *r)
{
    const struct rules *rules = &explain->genesis->rules;
    uint32_t            part = rules->take_over_whole == 0 ? 2 : rules->take_over_part,
             whole = rules->take_over_whole == 0 ? 3 : rules->take_over_whole;
    int128_t value = value_at(explain, r, r->mark, size_abs(r->size_before));

    (void)printf("    why          the book did not heal it, equity is below %u/%u of maintenance, and no limit of the "
                 "fund is against it\n",
                 part, whole);
    expect_true(explain, "equity is below the threshold",
                (int128_t)r->equity * whole < (int128_t)r->maintenance * part);
    expect_value(explain, "refusal", r->refusal, 0);
    explain_limits(explain, r);
    expect_value(explain, "value at mark", r->value, value);
    expect_value(explain, "quantity", r->quantity, size_abs(r->size_before));
    expect_value(explain, "take-over price", r->bankruptcy_price,
                 liquidation_take_over_price(value, r->size_before, r->share,
                                             power_of(explain, symbol_of(explain, r->symbol_id))));
    expect_true(explain, "the charge is within the budgets", r->charge <= r->symbol_left && r->charge <= r->total_left);
    explain_fund(explain, r);
}

static void print_refusal(const struct liquidated *r)
{
    static const char *const words[] = { "the symbol's budget for the day", "the budget of all symbols for the day",
                                         "its money", "the inventory limit of a symbol", "what its equity carries" };
    const char              *comma = " ";

    (void)printf("    why          ");
    if (r->refusal == 0)
        (void)printf("the fund was not considered: a position of the fund itself, or of a settled symbol\n");
    if (r->refusal == 0) return;
    (void)printf("the fund may not take it over because of");
    for (uint32_t i = 0; i < ARRAY_COUNT(words); i++) {
        if ((r->refusal >> i & 1) == 0) continue;
        (void)printf("%s%s", comma, words[i]);
        comma = ", ";
    }
    (void)printf("\n");
}

/*
 * The parts of one group: pro rata to the capacity of each, left-over steps to the higher score (E10b). Returns the
 * remainder.
 */
static int64_t check_group(struct explain *explain, const struct adl_ranked *rows, uint32_t count, int64_t left,
                           int64_t step)
{
    int64_t total = 0, wanted, rest;

    for (uint32_t i = 0; i < count; i++) total += max_i64(rows[i].bears, 0);
    rest = wanted = min_i64(left, total);
    for (uint32_t i = 0; i < count && total != 0; i++) rest -= adl_part(wanted, max_i64(rows[i].bears, 0), total, step);
    for (uint32_t i = 0; i < count; i++) {
        int64_t part = total == 0 ? 0 : adl_part(wanted, max_i64(rows[i].bears, 0), total, step),
                more = min_i64(rest, max_i64(rows[i].bears, 0) - part);

        rest -= more;
        expect_value(explain, "share of a candidate", rows[i].taken, part + more);
        expect_true(explain, "no candidate takes more than it has", rows[i].taken <= rows[i].size);
    }
    return left - wanted;
}

/* A score has four inputs: profit at mark, cost, value, and the unit's equity (mechanics 3.12). */
static void check_score(struct explain *explain, const struct liquidated *r, const struct adl_ranked *row)
{
    int128_t value = value_at(explain, r, r->mark, row->size),
             profit = (r->size_before > 0 ? -value : value) - row->cost;
    int64_t score = adl_score(profit, row->cost, value, row->equity);

    if (profit > 0 && score == 0) score = 1; /* profitable, if barely */
    expect_value(explain, "score of each candidate", row->score, score);
    expect_value(explain, "leverage of each candidate", row->leverage, adl_leverage(value, row->equity));
}

static void check_ranking(struct explain *explain, const struct liquidated *r)
{
    int64_t  left = r->quantity, step = symbol_of(explain, r->symbol_id)->step_size;
    uint32_t profitable = 0, rank = 0;

    for (uint32_t i = 0; i < explain->ranked; i++)
        profitable += explain->ranking[i].score > 0 && explain->ranking[i].account_id != ACCOUNT_FUND;
    for (uint32_t i = 0, end; i < explain->ranked; i = end) {
        for (end = i; end < explain->ranked && explain->ranking[end].group == explain->ranking[i].group; end++) {
            const struct adl_ranked *row = &explain->ranking[end];
            uint32_t                 group = row->account_id == ACCOUNT_FUND               ? 0
                                           : explain->genesis->rules.adl_mode == ADL_QUEUE ? 1 + rank
                                           : row->score > 0                                ? adl_group(rank, profitable)
                                                                                           : 6;

            check_score(explain, r, row);
            expect_value(explain, "rank", row->rank, end);
            expect_value(explain, "group", row->group, group);
            rank += row->account_id != ACCOUNT_FUND;
        }
        if (left > 0) left = check_group(explain, &explain->ranking[i], end - i, left, step);
        else expect_value(explain, "a group that was not needed", explain->ranking[i].bears, -1);
    }
    if (left > 0) (void)printf("    left over    no other party can bear more: the rest is the fund's\n");
}

static void print_ranking(const struct explain *explain, const struct liquidated *r)
{
    for (uint32_t i = 0; i < explain->ranked; i++) {
        const struct adl_ranked *row = &explain->ranking[i];
        int128_t                 value = value_at(explain, r, r->mark, row->size);
        char                     text[4][64];

        (void)printf("    rank %-7u group %u account %lu score %ld leverage %s size %s", row->rank, row->group,
                     (unsigned long)row->account_id, (long)row->score, receipts_units(row->leverage, 6, text[0]),
                     quantity(explain, r, row->size, text[1]));
        if (row->bears < 0) (void)printf(", not reached\n");
        else
            (void)printf(", bears %s, takes %s for %s\n", quantity(explain, r, row->bears, text[1]),
                         quantity(explain, r, row->taken, text[2]), money(explain, row->value, text[3]));
        (void)printf("                 profit %s on a cost of %s, value %s, equity of its unit %s\n",
                     money(explain, (int64_t)((r->size_before > 0 ? -value : value) - row->cost), text[0]),
                     money(explain, row->cost, text[1]), money(explain, (int64_t)value, text[2]),
                     money(explain, row->equity, text[3]));
    }
}

/* Stage 3: at t when the unit has something left there, else at the
   bankruptcy notional that the subsidy improves (mechanics 3.12, 1). */
static void explain_adl(struct explain *explain, const struct liquidated *r)
{
    int128_t value = value_at(explain, r, r->worse, size_abs(r->size_before)),
             lacks = r->share < 0 ? -((int128_t)r->share + r->charge) : 0;
    char text[3][64];

    print_refusal(r);
    if (r->refusal != 0) {
        explain_limits(explain, r);
        value = r->size_before > 0 ? value + lacks : margin_max(0, value - lacks);
        expect_value(explain, "value the position is closed at", r->value, value);
    }
    (void)printf("    closed       %s for %s, %s each, against the other side\n",
                 quantity(explain, r, r->quantity, text[0]), money(explain, r->value, text[1]),
                 price(explain, r, r->price, text[2]));
    print_ranking(explain, r);
    check_ranking(explain, r);
    explain_fund(explain, r);
}

/* ---- reading ---- */

static void end_ranking(struct explain *explain)
{
    if (explain->receipt.receipt_id == 0) return;
    explain_adl(explain, &explain->receipt);
    explain_agreed(&explain->check);
    explain->receipt.receipt_id = 0;
}

static void take_receipt(struct explain *explain, uint64_t seq, const struct liquidated *receipt)
{
    uint32_t              place = receipt->symbol_id - 1;
    struct explain_before before = explain->before[place];

    explain->found = true;
    explain->receipts += 1;
    print_head(explain, seq, receipt);
    before.mark = explain->mark_before[place] != 0 ? explain->mark_before[place]
                                                   : symbol_of(explain, receipt->symbol_id)->reference_price;
    before.known = before.known && engine_perps(explain->engine)[place].composed_step == explain->price_step;
    explain_index(&explain->check, explain->genesis, explain->engine, &explain->made[place], &before, receipt);
    check_prices(explain, receipt);
    if (receipt->stage == STAGE_BOOK) explain_book(explain, receipt);
    if (receipt->stage == STAGE_TAKEOVER) explain_take_over(explain, receipt);
    if (receipt->stage != STAGE_ADL) {
        explain_agreed(&explain->check);
        return;
    }
    explain->receipt = *receipt;
    explain->ranked = 0;
}

static void take_row(struct explain *explain, const struct adl_ranked *row)
{
    if (explain->ranked == explain->ranked_cap) {
        explain->ranked_cap = explain->ranked_cap == 0 ? 1024 : 2 * explain->ranked_cap;
        explain->ranking = realloc(explain->ranking, explain->ranked_cap * sizeof(*explain->ranking));
        assert(explain->ranking != NULL);
    }
    explain->ranking[explain->ranked++] = *row;
}

/* Entry, the stage after the book, and release, with the positions of that moment. */
static void take_unit(struct explain *explain, uint64_t seq, const struct unit_stage *unit)
{
    char text[3][64];

    explain->found = true;
    explain->unit = *unit;
    (void)printf("  %-12s command %lu, account %lu, %s: equity %s, maintenance %s, wallet %s\n",
                 unit->stage == STAGE_HEALTHY ? "over"
                 : unit->stage == STAGE_BOOK  ? "begins"
                                              : "goes on",
                 (unsigned long)seq, (unsigned long)unit->account_id, unit->symbol_id == 0 ? "cross" : "isolated",
                 money(explain, unit->equity, text[0]), money(explain, unit->maintenance, text[1]),
                 money(explain, unit->wallet, text[2]));
}

static void take_position(const struct explain *explain, const struct unit_position *position)
{
    const struct symbol *symbol = symbol_of(explain, position->symbol_id);
    char                 text[3][64];

    (void)printf("    position     %.*s %s at mark %s, liquidation price %s\n", (int)symbol->name.len, symbol->name.at,
                 receipts_units(position->size, symbol->quantity_precision, text[0]),
                 receipts_units(position->mark, symbol->price_precision, text[1]),
                 receipts_units(position->liquidation_price, symbol->price_precision, text[2]));
}

/* The last event of a symbol holds until it changes, so its mark is that of the TICK before the next event. */
static void take_composition(struct explain *explain, const struct index_composed *made)
{
    struct index_composed *last = &explain->made[made->symbol_id - 1];

    if (last->time_ms != made->time_ms) explain->mark_before[made->symbol_id - 1] = last->mark;
    *last = *made;
}

/* Prices have moved: their previous values are those after the earlier commands. */
static void keep_before(struct explain *explain, const struct engine *engine)
{
    bool known = explain->price_step != 0 && engine->price_step == explain->price_step + 1;

    for (uint32_t i = 0; i < engine->perps_count; i++)
        explain->before[i] = (struct explain_before){
            .known = known,
            .basis = explain->left[i].basis,
            .mid = inputs_means(engine, &engine_perps(engine)[i]).mid,
            .funding_rate = explain->left[i].funding_rate,
            .to_funding_ms = max_i64(0, (explain->left[i].funding_hour + 1) * FUNDING_HOUR_MS - engine->priced_ms),
        };
    explain->price_step = engine->price_step;
}

static void follow_prices(struct explain *explain, const struct engine *engine)
{
    if (engine->price_step != explain->price_step) keep_before(explain, engine);
    for (uint32_t i = 0; i < engine->perps_count; i++) {
        const struct perps_market *perps = &engine_perps(engine)[i];

        explain->left[i].basis = perps->basis;
        explain->left[i].funding_rate = perps->funding_rate;
        explain->left[i].funding_hour = perps->funding_hour;
    }
}

static bool explain_event(void *self, const struct engine *engine, const struct command *command,
                          const struct event *event)
{
    struct explain *explain = self;
    const void     *at = event;

    explain->engine = engine;
    if (event->kind == EVENT_COMMAND_BEGAN) follow_prices(explain, engine);
    if (event->kind == EVENT_ADL_RANKED && explain->receipt.receipt_id == ((const struct adl_ranked *)at)->receipt_id) {
        if (explain->receipt.receipt_id != 0) take_row(explain, at);
        return true;
    }
    end_ranking(explain);
    if (event->kind == EVENT_COMMAND_BEGAN) explain->fills = 0;
    if (event->kind == EVENT_INDEX_COMPOSED) take_composition(explain, at);
    if (event->kind == EVENT_FILL && event->market == MARKET_PERPS && explain->fills < FILLS_MAX)
        explain->fill[explain->fills++] = *(const struct filled *)at;
    if (event->kind == EVENT_UNIT && ((const struct unit_stage *)at)->liquidation_id == explain->id)
        take_unit(explain, command->seq, at);
    if (event->kind == EVENT_UNIT_POSITION && ((const struct unit_position *)at)->liquidation_id == explain->id)
        take_position(explain, at);
    if (event->kind != EVENT_LIQUIDATION) return true;
    if (((const struct liquidated *)at)->liquidation_id == explain->id) take_receipt(explain, command->seq, at);
    explain->fills = 0;
    return true;
}

static int explain_all(struct replay *replay, struct explain *explain)
{
    int code = receipts_replay(replay, explain->genesis, explain_event, explain);

    if (code != EXIT_FINE) return code;
    end_ranking(explain);
    if (!explain->found)
        return complain(EXIT_GENERAL, "%s: there is no liquidation %lu in this log", replay->path,
                        (unsigned long)explain->id);
    if (explain->check.wrong != 0)
        return complain(EXIT_DAMAGE, "liquidation %lu: %u numbers differ from the rules", (unsigned long)explain->id,
                        explain->check.wrong);
    (void)printf("  agrees       all %u numbers of the %u receipts follow the rules\n", explain->check.compared,
                 explain->receipts);
    return EXIT_FINE;
}

static int explain_liquidation(const char *path, uint64_t id)
{
    const struct log_settings options = { .file_bytes = 8 << 20,
                                          .read_only = true }; /* the size is that of a log to be made */
    struct genesis           *genesis = calloc(1, sizeof(*genesis));
    struct explain           *explain = calloc(1, sizeof(*explain));
    struct replay             replay;
    int                       code;

    assert(genesis != NULL && explain != NULL);
    explain->genesis = genesis;
    explain->id = id;
    code = replay_open(&replay, path, DISK_READ, &options, NULL);
    if (code == EXIT_FINE) code = replay_genesis(&replay, genesis);
    if (code == EXIT_FINE && genesis->development != 0) code = replay_find_branches(&replay);
    if (code == EXIT_FINE) code = explain_all(&replay, explain);
    replay_close(&replay);
    free(explain->ranking);
    free(explain);
    free(genesis);
    return code;
}

int command_explain_liquidation(int argc, char **argv)
{
    const struct arguments arguments = {
        "explain-liquidation",
        "DIR ID",
        "Replays a data folder that is not in use, writes nothing, and prints how a liquidation was decided.",
        NULL,
        0,
        NULL
    };
    int      operand, code;
    char    *end;
    uint64_t id;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    if (argc - operand != 2)
        return complain(EXIT_USAGE, "explain-liquidation: name the data folder and the number of the liquidation");
    id = strtoull(argv[operand + 1], &end, 10);
    if (argv[operand + 1][0] < '1' || argv[operand + 1][0] > '9' || *end != '\0')
        return complain(EXIT_USAGE, "explain-liquidation: %s is no number of a liquidation", argv[operand + 1]);
    log_init(false);
    return explain_liquidation(argv[operand], id);
}
