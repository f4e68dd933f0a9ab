/* SPDX-License-Identifier: MIT */
/* read.c — what the callers of the engine read of its state. */
#include "core/engine.h"
#include "core/state/state.h"

const struct limits *engine_limits(const struct engine *e) { return &e->limits; }

struct set_traders engine_traders(const struct engine *e)
{
    assert(e->traders_preset < MARKET_PRESETS && e->traders_pulled <= 100);
    return (struct set_traders){
        .preset = e->traders_preset, .pulled = e->traders_pulled, .takers = e->traders_takers, .drift = e->traders_drift
    };
}

uint64_t engine_seq(const struct engine *e) { return e->seq; }
int64_t  engine_time_ms(const struct engine *e) { return e->time_ms; }
uint64_t engine_oracle_seq(const struct engine *e, uint32_t feeder)
{
    assert(feeder < FEEDERS_MAX);
    return e->feeders[feeder].seq;
}
int64_t engine_time_offset_ms(const struct engine *e) { return e->time_offset_ms; }

struct engine_counts engine_counts(const struct engine *e)
{
    assert(e->account_end >= SLOT_USERS && e->key_end >= 1);
    return (struct engine_counts){
        .accounts = e->account_end - SLOT_USERS,
        .open_orders = e->order_count,
        .levels = e->level_count,
        .signers = (uint64_t)(e->key_end - 1) * DOMAINS,
        .operator_ids = e->operator_count,
        .keys = e->key_end - 1,
        .transfers = e->transfer_shared,
        .positions = e->position_count,
        .burnt_ids = e->rules.client_id_reuse == REUSE_FILLED ? (uint64_t)e->retired_count + e->order_count : 0,
    };
}
