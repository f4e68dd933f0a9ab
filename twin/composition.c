/* SPDX-License-Identifier: MIT */
/* composition.c — the composition of a symbol's index and mark, as published. */
#include "world.h"

static bool counts(const struct twin *twin, const struct symbol_state *s, uint32_t who)
{
    uint32_t weighs = who == FEEDERS_MAX ? 1 : who < twin->genesis.feeder_count ? twin->genesis.feeders[who].weight : 0;

    if (s->feeds[who].price == 0 || weighs == 0) return false;
    return who == FEEDERS_MAX || twin->now_ms - s->feeds[who].time_ms < twin->genesis.rules.oracle_stale_ms;
}

void show_composition(struct twin *twin, const struct symbol *symbol, bool anyway)
{
    struct symbol_state *s = &twin->state[MARKET_PERPS][symbol->id - 1];
    struct made_of      *now = &s->making;

    now->oracle = s->oracle;
    now->index = s->index;
    now->mark = s->mark;
    now->agreed = s->agreed;
    now->held = s->agreed != 0 ? s->candidate : 0;
    now->need = twin->genesis.rules.oracle_jump_ticks == 0 ? 3 : twin->genesis.rules.oracle_jump_ticks;
    now->quorum = s->feeds[FEEDERS_MAX].price != 0 ? 1 : twin->genesis.rules.oracle_quorum;
    now->valid = 0;
    for (uint32_t i = 0; i <= FEEDERS_MAX; i++) {
        now->from[i].price = s->feeds[i].price;
        now->from[i].mid = s->feeds[i].mid;
        now->from[i].time_ms = s->feeds[i].time_ms;
        now->from[i].valid = counts(twin, s, i);
        now->valid += (uint32_t)now->from[i].valid;
    }
    now->time_ms = s->made.time_ms;
    if (!anyway && memcmp(now, &s->made, sizeof(*now)) == 0) return;
    now->time_ms = twin->now_ms;
    s->made = *now;
    s->made_step = twin->price_step;
}
