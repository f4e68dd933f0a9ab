/* SPDX-License-Identifier: MIT */
/* rig_chain.h — a chain of one block made by hand, for the tests of api/: the block and transaction of mechanics E17.
 */
#ifndef RIGS_API_RIG_CHAIN_H
#define RIGS_API_RIG_CHAIN_H

#include "api/inside.h"

static struct {
    struct history_block      block; /* number 0: there is no block */
    struct history_transacted tx;
    union history_effect      effects[4];
    int                       effect_count;
    int                       error;   /* a negative errno for every read */
    struct command_room       command; /* the transaction as the log has it */
    struct slice              input;
    uint8_t                   signature[65];
    int                       log_error;
    struct block_header       block0;
} rig_chain;

int history_block_at(struct history *history, uint64_t number, struct history_block *block)
{
    (void)history;
    if (rig_chain.error != 0) return rig_chain.error;
    if (number == 0 || number != rig_chain.block.number) return 0;
    *block = rig_chain.block;
    return 1;
}

int history_block_of(struct history *history, const struct hash256 *hash, struct history_block *block)
{
    if (rig_chain.error != 0 || !hash256_equal(hash, &rig_chain.block.hash)) return rig_chain.error;
    return history_block_at(history, rig_chain.block.number, block);
}

int history_transaction_at(struct history *history, const struct history_block *block, uint32_t index,
                           struct history_transacted *tx)
{
    (void)history;
    if (rig_chain.error != 0) return rig_chain.error;
    if (index >= block->count) return 0;
    *tx = rig_chain.tx;
    return 1;
}

int history_transaction_of(struct history *history, const struct hash256 *hash, struct history_transacted *tx)
{
    if (rig_chain.error != 0) return rig_chain.error;
    if (rig_chain.block.number == 0 || !hash256_equal(hash, &rig_chain.tx.place.hash)) return 0;
    return history_transaction_at(history, &rig_chain.block, 0, tx);
}

int history_transactions(struct history *history, const struct history_block *block, struct history_transacted *txs)
{
    return history_transaction_at(history, block, 0, txs);
}

int history_effects(struct history *history, uint64_t seq, union history_effect *effects, uint32_t max)
{
    (void)history, (void)seq;
    for (uint32_t i = 0; i < max && (int)i < rig_chain.effect_count; i++) effects[i] = rig_chain.effects[i];
    return rig_chain.error != 0 ? rig_chain.error : rig_chain.effect_count;
}

static inline int rig_read_log(void *self, const struct log_position_short *position, void *room, size_t cap,
                               api_take_command *take, void *context)
{
    (void)self, (void)position, (void)room, (void)cap;
    if (rig_chain.log_error != 0) return rig_chain.log_error;
    (void)take(context, &rig_chain.command.head, rig_chain.input, rig_chain.signature);
    return 0;
}

static const struct api_log rig_log = { NULL, rig_read_log };

#endif
