/* SPDX-License-Identifier: MIT */
/* refusal.h — connections beyond the caps. */
#ifndef APP_REFUSAL_H
#define APP_REFUSAL_H

#include "base/slice.h"

/* What a client beyond the caps is told before its connection is closed; counts it. The text is the calling thread's
 * own. */
struct slice refusal(void);

/* How many have been told so by this process. */
uint64_t refusal_count(void);

#endif
