/* SPDX-License-Identifier: MIT */
/* reads.h — what a GET would be answered from, against what the twin has. */
#ifndef TWIN_READS_H
#define TWIN_READS_H

#include "views/views.h"
#include "twin.h"

/* Balances, open orders, depth, newest trades, positions, fee tiers, keys and
   prices of all accounts and symbols; NULL or the first difference. */
const char *reads_compare(struct twin *twin, const struct views *views);

#endif
