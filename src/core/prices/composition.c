/* SPDX-License-Identifier: MIT */
#include "core/prices/composition.h"
#include "core/prices/index.h"

void composition_of_mark(struct perps_market *perps, const struct mark_inputs *in, const struct mark_step *step)
{
    struct index_composed *made = &perps->made;

    assert(in->index > 0 && step->mark > 0);
    assert(in->best_bid >= 0 && in->best_ask >= 0 && in->last >= 0);
    made->bid = in->best_bid;
    made->ask = in->best_ask;
    made->last = in->last;
    made->perp_mid = in->perp_mid;
    made->by_basis = step->p1;
    made->by_book = step->p2;
    made->by_feeders = step->p3;
    made->raw = step->raw;
}

/* Completes what the TICK's prices have noted in perps->made. */
static void complete_composition(const struct engine *e, uint8_t number)
{
    struct perps_market   *perps = perps_at(e, number);
    struct index_composed *made = &perps->made;

    made->symbol_id = market_at(e, number)->symbol.id;
    made->state = perps->state;
    made->time_ms = e->time_ms;
    made->index = perps->index;
    made->mark = perps->mark;
    made->held_price = perps->held_price;
    made->held_count = perps->held_count;
    made->held_need = e->rules.oracle_jump_ticks;
    made->quorum = index_quorum(e, perps);
    made->valid_count = 0;
    for (uint32_t i = 0; i < INDEX_SOURCES_MAX; i++) {
        const struct feeder_post *post = &perps->posts[i];
        bool                      valid = index_post_is_valid(e, perps, i);

        made->sources[i] = (struct index_source){ post->price, post->perp_mid, post->posted_ms, valid, { 0 } };
        made->valid_count += valid;
    }
    assert(made->held_count == 0 || made->held_price > 0);
    assert(made->index > 0 && made->mark > 0 && made->valid_count <= INDEX_SOURCES_MAX);
}

static void append_composition(struct apply_context *ctx, struct perps_market *perps)
{
    struct index_composed *event = EVENT_ADD(ctx->events, INDEX_COMPOSED, index_composed, MARKET_PERPS);
    struct event           head = event->head;

    assert(perps->made.symbol_id != 0);
    *event = perps->made;
    event->head = head;
    perps->composed = perps->made;
    perps->composed_step = ctx->engine->price_step;
}

/* Time alone is no change. */
static bool composition_differs(const struct perps_market *perps)
{
    struct index_composed made = perps->made;

    made.time_ms = perps->composed.time_ms;
    return memcmp(&made, &perps->composed, sizeof(made)) != 0;
}

void composition_emit(struct apply_context *ctx)
{
    struct engine *e = ctx->engine;

    for (uint32_t i = 0; i < e->perps_count; i++) {
        struct perps_market *perps = &engine_perps(e)[i];

        complete_composition(e, (uint8_t)(PERPS_FIRST + i));
        if (composition_differs(perps)) append_composition(ctx, perps);
    }
}

void composition_emit_now(struct apply_context *ctx, uint8_t number)
{
    struct perps_market *perps = perps_at(ctx->engine, number);

    assert(market_is_perps(number));
    assert(perps->composed_step <= ctx->engine->price_step);
    if (perps->composed_step == ctx->engine->price_step) return;
    complete_composition(ctx->engine, number);
    append_composition(ctx, perps);
}
