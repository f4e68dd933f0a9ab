/* SPDX-License-Identifier: MIT */
/*
 * operator_words.h — the words of scenarios with an operator; a part of run.c, which includes it.
 *
 *   market halt | trade | reduce [perps] [id 5] -> …        vBTC_vUSDC or, with perps, BTC-USD
 *   mode run | cancel-only | reduce-only [id 5] -> …        of the whole venue
 *   settle +60000 | @1776000060000 | never [id 5] -> …      announces the settlement of BTC-USD, or withdraws it
 *   cancels [spot | perps] [symbol] [alice] [id 5] -> …     cancels orders: of a market side, of its symbol 1, of an
 *                                                           account
 *   staking alice 2 [id 5] -> …         the staking tier of a user
 *   rates alice 0.000108 0.000324       maker and taker rate of an account on vBTC_vUSDC; with perps, on BTC-USD
 *   between alice alice2 vUSDC 5 [perps] [id 5] -> …   money from one account of a user to another
 *   canceled 3                          how many orders the last of these canceled
 *   seconds 60                          so many TICKs, each a second after the other
 *   phase SETTLING [price 100]          the phase of BTC-USD; OPEN is a phase too
 *   jump 85000                          sets the index directly: from now on a feeder's posts are accepted at once
 *   stale 1 | 0                         no feeder posts, now or before: the index is stale; or a feeder is back
 *   oracle FALLBACK                     sets the price state of BTC-USD directly: LIVE, FALLBACK, BOOTSTRAP, STALE
 *   fund 800                            the insurance fund's wallet
 *   filled alice -0.1 @ 100 SETTLEMENT  a FILL of the last command that belongs to no order
 */
#ifndef OPERATOR_WORDS_H
#define OPERATOR_WORDS_H

static void operator_send(void)
{
    f->room.head.market = 0;
    apply();
}

static void say_set_market(char **w)
{
    uint8_t status = is(w[0], "halt")   ? SYMBOL_HALT
                   : is(w[0], "trade")  ? SYMBOL_TRADING
                   : is(w[0], "reduce") ? SYMBOL_REDUCE_ONLY
                                        : 0;
    bool    perps = is(w[1], "perps");

    start();
    w += perps ? 2 : 1;
    fixture_head(f, CMD_SET_MARKET, sizeof(struct set_market));
    f->room.set_market = (struct set_market){
        .symbol_id = 1, .engine = perps ? MARKET_PERPS : MARKET_SPOT, .status = status, .id = id_of(&w)
    };
    operator_send();
    expect(w);
}

static void say_mode(char **w)
{
    uint8_t mode = is(w[0], "run")         ? VENUE_RUN
                 : is(w[0], "cancel-only") ? VENUE_CANCEL_ONLY
                 : is(w[0], "reduce-only") ? VENUE_REDUCE_ONLY
                                           : 0;

    start();
    w += 1;
    fixture_head(f, CMD_SET_MODE, sizeof(struct set_mode));
    f->room.set_mode = (struct set_mode){ .mode = mode, .id = id_of(&w) };
    operator_send();
    expect(w);
}

static void say_settle(char **w)
{
    int64_t at_ms = is(*w, "never") ? 0 : **w == '@' ? atoll(*w + 1) : f->time_ms + atoll(*w);

    start();
    if (**w == '+') at_ms = f->time_ms + atoll(*w);
    w += 1;
    fixture_head(f, CMD_SETTLE, sizeof(struct settle_symbol));
    f->room.settle_symbol = (struct settle_symbol){ .symbol_id = BTC, .at_ms = at_ms, .id = id_of(&w) };
    operator_send();
    expect(w);
}

static void say_cancels(char **w)
{
    struct cancel_for command = { 0 };

    start();
    for (; *w != NULL && !is(*w, "->") && !is(*w, "id"); w++) {
        if (is(*w, "spot")) command.engine = MARKET_SPOT;
        else if (is(*w, "perps")) command.engine = MARKET_PERPS;
        else if (is(*w, "symbol")) command.symbol_id = 1;
        else command.account_id = ACCOUNT_FIRST - 1 + who(*w);
    }
    fixture_head(f, CMD_CANCEL_FOR, sizeof(command));
    command.id = id_of(&w);
    f->room.cancel_for = command;
    operator_send();
    expect(w);
}

static void say_staking(char **w) /* name tier [id N] */
{
    struct set_staking command = { .owner = user(people[who(w[0]) - 1].wallet), .tier = (uint32_t)atoi(w[1]) };

    start();
    w += 2;
    fixture_head(f, CMD_SET_STAKING, sizeof(command));
    command.id = id_of(&w);
    f->room.set_staking = command;
    operator_send();
    expect(w);
}

static uint32_t account_number(const char *name)
{
    return (uint32_t)(people[who(name) - 1].account_id != 0 ? people[who(name) - 1].account_id
                                                            : ACCOUNT_FIRST - 1 + who(name));
}

static void say_between(char **w) /* name name coin amount [perps] [id N] */
{
    uint32_t                coin_id = coin(w[2]);
    struct transfer_between command = { .from_account_id = account_number(w[0]),
                                        .to_account_id = account_number(w[1]),
                                        .coin_id = coin_id,
                                        .engine = MARKET_SPOT,
                                        .amount = units(w[3], f->genesis.coins[coin_id].precision) };

    start();
    w += 4;
    if (is(*w, "perps")) {
        command.engine = MARKET_PERPS;
        w += 1;
    }
    fixture_head(f, CMD_TRANSFER_BETWEEN, sizeof(command));
    command.id = id_of(&w);
    f->room.transfer_between = command;
    operator_send();
    expect(w);
}

static void check_rates(char **w) /* name maker taker [perps] */
{
    uint32_t slot = account_find(f->engine, people[who(w[0]) - 1].account_id != 0 ? people[who(w[0]) - 1].account_id
                                                                                  : ACCOUNT_FIRST - 1 + who(w[0]));
    const struct market *market = is(w[3], "perps") ? market_find_perps(f->engine, BTC) : market_find(f->engine, 1);
    int64_t maker = fees_maker_rate(f->engine, market, slot), taker = fees_taker_rate(f->engine, market, slot);

    if (maker != signed_units(w[1], 8)) FAIL("the maker's rate is %" PRId64 " e-8", maker);
    if (taker != signed_units(w[2], 8)) FAIL("the taker's rate is %" PRId64 " e-8", taker);
}

static void check_phase(char **w)
{
    const struct settlement *settlement = &btc_usd()->settlement;
    uint8_t                  now = perps_phase(f->engine, btc_usd());
    const char              *phase = now == PHASE_OPEN ? "OPEN" : enum_name_of(symbol_phase_names, now);

    if (!is(w[0], phase)) FAIL("the phase is %s", phase);
    if (is(w[1], "price")) check_price("settlement", settlement->price, w[2]);
}

static void check_filled(char **w) /* name signed quantity @ price REASON */
{
    int64_t              quantity = signed_units(w[1], f->genesis.perps[0].quantity_precision);
    const struct filled *fill;

    for (uint32_t i = 0; (fill = event_at(f, EVENT_FILL, i)) != NULL; i++)
        if (fill->account_id == ACCOUNT_FIRST - 1 + who(w[0]) && fill->quantity == (quantity < 0 ? -quantity : quantity)
            && fill->side == (quantity > 0 ? SIDE_BUY : SIDE_SELL) && fill->price == price_units(w[3]) && fill->fee == 0
            && is(w[4], enum_name_of(end_reason_names, fill->reason)))
            return;
    FAIL("no such fill of %s", w[0]);
}

/* The test's feeder stops posting, and its last post is forgotten. */
static void say_stale(char **w)
{
    start();
    memset(btc_usd()->posts, 0, sizeof(btc_usd()->posts));
    btc_usd()->state = is(*w, "1") ? ORACLE_IS_STALE : ORACLE_LIVE;
}

/* Sets the state alone: the next check sees it; a TICK computes it anew. */
static void say_oracle(char **w)
{
    start();
    for (uint8_t state = 0; state < 8; state++)
        if (enum_name_of(oracle_state_names, state) != NULL && is(w[0], enum_name_of(oracle_state_names, state))) {
            btc_usd()->state = state;
            return;
        }
    FAIL("no such state: %s", w[0]);
}

static void say_jump(char **w)
{
    say_post(w);
    btc_usd()->index = price_units(w[0]);
}

static void check_fund(char **w)
{
    int64_t has = engine_margins(f->engine)[SLOT_FUND].wallet;
    if (has != units(w[0], 6)) FAIL("the fund has %" PRId64 " units", has);
}

/* A line that only scenarios with an operator have; false when it is none of these. */
static bool run_operator_word(char **w)
{
    char *second[] = { "+1000", NULL };

    if (is(*w, "market")) say_set_market(w + 1);
    else if (is(*w, "mode")) say_mode(w + 1);
    else if (is(*w, "settle")) say_settle(w + 1);
    else if (is(*w, "cancels")) say_cancels(w + 1);
    else if (is(*w, "staking")) say_staking(w + 1);
    else if (is(*w, "rates")) check_rates(w + 1);
    else if (is(*w, "canceled")) {
        if (last.order_id != strtoull(w[1], NULL, 10)) FAIL("%" PRIu64 " orders were canceled", last.order_id);
    } else if (is(*w, "seconds"))
        for (int i = 0; i < atoi(w[1]); i++) say_tick(second, true);
    else if (is(*w, "phase")) check_phase(w + 1);
    else if (is(*w, "jump")) say_jump(w + 1);
    else if (is(*w, "stale")) say_stale(w + 1);
    else if (is(*w, "oracle")) say_oracle(w + 1);
    else if (is(*w, "fund")) check_fund(w + 1);
    else if (is(*w, "filled")) check_filled(w + 1);
    else return false;
    return true;
}

#endif
