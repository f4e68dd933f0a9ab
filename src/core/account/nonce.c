/* SPDX-License-Identifier: MIT */
#include "core/account/nonce.h"
#include "core/state/layout.h"

/* A set with its ends, the operand of the functions here. */
struct nonces {
    struct nonce_entry *entries;
    struct nonce_ring  *ring;
};

static struct nonces nonces_of(const struct engine *e, const struct signer *signer, uint8_t domain)
{
    return (struct nonces){ engine_nonces(e)[signer->sets[domain - 1]].entries,
                            (struct nonce_ring *)&signer->rings[domain - 1] };
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

    if (high != 0 && entry(set, high - 1)->nonce < nonce) return high; /* the ordinary case */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (entry(set, middle)->nonce < nonce) low = middle + 1;
        else high = middle;
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

/* Where in its set the newest nonce is; there is one. */
static inline uint32_t newest(struct nonce_ring ring)
{
    uint32_t place = ring.start + ring.count - 1u;

    return place < NONCES_MAX ? place : place - NONCES_MAX;
}

/*
 * Whether the nonce is above all stored ones of its domain. It is nearly always above those of all domains, and then
 * the signer's row alone decides.
 */
static inline bool is_highest(const struct engine *e, const struct signer *signer, const struct command *command)
{
    const struct nonce_ring *ring = &signer->rings[command->domain - 1];

    if (ring->count == 0) return false;
    return command->nonce > signer->highest
        || command->nonce > nonces_of(e, signer, command->domain).entries[newest(*ring)].nonce;
}

/* A nonce that is not known to be above all others. */
static COLD enum nonce_reason check_among(const struct engine *e, struct nonces set, const struct command *command,
                                          struct nonce_entry *used)
{
    bool     has_floor;
    uint32_t at;

    assert(set.ring->count <= NONCES_MAX && set.ring->start < NONCES_MAX);
    if (set.ring->count == 0) return check_window(command->nonce, nonce_time(e, command->time_ms));
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
    return check_window(command->nonce, nonce_time(e, command->time_ms));
}

enum nonce_reason nonce_check(const struct engine *e, struct speaker *speaker, const struct command *command,
                              struct nonce_entry *used)
{
    const struct signer *signer = speaker->signer;

    speaker->rises = is_highest(e, signer, command);
    if (speaker->rises) return check_window(command->nonce, nonce_time(e, command->time_ms));
    return check_among(e, nonces_of(e, signer, command->domain), command, used);
}

void nonce_prefetch(const struct engine *e, const struct signer *signer, uint8_t domain)
{
    struct nonces set = nonces_of(e, signer, domain);
    uint32_t      place = set.ring->count == NONCES_MAX ? set.ring->start : set.ring->count;

    FETCH(&set.entries[place]);
    FETCH(&set.entries[place].payload_tag); /* an entry may lie in two cache lines */
}

static void make_set(struct engine *e, const struct speaker *speaker, uint8_t domain)
{
    struct nonce_set *set = engine_nonces(e) + e->signer_end;

    assert(e->signer_end <= nonce_sets(&e->limits)); /* reserved with the row or the record */
    assert(domain >= DOMAIN_SPOT && domain <= DOMAIN_UNIVERSAL && speaker->signer->sets[domain - 1] == 0);
    speaker->signer->sets[domain - 1] = e->signer_end++;
    set->account = speaker->key == 0 ? speaker->wallet : 0;
    set->key = speaker->key;
    set->domain = domain;
}

/* Moves the entries from number `at` on up by one, so that `at` is free; the last place is already counted. */
static void open_gap(struct nonces set, uint32_t at)
{
    assert(at < set.ring->count);
    for (uint32_t i = set.ring->count - 1u; i > at; i--) *entry(set, i) = *entry(set, i - 1);
}

/* The ordinary nonce, above all others: behind the newest, which is over the smallest when the set is full. */
static void append(struct nonces set, const struct command *command)
{
    uint32_t place = set.ring->start;

    if (set.ring->count == NONCES_MAX) set.ring->start = place + 1 == NONCES_MAX ? 0 : (uint8_t)(place + 1);
    else place = set.ring->count++; /* a set that is not full starts at entry 0 */
    set.entries[place] = (struct nonce_entry){ command->nonce, command->seq, command->payload_tag };
}

/* A nonce that is not known to be above all others, into its place among them. */
static COLD void use_among(struct engine *e, const struct speaker *speaker, const struct command *command)
{
    struct signer *signer = speaker->signer;
    struct nonces  set;
    uint32_t       at;

    if (signer->sets[command->domain - 1] == 0) make_set(e, speaker, command->domain);
    set = nonces_of(e, signer, command->domain);
    at = rank(set, command->nonce);
    assert(at == set.ring->count || entry(set, at)->nonce != command->nonce);
    if (set.ring->count == NONCES_MAX) { /* the smallest one gives its place */
        assert(at != 0);
        set.ring->start = set.ring->start + 1 == NONCES_MAX ? 0 : (uint8_t)(set.ring->start + 1);
        at -= 1;
    } else {
        set.ring->count += 1;
    }
    open_gap(set, at);
    *entry(set, at) = (struct nonce_entry){ command->nonce, command->seq, command->payload_tag };
    signer->highest = max_u64(signer->highest, command->nonce);
}

void nonce_use(struct engine *e, const struct speaker *speaker, const struct command *command)
{
    struct signer *signer = speaker->signer;

    if (speaker->rises) {
        append(nonces_of(e, signer, command->domain), command);
        signer->highest = max_u64(signer->highest, command->nonce);
    } else {
        use_among(e, speaker, command);
    }
}

void nonce_move(struct engine *e, struct signer *from, uint32_t slot)
{
    struct signer *to = &account_at(e, slot)->signer;

    for (size_t i = 0; i < ARRAY_COUNT(from->sets); i++) {
        assert(to->sets[i] == 0);
        assert(from->sets[i] < e->signer_end);
        if (from->sets[i] == 0) continue;
        engine_nonces(e)[from->sets[i]].account = slot;
        engine_nonces(e)[from->sets[i]].key = 0;
    }
    *to = *from;
    *from = (struct signer){ 0 };
}

void nonce_forget(struct signer *signer)
{
    memset(signer->rings, 0, sizeof(signer->rings));
    signer->highest = 0;
}

/* I16: the set belongs to one signer, whose row refers to it. */
static const struct signer *owner_of_set(const struct engine *e, uint32_t ix)
{
    const struct nonce_set *set = engine_nonces(e) + ix;
    const struct signer    *signer =
        set->key != 0 ? &engine_keys(e)[set->key].signer : &account_at(e, set->account)->signer;

    assert((set->key == 0) != (set->account == 0));
    assert(set->key < e->key_end && set->account < e->account_end);
    assert(set->domain >= DOMAIN_SPOT && set->domain <= DOMAIN_UNIVERSAL);
    assert(signer->sets[set->domain - 1] == ix);
    return signer;
}

static uint64_t highest_of_all(const struct engine *e, const struct signer *signer)
{
    uint64_t highest = 0;

    for (uint8_t domain = DOMAIN_SPOT; domain <= DOMAIN_UNIVERSAL; domain++) {
        struct nonces set = nonces_of(e, signer, domain);
        if (set.ring->count != 0) highest = max_u64(highest, entry(set, set.ring->count - 1u)->nonce);
    }
    return highest;
}

/* Without a branch: most reads of the verification of a small world happen here. */
static bool ascends(const struct nonce_entry *entries, uint32_t from, uint32_t to)
{
    bool good = true;

    for (uint32_t i = from + 1; i < to; i++) good &= entries[i - 1].nonce < entries[i].nonce;
    return good;
}

/* From the oldest to the end of the room, then from its beginning to the newest. */
static bool ring_ascends(struct nonces set)
{
    uint32_t start = set.ring->start;

    if (!ascends(set.entries, start, min_u32(start + set.ring->count, NONCES_MAX)) || !ascends(set.entries, 0, start))
        return false;
    return start == 0 || set.entries[NONCES_MAX - 1].nonce < set.entries[0].nonce;
}

/* A ring that is not full starts at 0, so in either case the first `count` places are taken. */
static bool are_of_the_past(struct nonces set, uint64_t seq)
{
    bool good = true;

    for (uint32_t i = 0; i < set.ring->count; i++) good &= set.entries[i].seq <= seq;
    return good;
}

void nonce_verify(const struct engine *e)
{
    assert(e->signer_end >= 1 && e->signer_end - 1 <= nonce_sets(&e->limits));
    for (uint32_t ix = 1; ix < e->signer_end; ix++) {
        const struct nonce_set *owned = engine_nonces(e) + ix;
        const struct signer    *signer = owner_of_set(e, ix);
        struct nonces           set = nonces_of(e, signer, (uint8_t)owned->domain);
        uint32_t                count = set.ring->count;

        assert(count <= NONCES_MAX && set.ring->start < NONCES_MAX); /* I16 */
        assert(
            count >= 1 || owned->key != 0
            || e->key_end
                   > 1); /* a set that was given away is empty at first, and may go with a key that becomes a wallet */
        assert(count == NONCES_MAX || set.ring->start == 0);
        assert(ring_ascends(set));
        assert(are_of_the_past(set, e->seq));
        assert(signer->highest == highest_of_all(e, signer));
    }
}
