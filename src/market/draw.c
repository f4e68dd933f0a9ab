/* SPDX-License-Identifier: MIT */
#include "market/draw.h"

#define LN2_65536 45426 /* ln 2 in 1/65536 */

int64_t draw_normal(uint64_t bits)
{
    int64_t sum = 0;

    for (int i = 0; i < 4; i++) sum += (int64_t)(bits >> (16 * i) & 0xffff);
    return (sum - 2 * INT64_C(65535)) * 1732051 / 65536; /* the deviation of the sum is 65536 / sqrt 3 */
}

/* -log2(u) in 1/65536 of u = (bits + 1/2) / 2^64; between powers of two a straight line. */
static int64_t minus_log2(uint64_t bits)
{
    int      zeros = bits == 0 ? 63 : __builtin_clzll(bits);
    uint64_t rest = bits << zeros; /* a binary fraction from 1 to 2, its point behind the first bit */

    return (int64_t)zeros * 65536 + 65536 - (int64_t)(rest << 1 >> 48);
}

int64_t draw_exponential(uint64_t bits) { return minus_log2(bits) * LN2_65536 / 65536; }

int64_t draw_power(uint64_t bits, int64_t most)
{
    int64_t power = minus_log2(bits) * 2 / 3; /* of two, in 1/65536 */
    int64_t whole = power / 65536;

    if (whole >= 40) return most;
    return min_i64(most, (INT64_C(1024) << whole) * (65536 + power % 65536) / 65536);
}
