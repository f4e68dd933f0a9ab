/* SPDX-License-Identifier: MIT */
/* Examples E8 to E10c and E21 of mechanics 9, with the numbers of mechanics_vectors.json, and the rules around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/account/fees.h"
#include "core/liquidation/fund_day.h"
#include "rigs/core/example.h"
#include "rigs/core/perps_liquidating.h"

#define PRICE(text) units_of(text, 1)
#define SIZE(text)  units_of(text, 5)

static void e8_only_the_shortage_goes_into_the_book(void **state)
{
    struct fixture      *f = start("0", given("E8", "takerFee"));
    const struct filled *fill;
    struct health        health;
    (void)state;

    join(f, A, given("E8", "wallet"));
    join(f, M, "5000000");
    perps_trade(f, A, M, BTC, given("E8", "price"), given("E8", "quantity"));
    perps_limit(f, M, "b1", SIDE_BUY, given("E8", "bids/0/0"), given("E8", "bids/0/1"));
    perps_limit(f, M, "b2", SIDE_BUY, given("E8", "bids/1/0"), given("E8", "bids/1/1"));
    perps_prices(f, BTC, PRICE(given("E8", "mark")), PRICE(given("E8", "mark")));
    health = risk_unit_health(f->engine, perps_position(f, A, BTC));
    assert_int_equal(health.equity, USDC(wanted("E8", "equity")));
    assert_int_equal(health.maintenance, USDC(wanted("E8", "maintenance")));
    assert_int_equal(risk_unit_bankruptcy_price(f->engine, perps_position(f, A, BTC)),
                     PRICE(wanted("E8", "limitBound_bankruptcy")));
    liquidation_tick(f);
    fill = perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0);
    assert_int_equal(fill->price, PRICE(wanted("E8", "fills/0/price")));
    assert_int_equal(fill->quantity, SIZE(wanted("E8", "fills/0/qty")));
    fill = perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 1);
    assert_int_equal(fill->price, PRICE(wanted("E8", "fills/1/price")));
    assert_int_equal(fill->quantity, SIZE(wanted("E8", "fills/1/qty")));
    assert_null(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 2));
    assert_int_equal(perps_size(f, A, BTC), SIZE(wanted("E8", "sizeLeft")));
    health = risk_unit_health(f->engine, perps_position(f, A, BTC));
    assert_int_equal(health.equity, USDC(wanted("E8", "equityAfter")));
    assert_int_equal(health.maintenance, USDC(wanted("E8", "maintenanceAfter")));
    assert_int_equal(engine_margins(f->engine)[perps_slot(f, A)].stage, 0); /* released, with its remaining equity */
    engine_verify(f->engine);
    fixture_free(f);
}

static struct fixture *e9_start(int64_t max_inventory)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC(given("E9", "insuranceFund"));
    f->genesis.contracts[0].fund_max_inventory = max_inventory;
    for (uint32_t i = 0; i < 2; i++) f->genesis.contracts[i].interest_rate = 0;
    fixture_start(f);
    join(f, A, given("E9", "wallet"));
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, given("E9", "btc/price"), given("E9", "btc/quantity"));
    perps_trade(f, A, M, ETH, given("E9", "eth/price"), given("E9", "eth/quantity"));
    perps_prices(f, BTC, PRICE(given("E9", "marks/btc")), PRICE(given("E9", "marks/btc")));
    perps_prices(f, ETH, units_of(given("E9", "marks/eth"), 2), units_of(given("E9", "marks/eth"), 2));
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).equity, USDC(wanted("E9", "equity")));
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).maintenance,
                     USDC(wanted("E9", "maintenance")));
    liquidation_tick(f);
    return f;
}

static void e9_the_fund_takes_over(void **state)
{
    struct fixture *f = e9_start(0);
    (void)state;

    assert_true(last_position(f, A, BTC)->taken_over && last_position(f, A, ETH)->taken_over);
    assert_int_equal(last_position(f, A, BTC)->reason, REASON_TAKEOVER);
    assert_int_equal(last_position(f, A, BTC)->take_over_price, PRICE(wanted("E9", "takeOverPrice/BTC")));
    assert_int_equal(last_position(f, A, ETH)->take_over_price, units_of(wanted("E9", "takeOverPrice/ETH"), 2));
    assert_int_equal(last_position(f, A, BTC)->realized,
                     USDC(wanted("E9", "btcNotional")) - USDC("200000") - USDC(wanted("E9", "equityShares/BTC")));
    assert_int_equal(perps_wallet(f, A), USDC(wanted("E9", "walletA")));
    assert_int_equal(perps_size(f, A, BTC), 0);
    assert_int_equal(fund_cash(f), USDC(wanted("E9", "IFcash")));
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST)->exposure.size, 200000);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST + 1)->exposure.size, 100000);
    assert_int_equal(risk_unit_health(f->engine, position_find(f->engine, SLOT_FUND, PERPS_FIRST)).equity,
                     USDC(wanted("E9", "IFequity")));
    engine_verify(f->engine);
    fixture_free(f);
}

static void e9_above_the_inventory_limit_the_other_side_takes_it_at_the_mark(void **state)
{
    struct fixture *f = e9_start(USDC(wanted("E9", "btcNotional")) - 1);
    (void)state;

    assert_int_equal(perps_fill(f, account_of(f, A), REASON_ADL, 0)->price, PRICE(given("E9", "marks/btc")));
    assert_int_equal(perps_fill(f, account_of(f, M), REASON_ADL, 0)->price, PRICE(given("E9", "marks/btc")));
    assert_int_equal(perps_wallet(f, A), USDC(wanted("E9", "walletA")));
    assert_int_equal(fund_cash(f), USDC(wanted("E9", "IFcash")));
    assert_int_equal(perps_size(f, M, BTC), 0);
    assert_null(position_find(f->engine, SLOT_FUND, PERPS_FIRST));
    engine_verify(f->engine);
    fixture_free(f);
}

static void e9_at_the_inventory_limit_the_fund_still_takes(void **state)
{
    struct fixture *f = e9_start(USDC(wanted("E9", "btcNotional")));
    (void)state;

    assert_true(last_position(f, A, BTC)->taken_over);
    fixture_free(f);
}

/* Mechanics 0: symbols by id, whichever the fund acquired last. */
static void the_fund_unwinds_its_symbols_by_id(void **state)
{
    struct fixture    *f = e9_start(0);
    struct perps_order eth = perps_item("eth", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "3915", "10");
    (void)state;

    assert_int_equal(perps_limit(f, M, "btc", SIDE_BUY, "96100", "2")->reject, REJECT_NONE);
    assert_int_equal(perps_send(f, M, ETH, &eth, 1)->reject, REJECT_NONE);
    perps_tick(f, 1000);
    assert_int_equal(event_count(f, EVENT_TRADE), 2);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 0))->symbol_id, BTC);
    assert_int_equal(((const struct traded *)event_at(f, EVENT_TRADE, 1))->symbol_id, ETH);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST)->exposure.size, 180000); /* a tenth of each */
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST + 1)->exposure.size, 90000);
    engine_verify(f->engine);
    fixture_free(f);
}

/* A fee of the whole value, which genesis allows: no price brings the fund what it has to bring, so it keeps what it
 * has taken over, and the exchange goes on. */
static void with_a_fee_of_everything_the_fund_does_not_sell(void **state)
{
    struct fixture *f = start("0", "1");
    struct market  *market = market_find_perps(f->engine, BTC);
    (void)state;

    assert_int_equal(fees_taker_rate(f->engine, market, SLOT_FUND), RATE_ONE);
    fixture_free(f);
    f = e9_start(0);
    market = market_find_perps(f->engine, BTC);
    assert_int_equal(perps_limit(f, M, "btc", SIDE_BUY, "96100", "2")->reject, REJECT_NONE);
    for (uint32_t tier = 0; tier < ARRAY_COUNT(market->taker_rate); tier++)
        for (uint32_t staking = 0; staking < ARRAY_COUNT(market->taker_rate[0]); staking++)
            market->taker_rate[tier][staking] = RATE_ONE;
    perps_tick(f, 1000);
    assert_int_equal(event_count(f, EVENT_TRADE), 0);
    assert_int_equal(position_find(f->engine, SLOT_FUND, PERPS_FIRST)->exposure.size, 200000);
    fixture_free(f);
}

#define SOL 3

/* A is long 2 BTC at 100000, 10 ETH at 4000 and `sol` SOL at 100, cross. Then BTC is at `btc`, ETH at 3920 and SOL at
   95. The fund may lose 500 units in a day, `ratio` times. */
static struct fixture *three_symbols(const char *wallet, const char *sol, int64_t ratio, int64_t btc)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC("50000");
    f->genesis.rules.fund_total_ratio = ratio;
    f->genesis.perps_count = 3;
    f->genesis.perps[2] = perps_symbol("SOL-USD", SOL, 2, 4, 10000);
    f->genesis.contracts[2] = f->genesis.contracts[1];
    for (uint32_t i = 0; i < 3; i++) f->genesis.contracts[i].interest_rate = 0;
    fixture_start(f);
    join(f, A, wallet);
    join(f, M, "1000000");
    perps_trade(f, A, M, BTC, "100000", "2");
    perps_trade(f, A, M, ETH, "4000", "10");
    perps_trade(f, A, M, SOL, "100", sol);
    perps_prices(f, BTC, btc, btc);
    perps_prices(f, ETH, 392000, 392000);
    perps_prices(f, SOL, 9500, 9500);
    return f;
}

/*
 * Three positions, E 2100 and MM 3848 + 980 + 237.5: each share is floor(E*MM_i/MM) of the whole unit, the last gets
 * the rest (mechanics 3.11).
 */
static void each_share_of_a_take_over_is_of_the_whole_units_equity(void **state)
{
    static const int64_t shares[] = {
        1595262066, 406277761, 98460173
    }; /* as a share of the rest after the first, the second would be one unit larger */
    struct fixture *f = three_symbols("11000", "100", 20000000, 962000);
    (void)state;

    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).equity, USDC("2100"));
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).maintenance, USDC("5065.5"));
    liquidation_tick(f);
    assert_int_equal(last_position(f, A, BTC)->realized, USDC("192400") - USDC("200000") - shares[0]);
    assert_int_equal(last_position(f, A, ETH)->realized, USDC("39200") - USDC("40000") - shares[1]);
    assert_int_equal(last_position(f, A, SOL)->realized, USDC("9500") - USDC("10000") - shares[2]);
    assert_int_equal(perps_wallet(f, A), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

/* The same with 0.1 SOL and E -`lacks` units, MM 3806 + 980 + 0.2375. */
static struct fixture *with_a_deficit_of(int64_t lacks)
{
    char            wallet[32];
    struct fixture *f;

    (void)snprintf(wallet, sizeof(wallet), "10500.%06d", 500000 - (int)lacks);
    f = three_symbols(wallet, "0.1", 1, 951500);
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).equity, -lacks);
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).maintenance, USDC("4786.2375"));
    return f;
}

static int64_t charged(const struct fixture *f)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < f->genesis.perps_count; i++) sum += engine_perps(f->engine)[i].fund.loss;
    assert_int_equal(f->engine->fund_day.loss, sum);
    return sum;
}

/*
 * Rounded down, the first two shares pass a deficit of few units together, and the last position's share, which is the
 * remainder (mechanics 1.3), is above nothing. The day is charged max(0, -E_t) all the same (ruling 66), and no more
 * than the fund may lose.
 */
static void shares_of_a_small_deficit_are_charged_together_once(void **state)
{
    (void)state;
    for (int64_t lacks = 1; lacks <= 500; lacks += lacks < 20 || lacks == 499 ? 1 : 48) {
        struct fixture *f = with_a_deficit_of(lacks);
        int64_t         fund = fund_cash(f), btc = (int64_t)-div_ceil(lacks * 38060000, 47862375),
                eth = (int64_t)-div_ceil(lacks * 9800000, 47862375);

        liquidation_tick(f);
        assert_int_equal(last_position(f, A, BTC)->realized, USDC("190300") - USDC("200000") - btc);
        assert_int_equal(last_position(f, A, ETH)->realized, USDC("39200") - USDC("40000") - eth);
        assert_int_equal(last_position(f, A, SOL)->realized, USDC("9.5") - USDC("10") + lacks + btc + eth);
        assert_true(lacks + btc + eth <= 0);
        assert_int_equal(fund_total_limit(f->engine), 500);
        assert_int_equal(charged(f), lacks);
        assert_int_equal(fund - fund_cash(f), lacks);
        assert_int_equal(perps_wallet(f, A), 0);
        engine_verify(f->engine);
        fixture_free(f);
    }
}

/* One unit more than the fund may lose in all: it pays what it may, and the other side has the rest. */
static void a_small_deficit_beyond_the_limit_goes_to_the_other_side(void **state)
{
    struct fixture *f = with_a_deficit_of(501);
    int64_t         fund = fund_cash(f);
    (void)state;

    liquidation_tick(f);
    assert_int_equal(perps_size(f, M, BTC), 0);
    assert_int_equal(charged(f), 500);
    assert_int_equal(fund - fund_cash(f), 499); /* the last position's share is one unit above nothing */
    assert_int_equal(f->engine->fund_day.beyond, 0);
    assert_int_equal(perps_wallet(f, A), 0);
    engine_verify(f->engine);
    fixture_free(f);
}

/* One of the fills of E10, by its number: its account, quantity, price, and realised PnL. */
static void check_adl(const struct fixture *f, uint32_t who, uint32_t at)
{
    const struct filled *fill = perps_fill(f, account_of(f, who), REASON_ADL, 0);
    char                 quantity[32], realized[32];

    (void)snprintf(quantity, sizeof(quantity), "fills/%u/qty", at);
    (void)snprintf(realized, sizeof(realized), "fills/%u/realized", at);
    assert_non_null(fill);
    assert_int_equal(fill->quantity, SIZE(wanted("E10", quantity)));
    assert_int_equal(fill->price, PRICE(wanted("E10", "adlPrice")));
    assert_int_equal(last_position(f, who, BTC)->realized, units_of(wanted("E10", realized), 6));
}

static void e10_the_fund_pays_first_then_the_ranked_others(void **state)
{
    struct fixture *f = start(given("E10", "wallets/IF"), "0");
    (void)state;

    join(f, A, given("E10", "wallets/A"));
    join(f, B, given("E10", "wallets/B"));
    join(f, C, given("E10", "wallets/C"));
    join(f, D, given("E10", "wallets/D"));
    join(f, F, given("E10", "wallets/F"));
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, B, BTC, given("E10", "trades/0/2"), given("E10", "trades/0/3"));
    perps_trade(f, A, C, BTC, given("E10", "trades/1/2"), given("E10", "trades/1/3"));
    perps_trade(f, A, D, BTC, given("E10", "trades/2/2"), given("E10", "trades/2/3"));
    assert_int_equal(perps_position(f, A, BTC)->exposure.bucket, USDC("40000"));
    perps_prices(f, BTC, 940000, 940000);
    perps_trade(f, F, D, BTC, given("E10", "trades/3/2"), given("E10", "trades/3/3"));
    perps_prices(f, BTC, PRICE(given("E10", "mark")), PRICE(given("E10", "mark")));
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).equity,
                     units_of(wanted("E10", "equityA"), 6));
    assert_int_equal(risk_unit_health(f->engine, perps_position(f, A, BTC)).maintenance,
                     USDC(wanted("E10", "maintenance")));
    liquidation_tick(f);
    check_adl(f, C, 0);
    check_adl(f, B, 1);
    check_adl(f, D, 2);
    assert_int_equal(last_position(f, A, BTC)->realized, -USDC("40000")); /* exactly the bucket */
    assert_int_equal(perps_wallet(f, A), USDC(wanted("E10", "walletA")));
    assert_int_equal(fund_cash(f), USDC(wanted("E10", "IF")));
    assert_int_equal(perps_size(f, D, BTC), -400000);
    engine_verify(f->engine);
    fixture_free(f);
}

static struct fixture *e10b_start(uint8_t mode)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC("100000");
    f->genesis.rules.fund_loss_ratio = RATE_ONE;
    f->genesis.contracts[0].interest_rate = 0;
    f->genesis.contracts[0].fund_max_inventory = 1;
    f->genesis.rules.adl_mode = mode;
    f->genesis.perps[0].step_size = f->genesis.perps[0].min_quantity = f->genesis.perps[0].market_min_quantity = 100000;
    fixture_start(f);
    join(f, A, "16000");
    join(f, M, "100000");
    join(f, C, "60000"); /* p: 3 lots, less leverage */
    join(f, D, "60000"); /* r: 5 lots */
    join(f, F, "100000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "4");
    perps_prices(f, BTC, 900000, 900000);
    perps_trade(f, M, C, BTC, "90000", "3");
    perps_trade(f, M, D, BTC, "90000", "1");
    perps_trade(f, F, D, BTC, "90000", "4");
    liquidation_tick(f);
    return f;
}

static void e10b_a_group_shares_pro_rata_to_size(void **state)
{
    struct fixture *f = e10b_start(ADL_FIFTHS);
    (void)state;

    assert_int_equal(perps_fill(f, account_of(f, C), REASON_ADL, 0)->quantity,
                     100000 * whole_of(wanted("E10b", "allocation/p")));
    assert_int_equal(perps_fill(f, account_of(f, D), REASON_ADL, 0)->quantity,
                     100000 * whole_of(wanted("E10b", "allocation/r")));
    assert_int_equal(perps_size(f, C, BTC), -200000);
    assert_int_equal(perps_size(f, D, BTC), -200000);
    engine_verify(f->engine);
    fixture_free(f);
}

/*
 * One after the other: the account with more leverage is closed alone, and the other is not changed (mechanics 3.12,
 * groups of one).
 */
static void e10b_by_queue_the_first_takes_all_of_it(void **state)
{
    struct fixture *f = e10b_start(ADL_QUEUE);
    (void)state;

    assert_null(perps_fill(f, account_of(f, C), REASON_ADL, 0));
    assert_int_equal(perps_fill(f, account_of(f, D), REASON_ADL, 0)->quantity, 400000);
    assert_int_equal(perps_size(f, C, BTC), -300000);
    assert_int_equal(perps_size(f, D, BTC), -100000);
    engine_verify(f->engine);
    fixture_free(f);
}

/* The mark falls by its step cap to the example's value, the index is ahead of it. */
static struct fixture *e10c_start(int64_t mark_before, int64_t index, int64_t max_inventory)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.fund = USDC("400000");
    f->genesis.rules.fund_loss_ratio = RATE_ONE / 100; /* the budget: 4000 */
    f->genesis.contracts[0].interest_rate = 0;
    f->genesis.contracts[0].fund_max_inventory = max_inventory;
    fixture_start(f);
    join(f, A, given("E10c", "bucket"));
    join(f, M, "1000000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, given("E10c", "price"), given("E10c", "quantity"));
    perps_prices(f, BTC, mark_before, index);
    liquidation_tick(f);
    return f;
}

static void e10c_behind_the_index_the_fund_is_no_free_option(void **state)
{
    struct fixture *f = e10c_start(979797, PRICE(given("E10c", "prices/0/1")), 0);
    (void)state;

    assert_int_equal(engine_perps(f->engine)[0].mark, PRICE(given("E10c", "prices/0/0")));
    assert_int_equal(perps_fill(f, account_of(f, M), REASON_ADL, 0)->price, PRICE(wanted("E10c", "rows/0/adlPrice")));
    assert_int_equal(fund_cash(f), USDC("400000") - USDC(wanted("E10c", "rows/0/adlSubsidy")));
    assert_int_equal(perps_wallet(f, A), 0);
    fixture_free(f);
}

static void e10c_at_the_worse_price_still_above_zero_it_takes_over(void **state)
{
    struct fixture *f = e10c_start(979797, PRICE(given("E10c", "prices/1/1")), 0);
    (void)state;

    assert_int_equal(engine_perps(f->engine)[0].mark, PRICE(given("E10c", "prices/1/0")));
    assert_true(last_position(f, A, BTC)->taken_over);
    assert_int_equal(fund_cash(f), USDC("400000") + USDC(wanted("E10c", "rows/1/E")));
    fixture_free(f);
    f = e10c_start(979797, PRICE(given("E10c", "prices/1/1")),
                   1); /* or, where it may not: at the index, the rest is the fund's */
    assert_int_equal(perps_fill(f, account_of(f, M), REASON_ADL, 0)->price, PRICE(wanted("E10c", "rows/1/adlPrice")));
    assert_int_equal(fund_cash(f), USDC("400000") + USDC(wanted("E10c", "rows/1/residualToFund")));
    fixture_free(f);
}

static void e10c_with_mark_and_index_together(void **state)
{
    struct fixture *f = e10c_start(PRICE(given("E10c", "prices/2/0")), PRICE(given("E10c", "prices/2/1")), 0);
    (void)state;

    assert_true(last_position(f, A, BTC)->taken_over);
    assert_int_equal(fund_cash(f), USDC("400000") + USDC(wanted("E10c", "rows/2/E")));
    fixture_free(f);
    f = e10c_start(PRICE(given("E10c", "prices/2/0")), PRICE(given("E10c", "prices/2/1")), 1);
    assert_int_equal(perps_fill(f, account_of(f, M), REASON_ADL, 0)->price, PRICE(wanted("E10c", "rows/2/adlPrice")));
    assert_int_equal(fund_cash(f), USDC("400000") + USDC(wanted("E10c", "rows/2/residualToFund")));
    assert_int_equal(perps_wallet(f, A), 0);
    fixture_free(f);
}

/* The members of a liquidation in wire 6.6 are in the events: its id, the wallet, and the positions as they were. */
static void a_liquidation_has_a_number_and_tells_its_positions(void **state)
{
    struct fixture             *f = e9_start(0);
    const struct unit_stage    *unit = event_at(f, EVENT_UNIT, 0);
    const struct unit_position *position = event_at(f, EVENT_UNIT_POSITION, 0);
    (void)state;

    assert_int_equal(unit->stage, STAGE_BOOK);
    assert_int_equal(unit->liquidation_id, 1);
    assert_int_equal(unit->positions, 2);
    assert_int_equal(unit->equity, USDC("2600"));
    assert_int_equal(unit->maintenance, USDC("4828"));
    assert_int_equal(unit->wallet, USDC("11000"));
    assert_ptr_equal(event_at(f, EVENT_UNIT_POSITION, 1), events_next(&f->events, &position->head));
    for (uint32_t i = 0; i < 2; i++) {
        position = event_at(f, EVENT_UNIT_POSITION, i);
        assert_int_equal(position->liquidation_id, 1);
        assert_int_equal(position->account_id, account_of(f, A));
        assert_int_equal(position->margin_mode, MARGIN_CROSS);
        assert_int_equal(position->size, position->symbol_id == BTC ? 200000 : 100000);
        assert_int_equal(position->mark, position->symbol_id == BTC ? 962000 : 392000);
        assert_int_equal(position->liquidation_price, position->symbol_id == BTC ? 973368 : 414852);
    }
    unit = event_at(f, EVENT_UNIT, 1);
    assert_int_equal(unit->stage, STAGE_TAKEOVER);
    assert_int_equal(unit->liquidation_id, 1);
    assert_int_equal(unit->positions, 2);
    unit = event_at(f, EVENT_UNIT, 2);
    assert_int_equal(unit->stage, STAGE_HEALTHY);
    assert_int_equal(unit->liquidation_id, 1);
    assert_int_equal(unit->positions, 0);
    assert_int_equal(event_count(f, EVENT_UNIT), 3);
    assert_int_equal(event_count(f, EVENT_UNIT_POSITION), 4);
    fixture_free(f);
}

static const struct unit_stage *only_stage(const struct fixture *f)
{
    assert_int_equal(event_count(f, EVENT_UNIT), 1);
    return event_at(f, EVENT_UNIT, 0);
}

static void a_liquidation_keeps_its_number_until_it_is_over(void **state)
{
    struct fixture *f = start("1000000", "0");
    (void)state;

    join(f, A, "10000");
    join(f, M, "100000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, M, BTC, "100000", "1"); /* a bucket of 4000, due below 2 % */
    perps_prices(f, BTC, 978000, 978000);
    liquidation_tick(f); /* 1800 of 1956, there are no bids, and the fund waits */
    assert_int_equal(only_stage(f)->stage, STAGE_BOOK);
    assert_int_equal(only_stage(f)->liquidation_id, 1);
    assert_int_equal(only_stage(f)->wallet, USDC("6000"));
    assert_int_equal(((const struct unit_position *)event_at(f, EVENT_UNIT_POSITION, 0))->liquidation_price, 979592);
    perps_prices(f, BTC, 977900, 977900);
    liquidation_tick(f); /* it continues, and there is no new event */
    assert_int_equal(event_count(f, EVENT_UNIT), 0);
    assert_int_equal(perps_position(f, A, BTC)->liquidation, 1);
    perps_prices(f, BTC, 985000, 985000);
    liquidation_tick(f);
    assert_int_equal(only_stage(f)->stage, STAGE_HEALTHY);
    assert_int_equal(only_stage(f)->liquidation_id, 1);
    assert_int_equal(perps_position(f, A, BTC)->liquidation, 0);
    perps_prices(f, BTC, 978000, 978000);
    liquidation_tick(f);
    assert_int_equal(only_stage(f)->stage, STAGE_BOOK);
    assert_int_equal(only_stage(f)->liquidation_id, 2); /* another one */
    engine_verify(f->engine);
    fixture_free(f);
}

/* An account finds the receipts of its liquidation by the number in its fills and its closed position. */
static void forced_fills_and_ends_carry_the_number_of_their_liquidation(void **state)
{
    struct fixture *f = start("4000", "0");
    (void)state;

    join(f, A, "40000");
    join(f, B, "90000");
    join(f, M, "500000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_trade(f, A, B, BTC, "100000", "10");
    perps_limit(f, M, "bid", SIDE_BUY, "97750", "1");
    perps_prices(f, BTC, 978000, 978000);
    liquidation_tick(f); /* its maker is not liquidated, so it carries none */
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_LIQUIDATION, 0)->liquidation_id, 1);
    assert_int_equal(perps_fill(f, account_of(f, M), 0, 0)->liquidation_id, 0);
    assert_int_equal(last_position(f, A, BTC)->liquidation_id, 0); /* the rest is open */
    perps_prices(f, BTC, 940000, 940000);                          /* it was healed, so this is another one */
    liquidation_tick(f);
    assert_int_equal(perps_fill(f, account_of(f, A), REASON_ADL, 0)->liquidation_id, 2);
    assert_int_equal(last_position(f, A, BTC)->reason, REASON_ADL_BANKRUPT);
    assert_int_equal(last_position(f, A, BTC)->liquidation_id, 2);
    assert_int_equal(perps_fill(f, account_of(f, B), REASON_ADL, 0)->liquidation_id, 2);
    assert_int_equal(last_position(f, B, BTC)->liquidation_id, last_position(f, B, BTC)->size == 0 ? 2 : 0);
    fixture_free(f);
}

static void e21_one_step_from_healthy_leaves_half_the_maintenance(void **state)
{
    struct fixture          *f = start("1000000", "0");
    struct position         *position;
    const struct unit_stage *unit;
    (void)state;

    join(f, A, "10000");
    join(f, M, "100000");
    assert_int_equal(perps_leverage(f, A, BTC, 25, MARGIN_ISOLATED)->reject, REJECT_NONE);
    perps_prices(f, BTC, PRICE(given("E21", "mark")), PRICE(given("E21", "mark")));
    perps_trade(f, A, M, BTC, given("E21", "mark"), given("E21", "quantity"));
    position = position_find(f->engine, perps_slot(f, A), PERPS_FIRST);
    engine_margins(f->engine)[perps_slot(f, A)].wallet +=
        position->exposure.bucket - USDC(wanted("E21", "maintenanceBefore"));
    position->exposure.bucket = USDC(wanted("E21", "maintenanceBefore")); /* equity is the maintenance margin */
    liquidation_tick(f);
    assert_int_equal(event_count(f, EVENT_UNIT), 0); /* strict: at it nothing happens */
    perps_index(f, BTC, 340000);
    liquidation_tick(f);
    unit = event_at(f, EVENT_UNIT, 0);
    assert_int_equal(unit->stage, STAGE_BOOK);
    assert_int_equal(unit->equity, USDC(wanted("E21", "equityAfter")));
    engine_verify(f->engine);
    fixture_free(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(e8_only_the_shortage_goes_into_the_book),
        cmocka_unit_test(e9_the_fund_takes_over),
        cmocka_unit_test(e9_above_the_inventory_limit_the_other_side_takes_it_at_the_mark),
        cmocka_unit_test(e9_at_the_inventory_limit_the_fund_still_takes),
        cmocka_unit_test(the_fund_unwinds_its_symbols_by_id),
        cmocka_unit_test(with_a_fee_of_everything_the_fund_does_not_sell),
        cmocka_unit_test(each_share_of_a_take_over_is_of_the_whole_units_equity),
        cmocka_unit_test(shares_of_a_small_deficit_are_charged_together_once),
        cmocka_unit_test(a_small_deficit_beyond_the_limit_goes_to_the_other_side),
        cmocka_unit_test(e10_the_fund_pays_first_then_the_ranked_others),
        cmocka_unit_test(e10b_a_group_shares_pro_rata_to_size),
        cmocka_unit_test(e10b_by_queue_the_first_takes_all_of_it),
        cmocka_unit_test(e10c_behind_the_index_the_fund_is_no_free_option),
        cmocka_unit_test(e10c_at_the_worse_price_still_above_zero_it_takes_over),
        cmocka_unit_test(e10c_with_mark_and_index_together),
        cmocka_unit_test(a_liquidation_has_a_number_and_tells_its_positions),
        cmocka_unit_test(a_liquidation_keeps_its_number_until_it_is_over),
        cmocka_unit_test(forced_fills_and_ends_carry_the_number_of_their_liquidation),
        cmocka_unit_test(e21_one_step_from_healthy_leaves_half_the_maintenance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
