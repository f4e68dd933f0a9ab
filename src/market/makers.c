/* SPDX-License-Identifier: MIT */
/*
 * makers.c — six makers, each with a ladder of orders on both sides of every symbol. A maker looks at a symbol once a
 * second, with a phase of its own: it moves what stands in the wrong place, a part of the rest in turn, and puts orders
 * where some are missing. What it holds moves its ladder the other way.
 */
#include "market/step.h"

#define LEVELS         8 /* of a maker, a side */
#define SLOTS          (2 * LEVELS)
#define VISIT_STEPS    10 /* a second */
#define TURNS          8  /* an eighth of the ladder is renewed at each look */
#define ORDERS_READ    64
#define SKEW_MOST      800 /* 1/100 basis points, at the largest inventory */
#define INVENTORY_MOST (400000 * USD)

enum { DRAW_SIZE = 32, DRAW_PLACE };

struct ladder {
    struct step             *step;
    const struct trader     *trader;
    const struct instrument *instrument;
    int64_t                  inventory; /* value */
    int64_t                  centre;    /* the anchor with the skew */
    uint32_t                 turn;
    struct order_changed     held[ORDERS_READ];
    uint32_t                 held_count;
};

/* Distance of a level in 1/100 basis points: the first at 1.5 to 4, then further and further apart. */
static int64_t distance(const struct ladder *ladder, uint32_t level)
{
    int64_t first = 150 + 50 * (int64_t)(ladder->trader->number - FIRST_MAKER), step = 200 + 25 * (int64_t)level;

    return (first + step * (int64_t)level) * ladder->step->preset->spread / 100;
}

static struct wanted_order wanted_at(const struct ladder *ladder, uint32_t slot)
{
    uint32_t who = ladder->trader->number << 8 | ladder->instrument->index, level = slot / 2;
    uint64_t size = step_draw(ladder->step, who, DRAW_SIZE + slot * 4),
             place = step_draw(ladder->step, who, DRAW_PLACE + slot * 4);
    int64_t away = distance(ladder, level) + (int64_t)draw_below(place, 100);
    int64_t value =
        draw_power(size, 8 * 1024) * (2500 + 1500 * (int64_t)level) / 1024 * USD * ladder->step->preset->size / 100;
    uint8_t side = slot % 2 == 0 ? SIDE_BUY : SIDE_SELL;
    int64_t price = ladder->centre + (side == SIDE_BUY ? -1 : 1) * step_share_of(ladder->centre, away);

    return (struct wanted_order){ .side = side,
                                  .tif = TIF_GTX,
                                  .slot = (uint8_t)slot,
                                  .price = step_on_tick(ladder->instrument, price, side),
                                  .quantity = step_quantity_for(ladder->step, ladder->instrument, value) };
}

/* Which place of the ladder an order stands for; SLOTS = none. */
static uint32_t slot_of(const struct order_changed *order)
{
    const struct client_id *id = &order->client_id;
    uint32_t                slot;

    if (id->len < 3 || id->at[2] != '-') return SLOTS;
    slot = (uint32_t)(id->at[0] - '0') * 10 + (uint32_t)(id->at[1] - '0');
    return min_u32(slot, SLOTS);
}

/* Whether an order may stay: near enough to its place, half of it left, and not its turn to be renewed. */
static bool may_stay(const struct ladder *ladder, const struct order_changed *order, uint32_t slot)
{
    int64_t away = step_share_of(ladder->centre, distance(ladder, slot / 2) + 50);
    int64_t place = ladder->centre + (order->side == SIDE_BUY ? -away : away), off = order->price - place;

    if (slot % TURNS == ladder->turn) return false;
    if (order->executed * 2 > order->quantity) return false;
    return (off < 0 ? -off : off) <= max_i64(away / 3, 2 * ladder->instrument->symbol->tick_size);
}

/* A side is left out while it would make too large an inventory larger. */
static bool may_quote(const struct ladder *ladder, uint32_t slot)
{
    if (ladder->inventory >= INVENTORY_MOST) return slot % 2 == 1;
    return ladder->inventory > -INVENTORY_MOST || slot % 2 == 0;
}

/* What a look at a ladder changes. */
struct changes {
    uint64_t             gone[ORDERS_READ];
    struct changed_order moved[SLOTS];
    struct wanted_order  fresh[SLOTS];
    uint32_t             gone_count, moved_count, fresh_count;
    bool                 stands[SLOTS];
};

/* An order that stands at a place of the ladder, or at none of them. */
static void judge(const struct ladder *ladder, const struct order_changed *order, struct changes *changes)
{
    uint32_t slot = slot_of(order);

    if (slot == SLOTS || changes->stands[slot] || !may_quote(ladder, slot)) {
        changes->gone[changes->gone_count++] = order->order_id;
        return;
    }
    changes->stands[slot] = true;
    if (may_stay(ladder, order, slot)) return;
    changes->moved[changes->moved_count] = (struct changed_order){ order->order_id, wanted_at(ladder, slot) };
    changes->moved[changes->moved_count++].wanted.quantity += order->executed; /* of the whole order */
}

static void renew(struct ladder *ladder)
{
    struct changes changes = { 0 };

    for (uint32_t i = 0; i < ladder->held_count; i++) judge(ladder, &ladder->held[i], &changes);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (!changes.stands[slot] && may_quote(ladder, slot))
            changes.fresh[changes.fresh_count++] = wanted_at(ladder, slot);
    step_send_cancels(ladder->step, ladder->trader, ladder->instrument, changes.gone, changes.gone_count);
    step_send_changes(ladder->step, ladder->trader, ladder->instrument, changes.moved, changes.moved_count);
    step_send_orders(ladder->step, ladder->trader, ladder->instrument, changes.fresh, changes.fresh_count);
}

/* A maker that is not there takes back what it still has. */
static void leave(struct ladder *ladder)
{
    uint64_t gone[ORDERS_READ];

    for (uint32_t i = 0; i < ladder->held_count; i++) gone[i] = ladder->held[i].order_id;
    step_send_cancels(ladder->step, ladder->trader, ladder->instrument, gone, ladder->held_count);
}

/* Whether the preset has this maker, and the knob leaves it. */
static bool is_there(const struct step *step, uint32_t maker)
{
    uint32_t makers = step->preset->makers;

    return maker < makers - (makers * step->knobs->pulled + 50) / 100;
}

static void visit(struct step *step, const struct trader *trader, const struct instrument *instrument)
{
    struct ladder     ladder = { .step = step, .trader = trader, .instrument = instrument };
    struct view_block block;
    uint32_t          open = views_open_orders(step->market->views, instrument->market, trader->account_id,
                                               instrument->symbol->id, &block, ladder.held, ORDERS_READ);
    bool              quotes = instrument->anchor > 0 && is_there(step, trader->number - FIRST_MAKER);

    ladder.held_count = min_u32(open, ORDERS_READ);
    if (quotes) {
        int64_t skew;

        ladder.inventory = step_value_of(step, instrument, step_inventory_of(step, trader, instrument));
        skew =
            max_i64(-SKEW_MOST, min_i64(SKEW_MOST, (int64_t)((int128_t)ladder.inventory * SKEW_MOST / INVENTORY_MOST)));
        ladder.centre = instrument->anchor - step_share_of(instrument->anchor, skew);
        ladder.turn = (uint32_t)(step->number / VISIT_STEPS % TURNS);
    }
    if (quotes) renew(&ladder);
    else leave(&ladder);
}

void step_makers(struct step *step)
{
    uint32_t instruments = instrument_count(step);

    for (uint32_t maker = 0; maker < MAKERS; maker++) {
        struct trader trader = { 0 };

        for (uint32_t i = 0; i < instruments; i++) {
            struct instrument instrument;

            if ((step->number + maker * instruments + i) % VISIT_STEPS != 0) continue;
            if (trader.account_id == 0) trader = trader_at(step, FIRST_MAKER + maker);
            if (trader.account_id == 0) break;
            instrument = instrument_at(step, i);
            visit(step, &trader, &instrument);
        }
    }
}
