/* SPDX-License-Identifier: MIT */
/* refuse.h — refusal of an item: the reject in its RESULT, with the value sent and the value required. */
#ifndef CORE_STATE_REFUSE_H
#define CORE_STATE_REFUSE_H

#include "core/state/state.h"
#include "model/payload.h"
#include "rules/hints.h"

/* Writes the refusal into the item's RESULT and returns false. */
COLD bool refuse(struct result *result, enum reject reject, struct decimal got, struct decimal need);

/* The same when there is no number to show, when only a number came (any of 64 bits), and when a client id came. */
COLD bool refuse_plainly(struct result *result, enum reject reject);
COLD bool refuse_field(struct result *result, enum reject reject, enum item_field field);
COLD bool refuse_number(struct result *result, enum reject reject, enum item_field field, uint64_t got);
COLD bool refuse_id(struct result *result, enum reject reject, enum item_field field, const struct client_id *got);

/* The rules of the payload alone (model/payload.h): false with the broken rule. */
static inline bool pass_payload(enum reject broken, struct result *result)
{
    result->reject = (uint16_t)broken;
    return __builtin_expect(broken == REJECT_NONE, 1);
}

/* Whether hints say that the item keeps the rules of its payload and its symbol (rules/hints.h). */
static inline bool is_hinted(const struct apply_context *ctx) { return ctx->hint != NULL && ctx->hint->passes; }

/* Units of a coin as a RESULT shows them; more than INT64_MAX is shown as that. */
struct decimal coin_amount(const struct engine *e, uint32_t coin_id, int128_t amount);

#endif
