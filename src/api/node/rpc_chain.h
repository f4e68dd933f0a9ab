/* SPDX-License-Identifier: MIT */
/*
 * rpc_chain.h — blocks, transactions and receipts in the form of an Ethereum node (mechanics 8.1 to 8.3; rulings 27,
 * 57), between the files that write them. Blocks come from the history, the text of transactions from the log. Every
 * hash in an answer can be recomputed from the answer, and is recomputed here before it is sent: a block or a
 * transaction without the hash that it is stored under is an error, not an answer.
 */
#ifndef API_NODE_RPC_CHAIN_H
#define API_NODE_RPC_CHAIN_H

#include "api/node/rpc.h"

#define RPC_NO_TEXT ((struct slice){ NULL, 0 })

/* ---- finding: rpc_chain.c ---- */

static inline struct history *rpc_history_of(const struct rpc_call *rpc) { return rpc->call->api->shared->history; }

/* The number of the last block that may be shown. */
uint64_t rpc_head(const struct rpc_call *rpc);

/* A read that failed: damage, or a disk that cannot be read. */
void rpc_fail_read(struct rpc_call *rpc);

/* A block; 1 found, 0 none, -1 after rpc_fail. Block 0 has no transactions and is no row. */
int rpc_find_number(struct rpc_call *rpc, uint64_t number, struct history_block *block);
int rpc_find_by_param(struct rpc_call *rpc, const struct rpc_value *value, struct history_block *block);
int rpc_find_by_hash(struct rpc_call *rpc, const struct hash256 *hash, struct history_block *block);

/* The transaction that the first parameter names by its hash, and its block; results as above. */
int rpc_find_transaction(struct rpc_call *rpc, struct history_transacted *tx, struct history_block *block);

/* What a finder found, or 0: the history has a block shortly before the block may be shown. */
int rpc_found_visible(struct rpc_call *rpc, int found, const struct history_block *block);

/* The transactions of a block in api->rpc.txs; false after rpc_fail. */
bool rpc_load_transactions(struct rpc_call *rpc, const struct history_block *block);

/* ---- members of the answer: rpc_chain.c ---- */

void rpc_write_null(struct rpc_call *rpc);
void rpc_out_word(struct out *out, const uint8_t word[32]); /* 32 bytes as a quantity: no leading zeros */
void rpc_put_quantity(struct out *out, const char *name, uint64_t value);
void rpc_put_bytes(struct out *out, const char *name, const void *bytes, size_t len);
void rpc_put_address(struct out *out, const char *name, const struct address *address);
void rpc_put_hash(struct out *out, const char *name, const struct hash256 *hash);
void rpc_put_word(struct out *out, const char *name, const uint8_t word[32]);
void rpc_put_zeros(struct out *out, const char *name, size_t len); /* at most 256 bytes */

/* ---- transactions: rpc_transaction.c ---- */

/* Transactions of one block that are being written: their stored rows, and the form of each. */
struct rpc_writing {
    struct rpc_call                 *rpc;
    const struct history_block      *block;
    const struct history_transacted *txs; /* wanted, ascending by seq */
    uint32_t                         count, written;
    void (*write)(struct rpc_writing *writing, const struct history_transacted *tx, const struct command *command,
                  const struct transaction *transaction);
    uint32_t log_index; /* receipts: of the first log */
};

/* Writes what is wanted, each with its command out of the log; false after rpc_fail. */
bool rpc_write_all(struct rpc_writing *writing);

/* The form of a transaction object, for rpc_writing. */
void rpc_write_transaction(struct rpc_writing *writing, const struct history_transacted *tx,
                           const struct command *command, const struct transaction *transaction);

/* The brace and what transactions and receipts both have; the hash is called `hash_key`. */
void rpc_begin_transacted(struct rpc_writing *writing, const char *hash_key, const struct history_transacted *tx,
                          const struct command *command, const struct transaction *transaction);
void rpc_put_place(struct out *out, const struct history_block *block, const struct history_transacted *tx);

#endif
