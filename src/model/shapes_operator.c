/* SPDX-License-Identifier: MIT */
/* shapes_operator.c — the params of operator commands (rulings 30, 49; mechanics 7). */
#include "model/operator.h"
#include "model/genesis.h"

#include "model/rejects.h"

static const struct enum_name engine_names[] = { { MARKET_SPOT, "spot" }, { MARKET_PERPS, "perps" }, { 0, NULL } };

static bool is_text(struct slice text, size_t max)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] < ' ' || text.at[i] > '~') return false;
    return text.len >= 1 && text.len <= max;
}

/* Every request begins with its id. */
static uint16_t check_id(const void *self)
{
    const struct slice *id = self;

    return is_text(*id, OPERATOR_ID_MAX) ? REJECT_NONE : REJECT_BAD_OPERATOR_ID;
}
static_assert(offsetof(struct account_request, id) == 0 && offsetof(struct deposit_request, id) == 0,
              "the id comes first");
static_assert(offsetof(struct redeem_request, id) == 0, "the id comes first");

static uint16_t check_redeem(const void *self)
{
    const struct redeem_request *redeem = self;

    if (redeem->tx.len != 0 && !is_text(redeem->tx, OPERATOR_TX_MAX)) return REJECT_BAD_OPERATOR_TX;
    return check_id(&redeem->id);
}

static const struct field account_rows[] = {
    FIELD(struct account_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct account_request, address, "address", REQUIRED, "Whose account."),
};
SHAPE(account_request_shape, struct account_request, "AccountRequest", account_rows, check_id,
      "Opens one more account for an address.");

/* clang-format off */
static const struct field deposit_rows[] = {
    FIELD(struct deposit_request, id,      "id",      REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct deposit_request, address, "address", REQUIRED, "Who gets it; its first deposit makes its account."),
    FIELD_ENUM(struct deposit_request, engine, "engine", REQUIRED, FLAG_ENUM_NAME, engine_names, "spot or perps."),
    FIELD(struct deposit_request, coin,    "coin",    REQUIRED, "The coin's name."),
    FIELD(struct deposit_request, amount,  "amount",  REQUIRED, "How much, in the coin."),
    FIELD(struct deposit_request, account_id, "accountID", OPTIONAL,
        "One of the address's accounts; its first one when not given."),
};
/* clang-format on */
SHAPE(deposit_request_shape, struct deposit_request, "DepositRequest", deposit_rows, check_id, "Money from outside.");

static uint16_t check_rpc_deposit(const void *self)
{
    const struct deposit_request *deposit = self;

    return deposit->id.len == 0 ? REJECT_NONE : check_id(&deposit->id);
}

/* clang-format off */
static const struct field rpc_deposit_rows[] = {
    FIELD(struct deposit_request, address, "address", REQUIRED, "Who gets it; its first deposit makes its account."),
    FIELD_ENUM(struct deposit_request, engine, "engine", OPTIONAL, FLAG_ENUM_NAME, engine_names,
        "spot or perps; spot when not given."),
    FIELD(struct deposit_request, coin,    "coin",    REQUIRED, "The coin's name."),
    FIELD(struct deposit_request, amount,  "amount",  REQUIRED, "How much, in the coin."),
    FIELD(struct deposit_request, account_id, "accountID", OPTIONAL,
        "One of the address's accounts; its first one when not given."),
    FIELD(struct deposit_request, id, "id", OPTIONAL, "The same again changes nothing; a fresh one when not given."),
};
/* clang-format on */
SHAPE(rpc_deposit_shape, struct deposit_request, "DevelopmentDeposit", rpc_deposit_rows, check_rpc_deposit,
      "Money from outside.");

/* clang-format off */
static const struct field redeem_rows[] = {
    FIELD(struct redeem_request, id,      "id",      REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct redeem_request, address, "address", REQUIRED, "Whose EVM ledger is burnt."),
    FIELD(struct redeem_request, coin,    "coin",    REQUIRED, "The coin's name."),
    FIELD(struct redeem_request, amount,  "amount",  REQUIRED, "How much, in the coin."),
    FIELD(struct redeem_request, tx,      "tx",      OPTIONAL, "The transaction elsewhere that pays it out."),
};
/* clang-format on */
SHAPE(redeem_request_shape, struct redeem_request, "RedeemRequest", redeem_rows, check_redeem, "Money that has left.");

static const struct field advance_rows[] = {
    FIELD(struct advance_request, offset, "offset", REQUIRED, "Milliseconds that engine time runs ahead of the clock."),
};
SHAPE(advance_request_shape, struct advance_request, "AdvanceTime", advance_rows, NULL, "Time travel in development.");

static const struct field set_index_rows[] = {
    FIELD(struct set_index_request, symbol, "symbol", REQUIRED, "Name of a perps symbol."),
    FIELD(struct set_index_request, price, "price", REQUIRED, "Its index price, at most pricePrecision decimals."),
};
SHAPE(set_index_request_shape, struct set_index_request, "SetIndexPrice", set_index_rows, NULL,
      "Development: an index price by hand.");

static const struct field market_rows[] = {
    FIELD(struct market_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD_ENUM(struct market_request, engine, "engine", OPTIONAL, FLAG_ENUM_NAME, engine_names,
               "spot or perps; when not given the side that has the symbol, spot first."),
    FIELD(struct market_request, symbol, "symbol", REQUIRED, "The symbol's name."),
    FIELD_ENUM(struct market_request, status, "status", REQUIRED, FLAG_ENUM_NAME, market_status_names,
               "TRADING, HALT or, on perps, REDUCE_ONLY."),
};
SHAPE(market_request_shape, struct market_request, "MarketRequest", market_rows, check_id,
      "Halts a symbol, lets it trade, or lets only orders through that reduce.");
static_assert(offsetof(struct market_request, id) == 0, "the id comes first");

static const struct field settle_rows[] = {
    FIELD(struct settle_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct settle_request, symbol, "symbol", REQUIRED, "Name of a perps symbol."),
    FIELD(struct settle_request, time, "time", REQUIRED, "The instant, Unix ms; at least the venue's notice ahead."),
};
SHAPE(settle_request_shape, struct settle_request, "SettleRequest", settle_rows, check_id,
      "Announces the settlement of a perps symbol.");

static const struct field keep_rows[] = {
    FIELD(struct settle_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct settle_request, symbol, "symbol", REQUIRED, "Name of a perps symbol."),
};
SHAPE(keep_request_shape, struct settle_request, "KeepRequest", keep_rows, check_id, "Withdraws an announcement.");
static_assert(offsetof(struct settle_request, id) == 0, "the id comes first");

static const struct field cancel_rows[] = {
    FIELD(struct cancel_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD_ENUM(struct cancel_request, engine, "engine", OPTIONAL, FLAG_ENUM_NAME, engine_names,
               "spot or perps; both when not given, or the side that has the symbol, spot first."),
    FIELD(struct cancel_request, symbol, "symbol", OPTIONAL, "The symbol's name; all when not given."),
    FIELD(struct cancel_request, account_id, "accountID", OPTIONAL, "Whose; everybody's when not given."),
};
SHAPE(cancel_request_shape, struct cancel_request, "CancelRequest", cancel_rows, check_id, "Cancels open orders.");
static_assert(offsetof(struct cancel_request, id) == 0, "the id comes first");

static const struct field staking_rows[] = {
    FIELD(struct staking_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct staking_request, address, "address", REQUIRED, "Whose."),
    FIELD(struct staking_request, tier, "tier", REQUIRED, "Which row of stakingDiscounts, counted from 0."),
};
SHAPE(staking_request_shape, struct staking_request, "StakingRequest", staking_rows, check_id,
      "Sets a user's staking tier.");
static_assert(offsetof(struct staking_request, id) == 0, "the id comes first");

static const struct field mode_rows[] = {
    FIELD(struct mode_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD_ENUM(struct mode_request, mode, "mode", REQUIRED, FLAG_ENUM_NAME, venue_mode_names,
               "RUN: the status of each symbol applies. CANCEL_ONLY: all are halted. REDUCE_ONLY: on perps only orders "
               "that reduce."),
};
SHAPE(mode_request_shape, struct mode_request, "ModeRequest", mode_rows, check_id, "Sets the mode of the whole venue.");
static_assert(offsetof(struct mode_request, id) == 0, "the id comes first");

const struct enum_name limit_pool_names[] = {
#define X(number, NAME, name, member) { number, name },
    POOLS(X)
#undef X
        { 0, NULL },
};
/* clang-format off */
static const struct field limit_rows[] = {
    FIELD(struct limit_request, id, "id", REQUIRED,
        "Names the request in the audit log; the request is judged by its content."),
    FIELD_ENUM(struct limit_request, name, "name", REQUIRED, FLAG_ENUM_NAME, limit_pool_names,
        "The pool (docs/limits.md)."),
    FIELD(struct limit_request, value, "value", REQUIRED,
        "How many places it has from now on: at least as many as now."),
};
/* clang-format on */
SHAPE(limit_request_shape, struct limit_request, "LimitRequest", limit_rows, check_id,
      "Gives a pool of the engine more places.");
static_assert(offsetof(struct limit_request, id) == 0, "the id comes first");

static const struct field transfer_rows[] = {
    FIELD(struct transfer_request, id, "id", REQUIRED, "The operator's id: the same again changes nothing."),
    FIELD(struct transfer_request, from_account_id, "fromAccountID", REQUIRED, "Which account gives."),
    FIELD(struct transfer_request, to_account_id, "toAccountID", REQUIRED, "Which account of the same user gets."),
    FIELD_ENUM(struct transfer_request, engine, "engine", REQUIRED, FLAG_ENUM_NAME, engine_names,
               "spot or perps, on both accounts."),
    FIELD(struct transfer_request, coin, "coin", REQUIRED, "The coin's name."),
    FIELD(struct transfer_request, amount, "amount", REQUIRED, "How much, in the coin."),
};
SHAPE(transfer_request_shape, struct transfer_request, "TransferRequest", transfer_rows, check_id,
      "Moves money between two accounts of one user.");
static_assert(offsetof(struct transfer_request, id) == 0, "the id comes first");
