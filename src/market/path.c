/* SPDX-License-Identifier: MIT */
#include "market/path.h"

int64_t path_deviation(uint32_t index)
{
    static const int64_t deviations[] = { 67000, 92000, 133000 };

    return deviations[min_u32(index, ARRAY_COUNT(deviations) - 1)];
}

int64_t path_jump(uint64_t bits, uint32_t index)
{
    int64_t most = draw_power(bits >> 1, 12 * 1024) * (index < 2 ? 1500 : 2500) / 1024 * 1000; /* 0.15 % or 0.25 % */

    return (bits & 1) != 0 ? most : -most;
}

int64_t path_next(int64_t price, int64_t tick, int64_t one_return, uint64_t bits)
{
    int128_t exact = (int128_t)price * (PATH_RATE + one_return);
    int128_t grain = (int128_t)tick * PATH_RATE;
    int64_t  next = (int64_t)((exact + (int128_t)draw_below(bits, (uint64_t)tick * (uint64_t)PATH_RATE)) / grain);

    return max_i64(1, next) * tick;
}
