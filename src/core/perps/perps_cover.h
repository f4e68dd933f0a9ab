/* SPDX-License-Identifier: MIT */
/*
 * perps_cover.h — what a fill that opens leaves its unit with: whether the account covers it (rulings 63, 65), and the
 * margin of an isolated row that has grown.
 */
#ifndef CORE_PERPS_PERPS_COVER_H
#define CORE_PERPS_PERPS_COVER_H

#include "core/perps/position.h"

/*
 * Whether a fill that opens leaves its unit with initial margin, E and u at worst (rulings 63, 65): cross E - sum posIM
 * - R >= 0, isolated b + min(u, 0) >= IM, where what a long's profit adds to its notional needs none. `resting`: the
 * order of the fill while it stands in the book, NULL of a taker.
 */
bool perps_covers(struct engine *e, struct position *position, const struct order *resting,
                  const struct side_of_fill *side);

/* The same of a taker's fill without ruling 65: its isolated bucket bears what is lost to the mark at once, and of a
   cross account only what opens after something `closed` is looked at. */
bool perps_covers_without_65(struct engine *e, const struct side_of_fill *side, bool closed);

/* b + min(u, 0) and IM of an isolated row, in units, after it has
   added `quantity` (signed, on its own side) at `price`. */
struct row_margin {
    int128_t has, needs;
};
struct row_margin perps_row_margin(const struct engine *e, struct position *position, int64_t quantity, int64_t price);

#endif
