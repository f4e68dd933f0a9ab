/* SPDX-License-Identifier: MIT */
/* rpc_methods.c — the methods of POST /rpc, one row each (mechanics 8.3). */
#include "api/node/rpc.h"

#define PLAIN(NAME, FUNCTION, GIVES, DOC)                                                                              \
    {                                                                                                                  \
        .name = NAME, .params = NULL, .param_count = 0, .answer = FUNCTION, .gives = GIVES, .doc = DOC                 \
    }

#define DEVELOPMENT(NAME, PARAMS, COUNT, COMMAND, REPLY, GIVES, DOC)                                                   \
    {                                                                                                                  \
        .name = NAME, .params = PARAMS, .param_count = COUNT, .command = COMMAND, .reply = REPLY, .gives = GIVES,      \
        .doc = DOC                                                                                                     \
    }

static const struct rpc_param deposit_params[] = {
    { "deposit", RPC_ANY, false,
      "{address, coin, amount} and, if need be, engine (\"spot\" or \"perps\"), accountID and an id that makes it "
      "idempotent; the amount is a string." },
};
static const struct rpc_param index_params[] = {
    { "price", RPC_ANY, false, "{symbol, price}: a perps symbol's name, and a price as a string." }
};
static const struct rpc_param seconds_params[] = { { "seconds", RPC_COUNT, false, "How many seconds more." } };
static const struct rpc_param time_params[] = { { "timestamp", RPC_COUNT, false,
                                                  "Unix seconds, later than engine time." } };

static const struct rpc_param step_params[] = { { "ms", RPC_COUNT, false, "How many milliseconds more." } };
static const struct rpc_param clock_params[] = {
    { "rate", RPC_ANY, false, "0 to 1000, a number or a string: 0 stands, 1 is the wall clock, 20 twenty times it." }
};

#define NODE(NAME, PARAMS, FUNCTION, GIVES, DOC)                                                                       \
    {                                                                                                                  \
        .name = NAME, .params = PARAMS, .param_count = ARRAY_COUNT(PARAMS), .answer = FUNCTION, .gives = GIVES,        \
        .doc = DOC                                                                                                     \
    }

#define P_BLOCK                                                                                                        \
    {                                                                                                                  \
        "block", RPC_BLOCK, false,                                                                                     \
            "Number of a block, or a tag; latest, safe, finalized and pending are the last durable one, earliest is "  \
            "the genesis."                                                                                             \
    }
#define P_INDEX                                                                                                        \
    {                                                                                                                  \
        "index", RPC_QUANTITY, false, "Which transaction of the block, from 0x0."                                      \
    }
#define P_HASH                                                                                                         \
    {                                                                                                                  \
        "hash", RPC_HASH, false, "Hash of the block."                                                                  \
    }
#define P_FULL                                                                                                         \
    {                                                                                                                  \
        "full", RPC_BOOL, true, "Transactions as objects; else their hashes."                                          \
    }
#define P_TX                                                                                                           \
    {                                                                                                                  \
        "hash", RPC_HASH, false, "Hash of the transaction, as in X-Chain-Tx."                                          \
    }
#define P_OWNER                                                                                                        \
    {                                                                                                                  \
        "address", RPC_ADDRESS, false, "Whose."                                                                        \
    }
#define P_LAST                                                                                                         \
    {                                                                                                                  \
        "block", RPC_BLOCK, true, "The last block, by tag or number: earlier states are not kept."                     \
    }
static const struct rpc_param number_index_params[] = { P_BLOCK, P_INDEX };
static const struct rpc_param hash_index_params[] = { P_HASH, P_INDEX };
static const struct rpc_param number_full_params[] = { P_BLOCK, P_FULL };
static const struct rpc_param hash_full_params[] = { P_HASH, P_FULL };
static const struct rpc_param number_params[] = { P_BLOCK };
static const struct rpc_param hash_params[] = { P_HASH };
static const struct rpc_param tx_params[] = { P_TX };
static const struct rpc_param owner_params[] = { P_OWNER, P_LAST };

/* clang-format off */
const struct rpc_method rpc_methods[] = {
    NODE("eth_getTransactionByBlockNumberAndIndex", number_index_params, rpc_transaction_by_number,
        "transaction or null",
         "A transaction by its place; null when the block or the index is beyond what there is."),
    NODE("eth_getTransactionByBlockHashAndIndex", hash_index_params, rpc_transaction_by_block_hash,
        "transaction or null", "The same by the hash of the block."),
    NODE("eth_getTransactionByHash", tx_params, rpc_transaction_by_hash, "transaction or null",
        "A transaction by its hash."),
    NODE("eth_getTransactionReceipt", tx_params, rpc_receipt, "receipt or null",
         "What became of it: status 0x1 when at least one item succeeded; one log per fill and per movement of money."),
    NODE("eth_getBlockByNumber", number_full_params, rpc_block_by_number, "block or null",
        "A block with its header's fields; its hash is keccak256 of the 15 fields as RLP."),
    NODE("eth_getBlockByHash", hash_full_params, rpc_block_by_hash, "block or null", "The same by its hash."),
    NODE("eth_getBlockTransactionCountByNumber", number_params, rpc_count_by_number, "quantity or null",
        "How many transactions a block has."),
    NODE("eth_getBlockTransactionCountByHash", hash_params, rpc_count_by_hash, "quantity or null",
        "The same by its hash."),
    NODE("eth_getBalance", owner_params, rpc_balance, "quantity",
        "vUSDC that the address has in the EVM ledger, with 18 decimals as wallets expect."),
    NODE("eth_getTransactionCount", owner_params, rpc_transaction_count, "quantity",
        "Commands of the accounts of this owner, those of its API keys included; nonces are milliseconds and do not "
        "follow from it."),
    PLAIN("web3_clientVersion", rpc_client_version, "string", "Name and version of the program."),
    PLAIN("net_version", rpc_net_version, "string", "The chain id in decimal digits."),
    PLAIN("net_listening", rpc_net_listening, "boolean", "Always true."),
    PLAIN("eth_syncing", rpc_syncing, "boolean", "Always false: what can be seen is durable."),
    PLAIN("eth_chainId", rpc_chain_id, "quantity", "The first configured chain id."),
    PLAIN("eth_gasPrice", rpc_gas_price, "quantity", "Always 0x0: there is no gas."),
    PLAIN("eth_blockNumber", rpc_block_number, "quantity", "Number of the last durable block."),

    DEVELOPMENT("dojima_deposit", deposit_params, 1, rpc_deposit, rpc_deposit_reply, "object",
        "Development: credits an address; gives {accountID, tx}."),
    DEVELOPMENT("dojima_setIndexPrice", index_params, 1, rpc_set_index, rpc_true_reply, "boolean",
                "Development: an index price by hand, which counts like a feeder's from the next TICK on and silences "
                    "the built-in feeder for that symbol; gives true."),
    DEVELOPMENT("evm_increaseTime", seconds_params, 1, rpc_increase_time, rpc_increase_time_reply, "number",
                "Development: engine time leaps ahead, and what falls due on the way happens; gives all seconds it is "
                    "ahead of the clock."),
    DEVELOPMENT("evm_setNextBlockTimestamp", time_params, 1, rpc_set_next_time, rpc_null_reply, "null",
                "Development: engine time leaps to this second and stands still there until the next command."),
    DEVELOPMENT("dojima_step", step_params, 1, rpc_step, rpc_step_reply, "number",
                "Development: engine time leaps ahead like with evm_increaseTime, in milliseconds; gives engine time, "
                    "Unix ms."),
    DEVELOPMENT("dojima_setClock", clock_params, 1, rpc_set_clock, rpc_true_reply, "boolean",
                "Development: how fast engine time runs from now on; it goes on from where it is; gives true."),
    DEVELOPMENT("evm_mine", NULL, 0, rpc_mine, rpc_mine_reply, "quantity", "Development: a TICK now; gives 0x0."),
};
/* clang-format on */
const uint32_t rpc_method_count = ARRAY_COUNT(rpc_methods);
