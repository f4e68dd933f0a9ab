/* SPDX-License-Identifier: MIT */
/* rpc_methods.c — the methods of POST /rpc, one row each (mechanics 8.3). */
#include "api/rpc.h"

#define PLAIN(NAME, FUNCTION, GIVES, DOC) \
    { .name = NAME, .params = NULL, .param_count = 0, .answer = FUNCTION, .gives = GIVES, .doc = DOC }

const struct rpc_method rpc_methods[] = {
    PLAIN("web3_clientVersion", rpc_client_version, "string", "Name and version of the program."),
    PLAIN("net_version", rpc_net_version, "string", "The chain id in decimal digits."),
    PLAIN("net_listening", rpc_net_listening, "boolean", "Always true."),
    PLAIN("eth_syncing", rpc_syncing, "boolean", "Always false: what can be seen is durable."),
    PLAIN("eth_chainId", rpc_chain_id, "quantity", "The first configured chain id."),
    PLAIN("eth_gasPrice", rpc_gas_price, "quantity", "Always 0x0: there is no gas."),
    PLAIN("eth_blockNumber", rpc_block_number, "quantity", "Number of the last durable block."),
};
const uint32_t rpc_method_count = ARRAY_COUNT(rpc_methods);
