/* SPDX-License-Identifier: MIT */
/* workload_perps.c — commands of the perps side: orders, brackets,
   prices, seconds, and what the operator does with a symbol. */
#include "workload_inside.h"

/* What rests of an account on a side, beside reduce-only orders. */
static int64_t resting_of(const struct twin *twin, const struct account *account, const struct symbol *s, uint8_t side)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < twin->order_count; i++) {
        const struct order_changed *is = &twin->orders[i].is.base;

        if (twin->orders[i].market == MARKET_PERPS && is->account_id == account->id && is->symbol_id == s->id
            && is->side == side && !twin->orders[i].is.reduce_only && !is_stop(&twin->orders[i]))
            sum += is->quantity - is->executed;
    }
    return sum;
}

/*
 * A position as large as the first tier allows, an order that closes it and opens as much again, and then a close at
 * once beneath that. *price: where the order rests, or what it takes.
 */
static int64_t a_tier_quantity(struct workload *work, const struct twin *twin, const struct account *account,
                               const struct symbol *s, struct perps_order *item, int64_t *price)
{
    struct random_state *d = &work->random_state;
    int64_t              size = account->positions[s->id - 1].is.size, held = size < 0 ? -size : size;
    int64_t  mark = twin->state[MARKET_PERPS][s->id - 1].mark, away = s->tick_size * (int64_t)random_below(d, 12);
    int      k = 6 - (int)s->price_precision - (int)s->quantity_precision;
    int128_t bound = twin->genesis.contracts[s->id - 1].tiers[0].max_notional, most;
    bool     takes = one_in(d, 2);

    most = k >= 0 ? bound / (mark * power10(k)) : bound * power10(-k) / mark;
    if (most > 40000000) most = 40000000;
    item->reduce_only = 0;
    item->time_in_force = TIF_GTC;
    if (held != 0 && !one_in(d, 4)) {
        item->side = size > 0 ? SIDE_SELL : SIDE_BUY;
        item->reduce_only = takes = resting_of(twin, account, s, item->side) > held;
        if (takes) item->time_in_force = TIF_IOC;
        else most += held;
    }
    *price = (item->side == SIDE_BUY) == takes ? mark + away : mark - away;
    return near_to(work, item->reduce_only ? held : (int64_t)most, s->step_size);
}

static void a_perps_order(struct workload *work, const struct twin *twin, const struct account *account,
                          const struct symbol *s, struct perps_order *item)
{
    struct random_state *d = &work->random_state;
    int64_t              mark = twin->state[MARKET_PERPS][s->id - 1].mark,
            price = mark + s->tick_size * ((int64_t)random_below(d, work->spread) - work->spread / 2);
    int64_t size = account == NULL ? 0 : account->positions[s->id - 1].is.size,
            quantity = s->step_size * (1 + random_below(d, one_in(d, 10) ? 4000 : 300));

    *item = (struct perps_order){
        .client_id = an_id(work), .modifier = MODIFIER_NORMAL, .type = TYPE_LIMIT, .position_side = POSITION_BOTH
    };
    item->side = (uint8_t)(1 + random_below(d, 2));
    item->time_in_force = (uint8_t)PICK(d, TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX);
    item->reduce_only = one_in(d, 6);
    if (one_in(d, 20)) item->position_side = (uint8_t)(1 + random_below(d, 3));
    if (item->reduce_only && !one_in(d, 5)) item->side = size > 0 ? SIDE_SELL : SIDE_BUY;
    if (work->risky && account != NULL && account->wallet > 0 && mark > 0 && !item->reduce_only
        && one_in(d, 3)) { /* as much as there is margin for, or nearly */
        int      k = 6 - (int)s->price_precision - (int)s->quantity_precision;
        int128_t most = (int128_t)account->wallet * account->positions[s->id - 1].is.leverage,
                 x = k >= 0 ? most / (mark * power10(k)) : most * power10(-k) / mark;

        x = x * (5 + random_below(d, 14)) / 20;
        if (x > 0 && x < 100000000) quantity = (int64_t)x;
    }
    if (size != 0 && one_in(d, 4)) quantity = near_to(work, size > 0 ? size : -size, s->step_size);
    if (work->tiers && account != NULL && mark > 0 && !one_in(d, 4))
        quantity = a_tier_quantity(work, twin, account, s, item, &price);
    if (one_in(d, work->edge))
        price = near_to(work,
                        (int64_t)((int128_t)mark
                                  * (item->side == SIDE_BUY ? 100000000 + s->buy_limit_up_ratio
                                                            : 100000000 - s->sell_limit_down_ratio)
                                  / 100000000),
                        1);
    if (!one_in(d, 8 * work->edge)) price -= price % s->tick_size;
    if (!one_in(d, 8 * work->edge)) quantity -= quantity % s->step_size;
    if (price < 1) price = s->tick_size;
    if (quantity < 1) quantity = s->step_size;
    item->price = decimal_units(price, s->price_precision);
    item->quantity = decimal_units(quantity, s->quantity_precision);
    if (one_in(d, 6)) {
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        if (one_in(d, 2)) item->price = (struct decimal){ 0 };
        if (item->side == SIDE_BUY && !item->reduce_only && one_in(d, 6)) {
            item->funds = decimal_units(1 + random_below(d, 2000000000), 6);
            item->quantity = (struct decimal){ 0 };
        }
    }
}

/* A stop price around what it refers to: now and then where it would fire at once, or on the wrong side of a tick. */
static struct decimal a_stop_price(struct workload *work, const struct twin *twin, const struct symbol *s,
                                   uint8_t trigger, bool above)
{
    struct random_state *d = &work->random_state;
    int64_t              reference = reference_now(twin, s, trigger),
            away = s->tick_size * (int64_t)random_below(d, one_in(d, 3) ? 2000 : work->spread + 2), price;

    if (reference == 0) reference = twin->state[MARKET_PERPS][s->id - 1].mark;
    price = one_in(d, 12) ? reference + s->tick_size * ((int64_t)random_below(d, 3) - 1)
          : above         ? reference + away
                          : reference - away;
    if (!one_in(d, 8 * work->edge)) price -= price % s->tick_size;
    return decimal_units(price < 1 ? s->tick_size : price, s->price_precision);
}

static void a_stop(struct workload *work, const struct twin *twin, const struct symbol *s, struct perps_order *item)
{
    struct random_state *d = &work->random_state;

    item->funds = (struct decimal){ 0 };
    if (item->quantity.digits == 0)
        item->quantity = decimal_units(s->step_size * (1 + random_below(d, 300)), s->quantity_precision);
    item->stop_type = (uint8_t)(1 + random_below(d, 2));
    item->trigger_type = (uint8_t)(1 + random_below(d, 3));
    item->stop_price = a_stop_price(work, twin, s, item->trigger_type,
                                    (item->side == SIDE_SELL) == (item->stop_type == STOP_TAKE_PROFIT));
    if (one_in(d, 2)) {
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        if (!one_in(d, 4)) item->price = (struct decimal){ 0 };
    } else {
        item->type = TYPE_LIMIT;
        if (item->price.digits == 0) item->price = a_price(work, twin, s);
    }
}

/* A STOP on a position or alone. */
static void a_lone_stop(struct workload *work, const struct twin *twin, const struct account *account,
                        const struct symbol *s, struct perps_order *item)
{
    struct random_state *d = &work->random_state;
    int64_t              size = account == NULL ? 0 : account->positions[s->id - 1].is.size;

    item->modifier = MODIFIER_STOP;
    if (size != 0 && !one_in(d, 4)) {
        item->reduce_only = 1;
        item->position_side = POSITION_BOTH;
        if (!one_in(d, 12)) item->side = size > 0 ? SIDE_SELL : SIDE_BUY;
    }
    a_stop(work, twin, s, item);
    if (item->reduce_only && one_in(d, 2)) item->quantity = (struct decimal){ 0 };
}

static void a_bracket(struct workload *work, struct twin *twin, const struct account *account, const struct symbol *s,
                      struct place_perps *place)
{
    struct random_state *d = &work->random_state;
    uint32_t             profit = 1 + random_below(d, 2);

    place->count = 2 + random_below(d, 2);
    place->symbol_id = s->id;
    for (uint32_t i = 0; i < place->count; i++) {
        struct perps_order *item = &place->items[i];

        a_perps_order(work, twin, account, s, item);
        if (i == 0) {
            item->modifier = MODIFIER_BRACKET;
            item->reduce_only = 0;
            if (item->position_side != POSITION_BOTH)
                item->position_side = item->side == SIDE_BUY ? POSITION_LONG : POSITION_SHORT;
            continue;
        }
        item->modifier = MODIFIER_ATTACHED_STOP;
        item->side = place->items[0].side == SIDE_BUY ? SIDE_SELL : SIDE_BUY;
        item->reduce_only = 1;
        item->position_side = POSITION_BOTH;
        a_stop(work, twin, s, item);
        item->stop_type = place->count == 2 || i == profit ? STOP_TAKE_PROFIT : STOP_LOSS;
        item->stop_price = a_stop_price(work, twin, s, item->trigger_type,
                                        (item->side == SIDE_SELL) == (item->stop_type == STOP_TAKE_PROFIT));
        if (one_in(d, 2)) item->quantity = (struct decimal){ 0 };
        else if (one_in(d, 3)) item->quantity = place->items[0].quantity;
        if (item->type == TYPE_LIMIT && item->quantity.digits == 0 && one_in(d, 2))
            item->quantity = place->items[0].quantity;
    }
}

static void a_modify(struct workload *work, struct twin *twin, const struct account *account, const struct symbol *s,
                     struct modify_order *modify)
{
    struct random_state *d = &work->random_state;
    const struct order  *stop = NULL;

    for (uint32_t i = 0, n = random_below(d, 6); i < twin->order_count; i++)
        if (account != NULL && is_stop(&twin->orders[i]) && twin->orders[i].is.base.account_id == account->id
            && (stop == NULL || n-- > 0))
            stop = &twin->orders[i];
    if (stop != NULL) s = &twin->genesis.perps[stop->is.base.symbol_id - 1];
    modify->symbol_id = one_in(d, 40) ? random_below(d, 5) : s->id;
    if (stop == NULL || one_in(d, 2))
        modify->client_id = stop == NULL || one_in(d, 20) ? an_id(work) : stop->is.base.client_id;
    else modify->order_id = stop->is.base.order_id + (one_in(d, 20) ? 1 : 0);
    if (one_in(d, 2))
        modify->stop_price =
            a_stop_price(work, twin, s, stop == NULL ? TRIGGER_MARK_PRICE : stop->is.trigger_type,
                         stop == NULL || (stop->is.base.side == SIDE_SELL) == (stop->is.stop_type == STOP_TAKE_PROFIT));
    if (one_in(d, 3)) modify->quantity = a_quantity(work, twin, s, account);
    if (modify->quantity.digits == 0 && modify->stop_price.digits == 0) modify->price = a_price(work, twin, s);
}

void a_perps_command(struct workload *work, struct twin *twin, struct command_room *room, const struct account *account)
{
    struct random_state *d = &work->random_state;
    const struct symbol *s = &twin->genesis.perps[random_below(d, twin->genesis.perps_count)];
    uint32_t             what = random_below(d, 100), count = 1 + (one_in(d, 4) ? random_below(d, 3) : 0);
    const struct order  *order = NULL;

    for (uint32_t i = 0, n = random_below(d, 6); i < twin->order_count; i++)
        if (account != NULL && twin->orders[i].market == MARKET_PERPS
            && twin->orders[i].is.base.account_id == account->id && (order == NULL || n-- > 0))
            order = &twin->orders[i];
    if (work->perps >= 2 && what < 8) {
        command_head(work, room, CMD_PLACE_PERPS, MARKET_PERPS, PAYLOAD_BYTES(place_perps, 3));
        a_bracket(work, twin, account, s, &room->place_perps);
        room->head.bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_perps, room->place_perps.count));
        if (one_in(d, 100)) room->place_perps.symbol_id = 9;
    } else if (work->perps >= 2 && what < 14) {
        command_head(work, room, CMD_MODIFY_ORDER, MARKET_PERPS, sizeof(struct modify_order));
        a_modify(work, twin, account, s, &room->modify_order);
    } else if (what < 65) {
        command_head(work, room, CMD_PLACE_PERPS, MARKET_PERPS, PAYLOAD_BYTES(place_perps, count));
        room->place_perps.symbol_id = one_in(d, 100) ? 9 : s->id;
        room->place_perps.count = count;
        for (uint32_t i = 0; i < count; i++) {
            a_perps_order(work, twin, account, s, &room->place_perps.items[i]);
            if (work->perps >= 2 && one_in(d, 5)) a_lone_stop(work, twin, account, s, &room->place_perps.items[i]);
        }
    } else if (what < 75) {
        command_head(work, room, CMD_CANCEL_PERPS, MARKET_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
        room->cancel_perps.count = 1;
        room->cancel_perps.items[0] =
            (struct perps_cancel){ .symbol_id = order == NULL || one_in(d, 20) ? s->id : order->is.base.symbol_id };
        if (order == NULL || one_in(d, 2)) room->cancel_perps.items[0].client_id = an_id(work);
        else room->cancel_perps.items[0].order_id = order->is.base.order_id + (one_in(d, 9) ? 1 : 0);
    } else if (what < 87) {
        struct replace_order *item = &room->replace_orders.items[0];
        struct perps_order    like;

        command_head(work, room, CMD_REPLACE_ORDERS, MARKET_PERPS, PAYLOAD_BYTES(replace_orders, 1));
        room->replace_orders.count = 1;
        if (order != NULL) s = &twin->genesis.perps[order->is.base.symbol_id - 1];
        a_perps_order(work, twin, account, s, &like);
        *item = (struct replace_order){ .symbol_id = s->id, .client_id = an_id(work) };
        if (order != NULL && one_in(d, 2)) item->orig_order_id = order->is.base.order_id;
        else item->orig_client_id = order != NULL ? order->is.base.client_id : an_id(work);
        if (one_in(d, 2)) item->price = like.price;
        if (item->price.digits == 0 || one_in(d, 2)) item->quantity = like.quantity;
        if (item->price.digits == 0 && item->quantity.digits == 0)
            item->quantity = decimal_units(s->step_size, s->quantity_precision);
        if (order != NULL && one_in(d, 4))
            item->quantity =
                decimal_units(order->is.base.executed + s->step_size * random_below(d, 4), s->quantity_precision);
        if (item->price.digits == 0 && item->quantity.digits == 0)
            item->quantity = decimal_units(s->step_size, s->quantity_precision);
        if (order != NULL && one_in(d, 6)) item->client_id = order->is.base.client_id;
    } else if (what < 93) {
        command_head(work, room, CMD_UPDATE_LEVERAGE, MARKET_PERPS, sizeof(struct update_leverage));
        room->update_leverage = (struct update_leverage){ .symbol_id = s->id,
                                                          .leverage = one_in(d, work->edge) ? 24 + random_below(d, 3)
                                                                                            : random_below(d, 25) };
        room->update_leverage.margin_mode = (uint8_t)(1 + random_below(d, 2));
    } else {
        int64_t amount = 1 + random_below(d, 200000000);

        if (account != NULL && one_in(d, work->edge))
            amount = near_to(work, (int64_t)available_isolated(twin, account), 1);
        if (amount < 1) amount = 1;
        command_head(work, room, CMD_UPDATE_MARGIN, MARKET_PERPS, sizeof(struct update_margin));
        room->update_margin = (struct update_margin){ .symbol_id = s->id, .amount = decimal_units(amount, 6) };
        if (one_in(d, 2)) room->update_margin.amount.digits = -room->update_margin.amount.digits;
    }
}

/* The operator and a perps symbol: halted (not for long), only to be reduced, delisted (now and then). */
static void a_perps_rule(struct workload *work, const struct twin *twin, struct command_room *room)
{
    struct random_state       *d = &work->random_state;
    uint32_t                   id = 1 + random_below(d, one_in(d, 40) ? 5 : twin->genesis.perps_count);
    const struct symbol_state *s = &twin->state[MARKET_PERPS][(id - 1) % SYMBOLS_MAX];
    int64_t                    notice = twin->genesis.rules.settlement_notice_ms;

    if (one_in(d, work->rules_every < 1000 ? 3 : 6)) {
        command_head(work, room, CMD_SETTLE, 0, sizeof(struct settle_symbol));
        room->settle_symbol = (struct settle_symbol){ .symbol_id = id,
                                                      .at_ms = work->time_ms + notice
                                                             + (one_in(d, 4) ? (int64_t)random_below(d, 3) - 1
                                                                             : 1000 * random_below(d, 60)) };
        room->settle_symbol.id = an_operator_id(work);
        if (s->phase == PHASE_SETTLING && !one_in(d, 6)) room->settle_symbol.at_ms = 0;
        if (s->phase == PHASE_OPEN && one_in(d, 6)) room->settle_symbol.at_ms = 0;
        if (one_in(d, 60)) room->settle_symbol.at_ms = INT64_MAX;
        return;
    }
    command_head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
    room->set_market =
        (struct set_market){ .symbol_id = id,
                             .engine = MARKET_PERPS,
                             .status = (uint8_t)PICK(d, SYMBOL_TRADING, SYMBOL_HALT, SYMBOL_REDUCE_ONLY) };
    room->set_market.id = an_operator_id(work);
    if (one_in(d, 60)) room->set_market.engine = MARKET_SPOT;
}

/* A second goes by, or an hour ends, or somebody says a price. */
bool a_perps_second(struct workload *work, const struct twin *twin, struct command_room *room)
{
    struct random_state       *d = &work->random_state;
    uint32_t                   id = 1 + random_below(d, twin->genesis.perps_count);
    const struct symbol_state *s = &twin->state[MARKET_PERPS][id - 1];

    for (uint32_t i = 0; i < twin->genesis.perps_count; i++) /* neither lasts */
        if ((twin->state[MARKET_PERPS][i].status == SYMBOL_HALT
             || twin->state[MARKET_PERPS][i].phase == PHASE_REDUCE_ONLY)
            && one_in(d, 60)) {
            command_head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
            room->set_market = (struct set_market){
                .symbol_id = i + 1, .engine = MARKET_PERPS, .status = SYMBOL_TRADING, .id = an_operator_id(work)
            };
            return true;
        }
    if (work->perps >= 3 && one_in(d, work->rules_every)) {
        a_perps_rule(work, twin, room);
        return true;
    }
    if (!work->hand && twin->genesis.feeder_count != 0 && one_in(d, 6)) {
        uint32_t            who = random_below(d, one_in(d, 50) ? 16 : twin->genesis.feeder_count);
        struct oracle_post *post = &room->oracle_post;

        command_head(work, room, CMD_ORACLE_POST, 0, PAYLOAD_BYTES(oracle_post, twin->genesis.perps_count));
        room->head.domain = one_in(d, 60) ? DOMAIN_SPOT : DOMAIN_ORACLE;
        room->head.signer = user(FEEDER_USERS + who);
        post->seq = (who < FEEDERS_MAX ? twin->feeder_seq[who] : 0) + (one_in(d, 30) ? 0 : 1 + random_below(d, 3));
        room->head.nonce = post->seq;
        post->timestamp_ms =
            work->time_ms - twin->offset_ms + (one_in(d, 30) ? PICK(d, -30001, -30000, 5000, 5001) : 0);
        post->count = twin->genesis.perps_count;
        for (uint32_t i = 0; i < post->count; i++) {
            int64_t near_ = twin->state[MARKET_PERPS][i].index, wild = one_in(d, 20) ? 1500 : work->wild;
            post->items[i].symbol_id = one_in(d, 300) ? random_below(d, 5) : i + 1;
            post->items[i].price =
                near_
                + (int64_t)((int128_t)near_ * ((int64_t)random_below(d, (uint32_t)(2 * wild + 1)) - wild) / 10000);
            if (post->items[i].price < 1000) post->items[i].price = one_in(d, 100) ? 0 : 1000;
            if (one_in(d, 3)) post->items[i].perp_mid = post->items[i].price + (int64_t)random_below(d, 100) - 50;
        }
        return true;
    }
    if (work->hand && one_in(d, work->risky ? 7 : 12)) {
        int64_t price =
            s->index
            + (int64_t)((int128_t)s->index * ((int64_t)random_below(d, 2 * work->wild + 1) - work->wild) / 10000);

        command_head(work, room, CMD_SET_INDEX, 0, sizeof(struct set_index));
        room->set_index =
            (struct set_index){ .symbol_id = id, .by_hand = !one_in(d, 5), .price = price < 1000 ? 1000 : price };
        return true;
    }
    if (one_in(d, work->risky ? 5 : 8)) {
        int64_t hour = (work->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS;

        work->time_ms += one_in(d, 20) ? 1 : 1000;
        if (one_in(d, 2) && nothing_stirs((struct twin *)(uintptr_t)twin))
            work->time_ms += random_below(d, 70000); /* TICKs that an idle exchange leaves out */
        if (work->time_ms > hour || (one_in(d, 150) && !work->unpriced)) work->time_ms = hour;
        command_head(work, room, CMD_TICK, 0, sizeof(struct tick));
        return true;
    }
    return false;
}
