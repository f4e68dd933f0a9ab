/* SPDX-License-Identifier: MIT */
/*
 * perps_plain.h — the order that most are, in one piece of code: a limit order that can open, of an account with one
 * row. What perps_check.h asks with a refusal for each answer is asked here by tests that suffice.
 */
#ifndef CORE_PERPS_PERPS_PLAIN_H
#define CORE_PERPS_PERPS_PLAIN_H

#include "core/state/lone.h"

/*
 * Places an item of a batch that hints vouch for: it takes, rests or ends, as perps_place says. False: it is not such
 * an order, or it is not proved that every check lets it pass; then nothing has changed.
 */
bool perps_place_plain(struct apply_context *ctx, uint32_t slot, const struct perps_order *item, struct result *result);

/*
 * The same for an item that is all of its command, where it comes to rest at once; tells all of the command. False: it
 * is none such, and nothing has changed.
 */
bool perps_place_alone(struct engine *e, const struct lone *lone, const struct perps_order *item,
                       struct events *events);

#endif
