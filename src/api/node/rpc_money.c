/* SPDX-License-Identifier: MIT */
/*
 * rpc_money.c — a balance becomes what the caller says. There is no command for that: what is missing is deposited,
 * and what is too much leaves like any money, through the EVM ledger, by up to three commands of the log. So every
 * rule of transfers holds, and margin that positions need stays.
 */
#include "api/node/rpc.h"
#include "api/operator/operator.h"
#include "api/operator/payload.h"
#include "base/hex.h"

#define WEI_DECIMALS 18

/* What a caller wants, of the primary account of an address. */
struct wanted {
    struct address address;
    uint8_t        place; /* enum rpc_place */
    uint32_t       coin_id;
    int64_t        amount; /* units of the coin */
};

/* ---- the plan ---- */

enum move { MOVE_NOTHING = 0, MOVE_IN, MOVE_TO_EVM, MOVE_TO_SPOT, MOVE_OUT };

static const enum move plans[2][RPC_PLACES][RPC_STAGES_MAX] = {
    [true] = { /* more than there is */
               [RPC_PLACE_SPOT] = { MOVE_IN },
               [RPC_PLACE_PERPS] = { MOVE_IN },
               [RPC_PLACE_EVM] = { MOVE_IN, MOVE_TO_EVM } },
    [false] = { [RPC_PLACE_SPOT] = { MOVE_TO_EVM, MOVE_OUT },
                [RPC_PLACE_PERPS] = { MOVE_TO_SPOT, MOVE_TO_EVM, MOVE_OUT },
                [RPC_PLACE_EVM] = { MOVE_OUT } },
};

static int64_t balance_of(const struct rpc_call *rpc, const struct wanted *wanted)
{
    const struct views *views = rpc->call->api->shared->views;
    uint8_t             market = wanted->place == RPC_PLACE_PERPS ? MARKET_PERPS : MARKET_SPOT;
    struct view_account account;
    struct view_balance balances[COINS_MAX];
    uint32_t            count;

    if (wanted->place == RPC_PLACE_EVM) return views_evm_balance(views, &wanted->address, wanted->coin_id);
    if (!views_primary_account(views, &wanted->address, &account)) return 0;
    count = views_balances(views, market, account.account_id, balances);
    for (uint32_t i = 0; i < count; i++)
        if (balances[i].coin_id == wanted->coin_id) return balances[i].total;
    return 0;
}

/* ---- one command of it ---- */

static bool refuse(struct rpc_call *rpc, const struct failure *failure)
{
    rpc_fail_reject(rpc, failure->reject);
    return false;
}

static bool make_operators(struct rpc_call *rpc, const struct wanted *wanted, enum move move, struct api_write *write)
{
    const struct coin      *coin = &rpc->call->api->shared->genesis->coins[wanted->coin_id];
    struct operator_request request;
    struct failure          failure = { 0 };
    char                    id[OPERATOR_ID_MAX];

    memset(&request, 0, sizeof(request));
    request.id = rpc_fresh_id(rpc, id, sizeof(id));
    request.coin = coin->name;
    request.amount = decimal_make(write->progress.amount, (int)coin->precision);
    if (move == MOVE_OUT) {
        request.redeem.address = wanted->address;
        return operator_make(rpc->call->api, CMD_REDEEM, &request, write, &failure) || refuse(rpc, &failure);
    }
    request.deposit.address = wanted->address;
    request.deposit.engine = wanted->place == RPC_PLACE_PERPS ? MARKET_PERPS : MARKET_SPOT;
    return operator_make(rpc->call->api, CMD_DEPOSIT, &request, write, &failure) || refuse(rpc, &failure);
}

/* A transfer that the address itself would ask for, marked as impersonated. */
static bool make_transfer(struct rpc_call *rpc, const struct wanted *wanted, enum move move, struct api_write *write)
{
    static _Atomic uint64_t number;
    const struct coin      *coin = &rpc->call->api->shared->genesis->coins[wanted->coin_id];
    struct transfer_asset  *transfer = operator_command(&write->room, CMD_TRANSFER, sizeof(*transfer));
    struct command         *head = &write->room.head;

    *transfer = (struct transfer_asset){
        .id = (uint64_t)max_i64(rpc->call->context->now_ms, 0) * 1000 + number++ % 1000,
        .to_account_id = ACCOUNT_BRIDGE,
        .coin_id = wanted->coin_id,
        .amount = decimal_make(write->progress.amount, (int)coin->precision),
        .type = move == MOVE_TO_SPOT ? TRANSFER_SPOT_WITHDRAW : TRANSFER_EVM_WITHDRAW,
    };
    head->market = move == MOVE_TO_SPOT ? MARKET_PERPS : MARKET_SPOT;
    head->domain = COMMAND_IMPERSONATED | (move == MOVE_TO_SPOT ? DOMAIN_FUTURES : DOMAIN_SPOT);
    head->signer = wanted->address;
    operator_sign_nothing(rpc->call->api, write);
    return true;
}

static bool make_move(struct rpc_call *rpc, const struct wanted *wanted, struct api_write *write)
{
    struct api_progress *progress = &write->progress;
    enum move            move = plans[progress->grows][wanted->place][progress->stage];

    if (progress->amount == 0) {
        operator_tick(write); /* it is what it should be */
        return true;
    }
    if (move == MOVE_IN || move == MOVE_OUT) return make_operators(rpc, wanted, move, write);
    return make_transfer(rpc, wanted, move, write);
}

/* The first command: how much is missing or too much is seen once. */
static bool begin(struct rpc_call *rpc, const struct wanted *wanted, struct api_write *write)
{
    int64_t has = balance_of(rpc, wanted);

    write->progress.stage = 0;
    write->progress.grows = wanted->amount > has;
    write->progress.amount = wanted->amount > has ? wanted->amount - has : has - wanted->amount;
    return make_move(rpc, wanted, write);
}

/* The next one, when the one before has happened. */
static bool go_on(struct rpc_call *rpc, const struct wanted *wanted, struct api_write *write)
{
    struct api_progress *progress = &write->progress;

    if (progress->amount == 0 || progress->stage + 1 == RPC_STAGES_MAX) return false;
    if (plans[progress->grows][wanted->place][progress->stage + 1] == MOVE_NOTHING) return false;
    progress->stage += 1;
    return make_move(rpc, wanted, write);
}

/* ---- dojima_setBalance ---- */

static bool read_balance(struct rpc_call *rpc, struct wanted *wanted)
{
    const struct genesis   *genesis = rpc->call->api->shared->genesis;
    struct operator_request request;
    const struct coin      *coin;
    struct shape_error      error;
    struct failure          failure = { 0 };

    if (shape_read(&rpc_balance_shape, rpc->params[0].raw, &request, &error) != REJECT_NONE) {
        fail_shape(&failure, &error);
        return rpc_fail_request(rpc, &failure);
    }
    coin = operator_coin(genesis, &request.coin);
    if (coin == NULL) {
        fail(&failure, REJECT_COIN_NOT_FOUND, SLICE("coin"), name_slice(&request.coin));
        return rpc_fail_request(rpc, &failure);
    }
    *wanted = (struct wanted){ .address = request.deposit.address,
                               .place = request.deposit.engine == 0 ? (uint8_t)RPC_PLACE_SPOT : request.deposit.engine,
                               .coin_id = coin->id };
    if (!decimal_to_units(request.amount, (int)coin->precision, AMOUNT_MAX, &wanted->amount)) {
        fail(&failure, REJECT_AMOUNT_DECIMALS, SLICE("amount"), SLICE(""));
        return rpc_fail_request(rpc, &failure);
    }
    if (wanted->place != RPC_PLACE_PERPS || wanted->coin_id == COIN_MARGIN) return true;
    fail(&failure, REJECT_NOT_SUPPORTED, SLICE("coin"), name_slice(&request.coin));
    failure.details.need = SLICE("vUSDC, the only coin of perps");
    return rpc_fail_request(rpc, &failure);
}

bool rpc_set_balance(struct rpc_call *rpc, struct api_write *write)
{
    struct wanted wanted;

    return read_balance(rpc, &wanted) && begin(rpc, &wanted, write);
}

bool rpc_set_balance_more(struct rpc_call *rpc, struct api_write *write)
{
    struct wanted wanted;

    return read_balance(rpc, &wanted) && go_on(rpc, &wanted, write);
}

/* ---- anvil_setBalance ---- */

/* A quantity of up to 128 bits. */
static bool read_wei(struct slice json, uint128_t *wei)
{
    *wei = 0;
    if (json.len < 5 || json.len > 36 || json.at[0] != '"' || json.at[1] != '0' || json.at[2] != 'x') return false;
    for (size_t i = 3; i + 1 < json.len; i++) {
        int digit = hex_digit(json.at[i]);

        if (digit < 0) return false;
        *wei = *wei << 4 | (uint128_t)(unsigned)digit;
    }
    return true;
}

/* What eth_getBalance shows: vUSDC in the EVM ledger, with 18 decimals. */
static bool read_wei_balance(struct rpc_call *rpc, struct wanted *wanted)
{
    const struct coin *coin = &rpc->call->api->shared->genesis->coins[COIN_MARGIN];
    uint128_t          wei, unit = (uint128_t)pow10_i64(WEI_DECIMALS - (int)coin->precision);

    *wanted = (struct wanted){ .address = rpc->params[0].address, .place = RPC_PLACE_EVM, .coin_id = COIN_MARGIN };
    if (read_wei(rpc->params[1].raw, &wei) && wei % unit == 0 && wei / unit <= (uint128_t)AMOUNT_MAX) {
        wanted->amount = (int64_t)(wei / unit);
        return true;
    }
    rpc_fail(rpc, RPC_BAD_PARAMS,
             "invalid params: value must be a quantity in units of 1e-18 vUSDC, which has 6 decimals",
             rpc->params[1].raw);
    return false;
}

bool rpc_set_wei(struct rpc_call *rpc, struct api_write *write)
{
    struct wanted wanted;

    return read_wei_balance(rpc, &wanted) && begin(rpc, &wanted, write);
}

bool rpc_set_wei_more(struct rpc_call *rpc, struct api_write *write)
{
    struct wanted wanted;

    return read_wei_balance(rpc, &wanted) && go_on(rpc, &wanted, write);
}
