/* SPDX-License-Identifier: MIT */
/* touch.h — faults in pages now instead of at their first write. */
#ifndef BASE_TOUCH_H
#define BASE_TOUCH_H

#include "base/base.h"

#define PAGE_BYTES ((size_t)4096)

/* Faults in the pages of memory that no other thread writes at the moment; the contents stay. */
static inline void memory_touch(void *at, size_t bytes)
{
    volatile uint8_t *byte = at;

    for (size_t i = 0; i < bytes; i += PAGE_BYTES) byte[i] = byte[i];
    if (bytes != 0) byte[bytes - 1] = byte[bytes - 1];
}

#endif
