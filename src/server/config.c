/* SPDX-License-Identifier: MIT */
/* config.c — the rows of the configuration file, its sections, and the text of --help. */
#include "server/config_inside.h"

#include "base/hex.h"
#include "core/engine.h"
#include "io/clock.h"
#include "io/files.h"

#include <stdio.h>
#include <stdlib.h>

#define FILE_BYTES (1024 * 1024)

/* ---- rows ---- */

static const struct enum_name switch_names[] = { { 0, "off" }, { 1, "on" }, { 0, NULL } };
static const struct enum_name compat_names[] = { { 0, "typed" }, { 1, "legacy" }, { 0, NULL } };
static const struct enum_name stp_names[]    = { { STP_ACCOUNT, "ACCOUNT" }, { STP_USER, "USER" }, { STP_NONE, "NONE" }, { 0, NULL } };
static const struct enum_name bracket_names[] = { { BRACKET_PROTECT, "PROTECT" }, { BRACKET_ANCHOR, "ANCHOR" }, { 0, NULL } };
static const struct enum_name adl_names[]    = { { ADL_FIFTHS, "FIFTHS" }, { ADL_QUEUE, "QUEUE" }, { 0, NULL } };
static const struct enum_name reuse_names[]  = { { REUSE_FINISHED, "finished" }, { REUSE_FILLED, "filled" }, { 0, NULL } };

static const struct enum_name header_names[] = { { FORWARDED_X_FOR, "X-Forwarded-For" }, { FORWARDED_RFC7239, "Forwarded" }, { 0, NULL } };

#define C(member) offsetof(struct config, member)
#define G(member) offsetof(struct config, genesis.member)
static const struct setting server_settings[] = {
    { "listen",                  SET_ADDRESS,   0, 0, 0, "127.0.0.1:8080", NULL, "Address and port; port 0 picks a free one." },
    { "data",                    SET_TEXT,      C(data), 0, sizeof(((struct config *)0)->data), NULL, NULL, "Folder of the log and the history; made when absent." },
    { "chainIds",                SET_CHAIN_IDS, 0, 0, 0, NULL, NULL, "EIP-712 chain ids that are accepted, the node's own first; at most 4." },
    { "allowPublicChainIds",     SET_ENUM,      C(allow_public_chain_ids), 0, 0, "off", switch_names, "286623 and 138565 may be among them, although such a signature is valid on the public venue too." },
    { "ioThreads",               SET_U32,       C(io_threads), 1, 16, "1", NULL, "Threads that serve connections and recover signatures." },
    { "connections",             SET_U32,       C(connections), 1, 60000, "8192", NULL, "Connections at once." },
    { "connectionsPerAddress",   SET_U32,       C(connections_per_address), 1, 60000, "256", NULL, "Of these from one address." },
    { "segmentMiB",              SET_U32,       C(segment_mib), 4, 4096, "64", NULL, "Bytes of a file of the log, in MiB." },
    { "strictTail",              SET_ENUM,      C(strict_tail), 0, 0, "off", switch_names, "Refuse to start even on a tail that looks torn." },
    { "rpcTxCompat",             SET_ENUM,      C(rpc_tx_compat), 0, 0, "typed", compat_names, "How /rpc tells transactions: typed (0x53, hashes can be recomputed) or legacy (0x0), for clients that refuse types they do not know." },
    { "stpScope",                SET_ENUM,      G(rules.stp_scope), 0, 0, "ACCOUNT", stp_names, "Who counts as oneself in a self-trade." },
    { "clOrdIDReuse",            SET_ENUM,      G(rules.client_id_reuse), 0, 0, "finished", reuse_names, "When a clOrdID is free again." },
    { "replaceKeepsPlace",       SET_ENUM,      G(rules.replace_keeps_place), 0, 0, "on", switch_names, "A pure decrease keeps its place in the queue." },
    { "nonceFloorWhenFull",      SET_ENUM,      G(rules.nonce_floor_when_full), 0, 0, "off", switch_names, "\"Above the smallest\" counts only once 100 nonces are stored." },
    { "openOrdersPerAccount",    SET_U32,       G(rules.open_orders_per_account), 0, 1000000, "1000", NULL, "0 = no limit." },
    { "scheduleTriggersPerDay",  SET_U32,       G(rules.schedule_triggers_per_day), 0, 1000, "10", NULL, "Scheduled cancels that may fire in a UTC day." },
    { "accounts",                SET_U32,       G(limits.accounts), 1, 100000000, "100000", NULL, "Room for accounts." },
    { "orders",                  SET_U32,       G(limits.orders), 1, 100000000, "1000000", NULL, "Room for open orders." },
    { "levels",                  SET_U32,       G(limits.levels), 1, 100000000, "1000000", NULL, "Room for prices with orders, over all books." },
    { "signers",                 SET_U32,       G(limits.signers), 1, 100000000, "100000", NULL, "Room for addresses that sign, with 100 nonces each." },
    { "deposits",                SET_U32,       G(limits.deposits), 1, 100000000, "1000000", NULL, "Ids of operators' deposits and redemptions remembered." },
    { "keys",                    SET_U32,       G(limits.keys), 0, 100000000, "100000", NULL, "Room for addresses that are or were API keys." },
    { "clientIds",               SET_U32,       G(limits.burnt_ids), 1, 100000000, "10000000", NULL, "With clOrdIDReuse = filled: client ids that are spent or open." },
    { "transfers",               SET_U32,       G(limits.transfers), 0, 100000000, "1000000", NULL, "Transfer ids remembered, at most 1024 per account and side." },
};

#define L(member) offsetof(struct config, limits.member)
static const struct setting limit_settings[] = {
    { "weightPerMinute",      SET_U32,     L(weight_per_minute), 0, MINUTE_LIMIT_MAX, "1200", NULL, "Request weight of an address in a rolling minute; 0 = no limit." },
    { "addresses",            SET_U32,     L(addresses), 1, 1 << 24, "65536", NULL, "Addresses counted at once, 170 bytes each; more are refused until a minute of one of them is over." },
    { "trustedProxies",       SET_PROXIES, L(proxies), 0, 0, "", NULL, "Addresses and ADDRESS/BITS whose word about the client is taken." },
    { "forwardedHeader",      SET_ENUM,    L(proxies.header), 0, 0, "X-Forwarded-For", header_names, "The header in which they give it; the other one is ignored." },
    { "ordersPerMinute",      SET_U32,     L(orders_per_minute), 0, MINUTE_LIMIT_MAX, "0", NULL, "New orders of an account and key in a rolling minute; 0 = no limit." },
    { "keyRequestsPerMinute", SET_U32,     L(key_per_minute), 1, 1000000, "20", NULL, "Requests of an API key in a minute." },
    { "keyRequestsPerMonth",  SET_U32,     L(key_per_month), 1, 1000000000, "100000", NULL, "Requests of an API key in a UTC calendar month." },
    { "keyLimitSpot",         SET_ENUM,    L(key_groups[GROUP_SPOT]), 0, 0, "off", switch_names, "These two hold for signed spot requests." },
    { "keyLimitPerps",        SET_ENUM,    L(key_groups[GROUP_PERPS]), 0, 0, "off", switch_names, "These two hold for signed perps requests." },
    { "keyLimitRpc",          SET_ENUM,    L(key_groups[GROUP_RPC]), 0, 0, "on", switch_names, "These two hold for requests to /rpc that name a key, per address and name." },
    { "keys",                 SET_U32,     L(keys), 1, 1 << 24, "65536", NULL, "API keys counted at once." },
};

static const struct setting coin_settings[] = {
    { "precision", SET_U32, offsetof(struct coin, precision), 0, 8, NULL, NULL, "Decimals of an amount." },
};

#define S(member) offsetof(struct symbol, member)
/* What a market of either side has. Coins and precisions come first: the rows behind them are read in their units. */
#define MARKET_ROWS(MAKER, TAKER, REFERENCE) \
    { "pricePrecision",        SET_U32,      S(price_precision), 0, 18, NULL, NULL, "Decimals of a price." }, \
    { "quantityPrecision",     SET_U32,      S(quantity_precision), 0, 18, NULL, NULL, "Decimals of a quantity." }, \
    { "status",                SET_ENUM,     S(status), 0, 0, "TRADING", symbol_status_names, "TRADING or HALT." }, \
    { "tickSize",              SET_PRICE,    S(tick_size), 0, 0, NULL, NULL, "Price step." }, \
    { "minPrice",              SET_PRICE,    S(min_price), 0, 0, "0", NULL, "0 = no bound." }, \
    { "maxPrice",              SET_PRICE,    S(max_price), 0, 0, "0", NULL, "0 = no bound." }, \
    { "stepSize",              SET_QUANTITY, S(step_size), 0, 0, NULL, NULL, "Quantity step." }, \
    { "minQuantity",           SET_QUANTITY, S(min_quantity), 0, 0, "0", NULL, "Of a limit order; 0 = no bound." }, \
    { "maxQuantity",           SET_QUANTITY, S(max_quantity), 0, 0, "0", NULL, "Of a limit order; 0 = no bound." }, \
    { "marketMinQuantity",     SET_QUANTITY, S(market_min_quantity), 0, 0, "0", NULL, "Of a market order; 0 = no bound." }, \
    { "marketMaxQuantity",     SET_QUANTITY, S(market_max_quantity), 0, 0, "0", NULL, "Of a market order; 0 = no bound." }, \
    { "minNotional",           SET_VALUE,    S(min_notional), 0, 0, "0", NULL, "Order value in the quote coin; 0 = no bound." }, \
    { "maxNotional",           SET_VALUE,    S(max_notional), 0, 0, "0", NULL, "Order value in the quote coin; 0 = no bound." }, \
    { "buyLimitUpRatio",       SET_RATE,     S(buy_limit_up_ratio), 0, 0, "0.05", NULL, "Band of limit buys above the reference: the last trade, of perps the mark." }, \
    { "sellLimitDownRatio",    SET_RATE,     S(sell_limit_down_ratio), 0, 0, "0.05", NULL, "Band of limit sells below it." }, \
    { "marketDeviationRatio",  SET_RATE,     S(market_deviation_ratio), 0, 0, "0.01", NULL, "Slippage bound of market orders." }, \
    { "makerFee",              SET_RATE,     S(maker_fee), 0, 0, MAKER, NULL, "Rate of the resting side, tier 0." }, \
    { "takerFee",              SET_RATE,     S(taker_fee), 0, 0, TAKER, NULL, "Rate of the taking side, tier 0." }, \
    { "feeDiscount",           SET_RATE,     S(fee_discount), 0, 0, "0", NULL, "Discount on positive rates." }, \
    { "listingReferencePrice", SET_PRICE,    S(reference_price), 0, 0, REFERENCE, NULL, "Stands for the price before there is one; of a spot market 0 = none." }

static const struct setting market_settings[] = {
    { "displayName",           SET_NAME,     S(display_name), 0, 0, "", NULL, "Name for people; the section's name when it is not given." },
    { "baseCoin",              SET_COIN,     S(base_coin_id), 0, 0, NULL, NULL, "Coin that is traded." },
    { "quoteCoin",             SET_COIN,     S(quote_coin_id), 0, 0, NULL, NULL, "Coin it is paid in." },
    MARKET_ROWS("0.00035", "0.00065", "0"),
};

#define P(member) offsetof(struct perps_section, contract.member)
static const struct setting perps_settings[] = {
    { "displayName",        SET_NAME,         S(display_name), 0, 0, "", NULL, "Name for people; the section's name when it is not given." },
    { "baseCoin",           SET_NAME,         P(base), 0, 0, NULL, NULL, "What is traded: a name only. It is paid and margined in the first coin." },
    MARKET_ROWS("0.00012", "0.0004", NULL),
    { "marginTiers",        SET_MARGIN_TIERS, offsetof(struct perps_section, contract), 0, 0, NULL, NULL, "maxNotional:maxLeverage of each tier, ascending; maintenance rate is 1 / (2 * maxLeverage)." },
    { "initLeverage",       SET_U32,          P(init_leverage), 1, LEVERAGE_MAX, "10", NULL, "Leverage of an account that never chose one." },
    { "openInterestCap",    SET_QUANTITY,     P(open_interest_cap), 0, 0, "0", NULL, "Open interest in base units; 0 = no cap." },
    { "openInterestCapUSD", SET_MARGIN,       P(open_interest_cap_value), 0, 0, "0", NULL, "Open interest valued at mark; 0 = no cap." },
    { "interestRate",       SET_RATE,         P(interest_rate), 0, 0, "0.0001", NULL, "Interest part of the funding rate, per 8 hours." },
    { "maxFundingRate",     SET_RATE,         P(max_funding), 0, 0, "0", NULL, "Cap of an hour's funding; 0 = the smaller of 0.04 and half the first maintenance rate." },
    { "minFundingRate",     SET_RATE,         P(min_funding), 0, 0, "0", NULL, "Floor of an hour's funding; 0 = the cap below zero." },
    { "markStepCap",        SET_RATE,         P(mark_step_cap), 0, 0, "0", NULL, "How far the mark moves in a second; 0 = half the first maintenance rate, and no more (no-gap envelope)." },
    { "markBand",           SET_RATE,         P(mark_band), 0, 0, "0", NULL, "How far the mark may be from the index; 0 = 1 / maxLeverage of the first tier." },
    { "impactNotional",     SET_MARGIN,       P(impact_notional), 0, 0, "0", NULL, "Depth at which the premium is sampled; 0 = 200 times the first maxLeverage." },
    { "spotMarket",         SET_SPOT,         P(spot_symbol_id), 0, 0, "", NULL, "Spot market whose book stands in when the feeders are silent; none when it is not given." },
    { "spotImpactNotional", SET_MARGIN,       P(spot_impact_notional), 0, 0, "10000", NULL, "Depth its book must have on both sides, within 2 %." },
    { "ifMaxInventory",     SET_MARGIN,       P(fund_max_inventory), 0, 0, "0", NULL, "Notional that the insurance fund may hold of it; 0 = 2 % of openInterestCapUSD, without one no bound." },
};

static const struct setting feeder_settings[] = {
    { "weight", SET_U32, offsetof(struct feeder, weight), 1, FEEDER_WEIGHT_MAX, "1", NULL, "Its weight in the median." },
};

/* Part of the log only where there are perps markets. */
static const struct setting venue_settings[] = {
    { "positions",              SET_U32,    G(limits.positions), 1, 100000000, "100000", NULL, "Room for perps positions." },
    { "fund",                   SET_MARGIN, G(fund), 0, 0, "1000000", NULL, "What the insurance fund begins with, in the first coin." },
    { "armedStopsPerAccount",   SET_U32,    G(rules.armed_stops_per_account), 0, 1000000, "100", NULL, "Stops of an account that wait; 0 = no limit." },
    { "maxTriggersPerCommand",  SET_U32,    G(rules.triggers_per_command), 1, 1 << 20, "10000", NULL, "Stops that one command fires; the rest goes on in the next TICK." },
    { "maxLiquidationsPerTick", SET_U32,    G(rules.liquidations_per_tick), 1, 100000000, "1000", NULL, "Risk units that one TICK liquidates; the rest goes on in the next." },
    { "stopRetryTicks",         SET_U32,    G(rules.stop_retry_ticks), 0, 255, "60", NULL, "TICKs for which a stop that found nothing is tried again." },
    { "strictPositionSide",     SET_ENUM,   G(rules.strict_position_side), 0, 0, "off", switch_names, "LONG and SHORT in a request are refused instead of understood." },
    { "bracketMode",            SET_ENUM,   G(rules.bracket_mode), 0, 0, "PROTECT", bracket_names, "PROTECT: children wake with the parent's first fill; ANCHOR: with the last, and they go with a parent that is cancelled before." },
    { "dmsKeepsProtectiveStops", SET_ENUM,  G(rules.dms_keeps_stops), 0, 0, "off", switch_names, "A scheduled cancel leaves reduce-only stops." },
    { "adlMode",                SET_ENUM,   G(rules.adl_mode), 0, 0, "FIFTHS", adl_names, "FIFTHS: shared pro rata inside a fifth of the ranking; QUEUE: one after the other." },
    { "oracleQuorum",           SET_U32,    G(rules.oracle_quorum), 1, FEEDERS_MAX, "1", NULL, "Feeders needed for an index; in production 3 or more." },
    { "oracleStaleMs",          SET_U32,    G(rules.oracle_stale_ms), 1000, 86400000, "60000", NULL, "How long a post counts." },
    { "oracleJumpRatio",        SET_RATE,   G(rules.oracle_jump_ratio), 0, 0, "0.1", NULL, "A larger move of the index is held back until three TICKs in a row agree on it." },
    { "liqBuffer",              SET_RATE,   G(rules.liquidation_buffer), 0, 0, "0.1", NULL, "Share above the maintenance margin that a liquidation restores." },
    { "liqSlippage",            SET_RATE,   G(rules.liquidation_slippage), 0, 0, "0.02", NULL, "How far from the mark a liquidation sells." },
    { "ifMaxLoss",              SET_RATE,   G(rules.fund_loss_ratio), 0, 0, "0.2", NULL, "Share of the insurance fund that a symbol may cost in a UTC day." },
};

#define FEES(TIERS) \
    { "tiers",            SET_TIERS,     0, 0, 0, TIERS, NULL, "14-day volume:maker rate:taker rate of each tier, ascending from 0." }, \
    { "stakingDiscounts", SET_DISCOUNTS, 0, 0, 0, "0, 0.05, 0.1, 0.2", NULL, "Discount of each staking tier." }, \
    { "makerRebates",     SET_REBATES,   0, 0, 0, "0:0, 0.01:-0.00002, 0.03:-0.00004", NULL, "Share of maker volume:maker rate of each rebate tier; rate 0 = none." }
static const struct setting fee_settings[] = {
    FEES("0:0.00035:0.00065, 5000000:0.0003:0.0006, 25000000:0.00025:0.0005, 100000000:0.00015:0.0004, 500000000:0.0001:0.0003"),
};
static const struct setting perps_fee_settings[] = {
    FEES("0:0.00012:0.0004, 5000000:0.0001:0.00035, 25000000:0.00008:0.0003, 100000000:0.00004:0.00025, 500000000:0:0.0002"),
};

enum section_at { AT_SERVER, AT_VENUE, AT_LIMITS, AT_COIN, AT_MARKET, AT_PERPS, AT_FEEDER, AT_SPOT_FEES, AT_PERPS_FEES, AT_ACCOUNT };
static const struct section {
    const char           *kind;         /* first word of its header              */
    const char           *header, *doc; /* as --help shows it                    */
    const struct setting *rows;
    uint32_t              count;
} sections[] = {        /* in the order of enum section_at */
    { "dojima",  "[dojima]",            "The server.",                              server_settings, ARRAY_COUNT(server_settings) },
    { "dojima",  "[dojima]",            "More of it where there are perps markets.", venue_settings, ARRAY_COUNT(venue_settings) },
    { "limits",  "[limits]",            "How often clients may ask; none of it is part of the log.", limit_settings, ARRAY_COUNT(limit_settings) },
    { "coin",    "[coin NAME]",         "A coin; ids count from 0 in their order. With the key faucet, an amount, dojima faucet gives it away.", coin_settings,   ARRAY_COUNT(coin_settings) },
    { "market",  "[market NAME]",       "A spot market; ids count from 1.",         market_settings, ARRAY_COUNT(market_settings) },
    { "perps",   "[perps NAME]",        "A perps market; ids count from 1.",        perps_settings,  ARRAY_COUNT(perps_settings) },
    { "feeder",  "[feeder 0xADDRESS]",  "Who may post index prices (POST /api/v1/oracle).", feeder_settings, ARRAY_COUNT(feeder_settings) },
    { "fees",    "[fees spot]",         "Fee tables; all rates as fractions.",      fee_settings,    ARRAY_COUNT(fee_settings) },
    { "fees",    "[fees perps]",        "The same for perps.",                      perps_fee_settings, ARRAY_COUNT(perps_fee_settings) },
    { "account", "[account 0xADDRESS]", "An account that exists from the start; each coin's name is a key, its value the balance; perps is that of the perps wallet.", NULL, 0 },
};

/* ---- sections ---- */

/* All rows of a section, in the order of the table, into `base`. */
static bool read_rows(struct reading *reading, const char *section, const struct section *kind, void *base)
{
    for (uint32_t i = 0; i < kind->count; i++) {
        const struct setting *row = &kind->rows[i];
        const struct entry   *entry = config_find_entry(reading, section, row->key);
        struct value          value = { reading, row, section, row->standard, 0 };

        if (entry != NULL) {
            value.text = entry->value;
            value.line = entry->line;
        } else if (row->standard == NULL) {
            return config_fail(reading, 0, "[%s] needs the key %s: %s", section, row->key, row->doc);
        }
        if (!config_set_value(&value, base)) return false;
    }
    return true;
}

/* The word behind the section's kind, or NULL when the section is of another kind. */
static const char *section_name(const char *section, const char *kind)
{
    size_t len = strlen(kind);

    if (strncmp(section, kind, len) != 0 || section[len] != ' ') return NULL;
    while (section[len] == ' ') len++;
    return section + len;
}

typedef bool read_section(struct reading *, const struct section *, struct entry *, const char *name);

/* Calls `read` for each section of a kind, in their order in the file. */
static bool each_section(struct reading *reading, const struct section *kind, read_section *read)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        struct entry *entry = &reading->entries[i];
        const char   *name = section_name(entry->section, kind->kind);
        if (entry->key[0] != '\0' || name == NULL) continue;
        entry->used = true;
        if (!read(reading, kind, entry, name)) return false;
    }
    return true;
}

static bool read_coin(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis     *genesis = &reading->config->genesis;
    struct coin        *coin = &genesis->coins[genesis->coin_count];
    const struct entry *gift;

    if (genesis->coin_count == COINS_MAX) return config_fail(reading, entry->line, "more than %d coins", COINS_MAX);
    if (!config_is_name(slice_of(name))) return config_fail(reading, entry->line, "[%s]: not a name of 1 to 31 printable characters", entry->section);
    coin->id = genesis->coin_count++;
    coin->name = name_make(slice_of(name));
    if (!read_rows(reading, entry->section, kind, coin)) return false;
    gift = config_find_entry(reading, entry->section, "faucet");        /* no part of the genesis: it may be turned on and off */
    if (gift == NULL || (config_read_units(slice_of(gift->value), coin->precision, &reading->config->faucet[coin->id])
                         && reading->config->faucet[coin->id] >= 0)) return true;
    return config_fail(reading, gift->line, "[%s] faucet: \"%.60s\" is not an amount with at most %u decimals", entry->section, gift->value, coin->precision);
}

static bool read_market(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis *genesis = &reading->config->genesis;
    struct symbol  *symbol = &genesis->spot[genesis->spot_count];

    if (genesis->spot_count == SYMBOLS_MAX) return config_fail(reading, entry->line, "more than %d markets", SYMBOLS_MAX);
    if (!config_is_name(slice_of(name))) return config_fail(reading, entry->line, "[%s]: not a name of 1 to 31 printable characters", entry->section);
    symbol->id = ++genesis->spot_count;
    symbol->market = MARKET_SPOT;
    symbol->name = symbol->display_name = name_make(slice_of(name));
    return read_rows(reading, entry->section, kind, symbol);
}

static bool read_perps(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis      *genesis = &reading->config->genesis;
    struct perps_section section = { .symbol = { .id = genesis->perps_count + 1, .market = MARKET_PERPS, .quote_coin_id = COIN_MARGIN } };

    if (genesis->perps_count == PERPS_MAX) return config_fail(reading, entry->line, "more than %d perps markets", PERPS_MAX);
    if (genesis->coin_count == 0) return config_fail(reading, entry->line, "[%s] needs a coin to be paid in", entry->section);
    if (!config_is_name(slice_of(name))) return config_fail(reading, entry->line, "[%s]: not a name of 1 to 31 printable characters", entry->section);
    section.symbol.name = section.symbol.display_name = name_make(slice_of(name));
    if (!read_rows(reading, entry->section, kind, &section)) return false;
    if (section.contract.base.len == 0) return config_fail(reading, entry->line, "[%s] baseCoin: a name of what is traded", entry->section);
    if (section.contract.spot_symbol_id == 0) section.contract.spot_impact_notional = 0;
    genesis->perps[genesis->perps_count] = section.symbol;
    genesis->contracts[genesis->perps_count++] = section.contract;
    return true;
}

static bool read_owner(struct reading *reading, const struct entry *entry, const char *name, struct address *address)
{
    if (strlen(name) == 42 && hex_read_0x(slice_of(name), address->bytes, sizeof(address->bytes))) return true;
    return config_fail(reading, entry->line, "[%s]: not an address of 0x and 40 hex digits", entry->section);
}

static bool read_feeder(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis *genesis = &reading->config->genesis;
    struct feeder  *feeder = &genesis->feeders[genesis->feeder_count];

    if (genesis->feeder_count == FEEDERS_MAX) return config_fail(reading, entry->line, "more than %d feeders", FEEDERS_MAX);
    if (!read_owner(reading, entry, name, &feeder->address)) return false;
    genesis->feeder_count += 1;
    return read_rows(reading, entry->section, kind, feeder);
}

/* What only perps need; without them it stays zero, so that it is no part of the log. */
static bool read_venue(struct reading *reading)
{
    struct genesis *genesis = &reading->config->genesis;

    if (genesis->perps_count != 0) return read_rows(reading, "dojima", &sections[AT_VENUE], reading->config);
    for (uint32_t i = 0; i < sections[AT_VENUE].count; i++) {
        const struct entry *entry = config_find_entry(reading, "dojima", sections[AT_VENUE].rows[i].key);
        if (entry != NULL) return config_fail(reading, entry->line, "[dojima] %s: there is no perps market", entry->key);
    }
    return true;
}

static bool read_fees(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    (void)kind;
    if (strcmp(name, "spot") != 0 && strcmp(name, "perps") != 0) return config_fail(reading, entry->line, "unknown section [%s]", entry->section);
    return true;
}

static bool read_perps_balance(struct reading *reading, const char *section, struct genesis_account *account)
{
    const struct coin  *coin = &reading->config->genesis.coins[COIN_MARGIN];
    const struct entry *balance = config_find_entry(reading, section, "perps");

    if (balance == NULL || (config_read_units(slice_of(balance->value), coin->precision, &account->perps) && account->perps >= 0)) return true;
    return config_fail(reading, balance->line, "[%s] perps: \"%.60s\" is not an amount with at most %u decimals", section, balance->value, coin->precision);
}

static bool read_account(struct reading *reading, const struct section *kind, struct entry *entry, const char *name)
{
    struct genesis         *genesis = &reading->config->genesis;
    struct genesis_account *account = &genesis->accounts[genesis->account_count];

    (void)kind;
    if (genesis->account_count == GENESIS_ACCOUNTS_MAX) return config_fail(reading, entry->line, "more than %d accounts", GENESIS_ACCOUNTS_MAX);
    if (!read_owner(reading, entry, name, &account->owner)) return false;
    for (uint32_t i = 0; i < genesis->account_count; i++)
        if (address_equal(&genesis->accounts[i].owner, &account->owner))
            return config_fail(reading, entry->line, "[%s]: the address has a section already", entry->section);
    genesis->account_count += 1;
    for (uint32_t i = 0; i < genesis->coin_count; i++) {
        const struct coin  *coin = &genesis->coins[i];
        struct slice        coin_name = name_slice(&coin->name);
        char                key[NAME_MAX_LEN + 1] = { 0 };
        const struct entry *balance;

        memcpy(key, coin_name.at, coin_name.len);
        balance = config_find_entry(reading, entry->section, key);
        if (balance == NULL) continue;
        if (!config_read_units(slice_of(balance->value), coin->precision, &account->spot[i]) || account->spot[i] < 0)
            return config_fail(reading, balance->line, "[%s] %s: \"%.60s\" is not an amount with at most %u decimals", entry->section, key,
                        balance->value, coin->precision);
        if (account->spot[i] != 0) account->spot_count = i + 1;
    }
    return read_perps_balance(reading, entry->section, account);
}

/* A limit that no request could ever meet is a mistake. */
static bool check_limits(struct reading *reading)
{
    const struct limiter_settings *limits = &reading->config->limits;

    if (limits->weight_per_minute != 0 && limits->weight_per_minute < WEIGHT_MIN)
        return config_fail(reading, 0, "[limits] weightPerMinute: %u is less than one request may weigh: 0, or %d to %d", limits->weight_per_minute,
                           WEIGHT_MIN, MINUTE_LIMIT_MAX);
    if (limits->orders_per_minute != 0 && limits->orders_per_minute < ORDERS_MIN)
        return config_fail(reading, 0, "[limits] ordersPerMinute: %u is less than one batch may hold: 0, or %d to %d", limits->orders_per_minute,
                           ORDERS_MIN, MINUTE_LIMIT_MAX);
    return true;
}

/* What nobody asked for is a mistake. */
static bool refuse_unknown(struct reading *reading)
{
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct entry *entry = &reading->entries[i];
        if (entry->used) continue;
        if (entry->key[0] == '\0') return config_fail(reading, entry->line, "unknown section [%s]", entry->section);
        return config_fail(reading, entry->line, "unknown key %s in [%s]", entry->key, entry->section);
    }
    return true;
}

static bool read_sections(struct reading *reading)
{
    static const struct { enum section_at at; read_section *read; } readers[] = {
        { AT_COIN, read_coin }, { AT_MARKET, read_market }, { AT_PERPS, read_perps }, { AT_FEEDER, read_feeder },
        { AT_SPOT_FEES, read_fees }, { AT_ACCOUNT, read_account },
    };
    struct config *config = reading->config;
    const char    *what;
    bool           ok = true;

    (void)config_find_entry(reading, "dojima", "");
    (void)config_find_entry(reading, "limits", "");
    /* The chain ids depend on a switch behind them in no fixed order: the switch is looked at first. */
    for (size_t i = 0; ok && i < ARRAY_COUNT(readers); i++) ok = each_section(reading, &sections[readers[i].at], readers[i].read);
    for (uint32_t i = 0; ok && i < ARRAY_COUNT(server_settings); i++) {
        const struct setting *row = &server_settings[i];
        const struct entry   *entry = config_find_entry(reading, "dojima", row->key);
        if (row->offset == C(allow_public_chain_ids) && row->kind == SET_ENUM && entry != NULL)
            config->allow_public_chain_ids = strcmp(entry->value, "on") == 0;
    }
    ok = ok && read_rows(reading, "dojima", &sections[AT_SERVER], config) && read_venue(reading)
         && read_rows(reading, "limits", &sections[AT_LIMITS], config) && check_limits(reading)
         && read_rows(reading, "fees spot", &sections[AT_SPOT_FEES], &config->genesis.spot_fees)
         && read_rows(reading, "fees perps", &sections[AT_PERPS_FEES], &config->genesis.perps_fees);
    if (!ok || !refuse_unknown(reading)) return false;
    what = genesis_check(&config->genesis);
    if (what != NULL) return config_fail(reading, 0, "%s", what);
    genesis_complete(&config->genesis);
    return true;
}

bool config_read(const char *text, const char *name, bool development, struct config *config, char *error, size_t cap)
{
    struct reading reading = { .name = name, .development = development, .config = config, .at = text, .error = error, .cap = cap };
    bool           ok;

    memset(config, 0, sizeof(*config));
    config->genesis.development = development;
    config->genesis.time_ms = clock_wall_ms();
    ok = config_entries_read(&reading) && read_sections(&reading);
    config_entries_free(&reading);
    return ok;
}

bool config_read_file(const char *path, struct config *config, char *error, size_t cap)
{
    char  *text = malloc(FILE_BYTES + 1);
    size_t len = 0;
    int    failed;
    bool   ok = false;

    assert(text != NULL);
    failed = files_read(path, text, FILE_BYTES + 1, &len);
    if (failed != 0) (void)snprintf(error, cap, "%s: %s", path, strerror(failed));
    else if (len > FILE_BYTES) (void)snprintf(error, cap, "%s: longer than %d bytes", path, FILE_BYTES);
    else if (memchr(text, '\0', len) != NULL) (void)snprintf(error, cap, "%s: not a text", path);
    else {
        text[len] = '\0';
        ok = config_read(text, path, false, config, error, cap);
    }
    free(text);
    return ok;
}

void config_print_help(void)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(sections); i++) {
        (void)printf("\n%s  %s\n", sections[i].header, sections[i].doc);
        for (uint32_t k = 0; k < sections[i].count; k++) {
            const struct setting *row = &sections[i].rows[k];
            (void)printf("  %-23s %s ", row->key, row->doc);
            if (row->standard == NULL) (void)printf("Required.\n");
            else if (row->standard[0] == '\0') (void)printf("\n");
            else (void)printf("Default %s.\n", row->standard);
        }
    }
}
