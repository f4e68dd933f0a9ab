/* SPDX-License-Identifier: MIT */
/*
 * perps_check.h — a requested perps order, and every check between request and acceptance (perps place rules 1 to 6;
 * mechanics 3.2, 3.4, 3.6, 3.7, 3.14, 4.1, 4.4). No check changes the state. Each returns true, or writes its refusal
 * into *result and returns false.
 */
#ifndef CORE_PERPS_PERPS_CHECK_H
#define CORE_PERPS_PERPS_CHECK_H

#include "core/book/filter.h"
#include "core/perps/risk_unit.h"

struct perps_check {
    struct draft              draft;
    const struct perps_order *item;
    struct market            *market;
    struct position          *position; /* the row, or `fresh`                            */
    struct position           fresh;
    int64_t                   stop_price, bound; /* bound: worst price of a market order   */
    bool                      reduces, is_stop;
    uint32_t                  key;   /* client_id_key of the client id                     */
    const struct item_hint   *hint;  /* that it keeps the rules of payload and symbol; NULL = not known */
    struct cover              cover; /* the need of this order alone today, and the remainder beside it */
};

/* A payload check that refuses without a number. */
#define PLAIN(name, holds)                                                                                             \
    if (!(holds)) return refuse_plainly(result, REJECT_##name);

/*
 * Checks of the payload and the symbol, `key` and `hint` beside; finds the account's row. *ask points into itself: it
 * must not be copied.
 */
bool perps_check_make(struct engine *e, uint32_t slot, uint64_t symbol_id, const struct perps_order *item, uint32_t key,
                      const struct item_hint *hint, struct perps_check *check, struct result *result);

/* Room that the order's whole group takes: orders, and TP/SL orders before this one. */
struct group_room {
    uint32_t orders, stops;
};

/* Filters, counts, crossing, reduce-only and stop rules, in the order of mechanics 2.1. */
bool perps_check_pass(struct engine *e, uint32_t slot, struct perps_check *check, struct group_room more,
                      struct result *result);

/* An order that can open: prices are fresh, the unit is healthy, tier, open interest and margin allow it. */
bool perps_check_pass_risk(struct engine *e, struct perps_check *check, struct result *result);

/*
 * Whether state, tier and open interest let all of an order open on a cross row, by what suffices for nearly every
 * order: live prices, the first tier, all of it new interest. False proves nothing.
 */
bool perps_check_surely_opens(const struct engine *e, const struct unit_row *row, uint8_t side, int64_t quantity);

/* Its parts that a change of an order needs too. */
bool perps_check_read_stop_price(struct perps_check *check, struct decimal price, struct result *result);
bool perps_check_pass_band(const struct engine *e, const struct perps_check *check, struct result *result);
bool perps_check_pass_state(const struct engine *e, const struct perps_check *check, struct result *result);
bool perps_check_pass_crossing(const struct engine *e, const struct perps_check *check, struct result *result);
bool perps_check_pass_tier(const struct engine *e, const struct perps_check *check, int64_t quantity,
                           struct result *result);
bool perps_check_pass_margin(struct engine *e, struct position *position, const struct extra_order *extra,
                             struct result *result);

/* Whether a limit price is within the band around the mark (perps place rule 3). */
bool perps_check_in_band(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* The outermost price on the tick within that band: the highest of a buy, the lowest of a sell; 0 where the symbol's
 * filters leave none. */
int64_t perps_check_band_price(const struct engine *e, const struct market *market, uint8_t side);

/* How much of a quantity would open, were it filled after `ahead` of the account's own on its side. */
int64_t perps_check_opening(const struct position *position, uint8_t side, int64_t ahead, int64_t quantity);

/* The worst price of a market order: the index bound, or its own price where that is stricter (perps place rule 3). */
int64_t perps_check_market_bound(const struct engine *e, const struct market *market, uint8_t side, int64_t price);

/* How many partial TP/SL orders stand on the row's position, and
   whether a global one of the kind does (mechanics 4.4). */
struct stops_there {
    uint32_t partial;
    bool     global;
};
struct stops_there perps_check_stops_there(const struct engine *e, const struct position *position, uint8_t kind);
#define PARTIAL_STOPS_MAX 10 /* per symbol, on a position (mechanics 4.4) */

#endif
