/* SPDX-License-Identifier: MIT */
/* layout.h — where the parts of the engine lie and how much memory they are. */
#ifndef CORE_STATE_LAYOUT_H
#define CORE_STATE_LAYOUT_H

#include "core/state/state.h"

/* Sets table sizes, stride, offsets and bytes from e->limits and e->coin_count. */
void layout_set(struct engine *e);

/* Bytes of events that liquidating one unit may take; a TICK begins no other one with less room than that. */
size_t layout_unit_events(const struct limits *limits, uint32_t open_orders);

/* Whether there is that room. */
bool layout_has_room(const struct apply_context *ctx);

#endif
