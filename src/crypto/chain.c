/* SPDX-License-Identifier: MIT */
#include "crypto/chain.h"

#include "crypto/rlp.h"

#define BLOOM_BYTES 256

/* A string's prefix, or nothing for one small byte that stands for itself. */
static void input_head(struct out *out, struct slice input)
{
    bool alone = input.len == 1 && (uint8_t)input.at[0] < 0x80;
    if (!alone) rlp_head(out, RLP_STRING, input.len);
}

struct eight_job transaction_job(const struct transaction *tx, struct transaction_parts *parts, struct hash256 *hash)
{
    char       field_bytes[64];
    struct out fields = out_make(field_bytes, sizeof(field_bytes));
    struct out front = out_make(parts->front, sizeof(parts->front)), back = out_make(parts->back, sizeof(parts->back));

    assert(tx->type == TX_SIGNED || tx->type == TX_SYSTEM);
    assert(tx->signature.v <= 1 && tx->domain <= 2);
    rlp_u64(&fields, tx->chain_id);
    rlp_u64(&fields, tx->nonce);
    rlp_bytes(&fields, tx->to.bytes, sizeof(tx->to.bytes));
    rlp_u64(&fields, 0); /* value */
    input_head(&fields, tx->input);

    rlp_u64(&back, tx->domain);
    rlp_u64(&back, tx->signature.v);
    rlp_word(&back, tx->signature.r);
    rlp_word(&back, tx->signature.s);

    out_char(&front, (char)tx->type);
    rlp_head(&front, RLP_LIST, fields.len + tx->input.len + back.len);
    out_slice_put(&front, out_slice(&fields));
    assert(!fields.overflow && !front.overflow && !back.overflow);
    return (struct eight_job){ { out_slice(&front), tx->input, out_slice(&back) }, hash };
}

static void set_address(struct address *address, uint16_t low)
{
    memset(address, 0, sizeof(*address));
    address->bytes[18] = (uint8_t)(low >> 8);
    address->bytes[19] = (uint8_t)low;
}

struct address chain_address(uint16_t low)
{
    struct address address;

    set_address(&address, low);
    return address;
}

static void set_gateway(struct address *address) { memset(address->bytes, 0x01, sizeof(address->bytes)); }

struct address gateway_address(void)
{
    struct address address;

    set_gateway(&address);
    return address;
}

/* Commands that no market's engine owns: transfers of money, and rights to sign. */
static bool is_of_the_gateway(const struct command_row *row)
{
    return row->right == RIGHT_TRANSFER || row->sender >= SENDER_WALLET;
}

static void set_system(struct transaction *tx)
{
    tx->type = TX_SYSTEM;
    set_address(&tx->to, 0x1004);
    tx->domain = 2;
}

static uint8_t domain_number(uint8_t domain) { return domain == DOMAIN_SPOT ? 0 : domain == DOMAIN_FUTURES ? 1 : 2; }

static void set_engine(struct transaction *tx, const struct command *command)
{
    const struct command_row *row = command_row(command->kind);

    if (is_of_the_gateway(row)) set_gateway(&tx->to);
    else if (row->sender == SENDER_FEEDER) set_address(&tx->to, 0x1003);
    else set_address(&tx->to, command->market == MARKET_PERPS ? 0x1002 : 0x1001);
    tx->domain = domain_number(command_domain(command));
}

void transaction_set(struct transaction *tx, const struct command *command, struct slice input,
                     const uint8_t signature[65])
{
    tx->type = TX_SIGNED;
    tx->chain_id = command->chain_id;
    tx->nonce = command->nonce;
    tx->input = input;
    memset(&tx->signature, 0, sizeof(tx->signature));
    if (command->domain == 0) {
        set_system(tx);
        return;
    }
    set_engine(tx, command);
    if (command_is_marked(command)) {
        tx->type = TX_SYSTEM;
        return;
    }
    tx->signature.type = 1;
    memcpy(tx->signature.r, signature, 32);
    memcpy(tx->signature.s, signature + 32, 32);
    tx->signature.v = signature[64];
}

struct transaction transaction_of(const struct command *command, struct slice input, const uint8_t signature[65])
{
    struct transaction tx;

    transaction_set(&tx, command, input, signature);
    return tx;
}

struct transaction transaction_of_tick(const struct command *command, uint64_t chain_id, char text[TICK_TEXT_MAX])
{
    struct transaction tx = { .chain_id = chain_id, .nonce = command->seq };
    struct out         input = out_make(text, TICK_TEXT_MAX);

    out_literal(&input, "{\"type\":\"tick\",\"params\":{\"time\":");
    out_i64(&input, command->time_ms);
    out_literal(&input, "}}");
    assert(!input.overflow);
    tx.input = out_slice(&input);
    set_system(&tx);
    return tx;
}

struct hash256 transaction_hash(const struct transaction *tx)
{
    struct transaction_parts parts;
    struct eight_job         job = transaction_job(tx, &parts, NULL);
    struct keccak            keccak;

    keccak_init(&keccak);
    for (uint32_t i = 0; i < EIGHT_PARTS; i++) keccak_add(&keccak, job.parts[i].at, job.parts[i].len);
    return keccak_end(&keccak);
}

struct hash256 empty_trie_root(void) { return keccak256("\x80", 1); }

/* The fields in the order of the classic header; fields that this chain does not use are empty, zero or constant. */
static void header_fields(const struct block_header *header, struct out *fields)
{
    static const uint8_t zero[BLOOM_BYTES];
    struct hash256       no_uncles = keccak256("\xc0", 1);
    uint8_t              time_ms[8];

    for (int i = 0; i < 8; i++) time_ms[i] = (uint8_t)((uint64_t)header->time_ms >> (8 * (7 - i)));
    rlp_bytes(fields, header->parent_hash.bytes, 32);
    rlp_bytes(fields, no_uncles.bytes, 32);
    rlp_bytes(fields, zero, 20); /* miner (ruling 57) */
    rlp_bytes(fields, header->state_root.bytes, 32);
    rlp_bytes(fields, header->transactions_root.bytes, 32);
    rlp_bytes(fields, header->receipts_root.bytes, 32);
    rlp_bytes(fields, zero, BLOOM_BYTES); /* logsBloom */
    rlp_u64(fields, 0);                   /* difficulty */
    rlp_u64(fields, header->number);
    rlp_u64(fields, BLOCK_GAS_LIMIT);
    rlp_u64(fields, 0); /* gasUsed */
    rlp_u64(fields, (uint64_t)header->time_ms / 1000);
    rlp_bytes(fields, time_ms, sizeof(time_ms)); /* extraData */
    rlp_bytes(fields, zero, 32);                 /* mixHash */
    rlp_bytes(fields, zero, 8);                  /* nonce */
}

struct hash256 block_hash(const struct block_header *header)
{
    char          field_bytes[640], head_bytes[16];
    struct out    fields = out_make(field_bytes, sizeof(field_bytes)), head = out_make(head_bytes, sizeof(head_bytes));
    struct keccak keccak;

    assert(header->time_ms >= 0);
    header_fields(header, &fields);
    rlp_head(&head, RLP_LIST, fields.len);
    assert(!fields.overflow && !head.overflow);
    keccak_init(&keccak);
    keccak_add(&keccak, head.at, head.len);
    keccak_add(&keccak, fields.at, fields.len);
    return keccak_end(&keccak);
}

uint32_t block_bytes(const struct block_header *header)
{
    char       field_bytes[640], head_bytes[16];
    struct out fields = out_make(field_bytes, sizeof(field_bytes)), head = out_make(head_bytes, sizeof(head_bytes));

    header_fields(header, &fields);
    rlp_head(&head, RLP_LIST, fields.len);
    return (uint32_t)(head.len + fields.len);
}
