/* SPDX-License-Identifier: MIT */
#include "crypto/eight.h"
#include "crypto/eight_halves.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Eight lanes of eight states. Without vectors of that size the compiler takes what there is. */
typedef uint64_t lanes __attribute__((vector_size(64)));
#define LANE lanes
#include "base/keccak_rounds.h"

#define BLOCK_WORDS (EIGHT_BLOCK_BYTES / 8)
static_assert(HALVES_LANES == EIGHT && HALVES_WORDS == BLOCK_WORDS, "the same states");
#define WORTH_LANES 2 /* fewer are hashed one after the other */

/* ---- the permutation ---- */

static inline __attribute__((always_inline)) void absorb_any(struct eight *eight, const uint8_t *const blocks[EIGHT],
                                                             uint8_t fresh)
{
    lanes state[25], kept;

    memcpy(state, eight->word, sizeof(state));
    for (uint32_t lane = 0; lane < EIGHT; lane++) kept[lane] = (uint64_t)(fresh >> lane & 1) - 1;
    for (uint32_t word = 0; word < 25; word++) state[word] &= kept;
    for (uint32_t word = 0; word < BLOCK_WORDS; word++) {
        lanes value;

        for (uint32_t lane = 0; lane < EIGHT; lane++) {
            uint64_t one;
            memcpy(&one, blocks[lane] + 8 * word, 8);
            value[lane] = one;
        }
        state[word] ^= value;
    }
    all_rounds(state);
    memcpy(eight->word, state, sizeof(state));
}

static void absorb_plain(struct eight *eight, const uint8_t *const blocks[EIGHT], uint8_t fresh)
{
    absorb_any(eight, blocks, fresh);
}

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f")))
#define XOR3(a, b, c)                                                                                                  \
    (lanes) _mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0x96) /* a ^ b ^ c                     \
                                                                                       */
#define CHI(a, b, c)                                                                                                   \
    (lanes) _mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xd2) /* a ^ (~b & c) */

/*
 * keccak_round with instructions of three operands. theta's lanes are made before they are used, so that with the
 * state no more than there are registers is alive.
 */
AVX512 static inline __attribute__((always_inline)) void round_avx512(const lanes a[25], lanes b[25], uint64_t constant)
{
    lanes column[5], theta[5];

#pragma GCC unroll 5
    for (int x = 0; x < 5; x++) column[x] = XOR3(XOR3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
#pragma GCC unroll 5
    for (int x = 0; x < 5; x++) theta[x] = column[(x + 4) % 5] ^ ROTATE(column[(x + 1) % 5], 1);
#pragma GCC unroll 5
    for (int y = 0; y < 5; y++) {
        lanes row[5];
#pragma GCC unroll 5
        for (int x = 0; x < 5; x++) {
            int from = (x + 3 * y) % 5 + 5 * x;
            row[x] = ROTATE(a[from] ^ theta[from % 5], turn[from]);
        }
#pragma GCC unroll 5
        for (int x = 0; x < 5; x++) b[x + 5 * y] = CHI(row[x], row[(x + 1) % 5], row[(x + 2) % 5]);
    }
    b[0] ^= constant;
}

/* Quarter i of each of four rows makes a row, which is added to word 2 i. */
AVX512 static inline __attribute__((always_inline)) void turn_quarters(const __m512i row[4], lanes *word)
{
    __m512i even[2], odd[2]; /* the quarters of two rows that have even numbers, and odd ones */

#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        even[i] = _mm512_shuffle_i64x2(row[2 * i], row[2 * i + 1], 0x88);
        odd[i] = _mm512_shuffle_i64x2(row[2 * i], row[2 * i + 1], 0xdd);
    }
    word[0] ^= (lanes)_mm512_shuffle_i64x2(even[0], even[1], 0x88);
    word[2] ^= (lanes)_mm512_shuffle_i64x2(odd[0], odd[1], 0x88);
    word[4] ^= (lanes)_mm512_shuffle_i64x2(even[0], even[1], 0xdd);
    word[6] ^= (lanes)_mm512_shuffle_i64x2(odd[0], odd[1], 0xdd);
}

/* Eight words of each of eight blocks. */
AVX512 static inline __attribute__((always_inline)) void add_words(const uint8_t *const blocks[EIGHT], size_t at,
                                                                   lanes *word)
{
    __m512i even[4], odd[4]; /* words with even numbers of two blocks, and with odd ones */

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m512i first = _mm512_loadu_si512(blocks[2 * i] + at), second = _mm512_loadu_si512(blocks[2 * i + 1] + at);

        even[i] = _mm512_unpacklo_epi64(first, second);
        odd[i] = _mm512_unpackhi_epi64(first, second);
    }
    turn_quarters(even, word);
    turn_quarters(odd, word + 1);
}

AVX512 static void absorb_avx512(struct eight *eight, const uint8_t *const blocks[EIGHT], uint8_t fresh)
{
    __m512i at = _mm512_loadu_si512(blocks);
    lanes   state[25], other[25];

#pragma GCC unroll 25
    for (int word = 0; word < 25; word++)
        state[word] = (lanes)_mm512_maskz_load_epi64((__mmask8)~fresh, eight->word[word]);
    static_assert(BLOCK_WORDS == 17, "twice eight and one");
    add_words(blocks, 0, state);
    add_words(blocks, 64, state + 8);
    state[16] ^= (lanes)_mm512_i64gather_epi64(_mm512_add_epi64(at, _mm512_set1_epi64(128)), NULL, 1);
    for (int round = 0; round < 24; round += 2) {
        round_avx512(state, other, round_constant[round]);
        round_avx512(other, state, round_constant[round + 1]);
    }
#pragma GCC unroll 25
    for (int word = 0; word < 25; word++) _mm512_store_si512(eight->word[word], (__m512i)state[word]);
}

void eight_absorb(struct eight *eight, const uint8_t *const blocks[EIGHT], uint8_t fresh)
{
    if (__builtin_cpu_supports("avx512f")) absorb_avx512(eight, blocks, fresh);
    else if (eight_has_halves()) eight_absorb_halves(eight->word, blocks, fresh);
    else absorb_plain(eight, blocks, fresh);
}
#else
void eight_absorb(struct eight *eight, const uint8_t *const blocks[EIGHT], uint8_t fresh)
{
    absorb_plain(eight, blocks, fresh);
}
#endif

struct hash256 eight_hash(const struct eight *eight, uint32_t lane)
{
    struct hash256 hash;

    for (uint32_t word = 0; word < 4; word++) memcpy(hash.bytes + 8 * word, &eight->word[word][lane], 8);
    return hash;
}

/* ---- many things of many lengths ---- */

/* Position of a lane: the next byte of its job. */
struct lane {
    const struct eight_job *job; /* NULL: nothing any more */
    uint32_t                part;
    size_t                  at;                       /* in that part */
    bool                    last;                     /* the block that is next ends it */
    uint8_t                 block[EIGHT_BLOCK_BYTES]; /* where it is not in one piece */
};

struct work {
    const struct eight_job *jobs;
    uint32_t                count, next, busy;
    uint8_t                 fresh;
    struct lane             lanes[EIGHT];
    struct eight            eight;
};

/* The next job into a lane, if there is one. */
static void lane_begin(struct work *work, uint32_t index)
{
    struct lane *lane = &work->lanes[index];

    lane->job = NULL;
    if (work->next == work->count) return;
    lane->job = &work->jobs[work->next++];
    lane->part = 0;
    lane->at = 0;
    lane->last = false;
    work->busy += 1;
    work->fresh |= (uint8_t)(1u << index);
}

/* memcpy of at most a block, whose last move overlaps the one before: the hash of a transaction takes 217 ns in place
 * of 251 with the loop that gcc makes of memcpy. */
static void copy_piece(uint8_t *to, const char *from, size_t len)
{
    if (len < 16) {
        for (size_t i = 0; i < len; i++) to[i] = (uint8_t)from[i];
        return;
    }
    for (size_t i = 0; i + 16 < len; i += 16) memcpy(to + i, from + i, 16);
    memcpy(to + len - 16, from + len - 16, 16);
}

/* The next block of a lane: where it lies, or a copy of its pieces, padded when it is the last. */
static const uint8_t *lane_block(struct lane *lane)
{
    const struct slice *part = &lane->job->parts[lane->part];
    size_t              filled = 0;

    if (part->len - lane->at >= EIGHT_BLOCK_BYTES) {
        lane->at += EIGHT_BLOCK_BYTES;
        return (const uint8_t *)part->at + lane->at - EIGHT_BLOCK_BYTES;
    }
    while (filled < EIGHT_BLOCK_BYTES && lane->part < EIGHT_PARTS) {
        size_t piece = min_size(part->len - lane->at, EIGHT_BLOCK_BYTES - filled);

        if (piece != 0) copy_piece(lane->block + filled, part->at + lane->at, piece);
        filled += piece;
        lane->at += piece;
        if (lane->at != part->len) break;
        lane->at = 0;
        lane->part += 1;
        part += 1;
    }
    if (filled == EIGHT_BLOCK_BYTES) {
        /* All input may have been consumed; then only an empty block with its padding remains. */
        if (lane->part == EIGHT_PARTS) lane->part = EIGHT_PARTS - 1, lane->at = lane->job->parts[EIGHT_PARTS - 1].len;
        return lane->block;
    }
    lane->last = true;
    memset(lane->block + filled, 0, EIGHT_BLOCK_BYTES - filled);
    lane->block[filled] ^= 0x01;
    lane->block[EIGHT_BLOCK_BYTES - 1] ^= 0x80;
    return lane->block;
}

static void all_lanes(struct work *work)
{
    const uint8_t *blocks[EIGHT];

    for (uint32_t i = 0; i < EIGHT; i++)
        blocks[i] = work->lanes[i].job != NULL ? lane_block(&work->lanes[i]) : work->lanes[i].block;
    eight_absorb(&work->eight, blocks, work->fresh);
    work->fresh = 0;
    for (uint32_t i = 0; i < EIGHT; i++) {
        if (work->lanes[i].job == NULL || !work->lanes[i].last) continue;
        *work->lanes[i].job->hash = eight_hash(&work->eight, i);
        work->busy -= 1;
        lane_begin(work, i);
    }
}

/* Finishes the rest of a lane alone. */
static void finish_alone(const struct work *work, uint32_t index)
{
    const struct lane *lane = &work->lanes[index];
    struct slice       rest = lane->job->parts[lane->part];
    struct keccak      keccak;

    keccak_init(&keccak);
    for (uint32_t word = 0; word < 25 && (work->fresh >> index & 1) == 0; word++)
        keccak.lane[word] = work->eight.word[word][index];
    if (lane->at != 0) rest = slice_make(rest.at + lane->at, rest.len - lane->at);
    keccak_add(&keccak, rest.at, rest.len);
    for (uint32_t part = lane->part + 1; part < EIGHT_PARTS; part++)
        keccak_add(&keccak, lane->job->parts[part].at, lane->job->parts[part].len);
    *lane->job->hash = keccak_end(&keccak);
}

void eight_hash_all(const struct eight_job *jobs, uint32_t count)
{
    struct work work;

    work.jobs = jobs;
    work.count = count;
    work.next = work.busy = work.fresh = 0;
    for (uint32_t i = 0; i < EIGHT; i++) lane_begin(&work, i);
    while (work.busy >= WORTH_LANES) all_lanes(&work);
    for (uint32_t i = 0; i < EIGHT; i++)
        if (work.lanes[i].job != NULL) finish_alone(&work, i);
}
