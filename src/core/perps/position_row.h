/* SPDX-License-Identifier: MIT */
/*
 * position_row.h — the rows of an account on perps, one per symbol it uses: the figures of a row, and the sums of its
 * open orders (mechanics 3.3 and 3.4).
 *
 * The sums are kept as if nothing closed; that is an upper bound, so the exact worst case, with its sort, is only
 * computed when the bound does not already accept.
 */
#ifndef CORE_PERPS_POSITION_ROW_H
#define CORE_PERPS_POSITION_ROW_H

#include "core/perps/perps.h"

/* The row of an account in a market, or NULL; made when it may (NULL: the pool is full). */
struct position *position_find(const struct engine *e, uint32_t slot, uint8_t market);
struct position *position_make(struct engine *e, uint32_t slot, uint8_t market);
bool             position_has_room(const struct engine *e, uint32_t slot);
uint32_t         position_index(const struct engine *e, const struct position *position);

/* Prefetches an account's first row: the part that orders change, or also the record that fills change. */
#define POSITION_FIGURES 0
#define POSITION_RECORD  offsetof(struct position, id)
static inline void position_prefetch(const struct engine *e, uint32_t slot, size_t from)
{
    const uint8_t *position = (const uint8_t *)position_at(e, engine_margins(e)[slot].positions);
    size_t         end = from == POSITION_FIGURES ? POSITION_RECORD : offsetof(struct position, liquidation);

    fetch_lines(position + from, end - from);
}

/* Frees the row when it equals that of a new account; then nothing may use it any more. */
void position_settle(struct engine *e, struct position *position);

/* Whether it does: no size, no orders, margin mode and leverage of a new account. Between commands no row does. */
bool position_says_nothing(const struct engine *e, const struct position *position);

/* An open order enters the row's sums (before 0), changes its open quantity, or leaves (after 0). */
void position_order_changed(struct engine *e, struct position *position, const struct order *order, int64_t open_before,
                            int64_t open_after);

/* The same for one that leaves, which had `open`: in the caller's code, because most cancels and fills do it. */
void position_order_leaves(struct engine *e, struct position *position, const struct order *order, int64_t open);

/*
 * The same for an order that comes to rest; `need` is the result of risk_unit_covers_most in the same command, with no
 * trade since, or below 0.
 */
void position_order_rests(struct engine *e, struct position *position, const struct order *order, int128_t need);

/* The same for one that can open, in the row's market. */
void position_order_leaves_plain(struct engine *e, const struct market *market, struct position *position,
                                 const struct order *order, int64_t open);

/* The same for one that comes to rest in the row for which risk_unit_covers_alone has just told its need. */
struct unit_row {
    const struct position       *position;
    const struct market         *market;
    const struct perps_market   *perps;
    const struct margin_account *margin;
};
void position_order_rests_plain(const struct unit_row *row, struct position *position, uint8_t side, int64_t open,
                                int128_t need);

/*
 * An order that the row's sums are asked with. `without`: the number of the order that it replaces, or 0. `funds`: of a
 * purchase by funds, in quote units, at most at `price`; `open` is the most that they buy, at `lowest`, the lowest
 * price that it can meet.
 */
struct extra_order {
    uint8_t  side;
    int64_t  price, open, funds, lowest;
    uint64_t without;
};

/* IMreq of a cross row; an isolated one's worst case with its bucket
   as position margin (mechanics 3.4). `extra` may be NULL. */
int128_t position_required(struct engine *e, struct position *position, const struct extra_order *extra);
int128_t position_required_most(struct engine *e, struct position *position, const struct extra_order *extra);

/*
 * The need of one order of a row at its price when nothing of it closes: margin, loss against the worst of its side,
 * fee.
 */
int128_t position_need_of(const struct engine *e, const struct position *position, uint8_t side, int64_t price,
                          int64_t open);

/* Notional at mark, margin of the position alone, maintenance, unrealised profit. */
int128_t position_value(const struct engine *e, const struct position *position);
int128_t position_initial(const struct engine *e, const struct position *position);
int128_t position_maintenance(const struct engine *e, const struct position *position);
int128_t position_profit(const struct engine *e, const struct position *position);

/* The unrealised profit at the worst of mark, index and held median (ruling 63). */
int128_t position_worst_profit(const struct engine *e, const struct position *position);

/* R of one isolated row whose worst case is `required` (mechanics 3.3). */
int128_t position_reserve(const struct position *position, int128_t required);

/* The kept sums are those of the orders there are. */
void position_verify_need(const struct engine *e, const struct position *position);

#endif
