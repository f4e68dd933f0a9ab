/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include "rigs/core/perps_covered.h"
#include "core/account/ledger.h"
#include "gateway/engine_messages.h"

#include <stdarg.h>

static bool wrong(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct judge *judge, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (judge->wrong[0] == '\0') (void)vsnprintf(judge->wrong, sizeof(judge->wrong), format, arguments);
    va_end(arguments);
    return false;
}

static uint32_t slot_of(uint64_t account_id)
{
    return account_id >= ACCOUNT_FIRST ? (uint32_t)(account_id - ACCOUNT_FIRST) + SLOT_USERS
         : account_id == ACCOUNT_FUND  ? SLOT_FUND
                                       : SLOT_FEES;
}

static struct known_order *order_known(struct judge *judge, uint64_t id)
{
    for (uint32_t i = 0; i < judge->order_count; i++)
        if (judge->orders[i].id == id) return &judge->orders[i];
    return NULL;
}

/* ---- events ---- */

/* (21) positions in the log have no gap, time does not go back. */
static bool on_began(struct judge *judge, const struct command_began *began)
{
    if (began->seq != judge->seq + 1)
        return wrong(judge, "seq %lu follows %lu", (unsigned long)began->seq, (unsigned long)judge->seq);
    if (began->time_ms < judge->time_ms) return wrong(judge, "time goes back to %ld", (long)began->time_ms);
    judge->seq = began->seq;
    judge->time_ms = began->time_ms;
    return true;
}

/*
 * (13) executed never falls and never passes the quantity; an order with all executed is FILLED; (9) no open order is
 * empty.
 */
static bool on_order(struct judge *judge, const struct order_changed *order, const struct perps_order_changed *perps)
{
    struct known_order *known = order_known(judge, order->order_id);

    if (known == NULL) {
        if (judge->order_count == JUDGE_ORDERS) return wrong(judge, "more than %d orders", JUDGE_ORDERS);
        known = &judge->orders[judge->order_count++];
        *known = (struct known_order){ .id = order->order_id };
    }
    if (order->executed < known->executed)
        return wrong(judge, "executed of order %lu falls", (unsigned long)order->order_id);
    known->price = order->price;
    known->quantity = order->quantity;
    known->executed = order->executed;
    known->side = order->side;
    known->time_in_force = order->time_in_force;
    known->status = order->status;
    known->market = order->head.market;
    known->by_funds = order->funds != 0;
    known->reduce_only = perps != NULL && perps->reduce_only != 0;
    known->asleep = perps != NULL && perps->stop_price != 0 && perps->triggered == 0;
    if (perps != NULL && perps->stop_price != 0 && order->status == STATUS_TRIGGERED) judge->triggered += 1;
    known->received = true;
    if (order->quantity != 0 && !known->by_funds && order->executed > order->quantity)
        return wrong(judge, "order %lu executed %ld of %ld", (unsigned long)order->order_id, (long)order->executed,
                     (long)order->quantity);
    if (order->status == STATUS_FILLED && !known->by_funds && order->executed != order->quantity)
        return wrong(judge, "order %lu is FILLED with %ld of %ld", (unsigned long)order->order_id,
                     (long)order->executed, (long)order->quantity);
    if ((order->status == STATUS_NEW || order->status == STATUS_PARTIALLY_FILLED) && !known->asleep
        && order->quantity == order->executed)
        return wrong(judge, "order %lu rests with nothing left", (unsigned long)order->order_id);
    return true;
}

/* (21) trade ids rise. And no trades while the venue accepts only cancels. */
static bool on_trade(struct judge *judge, const struct traded *trade)
{
    if (trade->trade_id <= judge->trade_id)
        return wrong(judge, "trade id %lu comes again", (unsigned long)trade->trade_id);
    if (judge->mode == VENUE_CANCEL_ONLY)
        return wrong(judge, "trade %lu while only cancels go through", (unsigned long)trade->trade_id);
    judge->trade_id = trade->trade_id;
    judge->trades += 1;
    return true;
}

static bool on_fill(struct judge *judge, const struct filled *fill)
{
    uint32_t slot = slot_of(fill->account_id);
    int64_t  signed_quantity = fill->side == SIDE_BUY ? fill->quantity : -fill->quantity;

    if (judge->fill_count == JUDGE_FILLS) return wrong(judge, "more than %d fills", JUDGE_FILLS);
    /* An ADL move at a price below zero is emitted with price 0: the notional is exact (mechanics 3.12). */
    if (slot >= JUDGE_ACCOUNTS || fill->quantity <= 0 || fill->price < 0
        || (fill->price == 0 && fill->reason == REASON_NONE))
        return wrong(judge, "a fill of nothing");
    judge->fills[judge->fill_count].fill = fill;
    if (fill->head.market == MARKET_PERPS) {
        int64_t *size = &judge->sizes[slot][fill->symbol_id - 1];
        judge->fills[judge->fill_count].size_before = *size;
        *size += signed_quantity;
        judge->opened[slot] = covered_opens(*size - signed_quantity, *size) ? fill->symbol_id : 0;
        judge->vault_wallet += fill->fee;
    } else {
        judge->vault[fill->fee_coin_id] += fill->fee;
    }
    judge->fill_count += 1;
    return true;
}

/* (18) no account with its maintenance margin is liquidated. */
static bool on_unit(struct judge *judge, const struct unit_stage *unit)
{
    judge->liquidations += 1;
    if (unit->stage == STAGE_BOOK && unit->equity >= unit->maintenance)
        return wrong(judge, "account %lu is liquidated with %ld above %ld", (unsigned long)unit->account_id,
                     (long)unit->equity, (long)unit->maintenance);
    return true;
}

/* The amounts that receipts charge to the fund, by day. */
static bool on_receipt(struct judge *judge, const struct liquidated *receipt)
{
    int64_t day = receipt->time_ms / DAY_MS;

    if (judge->charged_day != day) judge->charged[0] = judge->charged[1] = 0;
    judge->charged_day = day;
    if (receipt->charge < 0)
        return wrong(judge, "receipt %lu charges the fund %ld", (unsigned long)receipt->receipt_id,
                     (long)receipt->charge);
    judge->charged[receipt->symbol_id - 1] += receipt->charge;
    return true;
}

/* (19) the fund loses no more in a UTC day than its limits, and no
   less is counted than receipts have charged (ruling 66). */
static bool on_fund(struct judge *judge, const struct fund_changed *fund)
{
    bool    today = fund->day_ms == judge->charged_day * DAY_MS;
    int64_t charged = !today               ? 0
                    : fund->symbol_id == 0 ? judge->charged[0] + judge->charged[1]
                                           : judge->charged[fund->symbol_id - 1];

    if (fund->loss > fund->loss_limit)
        return wrong(judge, "the fund has lost %ld in a day, and may lose %ld", (long)fund->loss,
                     (long)fund->loss_limit);
    if (fund->loss < charged)
        return wrong(judge, "receipts charge the fund %ld, of which it counts %ld", (long)charged, (long)fund->loss);
    return true;
}

static bool on_funding(struct judge *judge, const struct funded *funded)
{
    judge->funding[funded->symbol_id - 1] += funded->payment;
    judge->funded[funded->symbol_id - 1] += 1;
    judge->fundings += 1;
    return true;
}

static bool on_mode(struct judge *judge, const struct mode_changed *received)
{
    if (judge->mode != 0 && received->before != judge->mode)
        return wrong(judge, "the mode was %u (2: only cancels), and is told to have been %u", judge->mode,
                     received->before);
    judge->mode = received->mode;
    return true;
}

static bool listen(struct judge *judge, const struct event *event)
{
    switch (event->kind) {
    case EVENT_COMMAND_BEGAN: return on_began(judge, (const void *)event);
    case EVENT_ORDER: return on_order(judge, (const void *)event, NULL);
    case EVENT_PERPS_ORDER:
        return on_order(judge, &((const struct perps_order_changed *)(const void *)event)->base, (const void *)event);
    case EVENT_TRADE: return on_trade(judge, (const void *)event);
    case EVENT_FILL: return on_fill(judge, (const void *)event);
    case EVENT_UNIT: return on_unit(judge, (const void *)event);
    case EVENT_FUNDING: return on_funding(judge, (const void *)event);
    case EVENT_LIQUIDATION: return on_receipt(judge, (const void *)event);
    case EVENT_FUND: return on_fund(judge, (const void *)event);
    case EVENT_MODE: return on_mode(judge, (const void *)event);
    default: return true;
    }
}

/* ---- when the command is over ---- */

/* (12) the maker's price is the price, and the taker's limit
   holds; (11) GTX does not take; (16) reduce-only reduces. */
static bool check_fill(struct judge *judge, const struct known_fill *known)
{
    const struct filled      *fill = known->fill;
    const struct known_order *order = order_known(judge, fill->order_id);
    int64_t                   before = known->size_before;

    if (order == NULL) {
        if (fill->reason == REASON_NONE)
            return wrong(judge, "trade %lu fills order %lu, which nobody was told of", (unsigned long)fill->trade_id,
                         (unsigned long)fill->order_id);
        return true;
    }
    if (order->side != fill->side)
        return wrong(judge, "order %lu is filled on the other side", (unsigned long)order->id);
    if (fill->is_maker && order->price != fill->price)
        return wrong(judge, "trade %lu is not at its maker's price", (unsigned long)fill->trade_id);
    if (order->price != 0 && !fill->is_maker
        && (order->side == SIDE_BUY ? fill->price > order->price : fill->price < order->price))
        return wrong(judge, "order %lu takes beyond its limit", (unsigned long)order->id);
    if (!fill->is_maker && order->time_in_force == TIF_GTX)
        return wrong(judge, "order %lu is post-only and takes", (unsigned long)order->id);
    if (order->reduce_only
        && ((before > 0) != (fill->side == SIDE_SELL) || before == 0 || size_abs(before) < fill->quantity))
        return wrong(judge, "order %lu is reduce-only and does not reduce", (unsigned long)order->id);
    return true;
}

/* A trade has two fills, maker first, that agree about everything but the side. */
static bool check_pairs(struct judge *judge)
{
    for (uint32_t i = 0; i < judge->fill_count; i += 2) {
        const struct filled *maker = judge->fills[i].fill,
                            *taker = i + 1 < judge->fill_count ? judge->fills[i + 1].fill : NULL;

        if (taker == NULL || taker->trade_id != maker->trade_id || taker->side == maker->side
            || taker->quantity != maker->quantity || taker->price != maker->price
            || taker->symbol_id != maker->symbol_id || (maker->reason == 0 && !maker->is_maker) || taker->is_maker)
            return wrong(judge, "the two fills of trade %lu do not agree", (unsigned long)maker->trade_id);
    }
    return true;
}

/*
 * (13) an order's increase of executed is the sum of its fills; (11) IOC does not rest. Then the ended orders are
 * removed.
 */
static bool check_orders(struct judge *judge)
{
    for (uint32_t i = 0; i < judge->fill_count; i++) {
        struct known_order *order = order_known(judge, judge->fills[i].fill->order_id);
        if (order != NULL) order->filled += judge->fills[i].fill->quantity;
    }
    for (uint32_t i = 0; i < judge->order_count;) {
        struct known_order *order = &judge->orders[i];

        if (order->executed - order->was_executed != order->filled)
            return wrong(judge, "order %lu executed %ld more and its fills are %ld", (unsigned long)order->id,
                         (long)(order->executed - order->was_executed), (long)order->filled);
        if ((order->status == STATUS_NEW || order->status == STATUS_PARTIALLY_FILLED) && order->time_in_force == TIF_IOC
            && !order->asleep)
            return wrong(judge, "order %lu is IOC and rests", (unsigned long)order->id);
        order->was_executed = order->executed;
        order->filled = 0;
        order->received = false;
        if (status_is_open(order->status)) i++;
        else *order = judge->orders[--judge->order_count];
    }
    return true;
}

/* (14) the fills of perps add up to the positions; (9) the orders in the events are the open ones. */
static bool check_state(struct judge *judge, const struct fixture *f)
{
    const struct engine *e = f->engine;
    int64_t              seen[2] = { 0 };

    for (uint32_t slot = 0; slot < e->account_end; slot++)
        for (uint32_t i = 0; i < e->perps_count; i++) {
            const struct position *position = position_find(e, slot, (uint8_t)(PERPS_FIRST + i));
            int64_t                size = position == NULL ? 0 : position->exposure.size;

            if (size != judge->sizes[slot][i])
                return wrong(judge, "the position of slot %u is %ld, its fills say %ld", slot, (long)size,
                             (long)judge->sizes[slot][i]);
            seen[i] += size;
        }
    if (e->perps_count != 0 && (seen[0] != 0 || seen[1] != 0)) return wrong(judge, "positions do not sum to zero");
    if (engine_counts(e).open_orders != judge->order_count)
        return wrong(judge, "%lu orders are open, %u were told", (unsigned long)engine_counts(e).open_orders,
                     judge->order_count);
    return true;
}

/* (17) an account whose last fill opened has the margin for it at the worst prices (ruling 65). */
static bool check_openings(struct judge *judge, const struct fixture *f)
{
    for (uint32_t slot = SLOT_USERS; slot < JUDGE_ACCOUNTS; slot++)
        if (judge->opened[slot] != 0 && !covered_account(f->engine, slot, judge->opened[slot]))
            return wrong(judge, "slot %u opened in symbol %u without the margin for it", slot, judge->opened[slot]);
    memset(judge->opened, 0, sizeof(judge->opened));
    return true;
}

/*
 * (5) the vault has exactly the amount that the fills paid; (15) funding takes no less than it pays, and keeps less
 * than a unit per account.
 */
static bool check_money(struct judge *judge, const struct fixture *f)
{
    for (uint32_t coin_id = 0; coin_id < f->genesis.coin_count; coin_id++)
        if (ledger_bucket(f->engine, SLOT_FEES, coin_id)->available != judge->vault[coin_id])
            return wrong(judge, "the vault has %ld of coin %u, the fills say %ld",
                         (long)ledger_bucket(f->engine, SLOT_FEES, coin_id)->available, coin_id,
                         (long)judge->vault[coin_id]);
    if (f->genesis.perps_count != 0 && ledger_wallet(f->engine, SLOT_FEES) != judge->vault_wallet)
        return wrong(judge, "the vault's wallet is %ld, the fills say %ld", (long)ledger_wallet(f->engine, SLOT_FEES),
                     (long)judge->vault_wallet);
    for (int i = 0; i < 2; i++) {
        if (judge->funding[i] < 0 || judge->funding[i] > judge->funded[i])
            return wrong(judge, "funding gives more than it takes, or keeps too much");
        judge->funding[i] = judge->funded[i] = 0;
    }
    return true;
}

/* Every item has its RESULT, in order, or the command its REFUSED. */
static bool check_results(struct judge *judge, const struct fixture *f)
{
    uint32_t results = 0, refused = 0;

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        if (event->kind == EVENT_REFUSED) refused += 1;
        if (event->kind == EVENT_RESULT && ((const struct result *)(const void *)event)->index != results++)
            return wrong(judge, "results are out of order");
    }
    if (f->room.head.kind == CMD_TICK) return results + refused == 0 || wrong(judge, "a TICK has a result");
    if (refused != 0) return (refused == 1 && results == 0) || wrong(judge, "refused, and more");
    return results == command_items(&f->room.head)
        || wrong(judge, "%u results for %u items", results, command_items(&f->room.head));
}

/* The raise of a command, if it was one and succeeded; 0: none. */
static uint8_t pool_raised(const struct fixture *f)
{
    const struct result *result = event_at(f, EVENT_RESULT, 0);

    return f->room.head.kind == CMD_RAISE_LIMIT && result != NULL && result->reject == REJECT_NONE
             ? f->room.raise_limit.pool
             : 0;
}

/* (23) a limit changes only by the command that raises it, to its value, and never falls (ruling 75). */
static bool check_limits(struct judge *judge, const struct fixture *f)
{
    const struct limits *now = engine_limits(f->engine);
    uint8_t              raised = pool_raised(f);

    for (uint8_t pool = POOL_ACCOUNTS; pool < LIMITS; pool++) {
        uint32_t before = limits_get(&judge->limits, pool), places = limits_get(now, pool);

        if (judge->limits.accounts != 0 && pool != raised && places != before)
            return wrong(judge, "pool %u has %u places instead of %u, and nobody raised it", pool, places, before);
        if (pool == raised && (places != f->room.raise_limit.places || places < before))
            return wrong(judge, "pool %u has %u places, had %u, and %u were said", pool, places, before,
                         f->room.raise_limit.places);
    }
    judge->limits = *now;
    return true;
}

/* The events agree with earlier ones: makers were known, every open order had been emitted. */
bool judge_command(struct judge *judge, const struct fixture *f)
{
    judge->fill_count = 0;
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event))
        if (!listen(judge, event)) return false;
    for (uint32_t i = 0; i < judge->fill_count; i++)
        if (!check_fill(judge, &judge->fills[i])) return false;
    return check_pairs(judge) && check_orders(judge) && check_state(judge, f) && check_openings(judge, f)
        && check_money(judge, f) && check_results(judge, f) && check_limits(judge, f);
}
