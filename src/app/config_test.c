/* SPDX-License-Identifier: MIT */
#include "core/engine.h"
#include "rules/client_key.h"
#include "app/config.h"
#include "pipeline/replay.h"
#include "wire/shape.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define HEAD  "[dojima]\ndata = d\nchainIds = 77\n"
#define COINS "[coin A]\nprecision = 6\n[coin B]\nprecision = 8\n"
#define MARKET                                                                                                         \
    "[market B_A]\nbaseCoin = B\nquoteCoin = A\npricePrecision = 1\ntickSize = 0.1\n"                                  \
    "quantityPrecision = 5\nstepSize = 0.00001\n"
#define GOOD HEAD COINS MARKET
#define PERPS                                                                                                          \
    "[perps B-USD]\nbaseCoin = BB\npricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\n"                        \
    "stepSize = 0.00001\n"                                                                                             \
    "listingReferencePrice = 100000\nmarginTiers = 4000000:25, 10000000:20\n"

static struct config *config, *other;

static int make(void **state)
{
    (void)state;
    config = malloc(sizeof(*config));
    other = malloc(sizeof(*other));
    return config == NULL || other == NULL;
}

static int unmake(void **state)
{
    (void)state;
    free(config);
    free(other);
    return 0;
}

static void good(const char *text)
{
    char error[256] = "";

    if (!config_read(text, "t.ini", false, config, error, sizeof(error))) fail_msg("%s", error);
}

static void bad(const char *text, const char *expected)
{
    char error[256] = "";

    if (config_read(text, "t.ini", false, config, error, sizeof(error))) fail_msg("accepted, expected: %s", expected);
    if (strcmp(error, expected) != 0) fail_msg("\n  got      %s\n  expected %s", error, expected);
}

static void defaults_and_units(void **state)
{
    const struct symbol *symbol;

    (void)state;
    good(GOOD "minNotional = 5\nmakerFee = 0.0002\nlistingReferencePrice = 100000\nmaxQuantity = 1000\n"
              "[account 0x00000000000000000000000000000000000000ff]\nB = 1.5\n");
    symbol = &config->genesis.spot[0];
    assert_string_equal(config->host, "127.0.0.1");
    assert_int_equal(config->port, 8080);
    assert_int_equal(config->connections_per_address, 256);
    assert_int_equal(config->genesis.chain_ids[0], 77);
    assert_int_equal(config->genesis.development, 0);
    assert_int_equal(symbol->id, 1);
    assert_int_equal(symbol->base_coin_id, 1);
    assert_int_equal(symbol->tick_size, 1);
    assert_int_equal(symbol->min_notional, 5000000);
    assert_int_equal(symbol->maker_fee, 20000);
    assert_int_equal(symbol->taker_fee, 65000);
    assert_int_equal(symbol->reference_price, 1000000);
    assert_int_equal(symbol->max_quantity, 100000000);
    assert_int_equal(symbol->status, SYMBOL_TRADING);
    assert_memory_equal(&symbol->display_name, &symbol->name, sizeof(symbol->name));
    assert_int_equal(config->genesis.spot_fees.tier_count, 5);
    assert_int_equal(config->genesis.spot_fees.tiers[1].volume, INT64_C(5000000) * 1000000);
    assert_int_equal(config->genesis.spot_fees.staking_discount[3], 20000000);
    assert_int_equal(config->genesis.spot_fees.rebate_rate[2], -4000);
    assert_int_equal(config->genesis.perps_fees.tier_count, 5);
    assert_int_equal(config->genesis.perps_fees.tiers[0].maker, 12000);
    assert_int_equal(config->genesis.perps_fees.tiers[4].maker, 0);
    assert_int_equal(config->genesis.perps_fees.tiers[4].taker, 20000);
    assert_int_equal(config->genesis.accounts[0].spot[1], 150000000);
    assert_int_equal(config->genesis.accounts[0].owner.bytes[19], 0xff);
    assert_int_equal(config->genesis.limits.orders, 1000000);
}

/* HEAD, COINS and `count` spot markets, each with the fewest lines that make one. */
static const char *many_markets(uint32_t count)
{
    static char text[64 * 1024];
    size_t      len = (size_t)snprintf(text, sizeof(text), "%s", HEAD COINS);

    for (uint32_t i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "[market M%u]\n%s", i, strchr(MARKET, '\n') + 1);
    return text;
}

static void as_many_spot_markets_as_have_a_number(void **state)
{
    (void)state;
    good(many_markets(SYMBOLS_MAX));
    assert_int_equal(config->genesis.spot_count, SYMBOLS_MAX);
    assert_int_equal(config->genesis.spot[SYMBOLS_MAX - 1].id, SYMBOLS_MAX);
    bad(many_markets(SYMBOLS_MAX + 1), "t.ini:904: more than 128 markets");
}

static void order_of_sections_does_not_matter(void **state)
{
    (void)state;
    good(MARKET HEAD COINS);
    assert_int_equal(config->genesis.spot[0].quote_coin_id, 0);
}

static void each_mistake_is_one_clear_line(void **state)
{
    (void)state;
    bad("", "t.ini: [dojima] needs the key data: Folder of the log and the history; made when absent.");
    bad("[dojima]\ndata = d\n" COINS MARKET, "t.ini: [dojima] needs the key chainIds: EIP-712 chain ids that are "
                                             "accepted, the node's own first; at most 4.");
    bad("colour = red\n" GOOD, "t.ini:1: the key colour is in no section");
    bad("[[[\n" GOOD, "t.ini:1: neither a [section] nor a key = value");
    bad(GOOD "nonsense\n", "t.ini:15: neither a [section] nor a key = value");
    bad(GOOD "[weather]\n", "t.ini:15: unknown section [weather]");
    bad(GOOD "[weather]\nsun = 1\n", "t.ini:15: unknown section [weather]");
    bad(GOOD "colour = red\n", "t.ini:15: unknown key colour in [market B_A]");
    bad(HEAD "colour = red\n" COINS MARKET, "t.ini:4: unknown key colour in [dojima]");
    bad(HEAD "ioThread = 2\n" COINS MARKET, "t.ini:4: unknown key ioThread in [dojima]; is ioThreads meant?");
    bad(HEAD "IOTHREADS = 2\n" COINS MARKET, "t.ini:4: unknown key IOTHREADS in [dojima]; is ioThreads meant?");
    bad(HEAD "ordersPerMinute = 2\n" COINS MARKET,
        "t.ini:4: unknown key ordersPerMinute in [dojima]; it is a key of [limits]");
    bad(GOOD "tickSise = 1\n", "t.ini:15: unknown key tickSise in [market B_A]; is tickSize meant?");
    bad(GOOD "marginTiers = 1:1\n", "t.ini:15: unknown key marginTiers in [market B_A]; it is a key of [perps NAME]");
    bad(GOOD "tikSiz3 = 1\n", "t.ini:15: unknown key tikSiz3 in [market B_A]; is tickSize meant?");
    bad(GOOD "tikSiz34 = 1\n", "t.ini:15: unknown key tikSiz34 in [market B_A]");
    bad(GOOD "[cluster]\nnode = a\n", "t.ini: [log] url: nodes with a name or url in [cluster] share the log of a "
                                      "database; without it this one would begin a log of its own");
    good(GOOD "[cluster]\nwaitMs = 10\n");
    bad(GOOD "tickSize = 1\n", "t.ini:15: [market B_A] has the key tickSize a second time");
    bad(GOOD "[coin A]\n", "t.ini:15: the section [coin A] stands here a second time");
    bad(HEAD "listen = 8080\n" COINS MARKET, "t.ini:4: [dojima] listen: \"8080\" is not HOST:PORT");
    bad(HEAD "listen = h:65536\n" COINS MARKET, "t.ini:4: [dojima] listen: \"h:65536\" is not HOST:PORT");
    bad(HEAD "ioThreads = 0\n" COINS MARKET, "t.ini:4: [dojima] ioThreads: \"0\" is not a whole number from 1 to 16");
    bad(HEAD "ioThreads = 17\n" COINS MARKET, "t.ini:4: [dojima] ioThreads: \"17\" is not a whole number from 1 to 16");
    bad(HEAD "stpScope = ALL\n" COINS MARKET, "t.ini:4: [dojima] stpScope: \"ALL\" is not one of ACCOUNT USER NONE");
    bad(GOOD "makerFee = 1e-3\n", "t.ini:15: [market B_A] makerFee: \"1e-3\" is not a decimal with at most 8 decimals");
    bad(GOOD "minPrice = 0.01\n", "t.ini:15: [market B_A] minPrice: \"0.01\" is not a decimal with at most 1 decimals");
    bad(GOOD "minQuantity = 2\nmaxQuantity = 1\n", "t.ini:8: [market B_A] maxQuantity is not below minQuantity");
    bad(GOOD "minPrice = 461168601842738790.4\n",
        "t.ini:15: [market B_A] minPrice: \"461168601842738790.4\" is not a decimal with at most 1 decimals");
    bad(GOOD "minPrice = 461168601842738791\n",
        "t.ini:15: [market B_A] minPrice: \"461168601842738791\" is not a decimal of at most 461168601842738790");
    good(GOOD "minPrice = 0.1\nmaxPrice = 0.1\n");
    bad(GOOD "[coin C]\nprecision = 9\n", "t.ini:16: [coin C] precision: \"9\" is not a whole number from 0 to 8");
    bad(HEAD COINS "[market C_A]\nbaseCoin = C\nquoteCoin = A\n",
        "t.ini:9: [market C_A] baseCoin: \"C\" is not a coin with a section of its own");
    bad(HEAD COINS "[market B_A]\nbaseCoin = B\n", "t.ini: [market B_A] needs the key quoteCoin: Coin it is paid in.");
    bad(GOOD "[fees margin]\n", "t.ini:15: unknown section [fees margin]");
    bad(GOOD "[fees perps]\ntiers = 1:0:0\n", "t.ini: perps fees: the first tier begins at volume 0");
    bad(GOOD "[fees spot]\ntiers = 0:1\n",
        "t.ini:16: [fees spot] tiers: \"0:1\" is not a list of 1 to 8 volume:maker:taker");
    bad(GOOD "[fees spot]\nmakerRebates = 0\n",
        "t.ini:16: [fees spot] makerRebates: \"0\" is not a list of 1 to 8 share:rate");
    bad(GOOD "[account 0x12]\n", "t.ini:15: [account 0x12]: not an address of 0x and 40 hex digits");
    bad(GOOD "[account 0x00000000000000000000000000000000000000ff]\nC = 1\n",
        "t.ini:16: unknown key C in [account 0x00000000000000000000000000000000000000ff]");
    bad(GOOD "[account 0x00000000000000000000000000000000000000ff]\nA = -1\n",
        "t.ini:16: [account 0x00000000000000000000000000000000000000ff] A: \"-1\" is not an amount with at most 6 "
        "decimals");
    bad(GOOD "[account 0x00000000000000000000000000000000000000FF]\n"
             "[account 0x00000000000000000000000000000000000000ff]\n",
        "t.ini:16: [account 0x00000000000000000000000000000000000000ff]: the address has a section already");
}

static void the_public_chain_ids_want_to_be_asked_for(void **state)
{
    (void)state;
    bad("[dojima]\ndata = d\nchainIds = 5, 286623\n" COINS MARKET,
        "t.ini:3: [dojima] chainIds: 286623 is the public venue's, where the same signature would be valid too; choose "
        "an id of your own or set allowPublicChainIds = on");
    good("[dojima]\ndata = d\nchainIds = 5, 286623\nallowPublicChainIds = on\n" COINS MARKET);
    assert_int_equal(config->genesis.chain_ids[1], 286623);
    bad("[dojima]\ndata = d\nchainIds = 5, 5\n" COINS MARKET,
        "t.ini:3: [dojima] chainIds: \"5, 5\" is not a list of different chain ids");
    bad("[dojima]\ndata = d\nchainIds = 0\n" COINS MARKET,
        "t.ini:3: [dojima] chainIds: \"0\" is not a list of 1 to 4 chain ids");
    bad("[dojima]\ndata = d\nchainIds = 1,2,3,4,5\n" COINS MARKET,
        "t.ini:3: [dojima] chainIds: \"1,2,3,4,5\" is not a list of 1 to 4 chain ids");
}

static void limits_are_on_with_the_numbers_of_the_service(void **state)
{
    const struct limiter_settings *limits = &config->limits;

    (void)state;
    good(GOOD);
    assert_int_equal(limits->weight_per_minute, 1200);
    assert_int_equal(limits->addresses, 65536);
    assert_int_equal(limits->orders_per_minute, 0);
    assert_int_equal(limits->key_per_minute, 20);
    assert_int_equal(limits->key_per_month, 100000);
    assert_int_equal(limits->key_groups[GROUP_SPOT], 0);
    assert_int_equal(limits->key_groups[GROUP_PERPS], 0);
    assert_int_equal(limits->key_groups[GROUP_RPC], 1);
    assert_int_equal(limits->proxies.count, 0);
    good(GOOD "[limits]\nweightPerMinute = 20\nordersPerMinute = 100\n"
              "trustedProxies = 10.0.0.0/8, ::1,192.0.2.7\nforwardedHeader = Forwarded\n"
              "keyLimitSpot = on\n");
    assert_int_equal(limits->weight_per_minute, 20);
    assert_int_equal(limits->orders_per_minute, 100);
    assert_int_equal(limits->key_groups[GROUP_SPOT], 1);
    assert_int_equal(limits->proxies.header, FORWARDED_RFC7239);
    assert_int_equal(limits->proxies.count, 3);
    assert_int_equal(limits->proxies.ranges[0].bits, 104);
    assert_int_equal(limits->proxies.ranges[1].bits, 128);
    good(GOOD "[limits]\nweightPerMinute = 0\nordersPerMinute = 60000\n");
}

static void who_reads_metrics_is_this_machine_a_list_or_nobody(void **state)
{
    const struct proxies *readers = &config->metrics;

    (void)state;
    good(GOOD);
    assert_int_equal(readers->count, 2);
    assert_int_equal(readers->ranges[0].bits, 104);
    assert_int_equal(readers->ranges[0].base.bytes[12], 127);
    assert_int_equal(readers->ranges[1].bits, 128);
    assert_int_equal(readers->ranges[1].base.bytes[15], 1);
    good(HEAD "metrics = 192.0.2.1\n" COINS MARKET);
    assert_int_equal(readers->count, 1);
    good(HEAD "metrics =\n" COINS MARKET);
    assert_int_equal(readers->count, 0);
    bad(HEAD "metrics = 10.0.0.1/8\n" COINS MARKET,
        "t.ini:4: [dojima] metrics: \"10.0.0.1/8\" is not a list of at most 32 addresses or ADDRESS/BITS, with nothing "
        "set behind the bits");
}

static void limits_that_nothing_could_meet_are_mistakes(void **state)
{
    (void)state;
    bad(GOOD "[limits]\nweightPerMinute = 19\n",
        "t.ini: [limits] weightPerMinute: 19 is less than one request may weigh: 0, or 20 to 60000");
    bad(GOOD "[limits]\nordersPerMinute = 99\n",
        "t.ini: [limits] ordersPerMinute: 99 is less than one batch may hold: 0, or 100 to 60000");
    bad(GOOD "[limits]\nweightPerMinute = 60001\n",
        "t.ini:16: [limits] weightPerMinute: \"60001\" is not a whole number from 0 to 60000");
    bad(GOOD "[limits]\naddresses = 0\n",
        "t.ini:16: [limits] addresses: \"0\" is not a whole number from 1 to 16777216");
    bad(GOOD "[limits]\ntrustedProxies = 10.0.0.1/8\n",
        "t.ini:16: [limits] trustedProxies: \"10.0.0.1/8\" is not a list of at most 32 addresses or ADDRESS/BITS, with "
        "nothing set behind the bits");
    bad(GOOD "[limits]\ntrustedProxies = proxy.example\n",
        "t.ini:16: [limits] trustedProxies: \"proxy.example\" is not a list of at most 32 addresses or ADDRESS/BITS, "
        "with nothing set behind the bits");
    bad(GOOD "[limits]\nforwardedHeader = X-Real-IP\n",
        "t.ini:16: [limits] forwardedHeader: \"X-Real-IP\" is not one of X-Forwarded-For Forwarded");
    bad(GOOD "[limits]\nkeyRequestsPerMinute = 0\n",
        "t.ini:16: [limits] keyRequestsPerMinute: \"0\" is not a whole number from 1 to 1000000");
    bad(GOOD "[limits]\nburst = 1\n", "t.ini:16: unknown key burst in [limits]");
    bad(GOOD "[limits gold]\nburst = 1\n", "t.ini:15: unknown section [limits gold]");
}

static void the_faucet_and_the_perps_wallet_have_their_keys(void **state)
{
    (void)state;
    good(HEAD "[coin A]\nprecision = 6\nfaucet = 12.5\n[coin B]\nprecision = 8\n" MARKET
              "[account 0x00000000000000000000000000000000000000ff]\nB = 1.5\nperps = 7.000001\n");
    assert_int_equal(config->faucet[0], 12500000);
    assert_int_equal(config->faucet[1], 0);
    assert_int_equal(config->genesis.accounts[0].perps, 7000001);
    bad(HEAD "[coin A]\nprecision = 6\nfaucet = 0.0000001\n",
        "t.ini:6: [coin A] faucet: \"0.0000001\" is not an amount with at most 6 decimals");
    bad(HEAD "[coin A]\nprecision = 6\nfaucet = -1\n",
        "t.ini:6: [coin A] faucet: \"-1\" is not an amount with at most 6 decimals");
    bad(GOOD "[account 0x00000000000000000000000000000000000000ff]\nperps = x\n",
        "t.ini:16: [account 0x00000000000000000000000000000000000000ff] perps: \"x\" is not an amount with at most 6 "
        "decimals");
    good(GOOD);
    for (uint32_t i = 0; i < COINS_MAX; i++) assert_int_equal(config->faucet[i], 0); /* off by default */
}

static void a_perps_market_has_the_defaults_of_the_mechanics(void **state)
{
    const struct genesis  *genesis = &config->genesis;
    const struct contract *contract = &genesis->contracts[0];

    (void)state;
    good(GOOD PERPS "openInterestCapUSD = 500000000\nspotMarket = B_A\n"
                    "[feeder 0x00000000000000000000000000000000000000fe]\n"
                    "[feeder 0x00000000000000000000000000000000000000ff]\nweight = 3\n");
    assert_int_equal(genesis->perps_count, 1);
    assert_int_equal(genesis->perps[0].id, 1);
    assert_int_equal(genesis->perps[0].market, MARKET_PERPS);
    assert_int_equal(genesis->perps[0].quote_coin_id, 0);
    assert_int_equal(genesis->perps[0].maker_fee, 12000);
    assert_int_equal(genesis->perps[0].taker_fee, 40000);
    assert_int_equal(genesis->perps[0].buy_limit_up_ratio, 5000000);
    assert_int_equal(genesis->perps[0].market_deviation_ratio, 1000000);
    assert_int_equal(genesis->perps[0].reference_price, 1000000);
    assert_true(slice_equal(name_slice(&contract->base), SLICE("BB")));
    assert_int_equal(contract->tier_count, 2);
    assert_int_equal(contract->tiers[0].max_notional, INT64_C(4000000000000));
    assert_int_equal(contract->tiers[1].max_leverage, 20);
    assert_int_equal(contract->tiers[1].rate, 2500000);
    assert_int_equal(contract->tiers[1].deduction, INT64_C(20000000000));
    assert_int_equal(contract->init_leverage, 10);
    assert_int_equal(contract->open_interest_cap, 0);
    assert_int_equal(contract->interest_rate, 10000);
    assert_int_equal(contract->max_funding, 1000000);
    assert_int_equal(contract->min_funding, -1000000);
    assert_int_equal(contract->mark_step_cap, 1000000);
    assert_int_equal(contract->mark_band, 4000000);
    assert_int_equal(contract->impact_notional, INT64_C(5000000000));
    assert_int_equal(contract->spot_symbol_id, 1);
    assert_int_equal(contract->spot_impact_notional, INT64_C(10000000000));
    assert_int_equal(contract->fund_max_inventory, INT64_C(10000000000000));
    assert_int_equal(genesis->feeder_count, 2);
    assert_int_equal(genesis->feeders[0].weight, 1);
    assert_int_equal(genesis->feeders[1].weight, 3);
    assert_int_equal(genesis->feeders[1].address.bytes[19], 0xff);
}

static void second_persons_are_no_part_of_the_genesis(void **state)
{
    const struct operator_keys *operators = &config->operators;
    struct hash256              hash = keccak256(GOOD, strlen(GOOD));

    (void)state;
    good(GOOD);
    assert_int_equal(operators->count, 0);
    assert_int_equal(config->audit_seconds, 60);
    assert_memory_equal(&config->hash, &hash, sizeof(hash));
    other->genesis = config->genesis;
    good(GOOD "[operator 0x00000000000000000000000000000000000000fe]\nname = Anna\n"
              "[operator 0x00000000000000000000000000000000000000FF]\n");
    assert_int_equal(operators->count, 2);
    assert_int_equal(operators->keys[0].address.bytes[19], 0xfe);
    assert_true(slice_is(name_slice(&operators->keys[0].name), "Anna"));
    assert_int_equal(operators->keys[1].address.bytes[19], 0xff);
    assert_int_equal(operators->keys[1].name.len, 0);
    assert_memory_not_equal(&config->hash, &hash, sizeof(hash));
    other->genesis.time_ms = config->genesis.time_ms;
    memcpy(other->genesis.table_secret, config->genesis.table_secret, sizeof(other->genesis.table_secret));
    assert_memory_equal(&config->genesis, &other->genesis, sizeof(other->genesis));
    bad(GOOD "[operator 0x12]\n", "t.ini:15: [operator 0x12]: not an address of 0x and 40 hex digits");
    bad(GOOD "[operator 0x0000000000000000000000000000000000000000]\n",
        "t.ini:15: [operator 0x0000000000000000000000000000000000000000]: no key exists for this address");
    bad(GOOD "[operator 0x00000000000000000000000000000000000000fF]\n"
             "[operator 0x00000000000000000000000000000000000000ff]\n",
        "t.ini:16: [operator 0x00000000000000000000000000000000000000ff]: the address has a section already");
    bad(GOOD "[operator 0x00000000000000000000000000000000000000ff]\nweight = 1\n",
        "t.ini:16: unknown key weight in [operator 0x00000000000000000000000000000000000000ff]; it is a "
        "key of [feeder 0xADDRESS]");
}

static void there_are_at_most_eight_of_them(void **state)
{
    char text[4096];
    int  len = snprintf(text, sizeof(text), "%s", GOOD);

    (void)state;
    for (int i = 1; i <= 9; i++) {
        len += snprintf(text + len, sizeof(text) - (size_t)len, "[operator 0x%040x]\n", (unsigned)i);
        if (i == 8) good(text);
    }
    assert_int_equal(config->operators.count, 8);
    bad(text, "t.ini:23: more than 8 operators");
}

static void the_venue_of_perps_has_the_defaults_of_the_mechanics(void **state)
{
    const struct rules *rules = &config->genesis.rules;

    (void)state;
    good(GOOD PERPS);
    assert_int_equal(config->genesis.fund, INT64_C(1000000000000));
    assert_int_equal(config->genesis.limits.positions, 100000);
    assert_int_equal(rules->armed_stops_per_account, 100);
    assert_int_equal(rules->triggers_per_command, 10000);
    assert_int_equal(rules->liquidations_per_tick, 1000);
    assert_int_equal(rules->stop_retry_ticks, 60);
    assert_int_equal(rules->oracle_quorum, 1);
    assert_int_equal(rules->oracle_stale_ms, 60000);
    assert_int_equal(rules->oracle_jump_ratio, 10000000);
    assert_int_equal(rules->liquidation_buffer, 10000000);
    assert_int_equal(rules->liquidation_slippage, 2000000);
    assert_int_equal(rules->fund_loss_ratio, 20000000);
    good(GOOD); /* without a perps market nothing of it is in the log */
    assert_int_equal(config->genesis.fund, 0);
    assert_int_equal(config->genesis.limits.positions, 0);
    assert_int_equal(rules->oracle_stale_ms, 0);
}

static void mistakes_of_perps_are_clear_lines(void **state)
{
    (void)state;
    bad(HEAD "fund = 5\n" COINS MARKET, "t.ini:4: [dojima] fund: there is no perps market");
    bad(GOOD "[perps P]\nbaseCoin = B\n", "t.ini: [perps P] needs the key pricePrecision: Decimals of a price.");
    bad(GOOD PERPS "[perps Q]\n", "t.ini: [perps Q] needs the key baseCoin: What is traded: a name only. It is paid "
                                  "and margined in the first coin.");
    bad(GOOD PERPS "initLeverage = 26\n", "t.ini:15: [perps B-USD] initLeverage is 1 to maxLeverage");
    bad(GOOD PERPS "initLeverage = 126\n",
        "t.ini:23: [perps B-USD] initLeverage: \"126\" is not a whole number from 1 to 125");
    bad(GOOD PERPS "markStepCap = 0.01000001\n",
        "t.ini:15: [perps B-USD] markStepCap is above 0 and at most half the first maintenance "
        "rate: a healthy position survives one step (no-gap envelope)");
    good(GOOD PERPS "markStepCap = 0.01\n");
    bad(GOOD PERPS "maxFundingRate = 0.01000001\n", "t.ini:15: [perps B-USD] maxFundingRate is not below 0 and at most "
                                                    "half the first maintenance rate: a healthy position survives "
                                                    "one step (no-gap envelope)");
    good(GOOD PERPS "maxFundingRate = 0.01\nminFundingRate = -0.01\ninterestRate = -0.0001\n");
    bad(GOOD PERPS "minFundingRate = -0.01000001\n", "t.ini:15: [perps B-USD] minFundingRate is not above 0, and below "
                                                     "it at most half the first maintenance rate: a healthy "
                                                     "position survives one step (no-gap envelope)");
    bad(GOOD PERPS "spotMarket = C_A\n",
        "t.ini:23: [perps B-USD] spotMarket: \"C_A\" is not a spot market with a section of its own");
    bad(GOOD PERPS "spotMarket = B_A\nspotImpactNotional = 0\n",
        "t.ini:15: [perps B-USD] spotImpactNotional is above 0 where there is a spotMarket");
    bad(GOOD PERPS "openInterestCap = -1\n", "t.ini:15: [perps B-USD] openInterestCap is not below 0");
    bad(GOOD PERPS "makerFee = -0.0003\n", "t.ini:15: [perps B-USD] a maker's rebate is at most the lowest taker rate");
    bad(GOOD PERPS "fund = 1\n", "t.ini:23: unknown key fund in [perps B-USD]; it is a key of [dojima]");
    bad(GOOD "[perps P]\nbaseCoin =\npricePrecision = 1\ntickSize = 1\nquantityPrecision = 1\n"
             "stepSize = 1\nlistingReferencePrice = 1\nmarginTiers = 1:1\ninitLeverage = 1\n",
        "t.ini:15: [perps P] baseCoin: a name of the underlying");
    bad(GOOD "[feeder 0x12]\n", "t.ini:15: [feeder 0x12]: not an address of 0x and 40 hex digits");
    bad(GOOD "[feeder 0x00000000000000000000000000000000000000ff]\nweight = 0\n",
        "t.ini:16: [feeder 0x00000000000000000000000000000000000000ff] weight: \"0\" is not a whole number from 1 to "
        "1000000");
    bad(GOOD "[feeder 0x0000000000000000000000000000000000000000]\n",
        "t.ini: feeders: an address is not the zero address");
    bad(GOOD "[feeder 0x00000000000000000000000000000000000000fF]\n"
             "[feeder 0x00000000000000000000000000000000000000ff]\n",
        "t.ini: feeders: addresses are unique");
    bad(HEAD "oracleQuorum = 2\n" COINS MARKET PERPS "[feeder 0x00000000000000000000000000000000000000ff]\n",
        "t.ini: rules: oracleQuorum is 1 to the number of feeders");
}

#define PERPS_UNITS                                                                                                    \
    "[perps P]\nbaseCoin = P\npricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\n"                             \
    "stepSize = 0.00001\ninitLeverage = 1\n"
static void margin_tiers_are_checked_one_by_one(void **state)
{
    (void)state;
    bad(GOOD PERPS_UNITS "marginTiers = 1:1\n", "t.ini: [perps P] needs the key listingReferencePrice: Stands for the "
                                                "price before there is one; of a spot market 0 = none.");
    bad(GOOD PERPS_UNITS "marginTiers = 1:1\nlistingReferencePrice = 0\n",
        "t.ini:15: [perps P] listingReferencePrice is a price above 0");
    good(GOOD PERPS_UNITS "marginTiers = 1:1\nlistingReferencePrice = 0.1\n");
    bad(GOOD PERPS_UNITS "listingReferencePrice = 1\nmarginTiers = 1:126\n",
        "t.ini:23: [perps P] marginTiers: \"1:126\" is not a list of 1 to 8 maxNotional:maxLeverage, with a leverage "
        "of at most 125");
    bad(GOOD PERPS_UNITS "listingReferencePrice = 1\nmarginTiers = 1\n",
        "t.ini:23: [perps P] marginTiers: \"1\" is not a list of 1 to 8 maxNotional:maxLeverage, with a leverage of at "
        "most 125");
    bad(GOOD PERPS_UNITS "listingReferencePrice = 1\nmarginTiers = 1:0\n",
        "t.ini:15: [perps P] maxLeverage of a tier is 1 to 125");
    bad(GOOD PERPS_UNITS "listingReferencePrice = 1\nmarginTiers = 0:1\n",
        "t.ini:15: [perps P] maxNotionalValue of a tier is more than 0");
    bad(GOOD PERPS_UNITS "listingReferencePrice = 1\nmarginTiers = 2:2, 2:1\n",
        "t.ini:15: [perps P] margin tiers ascend in maxNotionalValue");
    bad(GOOD PERPS_UNITS "listingReferencePrice = 1\nmarginTiers = 1:2, 2:2\n",
        "t.ini:15: [perps P] margin tiers descend in maxLeverage");
}

static void a_line_that_is_too_long_is_named(void **state)
{
    char *text = calloc(1, 8192), error[256] = "";

    (void)state;
    strcpy(text, GOOD "displayName = ");
    memset(text + strlen(text), 'x', 5000);
    assert_false(config_read(text, "t.ini", false, config, error, sizeof(error)));
    assert_string_equal(error, "t.ini:15: the line is longer than 4095 bytes");
    free(text);
}

static void the_example_is_right(void **state)
{
    char error[256] = "";

    (void)state;
    if (!config_read_file("config/example.ini", config, error, sizeof(error))) fail_msg("%s", error);
    assert_int_equal(config->genesis.spot_count, 2);
    assert_int_equal(config->genesis.perps_count, 1);
    assert_false(config_read_file("config/absent.ini", config, error, sizeof(error)));
    assert_string_equal(error, "config/absent.ini: No such file or directory");
}

static void a_genesis_survives_its_json(void **state)
{
    struct shape_error error = { 0 };
    struct genesis    *again = calloc(1, sizeof(*again));
    struct slice       json;
    char               path[64];

    (void)state;
    good(GOOD PERPS "spotMarket = B_A\nifMaxInventory = 7\n"
                    "[feeder 0x00000000000000000000000000000000000000ff]\nweight = 9\n"
                    "[account 0x00000000000000000000000000000000000000ff]\nA = 1\nB = 2\nperps = 3\n"
                    "[account 0x00000000000000000000000000000000000000fe]\n");
    json = genesis_write(&config->genesis);
    if (shape_read(&genesis_shape, json, again, &error) != REJECT_NONE) fail_msg("%s: %s", error.field, error.got);
    genesis_complete(again);
    assert_memory_equal(again, &config->genesis, sizeof(*again));
    assert_false(genesis_difference(again, &config->genesis, path, sizeof(path)));
    free((void *)(uintptr_t)json.at);
    free(again);
}

/* The seed of the tables over what clients choose must not follow from what the exchange publishes. */
static void each_log_begins_with_a_secret_of_its_own(void **state)
{
    uint64_t first[2], second[2];
    (void)state;

    good(GOOD);
    *other = *config;
    good(GOOD);
    assert_int_not_equal(config->genesis.table_secret[0], 0);
    assert_int_not_equal(config->genesis.table_secret[0], other->genesis.table_secret[0]);
    assert_int_not_equal(config->genesis.table_secret[1], other->genesis.table_secret[1]);
    other->genesis.time_ms = config->genesis.time_ms;
    client_key_seed(&config->genesis, first);
    client_key_seed(&other->genesis, second);
    assert_int_not_equal(first[0], second[0]);
    assert_int_not_equal(first[1], second[1]);
}

static void the_first_difference_has_a_name(void **state)
{
    char path[64];

    (void)state;
    good(GOOD "[account 0x00000000000000000000000000000000000000ff]\nA = 1\n");
    *other = *config;
    other->genesis.time_ms += 1;
    other->genesis.table_secret[0] += 1;
    other->genesis.table_secret[1] += 1;
    assert_false(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    other->genesis.fund = 1;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "fund");
    other->genesis.feeder_count = 1;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "feeders[0]");
    other->genesis.accounts[0].spot[0] += 1;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "feeders[0]");
    other->genesis.feeder_count = 0;
    other->genesis.fund = 0;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "accounts[0].spot[0].value");
    other->genesis.spot[0].tick_size += 1;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "spot[0].tickSize");
    other->genesis.coin_count += 1;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "coins[2]");
    other->genesis.rules.stp_scope = STP_NONE;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "rules.stpScope");
    other->genesis.chain_ids[1] = 9;
    assert_true(genesis_difference(&config->genesis, &other->genesis, path, sizeof(path)));
    assert_string_equal(path, "chainID2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_and_units),
        cmocka_unit_test(as_many_spot_markets_as_have_a_number),
        cmocka_unit_test(order_of_sections_does_not_matter),
        cmocka_unit_test(each_mistake_is_one_clear_line),
        cmocka_unit_test(the_public_chain_ids_want_to_be_asked_for),
        cmocka_unit_test(limits_are_on_with_the_numbers_of_the_service),
        cmocka_unit_test(who_reads_metrics_is_this_machine_a_list_or_nobody),
        cmocka_unit_test(limits_that_nothing_could_meet_are_mistakes),
        cmocka_unit_test(the_faucet_and_the_perps_wallet_have_their_keys),
        cmocka_unit_test(a_perps_market_has_the_defaults_of_the_mechanics),
        cmocka_unit_test(second_persons_are_no_part_of_the_genesis),
        cmocka_unit_test(there_are_at_most_eight_of_them),
        cmocka_unit_test(the_venue_of_perps_has_the_defaults_of_the_mechanics),
        cmocka_unit_test(mistakes_of_perps_are_clear_lines),
        cmocka_unit_test(margin_tiers_are_checked_one_by_one),
        cmocka_unit_test(a_line_that_is_too_long_is_named),
        cmocka_unit_test(the_example_is_right),
        cmocka_unit_test(a_genesis_survives_its_json),
        cmocka_unit_test(each_log_begins_with_a_secret_of_its_own),
        cmocka_unit_test(the_first_difference_has_a_name),
    };
    return cmocka_run_group_tests_name("app/config", tests, make, unmake);
}
