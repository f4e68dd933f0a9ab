/* SPDX-License-Identifier: MIT */
/* deposit.h — money from outside, once per deposit id (mechanics 7, ruling 30). */
#ifndef CORE_DEPOSIT_H
#define CORE_DEPOSIT_H

#include "core/spot.h"

/* Credits the spot account of an address, opening user and account on first use. The same id again moves nothing. */
void deposit_apply(struct turn *turn, const struct deposit *deposit, struct result *result);

void deposit_verify(const struct engine *e);

#endif
