/* SPDX-License-Identifier: MIT */
/* shapes_operator.c — the params of operator commands (rulings 30, 49; mechanics 7). */
#include "model/operator.h"
#include "model/genesis.h"

#include "model/rejects.h"

static const struct enum_name engine_names[] = { { MARKET_SPOT, "spot" }, { MARKET_PERPS, "perps" }, { 0, NULL } };

/* The EVM ledger is no side of the exchange; enum rpc_place has the same number. */
static const struct enum_name place_names[] = {
    { MARKET_SPOT, "spot" }, { MARKET_PERPS, "perps" }, { 3, "evm" }, { 0, NULL }
};

static bool is_text(struct slice text, size_t max)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] < ' ' || text.at[i] > '~') return false;
    return text.len >= 1 && text.len <= max;
}

static uint16_t check_id(const void *self)
{
    const struct operator_request *request = self;

    return is_text(request->id, OPERATOR_ID_MAX) ? REJECT_NONE : REJECT_BAD_OPERATOR_ID;
}

static uint16_t check_redeem(const void *self)
{
    const struct operator_request *redeem = self;

    if (redeem->tx.len != 0 && !is_text(redeem->tx, OPERATOR_TX_MAX)) return REJECT_BAD_OPERATOR_TX;
    return check_id(redeem);
}

static uint16_t check_rpc_deposit(const void *self)
{
    const struct operator_request *deposit = self;

    return deposit->id.len == 0 ? REJECT_NONE : check_id(deposit);
}

/* A member of the payload as it is read; an enumeration by its name; a value that is looked up for a member. */
#define AS_READ(member, key, presence, doc) FIELD(struct operator_request, member, key, presence, doc)
#define BY_NAME(member, key, presence, names, doc)                                                                     \
    FIELD_ENUM(struct operator_request, member, key, presence, FLAG_ENUM_NAME, names, doc)
#define LOOKED_UP(how, member, payload, into, key, presence, doc)                                                      \
    {                                                                                                                  \
        key, KIND_OF(struct operator_request, member), presence, 0, offsetof(struct operator_request, member), 0, 0,   \
            NULL, NULL, doc, LOOKUP_##how, offsetof(struct payload, into)                                              \
    }
#define ID_DOC                "The operator's id: the same again changes nothing."
#define ID(payload)           LOOKED_UP(ID, id, payload, id, "id", REQUIRED, ID_DOC)
#define COIN(payload, into)   LOOKED_UP(COIN, coin, payload, into, "coin", REQUIRED, "The coin's name.")
#define AMOUNT(payload, into) LOOKED_UP(AMOUNT, amount, payload, into, "amount", REQUIRED, "How much, in the coin.")
#define OPERATOR_SHAPE(NAME, wire_name, rows, check, doc)                                                              \
    SHAPE(NAME, struct operator_request, wire_name, rows, check, doc)

/* clang-format off */
static const struct field account_rows[] = {
    ID(open_account),
    AS_READ(open_account.owner, "address", REQUIRED, "Whose account."),
};
OPERATOR_SHAPE(account_request_shape, "AccountRequest", account_rows, check_id,
               "Opens one more account for an address.");

static const struct field deposit_rows[] = {
    ID(deposit),
    AS_READ(deposit.address, "address", REQUIRED, "Who gets it; its first deposit makes its account."),
    BY_NAME(deposit.engine, "engine", REQUIRED, engine_names, "spot or perps."),
    COIN(deposit, coin_id),
    AMOUNT(deposit, amount),
    AS_READ(deposit.account_id, "accountID", OPTIONAL, "One of the address's accounts; its first one when not given."),
};
OPERATOR_SHAPE(deposit_request_shape, "DepositRequest", deposit_rows, check_id, "Money from outside.");

static const struct field rpc_deposit_rows[] = {
    AS_READ(deposit.address, "address", REQUIRED, "Who gets it; its first deposit makes its account."),
    BY_NAME(deposit.engine, "engine", OPTIONAL, engine_names, "spot or perps; spot when not given."),
    COIN(deposit, coin_id),
    AMOUNT(deposit, amount),
    AS_READ(deposit.account_id, "accountID", OPTIONAL, "One of the address's accounts; its first one when not given."),
    LOOKED_UP(ID, id, deposit, id, "id", OPTIONAL, "The same again changes nothing; a fresh one when not given."),
};
OPERATOR_SHAPE(rpc_deposit_shape, "DevelopmentDeposit", rpc_deposit_rows, check_rpc_deposit, "Money from outside.");

static const struct field rpc_balance_rows[] = {
    AS_READ(deposit.address, "address", REQUIRED, "Whose; its primary account."),
    BY_NAME(deposit.engine, "engine", OPTIONAL, place_names, "spot, perps or evm; spot when not given."),
    AS_READ(coin, "coin", REQUIRED, "The coin's name."),
    FIELD_FLAGS(struct operator_request, amount, "amount", REQUIRED, FLAG_ZERO,
                "How much there is afterwards, what orders hold included."),
};
OPERATOR_SHAPE(rpc_balance_shape, "DevelopmentBalance", rpc_balance_rows, NULL, "A balance.");

static const struct field rpc_symbol_rows[] = {
    AS_READ(symbol, "symbol", REQUIRED, "Name of a perps symbol."),
};
OPERATOR_SHAPE(rpc_symbol_shape, "DevelopmentSymbol", rpc_symbol_rows, NULL, "A symbol.");

static const struct field redeem_rows[] = {
    ID(redeem),
    AS_READ(redeem.address, "address", REQUIRED, "Whose EVM ledger is burnt."),
    COIN(redeem, coin_id),
    AMOUNT(redeem, amount),
    AS_READ(tx, "tx", OPTIONAL, "The transaction elsewhere that pays it out."),
};
OPERATOR_SHAPE(redeem_request_shape, "RedeemRequest", redeem_rows, check_redeem, "Money that has left.");

static const struct field advance_rows[] = {
    AS_READ(advance_time.offset_ms, "offset", REQUIRED, "Milliseconds that engine time runs ahead of the clock."),
};
OPERATOR_SHAPE(advance_request_shape, "AdvanceTime", advance_rows, NULL, "Time travel in development.");

static const struct field traders_rows[] = {
    BY_NAME(set_traders.preset, "preset", OPTIONAL, market_preset_names,
            "calm, trend, volatile, crash, thin, empty or none; that of the start when not given."),
    AS_READ(set_traders.pulled, "pulled", OPTIONAL, "Per cent of the makers that have no orders, up to 100."),
    FIELD_FLAGS(struct operator_request, set_traders.takers, "takers", OPTIONAL, FLAG_ZERO,
                "Per cent by which takers come more often; -100 for none."),
    FIELD_FLAGS(struct operator_request, set_traders.drift, "drift", OPTIONAL, FLAG_ZERO,
                "How the indexes rise in an hour, in millionths; below 0 they fall."),
};
OPERATOR_SHAPE(traders_request_shape, "SetTraders", traders_rows, NULL,
               "Development: how the traders of the built-in market behave.");

static const struct field set_index_rows[] = {
    LOOKED_UP(SYMBOL, symbol, set_index, symbol_id, "symbol", REQUIRED, "Name of a perps symbol."),
    LOOKED_UP(PRICE, amount, set_index, price, "price", REQUIRED, "Its index price, at most pricePrecision decimals."),
};
OPERATOR_SHAPE(set_index_request_shape, "SetIndexPrice", set_index_rows, NULL,
               "Development: an index price by hand.");

static const struct field market_rows[] = {
    ID(set_market),
    BY_NAME(set_market.engine, "engine", OPTIONAL, engine_names,
            "spot or perps; when not given the side that has the symbol, spot first."),
    LOOKED_UP(SYMBOL, symbol, set_market, symbol_id, "symbol", REQUIRED, "The symbol's name."),
    BY_NAME(set_market.status, "status", REQUIRED, market_status_names, "TRADING, HALT or, on perps, REDUCE_ONLY."),
};
OPERATOR_SHAPE(market_request_shape, "MarketRequest", market_rows, check_id,
               "Halts a symbol, lets it trade, or lets only orders through that reduce.");

static const struct field settle_rows[] = {
    ID(settle_symbol),
    LOOKED_UP(SYMBOL, symbol, settle_symbol, symbol_id, "symbol", REQUIRED, "Name of a perps symbol."),
    LOOKED_UP(TIME, time, settle_symbol, at_ms, "time", REQUIRED,
              "The instant, Unix ms; at least the venue's notice ahead."),
};
OPERATOR_SHAPE(settle_request_shape, "SettleRequest", settle_rows, check_id,
               "Announces the settlement of a perps symbol.");

static const struct field keep_rows[] = {
    ID(settle_symbol),
    LOOKED_UP(SYMBOL, symbol, settle_symbol, symbol_id, "symbol", REQUIRED, "Name of a perps symbol."),
};
OPERATOR_SHAPE(keep_request_shape, "KeepRequest", keep_rows, check_id, "Withdraws an announcement.");

static const struct field cancel_rows[] = {
    ID(cancel_for),
    BY_NAME(cancel_for.engine, "engine", OPTIONAL, engine_names,
            "spot or perps; both when not given, or the side that has the symbol, spot first."),
    LOOKED_UP(SYMBOL, symbol, cancel_for, symbol_id, "symbol", OPTIONAL, "The symbol's name; all when not given."),
    AS_READ(cancel_for.account_id, "accountID", OPTIONAL, "Whose; everybody's when not given."),
};
OPERATOR_SHAPE(cancel_request_shape, "CancelRequest", cancel_rows, check_id, "Cancels open orders.");

static const struct field staking_rows[] = {
    ID(set_staking),
    AS_READ(set_staking.owner, "address", REQUIRED, "Whose."),
    AS_READ(set_staking.tier, "tier", REQUIRED, "Which row of stakingDiscounts, counted from 0."),
};
OPERATOR_SHAPE(staking_request_shape, "StakingRequest", staking_rows, check_id, "Sets a user's staking tier.");

static const struct field mode_rows[] = {
    ID(set_mode),
    BY_NAME(set_mode.mode, "mode", REQUIRED, venue_mode_names,
            "RUN: the status of each symbol applies. CANCEL_ONLY: all are halted. REDUCE_ONLY: on perps only orders "
            "that reduce."),
};
OPERATOR_SHAPE(mode_request_shape, "ModeRequest", mode_rows, check_id, "Sets the mode of the whole venue.");

const struct enum_name limit_pool_names[] = {
#define X(number, NAME, name, member) { number, name },
    POOLS(X)
#undef X
    { 0, NULL },
};
static const struct field limit_rows[] = {
    LOOKED_UP(ID, id, raise_limit, id, "id", REQUIRED,
              "Names the request in the audit log; the request is judged by its content."),
    BY_NAME(raise_limit.pool, "name", REQUIRED, limit_pool_names, "The pool (docs/limits.md)."),
    AS_READ(raise_limit.places, "value", REQUIRED, "How many places it has from now on: at least as many as now."),
};
OPERATOR_SHAPE(limit_request_shape, "LimitRequest", limit_rows, check_id, "Gives a pool of the engine more places.");

static const struct field transfer_rows[] = {
    ID(transfer_between),
    AS_READ(transfer_between.from_account_id, "fromAccountID", REQUIRED, "Which account gives."),
    AS_READ(transfer_between.to_account_id, "toAccountID", REQUIRED, "Which account of the same user gets."),
    BY_NAME(transfer_between.engine, "engine", REQUIRED, engine_names, "spot or perps, on both accounts."),
    COIN(transfer_between, coin_id),
    AMOUNT(transfer_between, amount),
};
OPERATOR_SHAPE(transfer_request_shape, "TransferRequest", transfer_rows, check_id,
               "Moves money between two accounts of one user.");
/* clang-format on */
