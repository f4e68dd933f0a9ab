/* SPDX-License-Identifier: MIT */
/* adl.h — auto-deleveraging: closes a position against the other side (mechanics 3.12; E10 to E10c). */
#ifndef CORE_LIQUIDATION_ADL_H
#define CORE_LIQUIDATION_ADL_H

#include "core/perps/position.h"

/*
 * Closes the whole position at `value` in total (the notional at t, or the improved bankruptcy notional): the fund's
 * own opposite position first, then the others by groups; the rest that caps leave goes to the fund. Fills and closed
 * positions carry `reason`. Returns the number of ranked candidates; their ranking stays readable until the next call.
 */
uint32_t adl_close(struct apply_context *ctx, struct position *position, int128_t value, uint8_t reason);

/* Appends that ranking, ADL_RANKED for each, right behind the LIQUIDATION with the receipt's id. */
void adl_emit_ranking(struct apply_context *ctx, uint64_t receipt_id, uint32_t count);

/* Shown only: the value per unit of size, rounded down. */
int64_t adl_average_price(const struct market *market, int128_t value, int64_t quantity);

/*
 * The movement: a signed quantity (of the first row) for a value, the price in events, and the reason; take_over_price
 * 0 = none.
 */
struct moved {
    int64_t  quantity;
    int128_t value;
    int64_t  price, take_over_price;
    uint8_t  reason;
};
void move_at(struct apply_context *ctx, struct position *from, struct position *to, const struct moved *moved);

/* A movement of a position that no book made: both rows at one value, without fees, with its reason. */
void move_between(struct apply_context *ctx, struct position *from, struct position *to, int64_t quantity,
                  int128_t value, uint8_t reason, int64_t take_over_price);

#endif
