/* SPDX-License-Identifier: MIT */
#include "market/step.h"

struct traders market_make(uint64_t seed, const struct genesis *genesis, const struct views *views)
{
    struct traders market = { .seed = seed, .genesis = genesis, .views = views };

    for (uint32_t i = 0; i < MARKET_TRADERS; i++) market.traders[i] = market_trader(i);
    return market;
}

int64_t market_due_ms(const struct market_knobs *knobs, int64_t behind_ms)
{
    return knobs->preset == 0 ? INT64_MAX : (behind_ms / MARKET_STEP_MS + 1) * MARKET_STEP_MS;
}

void market_step(const struct traders *market, const struct market_knobs *knobs, int64_t time_ms,
                 const struct market_writer *writer)
{
    struct step step = {
        .market = market,
        .knobs = knobs,
        .preset = preset_of(knobs),
        .writer = writer,
        .number = (uint64_t)(time_ms / MARKET_STEP_MS),
        .time_ms = time_ms,
    };

    assert(time_ms % MARKET_STEP_MS == 0 && time_ms > 0);
    assert(1000 % MARKET_STEP_MS == 0);
    step_move_indexes(&step);
    step_fund_traders(&step);
    step_makers(&step);
    step_noise(&step);
    step_followers(&step);
    step_arbitrageur(&step);
    step_leveraged(&step);
}
