/* SPDX-License-Identifier: MIT */
#include "core/nonce.h"

/* Entry number i in ascending order. */
static const struct nonce_entry *entry(const struct nonce_set *set, uint32_t i)
{
    assert(i < set->count);
    i += set->start;
    return &set->entries[i < NONCES_MAX ? i : i - NONCES_MAX];
}

static struct nonce_entry *entry_place(struct nonce_set *set, uint32_t i)
{
    i += set->start;
    return &set->entries[i < NONCES_MAX ? i : i - NONCES_MAX];
}

/* How many stored nonces are below `nonce`. */
static uint32_t rank(const struct nonce_set *set, uint64_t nonce)
{
    uint32_t low = 0, high = set->count;

    if (high != 0 && entry(set, high - 1)->nonce < nonce) return high;      /* the ordinary case */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (entry(set, middle)->nonce < nonce) low = middle + 1; else high = middle;
    }
    return low;
}

static enum nonce_reason check_window(uint64_t nonce, int64_t time_ms)
{
    if ((int128_t)nonce <= (int128_t)time_ms - 2 * DAY_MS) return NONCE_TOO_OLD;
    if ((int128_t)nonce >= (int128_t)time_ms + DAY_MS) return NONCE_TOO_FAR_AHEAD;
    return NONCE_OK;
}

enum nonce_reason nonce_check(const struct engine *e, uint32_t slot, const struct command *command, struct nonce_entry *used)
{
    const struct nonce_set *set = engine_nonces(e) + account_at(e, slot)->nonces[command->domain - 1];
    bool                    has_floor;
    uint32_t                at;

    if (set == engine_nonces(e)) return check_window(command->nonce, command->time_ms);
    if (command->domain == DOMAIN_SPOT && command->nonce > account_at(e, slot)->nonce_highest)
        return check_window(command->nonce, command->time_ms);
    at = rank(set, command->nonce);
    if (at < set->count && entry(set, at)->nonce == command->nonce) {
        *used = *entry(set, at);
        return NONCE_USED;
    }
    has_floor = !e->rules.nonce_floor_when_full || set->count == NONCES_MAX;
    if (at == 0 && has_floor) return NONCE_TOO_SMALL;
    return check_window(command->nonce, command->time_ms);
}

bool nonce_has_room(const struct engine *e, uint32_t slot, uint8_t domain)
{
    return account_at(e, slot)->nonces[domain - 1] != 0 || e->signer_end <= e->limits.signers;
}

static struct nonce_set *set_of(struct engine *e, uint32_t slot, uint8_t domain)
{
    uint32_t         *ix = &account_at(e, slot)->nonces[domain - 1];
    struct nonce_set *set;

    if (*ix == 0) {
        assert(e->signer_end <= e->limits.signers);
        *ix = e->signer_end++;
        set = engine_nonces(e) + *ix;
        set->account = slot;
        set->domain = domain;
    }
    return engine_nonces(e) + *ix;
}

void nonce_use(struct engine *e, uint32_t slot, const struct command *command)
{
    struct nonce_set *set = set_of(e, slot, command->domain);
    bool              rises = command->domain == DOMAIN_SPOT && command->nonce > account_at(e, slot)->nonce_highest;
    uint32_t          at = rises ? set->count : rank(set, command->nonce);

    assert(at == set->count || entry(set, at)->nonce != command->nonce);
    if (set->count == NONCES_MAX) {                     /* the smallest one gives its place */
        assert(at != 0);
        set->start = set->start + 1 == NONCES_MAX ? 0 : set->start + 1;
        at -= 1;
    } else {
        set->count += 1;
    }
    for (uint32_t i = set->count - 1; i > at; i--) *entry_place(set, i) = *entry_place(set, i - 1);
    *entry_place(set, at) = (struct nonce_entry){ command->nonce, command->seq, command->payload_tag };
    if (rises) account_at(e, slot)->nonce_highest = command->nonce;
}

void nonce_verify(const struct engine *e)
{
    assert(e->signer_end >= 1 && e->signer_end - 1 <= e->limits.signers);
    for (uint32_t ix = 1; ix < e->signer_end; ix++) {
        const struct nonce_set *set = engine_nonces(e) + ix;

        assert(set->count >= 1 && set->count <= NONCES_MAX && set->start < NONCES_MAX);         /* I16 */
        for (uint32_t i = 1; i < set->count; i++) assert(entry(set, i - 1)->nonce < entry(set, i)->nonce);
        for (uint32_t i = 0; i < set->count; i++) assert(entry(set, i)->seq <= e->seq);
        if (set->domain == DOMAIN_SPOT) assert(account_at(e, set->account)->nonce_highest == entry(set, set->count - 1)->nonce);
    }
}
