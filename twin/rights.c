/* SPDX-License-Identifier: MIT */
/* rights.c — who may: nonces, rights of keys, whether a command is admitted (service 5; rulings 7, 9, 30, 35). */
#include "world.h"

static struct nonces *nonces_of(struct twin *twin, uint8_t domain, const struct address *signer)
{
    for (uint32_t i = 0; i < twin->nonces_count; i++)
        if (twin->nonces[i].domain == domain && address_equal(&twin->nonces[i].signer, signer)) return &twin->nonces[i];
    return NULL;
}

struct refused *turn_away(struct twin *twin, enum reject reject)
{
    struct refused *refused = TELL(twin, REFUSED, refused, twin->command->market);

    refused->reject = (uint16_t)reject;
    refused->nonce = twin->command->nonce;
    return refused;
}

#define TAG_KEPT 0x3ffffff /* decision 244: 26 bits of a payload's tag are kept */

/* Answers where it is not. */
static bool nonce_in_time(struct twin *twin)
{
    int128_t t = twin->now_ms - twin->offset_ms, nonce = twin->command->nonce;

    if (nonce > t - 2 * DAY_MS && nonce < t + DAY_MS) return true;
    turn_away(twin, REJECT_BAD_NONCE)->nonce_reason = nonce < t ? NONCE_TOO_OLD : NONCE_TOO_FAR_AHEAD;
    return false;
}

/* Within (T - 2 days, T + 1 day), unused, above the smallest of the
   100 highest; T without the offset of advances (ruling 44). */
static bool use_nonce(struct twin *twin)
{
    const struct command *command = twin->command;
    struct nonces        *set = nonces_of(twin, command->domain, &command->signer);
    struct refused       *refused;
    uint32_t              at = 0;

    if (set == NULL) {
        if (!nonce_in_time(twin)) return false;
        set = &twin->nonces[twin->nonces_count++];
        set->domain = command->domain;
        set->signer = command->signer;
    }
    while (at < set->count && set->at[at].nonce < command->nonce) at++;
    if (at < set->count && set->at[at].nonce == command->nonce) {
        refused = turn_away(twin, REJECT_BAD_NONCE);
        refused->nonce_reason = NONCE_USED;
        refused->used_seq = set->at[at].seq;
        refused->same_payload = set->at[at].tag == (command->payload_tag & TAG_KEPT);
        return false;
    }
    if (at == 0 && set->count > 0 && (set->count == NONCES_KEPT || !twin->genesis.rules.nonce_floor_when_full)) {
        refused = turn_away(twin, REJECT_BAD_NONCE);
        refused->nonce_reason = NONCE_TOO_SMALL;
        refused->smallest = set->at[0].nonce;
        return false;
    }
    if (!nonce_in_time(twin)) return false;
    if (set->count == NONCES_KEPT) { /* the 100 highest are kept */
        memmove(set->at, set->at + 1, sizeof(set->at[0]) * (NONCES_KEPT - 1));
        set->count--;
        at--;
    }
    memmove(set->at + at + 1, set->at + at, sizeof(set->at[0]) * (set->count - at));
    set->at[at] = (struct nonce){ command->nonce, command->seq, command->payload_tag & TAG_KEPT };
    set->count++;
    return true;
}

/* TWIN_BUG_NONCE_KEPT: as if the command that a rule has rejected had not used its nonce. */
void give_nonce_back(struct twin *twin)
{
    struct nonces *set = nonces_of(twin, twin->command->domain, &twin->command->signer);

    for (uint32_t i = 0; i < set->count; i++) {
        if (set->at[i].nonce != twin->command->nonce) continue;
        memmove(set->at + i, set->at + i + 1, sizeof(set->at[0]) * (set->count - i - 1));
        set->count--;
    }
}

/* The right a key needs (wire 0.6): the mask forbids. */
static uint64_t right_needed(const struct command *command)
{
    const struct transfer_asset *transfer = command_payload(command);

    switch (command->kind) {
    case CMD_CANCEL_ORDERS:
    case CMD_CANCEL_PERPS:
    case CMD_SCHEDULE_CANCEL: return RIGHT_CANCEL;
    case CMD_TRANSFER: return transfer->type == TRANSFER_EVM_WITHDRAW ? RIGHT_WITHDRAW : RIGHT_TRANSFER;
    default: return RIGHT_TRADE;
    }
}

/* A live key of the owner, not expired, with the right; only the main wallet manages keys. */
static enum reject key_wrong(struct twin *twin, const struct account *account)
{
    const struct command *command = twin->command;

    for (uint32_t i = 0; i < twin->key_count; i++) {
        const struct key *key = &twin->keys[i];

        if (!address_equal(&key->is.public_key, &command->signer)) continue;
        if (!key->live || key->is.key_id != command->key_id) return REJECT_UNKNOWN_KEY;
        if (key->is.user_id != account->user_id) return REJECT_BAD_SIGNATURE;
        if (key->is.expires_ms != 0 && key->is.expires_ms <= twin->now_ms) return REJECT_KEY_EXPIRED;
        if (command->kind == CMD_ADD_KEY || command->kind == CMD_REVOKE_KEY) return REJECT_PERMISSION_DENIED;
        return (key->is.permissions & right_needed(command)) != 0 ? REJECT_PERMISSION_DENIED : REJECT_NONE;
    }
    return REJECT_BAD_SIGNATURE;
}

/*
 * Admits a signed command, or records the refusal. Every signed payload begins with its account (ruling 62: 0 is the
 * primary one).
 */
bool admit(struct twin *twin)
{
    const struct command *command = twin->command;
    uint64_t              account_id = *(const uint64_t *)command_payload(command);
    struct account       *account = NULL;
    enum reject           wrong = REJECT_NONE;

    if (account_id != 0) account = account_by_id(twin, account_id);
    else if (command->key_id == 0) account = account_by_owner(twin, &command->signer);
    if (account == NULL || account->id < ACCOUNT_FIRST) {
        turn_away(twin, REJECT_ACCOUNT_NOT_FOUND);
        return false;
    }
    if (command->key_id != 0) wrong = key_wrong(twin, account);
    else if (!address_equal(&account->owner, &command->signer)) wrong = REJECT_BAD_SIGNATURE;
    if (wrong != REJECT_NONE) {
        turn_away(twin, wrong);
        return false;
    }
    if (!use_nonce(twin)) return false;
    twin->actor = account;
    return true;
}
