/* SPDX-License-Identifier: MIT */
/* layout.h — where the parts of the engine lie and how much memory they are. */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H

#include "core/state.h"

/* Sets table sizes, stride, offsets and bytes from e->limits and e->coin_count. */
void layout_set(struct engine *e);

#endif
