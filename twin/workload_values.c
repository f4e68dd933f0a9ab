/* SPDX-License-Identifier: MIT */
/* workload_values.c — what commands are made of: prices, quantities and ids, many of them beside a limit. */
#include "workload_inside.h"

void command_head(struct workload *work, struct command_room *room, uint16_t kind, uint8_t market, size_t payload)
{
    memset(room, 0, sizeof(*room));
    room->head.kind = kind;
    room->head.market = market;
    room->head.bytes = (uint32_t)(sizeof(struct command) + payload);
    room->head.time_ms = work->time_ms;
}

/* A number of units around a limit, on it, or anywhere. */
int64_t near_to(struct workload *work, int64_t limit, int64_t step)
{
    return limit + step * ((int64_t)random_below(&work->random_state, 3) - 1);
}

/* As large and as exact as it likes. */
struct decimal a_wild_decimal(struct random_state *d)
{
    int64_t digits = (int64_t)1 << random_below(d, 59);

    return (struct decimal){ digits, random_below(d, 19), 0 };
}

/* A price on the tick near the last one, near a band's end, or somewhere. */
struct decimal a_price(struct workload *work, const struct twin *twin, const struct symbol *s)
{
    struct random_state *d = &work->random_state;
    int64_t              last = twin->state[s->market][s->id - 1].last, price;

    if (last == 0) last = s->reference_price != 0 ? s->reference_price : 50000;
    price = last + s->tick_size * ((int64_t)random_below(d, work->spread) - work->spread / 2);
    if (one_in(d, work->edge)) {
        switch (random_below(d, 5)) {
        case 0:
            price = near_to(work, (int64_t)((int128_t)last * (100000000 + s->buy_limit_up_ratio) / 100000000), 1);
            break;
        case 1:
            price = near_to(work, (int64_t)((int128_t)last * (100000000 - s->sell_limit_down_ratio) / 100000000), 1);
            break;
        case 2: price = near_to(work, s->min_price, s->tick_size); break;
        case 3: price = near_to(work, s->max_price, s->tick_size); break;
        default: price = 1 + random_below(d, (uint32_t)(last > 1000000000 ? 1000000000 : 2 * last)); break;
        }
    }
    if (!one_in(d, 8 * work->edge)) price -= price % s->tick_size;
    if (price < 1) price = s->tick_size;
    return decimal_units(price, s->price_precision);
}

struct decimal a_quantity(struct workload *work, const struct twin *twin, const struct symbol *s,
                          const struct account *account)
{
    struct random_state *d = &work->random_state;
    int64_t              quantity = s->step_size * (1 + random_below(d, one_in(d, 10) ? 12000 : 400));

    if (one_in(d, work->edge)) {
        switch (random_below(d, 6)) {
        case 0: quantity = near_to(work, s->min_quantity, s->step_size); break;
        case 1: quantity = near_to(work, s->max_quantity, s->step_size); break;
        case 2: quantity = near_to(work, s->market_min_quantity, s->step_size); break;
        case 3: quantity = near_to(work, s->market_max_quantity, s->step_size); break;
        default:
            if (account != NULL && s->market == MARKET_SPOT)
                quantity = near_to(work,
                                   (int64_t)(available(twin, account, s->base_coin_id)
                                             / power10((int)twin->genesis.coins[s->base_coin_id].precision
                                                       - (int)s->quantity_precision)),
                                   1);
            break;
        }
    }
    if (!one_in(d, 8 * work->edge)) quantity -= quantity % s->step_size;
    return decimal_units(quantity < 1 ? s->step_size : quantity, s->quantity_precision);
}

struct client_id an_id(struct workload *work)
{
    char at[16];

    (void)snprintf(at, sizeof(at), "id%u",
                   random_below(&work->random_state, one_in(&work->random_state, 4) || work->risky ? 4000 : 60));
    return text(at);
}

const struct symbol *some_symbol(struct workload *work, const struct twin *twin)
{
    return &twin->genesis.spot[random_below(&work->random_state, twin->genesis.spot_count)];
}

uint64_t an_order_id(struct workload *work, const struct twin *twin, uint8_t market)
{
    struct random_state *d = &work->random_state;

    if (!one_in(d, 4) && twin->order_count > 0) {
        const struct order *order = &twin->orders[random_below(d, twin->order_count)];
        if (order->market == market) return order->is.base.order_id;
    }
    return 1 + random_below(d, (uint32_t)(twin->next_order + 2));
}

struct operator_id an_operator_id(struct workload *work)
{
    struct operator_id id = { { 0 } };
    uint64_t number = one_in(&work->random_state, 4) ? 1 + random_below(&work->random_state, 9) : ++work->operator_id;

    memcpy(id.bytes, &number, sizeof(number));
    return id;
}
