/* SPDX-License-Identifier: MIT */
/*
 * heap.h — a binary heap in the caller's array of records, and the sort based on it: in place, without memory, and
 * with the same order every time as long as no two records are equal.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include "base/base.h"

/*
 * Defines NAME_sink(heap, at, count): the record at `at` sinks below those that stand above it; and
 * NAME_make(heap, count): any order becomes a heap. ABOVE(const type *a, const type *b): a stands above b.
 */
#define HEAP_DEFINE(NAME, type, ABOVE)                                                                                 \
    static void NAME##_sink(type *heap, uint32_t at, uint32_t count)                                                   \
    {                                                                                                                  \
        type moved = heap[at];                                                                                         \
                                                                                                                       \
        for (uint32_t child; (child = 2 * at + 1) < count; at = child) {                                               \
            if (child + 1 < count && ABOVE(&heap[child + 1], &heap[child])) child += 1;                                \
            if (!ABOVE(&heap[child], &moved)) break;                                                                   \
            heap[at] = heap[child];                                                                                    \
        }                                                                                                              \
        heap[at] = moved;                                                                                              \
    }                                                                                                                  \
    static void NAME##_make(type *heap, uint32_t count)                                                                \
    {                                                                                                                  \
        for (uint32_t at = count / 2; at-- > 0;) NAME##_sink(heap, at, count);                                         \
    }

/* Defines NAME_sort(records, count) as well: the record above all others comes last. */
#define HEAP_DEFINE_SORT(NAME, type, ABOVE)                                                                            \
    HEAP_DEFINE(NAME, type, ABOVE)                                                                                     \
    static void NAME##_sort(type *records, uint32_t count)                                                             \
    {                                                                                                                  \
        NAME##_make(records, count);                                                                                   \
        for (uint32_t left = count; left-- > 1;) {                                                                     \
            type last = records[left];                                                                                 \
            records[left] = records[0];                                                                                \
            records[0] = last;                                                                                         \
            NAME##_sink(records, 0, left);                                                                             \
        }                                                                                                              \
    }

#endif
