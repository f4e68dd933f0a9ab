/* SPDX-License-Identifier: MIT */
/* account_open.h — a user begins: its primary account, its fee tiers, and the end of a key that was its address. */
#ifndef CORE_ACCOUNT_ACCOUNT_OPEN_H
#define CORE_ACCOUNT_ACCOUNT_OPEN_H

#include "core/state/state.h"

/* Opens the user and primary account of an address that has none; appends ACCOUNT and FEE_TIER. 0 when the pool is
 * full. */
uint32_t account_open(struct engine *e, struct events *events, const struct address *owner);

#endif
