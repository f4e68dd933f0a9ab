/* SPDX-License-Identifier: MIT */
#include "aims.h"
#include "rigs/random.h"

#include "core/account/account.h"
#include "core/account/nonce.h"
#include "core/perps/perps_check.h"
#include "core/engine/settle.h"
#include "core/perps/stop.h"

#define ONE_IN                    256 /* commands begin an aim */
#define LOOK_EVERY                16  /* commands between two searches for opportunities that pass */
#define PRICE_SCALE(symbol_id)    ((symbol_id) == BTC ? 1 : 2)
#define QUANTITY_SCALE(symbol_id) ((symbol_id) == BTC ? 5 : 4)

static uint32_t random_below(struct aims *aims, uint32_t n)
{
    return (uint32_t)(random_congruent(&aims->rolls) >> 33) % n;
}

static struct client_id new_name(struct aims *aims)
{
    struct client_id name = { .len = 7, .at = { 'z' } };

    aims->named += 1;
    for (uint32_t i = 0; i < 6; i++) name.at[1 + i] = (char)('a' + (aims->named >> 4 * i & 15));
    return name;
}

static struct operator_id next_operator_id(struct fixture *f) { return operator_id(++f->deposit_id); }

/* ---- what there is ---- */

static bool is_resting(const struct engine *e, const struct order *order)
{
    (void)e;
    return order->level != 0 && !order_is_stop(order);
}
static bool is_opening(const struct engine *e, const struct order *order)
{
    return is_resting(e, order) && !order_reduces(order);
}

static bool is_armed(const struct engine *e, const struct order *order)
{
    return order_is_stop(order) && order->status != STATUS_PENDING_NEW
        && stop_is_armed(e, (uint32_t)(order - order_at(e, 0)));
}

static bool is_of_type(const struct engine *e, const struct order *order, uint8_t type)
{
    return is_armed(e, order) && stop_at(e, (uint32_t)(order - order_at(e, 0)))->type == type;
}

static bool is_armed_limit(const struct engine *e, const struct order *order)
{
    return is_of_type(e, order, TYPE_LIMIT);
}
static bool is_armed_market(const struct engine *e, const struct order *order)
{
    return is_of_type(e, order, TYPE_MARKET);
}

/*
 * An open order that satisfies `meant`, searched from a random place of the pool; the order's account will send the
 * command. NULL: there is none.
 */
static const struct order *find_order(struct aims *aims, const struct engine *e, uint8_t market,
                                      bool (*meant)(const struct engine *e, const struct order *order))
{
    uint32_t from = random_below(aims, e->order_end);

    for (uint32_t i = 0; i < e->order_end; i++) {
        uint32_t            ix = (from + i) % e->order_end;
        const struct order *order = order_at(e, ix);

        if (ix == 0 || order->status == 0 || order->market != market || !meant(e, order)) continue;
        aims->speaker = order->account;
        return order;
    }
    return NULL;
}

static uint8_t perps_number(uint32_t symbol_id) { return (uint8_t)(PERPS_FIRST + symbol_id - 1); }
static uint8_t phase_of(const struct engine *e, uint32_t symbol_id)
{
    return perps_phase(e, &engine_perps(e)[symbol_id - 1]);
}

/* An open position of a user; 0: there is none. `ill`: of a unit in liquidation. */
static uint32_t find_position(struct aims *aims, const struct engine *e, bool ill)
{
    uint32_t from = random_below(aims, e->position_end);

    for (uint32_t i = 0; i < e->position_end; i++) {
        uint32_t               ix = (from + i) % e->position_end;
        const struct position *position = position_at(e, ix);

        if (ix == 0 || position->exposure.size == 0 || position->account == SLOT_FUND) continue;
        if (!ill
            || (position->mode == MARGIN_ISOLATED ? position->stage : engine_margins(e)[position->account].stage) != 0)
            return ix;
    }
    return 0;
}

/* ---- orders ---- */

static void operator(struct fixture *f, uint16_t kind, size_t bytes)
{
    fixture_head(f, kind, bytes);
    f->room.head.market = 0;
}

static bool spot_order(struct aims *aims, struct fixture *f)
{
    struct new_order    *item = &f->room.place_orders.items[0];
    const struct symbol *s = &f->genesis.spot[1];

    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    f->room.place_orders.count = 1;
    *item = (struct new_order){
        .symbol_id = 2, .client_id = new_name(aims), .side = SIDE_BUY, .type = TYPE_MARKET, .time_in_force = TIF_IOC
    };
    switch (random_below(aims, 4)) {
    case 0: item->funds = decimal_make(1 + 2 * random_below(aims, 1000), 9); break;
    case 1: item->funds = decimal_make(INT64_C(999999999999999) - random_below(aims, 1000), 0); break;
    case 2: item->quantity = decimal_make(s->min_quantity, 5); break;
    default:
        item->type = TYPE_LIMIT;
        item->price = decimal_make(1000000, 3);
        item->quantity = decimal_make(s->step_size, 5);
        break;
    }
    return true;
}

static bool replacement(struct aims *aims, struct fixture *f)
{
    struct replace_order *item = &f->room.replace_orders.items[0];
    uint32_t              what = random_below(aims, 4), symbol_id = what == 1 ? ETH : 1 + random_below(aims, 2);
    int64_t               mark = engine_perps(f->engine)[symbol_id - 1].mark;
    const struct order   *order = find_order(aims, f->engine, what == 0 ? 2 : perps_number(symbol_id), is_resting);

    if (order == NULL) return false;
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    f->room.head.market = what == 0 ? MARKET_SPOT : MARKET_PERPS;
    f->room.replace_orders.count = 1;
    *item = (struct replace_order){ .symbol_id = what == 0 ? 2 : symbol_id, .orig_order_id = order->id };
    switch (what) {
    case 0: item->quantity = decimal_make(f->genesis.spot[1].step_size, 5); break;
    case 1: item->quantity = decimal_make(70000000, 4); break;
    case 2:
        item->price = decimal_make(PRICE_MAX, PRICE_SCALE(symbol_id));
        item->quantity = decimal_make(90000000, QUANTITY_SCALE(symbol_id));
        break;
    default:
        item->price = decimal_make((order->side == SIDE_BUY ? mark * 2 : mark / 2) / 10 * 10, PRICE_SCALE(symbol_id));
        break;
    }
    return true;
}

/* More of an order in a symbol that is only to be reduced. */
static bool more_of_it(struct aims *aims, struct fixture *f)
{
    for (uint32_t symbol_id = 1; symbol_id <= 2; symbol_id++) {
        const struct order *order = phase_of(f->engine, symbol_id) == PHASE_OPEN
                                      ? NULL
                                      : find_order(aims, f->engine, perps_number(symbol_id), is_opening);

        if (order == NULL) continue;
        fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
        f->room.head.market = MARKET_PERPS;
        f->room.replace_orders.count = 1;
        f->room.replace_orders.items[0] =
            (struct replace_order){ .symbol_id = symbol_id,
                                    .orig_order_id = order->id,
                                    .quantity = decimal_make(order->executed + order_open(order) * 2 + 1000000,
                                                             QUANTITY_SCALE(symbol_id)) };
        return true;
    }
    return false;
}

static bool is_one_of_several(const struct engine *e, const struct order *order)
{
    return is_resting(e, order) && level_at(e, order->level)->count > 1;
}

/* All levels are taken, and an order goes to a price without a level. */
static bool one_level_too_many(struct aims *aims, struct fixture *f)
{
    const struct engine *e = f->engine;
    uint32_t             symbol_id = 1 + random_below(aims, 2);
    bool                 perps = random_below(aims, 2) == 0;
    const struct order  *order =
        e->level_count < e->limits.levels
             ? NULL
             : find_order(aims, e, perps ? perps_number(symbol_id) : (uint8_t)symbol_id, is_one_of_several);
    const struct symbol *s = perps ? &f->genesis.perps[symbol_id - 1] : &f->genesis.spot[symbol_id - 1];
    int64_t              away;

    if (order == NULL) return false;
    away = s->tick_size * (1 + random_below(aims, 900));
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    f->room.head.market = perps ? MARKET_PERPS : MARKET_SPOT;
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] =
        (struct replace_order){ .symbol_id = symbol_id,
                                .orig_order_id = order->id,
                                .price =
                                    decimal_make(order->side == SIDE_BUY ? order->price - away : order->price + away,
                                                 (int)s->price_precision) };
    return true;
}

static struct perps_order *one_perps_order(struct aims *aims, struct fixture *f, uint32_t symbol_id, uint32_t count)
{
    fixture_head(f, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, count));
    f->room.head.market = MARKET_PERPS;
    f->room.place_perps.symbol_id = symbol_id;
    f->room.place_perps.count = count;
    for (uint32_t i = 0; i < count; i++)
        f->room.place_perps.items[i] =
            (struct perps_order){ .client_id = new_name(aims),
                                  .modifier = MODIFIER_NORMAL,
                                  .side = SIDE_BUY,
                                  .type = TYPE_LIMIT,
                                  .time_in_force = TIF_GTC,
                                  .position_side = POSITION_BOTH,
                                  .price = decimal_make(engine_perps(f->engine)[symbol_id - 1].mark / 10 * 10,
                                                        PRICE_SCALE(symbol_id)),
                                  .quantity = decimal_make(1000, QUANTITY_SCALE(symbol_id)) };
    return f->room.place_perps.items;
}

static void as_market(struct perps_order *item, struct decimal quantity)
{
    item->type = TYPE_MARKET;
    item->time_in_force = TIF_IOC;
    item->price = (struct decimal){ 0 };
    item->quantity = quantity;
}

/* A bracket with two stop-losses, or none but them. */
static void two_losses(struct perps_order items[3])
{
    items[0].modifier = MODIFIER_BRACKET;
    for (uint32_t i = 1; i < 3; i++) {
        items[i].modifier = MODIFIER_ATTACHED_STOP;
        items[i].reduce_only = 1;
        items[i].side = SIDE_SELL;
        items[i].stop_type = STOP_LOSS;
        items[i].trigger_type = TRIGGER_MARK_PRICE;
        items[i].stop_price = decimal_make(items[0].price.digits / 20 * 10, (int)items[0].price.scale);
    }
}

static bool perps_order(struct aims *aims, struct fixture *f)
{
    const struct symbol *s = &f->genesis.perps[1];
    uint32_t             what = random_below(aims, 8);
    struct perps_order  *item = one_perps_order(aims, f, ETH, what == 0 ? 3 : 1);

    switch (what) {
    case 0: two_losses(item); break;
    case 1:
        item->price = decimal_make(PRICE_MAX, 2);
        item->quantity = decimal_make(90000000, 4);
        break;
    case 2:
        as_market(item, (struct decimal){ 0 });
        item->funds = decimal_make(1 + 2 * random_below(aims, 1000), 9);
        break;
    case 3: item->quantity = decimal_make(s->step_size, 4); break;
    case 4: as_market(item, decimal_make(s->min_quantity, 4)); break;
    case 5: as_market(item, decimal_make(s->market_max_quantity + s->step_size, 4)); break;
    case 6: item->price = decimal_make(s->tick_size, 2); break;
    default: item->price.digits += 1; break;
    }
    return true;
}

/* A well-formed change of a stop, to values that no filter accepts. */
static bool modification(struct aims *aims, struct fixture *f)
{
    uint32_t             what = random_below(aims, 13), symbol_id = what < 5 ? ETH : 1 + random_below(aims, 2);
    const struct order  *order = find_order(aims, f->engine, perps_number(symbol_id),
                                           what == 3 || what == 4    ? is_armed_market
                                            : what >= 8 && what <= 10 ? is_armed_limit
                                            : what == 12              ? is_resting
                                                                      : is_armed);
    const struct symbol *s = &f->genesis.perps[symbol_id - 1];
    struct modify_order *item = &f->room.modify_order;
    int                  price = PRICE_SCALE(symbol_id), quantity = QUANTITY_SCALE(symbol_id);

    if (order == NULL) return false;
    fixture_head(f, CMD_MODIFY_ORDER, sizeof(*item));
    f->room.head.market = MARKET_PERPS;
    *item = (struct modify_order){ .symbol_id = symbol_id, .order_id = order->id };
    switch (what) {
    case 0: item->price = decimal_make(s->tick_size, price); break;
    case 1: item->stop_price = decimal_make(1001, price); break;
    case 2: item->quantity = decimal_make(s->step_size, quantity); break;
    case 3: item->quantity = decimal_make(s->min_quantity, quantity); break;
    case 4: item->quantity = decimal_make(s->market_max_quantity + s->step_size, quantity); break;
    case 5: item->quantity = decimal_make(1, 9); break;
    case 6: item->quantity = decimal_make(s->max_quantity * 2, quantity); break;
    case 7: item->price = decimal_make(PRICE_MAX, price - 1); break;
    case 8:
        item->price = decimal_make(PRICE_MAX, price);
        item->quantity = decimal_make(40000000, quantity);
        break;
    case 9:
        item->price = decimal_make(1000, price);
        item->quantity = decimal_make(s->market_min_quantity, quantity);
        break;
    case 10:
        item->price = decimal_make(PRICE_MAX / 1000000, price);
        item->quantity = decimal_make(40000000, quantity);
        break;
    case 12: item->stop_price = decimal_make(s->tick_size, price); break; /* an order that is no stop */
    default:
        item->order_id = 0;
        item->client_id.len = CLIENT_ID_MAX + 1;
        item->quantity = decimal_make(1000, quantity);
        break;
    }
    return true;
}

/* ---- what takes several commands ---- */

/* A stop on the position that is far from firing; quantity 0: all of it. */
static void a_far_stop(struct aims *aims, struct fixture *f, const struct position *position, int64_t quantity)
{
    uint32_t            symbol_id = market_at(f->engine, position->market)->symbol.id;
    bool                is_long = position->exposure.size > 0;
    struct perps_order *item = one_perps_order(aims, f, symbol_id, 1);

    item->modifier = MODIFIER_STOP;
    item->reduce_only = 1;
    item->side = is_long ? SIDE_SELL : SIDE_BUY;
    item->stop_type = STOP_LOSS;
    item->trigger_type = TRIGGER_MARK_PRICE;
    item->stop_price =
        decimal_make(is_long ? item->price.digits / 20 * 10 : item->price.digits * 2, (int)item->price.scale);
    item->quantity = decimal_make(quantity, QUANTITY_SCALE(symbol_id));
}

/* As many partial stops on a position as there may be, then one more, or a global one that is to become partial. */
static bool one_partial_too_many(struct aims *aims, struct fixture *f)
{
    const struct engine   *e = f->engine;
    uint32_t               ix = aims->slot != 0 ? 0 : find_position(aims, e, false);
    const struct position *position;
    struct stops_there     there;

    if (ix != 0) {
        aims->slot = position_at(e, ix)->account;
        aims->symbol_id = market_at(e, position_at(e, ix)->market)->symbol.id;
    }
    if (aims->slot == 0 || e->rules.armed_stops_per_account <= PARTIAL_STOPS_MAX) return false;
    position = position_find((struct engine *)(uintptr_t)e, aims->slot, perps_number(aims->symbol_id));
    if (position == NULL || position->exposure.size == 0) return false;
    aims->speaker = aims->slot;
    there = perps_check_stops_there(e, position, STOP_LOSS);
    if (there.partial < PARTIAL_STOPS_MAX || !there.global || random_below(aims, 2) == 0) {
        a_far_stop(aims, f, position, there.global ? 1000 : 0);
        return true;
    }
    aims->left = 0;
    for (uint32_t at = account_at(e, aims->slot)->order_head; at != 0; at = order_at(e, at)->account_next) {
        if (order_at(e, at)->market != position->market || !is_armed(e, order_at(e, at)) || stop_at(e, at)->cap != 0)
            continue;
        fixture_head(f, CMD_MODIFY_ORDER, sizeof(struct modify_order));
        f->room.head.market = MARKET_PERPS;
        f->room.modify_order = (struct modify_order){ .symbol_id = aims->symbol_id,
                                                      .order_id = order_at(e, at)->id,
                                                      .quantity = decimal_make(1000, QUANTITY_SCALE(aims->symbol_id)) };
        return true;
    }
    return false;
}

/* Revokes another user's key, because its slot is needed. */
static bool revoke_another(struct aims *aims, struct fixture *f)
{
    const struct engine *e = f->engine;

    for (uint32_t ix = 1; ix < e->key_end; ix++) {
        const struct api_key *key = engine_keys(e) + ix;

        if (!key->live || key->account == aims->slot) continue;
        fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
        f->room.revoke_key.name = key->name;
        aims->speaker = key->account;
        return true;
    }
    return false;
}

/* Keys for one account until it has as many as there may be, and one more. */
static bool one_key_too_many(struct aims *aims, struct fixture *f)
{
    const struct engine *e = f->engine;
    struct address       address = user(20000 + aims->named);
    bool                 room = e->key_end <= e->limits.keys;

    if (aims->slot == 0) aims->slot = SLOT_USERS + random_below(aims, e->account_end - SLOT_USERS);
    aims->speaker = aims->slot;
    for (uint32_t ix = 1; ix < e->key_end && !room; ix++)
        if (!engine_keys(e)[ix].live) {
            address = engine_keys(e)[ix].address;
            room = true;
        }
    if (account_at(e, account_at(e, aims->slot)->user)->key_count == KEYS_PER_OWNER) aims->left = 0;
    else if (!room) return revoke_another(aims, f);
    fixture_head(f, CMD_ADD_KEY, sizeof(struct add_key));
    f->room.add_key = (struct add_key){ .name = new_name(aims), .public_key = address, .key_type = 1 };
    return true;
}

/* A live key of a user, or 0. */
static uint32_t find_live_key(const struct engine *e, uint32_t user)
{
    for (uint32_t ix = 1; ix < e->key_end; ix++)
        if (engine_keys(e)[ix].live && account_at(e, engine_keys(e)[ix].account)->user == user) return ix;
    return 0;
}

/* A key that was revoked and whose address is no wallet, or 0. */
static uint32_t find_revoked_key(const struct engine *e)
{
    for (uint32_t ix = 1; ix < e->key_end; ix++)
        if (!engine_keys(e)[ix].live && account_find_owner(e, &engine_keys(e)[ix].address) == 0) return ix;
    return 0;
}

static bool has_revoked_enough(const struct engine *e, uint32_t user)
{
    const struct revocations *past = engine_revocations(e) + user;

    return past->count == REVOCATIONS_MAX && past->at_ms[past->next] + 3 * DAY_MS > e->time_ms;
}

/* A key is added and revoked, until its user has revoked as many as he may within three days, and one more. */
static bool one_revocation_too_many(struct aims *aims, struct fixture *f)
{
    const struct engine *e = f->engine;
    struct address       address = user(20000 + aims->named);
    uint32_t             live, past;

    if (aims->slot == 0) aims->slot = SLOT_USERS + random_below(aims, e->account_end - SLOT_USERS);
    aims->speaker = aims->slot;
    live = find_live_key(e, account_at(e, aims->slot)->user);
    if (live != 0) {
        if (has_revoked_enough(e, account_at(e, aims->slot)->user)) aims->left = 0;
        fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
        f->room.revoke_key.name = engine_keys(e)[live].name;
        return true;
    }
    past = find_revoked_key(e);
    if (past != 0) address = engine_keys(e)[past].address;
    else if (e->key_end > e->limits.keys) return revoke_another(aims, f);
    fixture_head(f, CMD_ADD_KEY, sizeof(struct add_key));
    f->room.add_key = (struct add_key){ .name = new_name(aims), .public_key = address, .key_type = 1 };
    return true;
}

/* ---- commands of the operator ---- */

/* A command that ends in the middle, as a later version might have it. */
static bool cut_short(struct aims *aims, struct fixture *f)
{
    uint16_t kind = 0;

    while (command_row(kind)->sender < SENDER_DEVELOPER || command_row(kind)->sender > SENDER_OPERATOR_ONCE)
        kind = (uint16_t)(1 + random_below(aims, CMD_TRANSFER_BETWEEN)); /* the last one of a venue */
    operator(f, kind, 0);
    return true;
}

static bool for_nothing(struct aims *aims, struct fixture *f)
{
    if (random_below(aims, 2) == 0) {
        operator(f, CMD_ADVANCE_TIME, sizeof(struct advance_time));
        f->room.advance_time.offset_ms = INT64_MAX - random_below(aims, 1000);
        return true;
    }
    operator(f, CMD_REDEEM, sizeof(struct redeem));
    f->room.redeem =
        (struct redeem){ .address = user(1), .amount = -(int64_t)random_below(aims, 2), .id = next_operator_id(f) };
    return true;
}

static bool settlement(struct aims *aims, struct fixture *f)
{
    struct settle_symbol *command = &f->room.settle_symbol;

    operator(f, CMD_SETTLE, sizeof(*command));
    *command = (struct settle_symbol){ .symbol_id = 1 + random_below(aims, 2), .id = next_operator_id(f) };
    switch (random_below(aims, 4)) {
    case 0: command->symbol_id = 3 + random_below(aims, 3); break;
    case 1: command->at_ms = f->time_ms + settle_notice_ms(&f->genesis.rules) - 1 - random_below(aims, 3000); break;
    case 2: command->at_ms = f->time_ms + SETTLE_NOTICE_MAX_MS + 1 + random_below(aims, 3000); break;
    default: break;
    }
    return true;
}

/* ---- what does not last ---- */

static void out_of_perps(struct aims *aims, struct fixture *f, uint32_t slot)
{
    fixture_transfer(f, MARKET_PERPS, UINT32_MAX + f->seq, TRANSFER_SPOT_WITHDRAW, 0, NULL);
    f->room.transfer_asset.amount = decimal_make(1 + random_below(aims, 1000), 6);
    aims->speaker = slot;
}

/* An operator moves money from this account to another one of its user. False: it has none. */
static bool between_accounts(struct aims *aims, struct fixture *f, uint32_t from)
{
    const struct engine *e = f->engine;
    uint32_t             to = SLOT_USERS;

    while (to < e->account_end && (to == from || account_at(e, to)->user != account_at(e, from)->user)) to++;
    if (to == e->account_end) return false;
    operator(f, CMD_TRANSFER_BETWEEN, sizeof(struct transfer_between));
    f->room.transfer_between = (struct transfer_between){ .from_account_id = (uint32_t)account_id_of(from),
                                                          .to_account_id = (uint32_t)account_id_of(to),
                                                          .coin_id = COIN_MARGIN,
                                                          .engine = MARKET_PERPS,
                                                          .id = next_operator_id(f) };
    f->room.transfer_between.amount = 1 + random_below(aims, 1000000);
    return true;
}

/* A user in liquidation takes money out, or asks to close a little and then changes the order to one that opens. */
static bool while_ill(struct aims *aims, struct fixture *f)
{
    const struct engine   *e = f->engine;
    uint32_t               ix = find_position(aims, e, true), symbol_id;
    const struct position *position = position_at(e, ix);
    struct perps_order    *item;

    if (ix == 0) return false;
    if (random_below(aims, 4) == 0 && between_accounts(aims, f, position->account)) {
        aims->left = 0;
        return true;
    }
    if (position->mode != MARGIN_ISOLATED && random_below(aims, 4) == 0) {
        aims->left = 0;
        out_of_perps(aims, f, position->account);
        return true;
    }
    symbol_id = market_at(e, position->market)->symbol.id;
    aims->speaker = position->account;
    for (uint32_t at = account_at(e, position->account)->order_head; at != 0; at = order_at(e, at)->account_next) {
        const struct order *order = order_at(e, at);

        if (order->market != position->market || !is_opening(e, order)) continue;
        fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
        f->room.head.market = MARKET_PERPS;
        f->room.replace_orders.count = 1;
        f->room.replace_orders.items[0] = (struct replace_order){
            .symbol_id = symbol_id,
            .orig_order_id = order->id,
            .quantity = decimal_make((order->executed + size_abs(position->exposure.size) + 1000) / 2 * 2,
                                     QUANTITY_SCALE(symbol_id))
        };
        return true;
    }
    item = one_perps_order(aims, f, symbol_id, 1);
    item->side = position->exposure.size > 0 ? SIDE_SELL : SIDE_BUY;
    item->price.digits = item->side == SIDE_SELL ? item->price.digits / 1000 * 1040 : item->price.digits / 1000 * 960;
    item->quantity.digits = min_i64(1000, size_abs(position->exposure.size));
    return true;
}

/* An announced settlement is announced again, or withdrawn, in time or too late. */
static bool while_it_settles(struct aims *aims, struct fixture *f, uint32_t symbol_id)
{
    operator(f, CMD_SETTLE, sizeof(struct settle_symbol));
    f->room.settle_symbol = (struct settle_symbol){ .symbol_id = symbol_id, .id = next_operator_id(f) };
    if (random_below(aims, 2) == 0) f->room.settle_symbol.at_ms = f->time_ms + 2 * settle_notice_ms(&f->genesis.rules);
    return true;
}

/* ---- all of them ---- */

/* The aims, the number of commands of each, and their frequency. */
/* clang-format off */
static const struct row { bool (*make)(struct aims *aims, struct fixture *f); uint32_t commands, share; } rows[] = {
    { spot_order, 1, 2 }, { replacement, 1, 3 }, { perps_order, 1, 3 }, { modification, 1, 12 },
      { one_partial_too_many, 14, 1 },
    { one_key_too_many, 16, 1 }, { one_revocation_too_many, 80, 1 }, { cut_short, 1, 2 }, { for_nothing, 1, 1 },
      { settlement, 1, 1 }, { while_ill, 2, 0 },
};
/* clang-format on */
#define ILL    (ARRAY_COUNT(rows) - 1)
#define SHARES 27

static uint32_t draw_row(struct aims *aims)
{
    uint32_t at = random_below(aims, SHARES), row = 0;

    while (at >= rows[row].share) at -= rows[row++].share;
    assert(row < ILL);
    return row;
}

static bool begin(struct aims *aims, struct fixture *f, uint32_t row)
{
    aims->next = row;
    aims->slot = 0;
    aims->left = rows[row].commands;
    return aims->left-- != 0 && rows[row].make(aims, f);
}

static bool look_around(struct aims *aims, struct fixture *f)
{
    const struct engine *e = f->engine;

    if (begin(aims, f, ILL)) return true;
    aims->left = 0;
    for (uint32_t symbol_id = 1; symbol_id <= e->perps_count; symbol_id++)
        if (phase_of(e, symbol_id) == PHASE_SETTLING && random_below(aims, 3) == 0)
            return while_it_settles(aims, f, symbol_id);
    if (random_below(aims, 2) == 0 && more_of_it(aims, f)) return true;
    if (one_level_too_many(aims, f)) return true;
    if (!e->insolvent || random_below(aims, 2) != 0) return false;
    out_of_perps(aims, f, SLOT_USERS + random_below(aims, e->account_end - SLOT_USERS));
    return true;
}

void aims_begin(struct aims *aims, uint64_t seed)
{
    *aims = (struct aims){ .rolls = seed * UINT64_C(0xd1342543de82ef95) + 1 };
}

bool aims_next(struct aims *aims, struct fixture *f)
{
    aims->speaker = 0;
    if (aims->left != 0) {
        aims->left -= 1;
        if (rows[aims->next].make(aims, f)) return true;
        aims->left = 0;
    }
    if (f->seq % LOOK_EVERY == 0 && look_around(aims, f)) return true;
    if (random_below(aims, ONE_IN) != 0) return false;
    if (begin(aims, f, draw_row(aims))) return true;
    aims->left = 0;
    return false;
}
