/* SPDX-License-Identifier: MIT */
/*
 * rpc_chain.c — what blocks, transactions and receipts of the chain node share: finding them in the history, and the
 * members that all of them have. State of addresses is here too.
 */
#include "api/node/rpc_chain.h"
#include "base/fixed.h"
#include "wire/json_members.h"

void rpc_fail_read(struct rpc_call *rpc)
{
    rpc_fail(rpc, RPC_INTERNAL, "the stored block is damaged or cannot be read", RPC_NO_TEXT);
}

uint64_t rpc_head(const struct rpc_call *rpc) { return views_last_block(rpc->call->api->shared->views).height; }

int rpc_find_number(struct rpc_call *rpc, uint64_t number, struct history_block *block)
{
    const struct block_header *genesis = rpc->call->api->shared->block0;
    int                        found;

    if (number == 0) {
        *block = (struct history_block){ .hash = block_hash(genesis),
                                         .state_root = genesis->state_root,
                                         .time_ms = genesis->time_ms };
        return 1;
    }
    found = history_block_at(rpc_history_of(rpc), number, block);
    if (found < 0) rpc_fail_read(rpc);
    return found < 0 ? -1 : found;
}

int rpc_find_by_param(struct rpc_call *rpc, const struct rpc_value *value, struct history_block *block)
{
    uint64_t head = rpc_head(rpc);

    int found;

    if (!value->is_head && value->number > head) return 0;
    found = rpc_find_number(rpc, value->is_head ? head : value->number, block);
    if (found == 0) rpc_fail_read(rpc); /* every block up to the head is kept */
    return found == 0 ? -1 : found;
}

int rpc_find_by_hash(struct rpc_call *rpc, const struct hash256 *hash, struct history_block *block)
{
    int found;

    if (rpc_find_number(rpc, 0, block) == 1 && hash256_equal(&block->hash, hash)) return 1;
    found = history_block_of(rpc_history_of(rpc), hash, block);
    if (found < 0) rpc_fail_read(rpc);
    return found < 0 ? -1 : found;
}

bool rpc_load_transactions(struct rpc_call *rpc, const struct history_block *block)
{
    struct rpc_room *room = &rpc->call->api->rpc;

    if (block->count > RPC_TXS_MAX || history_transactions(rpc_history_of(rpc), block, room->txs) < 0) {
        rpc_fail_read(rpc);
        return false;
    }
    return true;
}

int rpc_found_visible(struct rpc_call *rpc, int found, const struct history_block *block)
{
    return found == 1 && block->number > rpc_head(rpc) ? 0 : found;
}

int rpc_find_transaction(struct rpc_call *rpc, struct history_transacted *tx, struct history_block *block)
{
    int found = history_transaction_of(rpc_history_of(rpc), &rpc->params[0].hash, tx);

    if (found == 1) found = history_block_at(rpc_history_of(rpc), tx->place.block, block) == 1 ? 1 : -1;
    if (found < 0) rpc_fail_read(rpc);
    return rpc_found_visible(rpc, found, block);
}

void rpc_write_null(struct rpc_call *rpc) { out_literal(rpc->out, "null"); }

/* ---- members ---- */

void rpc_put_quantity(struct out *out, const char *name, uint64_t value)
{
    json_key(out, name);
    rpc_out_quantity(out, value);
}

void rpc_put_bytes(struct out *out, const char *name, const void *bytes, size_t len)
{
    json_key(out, name);
    rpc_out_bytes(out, bytes, len);
}

void rpc_put_address(struct out *out, const char *name, const struct address *address)
{
    rpc_put_bytes(out, name, address->bytes, 20);
}
void rpc_put_hash(struct out *out, const char *name, const struct hash256 *hash)
{
    rpc_put_bytes(out, name, hash->bytes, 32);
}

void rpc_out_word(struct out *out, const uint8_t word[32])
{
    static const char digits[] = "0123456789abcdef";
    int               at = 0;

    out_literal(out, "\"0x");
    while (at < 63 && (word[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15) == 0) at++;
    for (; at < 64; at++) out_char(out, digits[word[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15]);
    out_char(out, '"');
}

void rpc_put_word(struct out *out, const char *name, const uint8_t word[32])
{
    json_key(out, name);
    rpc_out_word(out, word);
}

void rpc_put_zeros(struct out *out, const char *name, size_t len)
{
    static const uint8_t zeros[256];

    assert(len <= sizeof(zeros));
    rpc_put_bytes(out, name, zeros, len);
}

/* ---- addresses ---- */

/* Only the newest state is kept: a block that is named must be the last one. */
static bool is_last_block(struct rpc_call *rpc, const struct rpc_value *block)
{
    if (!block->given || block->is_head || block->number == rpc_head(rpc)) return true;
    rpc_fail(rpc, RPC_REFUSED, "only the state of the last block is kept: ask for latest", RPC_NO_TEXT);
    return false;
}

#define WEI_DECIMALS 18 /* every wallet shows the balance of the chain's own money with so many decimals */

void rpc_balance(struct rpc_call *rpc)
{
    const struct views *views = rpc->call->api->shared->views;
    const struct coin  *coin = views_coin(views, COIN_MARGIN);
    uint8_t             word[32] = { 0 };
    uint128_t           wei;

    if (!is_last_block(rpc, &rpc->params[1])) return;
    wei = (uint128_t)views_evm_balance(views, &rpc->params[0].address, COIN_MARGIN)
        * (uint64_t)pow10_i64(WEI_DECIMALS - (int)coin->precision);
    for (int i = 0; i < 16; i++) word[31 - i] = (uint8_t)(wei >> (8 * i));
    rpc_out_word(rpc->out, word);
}

void rpc_transaction_count(struct rpc_call *rpc)
{
    const struct views *views = rpc->call->api->shared->views;
    struct view_account account;

    if (!is_last_block(rpc, &rpc->params[1])) return;
    rpc_out_quantity(rpc->out, views_primary_account(views, &rpc->params[0].address, &account)
                                   ? views_counts(views, account.user_id).transactions
                                   : 0);
}
