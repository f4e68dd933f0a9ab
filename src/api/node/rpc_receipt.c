/* SPDX-License-Identifier: MIT */
/*
 * rpc_receipt.c — receipts and their logs in the form of an Ethereum node (mechanics 8.3): a fill or a movement of
 * money of the transaction is an event with topics and data.
 */
#include "api/node/rpc_chain.h"
#include "wire/json_members.h"

/* How many logs the transactions of the block before this one have. */
static int count_logs_before(struct rpc_call *rpc, const struct history_block *block, uint32_t index, uint32_t *count)
{
    const struct rpc_room *room = &rpc->call->api->rpc;

    *count = 0;
    if (!rpc_load_transactions(rpc, block)) return -1;
    for (uint32_t i = 0; i < index; i++) {
        int effects = history_effects(rpc_history_of(rpc), room->txs[i].seq, NULL, 0);
        if (effects < 0) {
            rpc_fail_read(rpc);
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

static void put_log(struct rpc_writing *writing, const struct history_transacted *tx,
                    const union history_effect *effect, uint32_t index)
{
    struct out    *out = writing->rpc->out;
    struct words   topics = { .count = 0 }, data = { .count = 0 };
    struct address from = effect->head.kind == EVENT_FILL ? fill_words(&effect->fill, &topics, &data)
                                                          : transfer_words(&effect->transfer, &topics, &data);

    out_char(out, '{');
    rpc_put_address(out, "address", &from);
    json_key(out, "topics");
    for (uint32_t i = 0; i < topics.count; i++) {
        out_char(out, i == 0 ? '[' : ',');
        rpc_out_bytes(out, topics.at + 32 * i, 32);
    }
    out_char(out, ']');
    rpc_put_bytes(out, "data", data.at, (size_t)data.count * 32);
    rpc_put_hash(out, "transactionHash", &tx->place.hash);
    rpc_put_place(out, writing->block, tx);
    rpc_put_quantity(out, "logIndex", index);
    json_plain(out, "removed", "false");
    out_char(out, '}');
}

static void put_logs(struct rpc_writing *writing, const struct history_transacted *tx)
{
    struct rpc_call *rpc = writing->rpc;
    struct rpc_room *room = &rpc->call->api->rpc;
    int              count = history_effects(rpc_history_of(rpc), tx->seq, room->effects, RPC_EFFECTS_MAX);

    json_open(rpc->out, "logs", '[');
    if (count < 0) rpc_fail_read(rpc);
    if (count > RPC_EFFECTS_MAX)
        rpc_fail(rpc, RPC_REFUSED, "the receipt has more logs than one answer holds", RPC_NO_TEXT);
    for (int i = 0; i < count && rpc->code == 0; i++) {
        if (i != 0) out_char(rpc->out, ',');
        put_log(writing, tx, &room->effects[i], writing->log_index + (uint32_t)i);
    }
    out_char(rpc->out, ']');
}

static void write_receipt(struct rpc_writing *writing, const struct history_transacted *tx,
                          const struct command *command, const struct transaction *transaction)
{
    struct out *out = writing->rpc->out;

    rpc_begin_transacted(writing, "transactionHash", tx, command, transaction);
    json_plain(out, "contractAddress", "null");
    rpc_put_quantity(out, "cumulativeGasUsed", 0);
    rpc_put_quantity(out, "gasUsed", 0);
    rpc_put_quantity(out, "effectiveGasPrice", 0);
    rpc_put_quantity(out, "status", tx->place.status);
    rpc_put_zeros(out, "logsBloom", 256);
    put_logs(writing, tx);
    out_char(out, '}');
}

void rpc_receipt(struct rpc_call *rpc)
{
    struct history_transacted tx;
    struct history_block      block;
    struct rpc_writing        writing = { .rpc = rpc, .block = &block, .txs = &tx, .count = 1, .write = write_receipt };
    int                       found = rpc_find_transaction(rpc, &tx, &block);

    if (found == 0) rpc_write_null(rpc);
    if (found != 1 || count_logs_before(rpc, &block, tx.place.index, &writing.log_index) < 0) return;
    (void)rpc_write_all(&writing);
}
