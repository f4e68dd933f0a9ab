/* SPDX-License-Identifier: MIT */
#include "core/account/nonce_store.h"
#include "core/state/layout.h"

/* A chunk is added when the nonces that do not begin in the oldest one are at most NONCES_MAX - 1. */
static_assert(NONCE_SET_CHUNKS * NONCE_CHUNK_BYTES >= NONCE_CHUNK_BYTES + NONCES_MAX * NONCE_BYTES_MAX,
              "the longest nonces fit the chunks that are reserved for a set");
static_assert(NONCE_BYTES_MAX <= NONCE_CHUNK_BYTES, "a nonce lies in two chunks at most");

static inline struct nonce_chunk *chunk_at(const struct engine *e, uint32_t ix) { return engine_nonce_chunks(e) + ix; }

/* ---- one nonce ---- */

/* Where the parts of a small nonce begin in its word, whose lowest bit is 0. */
#define SMALL_BYTES   8
#define CHUNK_NONCES  (NONCE_CHUNK_BYTES / SMALL_BYTES) /* begin in a chunk at most */
#define SMALL_TAG     1
#define SMALL_SEQ     (SMALL_TAG + NONCE_TAG_BITS)
#define SMALL_SEQBITS 20
#define SMALL_STEP    (SMALL_SEQ + SMALL_SEQBITS)

/* Lengths of a large nonce's numbers by their codes, four bits each. */
#define LENGTHS 0x8432u
static inline uint32_t length_of(uint32_t code) { return LENGTHS >> code * 4 & 15; }
static inline uint32_t code_of(uint64_t number)
{
    return (uint32_t)(number > 0xffff) + (number > 0xffffff) + (number > 0xffffffff);
}

#define AT_TAG  1
#define AT_REST 5 /* of a large nonce's step: all but the three bits in its first byte */
#define SPARE   3 /* so that bytes are read and written by eights */

/* Steps are differences of unsigned numbers: one below 0 is a large one. */
static inline bool is_small(uint64_t step, uint64_t seq_step)
{
    return (step >> (64 - SMALL_STEP) | seq_step >> SMALL_SEQBITS) == 0;
}

static inline void encode_small(uint8_t bytes[SMALL_BYTES], uint64_t step, uint64_t seq_step, uint32_t tag)
{
    uint64_t word = (uint64_t)tag << SMALL_TAG | seq_step << SMALL_SEQ | step << SMALL_STEP;

    memcpy(bytes, &word, sizeof(word));
}

/* The bytes of any nonce; returns how many. */
static uint32_t encode(uint8_t bytes[NONCE_BYTES_MAX + SPARE], uint64_t step, uint64_t seq_step, uint32_t tag)
{
    uint64_t rest = step >> 3;
    uint32_t code, seq_code, at;

    if (is_small(step, seq_step)) {
        encode_small(bytes, step, seq_step, tag);
        return SMALL_BYTES;
    }
    code = code_of(rest);
    seq_code = code_of(seq_step);
    at = AT_REST + length_of(code);
    bytes[0] = (uint8_t)(1 | code << 1 | seq_code << 3 | (step & 7) << 5);
    memcpy(bytes + AT_TAG, &tag, sizeof(tag));
    memcpy(bytes + AT_REST, &rest, sizeof(rest));
    memcpy(bytes + at, &seq_step, sizeof(seq_step));
    return at + length_of(seq_code);
}

/* A number of 1 to 8 bytes. */
static inline uint64_t number_at(const uint8_t *bytes, uint32_t length)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof(value));
    return value << (64 - 8 * length) >> (64 - 8 * length);
}

/* The nonce at `bytes`, with its steps in place of nonce and number; returns its length. */
static uint32_t decode(const uint8_t *bytes, struct nonce_entry *steps)
{
    uint32_t length = length_of(bytes[0] >> 1 & 3), seq_length = length_of(bytes[0] >> 3 & 3);
    uint64_t word = number_at(bytes, SMALL_BYTES);

    if ((word & 1) == 0) {
        steps->nonce = word >> SMALL_STEP;
        steps->seq = word >> SMALL_SEQ & ((1u << SMALL_SEQBITS) - 1);
        steps->payload_tag = word >> SMALL_TAG & ((1u << NONCE_TAG_BITS) - 1);
        return SMALL_BYTES;
    }
    steps->payload_tag = number_at(bytes + AT_TAG, sizeof(uint32_t));
    steps->nonce = number_at(bytes + AT_REST, length) << 3 | bytes[0] >> 5;
    steps->seq = number_at(bytes + AT_REST + length, seq_length);
    return AT_REST + length + seq_length;
}

/* ---- all nonces of a set ---- */

/* The bytes of all chunks of a set, one behind the other; spare ones, because nonces are read by eights. */
struct flat {
    uint8_t  at[NONCE_SET_CHUNKS * NONCE_CHUNK_BYTES + NONCE_BYTES_MAX + SPARE];
    uint32_t chunks;
};

static void flatten(const struct engine *e, const struct nonce_set *set, struct flat *flat)
{
    flat->chunks = 0;
    for (uint32_t ix = set->oldest; ix != 0 && flat->chunks < NONCE_SET_CHUNKS; ix = chunk_at(e, ix)->next)
        memcpy(flat->at + NONCE_CHUNK_BYTES * flat->chunks++, chunk_at(e, ix)->bytes, NONCE_CHUNK_BYTES);
}

/* Those that are kept, with their steps; returns where the last one ends. Foreign memory may count more than it has. */
static uint32_t read_steps(const struct flat *flat, uint32_t first, uint32_t count, struct nonce_entry *entries)
{
    uint32_t at = first, forgotten = count - min_u32(count, NONCES_MAX);

    for (uint32_t i = 0; i < count; i++) {
        at = min_u32(at, NONCE_SET_CHUNKS * NONCE_CHUNK_BYTES);
        at += decode(flat->at + at, &entries[i < forgotten ? 0 : i - forgotten]);
    }
    return at;
}

static NOINLINE void read_chunks(const struct engine *e, const struct nonce_set *set, struct nonce_entry *entries)
{
    struct flat flat;

    flatten(e, set, &flat);
    (void)read_steps(&flat, chunk_at(e, set->oldest)->first, set->count, entries);
}

uint32_t nonce_store_read(const struct engine *e, const struct nonce_set *set, struct nonce_entry *entries)
{
    uint32_t kept = min_u32(set->count, NONCES_MAX);
    uint64_t nonce = set->nonce, seq = set->seq;

    if (kept == 0) return 0; /* the first nonce of most signers */
    read_chunks(e, set, entries);
    for (uint32_t i = kept; i-- > 0;) {
        struct nonce_entry steps = entries[i];

        entries[i].nonce = nonce;
        entries[i].seq = seq;
        nonce -= steps.nonce;
        seq -= steps.seq;
    }
    return kept;
}

/* ---- chunks ---- */

static void give_chunk(struct engine *e, uint32_t ix)
{
    assert(ix != 0 && ix < e->nonce_chunk_end);
    chunk_at(e, ix)->next = e->nonce_chunk_free;
    e->nonce_chunk_free = ix;
}

/* No look ahead can prefetch a chunk that has no owner yet, so the one that is taken next is prefetched here. */
static uint32_t take_chunk(struct engine *e)
{
    uint32_t ix = e->nonce_chunk_free;

    if (ix != 0) e->nonce_chunk_free = chunk_at(e, ix)->next;
    else ix = e->nonce_chunk_end++;
    assert(ix != 0 && ix <= nonce_chunks(&e->limits)); /* reserved with the set */
    FETCH(chunk_at(e, e->nonce_chunk_free != 0 ? e->nonce_chunk_free : e->nonce_chunk_end));
    return ix;
}

/*
 * Gives away the oldest chunks while the others have enough nonces; the last of them is returned, 0 = there is none.
 * Behind the first one a chunk is looked at, which is far away in memory, only when the others have enough for certain.
 */
static uint32_t drop_oldest(struct engine *e, struct nonce_set *set)
{
    uint32_t dropped = 0;

    while (set->newest != 0 && (dropped == 0 || set->count >= NONCES_MAX + CHUNK_NONCES)
           && (uint32_t)set->count - chunk_at(e, set->oldest)->begun >= NONCES_MAX) {
        if (dropped != 0) give_chunk(e, dropped);
        assert(set->oldest != set->newest);
        dropped = set->oldest;
        set->count = (uint8_t)(set->count - chunk_at(e, dropped)->begun);
        set->oldest = chunk_at(e, dropped)->next;
    }
    return dropped;
}

/* One more chunk behind the newest. */
static struct nonce_chunk *add_chunk(struct engine *e, struct nonce_set *set)
{
    uint32_t            ix = drop_oldest(e, set);
    struct nonce_chunk *chunk;

    assert(set->count <= UINT8_MAX - CHUNK_NONCES); /* as many may follow before the next chunk */
    if (ix == 0) ix = take_chunk(e);
    chunk = chunk_at(e, ix);
    chunk->next = 0;
    if (set->newest != 0) chunk_at(e, set->newest)->next = ix;
    else set->oldest = ix;
    set->newest = ix;
    return chunk;
}

/* Bytes behind those of the newest chunk, the last of them into another one when it is full or missing. */
static void append_bytes(struct engine *e, struct nonce_set *set, const uint8_t *bytes, uint32_t count)
{
    struct nonce_chunk *chunk = chunk_at(e, set->newest);
    uint32_t            here = min_u32(count, NONCE_CHUNK_BYTES - (uint32_t)set->used);

    if (here != 0) {
        memcpy(chunk->bytes + set->used, bytes, here);
        chunk->begun += 1;
        set->used = (uint8_t)(set->used + here);
    }
    if (here == count) return;
    chunk = add_chunk(e, set);
    memcpy(chunk->bytes, bytes + here, count - here);
    chunk->first = (uint8_t)(here == 0 ? 0 : count - here);
    chunk->begun = here == 0;
    set->used = (uint8_t)(count - here);
}

/* A large nonce, or one that does not fit the newest chunk. */
static NOINLINE void append_any(struct engine *e, struct nonce_set *set, uint64_t step, uint64_t seq_step, uint32_t tag)
{
    uint8_t bytes[NONCE_BYTES_MAX + SPARE];

    append_bytes(e, set, bytes, encode(bytes, step, seq_step, tag));
}

/* A small nonce behind a full chunk, as every seventh is where all are small. */
static NOINLINE void append_in_new_chunk(struct engine *e, struct nonce_set *set, uint64_t step, uint64_t seq_step,
                                         uint32_t tag)
{
    struct nonce_chunk *chunk = add_chunk(e, set);

    assert(chunk == chunk_at(e, set->newest) && set->count != 0);
    encode_small(chunk->bytes, step, seq_step, tag);
    chunk->first = 0;
    chunk->begun = 1;
    set->used = SMALL_BYTES;
}

HOT void nonce_store_append(struct engine *e, struct nonce_set *set, uint64_t nonce, uint64_t seq, uint32_t tag)
{
    struct nonce_chunk *chunk = chunk_at(e, set->newest);
    uint64_t            step = nonce - set->nonce, seq_step = seq - set->seq;
    uint32_t            used = set->used;

    set->nonce = nonce;
    set->seq = seq;
    set->count += 1;
    if (__builtin_expect(is_small(step, seq_step) && used <= NONCE_CHUNK_BYTES - SMALL_BYTES, 1)) {
        encode_small(chunk->bytes + used, step, seq_step, tag);
        chunk->begun += 1;
        set->used = (uint8_t)(used + SMALL_BYTES);
    } else if (is_small(step, seq_step) && used == NONCE_CHUNK_BYTES) {
        append_in_new_chunk(e, set, step, seq_step, tag);
    } else {
        append_any(e, set, step, seq_step, tag);
    }
}

void nonce_store_write(struct engine *e, struct nonce_set *set, const struct nonce_entry *entries, uint32_t count)
{
    assert(count <= NONCES_MAX);
    for (uint32_t ix = set->oldest, next; ix != 0; ix = next) {
        next = chunk_at(e, ix)->next;
        give_chunk(e, ix);
    }
    set->oldest = set->newest = 0;
    set->count = 0;
    set->used = NONCE_CHUNK_BYTES;
    set->nonce = count == 0 ? 0 : entries[0].nonce; /* the lowest one needs no step */
    set->seq = count == 0 ? 0 : entries[0].seq;
    for (uint32_t i = 0; i < count; i++)
        nonce_store_append(e, set, entries[i].nonce, entries[i].seq, (uint32_t)entries[i].payload_tag);
}

void nonce_store_prefetch(const struct engine *e, const struct nonce_set *set)
{
    uint32_t ends = set->used > NONCE_CHUNK_BYTES - NONCE_BYTES_MAX / 2; /* no branch: one in seven is not foreseen */

    FETCH(chunk_at(e, set->newest));
    FETCH(chunk_at(e, set->oldest & -ends)); /* perhaps the next one */
}

/* ---- invariants ---- */

/* Read from the beginning, the bytes of the set end behind the used ones of its newest chunk. */
static bool ends_where_it_says(const struct engine *e, const struct nonce_set *set)
{
    struct nonce_entry steps[NONCES_MAX];
    struct flat        flat;

    flatten(e, set, &flat);
    return read_steps(&flat, chunk_at(e, set->oldest)->first, set->count, steps)
        == (flat.chunks - 1) * NONCE_CHUNK_BYTES + set->used;
}

uint32_t nonce_store_verify(const struct engine *e, const struct nonce_set *set)
{
    uint32_t chunks = 0, begun = 0, last = 0;

    for (uint32_t ix = set->oldest; ix != 0 && chunks <= NONCE_SET_CHUNKS; ix = chunk_at(e, ix)->next, chunks++) {
        assert(ix < e->nonce_chunk_end && chunk_at(e, ix)->first <= NONCE_BYTES_MAX);
        begun += chunk_at(e, ix)->begun;
        last = ix;
    }
    assert(chunks <= NONCE_SET_CHUNKS && last == set->newest && begun == set->count);
    assert(set->used <= NONCE_CHUNK_BYTES && (set->newest != 0) == (set->count != 0));
    assert(set->count == 0 || ends_where_it_says(e, set));
    return chunks;
}
