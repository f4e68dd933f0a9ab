/* SPDX-License-Identifier: MIT */
#include "app/signed_record.h"

#include "api/api.h"
#include "crypto/typed.h"
#include "model/shape.h"
#include "wire/shape.h"

bool signed_record_is(const struct log_record *record)
{
    return command_domain(record->command) != 0 && !command_is_marked(record->command);
}

/* The params inside {"type":"<name>","params":…}, or false when the bytes have another form. */
static bool find_params(struct slice bytes, const char *name, struct slice *params)
{
    char       head[96];
    struct out out = out_make(head, sizeof(head));

    out_literal(&out, "{\"type\":\"");
    out_text(&out, name);
    out_literal(&out, "\",\"params\":");
    if (out.overflow || bytes.len < out.len + 1 || memcmp(bytes.at, head, out.len) != 0
        || bytes.at[bytes.len - 1] != '}')
        return false;
    *params = slice_make(bytes.at + out.len, bytes.len - out.len - 1);
    return true;
}

/* The body of a feeder's post has decimals, its command integers. */
static const char *check_post(const struct genesis *genesis, const struct log_record *record, void *room)
{
    const struct command *command = record->command;
    struct oracle_post   *post = room;
    struct slice          params;

    if (!find_params(record->signed_bytes, command_name(command->kind), &params))
        return "the signed bytes are of another action";
    if (!api_oracle_read(genesis, params, post)) return "the signed bytes cannot be decoded";
    if (command->bytes != sizeof(*command) + PAYLOAD_BYTES(oracle_post, post->count)
        || memcmp(post, command_payload(command), command->bytes - sizeof(*command)) != 0)
        return "the signed bytes say something else than the command";
    return NULL;
}

/* The structs of these shapes are the payloads of their commands or begin with them. */
const char *signed_record_payload(const struct genesis *genesis, const struct log_record *record, void *room)
{
    const struct command     *command = record->command;
    const struct command_row *row = command_row(command->kind);
    const struct shape       *shape = row->shape;
    struct shape_error        error;
    struct slice              params;

    if (row->sender == SENDER_FEEDER) return check_post(genesis, record, room);
    if (!is_signed_by_user(row) || !find_params(record->signed_bytes, row->name, &params))
        return "the signed bytes are of another action";
    if (shape_read(shape, params, room, &error) != REJECT_NONE) return "the signed bytes cannot be decoded";
    if (command->bytes - sizeof(*command) > shape->size
        || memcmp(room, command_payload(command), command->bytes - sizeof(*command)) != 0)
        return "the signed bytes say something else than the command";
    return NULL;
}

/* Typed data: under any spelling that covers the whole grant, for any chain id of the exchange (crypto/typed.h). */
static bool signed_grant(const struct genesis *genesis, const struct log_record *record,
                         const struct signature *signature, void *room)
{
    const struct command *command = record->command;
    struct grant_walk     walk = { .domain_chain = command->chain_id, .chain_ids = genesis->chain_ids };

    if (signed_record_payload(genesis, record, room) != NULL) return false;
    walk.grant = key_grant_of(room, command->nonce);
    while (walk.chain_count < CHAIN_IDS_MAX && walk.chain_ids[walk.chain_count] != 0) walk.chain_count++;
    return key_grant_spelling(walk, signature, &command->signer) != NULL;
}

static bool signed_action(const struct log_record *record, const struct signature *signature)
{
    const struct command *command = record->command;
    struct hash256        payload = keccak256(record->signed_bytes.at, record->signed_bytes.len);
    struct hash256        separator = domain_separator(command->domain, command->chain_id);
    struct hash256        digest = action_digest(&separator, &payload, command->nonce);
    struct address        signer;

    return recover_signer(&digest, signature, &signer) && address_equal(&signer, &command->signer);
}

static bool signed_post(const struct command *command, const struct signature *signature)
{
    struct hash256 separator = domain_separator(DOMAIN_ORACLE, command->chain_id);
    struct hash256 digest = oracle_prices_digest(&separator, command_payload(command));
    struct address signer;

    return recover_signer(&digest, signature, &signer) && address_equal(&signer, &command->signer);
}

bool signed_record_signer(const struct genesis *genesis, const struct log_record *record, void *room)
{
    uint8_t          sender = command_row(record->command->kind)->sender;
    struct signature signature = { .type = 1, .v = record->signature[64] };

    memcpy(signature.r, record->signature, sizeof(signature.r));
    memcpy(signature.s, record->signature + sizeof(signature.r), sizeof(signature.s));
    if (sender == SENDER_WALLET) return signed_grant(genesis, record, &signature, room);
    if (sender == SENDER_FEEDER) return signed_post(record->command, &signature);
    return signed_action(record, &signature);
}
