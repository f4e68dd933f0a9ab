/* SPDX-License-Identifier: MIT */
#include "core/account/nonce.h"
#include "core/state/layout.h"

static struct nonce_set *set_of(const struct engine *e, const struct signer *signer, uint8_t domain)
{
    return engine_nonces(e) + signer->sets[domain - 1u];
}

/* How many of the nonces are below `nonce`. */
static uint32_t rank(const struct nonce_entry *entries, uint32_t count, uint64_t nonce)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (entries[middle].nonce < nonce) low = middle + 1;
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

/*
 * The same with one compare; false when check_window must say. The newest nonce that is too old is three days below the
 * oldest one that is too far ahead.
 */
static inline bool is_in_window(uint64_t nonce, int64_t time_ms)
{
    int64_t too_old = time_ms - 2 * DAY_MS;

    return too_old >= 0 && nonce - (uint64_t)too_old - 1 < (uint64_t)(3 * DAY_MS) - 1;
}

/*
 * The set, when the nonce is above all stored ones of its domain; else NULL. It is nearly always above those of all
 * domains, and then the signer's row alone decides.
 */
static inline struct nonce_set *set_below(const struct engine *e, const struct signer *signer,
                                          const struct command *command)
{
    struct nonce_set *set = set_of(e, signer, command->domain);

    if (signer->sets[command->domain - 1u] == 0) return NULL;
    return command->nonce > signer->highest || (set->count != 0 && command->nonce > set->nonce) ? set : NULL;
}

bool nonce_ordinary(const struct engine *e, const struct signer *signer, const struct command *command,
                    struct nonce_set **set)
{
    int64_t time_ms = command->time_ms - e->time_offset_ms;

    *set = set_of(e, signer, command->domain);
    if (signer->sets[command->domain - 1u] == 0) return false;
    if (__builtin_expect(command->nonce <= signer->highest, 0) && set_below(e, signer, command) == NULL) return false;
    return is_in_window(command->nonce, time_ms) || check_window(command->nonce, max_i64(time_ms, 0)) == NONCE_OK;
}

/* A nonce that is not known to be above all others. */
static COLD enum nonce_reason check_among(const struct engine *e, const struct nonce_set *set,
                                          const struct command *command, struct nonce_entry *used)
{
    UNTOUCHED struct nonce_entry entries[NONCES_MAX];
    uint32_t                     count = nonce_store_read(e, set, entries), at = rank(entries, count, command->nonce);
    bool                         has_floor = count != 0 && (!e->rules.nonce_floor_when_full || count == NONCES_MAX);

    assert(count <= NONCES_MAX && at <= count);
    if (at < count && entries[at].nonce == command->nonce) {
        *used = entries[at];
        return NONCE_USED;
    }
    if (at == 0 && has_floor) {
        *used = entries[0];
        return NONCE_TOO_SMALL;
    }
    return check_window(command->nonce, nonce_time(e, command->time_ms));
}

enum nonce_reason nonce_check(const struct engine *e, struct speaker *speaker, const struct command *command,
                              struct nonce_entry *used)
{
    const struct signer *signer = speaker->signer;

    speaker->below = set_below(e, signer, command);
    if (speaker->below != NULL) return check_window(command->nonce, nonce_time(e, command->time_ms));
    return check_among(e, set_of(e, signer, command->domain), command, used);
}

uint64_t nonce_highest(const struct engine *e, const struct signer *signer, uint8_t domain)
{
    const struct nonce_set *set = set_of(e, signer, domain);

    return signer->sets[domain - 1u] == 0 || set->count == 0 ? 0 : set->nonce;
}

uint32_t nonce_prefetch(const struct engine *e, const struct signer *signer, uint8_t domain)
{
    uint32_t at = domain - (uint32_t)DOMAIN_SPOT, ix = __builtin_expect(at < DOMAINS, 1) ? signer->sets[at] : 0;

    FETCH(engine_nonces(e) + ix);
    return ix;
}

void nonce_prefetch_end(const struct engine *e, uint32_t ix) { nonce_store_prefetch(e, engine_nonces(e) + ix); }

static void make_set(struct engine *e, const struct speaker *speaker, uint8_t domain)
{
    struct nonce_set *set = engine_nonces(e) + e->signer_end;

    assert(e->signer_end <= nonce_sets(&e->limits)); /* reserved with the row or the record */
    assert(domain >= DOMAIN_SPOT && domain <= DOMAIN_UNIVERSAL && speaker->signer->sets[domain - 1] == 0);
    speaker->signer->sets[domain - 1] = e->signer_end++;
    *set = (struct nonce_set){ .owner = speaker->key == 0 ? speaker->wallet : speaker->key,
                               .domain = domain,
                               .of_key = speaker->key != 0 };
    nonce_store_write(e, set, NULL, 0);
}

/* A nonce that is not known to be above all others, into its place among them. */
static COLD void use_among(struct engine *e, const struct speaker *speaker, const struct command *command)
{
    UNTOUCHED struct nonce_entry entries[NONCES_MAX + 1];
    struct nonce_set            *set;
    uint32_t                     count, at, from;

    if (speaker->signer->sets[command->domain - 1] == 0) make_set(e, speaker, command->domain);
    set = set_of(e, speaker->signer, command->domain);
    count = nonce_store_read(e, set, entries);
    at = rank(entries, count, command->nonce);
    assert(at == count || entries[at].nonce != command->nonce);
    for (uint32_t i = count; i > at; i--) entries[i] = entries[i - 1];
    entries[at] = (struct nonce_entry){ command->nonce, command->seq, nonce_tag(command) };
    from = count == NONCES_MAX; /* the smallest one gives its place */
    assert(from == 0 || at != 0);
    nonce_store_write(e, set, entries + from, count + 1 - from);
    speaker->signer->highest = max_u64(speaker->signer->highest, command->nonce);
}

void nonce_use_ordinary(struct engine *e, struct signer *signer, struct nonce_set *set, const struct command *command)
{
    nonce_store_append(e, set, command->nonce, command->seq, nonce_tag(command));
    signer->highest = max_u64(signer->highest, command->nonce);
}

void nonce_use(struct engine *e, const struct speaker *speaker, const struct command *command)
{
    assert(speaker->below == NULL || speaker->below->domain == command->domain);
    if (speaker->below != NULL) nonce_use_ordinary(e, speaker->signer, speaker->below, command);
    else use_among(e, speaker, command);
}

void nonce_move(struct engine *e, struct signer *from, uint32_t slot)
{
    struct signer *to = &account_at(e, slot)->signer;

    for (size_t i = 0; i < ARRAY_COUNT(from->sets); i++) {
        assert(to->sets[i] == 0);
        assert(from->sets[i] < e->signer_end);
        if (from->sets[i] == 0) continue;
        engine_nonces(e)[from->sets[i]].owner = slot;
        engine_nonces(e)[from->sets[i]].of_key = 0;
    }
    *to = *from;
    *from = (struct signer){ 0 };
}

void nonce_forget(struct engine *e, struct signer *signer)
{
    for (size_t i = 0; i < ARRAY_COUNT(signer->sets); i++)
        if (signer->sets[i] != 0) nonce_store_write(e, engine_nonces(e) + signer->sets[i], NULL, 0);
    signer->highest = 0;
}

/* I16: the set belongs to one signer, whose row refers to it. */
static const struct signer *owner_of_set(const struct engine *e, uint32_t ix)
{
    const struct nonce_set *set = engine_nonces(e) + ix;
    const struct signer    *signer;

    assert(set->owner != 0 && set->owner < (set->of_key ? e->key_end : e->account_end));
    assert(set->domain >= DOMAIN_SPOT && set->domain <= DOMAIN_UNIVERSAL);
    signer = set->of_key ? &engine_keys(e)[set->owner].signer : &account_at(e, set->owner)->signer;
    assert(signer->sets[set->domain - 1] == ix);
    return signer;
}

static uint64_t highest_of_all(const struct engine *e, const struct signer *signer)
{
    uint64_t highest = 0;

    for (uint8_t domain = DOMAIN_SPOT; domain <= DOMAIN_UNIVERSAL; domain++)
        if (set_of(e, signer, domain)->count != 0) highest = max_u64(highest, set_of(e, signer, domain)->nonce);
    return highest;
}

/* Ascending, none twice, none of the future. Without a branch: most of the verification of a small world is here. */
static bool are_right(const struct nonce_entry *entries, uint32_t count, uint64_t seq)
{
    bool good = true;

    for (uint32_t i = 0; i < count; i++) good &= entries[i].seq <= seq && entries[i].payload_tag >> NONCE_TAG_BITS == 0;
    for (uint32_t i = 1; i < count; i++) good &= entries[i - 1].nonce < entries[i].nonce;
    return good;
}

void nonce_verify(const struct engine *e)
{
    struct nonce_entry entries[NONCES_MAX];
    uint32_t           chunks = 0, unused = 0;

    assert(e->signer_end >= 1 && e->signer_end - 1 <= nonce_sets(&e->limits));
    for (uint32_t ix = 1; ix < e->signer_end; ix++) {
        const struct nonce_set *set = engine_nonces(e) + ix;
        const struct signer    *signer = owner_of_set(e, ix);

        /* a set that was given away is empty at first, and may go with a key that becomes a wallet */
        assert(set->count >= 1 || set->of_key || e->key_end > 1);
        chunks += nonce_store_verify(e, set);
        assert(are_right(entries, nonce_store_read(e, set, entries), e->seq)); /* I16 */
        assert(signer->highest == highest_of_all(e, signer));
    }
    for (uint32_t ix = e->nonce_chunk_free; ix != 0 && unused < e->nonce_chunk_end;
         ix = engine_nonce_chunks(e)[ix].next)
        unused++;
    assert(chunks + unused == e->nonce_chunk_end - 1);
}
