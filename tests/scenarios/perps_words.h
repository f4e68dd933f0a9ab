/* SPDX-License-Identifier: MIT */
/*
 * perps_words.h — the words of scenarios about perps; a part of run.c, which includes it.
 *
 *   perps [fund 1000] [interest 0.0001] [interests 10] [inventory 5] [status 2] [fees 0.0001 0.0004] [stops 100]
 *   [retries 60]
 *         [notice 60000] [window 10000] [settles 10000]       of settlements, ms
 *         [feeders 1]                 so many feeders; without `rules hand 0` the reference prices count as set by hand
 *         [units 1000] [positions 128] [strict 1] [anchor 1] [keeps 1] [queue 1] [spot 1]      from here on orders are
 *                                                                                              for BTC-USD
 *   alice buy 0.1 @ 100000 GTC c1 [reduce] [LONG]           alice market buy 0.1 [@ 101] c2 [reduce]
 *   alice stop sell 0.1 | all [@ 97000 | below 97000] loss 98000 by MARK c3 [reduce]          @: limit, below: bound of
 *                                                                                             a market order
 *   alice bracket buy 2 @ 100000 | post 100000 | market p profit 104000 [@ 104000] [of 1] t [loss 98000 [@ P] [of 1] s]
 * by MARK alice modify c1 | #1 [price P] [quantity Q] [stop S]    alice leverage 25 isolated | cross    alice margin
 * -500 alice batch buy 0.1 @ 100 GTC c1 | sell 0.1 @ 100 GTC c2         items of one request; `item 1 -> …` then checks
 *                                                                    each
 *   prices 98000 [98500]                sets mark and index directly; post 98000: an index price by hand
 *   feed 98000                          the first feeder posts
 *   position alice 0.1 [cost C] [bucket B] [realized R]     position alice none       mark 98000       index 98000
 *                                                                                     [FALLBACK]
 *   input bid 100100 | input last none  the inputs of the mark from the book (bid, ask, mid) and the trades (last)
 *                                       (ruling 67)
 *   stage alice BOOK | HEALTHY          UNIT_STAGE of the last command                closed alice REASON: a position
 *                                                                                     that ended in it
 *   interest 0.5                        open interest                                 insolvent | solvent
 */
#ifndef PERPS_WORDS_H
#define PERPS_WORDS_H

#define FEEDER 70 /* its user number */

static void set_perps(char **w)
{
    struct genesis  *g = &f->genesis;
    struct contract *c = &g->contracts[0];
    struct symbol   *s = &g->perps[0];

    if (!perps_on) perps_genesis(g);
    perps_on = true;
    g->contracts[0].interest_rate = g->contracts[1].interest_rate = 0;
    for (; *w != NULL; w += 2) {
        if (w[1] == NULL) FAIL("%s needs a value", w[0]);
        if (is(*w, "fund")) g->fund = units(w[1], 6);
        else if (is(*w, "interest")) c->interest_rate = units(w[1], 8);
        else if (is(*w, "interests")) c->open_interest_cap = units(w[1], s->quantity_precision);
        else if (is(*w, "inventory")) c->fund_max_inventory = units(w[1], 6);
        else if (is(*w, "status")) s->status = (uint8_t)atoi(w[1]);
        else if (is(*w, "tick")) s->tick_size = units(w[1], s->price_precision);
        else if (is(*w, "step")) s->step_size = units(w[1], s->quantity_precision);
        else if (is(*w, "prices")) range(w[1], s->price_precision, &s->min_price, &s->max_price);
        else if (is(*w, "quantity")) range(w[1], s->quantity_precision, &s->min_quantity, &s->max_quantity);
        else if (is(*w, "market")) range(w[1], s->quantity_precision, &s->market_min_quantity, &s->market_max_quantity);
        else if (is(*w, "notional")) range(w[1], 6, &s->min_notional, &s->max_notional);
        else if (is(*w, "stops")) g->rules.armed_stops_per_account = (uint32_t)atoi(w[1]);
        else if (is(*w, "retries")) g->rules.stop_retry_ticks = (uint32_t)atoi(w[1]);
        else if (is(*w, "units")) g->rules.liquidations_per_tick = (uint32_t)atoi(w[1]);
        else if (is(*w, "open")) g->rules.open_orders_per_account = (uint32_t)atoi(w[1]);
        else if (is(*w, "stale")) g->rules.oracle_stale_ms = (uint32_t)atoi(w[1]);
        else if (is(*w, "positions")) g->limits.positions = (uint32_t)atoi(w[1]);
        else if (is(*w, "notice")) g->rules.settlement_notice_ms = (uint32_t)atoi(w[1]);
        else if (is(*w, "window")) g->rules.settlement_window_ms = (uint32_t)atoi(w[1]);
        else if (is(*w, "settles")) g->rules.settlements_per_tick = (uint32_t)atoi(w[1]);
        else if (is(*w, "precision")) s->price_precision = (uint32_t)atoi(w[1]);
        else if (is(*w, "strict")) g->rules.strict_position_side = (uint8_t)atoi(w[1]);
        else if (is(*w, "anchor")) g->rules.bracket_mode = (uint8_t)atoi(w[1]);
        else if (is(*w, "keeps")) g->rules.dms_keeps_stops = (uint8_t)atoi(w[1]);
        else if (is(*w, "queue")) g->rules.adl_mode = (uint8_t)atoi(w[1]);
        else if (is(*w, "feeders")) {
            g->feeder_count = (uint32_t)atoi(w[1]);
            g->feeders[0] = (struct feeder){ user(FEEDER), 1 };
        } else if (is(*w, "spot")) {
            c->spot_symbol_id = 1;
            c->spot_impact_notional = units(w[1], 6);
        } else if (is(*w, "fees")) {
            s->maker_fee = units(w[1], 8);
            s->taker_fee = units(w[2], 8);
            w++;
        } else FAIL("unknown setting %s", *w);
    }
}

/* reduce, LONG, SHORT at the end of an item. */
static char **read_marks(char **w, struct perps_order *item)
{
    for (; *w != NULL; w++) {
        if (is(*w, "reduce")) item->reduce_only = 1;
        else if (is(*w, "LONG")) item->position_side = POSITION_LONG;
        else if (is(*w, "SHORT")) item->position_side = POSITION_SHORT;
        else break;
    }
    return w;
}

/* side quantity @ price tif id [marks] | market side [funds] amount [@ price] id [marks] */
static char **read_item(char **w, struct perps_order *item)
{
    *item = (struct perps_order){ .modifier = MODIFIER_NORMAL, .type = TYPE_LIMIT, .position_side = POSITION_BOTH };
    if (is(*w, "market")) {
        w++;
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
    }
    item->side = side_of(*w++);
    if (is(*w, "funds")) {
        item->funds = decimal_of(w[1]);
        w += 2;
    } else item->quantity = decimal_of(*w++);
    if (is(*w, "@")) {
        item->price = decimal_of(w[1]);
        w += 2;
    }
    if (item->type == TYPE_LIMIT) item->time_in_force = tif_of(*w++);
    item->client_id = cid(*w++);
    return read_marks(w, item);
}

static void send_items(uint32_t user_number, const struct perps_order *items, uint32_t count)
{
    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, count));
    sign(user_number);
    f->room.place_perps.symbol_id = BTC;
    f->room.place_perps.count = count;
    memcpy(f->room.place_perps.items, items, count * sizeof(*items));
    apply();
}

static void say_item(uint32_t user_number, char **w)
{
    struct perps_order item;

    w = read_item(w, &item);
    send_items(user_number, &item, 1);
    expect(w);
}

static void say_batch(uint32_t user_number, char **w)
{
    struct perps_order items[8];
    uint32_t           count = 0;

    while (*w != NULL && count < ARRAY_COUNT(items)) {
        w = read_item(w, &items[count++]);
        if (is(*w, "/")) w++;
    }
    send_items(user_number, items, count);
}

static void check_item(char **w) /* n -> … */
{
    const struct result *result = result_at(f, (uint32_t)atoi(w[0]) - 1);

    if (result == NULL) FAIL("no such item");
    last = *result;
    expect(w + 1);
}

static uint8_t trigger_of(const char *word)
{
    return is(word, "LAST")  ? TRIGGER_LAST_PRICE
         : is(word, "MARK")  ? TRIGGER_MARK_PRICE
         : is(word, "INDEX") ? TRIGGER_INDEX_PRICE
                             : 0;
}

static void say_stop(uint32_t user_number, char **w)
{
    struct perps_order item = { .modifier = MODIFIER_STOP,
                                .type = TYPE_MARKET,
                                .time_in_force = TIF_IOC,
                                .position_side = POSITION_BOTH,
                                .side = side_of(*w++) };

    if (!is(*w, "all")) item.quantity = decimal_of(*w);
    w++;
    if (is(*w, "@") || is(*w, "post") || is(*w, "below")) {
        if (!is(*w, "below")) {
            item.type = TYPE_LIMIT;
            item.time_in_force = is(*w, "post") ? TIF_GTX : TIF_GTC;
        }
        item.price = decimal_of(w[1]);
        w += 2;
    }
    item.stop_type = is(*w, "loss") ? STOP_LOSS : is(*w, "profit") ? STOP_TAKE_PROFIT : 0;
    item.stop_price = decimal_of(w[1]);
    item.trigger_type = trigger_of(w[3]);
    item.client_id = cid(w[4]);
    w = read_marks(w + 5, &item);
    send_items(user_number, &item, 1);
    expect(w);
}

static void say_bracket(uint32_t user_number, char **w)
{
    struct perps_order items[3] = { { .modifier = MODIFIER_BRACKET,
                                      .type = TYPE_LIMIT,
                                      .time_in_force = TIF_GTC,
                                      .position_side = POSITION_BOTH,
                                      .side = side_of(w[0]),
                                      .quantity = decimal_of(w[1]) } };
    uint32_t           count = 1;

    w += 2;
    if (is(*w, "@") || is(*w, "post")) {
        if (is(*w, "post")) items[0].time_in_force = TIF_GTX;
        items[0].price = decimal_of(w[1]);
        w += 2;
    } else if (is(*w, "market")) {
        items[0].type = TYPE_MARKET;
        items[0].time_in_force = TIF_IOC;
        w++;
    }
    items[0].client_id = cid(*w++);
    for (; *w != NULL && !is(*w, "by") && count < 3; count++) {
        struct perps_order *child = &items[count];

        *child = (struct perps_order){ .modifier = MODIFIER_ATTACHED_STOP,
                                       .type = TYPE_MARKET,
                                       .time_in_force = TIF_IOC,
                                       .position_side = POSITION_BOTH,
                                       .reduce_only = 1,
                                       .side = items[0].side == SIDE_BUY ? SIDE_SELL : SIDE_BUY,
                                       .stop_type = is(*w, "loss") ? STOP_LOSS : STOP_TAKE_PROFIT,
                                       .stop_price = decimal_of(w[1]) };
        w += 2;
        if (is(*w, "@")) {
            child->type = TYPE_LIMIT;
            child->time_in_force = TIF_GTC;
            child->price = decimal_of(w[1]);
            w += 2;
        }
        if (is(*w, "of")) {
            child->quantity = decimal_of(w[1]);
            w += 2;
        }
        child->client_id = cid(*w++);
    }
    for (uint32_t i = 1; i < count; i++) items[i].trigger_type = trigger_of(w[1]);
    send_items(user_number, items, count);
    expect(w + 2);
}

static void say_perps_cancel(uint32_t user_number, char **w)
{
    fixture_head(f, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
    sign(user_number);
    f->room.cancel_perps.count = 1;
    f->room.cancel_perps.items[0].symbol_id = BTC;
    if (**w == '#') f->room.cancel_perps.items[0].order_id = order_id(*w);
    else f->room.cancel_perps.items[0].client_id = cid(*w);
    apply();
    expect(w + 1);
}

static void say_modify(uint32_t user_number, char **w)
{
    struct modify_order modify = { .symbol_id = BTC };

    if (**w == '#') modify.order_id = order_id(*w);
    else modify.client_id = cid(*w);
    for (w++; *w != NULL && !is(*w, "->"); w += 2) {
        if (is(*w, "price")) modify.price = decimal_of(w[1]);
        else if (is(*w, "quantity")) modify.quantity = decimal_of(w[1]);
        else if (is(*w, "stop")) modify.stop_price = decimal_of(w[1]);
        else FAIL("price, quantity or stop, not %s", *w);
    }
    fixture_head(f, CMD_MODIFY_ORDER, sizeof(modify));
    f->room.modify_order = modify;
    sign(user_number);
    apply();
    expect(w);
}

static void say_leverage(uint32_t user_number, char **w)
{
    fixture_head(f, CMD_UPDATE_LEVERAGE, sizeof(struct update_leverage));
    sign(user_number);
    f->room.update_leverage.symbol_id = BTC;
    f->room.update_leverage.leverage = (uint32_t)atoi(w[0]);
    f->room.update_leverage.margin_mode = is(w[1], "isolated") ? MARGIN_ISOLATED : is(w[1], "cross") ? MARGIN_CROSS : 9;
    apply();
    expect(w + 2);
}

static void say_margin(uint32_t user_number, char **w)
{
    bool out = **w == '-';

    fixture_head(f, CMD_UPDATE_MARGIN, sizeof(struct update_margin));
    sign(user_number);
    f->room.update_margin.symbol_id = BTC;
    f->room.update_margin.amount = decimal_of(*w + out);
    if (out) f->room.update_margin.amount.digits = -f->room.update_margin.amount.digits;
    apply();
    expect(w + 1);
}

static int64_t price_units(const char *text) { return units(text, f->genesis.perps[0].price_precision); }

static void say_prices(char **w) /* mark [index] */
{
    start();
    perps_prices(f, BTC, price_units(w[0]), price_units(w[1] != NULL ? w[1] : w[0]));
}

static void say_post(char **w)
{
    start();
    fixture_head(f, CMD_SET_INDEX, sizeof(struct set_index));
    f->room.set_index = (struct set_index){ .symbol_id = BTC, .by_hand = 1, .price = price_units(w[0]) };
    f->room.head.market = 0;
    apply();
    expect(w + 1);
}

static void say_feed(char **w)
{
    start();
    fixture_head(f, CMD_ORACLE_POST, PAYLOAD_BYTES(oracle_post, 1));
    f->room.head.signer = user(FEEDER);
    f->room.head.domain = DOMAIN_ORACLE;
    f->room.oracle_post = (struct oracle_post){ .seq = f->seq + 1, .count = 1, .timestamp_ms = f->time_ms };
    f->room.oracle_post.items[0] = (struct oracle_price){ .symbol_id = BTC, .price = price_units(w[0]) };
    apply();
    expect(w + 1);
}

/* ---- expectations ---- */

static struct perps_market *btc_usd(void) { return &engine_perps(f->engine)[0]; }

static const struct position *row_of(const char *name)
{
    return position_find(f->engine, SLOT_USERS + who(name) - 1, PERPS_FIRST);
}

/* As it is written, with its sign. */
static int64_t signed_units(const char *text, uint32_t scale)
{
    return *text == '-' ? -units(text + 1, scale) : units(text, scale);
}

static void check_position(char **w)
{
    const struct position *position = row_of(w[0]);
    int64_t                size = position == NULL ? 0 : position->exposure.size;

    if (is(w[1], "none")) {
        if (size != 0) FAIL("the position is %" PRId64 " units", size);
        return;
    }
    if (size != signed_units(w[1], 5)) FAIL("the position is %" PRId64 " units", size);
    for (w += 2; *w != NULL; w += 2) {
        int64_t has = is(*w, "cost")   ? (int64_t)position->exposure.cost
                    : is(*w, "bucket") ? position->exposure.bucket
                                       : position->realized;
        if (has != signed_units(w[1], 6)) FAIL("%s is %" PRId64 " units", *w, has);
    }
}

static void check_stage(char **w) /* name STAGE, of the last command's events */
{
    static const char *const names_of[] = { "", "HEALTHY", "BOOK", "TAKEOVER", "ADL" };
    const struct unit_stage *unit;

    for (uint32_t i = 0; (unit = event_at(f, EVENT_UNIT, i)) != NULL; i++)
        if (unit->account_id == ACCOUNT_FIRST - 1 + who(w[0]) && is(w[1], names_of[unit->stage])) return;
    FAIL("no such stage was told");
}

static void check_closed(char **w) /* name REASON */
{
    const struct position_changed *position;

    for (uint32_t i = 0; (position = event_at(f, EVENT_POSITION, i)) != NULL; i++)
        if (position->account_id == ACCOUNT_FIRST - 1 + who(w[0]) && position->size == 0
            && is(w[1], enum_name_of(end_reason_names, position->reason)))
            return;
    FAIL("no position of %s ended like this", w[0]);
}

static void check_price(const char *what, int64_t has, const char *text)
{
    if (has != price_units(text)) FAIL("the %s is %" PRId64 " units", what, has);
}

static void check_index(char **w) /* price [STATE] */
{
    const char *has = enum_name_of(oracle_state_names, btc_usd()->state);

    check_price("index", btc_usd()->index, w[0]);
    if (w[1] != NULL && !is(w[1], has)) FAIL("the index is %s", has);
}

static void check_input(char **w) /* bid | ask | mid | last, price | none */
{
    struct book_means means = inputs_means(f->engine, btc_usd());
    int64_t           has = is(w[0], "bid") ? means.bid
                          : is(w[0], "ask") ? means.ask
                          : is(w[0], "mid") ? means.mid
                                            : inputs_last(f->engine, market_at(f->engine, PERPS_FIRST), btc_usd());

    if (is(w[1], "none") ? has != 0 : has != price_units(w[1])) FAIL("the %s is %" PRId64 " units", w[0], has);
}

/* A line that only scenarios about perps have; false when it is none of these. */
static bool play_perps(char **w)
{
    if (is(*w, "perps")) set_perps(w + 1);
    else if (is(*w, "prices")) say_prices(w + 1);
    else if (is(*w, "post")) say_post(w + 1);
    else if (is(*w, "item")) check_item(w + 1);
    else if (is(*w, "position")) check_position(w + 1);
    else if (is(*w, "stage")) check_stage(w + 1);
    else if (is(*w, "closed")) check_closed(w + 1);
    else if (is(*w, "mark")) check_price("mark", btc_usd()->mark, w[1]);
    else if (is(*w, "index")) check_index(w + 1);
    else if (is(*w, "feed")) say_feed(w + 1);
    else if (is(*w, "input")) check_input(w + 1);
    else if (is(*w, "interest")) {
        if (btc_usd()->open_interest != units(w[1], 5))
            FAIL("open interest is %" PRId64 " units", btc_usd()->open_interest);
    } else if (is(*w, "insolvent")) {
        if (!f->engine->insolvent) FAIL("the venue is solvent");
    } else if (is(*w, "solvent")) {
        if (f->engine->insolvent) FAIL("the venue is insolvent");
    } else return false;
    return true;
}

static bool say_perps(uint32_t user_number, char **w)
{
    if (!perps_on) return false;
    if (is(*w, "buy") || is(*w, "sell") || is(*w, "market")) say_item(user_number, w);
    else if (is(*w, "batch")) say_batch(user_number, w + 1);
    else if (is(*w, "stop")) say_stop(user_number, w + 1);
    else if (is(*w, "bracket")) say_bracket(user_number, w + 1);
    else if (is(*w, "cancel")) say_perps_cancel(user_number, w + 1);
    else if (is(*w, "modify")) say_modify(user_number, w + 1);
    else if (is(*w, "leverage")) say_leverage(user_number, w + 1);
    else if (is(*w, "margin")) say_margin(user_number, w + 1);
    else return false;
    return true;
}

#endif
