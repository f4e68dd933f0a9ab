/* SPDX-License-Identifier: MIT */
/* random_flow_mutate.c — what is wrong with a command: one member becomes something else. */
#include "random_flow_inside.h"

#include "rigs/core/perps_random_flow.h"

static struct decimal a_bad_decimal(void)
{
    int64_t digits;

    switch (random_below(6)) {
    case 0: return (struct decimal){ -(int64_t)random_below(1000), 2, 0 };
    case 1: digits = INT64_C(1) << random_below(62); return (struct decimal){ digits, random_below(19), 0 };
    case 2: return decimal_make(1 + random_below(10), 9);
    case 3: return decimal_make(1, (int)random_below(7));
    case 4: return decimal_make(INT64_C(999999999999999), 0);
    default: return (struct decimal){ 0 };
    }
}

/* Well formed, and at the edge of the allowed range. */
static struct decimal an_edge_quantity(void)
{
    static const int64_t units[] = {
        1, 2, 9, 10, 5000000, 9999999, 10000000, 10000001, 99999999, 100000000, 100000001
    };
    int scale = 4 + (int)random_below(2);

    return decimal_make(units[random_below(ARRAY_COUNT(units))], scale);
}

static struct decimal a_far_price(const struct fixture *f, bool perps, uint32_t symbol_id)
{
    if (perps) return near_price(f, 1 + (symbol_id - 1) % 2, 1600);
    return decimal_make(900000 + random_below(200001), symbol_id == 1 ? 1 : 3);
}

static struct client_id a_bad_id(void)
{
    switch (random_below(4)) {
    case 0: return (struct client_id){ .len = (uint8_t)random_below(256), .at = { 'x' } };
    case 1: return (struct client_id){ .len = 2, .at = { 'a', '!' } };
    default: return (struct client_id){ 0 };
    }
}

/* One field of one item becomes something else, of each kind of command. */

static void mutate_place_orders(struct fixture *f)
{
    struct new_order *order = &f->room.place_orders.items[0];
    int               scale;

    switch (random_below(11)) {
    case 9: order->quantity = an_edge_quantity(); break;
    case 10: order->price = a_far_price(f, false, (uint32_t)order->symbol_id); break;
    case 0: order->symbol_id = random_below(5); break;
    case 1: order->client_id = a_bad_id(); break;
    case 2: order->side = (uint8_t)random_below(4); break;
    case 3: order->type = (uint8_t)random_below(4); break;
    case 4: order->time_in_force = (uint8_t)random_below(6); break;
    case 5: order->price = a_bad_decimal(); break;
    case 6: order->quantity = a_bad_decimal(); break;
    case 7: order->funds = a_bad_decimal(); break;
    default:
        scale = (int)random_below(9);
        order->funds = decimal_make(1 + random_below(1000), scale);
        break;
    }
}

static void mutate_place_perps(struct fixture *f)
{
    struct perps_order *perps = &f->room.place_perps.items[0];

    switch (random_below(17)) {
    case 15: perps->quantity = an_edge_quantity(); break;
    case 16: perps->price = a_far_price(f, true, (uint32_t)f->room.place_perps.symbol_id); break;
    case 0: f->room.place_perps.symbol_id = random_below(5); break;
    case 1: perps->client_id = a_bad_id(); break;
    case 2: perps->side = (uint8_t)random_below(4); break;
    case 3: perps->type = (uint8_t)random_below(4); break;
    case 4: perps->time_in_force = (uint8_t)random_below(6); break;
    case 5: perps->price = a_bad_decimal(); break;
    case 6: perps->quantity = a_bad_decimal(); break;
    case 7: perps->funds = a_bad_decimal(); break;
    case 8: perps->stop_price = a_bad_decimal(); break;
    case 9: perps->stop_type = (uint8_t)random_below(4); break;
    case 10: perps->trigger_type = (uint8_t)random_below(5); break;
    case 11: perps->position_side = (uint8_t)random_below(5); break;
    case 12: perps->modifier = (uint8_t)random_below(6); break;
    case 13: perps->reduce_only ^= 1; break;
    default: f->room.place_perps.items[1].side ^= 3; break;
    }
}

static void mutate_replace_orders(struct fixture *f)
{
    struct replace_order *replace = &f->room.replace_orders.items[0];

    switch (random_below(9)) {
    case 5:
    case 6: replace->quantity = an_edge_quantity(); break;
    case 7:
    case 8: replace->price = a_far_price(f, f->room.head.market == MARKET_PERPS, (uint32_t)replace->symbol_id); break;
    case 0: replace->symbol_id = random_below(5); break;
    case 1: replace->client_id = a_bad_id(); break;
    case 2: replace->price = a_bad_decimal(); break;
    case 3: replace->quantity = a_bad_decimal(); break;
    default: replace->orig_order_id = random_below(50); break;
    }
}

static void mutate_cancel_orders(struct fixture *f)
{
    if (random_below(3) == 0) f->room.cancel_orders.items[0].symbol_id = random_below(5);
    else if (random_below(2) == 0) f->room.cancel_orders.items[0].client_id = a_bad_id();
    else {
        f->room.cancel_orders.items[0].order_id = 1 + random_below(9);
        f->room.cancel_orders.items[0].orig_client_id = a_bad_id();
    }
}

static void mutate_cancel_perps(struct fixture *f)
{
    if (random_below(2) == 0) f->room.cancel_perps.items[0].symbol_id = random_below(5);
    else {
        f->room.cancel_perps.items[0].client_id = a_bad_id();
        f->room.cancel_perps.items[0].order_id = random_below(3);
    }
}

static void mutate_modify_order(struct fixture *f)
{
    if (random_below(4) == 0) f->room.modify_order.symbol_id = random_below(5);
    else if (random_below(4) == 0) f->room.modify_order.quantity = an_edge_quantity();
    else if (random_below(3) == 0) f->room.modify_order.stop_price = a_bad_decimal();
    else if (random_below(2) == 0) f->room.modify_order.price = a_bad_decimal();
    else {
        f->room.modify_order.client_id = a_bad_id();
        f->room.modify_order.order_id = random_below(20);
    }
}

static void mutate_update_leverage(struct fixture *f)
{
    if (random_below(2) == 0) f->room.update_leverage.symbol_id = random_below(5);
    else f->room.update_leverage.margin_mode = (uint8_t)random_below(4);
}

static void mutate_update_margin(struct fixture *f)
{
    if (random_below(2) == 0) f->room.update_margin.symbol_id = random_below(5);
    else f->room.update_margin.amount = a_bad_decimal();
}

static void mutate_transfer(struct fixture *f)
{
    switch (random_below(5)) {
    case 0: f->room.transfer_asset.coin_id = random_below(5); break;
    case 1: f->room.transfer_asset.type = (uint8_t)random_below(10); break;
    case 2: f->room.transfer_asset.to_account_id = 995 + random_below(10); break;
    case 3: f->room.transfer_asset.amount = a_bad_decimal(); break;
    default: f->room.transfer_asset.id = random_below(2) == 0 ? UINT64_MAX - random_below(3) : 0; break;
    }
}

static void mutate_add_key(struct fixture *f)
{
    switch (random_below(6)) {
    case 0: f->room.add_key.key_type = (uint8_t)random_below(4); break;
    case 1: f->room.add_key.name = a_bad_id(); break;
    case 2: f->room.add_key.name = cid("default"); break;
    case 3: f->room.add_key.permissions = random_below(64); break;
    case 4: f->room.add_key.expires_ms = UINT64_MAX - random_below(9); break;
    default: f->room.add_key.public_key = (struct address){ { 0 } }; break;
    }
}

static void mutate_revoke_key(struct fixture *f) { f->room.revoke_key.name = a_bad_id(); }

static void mutate_schedule_cancel(struct fixture *f)
{
    f->room.schedule_cancel.scheduled_ms.value =
        random_below(2) == 0 ? UINT64_MAX - random_below(9) : random_below(100);
}

static void mutate_deposit(struct fixture *f)
{
    switch (random_below(5)) {
    case 0: f->room.deposit.coin_id = random_below(6); break;
    case 1: f->room.deposit.amount = -(int64_t)random_below(3); break;
    case 2: f->room.deposit.engine = (uint8_t)random_below(5); break;
    case 3: f->room.deposit.account_id = random_below(2) == 0 ? ACCOUNT_FUND : 999 + random_below(20); break;
    default: f->room.deposit.address = (struct address){ { 0 } }; break;
    }
}

static void mutate_redeem(struct fixture *f)
{
    if (random_below(2) == 0) f->room.redeem.coin_id = random_below(6);
    else f->room.redeem.address = random_below(2) == 0 ? (struct address){ { 0 } } : user(700);
}

static void mutate_transfer_between(struct fixture *f)
{
    switch (random_below(5)) {
    case 0: f->room.transfer_between.coin_id = random_below(6); break;
    case 1: f->room.transfer_between.amount = -(int64_t)random_below(3); break;
    case 2: f->room.transfer_between.engine = (uint8_t)random_below(5); break;
    case 3: f->room.transfer_between.from_account_id = 995 + random_below(20); break;
    default:
        f->room.transfer_between.to_account_id =
            random_below(2) == 0 ? f->room.transfer_between.from_account_id : 995 + random_below(20);
        break;
    }
}

static void mutate_open_account(struct fixture *f)
{
    f->room.open_account.owner = random_below(2) == 0 ? (struct address){ { 0 } } : user(700);
}

static void mutate_set_index(struct fixture *f)
{
    if (random_below(2) == 0) f->room.set_index.symbol_id = random_below(5);
    else f->room.set_index.price = random_below(2) == 0 ? INT64_MAX - random_below(9) : -(int64_t)random_below(3);
}

static void mutate_set_market(struct fixture *f)
{
    if (random_below(3) == 0) f->room.set_market.symbol_id = random_below(6);
    else if (random_below(2) == 0) f->room.set_market.engine = (uint8_t)random_below(5);
    else f->room.set_market.status = (uint8_t)random_below(5);
}

static void mutate_settle(struct fixture *f)
{
    if (random_below(2) == 0) f->room.settle_symbol.symbol_id = random_below(6);
    else
        f->room.settle_symbol.at_ms =
            random_below(2) == 0 ? f->time_ms - random_below(10000) : -(int64_t)random_below(9);
}

static void mutate_cancel_for(struct fixture *f)
{
    if (random_below(2) == 0) f->room.cancel_for.engine = (uint8_t)random_below(6);
    else if (random_below(2) == 0) f->room.cancel_for.symbol_id = random_below(6);
    else f->room.cancel_for.account_id = 990 + random_below(30);
}

static void mutate_set_staking(struct fixture *f)
{
    if (random_below(2) == 0) f->room.set_staking.tier = random_below(12);
    else f->room.set_staking.owner = user(700);
}

static void mutate_set_mode(struct fixture *f) { f->room.set_mode.mode = (uint8_t)random_below(10); }

static void mutate_raise_limit(struct fixture *f)
{
    if (random_below(2) == 0) f->room.raise_limit.pool = random_below(2) == 0 ? 0 : (uint8_t)(LIMITS + random_below(9));
    else f->room.raise_limit.places = random_below(2) == 0 ? random_below(3) : POOL_PLACES_MAX + 1 + random_below(9);
}

static void mutate_oracle_post(struct fixture *f)
{
    if (random_below(3) == 0)
        f->room.oracle_post.items[0].price =
            random_below(2) == 0 ? INT64_MAX - random_below(9) : -(int64_t)random_below(3);
    else if (random_below(2) == 0) f->room.oracle_post.items[0].symbol_id = random_below(6);
    else f->room.oracle_post.items[1].perp_mid = (int64_t)random_below(2000000) - 1000;
}

/* clang-format off */
static void (*const mutations[])(struct fixture *f) = {
    [CMD_PLACE_ORDERS] = mutate_place_orders,
    [CMD_PLACE_PERPS] = mutate_place_perps,
    [CMD_REPLACE_ORDERS] = mutate_replace_orders,
    [CMD_CANCEL_ORDERS] = mutate_cancel_orders,
    [CMD_CANCEL_PERPS] = mutate_cancel_perps,
    [CMD_MODIFY_ORDER] = mutate_modify_order,
    [CMD_UPDATE_LEVERAGE] = mutate_update_leverage,
    [CMD_UPDATE_MARGIN] = mutate_update_margin,
    [CMD_TRANSFER] = mutate_transfer,
    [CMD_ADD_KEY] = mutate_add_key,
    [CMD_REVOKE_KEY] = mutate_revoke_key,
    [CMD_SCHEDULE_CANCEL] = mutate_schedule_cancel,
    [CMD_DEPOSIT] = mutate_deposit,
    [CMD_REDEEM] = mutate_redeem,
    [CMD_TRANSFER_BETWEEN] = mutate_transfer_between,
    [CMD_OPEN_ACCOUNT] = mutate_open_account,
    [CMD_SET_INDEX] = mutate_set_index,
    [CMD_SET_MARKET] = mutate_set_market,
    [CMD_SETTLE] = mutate_settle,
    [CMD_CANCEL_FOR] = mutate_cancel_for,
    [CMD_SET_STAKING] = mutate_set_staking,
    [CMD_SET_MODE] = mutate_set_mode,
    [CMD_RAISE_LIMIT] = mutate_raise_limit,
    [CMD_ORACLE_POST] = mutate_oracle_post,
};
/* clang-format on */

void mutate_payload(struct fixture *f)
{
    uint16_t kind = f->room.head.kind;

    if (kind < ARRAY_COUNT(mutations) && mutations[kind] != NULL) mutations[kind](f);
}

static bool is_batch(uint16_t kind)
{
    return kind <= CMD_REPLACE_ORDERS || kind == CMD_PLACE_PERPS || kind == CMD_CANCEL_PERPS;
}

void mutate_head(struct fixture *f)
{
    struct command *head = &f->room.head;

    switch (random_below(9)) {
    case 0: head->market = (uint8_t)random_below(4); break;
    case 1: head->nonce -= random_below(300); break;
    case 2:
        head->nonce = (uint64_t)f->time_ms - (uint64_t)engine_time_offset_ms(f->engine)
                    + (random_below(2) == 0 ? 86400000u : -(uint64_t)172800000u);
        head->nonce += random_below(3) - UINT64_C(1);
        break;
    case 3: head->key_id = random_below(30); break;
    case 4: head->signer = user(random_below(2) == 0 ? 700 : KEY_USER + random_below(KEY_USERS)); break;
    case 5: f->room.place_orders.account_id = 1000 + random_below(12); break;
    case 6:
        head->bytes = (uint32_t)sizeof(struct command)
                    + 8 * random_below((head->bytes - (uint32_t)sizeof(struct command)) / 8 + 1);
        break;
    case 7:
        if (is_batch(head->kind)) f->room.place_orders.count = random_below(2) == 0 ? 0 : 101;
        break;
    default: f->room.place_orders.account_id = ACCOUNT_FIRST + random_below(12); break;
    }
}
