/* SPDX-License-Identifier: MIT */
/* perps_market_read_test.c — reads of contracts, prices, tickers, books and trades of perps. */
#include "rigs/api/perps_rig.h"

/* clang-format off */
#define BTC_USD "{\"id\":1,\"name\":\"BTC-USD\",\"displayName\":\"BTC-USD\",\"baseCoin\":\"BTC\",\"quoteCoinID\":0," \
    "\"quoteCoin\":\"vUSDC\"," \
    "\"quoteCoinPrecision\":6,\"openInterestCap\":\"0\",\"openInterestCapUSD\":\"500000000\",\"pricePrecision\":1," \
        "\"tickSize\":\"0.1\"," \
    "\"minPrice\":\"0\",\"maxPrice\":\"0\",\"quantityPrecision\":5,\"stepSize\":\"0.00001\"," \
        "\"minQuantity\":\"0.00001\",\"maxQuantity\":\"1000\"," \
    "\"marketMinQuantity\":\"0.00001\",\"marketMaxQuantity\":\"100\",\"minNotional\":\"5\"," \
        "\"maxNotional\":\"10000000\",\"buyLimitUpRatio\":\"0.05\"," \
    "\"sellLimitDownRatio\":\"0.05\",\"marketDeviationRatio\":\"0.01\",\"maxLeverage\":25,\"initLeverage\":10," \
        "\"marginTiers\":[" \
    "{\"maxNotionalValue\":\"4000000\",\"maintenanceMarginRate\":\"0.02\",\"maxLeverage\":25," \
        "\"maintenanceDeduction\":\"0\"}," \
    "{\"maxNotionalValue\":\"10000000\",\"maintenanceMarginRate\":\"0.025\",\"maxLeverage\":20," \
        "\"maintenanceDeduction\":\"20000\"}," \
    "{\"maxNotionalValue\":\"50000000\",\"maintenanceMarginRate\":\"0.05\",\"maxLeverage\":10," \
        "\"maintenanceDeduction\":\"270000\"}]," \
    "\"fundingInterval\":3600,\"interestRate\":\"0.0001\",\"maxFundingRate\":\"0.01\",\"minFundingRate\":\"-0.01\"," \
        "\"makerFee\":\"0.00012\"," \
    "\"takerFee\":\"0.0004\",\"feeDiscount\":\"0\",\"status\":\"TRADING\",\"lastTradePrice\":\"100000\"," \
        "\"listingReferencePrice\":\"100000\"," \
    "\"markPrice\":\"100000\",\"indexPrice\":\"100000\"}"
/* clang-format on */

static void contracts_are_listed_with_their_tiers(void **state)
{
    (void)state;
    rig_get("/api/v1/perps/markets/symbols");
    rig_expect("\"data\":[" BTC_USD ",{\"id\":2,\"name\":\"ETH-USD\"");
    assert_string_equal(rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD"), OK_BODY("[" BTC_USD "]"));
    rig_get("/api/v1/perps/markets/symbols?symbol=vBTC_vUSDC"); /* a symbol of the other market */
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/markets/symbols?symbol=BTC-USD");
    assert_int_equal(rig_code(), 40401);
}

#define PRICES "\"indexPrice\":\"87650.1\",\"markPrice\":\"87651.2\",\"openInterest\":\"532.1\""

static void mark_prices_are_told_of_all_symbols_or_one(void **state)
{
    (void)state;
    emit_price(BTC, 876512, 876501);
    assert_string_equal(
        rig_get("/api/v1/perps/markets/mark-prices?symbol=BTC-USD"),
        OK_BODY("[{\"symbol\":\"BTC-USD\",\"fundingRate\":\"0.0000125\",\"nextFundingTime\":1760000400000," PRICES
                "}]"));
    rig_get("/api/v1/perps/markets/mark-prices");
    rig_expect("},{\"symbol\":\"ETH-USD\",\"fundingRate\":\"0\",\"nextFundingTime\":1760000400000,\"indexPrice\":"
               "\"4000\",\"markPrice\":\"4000\",\"openInterest\":\"0\"}]");
    rig_get("/api/v1/perps/markets/mark-prices?symbol=DOGE-USD");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/markets/mark-prices");
    assert_int_equal(rig_answer.status, 404);
}

/* A ticker that is kept encoded must not outlive the prices in it. */
static void tickers_add_prices_and_follow_them(void **state)
{
    (void)state;
    emit_price(BTC, 876512, 876501);
    rig_get("/api/v1/perps/markets/tickers?symbol=BTC-USD");
    rig_expect("\"fundingRate\":\"0.0000125\",\"nextFundingTime\":1760000400000," PRICES ",\"openTime\":");
    rig_expect("\"closeTime\":1760000000000}]}");
    rig_get("/api/v1/perps/markets/tickers");
    rig_expect(PRICES);
    emit_price(BTC, 876513, 876501);
    rig_get("/api/v1/perps/markets/tickers?symbol=BTC-USD");
    rig_expect("\"markPrice\":\"87651.3\"");
    rig_get("/api/v1/perps/markets/tickers");
    rig_expect("\"markPrice\":\"87651.3\"");
    rig_get("/api/v1/spot/markets/tickers");
    rig_expect_not("markPrice");
    rig_get("/api/v1/perps/markets/miniTickers");
    rig_expect("\"symbol\":\"ETH-USD\"");
    rig_expect_not("markPrice");
    rig_get("/api/v1/perps/markets/bookTickers");
    rig_expect("{\"symbol\":\"BTC-USD\",\"bidPx\":\"0\"");
}

/* Cached lists follow their contents: by name and whole, of both bases, and no read gets another's list. */
static void lists_that_are_kept_follow_the_views(void **state)
{
    struct symbol_changed *halt;
    struct traded         *trade;

    (void)state;
    for (int i = 0; i < 2; i++) { /* the second time from the cache */
        rig_get("/api/v1/spot/markets/symbols");
        rig_expect("\"name\":\"vBTC_vUSDC\"");
        rig_get("/api/v1/perps/markets/symbols");
        rig_expect("\"name\":\"BTC-USD\"");
        rig_expect("\"name\":\"ETH-USD\"");
        rig_get("/api/v1/perps/markets/symbols?symbol=ETH-USD");
        rig_expect_not("\"name\":\"BTC-USD\"");
        rig_get("/api/v1/spot/markets/coins");
        rig_expect("\"name\":\"vETH\"");
        rig_expect_not("marginRatio");
        rig_get("/api/v1/perps/markets/coins");
        rig_expect("marginRatio");
        rig_get("/api/v1/spot/markets/coins?coin=vBTC");
        rig_expect_not("\"name\":\"vETH\"");
    }
    emit_price(BTC, 876512, 876501);
    rig_get("/api/v1/perps/markets/mark-prices");
    rig_expect("\"markPrice\":\"87651.2\"");
    rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD");
    rig_expect("\"markPrice\":\"87651.2\"");
    emit_price(BTC, 876513, 876501);
    rig_get("/api/v1/perps/markets/mark-prices");
    rig_expect("\"markPrice\":\"87651.3\"");
    rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD");
    rig_expect("\"markPrice\":\"87651.3\"");
    trade = EVENT_ADD(&rig_events, TRADE, traded, MARKET_SPOT);
    *trade = (struct traded){ .head = trade->head,
                              .trade_id = 8,
                              .symbol_id = 1,
                              .taker_side = SIDE_SELL,
                              .price = 999990,
                              .quantity = 5,
                              .value = 4999950,
                              .buyer_account_id = 1001,
                              .seller_account_id = 1002,
                              .time_ms = NOW };
    rig_apply();
    rig_get("/api/v1/spot/markets/symbols");
    rig_expect("\"lastTradePrice\":\"99999\"");
    halt = EVENT_ADD(&rig_events, SYMBOL, symbol_changed, MARKET_SPOT);
    *halt = (struct symbol_changed){ .head = halt->head, .symbol_id = 1, .status = SYMBOL_HALT };
    rig_apply();
    rig_get("/api/v1/spot/markets/symbols?symbol=vBTC_vUSDC");
    rig_expect("\"status\":\"HALT\"");
    rig_get("/api/v1/spot/markets/symbols");
    rig_expect("\"status\":\"HALT\"");
}

static void emit_mode(uint8_t mode)
{
    struct mode_changed *event = EVENT_ADD(&rig_events, MODE, mode_changed, 0);

    event->mode = mode;
    event->before = views_mode(rig_shared.views);
    rig_apply();
}

/* A cached list follows the venue's mode, which changes without an event of any symbol. */
static void symbols_show_what_the_mode_makes_of_them(void **state)
{
    static const char *const lists[] = { "/api/v1/perps/markets/symbols",
                                         "/api/v1/perps/markets/symbols?symbol=BTC-USD" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        emit_mode(VENUE_RUN);
        rig_get(lists[i]);
        rig_expect("\"status\":\"TRADING\"");
        rig_expect_not("\"phase\"");
        emit_mode(VENUE_CANCEL_ONLY);
        rig_get(lists[i]);
        rig_expect("\"status\":\"HALT\"");
        rig_expect_not("TRADING");
        rig_expect_not("\"phase\"");
        rig_get("/api/v1/spot/markets/symbols");
        rig_expect_not("TRADING");
        emit_mode(VENUE_REDUCE_ONLY);
        rig_get(lists[i]);
        rig_expect("\"status\":\"TRADING\"");
        rig_expect("\"phase\":\"REDUCE_ONLY\"");
        rig_get("/api/v1/spot/markets/symbols");
        rig_expect("\"status\":\"TRADING\"");
        rig_expect_not("phase");
    }
}

static void books_and_trades_of_the_two_markets_are_apart(void **state)
{
    struct level_changed *level = EVENT_ADD(&rig_events, LEVEL, level_changed, MARKET_PERPS);
    struct traded        *trade = EVENT_ADD(&rig_events, TRADE, traded, MARKET_PERPS);

    (void)state;
    *level = (struct level_changed){ level->head, BTC, SIDE_BUY, { 0 }, 999990, 120000, 1 };
    *trade = (struct traded){ .head = trade->head,
                              .trade_id = 7,
                              .symbol_id = BTC,
                              .taker_side = SIDE_SELL,
                              .price = 999990,
                              .quantity = 5,
                              .value = 4999950,
                              .buyer_account_id = 1001,
                              .seller_account_id = 1002,
                              .time_ms = NOW };
    rig_apply();
    assert_string_equal(rig_get("/api/v1/perps/markets/BTC-USD/orderbook"),
                        OK_BODY("{" BLOCK_KEYS ",\"updateID\":1,\"bids\":[[\"99999\",\"1.2\"]],\"asks\":[]}"));
    assert_string_equal(rig_get("/api/v1/perps/markets/BTC-USD/trades"),
                        OK_BODY("[{\"t\":7,\"T\":1760000000000,\"s\":\"BTC-USD\",\"S\":\"SELL\",\"p\":\"99999\",\"q\":"
                                "\"0.00005\",\"bi\":1001,\"si\":1002}]"));
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook");
    rig_expect("\"bids\":[],\"asks\":[]");
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades");
    rig_expect("\"data\":[]");
    rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD");
    rig_expect("\"lastTradePrice\":\"99999\"");
    rig_get("/api/v1/perps/markets/vBTC_vUSDC/orderbook");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/perps/markets/BTC-USD/klines?interval=12h"); /* an interval of spot alone */
    assert_int_equal(rig_code(), 40006);
    rig_get("/api/v1/perps/markets/BTC-USD/klines?interval=1d&limit=5000");
    rig_expect("\"data\":[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(contracts_are_listed_with_their_tiers),    TEST(mark_prices_are_told_of_all_symbols_or_one),
        TEST(tickers_add_prices_and_follow_them),       TEST(lists_that_are_kept_follow_the_views),
        TEST(symbols_show_what_the_mode_makes_of_them), TEST(books_and_trades_of_the_two_markets_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
