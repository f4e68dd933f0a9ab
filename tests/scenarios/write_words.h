/* SPDX-License-Identifier: MIT */
/* write_words.h — the words of scenarios that send a command of spot or of money; a part of run.c, which includes it.
 */
#ifndef WRITE_WORDS_H
#define WRITE_WORDS_H

static uint8_t tif_of(const char *word)
{
    for (const struct enum_name *row = time_in_force_names; row->name != NULL; row++)
        if (is(word, row->name)) return row->value;
    FAIL("no time in force: %s", word == NULL ? "" : word);
}

static void send_order(uint32_t user_number, struct new_order item)
{
    fixture_head(f, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1));
    sign(user_number);
    f->room.place_orders.count = 1;
    f->room.place_orders.items[0] = item;
    apply();
}

static uint8_t side_of(const char *word)
{
    if (is(word, "buy")) return SIDE_BUY;
    if (is(word, "sell")) return SIDE_SELL;
    FAIL("buy or sell, not %s", word == NULL ? "" : word);
}

static void say_limit(uint32_t user_number, char **w) /* side quantity @ price tif id */
{
    struct new_order item = { .symbol_id = 1, .type = TYPE_LIMIT, .side = side_of(w[0]), .quantity = decimal_of(w[1]) };

    if (!is(w[2], "@")) FAIL("side quantity @ price");
    item.price = decimal_of(w[3]);
    item.time_in_force = tif_of(w[4]);
    item.client_id = cid(w[5]);
    send_order(user_number, item);
    expect(w + 6);
}

static void say_market(uint32_t user_number, char **w) /* side [funds] amount [@ price] id */
{
    struct new_order item = { .symbol_id = 1, .type = TYPE_MARKET, .time_in_force = TIF_IOC, .side = side_of(*w++) };

    if (is(*w, "funds")) {
        item.funds = decimal_of(w[1]);
        w += 2;
    } else item.quantity = decimal_of(*w++);
    if (is(*w, "@")) {
        item.price = decimal_of(w[1]);
        w += 2;
    }
    item.client_id = cid(*w++);
    send_order(user_number, item);
    expect(w);
}

static void say_cancel(uint32_t user_number, char **w)
{
    fixture_head(f, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1));
    sign(user_number);
    f->room.cancel_orders.count = 1;
    f->room.cancel_orders.items[0] = (struct cancel_order){ .symbol_id = 1,
                                                            .client_id = cid(w[0][0] == '#' ? "request" : w[0]),
                                                            .order_id = w[0][0] == '#' ? order_id(w[0]) : 0 };
    apply();
    expect(w + 1);
}

static void say_replace(uint32_t user_number, char **w)
{
    struct replace_order item = { .symbol_id = 1 };

    if (**w == '#') item.orig_order_id = order_id(*w);
    else item.orig_client_id = item.client_id = cid(*w);
    for (w++; *w != NULL && !is(*w, "->"); w += 2) {
        if (is(*w, "price")) item.price = decimal_of(w[1]);
        else if (is(*w, "quantity")) item.quantity = decimal_of(w[1]);
        else if (is(*w, "as")) item.client_id = cid(w[1]);
        else FAIL("price, quantity or as, not %s", *w);
    }
    fixture_head(f, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1));
    sign(user_number);
    f->room.replace_orders.count = 1;
    f->room.replace_orders.items[0] = item;
    apply();
    expect(w);
}

static void say_schedule(uint32_t user_number, char **w)
{
    uint64_t at_ms = is(*w, "clear") ? 0 : **w == '@' ? strtoull(*w + 1, NULL, 10) : (uint64_t)(f->time_ms + atoll(*w));

    fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel));
    sign(user_number);
    f->room.schedule_cancel.scheduled_ms = (struct optional_u64){ at_ms, !is(*w, "clear") };
    apply();
    expect(w + 1);
}

static struct operator_id id_of(char ***w) /* [id N], else a fresh one */
{
    if (!is(**w, "id")) return operator_id(1000000 + ++f->deposit_id);
    *w += 2;
    return operator_id(strtoull((*w)[-1], NULL, 10));
}

static void say_deposit(char **w) /* name coin amount [perps] [id N] */
{
    uint32_t coin_id = coin(w[1]), user_number = who(w[0]);
    int64_t  amount = units(w[2], f->genesis.coins[coin_id].precision);
    uint8_t  engine = is(w[3], "perps") ? MARKET_PERPS : MARKET_SPOT;
    bool     fund = is(w[0], "fund");

    w += engine == MARKET_PERPS ? 4 : 3;
    fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
    f->room.deposit =
        (struct deposit){ .address = user(people[user_number - 1].wallet),
                          .coin_id = coin_id,
                          .amount = amount,
                          .engine = engine,
                          .account_id = fund ? ACCOUNT_FUND : (uint32_t)people[user_number - 1].account_id,
                          .id = id_of(&w) };
    apply();
    expect(w);
}

static void say_redeem(char **w) /* name coin amount [id N] */
{
    uint32_t coin_id = coin(w[1]), user_number = who(w[0]);
    int64_t  amount = units(w[2], f->genesis.coins[coin_id].precision);

    w += 3;
    fixture_head(f, CMD_REDEEM, sizeof(struct redeem));
    f->room.redeem = (struct redeem){
        .address = user(people[user_number - 1].wallet), .coin_id = coin_id, .amount = amount, .id = id_of(&w)
    };
    apply();
    expect(w);
}

static void say_account(char **w) /* name as name [id N] */
{
    uint32_t    user_number = who(w[0]);
    const char *name = w[2];

    w += 3;
    fixture_head(f, CMD_OPEN_ACCOUNT, sizeof(struct open_account));
    f->room.open_account = (struct open_account){ .owner = user(people[user_number - 1].wallet), .id = id_of(&w) };
    apply();
    expect(w);
    if (last.reject != REJECT_NONE) return;
    if (last.order_id != ACCOUNT_FIRST - 1 + who(name))
        FAIL("account %" PRIu64 " is not the place of %s", last.order_id, name);
    people[who(name) - 1].wallet = people[user_number - 1].wallet;
    people[who(name) - 1].account_id = last.order_id;
}

static void say_offset(char **w) /* +ms: relative to the current time; otherwise the offset itself */
{
    start();
    fixture_head(f, CMD_ADVANCE_TIME, sizeof(struct advance_time));
    f->room.advance_time.offset_ms = **w == '+' ? engine_time_offset_ms(f->engine) + atoll(*w) : atoll(*w);
    f->room.head.market = 0;
    apply();
    expect(w + 1);
    if (last.reject == REJECT_NONE && **w == '+') f->time_ms += atoll(*w);
}

static void say_transfer(uint32_t user_number, char **w) /* id amount coin destination [on side] [to N] */
{
    /* clang-format off */
    static const struct { const char *word; uint8_t type, market; } ways[] = {
        { "evm", TRANSFER_EVM_WITHDRAW, MARKET_SPOT }, { "perps", TRANSFER_PERPS_WITHDRAW, MARKET_SPOT },
        { "spot", TRANSFER_SPOT_WITHDRAW, MARKET_PERPS }, { "internal", TRANSFER_INTERNAL, MARKET_SPOT },
    };
    /* clang-format on */
    uint8_t  type = UINT8_MAX, market = MARKET_SPOT;
    uint64_t to = ACCOUNT_BRIDGE;

    for (size_t i = 0; i < ARRAY_COUNT(ways); i++)
        if (is(w[3], ways[i].word)) {
            type = ways[i].type;
            market = ways[i].market;
        }
    if (type == UINT8_MAX) FAIL("evm, perps, spot or internal");
    fixture_transfer(f, market, strtoull(w[0], NULL, 10), type, coin(w[2]), w[1]);
    for (w += 4; *w != NULL && !is(*w, "->"); w += 2) {
        if (is(*w, "on")) market = is(w[1], "perps") ? MARKET_PERPS : MARKET_SPOT;
        else if (is(*w, "to")) to = strtoull(w[1], NULL, 10);
        else FAIL("on or to, not %s", *w);
    }
    f->room.transfer_asset.to_account_id = to;
    sign(user_number);
    f->room.head.market = market;
    f->room.head.domain = market;
    apply();
    expect(w);
}

static void say_key(uint32_t user_number, char **w) /* name address [expires +ms] [deny mask] */
{
    fixture_add_key(f, w[0], KEY_ADDRESSES + key_of(w[1]));
    for (uint32_t i = 0; i < name_count; i++)
        if (is(names[i], w[1])) f->room.add_key.public_key = user(people[i].wallet);
    for (w += 2; *w != NULL && !is(*w, "->"); w += 2) {
        if (is(*w, "expires")) f->room.add_key.expires_ms = (uint64_t)(f->time_ms + atoll(w[1]));
        else if (is(*w, "deny")) f->room.add_key.permissions = strtoull(w[1], NULL, 10);
        else FAIL("expires or deny, not %s", *w);
    }
    sign(user_number);
    f->room.head.domain = DOMAIN_UNIVERSAL;
    apply();
    expect(w);
}

/* The last command once more, with its nonce. */
static void say_again(char **w)
{
    apply();
    expect(w);
}

static void say_revoke(uint32_t user_number, char **w) /* name */
{
    fixture_head(f, CMD_REVOKE_KEY, sizeof(struct revoke_key));
    f->room.revoke_key.name = cid(w[0]);
    sign(user_number);
    f->room.head.domain = DOMAIN_UNIVERSAL;
    apply();
    expect(w + 1);
}

static void say_tick(char **w, bool with_command)
{
    start();
    f->time_ms = **w == '@' ? atoll(*w + 1) : f->time_ms + atoll(*w);
    if (!with_command) return;
    fixture_head(f, CMD_TICK, sizeof(struct tick));
    f->room.head.market = 0;
    apply();
}

#endif
