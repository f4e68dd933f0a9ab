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

/* An answer for peers on this machine, without a command. */
#define LOCAL(NAME, PARAMS, FUNCTION, GIVES, DOC)                                                                      \
    {                                                                                                                  \
        .name = NAME, .params = PARAMS, .param_count = ARRAY_COUNT(PARAMS), .answer = FUNCTION, .gives = GIVES,        \
        .doc = DOC, .local = true                                                                                      \
    }

/* The same without parameters. */
#define LOCAL_PLAIN(NAME, FUNCTION, GIVES, DOC)                                                                        \
    {                                                                                                                  \
        .name = NAME, .answer = FUNCTION, .gives = GIVES, .doc = DOC, .local = true                                    \
    }

static const struct rpc_param chaos_rule_params[] = {
    { "rule", RPC_ANY, false,
      "{fault, …}: 429, 503, 500, delay, latency, drop-reply, reset-before, reset-after, skew, cut, skip, repeat, "
      "stall, stale-index or slow-fsync, with its scope (path, method, account, address, channel, symbol), its trigger "
      "(probability, every, count, at, after, for, seed) and what it does (ms, jitter, in, out, retryAfter, code); "
      "docs/chaos.md." },
};
static const struct rpc_param chaos_id_params[] = { { "id", RPC_COUNT, false, "The rule's id." } };
static const struct rpc_param scenario_params[] = {
    { "name", RPC_ANY, false, "A scenario of dojima_scenarioList." },
    { "own", RPC_BOOL, true,
      "true: in an exchange that is started for it and ends with it, whose clock the scenario moves. Some need that." },
};
static const struct rpc_param deposit_params[] = {
    { "deposit", RPC_ANY, false,
      "{address, coin, amount} and, if need be, engine (\"spot\" or \"perps\"), accountID and an id that makes it "
      "idempotent; the amount is a string." },
};
static const struct rpc_param index_params[] = {
    { "price", RPC_ANY, false, "{symbol, price}: a perps symbol's name, and a price as a string." }
};
static const struct rpc_param snapshot_params[] = {
    { "name", RPC_ANY, true, "A name for it: 1 to 31 letters, digits, points, lines and underscores, a letter first." }
};
static const struct rpc_param revert_params[] = {
    { "snapshot", RPC_ANY, false, "Number of a snapshot, as a quantity or in digits, or its name." }
};
static const struct rpc_param state_params[] = { { "state", RPC_ANY, false, "What anvil_dumpState gave." } };
static const struct rpc_param reset_params[] = { { "forking", RPC_ANY, true,
                                                   "Not read: there is no other chain to begin from." } };
static const struct rpc_param seconds_params[] = { { "seconds", RPC_COUNT, false, "How many seconds more." } };
static const struct rpc_param time_params[] = { { "timestamp", RPC_COUNT, false,
                                                  "Unix seconds, later than engine time." } };

static const struct rpc_param step_params[] = { { "ms", RPC_COUNT, false, "How many milliseconds more." } };
static const struct rpc_param clock_params[] = {
    { "rate", RPC_ANY, false, "0 to 1000, a number or a string: 0 stands, 1 is the wall clock, 20 twenty times it." }
};

static const struct rpc_param who_params[] = { { "address", RPC_ADDRESS, false, "Whom to act as." } };
static const struct rpc_param enabled_params[] = { { "enabled", RPC_BOOL, false, "Whether it holds from now on." } };

static const struct rpc_param timestamp_params[] = { { "timestamp", RPC_COUNT, true,
                                                       "Unix seconds that time advances to before." } };
static const struct rpc_param blocks_params[] = {
    { "blocks", RPC_COUNT, true, "How many; 1 when not given." },
    { "interval", RPC_COUNT, true, "Seconds between two of them; 0 when not given." },
};
static const struct rpc_param wei_params[] = {
    { "address", RPC_ADDRESS, false, "Whose." },
    { "value", RPC_ANY, false, "A quantity, in units of 1e-18 vUSDC." },
};
static const struct rpc_param balance_params[] = {
    { "balance", RPC_ANY, false,
      "{address, coin, amount} and, if need be, engine (\"spot\", \"perps\" or \"evm\"); the amount is a string." },
};
static const struct rpc_param funding_params[] = { { "symbol", RPC_ANY, true, "{symbol}: a perps symbol's name." } };

/* A request of operators; its members are in the description. */
#define P_REQUEST(WORDS)                                                                                               \
    {                                                                                                                  \
        {                                                                                                              \
            "request", RPC_ANY, false, WORDS "; an id is optional."                                                    \
        }                                                                                                              \
    }
static const struct rpc_param market_params[] =
    P_REQUEST("{symbol, status} and, if need be, engine; status is TRADING, HALT or REDUCE_ONLY");
static const struct rpc_param halt_params[] = P_REQUEST("{symbol} and, if need be, engine");
static const struct rpc_param traders_params[] = P_REQUEST("{} or any of preset, pulled, takers, drift");
static const struct rpc_param mode_params[] = P_REQUEST("{mode}: RUN, CANCEL_ONLY or REDUCE_ONLY");
static const struct rpc_param staking_params[] = P_REQUEST("{address, tier}");
static const struct rpc_param settle_params[] = P_REQUEST("{symbol, time}: Unix ms");
static const struct rpc_param cancel_params[] = P_REQUEST("{}, or any of engine, symbol, accountID");
static const struct rpc_param account_params[] = P_REQUEST("{address}");
static const struct rpc_param redeem_params[] = P_REQUEST("{address, coin, amount}");
static const struct rpc_param limit_params[] = P_REQUEST("{name, value}");

#define OPERATOR(NAME, KIND, ADDS, PARAMS, DOC)                                                                        \
    {                                                                                                                  \
        .name = NAME, .params = PARAMS, .param_count = 1, .command = rpc_operator, .reply = rpc_operator_reply,        \
        .kind = KIND, .adds = ADDS, .gives = "object", .doc = DOC                                                      \
    }

/* An action of viem's test client that has no meaning here, and why. */
#define REFUSED(NAME, WHY)                                                                                             \
    {                                                                                                                  \
        .name = NAME, .refuses = WHY, .gives = "-32601", .doc = "Not offered: " WHY "."                                \
    }

static const struct rpc_param request_params[] = {
    { "request", RPC_ANY, false,
      "{method, path, headers, body} of a signed write as it was sent; the body is a string, or the JSON itself." },
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
                "Development: engine time advances, and what falls due on the way happens; gives all seconds it is "
                    "ahead of the clock."),
    DEVELOPMENT("evm_setNextBlockTimestamp", time_params, 1, rpc_set_next_time, rpc_null_reply, "null",
                "Development: engine time advances to this second and stands still there until the next command."),
    DEVELOPMENT("dojima_step", step_params, 1, rpc_step, rpc_step_reply, "number",
                "Development: engine time advances like with evm_increaseTime, in milliseconds; gives engine time, "
                    "Unix ms."),
    DEVELOPMENT("dojima_setClock", clock_params, 1, rpc_set_clock, rpc_true_reply, "boolean",
                "Development: how fast engine time runs from now on; it goes on from where it is; gives true."),
    DEVELOPMENT("dojima_clear", NULL, 0, rpc_clear, rpc_clear_reply, "boolean",
                "Development: ends what a revert leaves: all rules of faults, impersonated addresses, a scenario that "
                    "plays; and the clock runs as at the start. Gives true; false while that scenario has not ended "
                    "yet: ask again."),
    LOCAL_PLAIN("dojima_history", rpc_history, "object",
                "Development: the candles that dojima dev --history has made of the time before the beginning; nothing "
                    "traded then. Gives {synthesized, from, to, seed}, times in Unix ms, or null."),
    DEVELOPMENT("evm_snapshot", snapshot_params, 1, rpc_snapshot, rpc_snapshot_reply, "quantity",
                "Development: a snapshot, durable, to which the exchange can go back any number of times; gives its "
                    "number."),
    DEVELOPMENT("evm_revert", revert_params, 1, rpc_revert, rpc_true_reply, "boolean",
                "Development: everything is as it was at a snapshot, which stays; streams are closed with 1012; gives "
                    "true."),
    DEVELOPMENT("anvil_reset", reset_params, 1, rpc_reset, rpc_null_reply, "null",
                "Development: everything is as it was at the beginning; snapshots stay."),
    LOCAL_PLAIN("dojima_snapshots", rpc_snapshots, "array",
                "Development: all snapshots, {id, name, blockNumber, seq, time, createdAt}."),
    LOCAL_PLAIN("anvil_dumpState", rpc_dump_state, "data",
                "Development: everything that led to the present, compressed, for anvil_loadState."),
    DEVELOPMENT("anvil_loadState", state_params, 1, rpc_load_state, rpc_true_reply, "boolean",
                "Development: everything is as it was when anvil_dumpState gave this, history included; gives true."),
    DEVELOPMENT("evm_mine", timestamp_params, 1, rpc_mine, rpc_mine_reply, "quantity",
                "Development: a TICK now, or at a later second like evm_setNextBlockTimestamp; gives 0x0."),
    DEVELOPMENT("anvil_mine", blocks_params, 2, rpc_mine_blocks, rpc_null_reply, "null",
                "Development: the time of so many blocks passes, (blocks - 1) times the interval, and a TICK."),
    DEVELOPMENT("evm_setAutomine", enabled_params, 1, rpc_set_automine, rpc_null_reply, "null",
                "Development: true is how it is, with a TICK now; false is refused."),
    PLAIN("anvil_getAutomine", rpc_automine, "boolean", "Always true: commands happen as they come."),
    PLAIN("txpool_content", rpc_pool_content, "object", "Nothing waits: empty pending and queued."),
    PLAIN("txpool_inspect", rpc_pool_content, "object", "The same."),
    PLAIN("txpool_status", rpc_pool_status, "object", "Nothing waits: 0x0 pending and queued."),
    { .name = "anvil_setBalance", .params = wei_params, .param_count = 2, .command = rpc_set_wei,
      .more = rpc_set_wei_more, .reply = rpc_null_reply, .gives = "null",
      .doc = "Development: what eth_getBalance shows becomes the value: vUSDC in the EVM ledger." },
    { .name = "dojima_setBalance", .params = balance_params, .param_count = 1, .command = rpc_set_balance,
      .more = rpc_set_balance_more, .reply = rpc_true_reply, .gives = "boolean",
      .doc = "Development: a balance becomes the amount, by a deposit, or by a withdrawal that the rules of transfers "
             "allow; gives true." },
    OPERATOR("dojima_setStakingTier", CMD_SET_STAKING, NULL, staking_params, "Development: a user's staking tier."),
    OPERATOR("dojima_halt", CMD_SET_MARKET, "\"status\":\"HALT\"", halt_params, "Development: halts a symbol."),
    OPERATOR("dojima_resume", CMD_SET_MARKET, "\"status\":\"TRADING\"", halt_params,
             "Development: lets a symbol trade again."),
    OPERATOR("dojima_setMarket", CMD_SET_MARKET, NULL, market_params, "Development: the status of a symbol."),
    OPERATOR("dojima_setMode", CMD_SET_MODE, NULL, mode_params, "Development: the mode of the whole venue."),
    OPERATOR("dojima_setTraders", CMD_SET_TRADERS, NULL, traders_params,
             "Development: how the traders of the built-in market behave (docs/market.md)."),
    OPERATOR("dojima_settle", CMD_SETTLE, NULL, settle_params,
             "Development: announces the settlement of a perps symbol, which delists it."),
    OPERATOR("dojima_cancelOrders", CMD_CANCEL_FOR, NULL, cancel_params, "Development: cancels open orders."),
    OPERATOR("dojima_openAccount", CMD_OPEN_ACCOUNT, NULL, account_params,
             "Development: one more account of a user; gives its id."),
    OPERATOR("dojima_redeem", CMD_REDEEM, NULL, redeem_params, "Development: burns money in the EVM ledger."),
    OPERATOR("dojima_raiseLimit", CMD_RAISE_LIMIT, NULL, limit_params, "Development: more places in a pool."),
    DEVELOPMENT("dojima_fundingNow", funding_params, 1, rpc_funding_now, rpc_funding_now_reply, "object",
                "Development: engine time advances to the next whole hour, which settles funding of all perps symbols "
                    "by their rule; gives {fundingTime}."),
    LOCAL("dojima_chaosAdd", chaos_rule_params, rpc_chaos_add, "object",
          "Development: a rule of faults, at work from now on; gives it with its id."),
    LOCAL_PLAIN("dojima_chaosList", rpc_chaos_list, "array",
                "Development: the rules of faults, each with how often it has matched and acted."),
    LOCAL("dojima_chaosRemove", chaos_id_params, rpc_chaos_remove, "boolean",
          "Development: ends a rule of faults; gives true."),
    LOCAL_PLAIN("dojima_chaosClear", rpc_chaos_clear, "number",
                "Development: ends all rules of faults; gives how many there were."),
    LOCAL_PLAIN("dojima_scenarioList", rpc_scenario_list, "array",
                "Development: the scenarios of the program, each with name, about, endsMs, steps, expectations and "
                "own: whether it plays only in an exchange of its own."),
    LOCAL("dojima_scenarioStart", scenario_params, rpc_scenario_start, "object",
          "Development: plays a scenario in this exchange by its clock; gives what dojima_scenarioStatus gives. "
          "Refused while one plays."),
    LOCAL_PLAIN("dojima_scenarioStatus", rpc_scenario_status, "object",
                "Development: the scenario that plays or played last: id, name, own, ms, state (playing, stopping, "
                "passed, failed, stopped) and lines, as of dojima scenario run --json; null when none did."),
    LOCAL_PLAIN("dojima_scenarioStop", rpc_scenario_stop, "boolean",
                "Development: ends the scenario that plays. What it has changed stays; gives true."),
    LOCAL("anvil_impersonateAccount", who_params, rpc_impersonate, "null",
          "Development: writes with the header X-Dojima-As and this address need no signature, from this machine."),
    LOCAL("anvil_stopImpersonatingAccount", who_params, rpc_stop_impersonating, "null",
          "Development: ends that; nothing when the address was not impersonated."),
    LOCAL("anvil_autoImpersonateAccount", enabled_params, rpc_impersonate_all, "null",
          "Development: whether every address is impersonated."),

    LOCAL("dojima_explainSignature", request_params, rpc_explain_signature, "object",
          "Development: what a signed write hashes to, who signed it, and the likely causes when its signature is "
          "refused; the request is not done. Gives {accepted, type, hashed, payloadHash, domain, domainSeparator, "
          "nonce, digest, recovered, signature, expected, causes, answer}."),
    { .name = "dojima_explainOrder", .params = request_params, .param_count = 1, .command = rpc_explain_order,
      .explain = rpc_explain_order_answer, .gives = "object",
      .doc = "Development: the answer that a signed write would have now, by the rules of the engine on a copy of its "
             "state; nothing is logged. Alone in its request. Gives {accepted, judge, answer, causes}: judge is "
             "request where a check before the engine refuses, else engine." },

    REFUSED("anvil_setCode", "there is no EVM here, so an address has no code"),
    REFUSED("anvil_setStorageAt", "there is no EVM here, so an address has no storage"),
    REFUSED("anvil_setNonce", "a nonce is a time that the client chooses, and those that were used are kept"),
    REFUSED("anvil_setCoinbase", "a block has no miner; fees go to the fee vault"),
    REFUSED("evm_setBlockGasLimit", "there is no gas; docs/limits.md has the bounds of the exchange"),
    REFUSED("anvil_setMinGasPrice", "there is no gas"),
    REFUSED("anvil_setNextBlockBaseFeePerGas", "there is no gas"),
    REFUSED("evm_setIntervalMining", "commands make the blocks; dojima_setClock says how fast time runs"),
    REFUSED("anvil_setBlockTimestampInterval", "blocks have the clock's time: dojima_setClock, dojima_step"),
    REFUSED("anvil_removeBlockTimestampInterval", "blocks have the clock's time, and no interval can be set"),
    REFUSED("anvil_setRpcUrl", "nothing is forked: the exchange needs no other node"),
    REFUSED("anvil_setLoggingEnabled", "the lines of the console are chosen at the start: dojima dev --quiet"),
    REFUSED("anvil_dropTransaction", "no transaction waits: what is answered is durable"),
    REFUSED("eth_sendUnsignedTransaction", "writes go to the REST interface: impersonate, and send X-Dojima-As"),
};
/* clang-format on */
const uint32_t rpc_method_count = ARRAY_COUNT(rpc_methods);
