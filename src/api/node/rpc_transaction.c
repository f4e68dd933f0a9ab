/* SPDX-License-Identifier: MIT */
/*
 * rpc_transaction.c — transactions in the form of an Ethereum node (mechanics 8.2; rulings 27, 57). Their rows come
 * from the history, their text from the log. A transaction whose text does not have the hash that it is stored under
 * is an error, not an answer.
 */
#include "api/node/rpc_chain.h"
#include "crypto/typed.h"
#include "wire/json_members.h"

#include <errno.h>

static bool is_legacy(const struct rpc_call *rpc) { return rpc->call->api->shared->settings.rpc_legacy; }

void rpc_put_place(struct out *out, const struct history_block *block, const struct history_transacted *tx)
{
    rpc_put_hash(out, "blockHash", &block->hash);
    rpc_put_quantity(out, "blockNumber", block->number);
    rpc_put_quantity(out, "blockTimestamp", (uint64_t)block->time_ms / 1000);
    rpc_put_quantity(out, "transactionIndex", tx->place.index);
}

void rpc_begin_transacted(struct rpc_writing *writing, const char *hash_key, const struct history_transacted *tx,
                          const struct command *command, const struct transaction *transaction)
{
    struct out           *out = writing->rpc->out;
    const struct address *from = command->domain == 0 ? &transaction->to : &command->signer;

    out_char(out, '{');
    rpc_put_quantity(out, "type", is_legacy(writing->rpc) ? 0 : transaction->type);
    rpc_put_hash(out, hash_key, &tx->place.hash);
    rpc_put_place(out, writing->block, tx);
    rpc_put_address(out, "from", from);
    rpc_put_address(out, "to", &transaction->to);
}

static void put_signature(struct rpc_call *rpc, const struct transaction *tx)
{
    struct out *out = rpc->out;

    rpc_put_quantity(out, "v", is_legacy(rpc) ? 35 + 2 * tx->chain_id + tx->signature.v : tx->signature.v);
    if (!is_legacy(rpc)) rpc_put_quantity(out, "yParity", tx->signature.v);
    rpc_put_word(out, "r", tx->signature.r);
    rpc_put_word(out, "s", tx->signature.s);
}

/* The account of a signed command, and its owner. */
static void put_owner(struct rpc_call *rpc, const struct command *command)
{
    const struct views *views = rpc->call->api->shared->views;
    struct view_account account;
    uint64_t            account_id;
    bool                known;

    memcpy(&account_id, command_payload(command), sizeof(account_id));
    known = account_id != 0 ? views_account(views, account_id, &account)
                            : views_primary_account(views, &command->signer, &account);
    if (!known) return;
    rpc_put_address(rpc->out, "owner", &account.owner);
    rpc_put_quantity(rpc->out, "accountID", account.account_id);
}

/* Which typed data the signature of a registration is of: it is signed by its members, not as a text (ruling 57). */
static void put_typed_data(struct rpc_call *rpc, const struct command *command, const struct transaction *tx)
{
    struct api                *api = rpc->call->api;
    struct slice               body = tx->input;
    struct add_key_request     request;
    struct shape_error         error;
    const char                *params = memmem(body.at, body.len, "\"params\":", 9);
    const struct key_spelling *spelling;

    if (command->kind == CMD_ORACLE_POST) {
        json_key(rpc->out, "typedData");
        json_write_string(rpc->out, SLICE("OraclePrices"));
        return;
    }
    if (command->kind != CMD_ADD_KEY || command->domain != DOMAIN_UNIVERSAL || params == NULL) return;
    body = slice_make(params + 9, (size_t)(body.at + body.len - 1 - (params + 9)));
    if (shape_read(&add_key_shape, body, &request, &error) != REJECT_NONE) return;
    spelling = key_grant_spelling((struct grant_walk){ .grant = key_grant_of(&request, command->nonce),
                                                       .domain_chain = command->chain_id,
                                                       .chain_ids = api->chain_ids,
                                                       .chain_count = api->chain_count },
                                  &tx->signature, &command->signer);
    if (spelling == NULL) return;
    json_key(rpc->out, "typedData");
    json_write_string(rpc->out, slice_of(spelling->primary_type));
}

void rpc_write_transaction(struct rpc_writing *writing, const struct history_transacted *tx,
                           const struct command *command, const struct transaction *transaction)
{
    struct rpc_call *rpc = writing->rpc;
    struct out      *out = rpc->out;

    rpc_begin_transacted(writing, "hash", tx, command, transaction);
    rpc_put_quantity(out, "chainId", transaction->chain_id);
    rpc_put_quantity(out, "nonce", transaction->nonce);
    rpc_put_quantity(out, "value", 0);
    rpc_put_quantity(out, "gas", 0);
    rpc_put_quantity(out, "gasPrice", 0);
    if (!is_legacy(rpc)) {
        rpc_put_quantity(out, "maxFeePerGas", 0);
        rpc_put_quantity(out, "maxPriorityFeePerGas", 0);
        json_plain(out, "accessList", "[]");
    }
    rpc_put_bytes(out, "input", transaction->input.at, transaction->input.len);
    put_signature(rpc, transaction);
    rpc_put_quantity(out, "domain", transaction->domain);
    if (command->domain != 0) {
        if (command->domain != DOMAIN_ORACLE) put_owner(rpc, command);
        put_typed_data(rpc, command, transaction);
    }
    out_char(out, '}');
}

/* One command of the batch, out of the log; false: enough. */
static bool take_command(void *context, const struct command *command, struct slice input, const uint8_t signature[65])
{
    struct rpc_writing              *writing = context;
    const struct history_transacted *tx = &writing->txs[writing->written];
    struct transaction               transaction;
    struct hash256                   hash;
    char                             text[TICK_TEXT_MAX];

    if (command->seq < tx->seq) return true;
    if (command->kind == CMD_TICK)
        transaction = transaction_of_tick(command, writing->rpc->call->api->shared->genesis->chain_ids[0], text);
    else transaction = transaction_of(command, input, signature);
    hash = transaction_hash(&transaction);
    if (command->seq != tx->seq || !hash256_equal(&hash, &tx->place.hash)) {
        rpc_fail_read(writing->rpc);
        return false;
    }
    if (writing->written++ != 0) out_char(writing->rpc->out, ',');
    writing->write(writing, tx, command, &transaction);
    return writing->written < writing->count && !writing->rpc->out->overflow;
}

bool rpc_write_all(struct rpc_writing *writing)
{
    struct rpc_call      *rpc = writing->rpc;
    const struct api_log *log = rpc->call->api->shared->log;
    struct rpc_room      *room = &rpc->call->api->rpc;
    int error = log->read(log->self, &writing->block->position, room->log, sizeof(room->log), take_command, writing);

    if (error == ENODATA)
        rpc_fail(rpc, RPC_PRUNED, "pruned history unavailable: the log was trimmed, its archive has this transaction",
                 RPC_NO_TEXT);
    else if (error != 0 || (writing->written < writing->count && !rpc->out->overflow)) rpc_fail_read(rpc);
    return rpc->code == 0;
}

static void write_one(struct rpc_call *rpc, const struct history_block *block, const struct history_transacted *tx)
{
    struct rpc_writing writing = { .rpc = rpc, .block = block, .txs = tx, .count = 1, .write = rpc_write_transaction };
    (void)rpc_write_all(&writing);
}

/* By its index in a block: `found` as the finders return it. */
static void write_at(struct rpc_call *rpc, int found, const struct history_block *block, uint64_t index)
{
    struct history_transacted tx;

    if (found == 1)
        found = index >= block->count ? 0 : history_transaction_at(rpc_history_of(rpc), block, (uint32_t)index, &tx);
    else if (found < 0) return;
    if (found < 0) rpc_fail_read(rpc);
    else if (found == 0) rpc_write_null(rpc);
    else write_one(rpc, block, &tx);
}

void rpc_transaction_by_number(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = rpc_find_by_param(rpc, &rpc->params[0], &block);

    write_at(rpc, found, &block, rpc->params[1].number);
}

void rpc_transaction_by_block_hash(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = rpc_find_by_hash(rpc, &rpc->params[0].hash, &block);

    write_at(rpc, found, &block, rpc->params[1].number);
}

void rpc_transaction_by_hash(struct rpc_call *rpc)
{
    struct history_transacted tx;
    struct history_block      block;
    int                       found = rpc_find_transaction(rpc, &tx, &block);

    if (found == 1) write_one(rpc, &block, &tx);
    else if (found == 0) rpc_write_null(rpc);
}
