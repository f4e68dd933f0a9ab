/* SPDX-License-Identifier: MIT */
/*
 * act.c — a row of an action becomes a command of the account. Rows that name nothing (a slot without order, an unknown
 * symbol, a price that is none) are refused here, without a command.
 */
#include "environment/environment.h"

enum { ACTION_KIND, ACTION_SYMBOL, ACTION_SIDE, ACTION_PRICE, ACTION_QUANTITY, ACTION_TIF, ACTION_SLOT };

#define TICKS_MAX INT64_C(1000000000000) /* of an action's price and quantity */

struct wish {
    const struct seen *seen;
    uint8_t            side; /* enum side */
    uint8_t            tif;
    struct decimal     price, quantity; /* zero = not given */
};

static void refuse(struct dojima_environment *environment, uint16_t reject)
{
    environment->account[ACCOUNT_REFUSED] += 1;
    if (environment->account[ACCOUNT_REJECT] == 0) environment->account[ACCOUNT_REJECT] = reject;
}

/* Price units of an action's ticks; 0: there is no such price. */
static int64_t price_of(const struct dojima_environment *environment, const struct seen *seen, uint32_t side,
                        int64_t ticks)
{
    int64_t tick = seen->symbol->tick_size, best = best_price(seen, side);

    if (environment->setup.absolute != 0) return ticks > 0 ? ticks * tick : 0;
    if (best == 0) best = seen->words[SYMBOL_LAST] - seen->words[SYMBOL_LAST] % tick;
    return max_i64(0, side == 0 ? best + ticks * tick : best - ticks * tick);
}

static bool is_small(int64_t value) { return value >= -TICKS_MAX && value <= TICKS_MAX; }

/* Price and quantity of a row; those of 0 quantity are not given. */
static bool read_wish(const struct dojima_environment *environment, const int64_t *action, struct wish *wish)
{
    static const uint8_t tifs[] = { TIF_GTC, TIF_IOC, TIF_GTX };
    int64_t              price, quantity = action[ACTION_QUANTITY];

    if (action[ACTION_TIF] < 0 || action[ACTION_TIF] > 2 || action[ACTION_SIDE] < 0 || action[ACTION_SIDE] > 1)
        return false;
    if (!is_small(action[ACTION_PRICE]) || quantity < 0 || !is_small(quantity)) return false;
    price = price_of(environment, wish->seen, (uint32_t)action[ACTION_SIDE], action[ACTION_PRICE]);
    if (price <= 0 || price > PRICE_MAX || quantity > QUANTITY_MAX / wish->seen->symbol->step_size) return false;
    wish->side = (uint8_t)(SIDE_BUY + action[ACTION_SIDE]);
    wish->tif = tifs[action[ACTION_TIF]];
    wish->price = decimal_make(price, (int)wish->seen->symbol->price_precision);
    wish->quantity =
        decimal_make(quantity * wish->seen->symbol->step_size, (int)wish->seen->symbol->quantity_precision);
    return true;
}

static void begin(struct dojima_environment *environment, struct command_room *room, uint16_t kind, uint8_t market,
                  size_t payload)
{
    room->head =
        (struct command){ .bytes = (uint32_t)align_up(sizeof(room->head) + payload, 8),
                          .kind = kind,
                          .market = market,
                          .domain = COMMAND_IMPERSONATED | (market == MARKET_PERPS ? DOMAIN_FUTURES : DOMAIN_SPOT),
                          .signer = environment->address };
    memset(&room->head + 1, 0, room->head.bytes - sizeof(room->head));
    room->place_orders.account_id = ENVIRONMENT_ACCOUNT;
    room->place_orders.count = 1;
}

static struct client_id next_id(struct dojima_environment *environment)
{
    struct client_id id = { 0 };
    struct out       out = out_make(id.at, CLIENT_ID_MAX);

    out_char(&out, 'a');
    out_u64(&out, ++environment->ids);
    id.len = (uint8_t)out.len;
    return id;
}

/* The first event behind COMMAND_BEGAN says whether the account's command was taken. */
static void run(struct dojima_environment *environment, struct command *command)
{
    const struct events *events = (const void *)&environment->events;
    size_t               from = events->len;
    const struct event  *event;

    environment_apply(environment, command);
    if (events->len < from) from = 0;
    for (event = events_at(events, from); event != NULL; event = events_next(events, event)) {
        const void *at = event;

        if (event->kind == EVENT_REFUSED) refuse(environment, ((const struct refused *)at)->reject);
        if (event->kind != EVENT_RESULT) continue;
        if (((const struct result *)at)->reject != REJECT_NONE)
            refuse(environment, ((const struct result *)at)->reject);
    }
}

static void place_spot(struct dojima_environment *environment, const struct wish *wish)
{
    UNTOUCHED struct command_room room;

    begin(environment, &room, CMD_PLACE_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(place_orders, 1));
    room.place_orders.items[0] = (struct new_order){ .symbol_id = wish->seen->symbol->id,
                                                     .client_id = next_id(environment),
                                                     .side = wish->side,
                                                     .type = TYPE_LIMIT,
                                                     .time_in_force = wish->tif,
                                                     .price = wish->price,
                                                     .quantity = wish->quantity };
    run(environment, &room.head);
}

static void place_perps(struct dojima_environment *environment, const struct wish *wish)
{
    UNTOUCHED struct command_room room;

    begin(environment, &room, CMD_PLACE_PERPS, MARKET_PERPS, PAYLOAD_BYTES(place_perps, 1));
    room.place_perps.symbol_id = wish->seen->symbol->id;
    room.place_perps.items[0] = (struct perps_order){ .client_id = next_id(environment),
                                                      .modifier = MODIFIER_NORMAL,
                                                      .side = wish->side,
                                                      .type = TYPE_LIMIT,
                                                      .time_in_force = wish->tif,
                                                      .position_side = POSITION_BOTH,
                                                      .price = wish->price,
                                                      .quantity = wish->quantity };
    run(environment, &room.head);
}

/* An order that could not be shown is not placed: the account would not know it. */
static void place(struct dojima_environment *environment, const int64_t *action, struct wish *wish)
{
    bool shown = wish->seen != NULL && environment->account[ACCOUNT_OPEN] < environment->setup.orders;

    if (wish->seen == NULL || !read_wish(environment, action, wish)) refuse(environment, REJECT_NUMBER_RANGE);
    else if (!shown) refuse(environment, REJECT_CAPACITY);
    else if (wish->seen->market == MARKET_PERPS) place_perps(environment, wish);
    else place_spot(environment, wish);
}

static void cancel(struct dojima_environment *environment, const int64_t *order)
{
    const struct seen            *seen = &environment->seen[order[ORDER_SYMBOL] - 1];
    UNTOUCHED struct command_room room;

    if (seen->market == MARKET_PERPS) {
        begin(environment, &room, CMD_CANCEL_PERPS, MARKET_PERPS, PAYLOAD_BYTES(cancel_perps, 1));
        room.cancel_perps.items[0] =
            (struct perps_cancel){ .symbol_id = seen->symbol->id, .order_id = (uint64_t)order[ORDER_ID] };
    } else {
        begin(environment, &room, CMD_CANCEL_ORDERS, MARKET_SPOT, PAYLOAD_BYTES(cancel_orders, 1));
        room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = seen->symbol->id,
                                                             .client_id = next_id(environment),
                                                             .order_id = (uint64_t)order[ORDER_ID] };
    }
    run(environment, &room.head);
}

static void replace(struct dojima_environment *environment, const int64_t *action, const int64_t *order)
{
    struct wish                   wish = { .seen = &environment->seen[order[ORDER_SYMBOL] - 1] };
    int64_t                       row[DOJIMA_ACTION_WORDS];
    UNTOUCHED struct command_room room;

    memcpy(row, action, sizeof(row));
    row[ACTION_SIDE] = order[ORDER_SIDE]; /* the order's own */
    if (!read_wish(environment, row, &wish)) {
        refuse(environment, REJECT_NUMBER_RANGE);
        return;
    }
    begin(environment, &room, CMD_REPLACE_ORDERS, wish.seen->market, PAYLOAD_BYTES(replace_orders, 1));
    room.replace_orders.items[0] = (struct replace_order){ .symbol_id = wish.seen->symbol->id,
                                                           .orig_order_id = (uint64_t)order[ORDER_ID],
                                                           .price = wish.price,
                                                           .quantity = wish.quantity };
    run(environment, &room.head);
}

static void cancel_all(struct dojima_environment *environment, int64_t symbol)
{
    for (uint32_t i = 0; i < environment->setup.orders; i++) {
        const int64_t *order = environment->orders + i * DOJIMA_ORDER_WORDS;

        if (order[ORDER_ID] != 0 && order[ORDER_SYMBOL] == symbol + 1) cancel(environment, order);
    }
}

void act(struct dojima_environment *environment, const int64_t action[DOJIMA_ACTION_WORDS])
{
    int64_t symbol = action[ACTION_SYMBOL], slot = action[ACTION_SLOT];
    bool    known = symbol >= 0 && symbol < environment->symbol_count;
    bool    has_order =
        slot >= 0 && slot < environment->setup.orders && environment->orders[slot * DOJIMA_ORDER_WORDS + ORDER_ID] != 0;
    struct wish wish = { .seen = known ? &environment->seen[symbol] : NULL };

    switch (action[ACTION_KIND]) {
    case DOJIMA_ACT_PLACE: place(environment, action, &wish); return;
    case DOJIMA_ACT_CANCEL:
    case DOJIMA_ACT_REPLACE:
        if (!has_order) refuse(environment, REJECT_ORDER_NOT_FOUND);
        else if (action[ACTION_KIND] == DOJIMA_ACT_CANCEL)
            cancel(environment, environment->orders + slot * DOJIMA_ORDER_WORDS);
        else replace(environment, action, environment->orders + slot * DOJIMA_ORDER_WORDS);
        return;
    case DOJIMA_ACT_CANCEL_ALL:
        if (known) cancel_all(environment, symbol);
        else refuse(environment, REJECT_NUMBER_RANGE);
        return;
    default: refuse(environment, REJECT_ENUM_RANGE);
    }
}
