/* SPDX-License-Identifier: MIT */
/*
 * rpc_block.c — blocks in the form of an Ethereum node (mechanics 8.1). The hash of a block is recomputed from the
 * header that is about to be sent: another one than it is stored under is an error, not an answer.
 */
#include "api/node/rpc_chain.h"
#include "wire/json_members.h"

struct block {
    struct history_block kept;
    struct block_header  header; /* after load_header */
};

/* The 15-field header, and that it has the hash of the block. */
static bool load_header(struct rpc_call *rpc, struct block *block)
{
    const struct rpc_room *room = &rpc->call->api->rpc;
    struct history_block   parent;
    struct keccak          hashes, receipts;
    struct hash256         hash;

    if (block->kept.number == 0) {
        block->header = *rpc->call->api->shared->block0;
        return true;
    }
    if (!rpc_load_transactions(rpc, &block->kept) || rpc_find_number(rpc, block->kept.number - 1, &parent) != 1)
        return false;
    keccak_init(&hashes);
    keccak_init(&receipts);
    for (uint32_t i = 0; i < block->kept.count; i++) {
        uint8_t status = (uint8_t)room->txs[i].place.status;
        keccak_add(&hashes, room->txs[i].place.hash.bytes, 32);
        keccak_add(&receipts, &status, 1);
    }
    block->header = (struct block_header){
        .parent_hash = parent.hash,
        .state_root = block->kept.state_root,
        .transactions_root = keccak_end(&hashes),
        .receipts_root = keccak_end(&receipts),
        .number = block->kept.number,
        .time_ms = block->kept.time_ms,
    };
    hash = block_hash(&block->header);
    if (hash256_equal(&hash, &block->kept.hash)) return true;
    rpc_fail_read(rpc);
    return false;
}

static void put_header(struct out *out, const struct block *block)
{
    static const struct hash256 zero;
    const struct block_header  *header = &block->header;
    struct hash256              no_uncles = keccak256("\xc0", 1);
    uint8_t                     time_ms[8];

    for (int i = 0; i < 8; i++) time_ms[i] = (uint8_t)((uint64_t)header->time_ms >> (8 * (7 - i)));
    rpc_put_quantity(out, "number", header->number);
    rpc_put_hash(out, "hash", &block->kept.hash);
    rpc_put_hash(out, "parentHash", &header->parent_hash);
    rpc_put_hash(out, "sha3Uncles", &no_uncles);
    rpc_put_zeros(out, "miner", 20);
    rpc_put_hash(out, "stateRoot", &header->state_root);
    rpc_put_hash(out, "transactionsRoot", &header->transactions_root);
    rpc_put_hash(out, "receiptsRoot", &header->receipts_root);
    rpc_put_zeros(out, "logsBloom", 256);
    rpc_put_quantity(out, "difficulty", 0);
    rpc_put_quantity(out, "gasLimit", BLOCK_GAS_LIMIT);
    rpc_put_quantity(out, "gasUsed", 0);
    rpc_put_quantity(out, "timestamp", (uint64_t)header->time_ms / 1000);
    rpc_put_quantity(out, "timestampMs", (uint64_t)header->time_ms);
    rpc_put_bytes(out, "extraData", time_ms, sizeof(time_ms));
    rpc_put_hash(out, "mixHash", &zero);
    rpc_put_zeros(out, "nonce", 8);
    rpc_put_quantity(out, "size", block_bytes(header));
    rpc_put_quantity(out, "totalDifficulty", 0);
    json_plain(out, "uncles", "[]");
}

static void put_transactions(struct rpc_call *rpc, const struct block *block, bool full)
{
    const struct rpc_room *room = &rpc->call->api->rpc;
    struct rpc_writing     writing = {
            .rpc = rpc,
            .block = &block->kept,
            .txs = room->txs,
            .count = block->kept.count,
            .write = rpc_write_transaction,
    };

    json_open(rpc->out, "transactions", '[');
    if (full && block->kept.count != 0) (void)rpc_write_all(&writing);
    for (uint32_t i = 0; i < block->kept.count && !full; i++) {
        if (i != 0) out_char(rpc->out, ',');
        rpc_out_bytes(rpc->out, room->txs[i].place.hash.bytes, 32);
    }
    out_char(rpc->out, ']');
}

static void write_block(struct rpc_call *rpc, int found, struct block *block)
{
    if (found == 0) rpc_write_null(rpc);
    if (found != 1 || !load_header(rpc, block)) return;
    out_char(rpc->out, '{');
    put_header(rpc->out, block);
    put_transactions(rpc, block, rpc->params[1].flag);
    out_char(rpc->out, '}');
}

void rpc_block_by_number(struct rpc_call *rpc)
{
    struct block block;
    int          found = rpc_find_by_param(rpc, &rpc->params[0], &block.kept);

    write_block(rpc, found, &block);
}

static int find_visible(struct rpc_call *rpc, struct history_block *block)
{
    return rpc_found_visible(rpc, rpc_find_by_hash(rpc, &rpc->params[0].hash, block), block);
}

void rpc_block_by_hash(struct rpc_call *rpc)
{
    struct block block;
    int          found = find_visible(rpc, &block.kept);

    write_block(rpc, found, &block);
}

static void write_count(struct rpc_call *rpc, int found, const struct history_block *block)
{
    if (found == 1) rpc_out_quantity(rpc->out, block->count);
    if (found == 0) rpc_write_null(rpc);
}

void rpc_count_by_number(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = rpc_find_by_param(rpc, &rpc->params[0], &block);

    write_count(rpc, found, &block);
}

void rpc_count_by_hash(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = find_visible(rpc, &block);

    write_count(rpc, found, &block);
}
