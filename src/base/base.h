/* SPDX-License-Identifier: MIT */
/*
 * base.h — definitions for every file: sized integers, the always-on assert, array sizes.
 *
 * assert() is never compiled out: no build defines NDEBUG, and this header refuses one that does. A failed assert
 * means a bug of ours; bad input and failures of the machine have other mechanisms
 * (docs/ARCHITECTURE.md, Failure).
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#ifdef NDEBUG
#error "dojima is built with its assertions on"
#endif

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __int128          int128_t;
typedef unsigned __int128 uint128_t;

#define MUST_USE     __attribute__((warn_unused_result))
#define MAYBE_UNUSED __attribute__((unused)) /* in a header: not every file calls it */
#ifndef ALWAYS_INLINE                        /* a coverage build counts each branch once */
#define ALWAYS_INLINE                                                                                                  \
    inline __attribute__((always_inline)) /* for functions that become small once their arguments are constants */
#endif
#define COLD     __attribute__((cold, noinline)) /* rarely called: kept out of the caller's code */
#define NOINLINE __attribute__((noinline))       /* called on slow paths only: not inlined into fast ones */
#define UNTOUCHED                                                                                                      \
    __attribute__((uninitialized)) /* a large local that a function fills before it reads it: not zeroed first */
#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Prefetches a cache line that will be needed soon; any address is allowed. Without the empty asm gcc takes the
 * function for one without effect and drops its calls. FETCH_READS: a read in its place, of addresses that exist, for
 * valgrind, whose model of a cache knows no prefetch (benches/lines.py); the write keeps the read.
 */
#ifdef FETCH_READS
static volatile char fetched MAYBE_UNUSED;
#define FETCH(at) ((void)(fetched = *(const volatile char *)(at)))
#else
#define FETCH(at)                                                                                                      \
    do {                                                                                                               \
        __builtin_prefetch(at);                                                                                        \
        __asm__ volatile("");                                                                                          \
    } while (0)
#endif

/* The same for a record of several lines of 64 bytes, which begins with one. */
static inline void fetch_lines(const void *at, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64) FETCH((const uint8_t *)at + line);
}

/*
 * Holds an address in a register. Without it gcc often computes the address of a record again, index times size, for
 * each member that is used.
 */
#define HOLD(address) __asm__("" : "+r"(address))

static inline int64_t  min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t  max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
#define SECOND_MS INT64_C(1000)
#define DAY_MS    INT64_C(86400000)

static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline size_t   min_size(size_t a, size_t b) { return a < b ? a : b; }

/* The smallest multiple of `step` (a power of two) that is at least `n`. */
static inline size_t align_up(size_t n, size_t step) { return (n + step - 1) & ~(step - 1); }

/* The smallest power of two that is at least `n` (and at least 1). */
static inline uint64_t power_of_two_above(uint64_t n)
{
    uint64_t power = 1;
    while (power < n) power <<= 1;
    return power;
}

#endif
