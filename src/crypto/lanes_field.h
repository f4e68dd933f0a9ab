/* SPDX-License-Identifier: MIT */
/*
 * lanes_field.h — numbers modulo p, the prime of secp256k1, eight at a time: one in each 64-bit lane of AVX-512's
 * registers, multiplied by the instructions of AVX-512 IFMA. Only lanes_point.h includes it.
 *
 *     p = 2^256 - K,  K = 2^32 + 977
 *
 * A number is five limbs of 52 bits. The instructions multiply the low 52 bits of two lanes, and add the low or the
 * high 52 bits of the product to a third; they ignore all that is above bit 51 of a factor. So the one rule is:
 *
 *     struct fe   each limb is in [0, 2^52), hence the number below 2^260. Factors are of this kind.
 *     tight       an fe of at most 2 p, so with a fifth limb below 2^49. Every product is; sums and differences are
 *                 not.
 *     struct sum  limbs in [0, 2^56): what sums and differences are before their carries are settled.
 *
 * fe_settle makes an fe of a sum whose value is below 2^260, fe_mul_add a tight one of a product and such a sum. To
 * keep a difference from being negative, in each limb, 10 p is added with its limbs spread (sum_spare): at most 4 tight
 * numbers may be taken from it and at most 2 added, because 10 p + 2 * 2 p < 2^260. All data is public: nothing takes
 * constant time for a reason.
 */
#ifndef CRYPTO_LANES_FIELD_H
#define CRYPTO_LANES_FIELD_H

#include <immintrin.h>

#include "base/slice.h"

#define LANES_TARGET __attribute__((target("avx512f,avx512ifma")))
#define LANES_INLINE static inline __attribute__((always_inline)) LANES_TARGET

#define LIMBS     5
#define LIMB_MASK INT64_C(0xfffffffffffff)
#define TOP_MASK  INT64_C(0xffffffffffff) /* of the fifth: 256 = 4 * 52 + 48 */
#define FOLD_256  INT64_C(0x1000003d1)    /* 2^256 mod p */
#define FOLD_260  INT64_C(0x1000003d10)   /* 2^260 mod p */

typedef __m512i lane; /* eight of something; as numbers they are signed */

struct fe {
    lane at[LIMBS];
};
struct sum {
    lane at[LIMBS];
};

/* 10 p as l₀ + 4 2^52, l₁ + 4 2^52 - 4, …, l₄ - 4: no limb of it is
   below four times the largest limb of a tight number. */
static const int64_t ten_p[LIMBS] = { 0x4ffff5ffffd9d6, 0x4ffffffffffffb, 0x4ffffffffffffb, 0x4ffffffffffffb,
                                      0x9fffffffffffb };
static const int64_t two_p[LIMBS] = { 0xffffdfffff85e, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff,
                                      0x1ffffffffffff };

#define EACH_LIMB(i) _Pragma("GCC unroll 5") for (int i = 0; i < LIMBS; i++)

LANES_INLINE lane lane_all(int64_t value) { return _mm512_set1_epi64(value); }

/* acc + the low, or high, 52 bits of the product. */
LANES_INLINE lane mul_low(lane acc, lane a, lane b) { return _mm512_madd52lo_epu64(acc, a, b); }
LANES_INLINE lane mul_high(lane acc, lane a, lane b) { return _mm512_madd52hi_epu64(acc, a, b); }

/* ---- sums ---- */

LANES_INLINE struct sum sum_of(const struct fe *a)
{
    struct sum sum;
    EACH_LIMB(i) sum.at[i] = a->at[i];
    return sum;
}

LANES_INLINE struct sum sum_constant(const int64_t limbs[LIMBS])
{
    struct sum sum;
    EACH_LIMB(i) sum.at[i] = lane_all(limbs[i]);
    return sum;
}

LANES_INLINE struct sum sum_spare(void) { return sum_constant(ten_p); }

LANES_INLINE struct sum sum_add(struct sum a, const struct fe *b)
{
    EACH_LIMB(i) a.at[i] += b->at[i];
    return a;
}

LANES_INLINE struct sum sum_sub(struct sum a, const struct fe *b)
{
    EACH_LIMB(i) a.at[i] -= b->at[i];
    return a;
}

/* ---- settling ---- */

/*
 * Propagates carries (the shift is arithmetic, so borrows too) from each limb into the next. The excess of limb `last`
 * stays in it.
 */
LANES_INLINE void carry_up(lane *at, int last)
{
    _Pragma("GCC unroll 5") for (int i = 0; i < last; i++)
    {
        at[i + 1] += at[i] >> 52;
        at[i] &= lane_all(LIMB_MASK);
    }
}

/* A sum below 2^260 as an fe: then the fifth limb has 52 bits by itself. */
LANES_INLINE struct fe fe_settle(struct sum a)
{
    struct fe result;

    carry_up(a.at, LIMBS - 1);
    EACH_LIMB(i) result.at[i] = a.at[i];
    return result;
}

/* a - b + 10 p, for a tight a and a tight b. */
LANES_INLINE struct fe fe_sub(const struct fe *a, const struct fe *b)
{
    return fe_settle(sum_sub(sum_add(sum_spare(), a), b));
}

/* a times 2 or 3, of a tight a. */
LANES_INLINE struct fe fe_twice(const struct fe *a) { return fe_settle(sum_add(sum_of(a), a)); }
LANES_INLINE struct fe fe_thrice(const struct fe *a) { return fe_settle(sum_add(sum_add(sum_of(a), a), a)); }

/* ---- products ---- */

/*
 * Ten columns t of weight 2^(52 i), each below 2^56 and the upper five together below 2^260, plus a sum c below 2^260:
 * the tight number that is the same modulo p.
 *
 * The upper half goes onto the lower one, times 2^260 mod p (37 bits). Its carries are settled before; the instructions
 * see the low 52 bits of each column alone, so nothing is masked, and the last column has nothing above. Columns stay
 * below 2^58. Then what is above bit 256, `over` < 2^42, goes onto the bottom times 2^256 mod p: below 2^75. Its
 * carries are settled last: those into the fifth limb are below 2^7, and the result is below
 * 2^256 + 2^215 + 2^75 < 2 p.
 */
LANES_INLINE struct fe fold(lane t[2 * LIMBS], const struct sum *c)
{
    lane      spill, over;
    struct fe result;

    _Pragma("GCC unroll 4") for (int i = LIMBS; i < 2 * LIMBS - 1; i++) t[i + 1] += t[i] >> 52;
    EACH_LIMB(i) {
        if (c != NULL) t[i] += c->at[i];
        t[i] = mul_low(t[i], t[LIMBS + i], lane_all(FOLD_260));
        if (i != LIMBS - 1) t[i + 1] = mul_high(t[i + 1], t[LIMBS + i], lane_all(FOLD_260));
    }
    spill = mul_high(lane_all(0), t[2 * LIMBS - 1], lane_all(FOLD_260));
    over = _mm512_slli_epi64(spill, 4) + (t[LIMBS - 1] >> 48);
    t[LIMBS - 1] &= lane_all(TOP_MASK);
    t[0] = mul_low(t[0], over, lane_all(FOLD_256));
    t[1] = mul_high(t[1], over, lane_all(FOLD_256));
    carry_up(t, LIMBS - 1);
    EACH_LIMB(i) result.at[i] = t[i];
    return result;
}

/* The columns of a b: the low halves of a[i] b[j] in column i + j, the high ones in the next. */
LANES_INLINE void multiply(lane t[2 * LIMBS], const struct fe *a, const struct fe *b)
{
    _Pragma("GCC unroll 10") for (int i = 0; i < 2 * LIMBS; i++) t[i] = lane_all(0);
    EACH_LIMB(i) {
        EACH_LIMB(j) t[i + j] = mul_low(t[i + j], a->at[i], b->at[j]);
        EACH_LIMB(j) t[i + j + 1] = mul_high(t[i + j + 1], a->at[i], b->at[j]);
    }
}

/* The columns of a · a: products on both sides of the diagonal are computed once and doubled. */
LANES_INLINE void multiply_self(lane t[2 * LIMBS], const struct fe *a)
{
    _Pragma("GCC unroll 10") for (int i = 0; i < 2 * LIMBS; i++) t[i] = lane_all(0);
    EACH_LIMB(i) {
        _Pragma("GCC unroll 5") for (int j = i + 1; j < LIMBS; j++)
        {
            t[i + j] = mul_low(t[i + j], a->at[i], a->at[j]);
            t[i + j + 1] = mul_high(t[i + j + 1], a->at[i], a->at[j]);
        }
    }
    _Pragma("GCC unroll 10") for (int i = 1; i < 2 * LIMBS - 1; i++) t[i] += t[i];
    EACH_LIMB(i) {
        t[2 * i] = mul_low(t[2 * i], a->at[i], a->at[i]);
        t[2 * i + 1] = mul_high(t[2 * i + 1], a->at[i], a->at[i]);
    }
}

LANES_INLINE struct fe fe_mul(const struct fe *a, const struct fe *b)
{
    lane t[2 * LIMBS];
    multiply(t, a, b);
    return fold(t, NULL);
}

LANES_INLINE struct fe fe_sqr(const struct fe *a)
{
    lane t[2 * LIMBS];
    multiply_self(t, a);
    return fold(t, NULL);
}

/* a b + c, and a a + c, for a sum c below 2^260. */
LANES_INLINE struct fe fe_mul_add(const struct fe *a, const struct fe *b, const struct sum *c)
{
    lane t[2 * LIMBS];
    multiply(t, a, b);
    return fold(t, c);
}

LANES_INLINE struct fe fe_sqr_add(const struct fe *a, const struct sum *c)
{
    lane t[2 * LIMBS];
    multiply_self(t, a);
    return fold(t, c);
}

/* ---- lane by lane ---- */

/* b in the lanes of the mask, a in the others. */
LANES_INLINE struct fe fe_choose(__mmask8 mask, const struct fe *a, const struct fe *b)
{
    struct fe result;
    EACH_LIMB(i) result.at[i] = _mm512_mask_mov_epi64(a->at[i], mask, b->at[i]);
    return result;
}

/* 2 p - a in the lanes of the mask: tight as a is. */
LANES_INLINE struct fe fe_negate_where(__mmask8 mask, const struct fe *a)
{
    struct fe minus = fe_settle(sum_sub(sum_constant(two_p), a));
    return fe_choose(mask, a, &minus);
}

LANES_INLINE struct fe fe_constant(const int64_t limbs[LIMBS])
{
    struct fe result;
    EACH_LIMB(i) result.at[i] = lane_all(limbs[i]);
    return result;
}

LANES_INLINE struct fe fe_small(int64_t value) { return fe_constant((const int64_t[LIMBS]){ value }); }

/*
 * The number in [0, p). Bits from 256 on are folded: the result is below 2^256 + 2^45 < 2 p. Then p is subtracted
 * where the difference is not negative: x - p = x + K - 2^256, so where x + K has bit 256 set.
 */
LANES_INLINE struct fe fe_canonical(const struct fe *a)
{
    struct sum folded = sum_of(a), less;
    struct fe  low, high;
    __mmask8   above;

    folded.at[0] = mul_low(folded.at[0], folded.at[LIMBS - 1] >> 48, lane_all(FOLD_256));
    folded.at[LIMBS - 1] &= lane_all(TOP_MASK);
    low = fe_settle(folded);
    less = sum_of(&low);
    less.at[0] += lane_all(FOLD_256);
    high = fe_settle(less);
    above = _mm512_test_epi64_mask(high.at[LIMBS - 1], lane_all(~TOP_MASK));
    high.at[LIMBS - 1] &= lane_all(TOP_MASK);
    return fe_choose(above, &low, &high);
}

/* Lanes where a = 0 mod p. */
LANES_INLINE __mmask8 fe_is_zero(const struct fe *a)
{
    struct fe number = fe_canonical(a);
    return _mm512_testn_epi64_mask(number.at[0] | number.at[1] | number.at[2] | number.at[3] | number.at[4],
                                   lane_all(-1));
}

LANES_INLINE __mmask8 fe_equal(const struct fe *a, const struct fe *b)
{
    struct fe difference = fe_sub(a, b);
    return fe_is_zero(&difference);
}

/* ---- words in memory ---- */

/* Of the four blocks of 128 bits of each, block 0 of all, 1 of all, …: into every second word. */
LANES_INLINE void pick_blocks(const lane half[4], lane word[7])
{
    lane a = _mm512_shuffle_i64x2(half[0], half[1], 0x88), b = _mm512_shuffle_i64x2(half[2], half[3], 0x88);
    lane c = _mm512_shuffle_i64x2(half[0], half[1], 0xdd), d = _mm512_shuffle_i64x2(half[2], half[3], 0xdd);

    word[0] = _mm512_shuffle_i64x2(a, b, 0x88);
    word[4] = _mm512_shuffle_i64x2(a, b, 0xdd);
    word[2] = _mm512_shuffle_i64x2(c, d, 0x88);
    word[6] = _mm512_shuffle_i64x2(c, d, 0xdd);
}

/* Eight rows of eight words, one of each lane, as eight words of all lanes. */
LANES_INLINE void transpose(const lane row[8], lane word[8])
{
    lane even[4], odd[4];

    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        even[i] = _mm512_unpacklo_epi64(row[2 * i], row[2 * i + 1]);
        odd[i] = _mm512_unpackhi_epi64(row[2 * i], row[2 * i + 1]);
    }
    pick_blocks(even, word);
    pick_blocks(odd, word + 1);
}

/* Four words of 64 bits, least significant first, make the five limbs, and back. */
LANES_INLINE struct fe fe_of_words(const lane *word)
{
    lane mask = lane_all(LIMB_MASK);

    return (struct fe){ {
        word[0] & mask,
        (_mm512_srli_epi64(word[0], 52) | _mm512_slli_epi64(word[1], 12)) & mask,
        (_mm512_srli_epi64(word[1], 40) | _mm512_slli_epi64(word[2], 24)) & mask,
        (_mm512_srli_epi64(word[2], 28) | _mm512_slli_epi64(word[3], 36)) & mask,
        _mm512_srli_epi64(word[3], 16),
    } };
}

LANES_INLINE void fe_to_words(const struct fe *a, lane *word)
{
    struct fe n = fe_canonical(a);

    word[0] = n.at[0] | _mm512_slli_epi64(n.at[1], 52);
    word[1] = _mm512_srli_epi64(n.at[1], 12) | _mm512_slli_epi64(n.at[2], 40);
    word[2] = _mm512_srli_epi64(n.at[2], 24) | _mm512_slli_epi64(n.at[3], 28);
    word[3] = _mm512_srli_epi64(n.at[3], 36) | _mm512_slli_epi64(n.at[4], 16);
}

#endif
