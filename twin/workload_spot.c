/* SPDX-License-Identifier: MIT */
/* workload_spot.c — commands of the spot side, of accounts and of the operator. */
#include "workload_inside.h"

void an_order(struct workload *work, const struct twin *twin, const struct account *account, struct new_order *item)
{
    struct random_state *d = &work->random_state;
    const struct symbol *s = some_symbol(work, twin);
    uint32_t             quote = twin->genesis.coins[s->quote_coin_id].precision;

    *item = (struct new_order){ .symbol_id = s->id, .client_id = an_id(work), .type = TYPE_LIMIT };
    item->side = (uint8_t)(1 + random_below(d, 2));
    item->time_in_force = (uint8_t)PICK(d, TIF_GTC, TIF_GTC, TIF_GTC, TIF_IOC, TIF_GTX);
    item->price = a_price(work, twin, s);
    item->quantity = a_quantity(work, twin, s, account);
    if (one_in(d, work->edge) && account != NULL && item->side == SIDE_BUY
        && item->price.digits != 0) { /* what there is, to the unit */
        int128_t price;
        int64_t  has = available(twin, account, s->quote_coin_id), all;
        if (units_of(item->price, s->price_precision, &price) && price > 0) {
            all = (int64_t)((int128_t)has * power10((int)(s->price_precision + s->quantity_precision))
                            / power10((int)quote) / price);
            all = near_to(work, all - all % s->step_size, s->step_size);
            if (all > 0) item->quantity = decimal_units(all, s->quantity_precision);
        }
    }
    if (one_in(d, 6)) {
        item->type = TYPE_MARKET;
        item->time_in_force = TIF_IOC;
        if (one_in(d, 2)) item->price = (struct decimal){ 0 };
        if (item->side == SIDE_BUY && one_in(d, 2)) {
            int64_t funds = 1 + random_below(d, 2000000000);

            if (one_in(d, work->edge))
                funds = near_to(work,
                                PICK(d, s->min_notional, s->max_notional,
                                     account == NULL ? 1 : available(twin, account, s->quote_coin_id)),
                                1);
            item->funds = decimal_units(funds < 1 ? 1 : funds, quote + (one_in(d, 60) ? 1 : 0));
            item->quantity = (struct decimal){ 0 };
        }
    }
    if (one_in(d, 70)) item->symbol_id = random_below(d, 6);
    if (one_in(d, 70)) item->time_in_force = (uint8_t)(1 + random_below(d, 4));
    if (one_in(d, 150)) item->price = a_wild_decimal(d);
    if (one_in(d, 150)) item->quantity = a_wild_decimal(d);
    if (one_in(d, 150)) item->funds = decimal_units(1 + random_below(d, 100), 2);
    if (one_in(d, 200)) item->quantity = (struct decimal){ 0 };
}

void a_cancel(struct workload *work, const struct twin *twin, struct cancel_order *item)
{
    struct random_state *d = &work->random_state;

    *item = (struct cancel_order){ .symbol_id = some_symbol(work, twin)->id };
    item->client_id = an_id(work);
    if (one_in(d, 2)) {
        item->order_id = an_order_id(work, twin, MARKET_SPOT);
        for (uint32_t i = 0; i < twin->order_count; i++)
            if (twin->orders[i].is.base.order_id == item->order_id && !one_in(d, 20))
                item->symbol_id = twin->orders[i].is.base.symbol_id;
    }
    if (one_in(d, 6)) item->orig_client_id = an_id(work);
    if (one_in(d, 60)) item->symbol_id = random_below(d, 6);
}

void a_replace(struct workload *work, struct twin *twin, uint64_t account_id, struct replace_order *item)
{
    struct random_state *d = &work->random_state;
    const struct symbol *s = some_symbol(work, twin);
    const struct order  *order = NULL;

    for (uint32_t i = 0, n = random_below(d, 8); i < twin->order_count; i++)
        if (twin->orders[i].market == MARKET_SPOT && twin->orders[i].is.base.account_id == account_id
            && (order == NULL || n-- > 0))
            order = &twin->orders[i];
    *item = (struct replace_order){ .symbol_id = s->id, .client_id = an_id(work) };
    if (order != NULL && !one_in(d, 10)) {
        s = &twin->genesis.spot[order->is.base.symbol_id - 1];
        item->symbol_id = s->id;
        if (one_in(d, 2)) item->orig_order_id = order->is.base.order_id;
        else item->orig_client_id = one_in(d, 2) && order->alias.len != 0 ? order->alias : order->is.base.client_id;
    } else item->orig_client_id = an_id(work);
    if (one_in(d, 2)) item->price = a_price(work, twin, s);
    if (one_in(d, 2)) item->quantity = a_quantity(work, twin, s, NULL);
    if (order != NULL && one_in(d, 3))
        item->quantity =
            decimal_units(order->is.base.executed + s->step_size * random_below(d, 4), s->quantity_precision);
    if (order != NULL && one_in(d, 8)) item->price = decimal_of(order->is.base.price, s->price_precision);
    if (order != NULL && one_in(d, 8)) item->client_id = order->is.base.client_id;
    if (one_in(d, 80)) {
        item->orig_order_id = 1 + random_below(d, 99);
        if (item->orig_order_id > 90) item->orig_order_id = UINT64_MAX;
    }
    if (one_in(d, 80)) item->symbol_id = random_below(d, 6);
}

void a_transfer(struct workload *work, const struct twin *twin, const struct account *account,
                struct command_room *room)
{
    struct random_state *d = &work->random_state;
    uint8_t type = (uint8_t)PICK(d, TRANSFER_EVM_WITHDRAW, TRANSFER_PERPS_WITHDRAW, TRANSFER_PERPS_WITHDRAW,
                                 TRANSFER_SPOT_WITHDRAW);
    struct transfer_asset *t = &room->transfer_asset;
    uint32_t               coin;
    int64_t                amount;

    command_head(work, room, CMD_TRANSFER, type == TRANSFER_SPOT_WITHDRAW ? MARKET_PERPS : MARKET_SPOT, sizeof(*t));
    coin = type == TRANSFER_EVM_WITHDRAW ? random_below(d, twin->genesis.coin_count) : COIN_MARGIN;
    amount = 1 + random_below(d, 20000000);
    if (account != NULL && one_in(d, work->edge))
        amount = near_to(work, room->head.market == MARKET_PERPS ? account->wallet : available(twin, account, coin), 1);
    *t = (struct transfer_asset){ .id = twin->seq / 40 + random_below(d, 60),
                                  .to_account_id = ACCOUNT_BRIDGE,
                                  .coin_id = coin,
                                  .type = type,
                                  .amount =
                                      decimal_units(amount < 1 ? 1 : amount, twin->genesis.coins[coin].precision) };
    if (one_in(d, 20)) t->coin_id = random_below(d, 6);
    if (one_in(d, 20)) t->type = (uint8_t)random_below(d, 10);
    if (one_in(d, 20)) t->to_account_id = 995 + random_below(d, 10);
    if (one_in(d, 20)) t->amount = a_wild_decimal(d);
    if (one_in(d, 20)) t->id = 1 + random_below(d, 5);
}

void a_key(struct workload *work, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    char                 name[8];

    (void)snprintf(name, sizeof(name), "k%u", random_below(d, 7));
    if (one_in(d, 3)) {
        command_head(work, room, CMD_REVOKE_KEY, 0, sizeof(struct revoke_key));
        room->revoke_key.name = text(name);
    } else {
        command_head(work, room, CMD_ADD_KEY, 0, sizeof(struct add_key));
        room->add_key = (struct add_key){ .name = text(name),
                                          .key_type = KEY_EVM,
                                          .public_key = user(one_in(d, 15) ? 1 + random_below(d, work->users)
                                                                           : KEY_USERS + random_below(d, 12)) };
        room->add_key.permissions = one_in(d, 3) ? random_below(d, 16) : 0;
        if (one_in(d, 4))
            room->add_key.expires_ms =
                (uint64_t)(work->time_ms - 2 + (one_in(d, 2) ? random_below(d, 5) : random_below(d, 100000)));
        if (one_in(d, 40)) room->add_key.name = text("default");
    }
}

void a_deposit(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    uint32_t             coin = random_below(d, twin->genesis.coin_count), who = 1 + random_below(d, work->users);
    int64_t              unit = (int64_t)power10((int)twin->genesis.coins[coin].precision),
            amount = unit * (int64_t)(1 + random_below(d, coin == 0 ? 100000 : 50));

    amount /= 1 + random_below(d, 3);
    if (one_in(d, 10 * work->edge)) amount = near_to(work, AMOUNT_MAX - twin->inside[coin], 1);
    if (amount > 0 && amount > (AMOUNT_MAX >> 8) && !one_in(d, 50))
        amount = unit; /* a full coin is the end of deposits: seldom */
    command_head(work, room, CMD_DEPOSIT, 0, sizeof(struct deposit));
    room->deposit = (struct deposit){ .address = user(one_in(d, 60) ? KEY_USERS + random_below(d, 12) : who),
                                      .coin_id = coin,
                                      .amount = amount < 1 ? 1 : amount,
                                      .engine = MARKET_SPOT };
    room->deposit.account_id = one_in(d, 5) ? ACCOUNT_FIRST + random_below(d, 9) : 0;
    room->deposit.id = an_operator_id(work);
    if (one_in(d, work->risky ? 2 : 4)) {
        room->deposit.engine = MARKET_PERPS;
        room->deposit.coin_id = one_in(d, 8) ? coin : 0;
    }
    if (one_in(d, 60)) room->deposit.coin_id = 9;
}

void a_mode(struct workload *work, uint8_t mode, struct command_room *room)
{
    command_head(work, room, CMD_SET_MODE, 0, sizeof(struct set_mode));
    room->set_mode = (struct set_mode){ .mode = mode, .id = an_operator_id(work) };
}

/* A place or two more of something, or what cannot be. */
static void a_limit(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    uint8_t              pool = (uint8_t)(1 + random_below(d, LIMITS - 1));
    uint32_t             places = limits_get(&twin->genesis.limits, pool) + random_below(d, 3);

    command_head(work, room, CMD_RAISE_LIMIT, 0, sizeof(struct raise_limit));
    room->raise_limit = (struct raise_limit){ .pool = pool, .places = places, .id = an_operator_id(work) };
    if (one_in(d, 8)) room->raise_limit.places = (uint32_t)PICK(d, 0, 1, 100000001, UINT32_MAX);
    if (one_in(d, 16)) room->raise_limit.pool = (uint8_t)PICK(d, 0, LIMITS, 255);
}

/* Between accounts of one user or of anybody, sometimes all that may leave and a little more. */
static void a_transfer_between(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    struct account      *from = &twin->accounts[random_below(d, twin->account_count)];
    struct account      *to = &twin->accounts[random_below(d, twin->account_count)];
    uint8_t              engine = one_in(d, 2) ? MARKET_PERPS : MARKET_SPOT;
    uint32_t coin = engine == MARKET_PERPS && !one_in(d, 16) ? COIN_MARGIN : random_below(d, twin->genesis.coin_count);

    for (uint32_t i = 0; i < 8 && (to == from || to->user_id != from->user_id); i++)
        to = &twin->accounts[random_below(d, twin->account_count)];
    if (one_in(d, 3))
        for (uint32_t i = 0; i < twin->account_count; i++)
            if (&twin->accounts[i] != from && twin->accounts[i].user_id == from->user_id) to = &twin->accounts[i];
    command_head(work, room, CMD_TRANSFER_BETWEEN, 0, sizeof(struct transfer_between));
    room->transfer_between = (struct transfer_between){
        .from_account_id = (uint32_t)from->id, .to_account_id = (uint32_t)to->id, .coin_id = coin, .engine = engine
    };
    room->transfer_between.amount = 1 + random_below(d, 3000000);
    room->transfer_between.id = an_operator_id(work);
    if (one_in(d, 3))
        room->transfer_between.amount =
            near_to(work, engine == MARKET_PERPS ? from->wallet : available(twin, from, coin), 1);
    if (one_in(d, 30)) room->transfer_between.engine = (uint8_t)random_below(d, 4);
    if (one_in(d, 30)) room->transfer_between.coin_id = random_below(d, 9);
    if (one_in(d, 30)) room->transfer_between.to_account_id = 995 + random_below(d, 10);
    if (one_in(d, 30)) room->transfer_between.amount = -(int64_t)random_below(d, 2);
}

void an_operator_command(struct workload *work, struct twin *twin, struct command_room *room)
{
    struct random_state *d = &work->random_state;
    struct account      *account = &twin->accounts[random_below(d, twin->account_count)];
    struct address       who = one_in(d, 5) ? user(1 + random_below(d, 70)) : account->owner;
    uint32_t             coin = random_below(d, twin->genesis.coin_count);
    int64_t              step = one_in(d, 4) ? random_below(d, 100000) : 0;

    if (work->modes != 0 && twin->said_count + 9 < twin->genesis.limits.deposits
        && one_in(d, work->modes)) { /* otherwise no command could end it */
        a_mode(work, (uint8_t)PICK(d, VENUE_CANCEL_ONLY, VENUE_REDUCE_ONLY, VENUE_REDUCE_ONLY, VENUE_RUN, 0, 4), room);
        return;
    }
    if (work->betweens && one_in(d, 2)) {
        a_transfer_between(work, twin, room);
        return;
    }
    if (work->raises && one_in(d, 4)) {
        a_limit(work, twin, room);
        return;
    }
    switch (random_below(d, 6)) {
    case 5:
        command_head(work, room, CMD_SET_STAKING, 0, sizeof(struct set_staking));
        room->set_staking = (struct set_staking){ .owner = who, .id = an_operator_id(work) };
        room->set_staking.tier = random_below(d, 5);
        break;
    case 3:
        command_head(work, room, CMD_CANCEL_FOR, 0, sizeof(struct cancel_for));
        room->cancel_for.engine = (uint8_t)random_below(d, 3);
        room->cancel_for.id = an_operator_id(work);
        if (one_in(d, 2)) room->cancel_for.symbol_id = random_below(d, 4);
        if (!one_in(d, 3)) room->cancel_for.account_id = (uint32_t)account->id;
        break;
    case 0:
        command_head(work, room, CMD_REDEEM, 0, sizeof(struct redeem));
        room->redeem = (struct redeem){ .address = who,
                                        .coin_id = coin,
                                        .amount = one_in(d, 3) ? near_to(work, account->evm[coin], 1)
                                                               : 1 + random_below(d, 3000000) };
        room->redeem.id = an_operator_id(work);
        if (room->redeem.amount < 1) room->redeem.amount = 1;
        break;
    case 1:
        command_head(work, room, CMD_OPEN_ACCOUNT, 0, sizeof(struct open_account));
        room->open_account = (struct open_account){ .owner = who, .id = an_operator_id(work) };
        break;
    case 2:
        command_head(work, room, CMD_ADVANCE_TIME, 0, sizeof(struct advance_time));
        room->advance_time.offset_ms = twin->offset_ms + step - (one_in(d, 8) ? 1 : 0);
        break;
    default:
        command_head(work, room, CMD_SET_MARKET, 0, sizeof(struct set_market));
        room->set_market =
            (struct set_market){ .symbol_id = 1 + random_below(d, one_in(d, 10) ? 6 : twin->genesis.spot_count),
                                 .engine = MARKET_SPOT };
        room->set_market.status = one_in(d, 8) ? SYMBOL_HALT : SYMBOL_TRADING;
        room->set_market.id = an_operator_id(work);
        break;
    }
}
