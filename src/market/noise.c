/* SPDX-License-Identifier: MIT */
/*
 * noise.c — takers that know nothing. Their orders come in clusters, a Hawkes process in its branching form: an
 * immigrant comes by itself, and each order may bring another one a moment later, on the same side more often than
 * not. A cluster is a function of the step of its immigrant, so the orders of a step follow from the steps
 * of the last seconds, and nothing is kept. Sizes have a power law.
 */
#include "market/step.h"

#define CLUSTER_STEPS  60  /* six seconds: no order of a cluster comes later */
#define CLUSTER_MOST   12  /* orders of a cluster */
#define BRANCHING      55  /* per cent: the chance that an order brings one more */
#define DELAY_STEPS    8   /* on average, between an order and the next one of its cluster */
#define RATE_PER_10000 350 /* immigrants of a symbol a step, besides those that come in every slot */
#define SLOT_STEPS     40  /* in each slot of four seconds at least one immigrant comes */
#define SAME_SIDE      75  /* per cent */
#define SIZE_LEAST     150 /* dollars */
#define SIZE_MOST      (300 * 1024)
#define REACH          4000 /* 1/100 basis points beyond the anchor */
#define HOLDS_MOST     (60000 * USD)

enum { DRAW_COMES = 64, DRAW_SLOT, DRAW_ORDER }; /* DRAW_ORDER and above: three for each order of a cluster */

static uint64_t at_step(const struct step *step, uint64_t number, uint32_t index, uint32_t what)
{
    return draw(step->market->seed, number, index, what);
}

/* Of the rate of the preset and of the knob: per cent. */
static uint64_t rate_of(const struct step *step) { return (uint64_t)step->preset->takers * step->knobs->takers / 100; }

/* Whether a cluster begins at a step. */
static bool comes(const struct step *step, uint64_t number, uint32_t index)
{
    uint64_t slot = number / SLOT_STEPS, place = at_step(step, slot, index, DRAW_SLOT), rate = rate_of(step);

    if (rate == 0) return false;
    if (draw_below(place, SLOT_STEPS) == number % SLOT_STEPS) return true;
    return draw_below(at_step(step, number, index, DRAW_COMES), 1000000) < RATE_PER_10000 * rate;
}

/* An order of a cluster: which of the takers, which side, how much. */
static void send(struct step *step, const struct instrument *instrument, uint64_t begun, uint32_t nth)
{
    uint64_t      who = at_step(step, begun, instrument->index, DRAW_ORDER + 3 * nth + 1);
    uint64_t      size = at_step(step, begun, instrument->index, DRAW_ORDER + 3 * nth + 2);
    uint64_t      first = at_step(step, begun, instrument->index, DRAW_COMES);
    struct trader trader = trader_at(step, FIRST_NOISE + (uint32_t)draw_below(who << 32, NOISE));
    uint8_t       side = (first & 1) != 0 ? SIDE_BUY : SIDE_SELL;
    int64_t       held, value;

    if (trader.account_id == 0) return;
    if ((who >> 40) % 100 >= SAME_SIDE) side = side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
    held = value_of(step, instrument, inventory_of(step, &trader, instrument));
    if (held > HOLDS_MOST) side = SIDE_SELL;
    if (held < -HOLDS_MOST) side = SIDE_BUY;
    value = draw_power(size, SIZE_MOST) * SIZE_LEAST / 1024 * USD;
    send_taker(step, &trader, instrument, side, value, REACH * (int64_t)step->preset->spread / 100);
}

/* The orders that a cluster has at this step. */
static void run_cluster(struct step *step, const struct instrument *instrument, uint64_t begun)
{
    uint64_t at = begun;

    for (uint32_t nth = 0; nth < CLUSTER_MOST && at <= step->number; nth++) {
        uint64_t chance = at_step(step, begun, instrument->index, DRAW_ORDER + 3 * nth);

        if (at == step->number) send(step, instrument, begun, nth);
        if (chance % 100 >= BRANCHING) return;
        at += 1 + (uint64_t)(draw_exponential(draw_mix(chance)) * DELAY_STEPS / 65536);
    }
}

void run_noise(struct step *step)
{
    uint32_t count = instrument_count(step);

    for (uint32_t i = 0; i < count; i++) {
        struct instrument instrument = { 0 };

        for (uint64_t back = 0; back <= CLUSTER_STEPS; back++) {
            uint64_t begun = step->number - back;

            if (!comes(step, begun, i)) continue;
            if (instrument.symbol == NULL) instrument = instrument_at(step, i);
            if (instrument.anchor <= 0) break;
            run_cluster(step, &instrument, begun);
        }
    }
}
