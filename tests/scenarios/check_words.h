/* SPDX-License-Identifier: MIT */
/* check_words.h — the words of scenarios that say what must be so; a part of run.c, which includes it. */
#ifndef CHECK_WORDS_H
#define CHECK_WORDS_H

static void check_trade(char **w) /* #maker #taker quantity @ price [self] */
{
    const struct traded *trade = event_at(f, EVENT_TRADE, next_trade);
    const struct filled *maker = event_at(f, EVENT_FILL, 2 * next_trade),
                        *taker = event_at(f, EVENT_FILL, 2 * next_trade + 1);

    if (trade == NULL) FAIL("no such trade");
    if (maker->order_id != order_id(w[0]) || taker->order_id != order_id(w[1]))
        FAIL("trade of #%" PRIu64 " and #%" PRIu64, maker->order_id, taker->order_id);
    if (!maker->is_maker || taker->is_maker || maker->trade_id != trade->trade_id)
        FAIL("fills do not belong to the trade");
    if (trade->quantity != units(w[2], symbol()->quantity_precision))
        FAIL("trade of %" PRId64 " units", trade->quantity);
    if (trade->price != units(w[4], symbol()->price_precision)) FAIL("trade at %" PRId64 " units", trade->price);
    if ((trade->self != 0) != is(w[5], "self")) FAIL("the trade is %s", trade->self ? "of one user" : "of two users");
    next_trade += 1;
}

static void check_order(char **w) /* #id STATUS [REASON] [executed q] [at price] */
{
    const struct order_changed *order = &orders[order_id(w[0])];

    if (!is(w[1], enum_name_of(order_status_names, order->status)))
        FAIL("order is %s", enum_name_of(order_status_names, order->status));
    for (w += 2; *w != NULL; w++) {
        if (is(*w, "executed")) {
            if (order->executed != units(*++w, symbol()->quantity_precision))
                FAIL("executed is %" PRId64 " units", order->executed);
        } else if (is(*w, "at")) {
            if (order->price != units(*++w, symbol()->price_precision))
                FAIL("the price is %" PRId64 " units", order->price);
        } else if (!is(*w, enum_name_of(end_reason_names, order->reason))) {
            FAIL("reason is %s", order->reason == 0 ? "none" : enum_name_of(end_reason_names, order->reason));
        }
    }
}

static void check_balance(char **w) /* name coin total held locked */
{
    uint32_t              coin_id = coin(w[1]), precision = f->genesis.coins[coin_id].precision;
    const struct balance *balance = &balances[who(w[0]) - 1][coin_id];
    int64_t               total = units(w[2], precision), held = is(w[3], "held") ? units(w[4], precision) : 0;

    if (balance->total != total || balance->locked != held)
        FAIL("balance is %" PRId64 " held %" PRId64 " units", balance->total, balance->locked);
}

static void check_wallet(char **w) /* name amount */
{
    int64_t has = wallets[who(w[0]) - 1];
    if (has != units(w[1], f->genesis.coins[COIN_MARGIN].precision)) FAIL("the wallet has %" PRId64 " units", has);
}

static void check_evm(char **w) /* name coin amount */
{
    uint32_t coin_id = coin(w[1]);
    int64_t  has = evm[people[who(w[0]) - 1].wallet][coin_id];
    if (has != units(w[2], f->genesis.coins[coin_id].precision)) FAIL("the ledger has %" PRId64 " units", has);
}

static void check_moved(char **w) /* TYPE amount coin, or nothing */
{
    static const char *const types[] = { "EVM_DEPOSIT",   "PERPS_DEPOSIT", "EVM_WITHDRAW", "PERPS_WITHDRAW", "INTERNAL",
                                         "SPOT_WITHDRAW", "SPOT_DEPOSIT",  "SUBACCOUNT",   "REDEEM" };
    const struct transferred *moved = event_at(f, EVENT_TRANSFER, next_transfer++);

    if (is(w[0], "nothing")) {
        if (moved != NULL) FAIL("%s moved", types[moved->type]);
        return;
    }
    if (moved == NULL) FAIL("nothing moved");
    if (!is(w[0], types[moved->type])) FAIL("it is a %s", types[moved->type]);
    if (moved->coin_id != coin(w[2]) || moved->amount != units(w[1], f->genesis.coins[moved->coin_id].precision))
        FAIL("%" PRId64 " units of coin %u moved", moved->amount, moved->coin_id);
}

static void check_said(char **w) /* got x need y */
{
    struct decimal got = decimal_of(w[1]), need = decimal_of(w[3]);

    if (memcmp(&got, &last.got, sizeof(got)) != 0) FAIL("got is %" PRId64 "e-%u", last.got.digits, last.got.scale);
    if (memcmp(&need, &last.need, sizeof(need)) != 0)
        FAIL("need is %" PRId64 "e-%u", last.need.digits, last.need.scale);
}

static void check_named(char **w)
{
    char text[CLIENT_ID_MAX + 2];

    (void)snprintf(text, sizeof(text), w[1] == NULL ? "%s" : "%s %s", w[0], w[1]);
    if ((last.said & SAID_ID) == 0 || last.orig_client_id.len != strlen(text)
        || memcmp(last.orig_client_id.at, text, last.orig_client_id.len) != 0)
        FAIL("it named %.*s", (int)last.orig_client_id.len, (const char *)last.orig_client_id.at);
}

/* The book from its LEVEL events, best first; each expected line takes the best level that is left. */
static struct level_changed drawn[1024];
static uint32_t             drawn_count;

static void check_drawn(void)
{
    for (uint32_t i = 0; i < drawn_count; i++)
        if (drawn[i].quantity != 0)
            FAIL("the book has more: %" PRId64 " units at %" PRId64, drawn[i].quantity, drawn[i].price);
    drawn_count = 0;
}

static void draw_book(void)
{
    memcpy(drawn, levels, sizeof(drawn));
    drawn_count = level_count;
}

static void check_level(uint8_t side, char **w) /* quantity @ price */
{
    struct level_changed *best = NULL;

    for (uint32_t i = 0; i < drawn_count; i++)
        if (drawn[i].side == side && drawn[i].quantity != 0
            && (best == NULL || side_better(side, drawn[i].price, best->price)))
            best = &drawn[i];
    if (best == NULL) FAIL("no such level");
    if (best->price != units(w[2], symbol()->price_precision))
        FAIL("the next level is at %" PRId64 " units", best->price);
    if (best->quantity != units(w[0], symbol()->quantity_precision))
        FAIL("the level has %" PRId64 " units", best->quantity);
    best->quantity = 0;
}

#endif
