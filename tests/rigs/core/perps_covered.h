/* SPDX-License-Identifier: MIT */
/*
 * perps_covered.h — after a fill that opens or increases a position, its margin account has initial margin at the
 * worst prices (ruling 65), computed from the rows, the wallet and the open orders alone, with its own divisions. For
 * tests; header only.
 *
 * Cross: wallet + U - sum posIM - R >= 0. Isolated: b + min(u, 0) >= IM, and the rest of the cross account satisfies
 * the same. R is the reserve of orders on isolated symbols (mechanics 3.3).
 */
#ifndef RIGS_CORE_PERPS_COVERED_H
#define RIGS_CORE_PERPS_COVERED_H

#include "rigs/core/perps_needs.h"

#define COVERED_ACCOUNTS 64
#define COVERED_SYMBOLS  4

/* floor(price * quantity * 10^power), of amounts that are not negative. */
static inline int128_t covered_value(int64_t price, int64_t quantity, int power)
{
    int128_t product = (int128_t)price * quantity;

    for (; power > 0; power--) product *= 10;
    for (; power < 0; power++) product /= 10; /* floor of a floor is the floor */
    return product;
}

/* The lowest of mark, index and held median for a long, the highest for a short (ruling 63). */
static inline int64_t covered_worst(const struct perps_market *perps, int64_t size)
{
    const int64_t prices[] = { perps->mark, perps->index, perps->held_price };
    int64_t       worst = prices[0];

    for (size_t i = 1; i < ARRAY_COUNT(prices); i++)
        if (prices[i] != 0 && (size > 0 ? prices[i] < worst : prices[i] > worst)) worst = prices[i];
    return worst;
}

static inline int128_t covered_profit(const struct engine *e, const struct position *position)
{
    int64_t  size = position->exposure.size, worst = covered_worst(perps_at(e, position->market), size);
    int128_t value = covered_value(worst, size < 0 ? -size : size, market_at(e, position->market)->power);

    return (size < 0 ? -value : value) - position->exposure.cost;
}

/* Of an isolated long in profit the margin of its cost: the profit's part needs none. */
static inline int128_t covered_initial(const struct engine *e, const struct position *position)
{
    int64_t  size = position->exposure.size;
    int128_t value = covered_value(perps_at(e, position->market)->mark, size < 0 ? -size : size,
                                   market_at(e, position->market)->power);

    if (position_is_isolated(position) && size > 0 && position->exposure.cost < value) value = position->exposure.cost;
    return (value + position->leverage - 1) / position->leverage;
}

static inline int128_t covered_reserve(const struct engine *e, const struct position *position)
{
    int128_t bucket = position->exposure.bucket > 0 ? position->exposure.bucket : 0;
    int128_t required = margin_required(position->exposure.size, bucket, needs_of_side(e, position, SIDE_BUY),
                                        needs_of_side(e, position, SIDE_SELL));

    return required > bucket ? required - bucket : 0;
}

/* The excess of an account's cross unit over the margin of its positions and R. */
static inline int128_t covered_left(const struct engine *e, uint32_t slot)
{
    int128_t left = engine_margins(e)[slot].wallet;

    for (uint32_t ix = engine_margins(e)[slot].positions; ix != 0; ix = position_at(e, ix)->next) {
        const struct position *position = position_at(e, ix);

        if (position_is_isolated(position)) left -= covered_reserve(e, position);
        else if (position->exposure.size != 0) left += covered_profit(e, position) - covered_initial(e, position);
    }
    return left;
}

/* Whether the units that a fill of `symbol_id` opened in have their margin. */
static inline bool covered_account(const struct engine *e, uint32_t slot, uint32_t symbol_id)
{
    const struct position *position = position_find(e, slot, (uint8_t)(PERPS_FIRST + symbol_id - 1));

    if (covered_left(e, slot) < 0) return false;
    if (position == NULL || !position_is_isolated(position)) return true;
    return position->exposure.bucket + margin_min(covered_profit(e, position), 0) >= covered_initial(e, position);
}

/* Whether a fill opens or adds: the size grows, or its sign turns. */
static inline bool covered_opens(int64_t before, int64_t after)
{
    return after != 0 && ((before > 0) != (after > 0) || size_abs(after) > size_abs(before));
}

struct covered_sizes {
    int64_t of[COVERED_ACCOUNTS][COVERED_SYMBOLS];
};

/* Everybody's positions before a command. */
static inline void covered_note(const struct fixture *f, struct covered_sizes *sizes)
{
    *sizes = (struct covered_sizes){ 0 };
    assert(f->engine->account_end <= COVERED_ACCOUNTS && f->engine->perps_count <= COVERED_SYMBOLS);
    for (uint32_t ix = 1; ix < f->engine->position_end; ix++) {
        const struct position *position = position_at(f->engine, ix);
        if (position->exposure.size != 0)
            sizes->of[position->account][position->market - PERPS_FIRST] = position->exposure.size;
    }
}

/*
 * Whether every account whose last fill in the command opened or increased a position has its margin; the fund needs
 * none. An account that also closed later in the command may pay more than its margin for that, so it is left out.
 * *opened counts the accounts checked; it may be NULL.
 */
static inline bool covered_hold(const struct fixture *f, struct covered_sizes *sizes, uint32_t *opened)
{
    uint32_t last[COVERED_ACCOUNTS] = { 0 };

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct filled *fill = (const void *)event;
        int64_t             *size, before;
        uint32_t             slot;

        if (event->kind != EVENT_FILL || event->market != MARKET_PERPS || fill->account_id < ACCOUNT_FIRST) continue;
        slot = (uint32_t)(fill->account_id - ACCOUNT_FIRST) + SLOT_USERS;
        size = &sizes->of[slot][fill->symbol_id - 1];
        before = *size;
        *size += fill->side == SIDE_BUY ? fill->quantity : -fill->quantity;
        last[slot] = covered_opens(before, *size) ? fill->symbol_id : 0;
    }
    for (uint32_t slot = SLOT_USERS; slot < COVERED_ACCOUNTS; slot++) {
        if (last[slot] == 0) continue;
        if (opened != NULL) *opened += 1;
        if (!covered_account(f->engine, slot, last[slot])) return false;
    }
    return true;
}

#endif
