/* SPDX-License-Identifier: MIT */
/*
 * perps_order.h — orders of the perps side: accept, work, rest, cancel (service 4.6). Checks before acceptance are in
 * perps_check.h, groups in bracket_place.h, changes in perps_replace.h.
 */
#ifndef CORE_PERPS_PERPS_ORDER_H
#define CORE_PERPS_PERPS_ORDER_H

#include "core/perps/perps_check.h"
#include "core/perps/perps_take.h"
#include "core/state/lone.h"

/* DELETE /trade/orders. */
void perps_cancel(struct apply_context *ctx, uint32_t slot, const struct perps_cancel *item, struct result *result);

/* The same for an item that is all of its command, of an order that rests and can open (spot_cancel_alone). */
bool perps_cancel_alone(struct engine *e, const struct lone *lone, const struct perps_cancel *item,
                        struct events *events);

/* The account's row in the market: the one that was found, or the one that there is meanwhile. */
static inline struct position *perps_row_of(struct engine *e, uint32_t slot, const struct perps_check *check)
{
    return check->position != &check->fresh ? check->position : position_make(e, slot, check->market->number);
}

/* The order in a slot of its own, findable, counted; not in the book and not armed yet. All checks are behind it. */
uint32_t perps_accept(struct engine *e, uint32_t slot, const struct perps_check *check, uint8_t status);

/*
 * The same by a draft of an order that can open, with its account and the row it is for; its index is `*ix` then.
 * `place`: as order_add has it.
 */
struct perps_key {
    const struct client_id *client_id;
    uint32_t                key, place;
};
struct order *perps_accept_draft(struct engine *e, struct account *account, struct position *position,
                                 const struct draft *draft, const struct perps_key *key, uint8_t status, uint32_t *ix);

/* Keeps a post-only order that would cross as an order that has ended, and says so in *result (ruling 12). */
void perps_expire_crossing(struct apply_context *ctx, uint32_t slot, const struct perps_check *check,
                           struct result *result);

/* Makes the accepted order a TP/SL order. */
void perps_accept_stop(struct engine *e, uint32_t ix, const struct perps_check *check);

/* The accepted order comes to rest in the book. `need`: what it needs, where that is known (position_order_rests). */
void perps_rest(struct apply_context *ctx, struct market *market, struct position *position, uint32_t ix,
                int128_t need);

/* Lets an accepted order in its slot take what it can, then rest, end, or (a stop-market) be tried again. `cover`:
 * of its admission, NULL = not known. */
void perps_work(struct apply_context *ctx, uint32_t ix, uint8_t type, int64_t funds, const struct cover *cover);
/* The same for a caller that recorded the account's need before (a replacement). */
struct post_trade;
void perps_work_noted(struct apply_context *ctx, uint32_t ix, uint8_t type, int64_t funds,
                      const struct post_trade *post_trade);

/* Writes the order's id and its status, or end, into the RESULT. */
void perps_report(const struct engine *e, uint64_t id, uint32_t ix, uint8_t ended, struct result *result);

/* The account's open perps order with the id, or with the client id or alias; 0 = none, with the reject in *result. */
uint32_t perps_find_target(const struct engine *e, uint32_t slot, uint64_t order_id, const struct client_id *client_id);
bool     perps_refuse_missing(uint64_t order_id, const struct client_id *client_id, struct result *result);

/* The checks a standalone stop goes through when it fires (mechanics 4.5); REJECT_NONE = it may work. */
enum reject perps_may_open(struct engine *e, uint32_t ix, uint8_t type);

#endif
