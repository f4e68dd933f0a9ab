/* SPDX-License-Identifier: MIT */
/* refusal.h — connections beyond the caps. */
#ifndef APP_REFUSAL_H
#define APP_REFUSAL_H

#include "base/slice.h"

/*
 * The answer to a client beyond the caps before its connection is closed; counts it. The text belongs to the calling
 * thread.
 */
struct slice refusal(void);

/* The number of such answers by this process. */
uint64_t refusal_count(void);

#endif
