/* SPDX-License-Identifier: MIT */
/*
 * noise.c — takers that know nothing. Their orders come in clusters, a Hawkes process in its branching form: an
 * immigrant comes by itself, and each order may bring another one a moment later, on the same side more often than
 * not. A cluster is a function of the step of its immigrant, so the orders of a step follow from the steps
 * of the last seconds, and nothing is kept. Sizes have a power law.
 */
#include "market/step.h"

#define CLUSTER_STEPS 60  /* six seconds: no order of a cluster comes later */
#define CLUSTER_MOST  12  /* orders of a cluster */
#define BRANCHING     55  /* per cent: the chance that an order brings one more */
#define DELAY_STEPS   8   /* on average, between an order and the next one of its cluster */
#define SLOT_STEPS    40  /* in each slot of four seconds an immigrant comes */
#define GROUP_STEPS   10  /* and in each second another one, with a chance of */
#define GROUP_CHANCE  35  /* per cent */
#define SAME_SIDE     75  /* per cent */
#define SIZE_LEAST    150 /* dollars */
#define SIZE_MOST     (300 * 1024)
#define REACH         4000 /* 1/100 basis points beyond the anchor */
#define HOLDS_MOST    (60000 * USD)

enum {
    DRAW_COMES = 64,
    DRAW_SLOT,
    DRAW_PLACE,
    DRAW_SIDE,
    DRAW_ORDER
}; /* DRAW_ORDER and above: three for each order of a cluster */

static uint64_t at_step(const struct step *step, uint64_t number, uint32_t index, uint32_t what)
{
    return draw(step->market->seed, number, index, what);
}

/* Of the rate of the preset and of the knob: per cent. */
static uint64_t rate_of(const struct step *step) { return (uint64_t)step->preset->takers * step->knobs->takers / 100; }

/* An order of a cluster: which of the takers, which side, how much. */
static void send(struct step *step, const struct instrument *instrument, uint64_t begun, uint32_t nth)
{
    uint64_t      who = at_step(step, begun, instrument->index, DRAW_ORDER + 3 * nth + 1);
    uint64_t      size = at_step(step, begun, instrument->index, DRAW_ORDER + 3 * nth + 2);
    uint64_t      first = at_step(step, begun, instrument->index, DRAW_SIDE);
    struct trader trader = trader_at(step, FIRST_NOISE + (uint32_t)draw_below(who << 32, NOISE));
    uint8_t       side = (first & 1) != 0 ? SIDE_BUY : SIDE_SELL;
    int64_t       held, value;

    if (trader.account_id == 0) return;
    if ((who >> 40) % 100 >= SAME_SIDE) side = side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
    held = step_value_of(step, instrument, step_inventory_of(step, &trader, instrument));
    if (held > HOLDS_MOST) side = SIDE_SELL;
    if (held < -HOLDS_MOST) side = SIDE_BUY;
    value = draw_power(size, SIZE_MOST) * SIZE_LEAST / 1024 * USD;
    step_send_taker(step, &trader, instrument, side, value, REACH * (int64_t)step->preset->spread / 100);
}

/* The orders that a cluster has at this step. */
static void run_cluster(struct step *step, const struct instrument *instrument, uint64_t begun)
{
    uint64_t at = begun;

    for (uint32_t nth = 0; nth < CLUSTER_MOST && at <= step->number; nth++) {
        uint64_t chance = at_step(step, begun, instrument->index, DRAW_ORDER + 3 * nth);

        if (at == step->number) send(step, instrument, begun, nth);
        if (chance % 100 >= BRANCHING) return;
        at += 1 + (uint64_t)(draw_exponential(mix_u64(chance)) * DELAY_STEPS / 65536);
    }
}

/* The step at which the immigrant of a period of `length` steps comes. */
static uint64_t arrival(const struct step *step, uint64_t period, uint64_t length, uint32_t index, uint32_t what)
{
    return period * length + draw_below(at_step(step, period, index, what), length);
}

/* The clusters that may have an order now: of the slots, and of the groups that have an immigrant. */
static void run_symbol(struct step *step, const struct instrument *instrument, uint64_t rate)
{
    uint64_t now = step->number, first = now - CLUSTER_STEPS;

    for (uint64_t slot = first / SLOT_STEPS; slot <= now / SLOT_STEPS; slot++) {
        uint64_t begun = arrival(step, slot, SLOT_STEPS, instrument->index, DRAW_SLOT);

        if (begun >= first && begun <= now) run_cluster(step, instrument, begun);
    }
    for (uint64_t group = first / GROUP_STEPS; group <= now / GROUP_STEPS; group++) {
        uint64_t begun;

        if (at_step(step, group, instrument->index, DRAW_COMES) % 10000 >= GROUP_CHANCE * rate) continue;
        begun = arrival(step, group, GROUP_STEPS, instrument->index, DRAW_PLACE);
        if (begun >= first && begun <= now) run_cluster(step, instrument, begun);
    }
}

void step_noise(struct step *step)
{
    uint32_t count = instrument_count(step);
    uint64_t rate = rate_of(step);

    if (rate == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        struct instrument instrument = instrument_at(step, i);

        if (instrument.anchor > 0) run_symbol(step, &instrument, rate);
    }
}
