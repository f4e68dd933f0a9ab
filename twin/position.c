/* SPDX-License-Identifier: MIT */
/* position.c — what a fill does to a position, its wallet and its bucket (mechanics 1.5, 3.1). */
#include "world.h"

void position_says(struct twin *twin, struct position *position)
{
    position->is.head = (struct event){ EVENT_POSITION, sizeof(position->is), MARKET_PERPS, { 0 } };
    position->is.cost_low = (int64_t)(uint64_t)position->cost;
    position->is.cost_high = (int64_t)(position->cost >> 64);
    position->is.updated_ms = twin->now_ms;
}

/* The record of a position that has become zero is closed; the setting remains. */
static void close_record(struct twin *twin, struct position *position, uint8_t reason)
{
    uint8_t  mode = position->is.margin_mode;
    uint32_t leverage = position->is.leverage, symbol_id = position->is.symbol_id;
    uint64_t account_id = position->is.account_id;

    position->is.reason = reason;
    if (reason != REASON_USER && reason != REASON_FLIP && (twin->bug != TWIN_BUG_NO_INCIDENT || reason != REASON_ADL))
        position->is.liquidation_id = twin->incident;
    position_says(twin, position);
    assert(twin->closed_count < CLOSED_ROOM);
    twin->closed[twin->closed_count++] = position->is;
    memset(position, 0, sizeof(*position));
    position->is.margin_mode = mode;
    position->is.leverage = leverage;
    position->is.symbol_id = symbol_id;
    position->is.account_id = account_id;
}

/* The part of a fill that closes: realised result and released bucket go to the
   wallet. Its fee is at most what the unit has left (mechanics 3.4); returned. */
static int64_t leg_close(struct twin *twin, struct account *account, struct position *position, int64_t x,
                         int64_t value, int64_t fee, uint8_t reason)
{
    bool     is_long = position->is.size > 0;
    int64_t  size = is_long ? position->is.size : -position->is.size;
    int128_t whole_cost = is_long ? position->cost : -position->cost;
    int128_t cost = x == size                       ? whole_cost
                  : twin->bug == TWIN_BUG_COST_CEIL ? divide_ceil(whole_cost * x, size)
                                                    : divide_floor(whole_cost * x, size);
    int64_t  result = (int64_t)(is_long ? value - cost : cost - value), released = 0, force_fee = 0;
    bool     isolated = position->is.margin_mode == MARGIN_ISOLATED;
    int128_t left;

    if (position->is.margin_mode == MARGIN_ISOLATED)
        released = x == size ? position->is.bucket : (int64_t)divide_floor((int128_t)position->is.bucket * x, size);
    position->cost -= is_long ? cost : -cost;
    position->is.size -= is_long ? x : -x;
    position->is.bucket -= released;
    account->wallet += result + released;
    left = isolated ? (int128_t)result + released : cross_equity(twin, account, AT_MARK);
    if (fee > 0 && fee > left) fee = left < 0 ? 0 : (int64_t)left;
    if (twin->force && reason == REASON_LIQUIDATION
        && account->id != ACCOUNT_FUND) { /* liqFeeRate: after the ordinary fee, to the fund (mechanics 3.11) */
        force_fee = (int64_t)divide_ceil((int128_t)value * twin->genesis.rules.liquidation_fee, 100000000);
        if (force_fee > left - fee) force_fee = left - fee < 0 ? 0 : (int64_t)(left - fee);
        twin->force_fee = force_fee;
        account_by_id(twin, ACCOUNT_FUND)->wallet += force_fee;
    }
    account->wallet -= fee + force_fee;
    if (isolated && position->is.size != 0
        && (reason == REASON_LIQUIDATION
            || result + released < 0)) { /* a forced sale stays in its unit, a loss never reaches W (mechanics 3.5) */
        account->wallet -= result + released - fee - force_fee;
        position->is.bucket += result + released - fee - force_fee;
    }
    position->is.closed_size += x;
    position->is.close_value += value;
    position->is.fees += fee + force_fee;
    position->is.realized += result - fee - force_fee;
    position_says(twin, position);
    if (position->is.size == 0) close_record(twin, position, reason);
    return fee;
}

/* The part that opens; a position from zero gets a new number (mechanics 3.1). */
static int64_t leg_open(struct twin *twin, struct account *account, struct position *position, uint8_t side, int64_t x,
                        int64_t value, int64_t fee, bool flip)
{
    int64_t size;

    if (position->is.size == 0) {
        position->is.position_id = ++twin->next_position;
        position->is.created_ms = twin->now_ms;
    }
    position->is.size += side == SIDE_BUY ? x : -x;
    position->cost += side == SIDE_BUY ? value : -value;
    if (position->is.margin_mode == MARGIN_ISOLATED) {
        const struct symbol *symbol = symbol_by_id(twin, MARKET_PERPS, position->is.symbol_id);
        int128_t             at_worst =
                     n_exact(symbol, &twin->genesis, worst_at(twin, symbol, side == SIDE_BUY), x, side == SIDE_SELL),
                 of = value, loss;
        int64_t margin;

        loss = side == SIDE_BUY ? value - at_worst
                                : at_worst - value; /* the reserve of mechanics 3.4 moves along (ruling 65) */
        if (side == SIDE_SELL && loss > 0) of = at_worst;
        margin = (int64_t)((twin->bug == TWIN_BUG_MARGIN_FLOOR ? divide_floor(of, position->is.leverage)
                                                               : divide_ceil(of, position->is.leverage))
                           + (loss > 0 ? loss : 0));
        account->wallet -= margin;
        position->is.bucket += margin;
    }
    if (flip && fee > 0) { /* the rest of a closing fill's fee (mechanics 3.4) */
        int128_t left =
            position->is.margin_mode == MARGIN_ISOLATED ? account->wallet : cross_equity(twin, account, AT_MARK);
        if (fee > left) fee = left < 0 ? 0 : (int64_t)left;
    }
    account->wallet -= fee;
    size = position->is.size < 0 ? -position->is.size : position->is.size;
    if (size > position->is.max_size) position->is.max_size = size;
    position->is.open_value += value;
    position->is.fees += fee;
    position->is.realized -= fee;
    position_says(twin, position);
    return fee;
}

/* One leg of a fill at notional `value`: what closes first, then what opens; a
   flip splits notional and fee (mechanics 1.5, 3.1). Returns the fee. */
int64_t leg_fill(struct twin *twin, struct account *account, const struct symbol *symbol, uint8_t side, int64_t x,
                 int64_t value, int64_t fee, uint8_t reason)
{
    struct position *position = &account->positions[symbol->id - 1];
    int64_t          size = position->is.size, closes = 0, part = value, part_fee = fee;

    if (size > 0 && side == SIDE_SELL) closes = x < size ? x : size;
    if (size < 0 && side == SIDE_BUY) closes = x < -size ? x : -size;
    if (closes > 0 && closes < x && fee > 0
        && position->is.margin_mode
               == MARGIN_ISOLATED) { /* all of its fee at most what the wallet has after it (mechanics 3.4) */
        struct account before = *account;
        uint64_t       number = twin->next_position;
        uint32_t       closed = twin->closed_count;
        int64_t        left;

        (void)leg_fill(twin, account, symbol, side, x, value, 0, reason);
        left = account->wallet;
        *account = before;
        twin->next_position = number;
        twin->closed_count = closed;
        if (fee > left) part_fee = fee = left < 0 ? 0 : left;
    }
    if (closes > 0 && closes < x) {
        part = (int64_t)divide_floor((int128_t)value * closes, x);
        part_fee = value == 0 ? fee : (int64_t)divide_floor((int128_t)fee * part, value);
    }
    if (closes == 0) part = part_fee = 0;
    else {
        int64_t wanted = part_fee;
        part_fee = leg_close(twin, account, position, closes, part, part_fee,
                             closes < x && reason == REASON_USER ? REASON_FLIP : reason);
        fee -= wanted - part_fee;
    }
    return closes < x
             ? part_fee + leg_open(twin, account, position, side, x - closes, value - part, fee - part_fee, closes > 0)
             : fee;
}
