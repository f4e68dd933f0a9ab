/* SPDX-License-Identifier: MIT */
#include "api/operator/second_person.h"

#include "crypto/typed.h"

bool operator_read_second(struct slice given, struct signature *signature)
{
    return given.len == SIGNATURE_TEXT && signature_read(given, signature) && signature->type == 1;
}

static bool unconfirmed(struct failure *failure, struct slice got, const char *text, struct slice need)
{
    fail(failure, REJECT_NOT_CONFIRMED, SLICE("signature"), got);
    failure->text = text;
    failure->details.need = need;
    return false;
}

static const struct operator_key *find_key(const struct operator_keys *keys, const struct address *address)
{
    for (uint32_t i = 0; i < keys->count; i++)
        if (address_equal(&keys->keys[i].address, address)) return &keys->keys[i];
    return NULL;
}

bool operator_is_confirmed(const struct api *api, const struct operator_request *request, struct slice given,
                           struct api_said *said, struct signature *signature, struct failure *failure)
{
    const struct operator_keys *keys = &api->shared->settings.operators;
    uint64_t                    chain_id = api->shared->genesis->chain_ids[0];
    struct hash256              digest;
    struct address              signer;
    struct out                  got = out_make(failure->got, sizeof(failure->got));

    if (keys->count == 0 && given.at == NULL) return true;
    if (keys->count == 0)
        return unconfirmed(failure, SLICE(""), "a signature that nobody asks for",
                           SLICE("no signature: the configuration has no [operator] section"));
    if (given.at == NULL) return unconfirmed(failure, SLICE(""), NULL, SLICE(""));
    if (!operator_read_second(given, signature))
        return unconfirmed(failure, given, "the second signature is malformed",
                           SLICE("0x, 01, r, s and v: 132 hex digits; r and s in range, s in the lower half"));
    digest = api_operator_digest(chain_id, request->id, said->command);
    if (recover_signer(&digest, signature, &signer)) said->confirmed = find_key(keys, &signer);
    else memset(&signer, 0, sizeof(signer));
    if (said->confirmed != NULL) return true;
    said->stranger = signer;
    (void)unconfirmed(failure, SLICE(""), "the second signature is of another key, or of another command", SLICE(""));
    out_literal(&got, "0x");
    out_hex(&got, signer.bytes, sizeof(signer.bytes));
    failure->details.got = out_slice(&got);
    failure->details.digest = digest;
    failure->details.chain_id = chain_id;
    return false;
}

struct hash256 api_operator_digest(uint64_t chain_id, struct slice id, struct slice canonical)
{
    struct hash256 separator = domain_separator(DOMAIN_OPERATOR, chain_id);

    return operator_command_digest(&separator, id, canonical);
}
