/* SPDX-License-Identifier: MIT */
#include "core/account/key.h"
#include "core/account/account.h"
#include "core/account/nonce.h"
#include "core/account/transfer_ids.h"
#include "core/state/hash_key.h"

/* After three days every nonce that an address can have used is below the window: at most T + 1 d when it was
   revoked, at least T - 2 d to be fresh (service 5 (5)). */
#define GIVEN_AWAY_MS (3 * DAY_MS)

/* ---- to find ---- */

static uint32_t find_key_address(const struct engine *e, const struct address *address)
{
    const struct table_entry *table = engine_key_table(e);
    uint32_t                  key = address_key(e, address);

    TABLE_EACH(at, table, e->layout.key_table_size, key)
        if (address_equal(&engine_keys(e)[table[at].ix].address, address)) return table[at].ix;
    return 0;
}

/* Slot of the key's user. */
static uint32_t key_user(const struct engine *e, const struct api_key *key)
{
    return account_at(e, key->account)->user;
}

/* The live key of a user with a name, or 0. */
static uint32_t find_key_name(const struct engine *e, uint32_t user, const struct client_id *name)
{
    const struct table_entry *table = engine_key_name_table(e);
    uint32_t                  wanted = client_id_key(e, user, name);

    TABLE_EACH(at, table, e->layout.key_table_size, wanted) {
        const struct api_key *key = engine_keys(e) + table[at].ix;
        assert(key->live); /* a revoked name is free */
        if (key_user(e, key) == user && client_id_equal(&key->name, name)) return table[at].ix;
    }
    return 0;
}

/* ---- revoked ones, oldest first ---- */

static void append_revoked(struct engine *e, uint32_t ix)
{
    struct api_key *key = engine_keys(e) + ix;

    assert(!key->live && key->older == 0 && key->newer == 0 && ix != e->key_newest);
    assert((e->key_newest == 0) == (e->key_oldest == 0));
    key->older = e->key_newest;
    key->newer = 0;
    if (e->key_newest != 0) engine_keys(e)[e->key_newest].newer = ix;
    else e->key_oldest = ix;
    e->key_newest = ix;
}

static void remove_revoked(struct engine *e, uint32_t ix)
{
    struct api_key *key = engine_keys(e) + ix;

    assert(!key->live && (key->older != 0 || e->key_oldest == ix) && (key->newer != 0 || e->key_newest == ix));
    assert(ix != 0 && ix < e->key_end && e->key_oldest != 0 && e->key_newest != 0);
    if (key->older != 0) engine_keys(e)[key->older].newer = key->newer;
    else e->key_oldest = key->newer;
    if (key->newer != 0) engine_keys(e)[key->newer].older = key->older;
    else e->key_newest = key->older;
    key->older = key->newer = 0;
}

static bool can_give_away(const struct engine *e, uint32_t ix)
{
    assert(ix == 0 || (!engine_keys(e)[ix].live && engine_keys(e)[ix].number != 0));
    return ix != 0 && nonce_time(e, e->time_ms) - engine_keys(e)[ix].revoked_ms >= GIVEN_AWAY_MS;
}

/* ---- a record for an address ---- */

static bool pool_has_room(const struct engine *e)
{
    assert(e->key_end >= 1 && e->key_end - 1 <= e->limits.keys);
    return e->key_end <= min_u32(e->limits.keys, e->limits.signers / DOMAINS);
}

static bool key_has_room(const struct engine *e, const struct address *address)
{
    return pool_has_room(e) || find_key_address(e, address) != 0 || can_give_away(e, e->key_oldest);
}

/*
 * The record for an address without a live key: its previous one, a new one, or the oldest revoked one that may be
 * reused. Transfer ids stay as long as address and user do.
 */
static uint32_t take_record(struct engine *e, const struct address *address, uint32_t user)
{
    uint32_t        ix = find_key_address(e, address);
    struct api_key *key;

    if (ix != 0) {
        remove_revoked(e, ix);
        if (key_user(e, &engine_keys(e)[ix]) != user) transfer_ids_forget(e, &engine_keys(e)[ix]);
        return ix;
    }
    ix = pool_has_room(e) ? e->key_end++ : e->key_oldest;
    assert(ix != 0 && ix < e->key_end);
    key = engine_keys(e) + ix;
    if (ix == e->key_oldest) {
        assert(can_give_away(e, ix));
        table_remove(engine_key_table(e), e->layout.key_table_size, address_key(e, &key->address), ix);
        remove_revoked(e, ix);
        nonce_forget(e, &key->signer);
        transfer_ids_forget(e, key);
    }
    key->address = *address;
    table_insert(engine_key_table(e), e->layout.key_table_size, address_key(e, address), ix);
    return ix;
}

/* ---- the commands ---- */

static void emit_key(const struct engine *e, struct events *events, const struct api_key *key)
{
    struct key_changed *event = EVENT_ADD(events, KEY, key_changed, 0);

    assert(key->number != 0 && key->number < e->next_key_number);
    assert(key->account >= SLOT_USERS && key->account < e->account_end);
    event->account_id = account_id_of(key->account);
    event->user_id = account_id_of(key_user(e, key));
    event->name = key->name;
    event->key_type = key->key_type;
    event->revoked = !key->live;
    event->key_id = key->number;
    event->public_key = key->address;
    event->expires_ms = key->expires_ms;
    event->permissions = key->permissions;
}

static bool is_expired(const struct engine *e, int64_t expires_ms)
{
    return expires_ms != 0 && expires_ms <= e->time_ms;
}

/* An address has one owner: it is no wallet and no live key of another user. */
static bool is_taken(const struct engine *e, const struct address *address)
{
    return account_find_owner(e, address) != 0 || engine_keys(e)[find_key_address(e, address)].live;
}

static bool may_add(const struct engine *e, uint32_t slot, const struct add_key *item, struct result *result)
{
    uint32_t user = account_at(e, slot)->user, live = account_at(e, user)->key_count;

    assert(live <= KEYS_PER_OWNER);
    if (item->builder_given != 0) return refuse_field(result, REJECT_NOT_SUPPORTED, FIELD_BUILDER);
    if (!pass_payload(payload_add_key(item), result)) return false;
    if (is_expired(e, (int64_t)item->expires_ms)) {
        result->field = FIELD_EXPIRES_AT;
        return refuse(result, REJECT_KEY_EXPIRED, decimal_make((int64_t)item->expires_ms, 0),
                      decimal_make(e->time_ms + 1, 0));
    }
    if (find_key_name(e, user, &item->name) != 0) return refuse_plainly(result, REJECT_KEY_EXISTS);
    if (is_taken(e, &item->public_key)) return refuse_plainly(result, REJECT_KEY_ADDRESS_TAKEN);
    if (live == KEYS_PER_OWNER)
        return refuse(result, REJECT_KEY_LIMIT, decimal_make(live, 0), decimal_make(KEYS_PER_OWNER, 0));
    if (!key_has_room(e, &item->public_key)) return refuse_plainly(result, REJECT_CAPACITY);
    return true;
}

void key_add(struct apply_context *ctx, uint32_t slot, const struct add_key *item, struct result *result)
{
    struct engine  *e = ctx->engine;
    struct api_key *key;
    uint32_t        ix;

    if (!may_add(e, slot, item, result)) return;
    ix = take_record(e, &item->public_key, account_at(e, slot)->user);
    key = engine_keys(e) + ix;
    assert(!key->live && key->older == 0 && key->newer == 0);
    key->number = e->next_key_number++;
    key->account = slot;
    key->live = 1;
    key->key_type = item->key_type;
    key->name = item->name;
    key->expires_ms = (int64_t)item->expires_ms;
    key->permissions = item->permissions;
    key->revoked_ms = 0;
    account_at(e, key_user(e, key))->key_count += 1;
    table_insert(engine_key_name_table(e), e->layout.key_table_size, client_id_key(e, key_user(e, key), &key->name),
                 ix);
    assert(find_key_name(e, key_user(e, key), &key->name) == ix && find_key_address(e, &key->address) == ix);
    emit_key(e, ctx->events, key);
}

static void end_key(struct engine *e, struct events *events, uint32_t ix)
{
    struct api_key *key = engine_keys(e) + ix;

    assert(key->live && account_at(e, key_user(e, key))->key_count > 0);
    table_remove(engine_key_name_table(e), e->layout.key_table_size, client_id_key(e, key_user(e, key), &key->name),
                 ix);
    account_at(e, key_user(e, key))->key_count -= 1;
    key->live = 0;
    key->revoked_ms = nonce_time(e, e->time_ms);
    append_revoked(e, ix);
    emit_key(e, events, key);
    assert(find_key_name(e, key_user(e, key), &key->name) == 0 && e->key_newest == ix);
}

/*
 * A user has revoked the most keys allowed within three days; the reported need is the time of the next possible
 * revocation.
 */
static bool may_revoke(const struct engine *e, uint32_t user, struct result *result)
{
    const struct revocations *past = engine_revocations(e) + account_at(e, user)->revocations; /* 0: an empty one */
    int64_t                   again;

    assert(past->count <= REVOCATIONS_MAX && past->next < REVOCATIONS_MAX);
    if (past->count < REVOCATIONS_MAX) return true;
    again = past->at_ms[past->next] + GIVEN_AWAY_MS;
    if (e->time_ms >= again) return true;
    return refuse(result, REJECT_KEY_LIMIT, decimal_make(e->time_ms, 0), decimal_make(again, 0));
}

static void note_revocation(struct engine *e, uint32_t user)
{
    uint32_t           *ix = &account_at(e, user)->revocations;
    struct revocations *past;

    if (*ix == 0) *ix = e->revocations_end++; /* there is one for each user */
    past = engine_revocations(e) + *ix;
    assert(*ix <= e->limits.accounts);
    assert(past->count <= REVOCATIONS_MAX && past->next < REVOCATIONS_MAX);
    assert(past->count == REVOCATIONS_MAX || past->next == past->count);
    past->at_ms[past->next] = e->time_ms;
    past->next = (past->next + 1) % REVOCATIONS_MAX;
    past->count = min_u32(past->count + 1, REVOCATIONS_MAX);
}

void key_revoke(struct apply_context *ctx, uint32_t slot, const struct revoke_key *item, struct result *result)
{
    struct engine *e = ctx->engine;
    uint32_t       ix, user = account_at(e, slot)->user;

    assert(account_at(e, user)->user == user);
    if (!pass_payload(payload_key_name(&item->name), result)) return;
    ix = find_key_name(e, user, &item->name);
    if (ix == 0) {
        refuse_plainly(result, REJECT_KEY_NOT_FOUND);
        return;
    }
    if (!may_revoke(e, user, result)) return;
    end_key(e, ctx->events, ix);
    note_revocation(e, user);
}

uint32_t key_of(const struct engine *e, const struct command *command)
{
    return command->key_id == 0 ? 0 : find_key_address(e, &command->signer);
}

/* The right that a transfer of this type needs. */
static uint8_t transfer_right(uint8_t type) { return type == TRANSFER_EVM_WITHDRAW ? RIGHT_WITHDRAW : RIGHT_TRANSFER; }

enum reject key_authorise(const struct engine *e, const struct command *command, uint8_t rights,
                          struct speaker *speaker)
{
    uint32_t        ix = find_key_address(e, &command->signer);
    struct api_key *key = engine_keys(e) + ix;

    if (ix == 0) return REJECT_BAD_SIGNATURE;
    if (!key->live || key->number != command->key_id) return REJECT_UNKNOWN_KEY; /* revoked on the way here */
    if (key_user(e, key) != speaker->wallet) return REJECT_BAD_SIGNATURE;
    if (is_expired(e, key->expires_ms)) return REJECT_KEY_EXPIRED;
    if (rights == RIGHT_TRANSFER) /* or to withdraw: the type decides */
        rights = transfer_right(((const struct transfer_asset *)command_payload(command))->type);
    if (rights == 0 || (key->permissions & rights) != 0) return REJECT_PERMISSION_DENIED;
    speaker->key = ix;
    speaker->signer = &key->signer;
    return REJECT_NONE;
}

void key_give_way(struct engine *e, struct events *events, uint32_t slot)
{
    uint32_t ix = find_key_address(e, &account_at(e, slot)->owner);

    assert(account_at(e, slot)->user == slot && account_at(e, slot)->signer.highest == 0);
    if (ix == 0) return;
    if (engine_keys(e)[ix].live) end_key(e, events, ix);
    nonce_move(e, &engine_keys(e)[ix].signer, slot);
}

/* ---- invariants ---- */

uint32_t key_nonce_sets(const struct engine *e)
{
    uint32_t sets = 0;

    for (uint32_t ix = 1; ix < e->key_end; ix++)
        for (size_t i = 0; i < ARRAY_COUNT(engine_keys(e)[ix].signer.sets); i++) {
            uint32_t set = engine_keys(e)[ix].signer.sets[i];

            if (set == 0) continue;
            assert(set < e->signer_end && engine_nonces(e)[set].of_key && engine_nonces(e)[set].owner == ix
                   && engine_nonces(e)[set].domain == i + 1);
            sets += 1;
        }
    return sets;
}

static void verify_live_key(const struct engine *e, uint32_t ix)
{
    const struct api_key *key = engine_keys(e) + ix;

    assert(find_key_name(e, key_user(e, key), &key->name) == ix); /* one key of a name per user */
    assert(account_find_owner(e, &key->address) == 0);            /* an address has one owner */
    assert(payload_key_name(&key->name) == REJECT_NONE && key->key_type == KEY_EVM && key->expires_ms >= 0);
    assert(key->older == 0 && key->newer == 0 && ix != e->key_oldest);
}

static uint32_t count_revoked(const struct engine *e)
{
    uint32_t count = 0, last = 0;

    for (uint32_t ix = e->key_oldest; ix != 0 && count < e->key_end; ix = engine_keys(e)[ix].newer, count++) {
        const struct api_key *key = engine_keys(e) + ix;

        assert(!key->live && key->older == last);
        assert(last == 0 || engine_keys(e)[last].revoked_ms <= key->revoked_ms || e->development);
        last = ix;
    }
    assert(last == e->key_newest);
    return count;
}

static void verify_revocations(const struct engine *e, uint32_t slot)
{
    uint32_t                  ix = account_at(e, slot)->revocations;
    const struct revocations *past = engine_revocations(e) + ix;

    assert(ix < e->revocations_end && past->count <= REVOCATIONS_MAX && past->next < REVOCATIONS_MAX);
    assert(past->count == REVOCATIONS_MAX || past->next == past->count);
    assert((ix != 0) == (past->count != 0) && (ix == 0 || account_at(e, slot)->user == slot));
}

void key_verify(const struct engine *e)
{
    uint32_t live = 0, counted = 0, revoking = 0;

    assert(e->key_end >= 1 && e->key_end - 1 <= e->limits.keys);
    assert((uint64_t)(e->key_end - 1) * DOMAINS <= e->limits.signers); /* I60: each key has its nonce sets */
    for (uint32_t ix = 1; ix < e->key_end; ix++) {
        const struct api_key *key = engine_keys(e) + ix;

        assert(key->number >= 1 && key->number < e->next_key_number);
        assert(key->account >= SLOT_USERS && key->account < e->account_end);
        assert(find_key_address(e, &key->address) == ix); /* I25 */
        live += key->live;
        if (key->live) verify_live_key(e, ix);
    }
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++) {
        assert(account_at(e, slot)->key_count <= KEYS_PER_OWNER
               && (account_at(e, slot)->user == slot || account_at(e, slot)->key_count == 0));
        counted += account_at(e, slot)->key_count;
        revoking += account_at(e, slot)->revocations != 0;
        verify_revocations(e, slot);
    }
    assert(revoking == e->revocations_end - 1);
    assert(counted == live);
    assert(live + count_revoked(e) == e->key_end - 1);
    assert(table_count(engine_key_table(e), e->layout.key_table_size) == e->key_end - 1);
    assert(table_count(engine_key_name_table(e), e->layout.key_table_size) == live);
}
