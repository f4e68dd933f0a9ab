/* SPDX-License-Identifier: MIT */
/*
 * shapes_genesis.c — genesis.h as JSON. It is the log's first record, so the numbers are the ones
 * the engine computes with: integers in units of their coin, price or quantity precision (which stand
 * beside them), rates and ratios in units of 1e-8. Rows are append only: a log of last year must be
 * readable by the binary of this year, so a new row is OPTIONAL.
 */
#include "model/genesis.h"
#include "model/shape.h"

static const struct enum_name stp_names[] = {
    { STP_ACCOUNT, "ACCOUNT" }, { STP_USER, "USER" }, { STP_NONE, "NONE" }, { 0, NULL }
};
static const struct enum_name bracket_names[] = { { BRACKET_PROTECT, "PROTECT" },
                                                  { BRACKET_ANCHOR, "ANCHOR" },
                                                  { 0, NULL } };
static const struct enum_name adl_names[] = { { ADL_FIFTHS, "FIFTHS" }, { ADL_QUEUE, "QUEUE" }, { 0, NULL } };
static const struct enum_name reuse_names[] = { { REUSE_FINISHED, "finished" },
                                                { REUSE_FILLED, "filled" },
                                                { 0, NULL } };
static const struct enum_name switch_names[] = { { 0, "off" }, { 1, "on" }, { 0, NULL } };

#define ROW(T, member, key, doc)             FIELD(T, member, key, REQUIRED, doc)
#define ROW_ENUM(T, member, key, names, doc) FIELD_ENUM(T, member, key, REQUIRED, FLAG_ENUM_NAME, names, doc)

static const struct field coin_rows[] = {
    ROW(struct coin, id, "id", "Coin id, the index in the list."),
    ROW(struct coin, name, "name", "Name on the wire."),
    ROW(struct coin, precision, "precision", "Decimals of an amount."),
};
static SHAPE(genesis_coin_shape, struct coin, "GenesisCoin", coin_rows, NULL, "A coin.");

/* clang-format off */
static const struct field symbol_rows[] = {
    ROW(struct symbol, id,                     "id",                   "Symbol id, from 1."),
    ROW(struct symbol, name,                   "name",                 "Name on the wire."),
    ROW(struct symbol, display_name,           "displayName",          "Name for people."),
    ROW_ENUM(struct symbol, market,            "market", market_names, "Which engine trades it."),
    ROW_ENUM(struct symbol, status,            "status", symbol_status_names, "Whether it trades."),
    ROW(struct symbol, base_coin_id,           "baseCoinID",           "Coin that is traded."),
    ROW(struct symbol, quote_coin_id,          "quoteCoinID",          "Coin it is paid in."),
    ROW(struct symbol, price_precision,        "pricePrecision",       "Decimals of a price."),
    ROW(struct symbol, quantity_precision,     "quantityPrecision",    "Decimals of a quantity."),
    ROW(struct symbol, tick_size,              "tickSize",             "Price step."),
    ROW(struct symbol, min_price,              "minPrice",             "Lowest price; 0 = no bound."),
    ROW(struct symbol, max_price,              "maxPrice",             "Highest price; 0 = no bound."),
    ROW(struct symbol, step_size,              "stepSize",             "Quantity step."),
    ROW(struct symbol, min_quantity,           "minQuantity",          "Smallest limit quantity; 0 = no bound."),
    ROW(struct symbol, max_quantity,           "maxQuantity",          "Largest limit quantity; 0 = no bound."),
    ROW(struct symbol, market_min_quantity,    "marketMinQuantity",    "Smallest market quantity; 0 = no bound."),
    ROW(struct symbol, market_max_quantity,    "marketMaxQuantity",    "Largest market quantity; 0 = no bound."),
    ROW(struct symbol, min_notional,           "minNotional",          "Smallest order value; 0 = no bound."),
    ROW(struct symbol, max_notional,           "maxNotional",          "Largest order value; 0 = no bound."),
    ROW(struct symbol, buy_limit_up_ratio,     "buyLimitUpRatio",      "Band of limit buys above the last trade."),
    ROW(struct symbol, sell_limit_down_ratio,  "sellLimitDownRatio",   "Band of limit sells below the last trade."),
    ROW(struct symbol, market_deviation_ratio, "marketDeviationRatio", "Slippage bound of market orders."),
    ROW(struct symbol, maker_fee,              "makerFee",             "Fee rate of the resting side, tier 0."),
    ROW(struct symbol, taker_fee,              "takerFee",             "Fee rate of the taking side, tier 0."),
    ROW(struct symbol, fee_discount,           "feeDiscount",          "Discount on positive rates."),
    ROW(struct symbol, reference_price, "listingReferencePrice",
        "Stands for the last trade before the first; 0 = none."),
};
/* clang-format on */
static SHAPE(genesis_symbol_shape, struct symbol, "GenesisSymbol", symbol_rows, NULL, "A symbol.");

static const struct field fee_tier_rows[] = {
    ROW(struct fee_row, volume, "volume", "14-day volume from which the tier counts."),
    ROW(struct fee_row, maker, "maker", "Rate of the resting side."),
    ROW(struct fee_row, taker, "taker", "Rate of the taking side."),
};
static SHAPE(fee_row_shape, struct fee_row, "FeeTier", fee_tier_rows, NULL, "A fee tier.");

/* Arrays of bare numbers have no kind: their rows are objects with one member. */
struct one {
    int64_t value;
};
static const struct field one_rows[] = { ROW(struct one, value, "value", "The number.") };
static SHAPE(one_shape, struct one, "Number", one_rows, NULL, "A number.");

/* clang-format off */
static const struct field fee_table_rows[] = {
    FIELD_ITEMS(struct fee_table, tiers, tier_count, "tiers", REQUIRED, FEE_TIERS_MAX, &fee_row_shape,
        "Tiers by volume, ascending."),
    FIELD_ITEMS(struct fee_table, staking_discount, staking_count, "stakingDiscounts", REQUIRED, FEE_TIERS_MAX,
        &one_shape, "Discount by staking tier."),
    FIELD_ITEMS(struct fee_table, rebate_share, rebate_count, "rebateShares", REQUIRED, FEE_TIERS_MAX, &one_shape,
        "Share of maker volume from which a rebate tier counts."),
    FIELD_ITEMS(struct fee_table, rebate_rate, rebate_count, "rebateRates", REQUIRED, FEE_TIERS_MAX, &one_shape,
        "Maker rate of a rebate tier; 0 = none."),
};
/* clang-format on */
static SHAPE(fee_table_shape, struct fee_table, "FeeTable", fee_table_rows, NULL, "Fees of one market.");

/* Perps came later: logs that are older have none of its rows. */
#define LATER(T, member, key, doc)             FIELD(T, member, key, OPTIONAL, doc)
#define LATER_ENUM(T, member, key, names, doc) FIELD_ENUM(T, member, key, OPTIONAL, FLAG_ENUM_NAME, names, doc)

static const struct field margin_tier_rows[] = {
    ROW(struct margin_tier, max_notional, "maxNotionalValue", "Inclusive upper bound of the tier."),
    ROW(struct margin_tier, max_leverage, "maxLeverage", "Rate and deduction follow from it and the bounds."),
};
static SHAPE(margin_tier_shape, struct margin_tier, "GenesisMarginTier", margin_tier_rows, NULL, "A margin tier.");

/* clang-format off */
static const struct field contract_rows[] = {
    ROW(struct contract, base,                    "baseCoin",            "Name of the underlying."),
    ROW(struct contract, init_leverage, "initLeverage", "Leverage of an account that never chose one."),
    FIELD_ITEMS(struct contract, tiers, tier_count, "marginTiers", REQUIRED, MARGIN_TIERS_MAX, &margin_tier_shape,
        "Margin tiers, ascending."),
    ROW(struct contract, open_interest_cap,       "openInterestCap",     "In base units; 0 = none."),
    ROW(struct contract, open_interest_cap_value, "openInterestCapUSD",  "In quote units at mark; 0 = none."),
    ROW(struct contract, interest_rate,           "interestRate",        "Interest of 8 hours."),
    ROW(struct contract, max_funding,             "maxFundingRate",      "Cap of an hour's funding."),
    ROW(struct contract, min_funding,             "minFundingRate",      "Floor of an hour's funding."),
    ROW(struct contract, mark_step_cap,           "markStepCap",         "How far the mark moves in a TICK."),
    ROW(struct contract, mark_band,               "markBand",            "How far the mark may be from the index."),
    ROW(struct contract, impact_notional,         "impactNotional",      "Depth at which the premium is sampled."),
    ROW(struct contract, spot_symbol_id, "spotSymbolID", "Spot symbol whose book replaces silent feeders; 0 = none."),
    ROW(struct contract, spot_impact_notional,    "spotImpactNotional",  "Depth that book must have."),
    ROW(struct contract, fund_max_inventory, "ifMaxInventory",
        "Notional that the insurance fund may hold; 0 = no bound."),
    LATER(struct contract, funding_clamp, "fundingClamp",
        "How far the interest moves the premium, of 8 hours; 0 = 0.0005."),
};
/* clang-format on */
static SHAPE(contract_shape, struct contract, "GenesisContract", contract_rows, NULL,
             "What a perps symbol has beyond a spot symbol.");

static const struct field feeder_rows[] = {
    ROW(struct feeder, address, "address", "Whose posts count."),
    ROW(struct feeder, weight, "weight", "Its weight in the median."),
};
static SHAPE(feeder_shape, struct feeder, "GenesisFeeder", feeder_rows, NULL, "Who may post index prices.");

/* clang-format off */
static const struct field rules_rows[] = {
    ROW_ENUM(struct rules, stp_scope, "stpScope", stp_names, "Who counts as oneself in a self-trade."),
    ROW_ENUM(struct rules, client_id_reuse,       "clOrdIDReuse", reuse_names,       "When a clOrdID is free again."),
    ROW_ENUM(struct rules, replace_keeps_place, "replaceKeepsPlace", switch_names,
        "A pure decrease keeps its place in the queue."),
    ROW_ENUM(struct rules, nonce_floor_when_full, "nonceFloorWhenFull", switch_names,
        "\"Above the smallest\" counts only once 100 nonces are stored."),
    ROW(struct rules, open_orders_per_account,    "openOrdersPerAccount",   "0 = no limit."),
    ROW(struct rules, schedule_triggers_per_day, "scheduleTriggersPerDay",
        "Scheduled cancels that may fire in a UTC day."),
    LATER(struct rules, armed_stops_per_account,  "armedStopsPerAccount",   "Stops of an account that wait."),
    LATER(struct rules, triggers_per_command, "maxTriggersPerCommand",
        "Stops that one command fires; the rest continues in the next TICK."),
    LATER(struct rules, liquidations_per_tick, "maxLiquidationsPerTick",
        "Risk units that one TICK liquidates; the rest continues in the next."),
    LATER(struct rules, stop_retry_ticks, "stopRetryTicks",
        "TICKs for which a stop that found nothing is tried again."),
    LATER_ENUM(struct rules, strict_position_side, "strictPositionSide", switch_names,
        "LONG and SHORT in a request are refused."),
    LATER_ENUM(struct rules, bracket_mode, "bracketMode", bracket_names, "When the children of a bracket wake."),
    LATER_ENUM(struct rules, dms_keeps_stops, "dmsKeepsProtectiveStops", switch_names,
        "A scheduled cancel leaves reduce-only stops."),
    LATER_ENUM(struct rules, adl_mode, "adlMode", adl_names, "How positions on the other side are chosen."),
    LATER(struct rules, oracle_quorum,            "oracleQuorum",           "Feeders needed for an index."),
    LATER(struct rules, oracle_stale_ms,          "oracleStaleMs",          "How long a post counts."),
    LATER(struct rules, oracle_jump_ratio,        "oracleJumpRatio",        "Move of the index that is held back."),
    LATER(struct rules, liquidation_buffer, "liqBuffer", "Share above maintenance that a liquidation restores."),
    LATER(struct rules, liquidation_slippage,     "liqSlippage",            "Bound of a liquidation in the book."),
    LATER(struct rules, fund_loss_ratio, "ifMaxLoss",
        "Share of the insurance fund that a symbol may cost in a UTC day."),
    LATER(struct rules, fund_total_ratio, "ifMaxLossTotal",
        "Share of the insurance fund that all symbols together may cost in a UTC day."),
    LATER(struct rules, settlement_notice_ms, "settlementNoticeMs",
        "Least time between the announcement of a settlement and its instant."),
    LATER(struct rules, settlement_window_ms, "settlementWindowMs", "How long the index is averaged for a settlement."),
    LATER(struct rules, settlements_per_tick, "maxSettlementsPerTick",
        "Orders and pairs of positions that one TICK settles; the rest continues in the next."),
    LATER(struct rules, liquidation_fee, "liqFeeRate",
        "Of what a liquidation trades in the book, to the insurance fund."),
    LATER(struct rules, fund_fee_share, "ifFeeShare", "Of the perps fees, to the insurance fund."),
    LATER(struct rules, oracle_jump_ticks, "oracleJumpTicks",
        "TICKs in a row that agree on a jump before it is believed; 0 = 3."),
    LATER(struct rules, mark_average_ticks, "markAverageTicks", "Time constant of the mark's average; 0 = 150."),
    LATER(struct rules, premium_sample_ms, "premiumSampleMs", "Time between two samples of the premium; 0 = 5000."),
    LATER(struct rules, take_over_part, "takeOverPart",
        "Below takeOverPart / takeOverWhole of the maintenance margin the fund takes over; 0 and 0 = 2 and 3."),
    LATER(struct rules, take_over_whole,          "takeOverWhole",          "See takeOverPart."),
};
/* clang-format on */
static SHAPE(rules_shape, struct rules, "Rules", rules_rows, NULL, "Rules that are settings.");

/* clang-format off */
static const struct field limits_rows[] = {
    ROW(struct limits, accounts, "accounts", "Accounts of users."),
    ROW(struct limits, orders,   "orders",   "Open orders."),
    ROW(struct limits, levels,   "levels",   "Prices with orders, over all books."),
    ROW(struct limits, signers,  "signers",  "Nonce sets."),
    ROW(struct limits, deposits, "deposits", "Ids of operators remembered."),
    FIELD(struct limits, keys,      "keys",      OPTIONAL, "Addresses that are or were API keys."),
    FIELD(struct limits, transfers, "transfers", OPTIONAL, "Transfer ids remembered."),
    FIELD(struct limits, burnt_ids, "clientIds", OPTIONAL,
        "With clOrdIDReuse = filled: client ids that are spent or open."),
    LATER(struct limits, positions, "positions", "Perps positions."),
};
/* clang-format on */
static SHAPE(limits_shape, struct limits, "Limits", limits_rows, NULL, "Pool sizes.");

static const struct field account_rows[] = {
    ROW(struct genesis_account, owner, "owner", "Address of the wallet."),
    FIELD_ITEMS(struct genesis_account, spot, spot_count, "spot", REQUIRED, COINS_MAX, &one_shape,
                "Opening balances; the index is the coin id."),
    FIELD(struct genesis_account, perps, "perps", OPTIONAL, "Opening balance of the perps wallet."),
};
static SHAPE(account_shape, struct genesis_account, "GenesisAccount", account_rows, NULL,
             "An account that exists from the start.");

/* clang-format off */
static const struct field genesis_rows[] = {
    ROW(struct genesis, chain_ids[0], "chainID", "The node's own chain id."),
    FIELD(struct genesis, chain_ids[1], "chainID2", OPTIONAL, "A second one that is accepted."),
    FIELD(struct genesis, chain_ids[2], "chainID3", OPTIONAL, "A third one."),
    FIELD(struct genesis, chain_ids[3], "chainID4", OPTIONAL, "A fourth one."),
    ROW(struct genesis, time_ms,      "time",         "Creation, Unix milliseconds."),
    ROW(struct genesis, development,  "development",  "1 for dojima dev."),
    FIELD_OBJECT(struct genesis, limits,    "limits",    REQUIRED, &limits_shape,    "Pool sizes."),
    FIELD_OBJECT(struct genesis, rules,     "rules",     REQUIRED, &rules_shape,     "Rules that are settings."),
    FIELD_OBJECT(struct genesis, spot_fees, "spotFees",  REQUIRED, &fee_table_shape, "Fees of the spot market."),
    FIELD_OBJECT(struct genesis, perps_fees, "perpsFees", OPTIONAL, &fee_table_shape, "Fees of the perps market."),
    FIELD_ITEMS(struct genesis, coins, coin_count, "coins", REQUIRED, COINS_MAX, &genesis_coin_shape, "Coins by id."),
    FIELD_ITEMS(struct genesis, spot, spot_count, "spot", REQUIRED, SYMBOLS_MAX, &genesis_symbol_shape,
        "Spot symbols by id."),
    FIELD_ITEMS(struct genesis, perps, perps_count, "perps", OPTIONAL, PERPS_MAX, &genesis_symbol_shape,
        "Perps symbols by id."),
    FIELD_ITEMS(struct genesis, contracts, perps_count, "contracts", OPTIONAL, PERPS_MAX, &contract_shape,
        "One for each perps symbol, in the same order."),
    FIELD_ITEMS(struct genesis, feeders, feeder_count, "feeders", OPTIONAL, FEEDERS_MAX, &feeder_shape,
        "Who may post index prices."),
    LATER(struct genesis, prices_by_hand, "pricesByHand",
        "1: development, the reference prices count as index prices set by hand."),
    LATER(struct genesis, backfill_minutes, "backfillMinutes",
        "Development: bars of so many minutes before the creation are synthesized."),
    LATER(struct genesis, backfill_seed, "backfillSeed", "What they are drawn from."),
    LATER(struct genesis, table_secret[0], "tableSecret",
        "Random, never published: without it nobody can choose client ids or addresses that share a place of a table."),
    LATER(struct genesis, table_secret[1], "tableSecret2", "The same, its other half."),
    LATER(struct genesis, fund, "fund", "Opening wallet of the insurance fund."),
    FIELD_ITEMS(struct genesis, accounts, account_count, "accounts", REQUIRED, GENESIS_ACCOUNTS_MAX, &account_shape,
        "First accounts, ids from 1001."),
};
/* clang-format on */
SHAPE(genesis_shape, struct genesis, "Genesis", genesis_rows, NULL, "What the exchange is before its first command.");
