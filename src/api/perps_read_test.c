/* SPDX-License-Identifier: MIT */
/* perps_read_test.c — reads of the perps base by example: the numbers of mechanics E4 to E7 as clients see them, every filter and default. */
#include "api/test_rig.h"

#include <errno.h>

#define BTC 1
#define ETH 2
#define BLOCK_KEYS "\"blockTime\":1759999999000,\"blockHeight\":0"

/* ---- events by hand ---- */

static void tell_wallet(uint64_t account, int64_t total)
{
    struct balance *event = EVENT_ADD(&rig_events, BALANCE, balance, MARKET_PERPS);

    event->account_id = account;
    event->total = total;
    rig_apply();
}

static void tell_price(uint32_t symbol, int64_t mark, int64_t index)
{
    struct price_changed *event = EVENT_ADD(&rig_events, PRICE, price_changed, MARKET_PERPS);

    event->symbol_id = symbol;
    event->state = ORACLE_LIVE;
    event->mark = mark;
    event->index = index;
    event->funding_rate = 12500000;
    event->next_funding_ms = NOW + 400000;
    event->open_interest = 53210000;
    rig_apply();
}

static void tell_leverage(uint64_t account, uint32_t symbol, uint32_t leverage, uint8_t mode)
{
    struct leverage_changed *event = EVENT_ADD(&rig_events, LEVERAGE, leverage_changed, MARKET_PERPS);

    event->account_id = account;
    event->symbol_id = symbol;
    event->leverage = leverage;
    event->margin_mode = mode;
    rig_apply();
}

static struct position_changed position_of(uint64_t id, uint32_t symbol, int64_t size, int64_t cost, uint32_t leverage)
{
    return (struct position_changed){
        .head = { .kind = EVENT_POSITION, .bytes = sizeof(struct position_changed), .market = MARKET_PERPS },
        .account_id = 1001, .position_id = id, .symbol_id = symbol, .leverage = leverage, .margin_mode = MARGIN_CROSS, .size = size,
        .cost_low = cost, .cost_high = cost < 0 ? -1 : 0, .open_value = cost < 0 ? -cost : cost, .max_size = size < 0 ? -size : size,
        .created_ms = NOW - 900, .updated_ms = NOW - 800,
    };
}

static void tell_position(struct position_changed position)
{
    memcpy(EVENT_ADD(&rig_events, POSITION, position_changed, MARKET_PERPS), &position, sizeof(position));
    rig_apply();
}

static struct perps_order_changed order_of(uint64_t id, uint8_t side, int64_t price, int64_t quantity)
{
    struct perps_order_changed order = { .base = rig_order(id, STATUS_NEW), .modifier = MODIFIER_NORMAL };

    order.base.head = (struct event){ .kind = EVENT_PERPS_ORDER, .bytes = sizeof(order), .market = MARKET_PERPS };
    order.base.side = side;
    order.base.price = price;
    order.base.quantity = quantity;
    order.base.frozen = 0;
    return order;
}

static void tell_order(struct perps_order_changed order)
{
    memcpy(EVENT_ADD(&rig_events, PERPS_ORDER, perps_order_changed, MARKET_PERPS), &order, sizeof(order));
    rig_apply();
}

/* ---- markets ---- */

#define BTC_USD "{\"id\":1,\"name\":\"BTC-USD\",\"displayName\":\"BTC-USD\",\"baseCoin\":\"BTC\",\"quoteCoinID\":0,\"quoteCoin\":\"vUSDC\","       \
    "\"quoteCoinPrecision\":6,\"openInterestCap\":\"0\",\"openInterestCapUSD\":\"500000000\",\"pricePrecision\":1,\"tickSize\":\"0.1\","            \
    "\"minPrice\":\"0\",\"maxPrice\":\"0\",\"quantityPrecision\":5,\"stepSize\":\"0.00001\",\"minQuantity\":\"0.00001\",\"maxQuantity\":\"1000\","  \
    "\"marketMinQuantity\":\"0.00001\",\"marketMaxQuantity\":\"100\",\"minNotional\":\"5\",\"maxNotional\":\"10000000\",\"buyLimitUpRatio\":\"0.05\"," \
    "\"sellLimitDownRatio\":\"0.05\",\"marketDeviationRatio\":\"0.01\",\"maxLeverage\":25,\"initLeverage\":10,\"marginTiers\":["                    \
    "{\"maxNotionalValue\":\"4000000\",\"maintenanceMarginRate\":\"0.02\",\"maxLeverage\":25,\"maintenanceDeduction\":\"0\"},"                      \
    "{\"maxNotionalValue\":\"10000000\",\"maintenanceMarginRate\":\"0.025\",\"maxLeverage\":20,\"maintenanceDeduction\":\"20000\"},"                \
    "{\"maxNotionalValue\":\"50000000\",\"maintenanceMarginRate\":\"0.05\",\"maxLeverage\":10,\"maintenanceDeduction\":\"270000\"}],"               \
    "\"fundingInterval\":3600,\"interestRate\":\"0.0001\",\"maxFundingRate\":\"0.01\",\"minFundingRate\":\"-0.01\",\"makerFee\":\"0.00012\","       \
    "\"takerFee\":\"0.0004\",\"feeDiscount\":\"0\",\"status\":\"TRADING\",\"lastTradePrice\":\"100000\",\"listingReferencePrice\":\"100000\","      \
    "\"markPrice\":\"100000\",\"indexPrice\":\"100000\"}"

static void contracts_are_listed_with_their_tiers(void **state)
{
    (void)state;
    rig_get("/api/v1/perps/markets/symbols");
    rig_expect("\"data\":[" BTC_USD ",{\"id\":2,\"name\":\"ETH-USD\"");
    assert_string_equal(rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD"), OK_BODY("[" BTC_USD "]"));
    rig_get("/api/v1/perps/markets/symbols?symbol=vBTC_vUSDC");        /* a symbol of the other market */
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/markets/symbols?symbol=BTC-USD");
    assert_int_equal(rig_code(), 40401);
}

#define PRICES "\"indexPrice\":\"87650.1\",\"markPrice\":\"87651.2\",\"openInterest\":\"532.1\""

static void mark_prices_are_told_of_all_symbols_or_one(void **state)
{
    (void)state;
    tell_price(BTC, 876512, 876501);
    assert_string_equal(rig_get("/api/v1/perps/markets/mark-prices?symbol=BTC-USD"),
        OK_BODY("[{\"symbol\":\"BTC-USD\",\"fundingRate\":\"0.0000125\",\"nextFundingTime\":1760000400000," PRICES "}]"));
    rig_get("/api/v1/perps/markets/mark-prices");
    rig_expect("},{\"symbol\":\"ETH-USD\",\"fundingRate\":\"0\",\"nextFundingTime\":1760000400000,\"indexPrice\":\"4000\",\"markPrice\":\"4000\",\"openInterest\":\"0\"}]");
    rig_get("/api/v1/perps/markets/mark-prices?symbol=DOGE-USD");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/spot/markets/mark-prices");
    assert_int_equal(rig_answer.status, 404);
}

/* A ticker that is kept encoded must not outlive the prices in it. */
static void tickers_add_prices_and_follow_them(void **state)
{
    (void)state;
    tell_price(BTC, 876512, 876501);
    rig_get("/api/v1/perps/markets/tickers?symbol=BTC-USD");
    rig_expect("\"fundingRate\":\"0.0000125\",\"nextFundingTime\":1760000400000," PRICES ",\"openTime\":");
    rig_expect("\"closeTime\":1760000000000}]}");
    rig_get("/api/v1/perps/markets/tickers");
    rig_expect(PRICES);
    tell_price(BTC, 876513, 876501);
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

/* Lists that are kept encoded follow what they show: by name and whole, of both bases, and nobody is given another's. */
static void lists_that_are_kept_follow_the_views(void **state)
{
    struct symbol_changed *halt;
    struct traded *trade;

    (void)state;
    for (int i = 0; i < 2; i++) {               /* the second time from what was kept */
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
    tell_price(BTC, 876512, 876501);
    rig_get("/api/v1/perps/markets/mark-prices");
    rig_expect("\"markPrice\":\"87651.2\"");
    rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD");
    rig_expect("\"markPrice\":\"87651.2\"");
    tell_price(BTC, 876513, 876501);
    rig_get("/api/v1/perps/markets/mark-prices");
    rig_expect("\"markPrice\":\"87651.3\"");
    rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD");
    rig_expect("\"markPrice\":\"87651.3\"");
    trade = EVENT_ADD(&rig_events, TRADE, traded, MARKET_SPOT);
    *trade = (struct traded){ .head = trade->head, .trade_id = 8, .symbol_id = 1, .taker_side = SIDE_SELL, .price = 999990, .quantity = 5,
                              .value = 4999950, .buyer_account_id = 1001, .seller_account_id = 1002, .time_ms = NOW };
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

static void books_and_trades_of_the_two_markets_are_apart(void **state)
{
    struct level_changed *level = EVENT_ADD(&rig_events, LEVEL, level_changed, MARKET_PERPS);
    struct traded *trade = EVENT_ADD(&rig_events, TRADE, traded, MARKET_PERPS);

    (void)state;
    *level = (struct level_changed){ level->head, BTC, SIDE_BUY, { 0 }, 999990, 120000, 1 };
    *trade = (struct traded){ .head = trade->head, .trade_id = 7, .symbol_id = BTC, .taker_side = SIDE_SELL, .price = 999990, .quantity = 5,
                              .value = 4999950, .buyer_account_id = 1001, .seller_account_id = 1002, .time_ms = NOW };
    rig_apply();
    assert_string_equal(rig_get("/api/v1/perps/markets/BTC-USD/orderbook"),
        OK_BODY("{" BLOCK_KEYS ",\"updateID\":1,\"bids\":[[\"99999\",\"1.2\"]],\"asks\":[]}"));
    assert_string_equal(rig_get("/api/v1/perps/markets/BTC-USD/trades"),
        OK_BODY("[{\"t\":7,\"T\":1760000000000,\"s\":\"BTC-USD\",\"S\":\"SELL\",\"p\":\"99999\",\"q\":\"0.00005\",\"bi\":1001,\"si\":1002}]"));
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/orderbook");
    rig_expect("\"bids\":[],\"asks\":[]");
    rig_get("/api/v1/spot/markets/vBTC_vUSDC/trades");
    rig_expect("\"data\":[]");
    rig_get("/api/v1/perps/markets/symbols?symbol=BTC-USD");
    rig_expect("\"lastTradePrice\":\"99999\"");
    rig_get("/api/v1/perps/markets/vBTC_vUSDC/orderbook");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/perps/markets/BTC-USD/klines?interval=12h");      /* an interval of spot alone */
    assert_int_equal(rig_code(), 40006);
    rig_get("/api/v1/perps/markets/BTC-USD/klines?interval=1d&limit=5000");
    rig_expect("\"data\":[]");
}

/* ---- margins ---- */

/* E7: deposit 12000, BTC +1 @ 100000, ETH -20 @ 4000, leverage 20 cross. */
static void make_e7(int64_t btc, int64_t eth)
{
    tell_wallet(1001, 12000000000);
    tell_leverage(1001, BTC, 20, MARGIN_CROSS);
    tell_leverage(1001, ETH, 20, MARGIN_CROSS);
    tell_position(position_of(77, BTC, 100000, 100000000000, 20));
    tell_position(position_of(78, ETH, -200000, -80000000000, 20));
    tell_price(BTC, btc, btc);
    tell_price(ETH, eth, eth);
}

#define P_BTC "{\"i\":77,\"s\":\"BTC-USD\",\"m\":\"CROSS\",\"ps\":\"BOTH\",\"sz\":\"1\",\"iw\":null,\"ep\":\"100000\",\"co\":\"100000\",\"cf\":\"0\","   \
    "\"cc\":\"0\",\"cp\":\"0\",\"ms\":\"1\",\"cr\":\"0\",\"ur\":\"-1500\",\"l\":20,\"lp\":\"90790.9\",\"adl\":6,\"ct\":1759999999100,\"ut\":1759999999200}"
#define P_ETH "{\"i\":78,\"s\":\"ETH-USD\",\"m\":\"CROSS\",\"ps\":\"BOTH\",\"sz\":\"-20\",\"iw\":null,\"ep\":\"4000\",\"co\":\"80000\",\"cf\":\"0\","   \
    "\"cc\":\"0\",\"cp\":\"0\",\"ms\":\"20\",\"cr\":\"0\",\"ur\":\"1000\",\"l\":20,\"lp\":\"4318.53\",\"adl\":1,\"ct\":1759999999100,\"ut\":1759999999200}"

static void the_state_of_a_cross_account_is_that_of_example_7(void **state)
{
    (void)state;
    make_e7(985000, 395000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"aid\":1001,\"uid\":11,\"av\":\"11500\",\"mm\":\"3945\",\"mmr\":\"0.34304348\",\"am\":\"2625\",\"ami\":\"2625\",\"amw\":\"2625\","
               "\"im\":\"0\",\"cm\":\"8875\",\"oim\":\"0\",\"ocm\":\"0\",");
    rig_expect("\"B\":[{\"i\":0,\"a\":\"vUSDC\",\"wb\":\"12000\",\"co\":\"12000\",\"mr\":\"1\",\"px\":\"1\",\"iw\":\"0\",\"aw\":\"2625\",\"at\":\"2625\","
               "\"ww\":\"2625\",\"wm\":\"12000\",\"am\":\"2625\"}],\"O\":[],\"P\":[" P_BTC "," P_ETH "],"
               "\"S\":[{\"s\":\"BTC-USD\",\"l\":20,\"m\":\"CROSS\"},{\"s\":\"ETH-USD\",\"l\":20,\"m\":\"CROSS\"}],\"TO\":[]," BLOCK_KEYS "}");
    rig_get("/api/v1/perps/accounts/%1/balances");
    rig_expect("\"balances\":[{\"id\":0,\"coin\":\"vUSDC\",\"total\":\"12000\",\"collateral\":\"12000\",\"marginRatio\":\"1\",\"price\":\"1\",\"locked\":\"8875\"}]");
}

static void profit_is_margin_but_not_money_to_take(void **state)
{
    (void)state;
    make_e7(1010000, 390000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"15000\"");
    rig_expect("\"am\":\"6050\",\"ami\":\"6050\",\"amw\":\"3050\",\"im\":\"0\",\"cm\":\"8950\"");
}

/* While the mark lags more than 1 % behind the index, profit counts nothing for new risk. */
static void profit_does_not_count_while_the_mark_catches_up(void **state)
{
    (void)state;
    make_e7(1010000, 390000);
    tell_price(BTC, 1010000, 1020202);          /* 1.0000…% : not more than 1 % */
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"15000\"");
    rig_expect("\"am\":\"6050\"");
    tell_price(BTC, 1010000, 1020203);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"15000\"");
    rig_expect("\"am\":\"5050\"");
}

/* E6: 10 BTC @ 100000 isolated at 25x, bucket 40000. */
static void an_isolated_position_has_the_liquidation_price_of_example_6(void **state)
{
    struct position_changed position = position_of(5, BTC, 1000000, 1000000000000, 25);

    (void)state;
    position.margin_mode = MARGIN_ISOLATED;
    position.bucket = 40000000000;
    position.fees = 1500000;
    position.realized = -1500000;
    tell_wallet(1001, 60000000000);
    tell_position(position);
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/positions"), OK_BODY("{" BLOCK_KEYS ",\"positions\":["
        "{\"id\":5,\"symbol\":\"BTC-USD\",\"marginMode\":\"ISOLATED\",\"side\":\"BOTH\",\"positionSide\":\"BOTH\",\"size\":\"10\",\"initialMargin\":\"40000\","
        "\"avgEntryPrice\":\"100000\",\"cumOpenCost\":\"1000000\",\"cumTradingFee\":\"1.5\",\"cumClosedSize\":\"0\",\"avgClosePrice\":\"0\",\"maxSize\":\"10\","
        "\"realizedPnL\":\"-1.5\",\"leverage\":25,\"active\":true,\"isTakenOver\":false,\"takeOverPrice\":\"0\",\"createdAt\":1759999999100,"
        "\"updatedAt\":1759999999200,\"symbolID\":1,\"accountID\":1001,\"quantity\":\"10\",\"entryPrice\":\"100000\",\"markPrice\":\"100000\","
        "\"liquidationPrice\":\"97959.2\",\"unrealizedPnl\":\"0\",\"margin\":\"40000\"}],\"orders\":["
        "{\"id\":5,\"symbol\":\"BTC-USD\",\"marginMode\":\"ISOLATED\",\"side\":\"BOTH\",\"positionSide\":\"BOTH\",\"size\":\"10\",\"initialMargin\":\"40000\","
        "\"avgEntryPrice\":\"100000\",\"cumOpenCost\":\"1000000\",\"cumTradingFee\":\"1.5\",\"cumClosedSize\":\"0\",\"avgClosePrice\":\"0\",\"maxSize\":\"10\","
        "\"realizedPnL\":\"-1.5\",\"leverage\":25,\"active\":true,\"isTakenOver\":false,\"takeOverPrice\":\"0\",\"createdAt\":1759999999100,"
        "\"updatedAt\":1759999999200,\"symbolID\":1,\"accountID\":1001,\"quantity\":\"10\",\"entryPrice\":\"100000\",\"markPrice\":\"100000\","
        "\"liquidationPrice\":\"97959.2\",\"unrealizedPnl\":\"0\",\"margin\":\"40000\"}]}"));
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"60000\",\"mm\":\"0\",\"mmr\":\"0\",\"am\":\"60000\",\"ami\":\"60000\",\"amw\":\"60000\",\"im\":\"40000\",\"cm\":\"0\"");
    rig_expect("\"iw\":\"40000\"");
    position.size = -1000000;
    position.cost_low = -1000000000000;
    position.cost_high = -1;
    tell_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions?symbol=BTC-USD");
    rig_expect("\"size\":\"-10\"");
    rig_expect("\"liquidationPrice\":\"101960.7\"");
    rig_get("/api/v1/perps/accounts/%1/positions?symbol=ETH-USD");
    rig_expect("\"positions\":[],\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%1/positions?symbol=nope");
    assert_int_equal(rig_code(), 40401);
    rig_get("/api/v1/perps/accounts/%2/positions");
    rig_expect("\"positions\":[],\"orders\":[]");
}

/* E4: 1 BTC for 100700.49, and after -0.33333 of it. */
static void averages_have_four_more_decimals_half_up(void **state)
{
    struct position_changed position = position_of(5, BTC, 100000, 100700490000, 10);

    (void)state;
    tell_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100700.49\"");
    position.size = 66667;
    position.cost_low = 67133995669;
    position.closed_size = 33333;
    position.close_value = 33999660000;
    position.realized = 433165669;
    tell_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100700.49\"");                    /* 67133.995669 / 0.66667 = 100700.4900010… */
    rig_expect("\"cumOpenCost\":\"100700.49\"");
    rig_expect("\"cumClosedSize\":\"0.33333\",\"avgClosePrice\":\"102000\"");
    rig_expect("\"realizedPnL\":\"433.165669\"");
    tell_position(position_of(5, BTC, 80000, 80000000004, 10));         /* 100000.000005 */
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100000.00001\"");
    tell_position(position_of(5, BTC, 80000, 80000000003, 10));         /* 100000.00000375 */
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"avgEntryPrice\":\"100000\"");
}

/* E5: +2 BTC at mark 100000, buy 1 @ 99000, sells 3 @ 101000 and 1 @ 102000, none of them reduce-only. */
static void orders_freeze_what_example_5_says(void **state)
{
    (void)state;
    tell_wallet(1001, 100000000000);
    tell_position(position_of(9, BTC, 200000, 200000000000, 10));
    tell_order(order_of(21, SIDE_BUY, 990000, 100000));
    tell_order(order_of(22, SIDE_SELL, 1020000, 100000));
    tell_order(order_of(23, SIDE_SELL, 1010000, 300000));
    rig_get("/api/v1/perps/accounts/%1/orders");
    rig_expect("\"orderID\":21,\"clOrdID\":\"my-1\",\"side\":\"BUY\",\"type\":\"LIMIT\",\"timeInForce\":\"GTC\",\"price\":\"99000\",\"origQty\":\"1\","
               "\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"9939.6\",\"positionSide\":\"BOTH\",\"reduceOnly\":false,"
               "\"modifier\":\"NORMAL\",\"createdAt\":1759999999500,\"updatedAt\":1759999999600}");
    rig_expect("\"orderID\":23,\"clOrdID\":\"my-1\",\"side\":\"SELL\",\"type\":\"LIMIT\",\"timeInForce\":\"GTC\",\"price\":\"101000\",\"origQty\":\"3\","
               "\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"10140.4\"");
    rig_expect("\"price\":\"102000\",\"origQty\":\"1\",\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"10240.8\"");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"cm\":\"20000\",\"oim\":\"0\",\"ocm\":\"9939.6\"");
    rig_expect("\"am\":\"70060.4\"");
    rig_expect("\"M\":\"9939.6\"");
    rig_get("/api/v1/perps/accounts/%1/balances");
    rig_expect("\"locked\":\"29939.6\"");
}

/* E5, a flat account: what is above the mark for a buy, and below it for a sell, is a loss at once. */
static void orders_beyond_the_mark_freeze_their_loss(void **state)
{
    (void)state;
    tell_wallet(1001, 100000000000);
    tell_order(order_of(21, SIDE_BUY, 1002000, 100000));
    tell_order(order_of(22, SIDE_SELL, 999000, 100000));
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"M\":\"10260.08\"");
    rig_expect("\"M\":\"10140\"");
    rig_expect("\"cm\":\"0\",\"oim\":\"0\",\"ocm\":\"10260.08\"");
    tell_leverage(1001, BTC, 10, MARGIN_ISOLATED);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"cm\":\"0\",\"oim\":\"10260.08\",\"ocm\":\"0\"");
    rig_expect("\"am\":\"89739.92\",\"ami\":\"89739.92\",\"amw\":\"89739.92\"");
    rig_expect("\"S\":[{\"s\":\"BTC-USD\",\"l\":10,\"m\":\"ISOLATED\"},");
}

static void stops_that_wait_are_open_orders_that_freeze_nothing(void **state)
{
    struct perps_order_changed parent = order_of(500, SIDE_BUY, 990000, 10000), child = order_of(501, SIDE_SELL, 0, 0), stop = order_of(502, SIDE_BUY, 1010000, 5);

    (void)state;
    parent.modifier = MODIFIER_BRACKET;
    parent.attached_order_ids[0] = 501;
    child.modifier = MODIFIER_ATTACHED_STOP;
    child.base.status = STATUS_PENDING_NEW;
    child.base.type = TYPE_MARKET;
    child.base.time_in_force = TIF_IOC;
    child.reduce_only = 1;
    child.stop_price = 770000;
    child.stop_type = STOP_TAKE_PROFIT;
    child.trigger_type = TRIGGER_MARK_PRICE;
    child.primary_order_id = 500;
    stop.modifier = MODIFIER_STOP;
    stop.stop_price = 1020000;
    stop.stop_type = STOP_LOSS;
    stop.trigger_type = TRIGGER_LAST_PRICE;
    tell_order(parent);
    tell_order(child);
    tell_order(stop);
    rig_get("/api/v1/perps/accounts/%1/orders");
    rig_expect("\"orders\":[{\"symbol\":\"BTC-USD\",\"orderID\":502,");
    rig_expect("\"marginFrozen\":\"0\",\"positionSide\":\"BOTH\",\"reduceOnly\":false,\"modifier\":\"STOP\",\"stopPrice\":\"102000\",\"stopType\":\"STOP_LOSS\","
               "\"triggerType\":\"LAST_PRICE\",\"createdAt\"");
    rig_expect("\"orderID\":501,\"clOrdID\":\"my-1\",\"side\":\"SELL\",\"type\":\"MARKET\",\"timeInForce\":\"IOC\",\"status\":\"NEW\",\"executedQty\":\"0\","
               "\"executedValue\":\"0\",\"marginFrozen\":\"0\",\"positionSide\":\"BOTH\",\"reduceOnly\":true,\"modifier\":\"ATTACHED_STOP\",\"stopPrice\":\"77000\","
               "\"stopType\":\"TAKE_PROFIT\",\"triggerType\":\"MARK_PRICE\",\"primaryOrderID\":500,\"createdAt\"");
    rig_expect("\"modifier\":\"BRACKET\",\"attachedOrderIDs\":[501],\"createdAt\"");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"R\":true,\"sp\":\"77000\",\"st\":\"TAKE_PROFIT\",\"tt\":\"MARK_PRICE\",\"poid\":500}");
    rig_expect("\"aoids\":[501]}");
    stop.triggered = 1;                 /* and rests as a limit order now */
    tell_order(stop);
    rig_get("/api/v1/perps/accounts/%1/orders?symbol=BTC-USD");
    rig_expect("\"orderID\":502,\"clOrdID\":\"my-1\",\"side\":\"BUY\",\"type\":\"LIMIT\",\"timeInForce\":\"GTC\",\"price\":\"101000\",\"origQty\":\"0.00005\","
               "\"status\":\"NEW\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"0.55702\"");
    rig_get("/api/v1/perps/accounts/%1/orders?symbol=ETH-USD");
    rig_expect("\"orders\":[]");
    stop.base.status = STATUS_FILLED;
    tell_order(stop);
    rig_get("/api/v1/perps/accounts/%1/orders");
    rig_expect_not("\"orderID\":502");
    rig_get("/api/v1/spot/accounts/%1/orders");
    rig_expect("\"orders\":[]");
}

static void the_state_shows_a_hundred_orders_and_the_list_all(void **state)
{
    size_t shown = 0;

    (void)state;
    for (uint64_t id = 1; id <= 150; id++) tell_order(order_of(id, SIDE_BUY, 990000, 1));
    rig_get("/api/v1/perps/accounts/%1/state");
    for (const char *at = rig_body; (at = strstr(at, "\"X\":\"NEW\"")) != NULL; at++) shown++;
    assert_int_equal(shown, 100);
    rig_expect("\"O\":[{\"s\":\"BTC-USD\",\"c\":\"my-1\",\"i\":150,");
    rig_get("/api/v1/perps/accounts/%1/orders");
    shown = 0;
    for (const char *at = rig_body; (at = strstr(at, "\"status\":\"NEW\"")) != NULL; at++) shown++;
    assert_int_equal(shown, 150);
}

static void funding_goes_into_the_record_and_the_bucket(void **state)
{
    struct position_changed position = position_of(5, BTC, 100000, 100000000000, 10);
    struct funded *funded;

    (void)state;
    position.margin_mode = MARGIN_ISOLATED;
    position.bucket = 10000000000;
    tell_position(position);
    funded = EVENT_ADD(&rig_events, FUNDING, funded, MARKET_PERPS);
    *funded = (struct funded){ .head = funded->head, .account_id = 1001, .position_id = 5, .symbol_id = BTC, .payment = 1250001, .time_ms = NOW - 7 };
    rig_apply();
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"realizedPnL\":\"-1.250001\"");
    rig_expect("\"margin\":\"9998.749999\"");
    rig_expect("\"updatedAt\":1759999999993");
    position.size = 0;
    tell_position(position);
    rig_get("/api/v1/perps/accounts/%1/positions");
    rig_expect("\"positions\":[],\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"S\":[{\"s\":\"BTC-USD\",\"l\":10,\"m\":\"ISOLATED\"},");     /* the choice outlives the position */
}

/* More loss than money: the ratio is far above 1, and nothing is available. */
static void an_account_that_is_worth_nothing_says_so(void **state)
{
    (void)state;
    tell_wallet(1001, 1000000000);
    tell_position(position_of(5, BTC, 100000, 100000000000, 10));
    tell_price(BTC, 980000, 980000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"av\":\"-1000\",\"mm\":\"1960\",\"mmr\":\"1000000\",\"am\":\"0\",\"ami\":\"0\",\"amw\":\"0\"");
}

static void tell_short(uint64_t account, int64_t wallet, int64_t size, int64_t cost)
{
    struct position_changed position = position_of(account, BTC, -size, -cost, 10);

    position.account_id = account;
    tell_wallet(account, wallet);
    tell_position(position);
}

/* E10: shorts B -6 @ 100000 (wallet 50000), C -3 @ 100000 (15000), D -5 for 476000 (20000), the mark at 95000: groups 2, 1, 4. */
static void the_five_lights_are_those_of_example_10(void **state)
{
    (void)state;
    rig_account(1003, 13, &rig_owner[2]);
    tell_short(1001, 50000000000, 600000, 600000000000);
    tell_short(1002, 15000000000, 300000, 300000000000);
    tell_short(1003, 20000000000, 500000, 476000000000);
    tell_short(ACCOUNT_FUND, 1000000000, 100000, 200000000000);     /* the fund is asked before all and takes no light */
    tell_price(BTC, 950000, 950000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"sz\":\"-6\"");
    rig_expect("\"adl\":2");
    rig_get("/api/v1/perps/accounts/%2/state");
    rig_expect("\"adl\":1");
    rig_get("/api/v1/perps/accounts/%3/state");
    rig_expect("\"adl\":4");
    tell_price(BTC, 1000000, 1000000);                              /* D alone is at a loss now, B and C at nothing */
    rig_get("/api/v1/perps/accounts/%3/state");
    rig_expect("\"adl\":6");
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":6");
    tell_price(BTC, 999000, 999000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":3");                                        /* second of two */
    rig_genesis.rules.adl_mode = ADL_QUEUE;
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":2");
}

/* With very many positions an account's lights are looked at once a second. */
static void lights_of_many_positions_are_kept_for_a_second(void **state)
{
    (void)state;
    tell_short(1001, 50000000000, 600000, 600000000000);
    for (uint64_t account = 2000; account < 2000 + ADL_PLACES_FEW; account++) tell_short(account, 1000000, 1, 900000);
    tell_price(BTC, 950000, 950000);
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":1");
    for (uint64_t account = 2000; account < 2010; account++) tell_short(account, 1, 1, 2000000);      /* ten pass it */
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":1");
    rig_context.now_ms += 1000;
    rig_get("/api/v1/perps/accounts/%1/state");
    rig_expect("\"adl\":5");
}

/* ---- history ---- */

static void closed_positions_say_how_they_ended(void **state)
{
    struct position_changed position = position_of(5, BTC, 0, 0, 25);

    (void)state;
    position.margin_mode = MARGIN_ISOLATED;
    position.open_value = 1000000000000;
    position.closed_size = 1000000;
    position.close_value = 960000000000;
    position.max_size = 1000000;
    position.fees = 400000000;
    position.realized = -40400000000;
    position.taken_over = 1;
    position.take_over_price = 960000;
    position.reason = REASON_TAKEOVER;
    rig_history.positions[0] = position;
    rig_history.position_count = 1;
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/positions/history"), OK_BODY("["
        "{\"id\":5,\"symbol\":\"BTC-USD\",\"marginMode\":\"ISOLATED\",\"side\":\"BOTH\",\"positionSide\":\"BOTH\",\"size\":\"0\",\"initialMargin\":\"0\","
        "\"avgEntryPrice\":\"100000\",\"cumOpenCost\":\"1000000\",\"cumTradingFee\":\"400\",\"cumClosedSize\":\"10\",\"avgClosePrice\":\"96000\",\"maxSize\":\"10\","
        "\"realizedPnL\":\"-40400\",\"leverage\":25,\"active\":false,\"isTakenOver\":true,\"takeOverPrice\":\"96000\",\"createdAt\":1759999999100,"
        "\"updatedAt\":1759999999200,\"symbolID\":1,\"accountID\":1001,\"quantity\":\"0\",\"entryPrice\":\"100000\",\"markPrice\":\"0\","
        "\"liquidationPrice\":\"0\",\"unrealizedPnl\":\"0\",\"margin\":\"0\",\"reason\":\"TAKEOVER\"}]"));
}

static void ended_orders_keep_their_perps_part(void **state)
{
    (void)state;
    rig_history.perps_orders[0] = order_of(9, SIDE_SELL, 0, 10000);
    rig_history.perps_orders[0].base.type = TYPE_MARKET;
    rig_history.perps_orders[0].base.time_in_force = TIF_IOC;
    rig_history.perps_orders[0].base.status = STATUS_CANCELED;
    rig_history.perps_orders[0].base.reason = REASON_OCO_SIBLING;
    rig_history.perps_orders[0].modifier = MODIFIER_ATTACHED_STOP;
    rig_history.perps_orders[0].reduce_only = 1;
    rig_history.perps_orders[0].stop_price = 980000;
    rig_history.perps_orders[0].stop_type = STOP_LOSS;
    rig_history.perps_orders[0].trigger_type = TRIGGER_MARK_PRICE;
    rig_history.perps_orders[0].position_id = 77;
    rig_history.perps_orders[0].primary_order_id = 8;
    rig_history.perps_order_count = 1;
    rig_get("/api/v1/perps/accounts/%1/orders/history");
    rig_expect("\"status\":\"CANCELED\",\"executedQty\":\"0\",\"executedValue\":\"0\",\"marginFrozen\":\"0\",\"positionSide\":\"BOTH\",\"reduceOnly\":true,"
               "\"modifier\":\"ATTACHED_STOP\",\"stopPrice\":\"98000\",\"stopType\":\"STOP_LOSS\",\"triggerType\":\"MARK_PRICE\",\"positionID\":77,"
               "\"primaryOrderID\":8,\"createdAt\":1759999999500,\"updatedAt\":1759999999600,\"reason\":\"OCO_SIBLING\"}");
    assert_int_equal(rig_history.asked.market, MARKET_PERPS);
}

static void fundings_say_what_was_paid_and_got(void **state)
{
    (void)state;
    rig_history.fundings[0] = (struct funded){ .account_id = 1001, .position_id = 77, .symbol_id = BTC, .payment = 154503, .rate = 12500000, .time_ms = NOW - 5 };
    rig_history.fundings[1] = (struct funded){ .account_id = 1001, .position_id = 78, .symbol_id = ETH, .payment = -97332, .rate = -12500000, .time_ms = NOW - 5 };
    rig_history.funding_count = 2;
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/fundings"), OK_BODY("["
        "{\"symbol\":\"BTC-USD\",\"positionID\":77,\"positionSide\":\"BOTH\",\"fundingFee\":\"0.154503\",\"feeCoin\":\"vUSDC\",\"timestamp\":1759999999995,"
        "\"fundingRate\":\"0.0000125\"},{\"symbol\":\"ETH-USD\",\"positionID\":78,\"positionSide\":\"BOTH\",\"fundingFee\":\"-0.097332\",\"feeCoin\":\"vUSDC\","
        "\"timestamp\":1759999999995,\"fundingRate\":\"-0.0000125\"}]"));
}

static void trades_name_a_take_over(void **state)
{
    (void)state;
    rig_history.fills[0] = (struct filled){ .head = { .market = MARKET_PERPS }, .trade_id = 3, .account_id = 1001, .symbol_id = BTC, .side = SIDE_SELL,
                                            .reason = REASON_TAKEOVER, .price = 960000, .quantity = 1000000, .time_ms = NOW };
    rig_history.fill_count = 1;
    assert_string_equal(rig_get("/api/v1/perps/accounts/%1/trades"), OK_BODY("[{\"symbol\":\"BTC-USD\",\"tradeID\":3,\"orderID\":0,\"clOrdID\":\"\",\"side\":\"SELL\","
        "\"price\":\"96000\",\"quantity\":\"10\",\"fee\":\"0\",\"feeCoin\":\"vUSDC\",\"time\":1760000000000,\"isMaker\":false,\"reason\":\"TAKEOVER\"}]"));
}

/* Every history: parameter, default, maximum, and what is refused. */
static void histories_take_their_parameters(void **state)
{
    static const struct { const char *path; uint32_t usual, most; const char *extra; uint64_t other; bool from; } rows[] = {
        { "orders/history", 50, 500, "", 0, true }, { "positions/history", 50, 500, "", 0, true },
        { "trades", 100, 1000, "&orderID=9", 9, true }, { "fundings", 100, 1000, "&positionID=9", 9, false },
    };
    char target[256];

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const char *from = rows[i].from ? "&fromID=12" : "";
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s", rows[i].path);
        rig_get(target);
        assert_int_equal(rig_history.asked.limit, rows[i].usual);
        assert_int_equal(rig_history.asked.market, MARKET_PERPS);
        assert_int_equal(rig_history.asked.account_id, 1001);
        assert_int_equal(rig_history.asked.start_ms, 0);
        assert_true(rig_history.asked.end_ms == INT64_MAX);
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s?symbol=ETH-USD&startTime=5&endTime=6&limit=5000%s%s&accountID=1001", rows[i].path, from, rows[i].extra);
        rig_get(target);
        assert_int_equal(rig_code(), 0);
        assert_int_equal(rig_history.asked.symbol_id, ETH);
        assert_int_equal(rig_history.asked.start_ms, 5);
        assert_int_equal(rig_history.asked.end_ms, 6);
        assert_int_equal(rig_history.asked.limit, rows[i].most);
        assert_int_equal(rig_history.asked.other_id, rows[i].other);
        assert_int_equal(rig_history.asked.from_id, rows[i].from ? 12 : 0);
        static const struct { const char *query; int code; } wrong[] = {
            { "limit=0", 40001 }, { "startTime=6&endTime=5", 40007 }, { "symbol=nope", 40401 }, { "accountID=1002", 40403 }, { "startTime=x", 40001 },
        };
        for (size_t k = 0; k < ARRAY_COUNT(wrong); k++) {
            snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s?%s", rows[i].path, wrong[k].query);
            rig_get(target);
            assert_int_equal(rig_code(), wrong[k].code);
        }
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%3/%s", rows[i].path);
        rig_get(target);
        rig_expect("\"data\":[]");
    }
}

static void a_damaged_history_is_an_error(void **state)
{
    static const char *const paths[] = { "orders/history", "positions/history", "trades", "fundings" };
    char target[128];

    (void)state;
    rig_history.fill_count = rig_history.perps_order_count = rig_history.position_count = rig_history.funding_count = -EUCLEAN;
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        snprintf(target, sizeof(target), "/api/v1/perps/accounts/%%1/%s", paths[i]);
        rig_get(target);
        assert_int_equal(rig_code(), 50001);
    }
}

static void nobody_has_nothing(void **state)
{
    (void)state;
    rig_get("/api/v1/perps/accounts/%3/orders");
    rig_expect("\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%3/positions");
    rig_expect("\"positions\":[],\"orders\":[]");
    rig_get("/api/v1/perps/accounts/%1/positions?accountID=1002");
    assert_int_equal(rig_code(), 40403);
    rig_get("/api/v1/perps/accounts/0x12/positions");
    assert_int_equal(rig_code(), 40001);
    rig_get("/api/v1/perps/accounts/%1/fee-rate?symbol=BTC-USD");
    rig_expect("{\"makerFeeRate\":\"0.00012\",\"takerFeeRate\":\"0.0004\",\"feeTier\":0,\"stakingTier\":0,\"makerRebateTier\":0}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(contracts_are_listed_with_their_tiers),
        TEST(mark_prices_are_told_of_all_symbols_or_one),
        TEST(tickers_add_prices_and_follow_them),
        TEST(lists_that_are_kept_follow_the_views),
        TEST(books_and_trades_of_the_two_markets_are_apart),
        TEST(the_state_of_a_cross_account_is_that_of_example_7),
        TEST(profit_is_margin_but_not_money_to_take),
        TEST(profit_does_not_count_while_the_mark_catches_up),
        TEST(an_isolated_position_has_the_liquidation_price_of_example_6),
        TEST(averages_have_four_more_decimals_half_up),
        TEST(orders_freeze_what_example_5_says),
        TEST(orders_beyond_the_mark_freeze_their_loss),
        TEST(stops_that_wait_are_open_orders_that_freeze_nothing),
        TEST(the_state_shows_a_hundred_orders_and_the_list_all),
        TEST(funding_goes_into_the_record_and_the_bucket),
        TEST(an_account_that_is_worth_nothing_says_so),
        TEST(the_five_lights_are_those_of_example_10),
        TEST(lights_of_many_positions_are_kept_for_a_second),
        TEST(closed_positions_say_how_they_ended),
        TEST(ended_orders_keep_their_perps_part),
        TEST(fundings_say_what_was_paid_and_got),
        TEST(trades_name_a_take_over),
        TEST(histories_take_their_parameters),
        TEST(a_damaged_history_is_an_error),
        TEST(nobody_has_nothing),
    };
    return cmocka_run_group_tests_name("perps_read", tests, NULL, NULL);
}
