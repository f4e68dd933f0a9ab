/* SPDX-License-Identifier: MIT */
#include "crypto/lanes.h"

#if defined(__x86_64__)

#include "crypto/lanes_point.h"

#include <stdlib.h>

#define BASE_ENTRIES (1 << (BASE_BITS - 1)) /* multiples 1 … 128: digits have signs */
#define HALF_ENTRIES (1 << (HALF_BITS - 1))

/* x and y as words of 64 bits, the least significant first: a point is one line of the cache. */
struct base_point {
    uint64_t word[8];
};

/* Multiples of 2^(8 i) G. Written once by lanes_begin. */
static _Alignas(64) struct base_point base_table[BASE_DIGITS][BASE_ENTRIES];

/* β, the cube root of 1 modulo p for which λ (x, y) = (β x, y). */
static const int64_t beta[LIMBS] = { 0x96c28719501ee, 0x7512f58995c13, 0xc3434e99cf049, 0x7106e64479ea,
                                     0x7ae96a2b657c };

/* ---- digits ---- */

/* Eight digits of one place: which entry (0 for none as well), whether with its sign turned, and whether at all. */
struct digits {
    lane     entry;
    __mmask8 minus, active;
};

LANES_INLINE struct digits digits_load(const int16_t digits[LANES])
{
    lane digit = _mm512_cvtepi16_epi64(_mm_loadu_si128((const __m128i *)(const void *)digits));

    return (struct digits){
        .entry = _mm512_max_epi64(_mm512_abs_epi64(digit), lane_all(1)) - lane_all(1),
        .minus = _mm512_cmplt_epi64_mask(digit, lane_all(0)),
        .active = _mm512_test_epi64_mask(digit, digit),
    };
}

/* ---- the table of the base point ---- */

/* Eight loads and a transposition: a gather takes as long as some twenty loads, and there would be eight. */
LANES_INLINE struct affine base_entry(const struct base_point table[BASE_ENTRIES], const struct digits *digits)
{
    _Alignas(64) uint64_t entry[LANES];
    lane                  row[LANES], word[8];
    struct affine         point;

    _mm512_store_si512(entry, digits->entry);
    _Pragma("GCC unroll 8") for (int i = 0; i < LANES; i++) row[i] = _mm512_load_si512(&table[entry[i]]);
    transpose(row, word);
    point.x = fe_of_words(word);
    point.y = fe_of_words(word + 4);
    point.y = fe_negate_where(digits->minus, &point.y);
    return point;
}

LANES_TARGET static void base_sum(const struct lanes_question *question, struct point *sum, __mmask8 *infinite)
{
    *infinite = 0xff;
    memset(sum, 0, sizeof(*sum));
    for (int i = 0; i < BASE_DIGITS; i++) {
        struct digits digits = digits_load(question->base[i]);
        struct affine entry = base_entry(base_table[i], &digits);
        point_add_where(sum, infinite, &entry, digits.active);
    }
}

/* ---- the multiples of R ---- */

/* Entries with one Z, and with β x for the half that goes with λ. */
struct half_table {
    struct affine entry[HALF_ENTRIES];
    struct fe     beta_x[HALF_ENTRIES];
    struct fe     z;
};

LANES_TARGET static void half_table_make(struct half_table *table, const struct affine *point)
{
    struct fe scale[HALF_ENTRIES], root = fe_constant(beta);

    table->z = point_multiples(point, HALF_ENTRIES, table->entry, scale);
    for (int i = 0; i < HALF_ENTRIES; i++) table->beta_x[i] = fe_mul(&table->entry[i].x, &root);
}

/* Each lane takes its own entry: the others are passed over, which takes less than to gather five limbs. */
LANES_INLINE struct affine half_entry(const struct half_table *table, int half, const struct digits *digits)
{
    const struct fe *x = half == 0 ? &table->entry[0].x : table->beta_x;
    size_t           stride = half == 0 ? sizeof(table->entry[0]) / sizeof(*x) : 1;
    struct affine    entry = { x[0], table->entry[0].y };

    _Pragma("GCC unroll 8") for (int i = 1; i < HALF_ENTRIES; i++)
    {
        __mmask8 here = _mm512_cmpeq_epi64_mask(digits->entry, lane_all(i));

        entry.x = fe_choose(here, &entry.x, &x[(size_t)i * stride]);
        entry.y = fe_choose(here, &entry.y, &table->entry[i].y);
    }
    entry.y = fe_negate_where(digits->minus, &entry.y);
    return entry;
}

/* v R by Horner's rule: sixteen times what there is, plus the next digits' entries. */
LANES_TARGET static void half_sum(const struct lanes_question *question, const struct half_table *table,
                                  struct point *sum, __mmask8 *infinite)
{
    *infinite = 0xff;
    memset(sum, 0, sizeof(*sum));
    for (int i = HALF_DIGITS - 1; i >= 0; i--) {
        for (int bit = 0; bit < HALF_BITS && i != HALF_DIGITS - 1; bit++) point_double(sum);
        for (int half = 0; half < 2; half++) {
            struct digits digits = digits_load(question->half[half][i]);
            struct affine entry = half_entry(table, half, &digits);
            point_add_where(sum, infinite, &entry, digits.active);
        }
    }
    sum->z = fe_mul(&sum->z, &table->z);
}

/* ---- the answer ---- */

static_assert(LANES_GROUPS <= POWERS_MAX, "all groups share their powers");

/* One question on its way. */
struct work {
    struct affine point; /* R, then the answer */
    struct point  sum;
    __mmask8      sure;
};

/* The points of these x and these parities; the lanes that have one. */
LANES_TARGET static void lift(const struct lanes_question questions[], uint32_t count, struct work works[])
{
    struct fe_list roots = { .count = count };

    for (uint32_t at = 0; at < count; at++) {
        lane word[4];

        for (int i = 0; i < 4; i++) word[i] = _mm512_load_si512(questions[at].x[i]);
        works[at].point.x = fe_of_words(word);
        roots.at[at] = curve_of(&works[at].point.x);
    }
    fe_roots(&roots);
    for (uint32_t at = 0; at < count; at++) {
        struct affine *point = &works[at].point;
        struct fe      root = fe_canonical(&roots.at[at]);
        __mmask8       odd = _mm512_test_epi64_mask(root.at[0], lane_all(1));

        point->y = fe_negate_where(odd ^ questions[at].odd, &root);
        works[at].sure = is_on_curve(&point->x, &root);
    }
}

LANES_TARGET static void write_keys(const struct affine *point, struct lanes_key keys[LANES])
{
    _Alignas(64) uint64_t word[8][LANES];
    lane                  half[4];

    for (int part = 0; part < 2; part++) {
        fe_to_words(part == 0 ? &point->x : &point->y, half);
        for (int i = 0; i < 4; i++) _mm512_store_si512(word[4 * part + 3 - i], half[i]);
    }
    for (int lane_number = 0; lane_number < LANES; lane_number++) {
        for (int i = 0; i < 8; i++) {
            uint64_t bytes = __builtin_bswap64(word[i][lane_number]);
            memcpy(keys[lane_number].bytes + 8 * i, &bytes, 8);
        }
    }
}

/* u G + v R. */
LANES_TARGET static void add_up(const struct lanes_question *question, struct work *work)
{
    struct half_table table;
    struct point      other;
    __mmask8          infinite, other_infinite;

    half_table_make(&table, &work->point);
    half_sum(question, &table, &work->sum, &infinite);
    base_sum(question, &other, &other_infinite);
    point_add(&work->sum, &other);
    work->sure &= (__mmask8) ~(infinite | other_infinite);
}

/* x and y, and the lanes that have them: Z is not zero and the result is a point of the curve. */
LANES_TARGET static void to_affine(struct work works[], uint32_t count)
{
    struct fe_list inverses = { .count = count };
    struct fe      one = fe_small(1);

    for (uint32_t at = 0; at < count; at++) {
        __mmask8 zero = fe_is_zero(&works[at].sum.z);

        works[at].sure &= (__mmask8)~zero;
        inverses.at[at] = fe_choose(zero, &works[at].sum.z, &one);
    }
    fe_inverses(&inverses);
    for (uint32_t at = 0; at < count; at++) {
        struct work *work = &works[at];
        struct fe    square = fe_sqr(&inverses.at[at]), cube = fe_mul(&square, &inverses.at[at]);

        work->point.x = fe_mul(&work->sum.x, &square);
        work->point.y = fe_mul(&work->sum.y, &cube);
        work->sure &= is_on_curve(&work->point.x, &work->point.y);
    }
}

LANES_TARGET static void answer(const struct lanes_question questions[], uint32_t count, struct lanes_key keys[][LANES],
                                uint8_t sure[])
{
    struct work works[LANES_GROUPS];

    assert(count >= 1 && count <= LANES_GROUPS);
    lift(questions, count, works);
    for (uint32_t at = 0; at < count; at++) add_up(&questions[at], &works[at]);
    to_affine(works, count);
    for (uint32_t at = 0; at < count; at++) {
        write_keys(&works[at].point, keys[at]);
        sure[at] = works[at].sure;
    }
}

void lanes_answers(const struct lanes_question questions[], uint32_t count, struct lanes_key keys[][LANES],
                   uint8_t sure[])
{
    answer(questions, count, keys, sure);
}

/* ---- the beginning ---- */

/* Multiples of eight bases at once, with a Z of 1 as it is wanted here. */
LANES_TARGET static bool base_multiples(const struct lanes_key bases[LANES], struct affine entries[BASE_ENTRIES],
                                        struct fe scale[BASE_ENTRIES])
{
    _Alignas(64) uint64_t word[8][LANES];
    struct affine         base;
    struct point          last;
    struct fe             inverse, square, cube;
    __mmask8              sure = 0xff;

    for (int i = 0; i < LANES; i++) {
        for (int k = 0; k < 8; k++) {
            uint64_t bytes;
            memcpy(&bytes, bases[i].bytes + 8 * k, 8);
            word[4 * (k / 4) + 3 - k % 4][i] = __builtin_bswap64(bytes);
        }
    }
    base.x = fe_of_words((const lane *)(const void *)word);
    base.y = fe_of_words((const lane *)(const void *)word[4]);
    last.z = point_multiples(&base, BASE_ENTRIES, entries, scale);
    inverse = fe_inverse(&last.z);
    square = fe_sqr(&inverse);
    cube = fe_mul(&square, &inverse);
    for (int i = 0; i < BASE_ENTRIES; i++) {
        entries[i].x = fe_mul(&entries[i].x, &square);
        entries[i].y = fe_mul(&entries[i].y, &cube);
        sure &= is_on_curve(&entries[i].x, &entries[i].y);
    }
    return sure == 0xff;
}

LANES_TARGET static void base_store(const struct affine *entry, uint32_t first, uint32_t number)
{
    _Alignas(64) uint64_t word[8][LANES];
    lane                  half[4];

    for (int part = 0; part < 2; part++) {
        fe_to_words(part == 0 ? &entry->x : &entry->y, half);
        for (int i = 0; i < 4; i++) _mm512_store_si512(word[4 * part + i], half[i]);
    }
    for (uint32_t i = 0; i < LANES; i++)
        for (int k = 0; k < 8; k++) base_table[first + i][number].word[k] = word[k][i];
}

static bool base_make(const struct lanes_key bases[BASE_DIGITS])
{
    struct affine *entries = aligned_alloc(64, BASE_ENTRIES * sizeof(*entries));
    struct fe     *scale = aligned_alloc(64, BASE_ENTRIES * sizeof(*scale));
    bool           made = entries != NULL && scale != NULL;

    for (uint32_t first = 0; made && first < BASE_DIGITS; first += LANES) {
        made = base_multiples(bases + first, entries, scale);
        for (uint32_t i = 0; i < BASE_ENTRIES; i++) base_store(&entries[i], first, i);
    }
    free(entries);
    free(scale);
    return made;
}

bool lanes_here(void) { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512ifma"); }

bool lanes_begin(const struct lanes_key bases[BASE_DIGITS]) { return lanes_here() && base_make(bases); }

#else

bool lanes_here(void) { return false; }
bool lanes_begin(const struct lanes_key bases[BASE_DIGITS])
{
    (void)bases;
    return false;
}
void lanes_answers(const struct lanes_question questions[], uint32_t count, struct lanes_key keys[][LANES],
                   uint8_t sure[])
{
    (void)questions;
    (void)keys;
    memset(sure, 0, count);
}

#endif
