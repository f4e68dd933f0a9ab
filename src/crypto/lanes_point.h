/* SPDX-License-Identifier: MIT */
/*
 * lanes_point.h — points of secp256k1, y² = x³ + 7, eight at a time. Only lanes.c includes it.
 *
 * A point is (X, Y, Z) for x = X / Z², y = Y / Z³; all three are tight (lanes_field.h). The formulas are the short
 * ones: they are right except where two points are added that are equal or opposite. There, and only there, H = 0 mod
 * p; Z of the result is a multiple of H, and Z of whatever is made of that result by doubling and adding is a multiple
 * of that Z. So a lane in which it ever happened ends with Z = 0 mod p, and who asks at the end has asked everywhere.
 * Doubling has no exception: a point with y = 0 would have order 2, and the order of the group is odd.
 *
 * Nothing here uses the 7, so the formulas also hold on y² = x³ + 7 c⁶, where (c² x, c³ y) are: see point_multiples.
 */
#ifndef CRYPTO_LANES_POINT_H
#define CRYPTO_LANES_POINT_H

#include "crypto/lanes_field.h"

struct point {
    struct fe x, y, z;
};
struct affine {
    struct fe x, y;
};

#define POWERS_MAX 4 /* numbers whose powers are made together */

#define LANES_STEP static __attribute__((noinline)) LANES_TARGET

/*
 * With M = 3 X², B = 2 Y², S = 2 X B = 4 X Y²:
 *     X' = M² - 2 S,  Y' = M (S - X') - 2 B²,  Z' = 2 Y Z
 */
LANES_STEP void point_double(struct point *p)
{
    struct fe  xx = fe_sqr(&p->x), yy = fe_sqr(&p->y);
    struct fe  m = fe_thrice(&xx), b = fe_twice(&yy), y2 = fe_twice(&p->y);
    struct fe  xb = fe_mul(&p->x, &b), bb = fe_sqr(&b), left;
    struct sum minus_2s = sum_spare(), minus_2bb, s_less_x;

    for (int i = 0; i < 4; i++) minus_2s = sum_sub(minus_2s, &xb);
    p->z = fe_mul(&y2, &p->z);
    p->x = fe_sqr_add(&m, &minus_2s);
    s_less_x = sum_sub(sum_add(sum_add(sum_spare(), &xb), &xb), &p->x);
    left = fe_settle(s_less_x);
    minus_2bb = sum_sub(sum_sub(sum_spare(), &bb), &bb);
    p->y = fe_mul_add(&m, &left, &minus_2bb);
}

/*
 * p + q for a q with Z = 1. With H = x Z² - X and r = y Z³ - Y, V = X H²:
 *     X' = r² - H³ - 2 V,  Y' = r (V - X') - Y H³,  Z' = Z H
 * H into *h.
 */
LANES_STEP void point_add_affine(struct point *p, const struct affine *q, struct fe *h)
{
    struct fe  zz = fe_sqr(&p->z), u = fe_mul(&q->x, &zz), zzz = fe_mul(&zz, &p->z), s = fe_mul(&q->y, &zzz);
    struct fe  hh, hhh, v, r, left, yh;
    struct sum rest;

    *h = fe_sub(&u, &p->x);
    r = fe_sub(&s, &p->y);
    hh = fe_sqr(h);
    p->z = fe_mul(&p->z, h);
    hhh = fe_mul(&hh, h);
    v = fe_mul(&p->x, &hh);
    rest = sum_sub(sum_sub(sum_sub(sum_spare(), &hhh), &v), &v);
    p->x = fe_sqr_add(&r, &rest);
    yh = fe_mul(&p->y, &hhh);
    left = fe_sub(&v, &p->x);
    rest = sum_sub(sum_spare(), &yh);
    p->y = fe_mul_add(&r, &left, &rest);
}

/*
 * p + q for any two: both are brought to the common Z of Z₁ Z₂ first, U₁ = X₁ Z₂², S₁ = Y₁ Z₂³ in the place of X and Y,
 * H = X₂ Z₁² - U₁ and r = Y₂ Z₁³ - S₁; then as above, with Z' = Z₁ Z₂ H.
 */
LANES_STEP void point_add(struct point *p, const struct point *q)
{
    struct fe     zz = fe_sqr(&q->z), zzz = fe_mul(&zz, &q->z), h;
    struct affine other = { q->x, q->y };
    struct point  sum;

    sum.x = fe_mul(&p->x, &zz);
    sum.y = fe_mul(&p->y, &zzz);
    sum.z = p->z;
    point_add_affine(&sum, &other, &h); /* H and r use Z₁ alone, and so they should */
    sum.z = fe_mul(&sum.z, &q->z);
    *p = sum;
}

/*
 * p + q where `active`, and q itself where p is `infinite` as yet, which it then is no longer. Where p is infinite its
 * members mean nothing.
 */
LANES_INLINE void point_add_where(struct point *p, __mmask8 *infinite, const struct affine *q, __mmask8 active)
{
    struct point before;
    struct fe    one = fe_small(1), h;
    __mmask8     first = active & *infinite, still = (__mmask8)~active;

    if (*infinite == 0xff) {
        *p = (struct point){ q->x, q->y, one };
        *infinite = still;
        return;
    }
    if (*infinite == 0 && still == 0) {
        point_add_affine(p, q, &h);
        return;
    }
    before = *p;
    point_add_affine(p, q, &h);
    p->x = fe_choose(first, &p->x, &q->x);
    p->y = fe_choose(first, &p->y, &q->y);
    p->z = fe_choose(first, &p->z, &one);
    p->x = fe_choose(still, &p->x, &before.x);
    p->y = fe_choose(still, &p->y, &before.y);
    p->z = fe_choose(still, &p->z, &before.z);
    *infinite &= (__mmask8)~active;
}

/*
 * q, 2 q, … count q, all with one Z, which is returned: so X and Y of all of them are points of y² = x³ + 7 Z⁶ with a Z
 * of 1, and sums of them there become sums here when their Z is multiplied by this one. `scale` is room for count
 * numbers.
 *
 * Each step multiplies Z by a number of its own, 2 y or H: from the last one down, their product is by how much the Z
 * of an entry has to grow.
 */
LANES_STEP struct fe point_multiples(const struct affine *q, uint32_t count, struct affine entries[], struct fe scale[])
{
    struct point p = { q->x, q->y, fe_small(1) };
    struct fe    grow = fe_small(1), square, cube;

    entries[0] = *q;
    point_double(&p);
    scale[1] = p.z;
    for (uint32_t i = 1; i < count; i++) {
        if (i > 1) point_add_affine(&p, q, &scale[i]);
        entries[i] = (struct affine){ p.x, p.y };
    }
    for (uint32_t i = count - 1; i-- > 0;) {
        grow = fe_mul(&grow, &scale[i + 1]);
        square = fe_sqr(&grow);
        cube = fe_mul(&square, &grow);
        entries[i].x = fe_mul(&entries[i].x, &square);
        entries[i].y = fe_mul(&entries[i].y, &cube);
    }
    return p.z;
}

/* ---- powers ---- */

/*
 * Powers of several numbers at once, because each square waits for the one before: two chains of them take little
 * longer than one.
 */
LANES_STEP void fe_sqr_times(struct fe a[], uint32_t count, int times)
{
    uint32_t at = 0;

    for (; at + 2 <= count; at += 2) {
        struct fe x = a[at], y = a[at + 1];
        for (int i = 0; i < times; i++) {
            x = fe_sqr(&x);
            y = fe_sqr(&y);
        }
        a[at] = x;
        a[at + 1] = y;
    }
    if (at != count) {
        struct fe x = a[at];
        for (int i = 0; i < times; i++) x = fe_sqr(&x);
        a[at] = x;
    }
}

struct fe_list {
    struct fe at[POWERS_MAX];
    uint32_t  count;
};

/* a^(2^times) b of each. */
LANES_STEP struct fe_list fe_sqr_mul(const struct fe_list *a, int times, const struct fe_list *b)
{
    struct fe_list x = *a;

    fe_sqr_times(x.at, x.count, times);
    for (uint32_t i = 0; i < x.count; i++) x.at[i] = fe_mul(&x.at[i], &b->at[i]);
    return x;
}

/*
 * Both exponents below begin with 223 ones, a zero and 22 ones: p = 2^256 - 2^32 - 977. Powers a^(2^n - 1), exponents
 * of n ones, are made of one another: n ones and m ones behind them are n + m. Leaves the 246 bits in *long_one, 2 ones
 * in *two.
 */
LANES_INLINE void fe_ones(const struct fe_list *a, struct fe_list *long_one, struct fe_list *two)
{
    struct fe_list x2 = fe_sqr_mul(a, 1, a), x3 = fe_sqr_mul(&x2, 1, a), x6 = fe_sqr_mul(&x3, 3, &x3),
                   x9 = fe_sqr_mul(&x6, 3, &x3);
    struct fe_list x11 = fe_sqr_mul(&x9, 2, &x2), x22 = fe_sqr_mul(&x11, 11, &x11), x44 = fe_sqr_mul(&x22, 22, &x22);
    struct fe_list x88 = fe_sqr_mul(&x44, 44, &x44), x176 = fe_sqr_mul(&x88, 88, &x88),
                   x220 = fe_sqr_mul(&x176, 44, &x44);
    struct fe_list x223 = fe_sqr_mul(&x220, 3, &x3);

    *long_one = fe_sqr_mul(&x223, 23, &x22);
    *two = x2;
}

/* a^((p + 1) / 4) of each, a square root of a if there is one: p = 3 mod 4. The exponent ends in 0000 11 00. */
LANES_STEP void fe_roots(struct fe_list *a)
{
    struct fe_list x, two;

    fe_ones(a, &x, &two);
    *a = fe_sqr_mul(&x, 6, &two);
    fe_sqr_times(a->at, a->count, 2);
}

/* a^(p - 2) = 1 / a, and 0 of 0. The exponent ends in 00001 011 01. */
LANES_STEP struct fe fe_inverse(const struct fe *a)
{
    struct fe_list x, two, one = { .at = { *a }, .count = 1 };

    fe_ones(&one, &x, &two);
    x = fe_sqr_mul(&x, 5, &one);
    x = fe_sqr_mul(&x, 3, &two);
    return fe_sqr_mul(&x, 2, &one).at[0];
}

/*
 * 1 / a of each by one inversion, lane by lane: 1 / (a₀ … aᵢ) times a₀ … aᵢ₋₁ is 1 / aᵢ, and times aᵢ it is
 * 1 / (a₀ … aᵢ₋₁). None may be 0.
 */
LANES_STEP void fe_inverses(struct fe_list *a)
{
    struct fe product[POWERS_MAX], left;

    product[0] = a->at[0];
    for (uint32_t i = 1; i < a->count; i++) product[i] = fe_mul(&product[i - 1], &a->at[i]);
    left = fe_inverse(&product[a->count - 1]);
    for (uint32_t i = a->count - 1; i != 0; i--) {
        struct fe inverse = fe_mul(&left, &product[i - 1]);
        left = fe_mul(&left, &a->at[i]);
        a->at[i] = inverse;
    }
    a->at[0] = left;
}

/* Lanes where y² = x³ + 7; x and y tight. */
LANES_INLINE struct fe curve_of(const struct fe *x)
{
    struct fe  xx = fe_sqr(x);
    struct fe  seven = fe_small(7);
    struct sum c = sum_of(&seven);
    return fe_mul_add(&xx, x, &c);
}

LANES_INLINE __mmask8 is_on_curve(const struct fe *x, const struct fe *y)
{
    struct fe right = curve_of(x), left = fe_sqr(y);
    return fe_equal(&left, &right);
}

#endif
