/* SPDX-License-Identifier: MIT */
#include "pipeline/blocks.h"

void blocks_init(struct blocks *blocks, const struct genesis *genesis, struct slice genesis_json)
{
    struct hash256 zero = { { 0 } }, content = keccak256(genesis_json.at, genesis_json.len);
    struct keccak  root;

    memset(blocks, 0, sizeof(*blocks));
    keccak_init(&root);
    keccak_add(&root, zero.bytes, sizeof(zero.bytes));
    keccak_add(&root, content.bytes, sizeof(content.bytes));
    blocks->last.state_root = keccak_end(&root);
    blocks->last.transactions_root = empty_trie_root();
    blocks->last.receipts_root = empty_trie_root();
    blocks->last.time_ms = genesis->time_ms;
    blocks->genesis = blocks->last;
    blocks->applied.hash = block_hash(&blocks->last);
    blocks->recent[0] = blocks->applied;
    blocks->chain_id = genesis->chain_ids[0];
}

void blocks_begin(struct blocks *blocks)
{
    leaves_begin(&blocks->events);
    keccak_init(&blocks->hashes);
    keccak_init(&blocks->receipts);
    blocks->count = 0;
}

struct hash256 blocks_write_hash(const struct command *command, struct slice input, const uint8_t signature[65])
{
    struct transaction tx = transaction_of(command, input, signature);

    return transaction_hash(&tx);
}

bool blocks_is_pulse(const struct command *command)
{
    return command->kind == CMD_SET_INDEX && ((const struct set_index *)command_payload(command))->by_hand == 0;
}

#define NAMED_AT_ONCE 64

void blocks_name(struct log_batch *batch, struct log_cursor *named, uint32_t most)
{
    struct transaction_parts parts[NAMED_AT_ONCE];
    struct eight_job         jobs[NAMED_AT_ONCE];
    uint32_t                 count = 0, end = named->index + min_u32(most, batch->count - named->index);

    while (named->index < end) {
        struct hash256   *hash = log_batch_hash(batch, named);
        struct log_record record;
        bool              there = log_batch_next(batch, named, &record);

        assert(there);
        if (record.command->kind != CMD_TICK && !blocks_is_pulse(record.command)) {
            struct transaction tx;

            transaction_set(&tx, record.command, record.signed_bytes, record.signature);
            jobs[count] = transaction_job(&tx, &parts[count], hash);
            count += 1;
        }
        if (count == NAMED_AT_ONCE || named->index == end) {
            eight_hash_all(jobs, count);
            count = 0;
        }
    }
}

struct hash256 blocks_tick_hash(const struct blocks *blocks, const struct command *command)
{
    char               text[TICK_TEXT_MAX];
    struct transaction tx = transaction_of_tick(command, blocks->chain_id, text);

    return transaction_hash(&tx);
}

/* The transaction facts of one command, from its events. */
struct outcome {
    bool refused, acted, passed;
};

/* Prices, premiums and counters that moved are none (ruling 28, mechanics 8.1). */
static bool is_an_act(uint16_t kind)
{
    switch (kind) {
    case EVENT_ORDER:
    case EVENT_PERPS_ORDER:
    case EVENT_FILL:
    case EVENT_POSITION:
    case EVENT_FUNDING:
    case EVENT_UNIT:
    case EVENT_PHASE: return true;
    default: return false;
    }
}

/* Of a command that is no TICK only its beginning is read: results and refusal are before all else. */
static struct outcome outcome_of(const struct events *events, bool tick)
{
    struct outcome outcome = { false, false, false };

    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (!tick && event->kind > EVENT_RESULT) break;
        if (event->kind == EVENT_REFUSED) outcome.refused = true;
        if (is_an_act(event->kind)) outcome.acted = true;
        if (event->kind == EVENT_SCHEDULE && ((const struct schedule *)event)->fired != 0) outcome.acted = true;
        if (event->kind == EVENT_RESULT && ((const struct result *)event)->reject == REJECT_NONE) outcome.passed = true;
    }
    return outcome;
}

bool blocks_add(struct blocks *blocks, const struct log_record *record, const struct events *events,
                struct hash256 *hash)
{
    bool           tick = record->command->kind == CMD_TICK;
    struct outcome outcome = outcome_of(events, tick);
    uint8_t        status = tick || outcome.passed;

    if (outcome.refused || (tick && !outcome.acted) || blocks_is_pulse(record->command)) return false;
    *hash = tick ? blocks_tick_hash(blocks, record->command) : *record->tx_hash;
    keccak_add(&blocks->hashes, hash->bytes, sizeof(hash->bytes));
    keccak_add(&blocks->receipts, &status, 1);
    blocks->status = status;
    blocks->count += 1;
    return true;
}

void blocks_events(struct blocks *blocks, const struct events *events)
{
    _Alignas(uint64_t) uint8_t piece[2 * ENCODE_ROOM];
    struct encoding            encoding = encode_begin(&blocks->encoder, events);
    size_t                     bytes;

    if (blocks->whole) leaves_add(&blocks->events, events->at, events->len);
    else
        while ((bytes = encode_next(&encoding, piece, sizeof(piece))) != 0) leaves_add(&blocks->events, piece, bytes);
}

bool blocks_end(struct blocks *blocks, int64_t time_ms)
{
    struct block_header *last = &blocks->last;
    struct hash256       content;
    struct keccak        root;

    if (blocks->count == 0) return false;
    content = leaves_end(&blocks->events);
    keccak_init(&root);
    keccak_add(&root, last->state_root.bytes, sizeof(last->state_root.bytes));
    keccak_add(&root, content.bytes, sizeof(content.bytes));

    last->parent_hash = blocks->applied.hash;
    last->state_root = keccak_end(&root);
    last->transactions_root = keccak_end(&blocks->hashes);
    last->receipts_root = keccak_end(&blocks->receipts);
    last->number += 1;
    last->time_ms = time_ms;
    blocks->applied = (struct log_applied){ last->number, block_hash(last) };
    blocks->recent[last->number % BLOCKS_REMEMBERED] = blocks->applied;
    blocks->transactions += blocks->count;
    return true;
}

bool blocks_agree(const struct blocks *blocks, const struct log_applied *claim)
{
    const struct log_applied *known = &blocks->recent[claim->number % BLOCKS_REMEMBERED];

    return claim->number <= blocks->applied.number && known->number == claim->number
        && hash256_equal(&known->hash, &claim->hash);
}
