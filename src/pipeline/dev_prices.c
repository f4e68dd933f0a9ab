/* SPDX-License-Identifier: MIT */
#include "pipeline/dev_prices.h"

#include "base/fixed.h"
#include "base/mix.h"

/* Waves of noise: a value at every knot, a straight line between two. Amplitudes in 1e-8 of the reference. */
/* clang-format off */
static const struct octave { int64_t seconds, amplitude; } octaves[] = {
    { 4, 2000 }, { 60, 20000 }, { 900, 100000 }, { 14400, 400000 },
};
/* clang-format on */

#define KNOT_RANGE 1000000

/* -KNOT_RANGE .. KNOT_RANGE */
static int64_t noise_at(const struct dev_prices *dev_prices, uint32_t index, size_t octave, int64_t number)
{
    uint64_t place = mix_u64(dev_prices->seed + UINT64_C(0x9e3779b97f4a7c15) * (index + 1))
                   + mix_u64((uint64_t)number * ARRAY_COUNT(octaves) + octave);

    return (int64_t)(mix_u64(place) % (2 * KNOT_RANGE + 1)) - KNOT_RANGE;
}

int64_t dev_prices_at(const struct dev_prices *dev_prices, uint32_t index, int64_t time_ms)
{
    const struct symbol *symbol = &dev_prices->genesis->perps[index];
    int64_t              second = max_i64(0, time_ms - dev_prices->genesis->time_ms) / 1000, away = 0, price;

    assert(index < dev_prices->genesis->perps_count);
    for (size_t i = 0; i < ARRAY_COUNT(octaves); i++) {
        int64_t number = second / octaves[i].seconds, part = second % octaves[i].seconds;
        int64_t from = noise_at(dev_prices, index, i, number), to = noise_at(dev_prices, index, i, number + 1);

        away += octaves[i].amplitude * (from + (to - from) * part / octaves[i].seconds) / KNOT_RANGE;
    }
    price = symbol->reference_price + (int64_t)((int128_t)symbol->reference_price * away / RATE_ONE);
    return max_i64(symbol->tick_size, price / symbol->tick_size * symbol->tick_size);
}
