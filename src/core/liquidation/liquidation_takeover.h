/* SPDX-License-Identifier: MIT */
/*
 * liquidation_takeover.h — a unit that the book could not help is closed: the insurance fund takes its positions at
 * mark, or, where the fund may not, they are closed against the other side (mechanics 3.11 stages 2 and 3, 3.12).
 * Positions in suspended symbols stay, with the part of the equity that is theirs.
 */
#ifndef CORE_LIQUIDATION_LIQUIDATION_TAKEOVER_H
#define CORE_LIQUIDATION_LIQUIDATION_TAKEOVER_H

#include "core/liquidation/liquidation_unit.h"

/* The book could not help: the fund takes the positions that are not
   suspended, or the other side must (mechanics 3.11, 3.12). */
void liquidation_takeover(struct apply_context *ctx, const struct unit_entry *unit, struct health health);

#endif
