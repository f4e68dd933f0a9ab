/* SPDX-License-Identifier: MIT */
#include "core/nonce.h"

/* A set with its ends: what the functions here work on. */
struct nonces {
    struct nonce_entry *entries;
    struct nonce_ring  *ring;
};

static struct nonces nonces_of(const struct engine *e, struct account *account, uint8_t domain)
{
    return (struct nonces){ engine_nonces(e)[account->nonces[domain - 1]].entries, &account->rings[domain - 1] };
}

/* Entry number i in ascending order. */
static struct nonce_entry *entry(struct nonces set, uint32_t i)
{
    assert(i < set.ring->count);
    i += set.ring->start;
    return &set.entries[i < NONCES_MAX ? i : i - NONCES_MAX];
}

/* How many stored nonces are below `nonce`. */
static uint32_t rank(struct nonces set, uint64_t nonce)
{
    uint32_t low = 0, high = set.ring->count;

    if (high != 0 && entry(set, high - 1)->nonce < nonce) return high;      /* the ordinary case */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (entry(set, middle)->nonce < nonce) low = middle + 1; else high = middle;
    }
    return low;
}

/* Time is never below 0, so neither bound leaves 64 bits: the lower one is signed, the upper one unsigned. */
static inline enum nonce_reason check_window(uint64_t nonce, int64_t time_ms)
{
    int64_t too_old = time_ms - 2 * DAY_MS;

    if (too_old >= 0 && nonce <= (uint64_t)too_old) return NONCE_TOO_OLD;
    if (nonce >= (uint64_t)time_ms + (uint64_t)DAY_MS) return NONCE_TOO_FAR_AHEAD;
    return NONCE_OK;
}

/* Whether the nonce is above all that are stored, as the account row alone can tell. */
static inline bool is_highest(const struct account *account, const struct command *command)
{
    return command->domain == DOMAIN_SPOT && command->nonce > account->nonce_highest && account->rings[DOMAIN_SPOT - 1].count != 0;
}

/* A nonce that is not known to be above all others. */
static COLD enum nonce_reason check_among(const struct engine *e, struct nonces set, const struct command *command, struct nonce_entry *used)
{
    bool     has_floor;
    uint32_t at;

    if (set.ring->count == 0) return check_window(command->nonce, command->time_ms);
    at = rank(set, command->nonce);
    if (at < set.ring->count && entry(set, at)->nonce == command->nonce) {
        *used = *entry(set, at);
        return NONCE_USED;
    }
    has_floor = !e->rules.nonce_floor_when_full || set.ring->count == NONCES_MAX;
    if (at == 0 && has_floor) {
        *used = *entry(set, 0);
        return NONCE_TOO_SMALL;
    }
    return check_window(command->nonce, command->time_ms);
}

enum nonce_reason nonce_check(const struct engine *e, uint32_t slot, const struct command *command, struct nonce_entry *used)
{
    struct account *account = account_at(e, slot);

    if (is_highest(account, command)) return check_window(command->nonce, command->time_ms);
    return check_among(e, nonces_of(e, account, command->domain), command, used);
}

void nonce_expect(const struct engine *e, uint32_t slot, uint8_t domain)
{
    struct account *account = account_at(e, slot);
    struct nonces   set = nonces_of(e, account, domain);
    uint32_t        place = set.ring->count == NONCES_MAX ? set.ring->start : set.ring->count;

    FETCH(&set.entries[place]);
    FETCH(&set.entries[place].payload_tag);             /* an entry may lie in two cache lines */
}

bool nonce_has_room(const struct engine *e, uint32_t slot, uint8_t domain)
{
    return account_at(e, slot)->nonces[domain - 1] != 0 || e->signer_end <= e->limits.signers;
}

static void make_set(struct engine *e, uint32_t slot, uint8_t domain)
{
    struct nonce_set *set = engine_nonces(e) + e->signer_end;

    assert(e->signer_end <= e->limits.signers);
    account_at(e, slot)->nonces[domain - 1] = e->signer_end++;
    set->account = slot;
    set->domain = domain;
}

/* Moves the entries from number `at` on up by one, so that `at` is free; the last place is already counted. */
static void open_gap(struct nonces set, uint32_t at)
{
    for (uint32_t i = set.ring->count - 1u; i > at; i--) *entry(set, i) = *entry(set, i - 1);
}

/* The ordinary nonce, above all others: behind the newest, which is over the smallest when the set is full. */
static void append(struct nonces set, const struct command *command)
{
    uint32_t place = set.ring->start;

    if (set.ring->count == NONCES_MAX) set.ring->start = place + 1 == NONCES_MAX ? 0 : (uint8_t)(place + 1);
    else                               place = set.ring->count++;       /* a set that is not full starts at entry 0 */
    set.entries[place] = (struct nonce_entry){ command->nonce, command->seq, command->payload_tag };
}

/* A nonce that is not known to be above all others, into its place among them. */
static COLD void use_among(struct engine *e, uint32_t slot, const struct command *command)
{
    struct account *account = account_at(e, slot);
    struct nonces   set;
    uint32_t        at;

    if (account->nonces[command->domain - 1] == 0) make_set(e, slot, command->domain);
    set = nonces_of(e, account, command->domain);
    at = rank(set, command->nonce);
    assert(at == set.ring->count || entry(set, at)->nonce != command->nonce);
    if (set.ring->count == NONCES_MAX) {                     /* the smallest one gives its place */
        assert(at != 0);
        set.ring->start = set.ring->start + 1 == NONCES_MAX ? 0 : (uint8_t)(set.ring->start + 1);
        at -= 1;
    } else {
        set.ring->count += 1;
    }
    open_gap(set, at);
    *entry(set, at) = (struct nonce_entry){ command->nonce, command->seq, command->payload_tag };
    if (command->domain == DOMAIN_SPOT) account->nonce_highest = max_u64(account->nonce_highest, command->nonce);
}

void nonce_use(struct engine *e, uint32_t slot, const struct command *command)
{
    struct account *account = account_at(e, slot);

    if (is_highest(account, command)) {
        append(nonces_of(e, account, command->domain), command);
        account->nonce_highest = command->nonce;
    } else {
        use_among(e, slot, command);
    }
}

void nonce_verify(const struct engine *e)
{
    assert(e->signer_end >= 1 && e->signer_end - 1 <= e->limits.signers);
    for (uint32_t ix = 1; ix < e->signer_end; ix++) {
        const struct nonce_set *owned = engine_nonces(e) + ix;
        struct account         *account = account_at(e, owned->account);
        struct nonces           set = nonces_of(e, account, (uint8_t)owned->domain);
        uint32_t                count = set.ring->count;

        assert(set.entries == owned->entries);
        assert(count >= 1 && count <= NONCES_MAX && set.ring->start < NONCES_MAX);         /* I16 */
        assert(count == NONCES_MAX || set.ring->start == 0);
        for (uint32_t i = 1; i < count; i++) assert(entry(set, i - 1)->nonce < entry(set, i)->nonce);
        for (uint32_t i = 0; i < count; i++) assert(entry(set, i)->seq <= e->seq);
        if (owned->domain == DOMAIN_SPOT) assert(account->nonce_highest == entry(set, count - 1)->nonce);
    }
}
