/* SPDX-License-Identifier: MIT */
/* rpc_methods.c — the methods of POST /rpc, one row each (mechanics 8.3). */
#include "api/rpc.h"

#define PLAIN(NAME, FUNCTION, GIVES, DOC) \
    { .name = NAME, .params = NULL, .param_count = 0, .answer = FUNCTION, .gives = GIVES, .doc = DOC }

#define DEVELOPMENT(NAME, PARAMS, COUNT, COMMAND, REPLY, GIVES, DOC) \
    { .name = NAME, .params = PARAMS, .param_count = COUNT, .command = COMMAND, .reply = REPLY, .gives = GIVES, .doc = DOC }

static const struct rpc_param deposit_params[] = {
    { "deposit", RPC_ANY, false, "{address, coin, amount} and, if need be, engine (\"spot\" or \"perps\") and an id that makes it idempotent; the amount is a string." },
};
static const struct rpc_param seconds_params[] = { { "seconds", RPC_COUNT, false, "How many seconds more." } };
static const struct rpc_param time_params[] = { { "timestamp", RPC_COUNT, false, "Unix seconds, later than engine time." } };

const struct rpc_method rpc_methods[] = {
    PLAIN("web3_clientVersion", rpc_client_version, "string", "Name and version of the program."),
    PLAIN("net_version", rpc_net_version, "string", "The chain id in decimal digits."),
    PLAIN("net_listening", rpc_net_listening, "boolean", "Always true."),
    PLAIN("eth_syncing", rpc_syncing, "boolean", "Always false: what can be seen is durable."),
    PLAIN("eth_chainId", rpc_chain_id, "quantity", "The first configured chain id."),
    PLAIN("eth_gasPrice", rpc_gas_price, "quantity", "Always 0x0: there is no gas."),
    PLAIN("eth_blockNumber", rpc_block_number, "quantity", "Number of the last durable block."),

    DEVELOPMENT("dojima_deposit", deposit_params, 1, rpc_deposit, rpc_deposit_reply, "object", "Development: credits an address; gives {accountID, tx}."),
    DEVELOPMENT("evm_increaseTime", seconds_params, 1, rpc_increase_time, rpc_increase_time_reply, "number",
                "Development: engine time leaps ahead, and what falls due on the way happens; gives all seconds it is ahead of the clock."),
    DEVELOPMENT("evm_setNextBlockTimestamp", time_params, 1, rpc_set_next_time, rpc_null_reply, "null",
                "Development: engine time leaps to this second and stands still there until the next command."),
    DEVELOPMENT("evm_mine", NULL, 0, rpc_mine, rpc_mine_reply, "quantity", "Development: a TICK now; gives 0x0."),
};
const uint32_t rpc_method_count = ARRAY_COUNT(rpc_methods);
