/* SPDX-License-Identifier: MIT */
/* config_rows.c — the rows of the configuration file, its sections, and the text of --help. */
#include "app/config_inside.h"

#include <stdio.h>

static const struct enum_name switch_names[] = { { 0, "off" }, { 1, "on" }, { 0, NULL } };
static const struct enum_name signature_names[] = { { SIGNATURES_LANES, "lanes" },
                                                    { SIGNATURES_LIBRARY, "library" },
                                                    { 0, NULL } };
static const struct enum_name compat_names[] = { { 0, "typed" }, { 1, "legacy" }, { 0, NULL } };
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

static const struct enum_name header_names[] = { { FORWARDED_X_FOR, "X-Forwarded-For" },
                                                 { FORWARDED_RFC7239, "Forwarded" },
                                                 { 0, NULL } };

#define C(member) offsetof(struct config, member)
#define G(member) offsetof(struct config, genesis.member)
/* clang-format off */
static const struct setting server_settings[] = {
    { "listen", SET_ADDRESS, 0, 0, 0, "127.0.0.1:8080", NULL, "Address and port; port 0 picks a free one." },
    { "data", SET_TEXT, C(data), 0, sizeof(((struct config *)0)->data), NULL, NULL,
      "Folder of the log and the history; made when absent." },
    { "adminSocket", SET_TEXT, C(admin_socket), 0, sizeof(((struct config *)0)->admin_socket), "admin.sock", NULL,
      "The administration socket, in the data folder when it begins with no slash; elsewhere for a folder on a file "
      "system without sockets, or with a path over 107 bytes." },
    { "chainIds", SET_CHAIN_IDS, 0, 0, 0, NULL, NULL,
      "EIP-712 chain ids that are accepted, the node's own first; at most 4." },
    { "allowPublicChainIds", SET_ENUM, C(allow_public_chain_ids), 0, 0, "off", switch_names,
      "286623 and 138565 may be among them, although such a signature is valid on the public venue too." },
    { "ioThreads", SET_U32, C(io_threads), 1, 16, "1", NULL,
      "Threads that serve connections and recover signatures; fewer than cores for the shortest latency." },
    { "signatures", SET_ENUM, C(signatures), 0, 0, "lanes", signature_names,
      "lanes: signers are recovered eight at once where the processor can, and a thread checks each accepted signature "
      "again with libsecp256k1; library: by libsecp256k1 alone, once." },
    { "busyPollMicros", SET_U32, C(busy_poll_us), 0, 100000, "300", NULL,
      "For how long such a thread looks again and again for the reply to a write before it sleeps, where there are "
      "more cores than such threads; 0 = it sleeps at once." },
    { "connections",             SET_U32,       C(connections), 1, 60000, "8192", NULL, "Connections at once." },
    { "connectionsPerAddress", SET_U32, C(connections_per_address), 1, 60000, "256", NULL,
      "Of these from one address, or one /64 of IPv6. A trusted proxy may have any number: behind it the streams and "
      "unfinished requests of each client are counted." },
    { "sendBufferKiB", SET_U32, C(send_kib), 16, 65536, "256", NULL,
      "SO_SNDBUF of a connection: the kernel buffer for unread answers; a client that reads less than that "
      "in 10 s is reset." },
    { "receiveBufferKiB", SET_U32, C(receive_kib), 16, 65536, "64", NULL,
      "SO_RCVBUF of a connection: the kernel buffer for requests that are not read yet." },
    { "metrics", SET_PROXIES, C(metrics), 0, 0, "127.0.0.0/8, ::1", NULL,
      "Addresses and ADDRESS/BITS that may read /metrics; empty: none." },
    { "terminal", SET_ENUM, C(terminal), 0, 0, "off", switch_names,
      "The terminal for browsers is served at /, /trade/SYMBOL and /docs (docs/terminal.md)." },
    { "terminalFolder", SET_TEXT, C(terminal_folder), 0, sizeof(((struct config *)0)->terminal_folder), "", NULL,
      "Folder of its built files; when empty those in the program, or the folder terminal beside the program, or "
      "../share/dojima/terminal from there." },
    { "segmentMiB", SET_U32, C(segment_mib), 4, 4096, "64", NULL, "Bytes of a file of the log, in MiB." },
    { "strictTail", SET_ENUM, C(strict_tail), 0, 0, "off", switch_names,
      "Refuse to start even on a tail that looks torn." },
    { "shadow", SET_ENUM, C(shadow), 0, 0, "off", switch_names,
      "A second process follows the log, compares, and writes snapshots from which the next start continues; it needs "
      "as much memory again." },
    { "shadowStops", SET_ENUM, C(shadow_stops), 0, 0, "off", switch_names,
      "A difference between the two stops the exchange (exit code 70) instead of only raising the alarm." },
    { "snapshotSeconds", SET_U32, C(snapshot_seconds), 1, 86400, "300", NULL,
      "A snapshot so long after the last one, when anything happened." },
    { "snapshotCommands", SET_U32, C(snapshot_commands), 1, 4000000000, "1000000", NULL,
      "Or so many commands after it." },
    { "archiveSegments", SET_ENUM, C(archive_segments), 0, 0, "on", switch_names,
      "Files of the log that both snapshots have behind them are compressed." },
    { "auditSeconds", SET_U32, C(audit_seconds), 0, 86400, "60", NULL,
      "How often the number and hash of the newest block go to audit.log, when there is another one; 0 = never." },
    { "sandbox", SET_ENUM, C(sandbox), 0, 0, "on", switch_names,
      "Once it has started, only the system calls that an exchange needs (seccomp)." },
    { "touchMemory", SET_ENUM, C(touch_memory), 0, 0, "off", switch_names,
      "Buffers and rings too take their memory at the start, as the pools of accounts, orders and so on do: the "
      "process stays as large as it is then." },
    { "rpcTxCompat", SET_ENUM, C(rpc_tx_compat), 0, 0, "typed", compat_names,
      "How /rpc tells transactions: typed (0x53, hashes can be recomputed) or legacy (0x0), for clients that refuse "
      "types they do not know." },
    { "strictKeyHeader", SET_ENUM, C(strict_key_header), 0, 0, "off", switch_names,
      "A signed action without the header X-API-Key is refused; its value is default when the main wallet signs." },
    { "strictDecimals", SET_ENUM, C(strict_decimals), 0, 0, "off", switch_names,
      "A signed request is refused when a decimal in it has zeros at its end behind the point, as \"0.4500\"." },
    { "bootstrap", SET_ENUM, C(bootstrap), 0, 0, "off", switch_names,
      "There are perps markets and no feeders, and that is meant: a symbol's index is then its spot book's, and one "
      "without a spot market opens nothing." },
    { "stpScope", SET_ENUM, G(rules.stp_scope), 0, 0, "ACCOUNT", stp_names, "Who counts as oneself in a self-trade." },
    { "clOrdIDReuse", SET_ENUM, G(rules.client_id_reuse), 0, 0, "finished", reuse_names,
      "When a clOrdID is free again." },
    { "replaceKeepsPlace", SET_ENUM, G(rules.replace_keeps_place), 0, 0, "on", switch_names,
      "A pure decrease keeps its place in the queue." },
    { "nonceFloorWhenFull", SET_ENUM, G(rules.nonce_floor_when_full), 0, 0, "off", switch_names,
      "\"Above the smallest\" counts only once 100 nonces are stored." },
    { "openOrdersPerAccount", SET_U32, G(rules.open_orders_per_account), 0, 1000000, "1000", NULL, "0 = no limit." },
    { "scheduleTriggersPerDay", SET_U32, G(rules.schedule_triggers_per_day), 0, 1000, "10", NULL,
      "Scheduled cancels that may fire in a UTC day." },
    { "accounts", SET_U32, G(limits.accounts), 1, 100000000, "100000", NULL, "Room for accounts." },
    { "orders", SET_U32, G(limits.orders), 1, 100000000, "1000000", NULL, "Room for open orders." },
    { "levels", SET_U32, G(limits.levels), 1, 100000000, "1000000", NULL,
      "Room for prices with orders, over all books." },
    { "signers", SET_U32, G(limits.signers), 1, 100000000, "300000", NULL,
      "Room for nonce sets of API keys, three for each; those of accounts are reserved with them." },
    { "deposits", SET_U32, G(limits.deposits), 1, 100000000, "1000000", NULL,
      "Ids of operators' deposits and redemptions remembered." },
    { "keys", SET_U32, G(limits.keys), 0, 100000000, "100000", NULL, "Room for addresses that are or were API keys." },
    { "clientIds", SET_U32, G(limits.burnt_ids), 1, 100000000, "10000000", NULL,
      "With clOrdIDReuse = filled: client ids that are spent or open." },
    { "transfers", SET_U32, G(limits.transfers), 0, 100000000, "1000000", NULL,
      "Transfer ids remembered, at most 1024 per account and side." },
};
/* clang-format on */

#define L(member) offsetof(struct config, limits.member)
/* clang-format off */
static const struct setting limit_settings[] = {
    { "weightPerMinute", SET_U32, L(weight_per_minute), 0, MINUTE_LIMIT_MAX, "1200", NULL,
      "Request weight of an address in a rolling minute; 0 = no limit." },
    { "addresses", SET_U32, L(addresses), 1, 1 << 24, "65536", NULL,
      "Addresses counted at once, 170 bytes each; more are refused until a minute of one of them is over." },
    { "trustedProxies", SET_PROXIES, L(proxies), 0, 0, "", NULL,
      "Addresses and ADDRESS/BITS of proxies that are trusted about the client." },
    { "forwardedHeader", SET_ENUM, L(proxies.header), 0, 0, "X-Forwarded-For", header_names,
      "The header in which they give it; the other one is ignored." },
    { "ordersPerMinute", SET_U32, L(orders_per_minute), 0, MINUTE_LIMIT_MAX, "0", NULL,
      "New orders of an account and key in a rolling minute; 0 = no limit." },
    { "keyRequestsPerMinute", SET_U32, L(key_per_minute), 1, 1000000, "20", NULL,
      "Requests of an API key in a minute." },
    { "keyRequestsPerMonth", SET_U32, L(key_per_month), 1, 1000000000, "100000", NULL,
      "Requests of an API key in a UTC calendar month." },
    { "keyLimitSpot", SET_ENUM, L(key_groups[GROUP_SPOT]), 0, 0, "off", switch_names,
      "These two hold for signed spot requests." },
    { "keyLimitPerps", SET_ENUM, L(key_groups[GROUP_PERPS]), 0, 0, "off", switch_names,
      "These two hold for signed perps requests." },
    { "keyLimitRpc", SET_ENUM, L(key_groups[GROUP_RPC]), 0, 0, "on", switch_names,
      "These two hold for requests to /rpc that name a key, per address and name." },
    { "keys",                 SET_U32,     L(keys), 1, 1 << 24, "65536", NULL, "API keys counted at once." },
};
/* clang-format on */

#define N(member) offsetof(struct config, cluster.member)
/* clang-format off */
static const struct setting log_settings[] = {
    { "url", SET_TEXT, N(log_url), 0, sizeof(((struct config *)0)->cluster.log_url), "", NULL,
      "postgres://… of the database that holds the log, prepared by dojima init-log; without it the log is files in "
      "the data folder. Several nodes may name the same." },
    { "quorum", SET_ENUM, N(quorum), 0, 0, "on", switch_names,
      "Refuse a database that confirms a commit before a standby has it; off is for a single database." },
};

static const struct setting cluster_settings[] = {
    { "node", SET_TEXT, N(node), 0, sizeof(((struct config *)0)->cluster.node), "", NULL,
      "With [log] url: this node's name, another one on each node." },
    { "url", SET_TEXT, N(url), 0, sizeof(((struct config *)0)->cluster.url), "", NULL,
      "With [log] url: where the other nodes reach this one, http://HOST:PORT; they forward writes to it while it "
      "leads." },
    { "leaseMs", SET_U32, N(lease_ms), 200, 60000, "1000", NULL,
      "For how long a leader is one without renewing; then another node takes over." },
    { "candidate", SET_ENUM, N(candidate), 0, 0, "on", switch_names,
      "Whether this node may lead; off: it only reads." },
    { "compareBlocks", SET_U32, N(compare_blocks), 0, 1000000000, "100000", NULL,
      "Nodes compare the hashes of their states each so many blocks; 0 = never." },
    { "secret", SET_TEXT, N(secret), 0, sizeof(((struct config *)0)->cluster.secret), "", NULL,
      "A file with the word by which nodes know each other's forwarded requests, the same on all." },
    { "waitMs", SET_U32, N(wait_ms), 0, 10000, "50", NULL,
      "How long a read with X-Dojima-Min-Seq waits for that command before it is answered 503." },
};
/* clang-format on */

static const struct setting coin_settings[] = {
    { "precision", SET_U32, offsetof(struct coin, precision), 0, 8, NULL, NULL, "Decimals of an amount." },
};

#define S(member) offsetof(struct symbol, member)
/* Keys of a market of either side. Coins and precisions come first: later rows are read in their units. */
/* clang-format off */
#define MARKET_ROWS(MAKER, TAKER, REFERENCE) \
    { "pricePrecision",        SET_U32,      S(price_precision), 0, 18, NULL, NULL, "Decimals of a price." }, \
    { "quantityPrecision",     SET_U32,      S(quantity_precision), 0, 18, NULL, NULL, "Decimals of a quantity." }, \
    { "status",                SET_ENUM,     S(status), 0, 0, "TRADING", symbol_status_names, "TRADING or HALT." }, \
    { "tickSize",              SET_PRICE,    S(tick_size), 0, 0, NULL, NULL, "Price step." }, \
    { "minPrice",              SET_PRICE,    S(min_price), 0, 0, "0", NULL, "0 = no bound." }, \
    { "maxPrice",              SET_PRICE,    S(max_price), 0, 0, "0", NULL, "0 = no bound." }, \
    { "stepSize",              SET_QUANTITY, S(step_size), 0, 0, NULL, NULL, "Quantity step." }, \
    { "minQuantity",           SET_QUANTITY, S(min_quantity), 0, 0, "0", NULL, "Of any order; 0 = no bound." }, \
    { "maxQuantity",           SET_QUANTITY, S(max_quantity), 0, 0, "0", NULL, "Of any order; 0 = no bound." }, \
    { "marketMinQuantity", SET_QUANTITY, S(market_min_quantity), 0, 0, "0", NULL, \
      "Of a market order besides; 0 = no bound." }, \
    { "marketMaxQuantity", SET_QUANTITY, S(market_max_quantity), 0, 0, "0", NULL, \
      "Of a market order besides; 0 = no bound." }, \
    { "minNotional", SET_VALUE, S(min_notional), 0, 0, "0", NULL, "Order value in the quote coin; 0 = no bound." }, \
    { "maxNotional", SET_VALUE, S(max_notional), 0, 0, "0", NULL, "Order value in the quote coin; 0 = no bound." }, \
    { "buyLimitUpRatio", SET_RATE, S(buy_limit_up_ratio), 0, 0, "0.05", NULL, \
      "Band of limit buys above the reference: the last trade, of perps the mark." }, \
    { "sellLimitDownRatio", SET_RATE, S(sell_limit_down_ratio), 0, 0, "0.05", NULL, "Band of limit sells below it." }, \
    { "marketDeviationRatio", SET_RATE, S(market_deviation_ratio), 0, 0, "0.01", NULL, \
      "Slippage bound of market orders." }, \
    { "makerFee",              SET_RATE,     S(maker_fee), 0, 0, MAKER, NULL, "Rate of the resting side, tier 0." }, \
    { "takerFee",              SET_RATE,     S(taker_fee), 0, 0, TAKER, NULL, "Rate of the taking side, tier 0." }, \
    { "feeDiscount",           SET_RATE,     S(fee_discount), 0, 0, "0", NULL, "Discount on positive rates." }, \
    { "listingReferencePrice", SET_PRICE, S(reference_price), 0, 0, REFERENCE, NULL, \
      "Stands for the price before there is one; of a spot market 0 = none." }
/* clang-format on */

/* clang-format off */
static const struct setting market_settings[] = {
    { "displayName", SET_NAME, S(display_name), 0, 0, "", NULL,
      "Name for people; the section's name when it is not given." },
    { "baseCoin",              SET_COIN,     S(base_coin_id), 0, 0, NULL, NULL, "Coin that is traded." },
    { "quoteCoin",             SET_COIN,     S(quote_coin_id), 0, 0, NULL, NULL, "Coin it is paid in." },
    MARKET_ROWS("0.00035", "0.00065", "0"),
};
/* clang-format on */

#define P(member) offsetof(struct perps_section, contract.member)
/* clang-format off */
static const struct setting perps_settings[] = {
    { "displayName", SET_NAME, S(display_name), 0, 0, "", NULL,
      "Name for people; the section's name when it is not given." },
    { "baseCoin", SET_NAME, P(base), 0, 0, NULL, NULL,
      "What is traded: a name only. It is paid and margined in the first coin." },
    MARKET_ROWS("0.00012", "0.0004", NULL),
    { "marginTiers", SET_MARGIN_TIERS, offsetof(struct perps_section, contract), 0, 0, NULL, NULL,
      "maxNotional:maxLeverage of each tier, ascending; maintenance rate is 1 / (2 * maxLeverage)." },
    { "initLeverage", SET_U32, P(init_leverage), 1, LEVERAGE_MAX, "10", NULL,
      "Leverage of an account that never chose one." },
    { "openInterestCap", SET_QUANTITY, P(open_interest_cap), 0, 0, "0", NULL,
      "Open interest in base units; 0 = no cap." },
    { "openInterestCapUSD", SET_MARGIN, P(open_interest_cap_value), 0, 0, "0", NULL,
      "Open interest valued at mark; 0 = no cap." },
    { "interestRate", SET_RATE, P(interest_rate), 0, 0, "0.0001", NULL,
      "Interest part of the funding rate, per 8 hours." },
    { "fundingClamp", SET_RATE, P(funding_clamp), 0, 0, "0.0005", NULL,
      "How far the interest moves the premium, per 8 hours; 0 = 0.0005." },
    { "maxFundingRate", SET_RATE, P(max_funding), 0, 0, "0", NULL,
      "Cap of an hour's funding; 0 = the smaller of 0.04 and half the first maintenance rate." },
    { "minFundingRate", SET_RATE, P(min_funding), 0, 0, "0", NULL,
      "Floor of an hour's funding; 0 = the cap below zero." },
    { "markStepCap", SET_RATE, P(mark_step_cap), 0, 0, "0", NULL,
      "How far the mark moves in a second; 0 = half the first maintenance rate, and no more (no-gap envelope)." },
    { "markBand", SET_RATE, P(mark_band), 0, 0, "0", NULL,
      "How far the mark may be from the index; 0 = 1 / maxLeverage of the first tier." },
    { "impactNotional", SET_MARGIN, P(impact_notional), 0, 0, "0", NULL,
      "Depth at which the premium is sampled; 0 = 200 times the first maxLeverage." },
    { "spotMarket", SET_SPOT, P(spot_symbol_id), 0, 0, "", NULL,
      "Spot market whose book replaces silent feeders; none by default." },
    { "spotImpactNotional", SET_MARGIN, P(spot_impact_notional), 0, 0, "10000", NULL,
      "Depth its book must have on both sides, within 2 %." },
    { "ifMaxInventory", SET_MARGIN, P(fund_max_inventory), 0, 0, "0", NULL,
      "Notional that the insurance fund may hold of it; 0 = 2 % of openInterestCapUSD, without one of openInterestCap "
      "at mark, without either no bound." },
};
/* clang-format on */

static const struct setting feeder_settings[] = {
    { "weight", SET_U32, offsetof(struct feeder, weight), 1, FEEDER_WEIGHT_MAX, "1", NULL,
      "Its weight in the median." },
};

static const struct setting operator_settings[] = {
    { "name", SET_NAME, offsetof(struct operator_key, name), 0, 0, "", NULL, "Whose key it is, for the audit log." },
};

/* Part of the log only where there are perps markets. */
/* clang-format off */
static const struct setting venue_settings[] = {
    { "positions", SET_U32, G(limits.positions), 1, 100000000, "100000", NULL, "Room for perps positions." },
    { "fund", SET_MARGIN, G(fund), 0, 0, "1000000", NULL, "What the insurance fund begins with, in the first coin." },
    { "armedStopsPerAccount", SET_U32, G(rules.armed_stops_per_account), 0, 1000000, "100", NULL,
      "Stops of an account that wait; 0 = no limit." },
    { "maxTriggersPerCommand", SET_U32, G(rules.triggers_per_command), 1, 1 << 20, "10000", NULL,
      "Stops that one command fires; the rest continues in the next TICK." },
    { "maxLiquidationsPerTick", SET_U32, G(rules.liquidations_per_tick), 1, 100000000, "1000", NULL,
      "Risk units that one TICK liquidates; the rest continues in the next." },
    { "stopRetryTicks", SET_U32, G(rules.stop_retry_ticks), 0, 255, "60", NULL,
      "TICKs for which a stop that found nothing is tried again." },
    { "strictPositionSide", SET_ENUM, G(rules.strict_position_side), 0, 0, "off", switch_names,
      "LONG and SHORT in a request are refused instead of understood." },
    { "bracketMode", SET_ENUM, G(rules.bracket_mode), 0, 0, "PROTECT", bracket_names,
      "PROTECT: children wake with the parent's first fill; ANCHOR: with the last, and they go with a parent that is "
      "cancelled before." },
    { "dmsKeepsProtectiveStops", SET_ENUM, G(rules.dms_keeps_stops), 0, 0, "off", switch_names,
      "A scheduled cancel leaves reduce-only stops." },
    { "adlMode", SET_ENUM, G(rules.adl_mode), 0, 0, "FIFTHS", adl_names,
      "FIFTHS: shared pro rata inside a fifth of the ranking; QUEUE: one after the other." },
    { "oracleQuorum", SET_U32, G(rules.oracle_quorum), 1, FEEDERS_MAX, "1", NULL,
      "Feeders needed for an index; in production 3 or more." },
    { "oracleStaleMs", SET_U32, G(rules.oracle_stale_ms), 1000, 86400000, "60000", NULL, "How long a post counts." },
    { "oracleJumpRatio", SET_RATE, G(rules.oracle_jump_ratio), 0, 0, "0.1", NULL,
      "A larger move of the index is held back until oracleJumpTicks TICKs in a row agree on it." },
    { "oracleJumpTicks", SET_U32, G(rules.oracle_jump_ticks), 1, JUMP_TICKS_MAX, "3", NULL,
      "How many TICKs in a row must agree on a jump of the index." },
    { "markAverageTicks", SET_U32, G(rules.mark_average_ticks), 1, AVERAGE_TICKS_MAX, "150", NULL,
      "Time constant, in TICKs of a second, of the average that the mark follows the book with." },
    { "premiumSampleMs", SET_U32, G(rules.premium_sample_ms), 1000, (uint32_t)FUNDING_HOUR_MS, "5000", NULL,
      "Time between two samples of the premium that make the funding rate." },
    { "liqBuffer", SET_RATE, G(rules.liquidation_buffer), 0, 0, "0.1", NULL,
      "Share above the maintenance margin that a liquidation restores." },
    { "liqSlippage", SET_RATE, G(rules.liquidation_slippage), 0, 0, "0.02", NULL,
      "How far from the mark a liquidation sells." },
    { "liqFeeRate", SET_RATE, G(rules.liquidation_fee), 0, 0, "0", NULL,
      "Of what a liquidation trades in the book, to the insurance fund; never more than the unit has left." },
    { "takeOverThreshold", SET_PART, G(rules.take_over_part), 0, TAKE_OVER_WHOLE_MAX, "2/3", NULL,
      "Of its maintenance margin: below that, the part that the book did not take goes to the insurance fund." },
    { "ifFeeShare", SET_RATE, G(rules.fund_fee_share), 0, 0, "0", NULL,
      "Of the perps fees, less rebates, to the insurance fund." },
    { "ifMaxLoss", SET_RATE, G(rules.fund_loss_ratio), 0, 0, "0.2", NULL,
      "Share of the insurance fund, as it is at the day's first TICK, that a symbol may cost in a UTC day." },
    { "ifMaxLossTotal", SET_RATE, G(rules.fund_total_ratio), 0, 0, "0.2", NULL,
      "Share of the insurance fund, as it is at the day's first TICK, that all symbols together may cost in a "
      "UTC day." },
    { "settlementNoticeMs", SET_U32, G(rules.settlement_notice_ms), 1000, 4000000000, "86400000", NULL,
      "Least time between the announcement of a settlement and its instant." },
    { "settlementWindowMs", SET_U32, G(rules.settlement_window_ms), 1000, 86400000, "3600000", NULL,
      "How long the index is averaged for a settlement; whole seconds, at most the notice." },
    { "maxSettlementsPerTick", SET_U32, G(rules.settlements_per_tick), 1, 100000000, "2000", NULL,
      "Orders and pairs of positions that one TICK settles; the rest continues in the next." },
};
/* clang-format on */

/* clang-format off */
#define FEES(TIERS) \
    { "tiers", SET_TIERS, 0, 0, 0, TIERS, NULL, \
      "14-day volume:maker rate:taker rate of each tier, ascending from 0." }, \
    { "stakingDiscounts", SET_DISCOUNTS, 0, 0, 0, "0, 0.05, 0.1, 0.2", NULL, "Discount of each staking tier." }, \
    { "makerRebates", SET_REBATES, 0, 0, 0, "0:0, 0.01:-0.00002, 0.03:-0.00004", NULL, \
      "Share of maker volume:maker rate of each rebate tier; rate 0 = none." }
/* clang-format on */
static const struct setting fee_settings[] = {
    FEES("0:0.00035:0.00065, 5000000:0.0003:0.0006, 25000000:0.00025:0.0005, 100000000:0.00015:0.0004, "
         "500000000:0.0001:0.0003"),
};
static const struct setting perps_fee_settings[] = {
    FEES("0:0.00012:0.0004, 5000000:0.0001:0.00035, 25000000:0.00008:0.0003, 100000000:0.00004:0.00025, "
         "500000000:0:0.0002"),
};

/* clang-format off */
const struct section config_sections[] = {        /* in the order of enum section_at */
    { "dojima", "[dojima]", "The server.", server_settings, ARRAY_COUNT(server_settings) },
    { "dojima", "[dojima]", "More of it where there are perps markets.", venue_settings, ARRAY_COUNT(venue_settings) },
    { "limits", "[limits]", "How often clients may ask; none of it is part of the log.", limit_settings,
      ARRAY_COUNT(limit_settings) },
    { "log", "[log]", "Where the log is.", log_settings, ARRAY_COUNT(log_settings) },
    { "cluster", "[cluster]", "Several nodes with one log (docs/cluster.md); none of it is part of the log.",
      cluster_settings, ARRAY_COUNT(cluster_settings) },
    { "coin", "[coin NAME]", "A coin; ids count from 0 in their order. With the key faucet, an amount, dojima faucet "
      "gives it away.", coin_settings, ARRAY_COUNT(coin_settings) },
    { "market", "[market NAME]", "A spot market; ids count from 1.", market_settings, ARRAY_COUNT(market_settings) },
    { "perps", "[perps NAME]", "A perps market; ids count from 1.", perps_settings, ARRAY_COUNT(perps_settings) },
    { "feeder", "[feeder 0xADDRESS]", "Who may post index prices (POST /api/v1/oracle).", feeder_settings,
      ARRAY_COUNT(feeder_settings) },
    { "operator", "[operator 0xADDRESS]", "At most 8. With any, each operator command needs a signature of one of "
      "these keys besides (dojima deposit --digest); none of it is part of the log.", operator_settings,
      ARRAY_COUNT(operator_settings) },
    { "fees", "[fees spot]", "Fee tables; all rates as fractions.", fee_settings, ARRAY_COUNT(fee_settings) },
    { "fees", "[fees perps]", "The same for perps.", perps_fee_settings, ARRAY_COUNT(perps_fee_settings) },
    { "account", "[account 0xADDRESS]", "An account that exists from the start; each coin's name is a key, its value "
      "the balance; perps is that of the perps wallet.", NULL, 0 },
};
/* clang-format on */

void config_print_help(void)
{
    for (uint32_t i = 0; i < SECTIONS; i++) {
        (void)printf("\n%s  %s\n", config_sections[i].header, config_sections[i].doc);
        for (uint32_t k = 0; k < config_sections[i].count; k++) {
            const struct setting *row = &config_sections[i].rows[k];
            (void)printf("  %-23s %s ", row->key, row->doc);
            if (row->standard == NULL) (void)printf("Required.\n");
            else if (row->standard[0] == '\0') (void)printf("\n");
            else (void)printf("Default %s.\n", row->standard);
        }
    }
}
