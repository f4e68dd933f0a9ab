/* SPDX-License-Identifier: MIT */
/*
 * rpc_chain.c — blocks and transactions in the form of an Ethereum node (mechanics 8.1 to 8.3; rulings 27, 57). Every
 * hash in an answer can be recomputed from the answer, and is recomputed here before it is sent: a block or a
 * transaction without the hash that it is stored under is an error, not an answer.
 *
 * Blocks come from the history, the text of transactions from the log.
 */
#include "api/node/rpc.h"
#include "base/fixed.h"
#include "crypto/typed.h"
#include "wire/json_members.h"

#include <errno.h>

#define NO_TEXT ((struct slice){ NULL, 0 })

static struct history *history_of(const struct rpc_call *rpc) { return rpc->call->api->shared->history; }

/* A read that failed: damage, or a disk that cannot be read. */
static void fail_read(struct rpc_call *rpc)
{
    rpc_fail(rpc, RPC_INTERNAL, "the stored block is damaged or cannot be read", NO_TEXT);
}

/* ---- finding ---- */

struct block {
    struct history_block kept;
    struct block_header  header; /* after load_header */
};

static uint64_t head_of(const struct rpc_call *rpc) { return views_last_block(rpc->call->api->shared->views).height; }

/* 1 found, 0 none, -1 after rpc_fail. Block 0 has no transactions and is no row. */
static int find_number(struct rpc_call *rpc, uint64_t number, struct history_block *block)
{
    const struct block_header *genesis = rpc->call->api->shared->block0;
    int                        found;

    if (number == 0) {
        *block = (struct history_block){ .hash = block_hash(genesis),
                                         .state_root = genesis->state_root,
                                         .time_ms = genesis->time_ms };
        return 1;
    }
    found = history_block_at(history_of(rpc), number, block);
    if (found < 0) fail_read(rpc);
    return found < 0 ? -1 : found;
}

static int find_by_param(struct rpc_call *rpc, const struct rpc_value *value, struct history_block *block)
{
    uint64_t head = head_of(rpc);

    int found;

    if (!value->is_head && value->number > head) return 0;
    found = find_number(rpc, value->is_head ? head : value->number, block);
    if (found == 0) fail_read(rpc); /* every block up to the head is kept */
    return found == 0 ? -1 : found;
}

static int find_by_hash(struct rpc_call *rpc, const struct hash256 *hash, struct history_block *block)
{
    int found;

    if (find_number(rpc, 0, block) == 1 && hash256_equal(&block->hash, hash)) return 1;
    found = history_block_of(history_of(rpc), hash, block);
    if (found < 0) fail_read(rpc);
    return found < 0 ? -1 : found;
}

/* The transactions of a block in api->rpc.txs; false after rpc_fail. */
static bool load_transactions(struct rpc_call *rpc, const struct history_block *block)
{
    struct rpc_room *room = &rpc->call->api->rpc;

    if (block->count > RPC_TXS_MAX || history_transactions(history_of(rpc), block, room->txs) < 0) {
        fail_read(rpc);
        return false;
    }
    return true;
}

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
    if (!load_transactions(rpc, &block->kept) || find_number(rpc, block->kept.number - 1, &parent) != 1) return false;
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
    fail_read(rpc);
    return false;
}

/* ---- members ---- */

static void put_quantity(struct out *out, const char *name, uint64_t value)
{
    json_key(out, name);
    rpc_out_quantity(out, value);
}

static void put_bytes(struct out *out, const char *name, const void *bytes, size_t len)
{
    json_key(out, name);
    rpc_out_bytes(out, bytes, len);
}

static void put_address(struct out *out, const char *name, const struct address *address)
{
    put_bytes(out, name, address->bytes, 20);
}
static void put_hash(struct out *out, const char *name, const struct hash256 *hash)
{
    put_bytes(out, name, hash->bytes, 32);
}

/* 32 bytes as a quantity: no leading zeros. */
static void out_word(struct out *out, const uint8_t word[32])
{
    static const char digits[] = "0123456789abcdef";
    int               at = 0;

    out_literal(out, "\"0x");
    while (at < 63 && (word[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15) == 0) at++;
    for (; at < 64; at++) out_char(out, digits[word[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15]);
    out_char(out, '"');
}

static void put_word(struct out *out, const char *name, const uint8_t word[32])
{
    json_key(out, name);
    out_word(out, word);
}

static void put_zeros(struct out *out, const char *name, size_t len)
{
    static const uint8_t zeros[256];

    assert(len <= sizeof(zeros));
    put_bytes(out, name, zeros, len);
}

/* ---- transactions ---- */

/* A transaction being rendered: its stored row, its record in the log, and its form. */
struct writing {
    struct rpc_call                 *rpc;
    const struct history_block      *block;
    const struct history_transacted *txs; /* wanted, ascending by seq */
    uint32_t                         count, written;
    void (*write_all)(struct writing *writing, const struct history_transacted *tx, const struct command *command,
                      const struct transaction *transaction);
    uint32_t log_index; /* receipts */
};

static bool is_legacy(const struct rpc_call *rpc) { return rpc->call->api->shared->settings.rpc_legacy; }

static struct address sender(const struct transaction *tx, const struct command *command)
{
    return command->domain == 0 ? tx->to : command->signer;
}

static void put_type(struct rpc_call *rpc, const struct transaction *tx)
{
    put_quantity(rpc->out, "type", is_legacy(rpc) ? 0 : tx->type);
}

static void put_place(struct out *out, const struct history_block *block, const struct history_transacted *tx)
{
    put_hash(out, "blockHash", &block->hash);
    put_quantity(out, "blockNumber", block->number);
    put_quantity(out, "blockTimestamp", (uint64_t)block->time_ms / 1000);
    put_quantity(out, "transactionIndex", tx->place.index);
}

static void put_signature(struct rpc_call *rpc, const struct transaction *tx)
{
    struct out *out = rpc->out;

    put_quantity(out, "v", is_legacy(rpc) ? 35 + 2 * tx->chain_id + tx->signature.v : tx->signature.v);
    if (!is_legacy(rpc)) put_quantity(out, "yParity", tx->signature.v);
    put_word(out, "r", tx->signature.r);
    put_word(out, "s", tx->signature.s);
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
    put_address(rpc->out, "owner", &account.owner);
    put_quantity(rpc->out, "accountID", account.account_id);
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

static void write_transaction(struct writing *writing, const struct history_transacted *tx,
                              const struct command *command, const struct transaction *transaction)
{
    struct rpc_call *rpc = writing->rpc;
    struct out      *out = rpc->out;
    struct address   from = sender(transaction, command);

    out_char(out, '{');
    put_type(rpc, transaction);
    put_hash(out, "hash", &tx->place.hash);
    put_place(out, writing->block, tx);
    put_quantity(out, "chainId", transaction->chain_id);
    put_quantity(out, "nonce", transaction->nonce);
    put_address(out, "from", &from);
    put_address(out, "to", &transaction->to);
    put_quantity(out, "value", 0);
    put_quantity(out, "gas", 0);
    put_quantity(out, "gasPrice", 0);
    if (!is_legacy(rpc)) {
        put_quantity(out, "maxFeePerGas", 0);
        put_quantity(out, "maxPriorityFeePerGas", 0);
        json_plain(out, "accessList", "[]");
    }
    put_bytes(out, "input", transaction->input.at, transaction->input.len);
    put_signature(rpc, transaction);
    put_quantity(out, "domain", transaction->domain);
    if (command->domain != 0) {
        if (command->domain != DOMAIN_ORACLE) put_owner(rpc, command);
        put_typed_data(rpc, command, transaction);
    }
    out_char(out, '}');
}

/* One command of the batch, out of the log; false: enough. */
static bool take_command(void *context, const struct command *command, struct slice input, const uint8_t signature[65])
{
    struct writing                  *writing = context;
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
        fail_read(writing->rpc);
        return false;
    }
    if (writing->written++ != 0) out_char(writing->rpc->out, ',');
    writing->write_all(writing, tx, command, &transaction);
    return writing->written < writing->count && !writing->rpc->out->overflow;
}

/* Tells what is wanted, out of the log; false after rpc_fail. */
static bool write_all(struct writing *writing)
{
    struct rpc_call      *rpc = writing->rpc;
    const struct api_log *log = rpc->call->api->shared->log;
    struct rpc_room      *room = &rpc->call->api->rpc;
    int error = log->read(log->self, &writing->block->position, room->log, sizeof(room->log), take_command, writing);

    if (error == ENODATA)
        rpc_fail(rpc, RPC_PRUNED, "pruned history unavailable: the log was trimmed, its archive has this transaction",
                 NO_TEXT);
    else if (error != 0 || (writing->written < writing->count && !rpc->out->overflow)) fail_read(rpc);
    return rpc->code == 0;
}

static void write_one(struct rpc_call *rpc, const struct history_block *block, const struct history_transacted *tx)
{
    struct writing writing = { .rpc = rpc, .block = block, .txs = tx, .count = 1, .write_all = write_transaction };
    (void)write_all(&writing);
}

static void write_null(struct rpc_call *rpc) { out_literal(rpc->out, "null"); }

/* By its index in a block: `found` as the finders return it. */
static void write_at(struct rpc_call *rpc, int found, const struct history_block *block, uint64_t index)
{
    struct history_transacted tx;

    if (found == 1)
        found = index >= block->count ? 0 : history_transaction_at(history_of(rpc), block, (uint32_t)index, &tx);
    else if (found < 0) return;
    if (found < 0) fail_read(rpc);
    else if (found == 0) write_null(rpc);
    else write_one(rpc, block, &tx);
}

void rpc_transaction_by_number(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = find_by_param(rpc, &rpc->params[0], &block);

    write_at(rpc, found, &block, rpc->params[1].number);
}

void rpc_transaction_by_block_hash(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = find_by_hash(rpc, &rpc->params[0].hash, &block);

    write_at(rpc, found, &block, rpc->params[1].number);
}

/* As a finder found: the history has a block a moment before it may be shown. */
static int found_visible(struct rpc_call *rpc, int found, const struct history_block *block)
{
    return found == 1 && block->number > head_of(rpc) ? 0 : found;
}

/* A transaction by its hash, and its block; as the finders. */
static int find_transaction(struct rpc_call *rpc, struct history_transacted *tx, struct history_block *block)
{
    int found = history_transaction_of(history_of(rpc), &rpc->params[0].hash, tx);

    if (found == 1) found = history_block_at(history_of(rpc), tx->place.block, block) == 1 ? 1 : -1;
    if (found < 0) fail_read(rpc);
    return found_visible(rpc, found, block);
}

void rpc_transaction_by_hash(struct rpc_call *rpc)
{
    struct history_transacted tx;
    struct history_block      block;
    int                       found = find_transaction(rpc, &tx, &block);

    if (found == 1) write_one(rpc, &block, &tx);
    else if (found == 0) write_null(rpc);
}

/* ---- blocks ---- */

static void put_header(struct out *out, const struct block *block)
{
    static const struct hash256 zero;
    const struct block_header  *header = &block->header;
    struct hash256              no_uncles = keccak256("\xc0", 1);
    uint8_t                     time_ms[8];

    for (int i = 0; i < 8; i++) time_ms[i] = (uint8_t)((uint64_t)header->time_ms >> (8 * (7 - i)));
    put_quantity(out, "number", header->number);
    put_hash(out, "hash", &block->kept.hash);
    put_hash(out, "parentHash", &header->parent_hash);
    put_hash(out, "sha3Uncles", &no_uncles);
    put_zeros(out, "miner", 20);
    put_hash(out, "stateRoot", &header->state_root);
    put_hash(out, "transactionsRoot", &header->transactions_root);
    put_hash(out, "receiptsRoot", &header->receipts_root);
    put_zeros(out, "logsBloom", 256);
    put_quantity(out, "difficulty", 0);
    put_quantity(out, "gasLimit", BLOCK_GAS_LIMIT);
    put_quantity(out, "gasUsed", 0);
    put_quantity(out, "timestamp", (uint64_t)header->time_ms / 1000);
    put_quantity(out, "timestampMs", (uint64_t)header->time_ms);
    put_bytes(out, "extraData", time_ms, sizeof(time_ms));
    put_hash(out, "mixHash", &zero);
    put_zeros(out, "nonce", 8);
    put_quantity(out, "size", block_bytes(header));
    put_quantity(out, "totalDifficulty", 0);
    json_plain(out, "uncles", "[]");
}

static void put_transactions(struct rpc_call *rpc, const struct block *block, bool full)
{
    const struct rpc_room *room = &rpc->call->api->rpc;
    struct writing         writing = {
                .rpc = rpc,
                .block = &block->kept,
                .txs = room->txs,
                .count = block->kept.count,
                .write_all = write_transaction,
    };

    json_open(rpc->out, "transactions", '[');
    if (full && block->kept.count != 0) (void)write_all(&writing);
    for (uint32_t i = 0; i < block->kept.count && !full; i++) {
        if (i != 0) out_char(rpc->out, ',');
        rpc_out_bytes(rpc->out, room->txs[i].place.hash.bytes, 32);
    }
    out_char(rpc->out, ']');
}

static void write_block(struct rpc_call *rpc, int found, struct block *block)
{
    if (found == 0) write_null(rpc);
    if (found != 1 || !load_header(rpc, block)) return;
    out_char(rpc->out, '{');
    put_header(rpc->out, block);
    put_transactions(rpc, block, rpc->params[1].flag);
    out_char(rpc->out, '}');
}

void rpc_block_by_number(struct rpc_call *rpc)
{
    struct block block;
    int          found = find_by_param(rpc, &rpc->params[0], &block.kept);

    write_block(rpc, found, &block);
}

static int find_visible(struct rpc_call *rpc, struct history_block *block)
{
    return found_visible(rpc, find_by_hash(rpc, &rpc->params[0].hash, block), block);
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
    if (found == 0) write_null(rpc);
}

void rpc_count_by_number(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = find_by_param(rpc, &rpc->params[0], &block);

    write_count(rpc, found, &block);
}

void rpc_count_by_hash(struct rpc_call *rpc)
{
    struct history_block block;
    int                  found = find_visible(rpc, &block);

    write_count(rpc, found, &block);
}

/* ---- receipts ---- */

/* How many logs the transactions of the block before this one have. */
static int count_logs_before(struct rpc_call *rpc, const struct history_block *block, uint32_t index, uint32_t *count)
{
    const struct rpc_room *room = &rpc->call->api->rpc;

    *count = 0;
    if (!load_transactions(rpc, block)) return -1;
    for (uint32_t i = 0; i < index; i++) {
        int effects = history_effects(history_of(rpc), room->txs[i].seq, NULL, 0);
        if (effects < 0) {
            fail_read(rpc);
            return -1;
        }
        *count += (uint32_t)effects;
    }
    return 0;
}

/* The words of an event's topics and data. */
struct words {
    uint8_t  at[16 * 32];
    uint32_t count;
};

static void word_u64(struct words *words, uint64_t value)
{
    uint8_t *at = words->at + 32 * words->count++;

    memset(at, 0, 32);
    for (int i = 0; i < 8; i++) at[31 - i] = (uint8_t)(value >> (8 * i));
}

static void word_i64(struct words *words, int64_t value)
{
    word_u64(words, (uint64_t)value);
    if (value < 0) memset(words->at + 32 * (words->count - 1), 0xff, 24);
}

static void word_address(struct words *words, const struct address *address)
{
    word_u64(words, 0);
    memcpy(words->at + 32 * (words->count - 1) + 12, address->bytes, 20);
}

static void word_hash(struct words *words, const char *signature)
{
    struct hash256 hash = keccak256(signature, strlen(signature));

    memcpy(words->at + 32 * words->count++, hash.bytes, 32);
}

static const char fill_event[] = "Fill(uint64,uint64,uint64,uint64,uint8,bool,uint64,uint64,int64,uint64)";
static const char transfer_event[] = "Transfer(address,address,uint256)";

static struct address engine_address(uint8_t market) { return chain_address(market == MARKET_PERPS ? 0x1002 : 0x1001); }

/* Topics: event, account, order, trade. Data: symbol, side, is maker,
   price, quantity, fee, fee coin, in units of symbol and coin. */
static struct address fill_words(const struct filled *fill, struct words *topics, struct words *data)
{
    word_hash(topics, fill_event);
    word_u64(topics, fill->account_id);
    word_u64(topics, fill->order_id);
    word_u64(topics, fill->trade_id);
    word_u64(data, fill->symbol_id);
    word_u64(data, fill->side);
    word_u64(data, fill->is_maker);
    word_i64(data, fill->price);
    word_i64(data, fill->quantity);
    word_i64(data, fill->fee);
    word_u64(data, fill->fee_coin_id);
    return engine_address(fill->head.market);
}

/*
 * The event of ERC-20, emitted by the coin (0x…2000 and its number): deposits come from the zero address, redemptions
 * go there, the EVM ledger is the address itself, the engines have their own.
 */
static struct address transfer_words(const struct transferred *transfer, struct words *topics, struct words *data)
{
    struct address nobody = { 0 }, from = engine_address(transfer->head.market), to = from;

    switch (transfer->type) {
    case TRANSFER_EVM_DEPOSIT: from = nobody; break;
    case TRANSFER_EVM_WITHDRAW: to = transfer->address; break;
    case TRANSFER_PERPS_WITHDRAW: from = engine_address(MARKET_SPOT), to = engine_address(MARKET_PERPS); break;
    case TRANSFER_SPOT_WITHDRAW: from = engine_address(MARKET_PERPS), to = engine_address(MARKET_SPOT); break;
    case TRANSFER_REDEEM: from = transfer->address, to = nobody; break;
    default: break;
    }
    word_hash(topics, transfer_event);
    word_address(topics, &from);
    word_address(topics, &to);
    word_i64(data, transfer->amount);
    return chain_address((uint16_t)(0x2000 + transfer->coin_id));
}

static void put_log(struct writing *writing, const struct history_transacted *tx, const union history_effect *effect,
                    uint32_t index)
{
    struct out    *out = writing->rpc->out;
    struct words   topics = { .count = 0 }, data = { .count = 0 };
    struct address from = effect->head.kind == EVENT_FILL ? fill_words(&effect->fill, &topics, &data)
                                                          : transfer_words(&effect->transfer, &topics, &data);

    out_char(out, '{');
    put_address(out, "address", &from);
    json_key(out, "topics");
    for (uint32_t i = 0; i < topics.count; i++) {
        out_char(out, i == 0 ? '[' : ',');
        rpc_out_bytes(out, topics.at + 32 * i, 32);
    }
    out_char(out, ']');
    put_bytes(out, "data", data.at, (size_t)data.count * 32);
    put_hash(out, "transactionHash", &tx->place.hash);
    put_place(out, writing->block, tx);
    put_quantity(out, "logIndex", index);
    json_plain(out, "removed", "false");
    out_char(out, '}');
}

static void put_logs(struct writing *writing, const struct history_transacted *tx)
{
    struct rpc_call *rpc = writing->rpc;
    struct rpc_room *room = &rpc->call->api->rpc;
    int              count = history_effects(history_of(rpc), tx->seq, room->effects, RPC_EFFECTS_MAX);

    json_open(rpc->out, "logs", '[');
    if (count < 0) fail_read(rpc);
    if (count > RPC_EFFECTS_MAX) rpc_fail(rpc, RPC_REFUSED, "the receipt has more logs than one answer holds", NO_TEXT);
    for (int i = 0; i < count && rpc->code == 0; i++) {
        if (i != 0) out_char(rpc->out, ',');
        put_log(writing, tx, &room->effects[i], writing->log_index + (uint32_t)i);
    }
    out_char(rpc->out, ']');
}

static void write_receipt(struct writing *writing, const struct history_transacted *tx, const struct command *command,
                          const struct transaction *transaction)
{
    struct rpc_call *rpc = writing->rpc;
    struct out      *out = rpc->out;
    struct address   from = sender(transaction, command);

    out_char(out, '{');
    put_type(rpc, transaction);
    put_hash(out, "transactionHash", &tx->place.hash);
    put_place(out, writing->block, tx);
    put_address(out, "from", &from);
    put_address(out, "to", &transaction->to);
    json_plain(out, "contractAddress", "null");
    put_quantity(out, "cumulativeGasUsed", 0);
    put_quantity(out, "gasUsed", 0);
    put_quantity(out, "effectiveGasPrice", 0);
    put_quantity(out, "status", tx->place.status);
    put_zeros(out, "logsBloom", 256);
    put_logs(writing, tx);
    out_char(out, '}');
}

void rpc_receipt(struct rpc_call *rpc)
{
    struct history_transacted tx;
    struct history_block      block;
    struct writing writing = { .rpc = rpc, .block = &block, .txs = &tx, .count = 1, .write_all = write_receipt };
    int            found = find_transaction(rpc, &tx, &block);

    if (found == 0) write_null(rpc);
    if (found != 1 || count_logs_before(rpc, &block, tx.place.index, &writing.log_index) < 0) return;
    (void)write_all(&writing);
}

/* ---- addresses ---- */

/* Only the newest state is kept: a block that is named must be the last one. */
static bool is_last_block(struct rpc_call *rpc, const struct rpc_value *block)
{
    if (!block->given || block->is_head || block->number == head_of(rpc)) return true;
    rpc_fail(rpc, RPC_REFUSED, "only the state of the last block is kept: ask for latest", NO_TEXT);
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
    out_word(rpc->out, word);
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
