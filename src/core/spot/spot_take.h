/* SPDX-License-Identifier: MIT */
/* spot_take.h — the trades of a spot order: they move the agreed amounts out of holds; that cannot fail, it asserts. */
#ifndef CORE_SPOT_SPOT_TAKE_H
#define CORE_SPOT_SPOT_TAKE_H

#include "core/book/match.h"

/* Lets the taker trade as far as it can; emits its fills, makers and levels. Returns why it stopped. */
enum match_stop spot_take(struct apply_context *ctx, struct market *market, struct taker *taker);

#endif
