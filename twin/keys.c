/* SPDX-License-Identifier: MIT */
/* keys.c — API keys (wire 2.4). */
#include "world.h"

#define KEEP_REVOKED_MS (3 * DAY_MS) /* nonces of a revoked key are remembered that long (process 2) */

/* An address has one owner: a deposit to one that is a key ends the key. */
void end_key(struct twin *twin, struct key *key)
{
    key->live = false;
    key->revoked_at = ++twin->next_revocation;
    key->revoked_ms = twin->now_ms - twin->offset_ms;
    key->is.revoked = 1;
    memcpy((char *)TELL(twin, KEY, key_changed, 0) + sizeof(struct event), (char *)&key->is + sizeof(struct event),
           sizeof(key->is) - sizeof(struct event));
}

static struct key *key_named(struct twin *twin, uint64_t user_id, const struct client_id *name)
{
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (twin->keys[i].live && twin->keys[i].is.user_id == user_id && client_id_equal(&twin->keys[i].is.name, name))
            return &twin->keys[i];
    return NULL;
}

/* A row for an address: its own from before, a new one, or the one that
   was revoked first and long enough ago (by the time of nonces). */
static struct key *key_row(struct twin *twin, const struct address *address)
{
    struct key *oldest = NULL;

    for (uint32_t i = 0; i < twin->key_count; i++)
        if (address_equal(&twin->keys[i].is.public_key, address)) return &twin->keys[i];
    if (twin->key_count < twin->genesis.limits.keys && 3 * twin->key_count + 3 <= twin->genesis.limits.signers)
        return &twin->keys[twin->key_count]; /* with three sets of nonces */
    for (uint32_t i = 0; i < twin->key_count; i++)
        if (!twin->keys[i].live && (oldest == NULL || twin->keys[i].revoked_at < oldest->revoked_at))
            oldest = &twin->keys[i];
    return oldest != NULL && oldest->revoked_ms + KEEP_REVOKED_MS <= twin->now_ms - twin->offset_ms ? oldest : NULL;
}

/* The nonces of an address without a key or wallet are dropped with its row; a wallet's never. */
static void forget_nonces(struct twin *twin, const struct address *address)
{
    if (account_by_owner(twin, address) != NULL) return;
    for (uint32_t i = 0; i < twin->nonces_count; i++) {
        if (!address_equal(&twin->nonces[i].signer, address)) continue;
        twin->nonces[i] = twin->nonces[--twin->nonces_count];
        memset(&twin->nonces[twin->nonces_count], 0, sizeof(struct nonces));
        i--;
    }
}

/* The key that moved this money no longer exists. */
static void forget_moves(struct twin *twin, const struct address *key)
{
    for (uint32_t i = 0; i < twin->move_lists; i++) {
        if (!address_equal(&twin->moves[i].key, key)) continue;
        free(twin->moves[i].at);
        twin->moves[i--] = twin->moves[--twin->move_lists];
    }
}

void do_add_key(struct twin *twin, const struct add_key *add)
{
    uint32_t    live = 0;
    struct key *row, kept = { 0 };
    bool        taken = account_by_owner(twin, &add->public_key) != NULL;

    for (uint32_t i = 0; i < twin->key_count; i++) {
        if (!twin->keys[i].live) continue;
        if (twin->keys[i].is.user_id == twin->actor->user_id) live++;
        if (address_equal(&twin->keys[i].is.public_key, &add->public_key)) taken = true;
    }
    if (!text_is_client_id(client_id_slice(&add->name)) || slice_is(client_id_slice(&add->name), "default")) {
        answer(twin, 0, REJECT_BAD_KEY_NAME);
        return;
    }
    if (add->key_type != KEY_EVM) {
        answer(twin, 0, REJECT_ENUM_RANGE)->field = FIELD_TYPE;
        return;
    }
    if (add->expires_ms > INT64_MAX) {
        answer(twin, 0, REJECT_BAD_EXPIRY);
        return;
    }
    if (add->permissions > 15) {
        answer(twin, 0, REJECT_BAD_PERMISSIONS);
        return;
    }
    if (add->expires_ms != 0 && (int64_t)add->expires_ms <= twin->now_ms) {
        answer_said(twin, 0, REJECT_KEY_EXPIRED, whole((int64_t)add->expires_ms), whole(twin->now_ms + 1))->field =
            FIELD_EXPIRES_AT;
        return;
    }
    if (key_named(twin, twin->actor->user_id, &add->name) != NULL) {
        answer(twin, 0, REJECT_KEY_EXISTS);
        return;
    }
    if (taken) {
        answer(twin, 0, REJECT_KEY_ADDRESS_TAKEN);
        return;
    }
    if (live >= 5) {
        answer_said(twin, 0, REJECT_KEY_LIMIT, whole(live), whole(5));
        return;
    }
    row = key_row(twin, &add->public_key);
    if (row == NULL) {
        answer(twin, 0, REJECT_CAPACITY);
        return;
    }
    if (row == &twin->keys[twin->key_count]) twin->key_count++;
    else if (!address_equal(&row->is.public_key, &add->public_key)) {
        forget_nonces(twin, &row->is.public_key);
        forget_moves(twin, &row->is.public_key);
    } else if (row->is.user_id != twin->actor->user_id) forget_moves(twin, &row->is.public_key);
    else kept = *row;
    answer(twin, 0, REJECT_NONE);
    *row = (struct key){ .live = true, .lost = kept.lost, .lost_id = kept.lost_id };
    row->is.account_id = twin->actor->id;
    row->is.user_id = twin->actor->user_id;
    row->is.name = add->name;
    row->is.key_type = add->key_type;
    row->is.key_id = (uint32_t)++twin->next_key;
    row->is.public_key = add->public_key;
    row->is.expires_ms = (int64_t)add->expires_ms;
    row->is.permissions = add->permissions;
    memcpy((char *)TELL(twin, KEY, key_changed, 0) + sizeof(struct event), (char *)&row->is + sizeof(struct event),
           sizeof(row->is) - sizeof(struct event));
}

/* Ruling 73: the last but 31 of a user's revocations must be three days old before he revokes again. */
static int64_t revoke_wait(const struct twin *twin, uint64_t user_id)
{
    uint32_t seen = 0;

    for (uint32_t i = twin->revocation_count; i > 0; i--)
        if (twin->revocations[i - 1].user_id == user_id && ++seen == 32)
            return twin->revocations[i - 1].ms + KEEP_REVOKED_MS - twin->now_ms;
    return 0;
}

void do_revoke_key(struct twin *twin, const struct revoke_key *revoke)
{
    int64_t     wait;
    struct key *key = key_named(twin, twin->actor->user_id, &revoke->name);

    if (key == NULL) {
        answer(twin, 0, REJECT_KEY_NOT_FOUND);
        return;
    }
    wait = revoke_wait(twin, twin->actor->user_id);
    if (wait > 0) {
        answer_said(twin, 0, REJECT_KEY_LIMIT, whole(twin->now_ms), whole(twin->now_ms + wait));
        return;
    }
    answer(twin, 0, REJECT_NONE);
    end_key(twin, key);
    twin->revocations = realloc(twin->revocations, (twin->revocation_count + 1) * sizeof(*twin->revocations));
    twin->revocations[twin->revocation_count].user_id = twin->actor->user_id;
    twin->revocations[twin->revocation_count++].ms = twin->now_ms;
}
