/* SPDX-License-Identifier: MIT */
#include "crypto/scalar.h"

typedef unsigned __int128 wide;

#define ORDER_INVERSE UINT64_C(0x4b0dff665588b13f) /* -1 / n mod 2^64 */

const struct scalar scalar_order = { { 0xbfd25e8cd0364141, 0xbaaedce6af48a03b, 0xfffffffffffffffe,
                                       0xffffffffffffffff } };

/* (n - 1) / 2 */
static const struct scalar half_order = { { 0xdfe92f46681b20a0, 0x5d576e7357a4501d, 0xffffffffffffffff,
                                            0x7fffffffffffffff } };

/* 2^512 mod n, and 2^256 mod n: one, raised. */
static const struct scalar raising = { { 0x896cf21467d7d140, 0x741496c20e7cf878, 0xe697f5e45bcd07c6,
                                         0x9d671cd581c69bc5 } };
static const struct scalar one_raised = { { 0x402da1732fc9bebf, 0x4551231950b75fc4, 0x0000000000000001, 0 } };

/*
 * λ = 0x5363ad4c…bd72, raised. The lattice of all (a, b) with a + b λ = 0 mod n has the short vectors (a1, b1) and
 * (a2, b2), a1 = b2; of them -b1 and -b2 mod n, raised, and round(2^384 b2 / n), round(2^384 (-b1) / n).
 */
const struct scalar        scalar_lambda_raised = { { 0xf07deb3dc9926c9e, 0x2c93e7ad83c6944c, 0x73a9660652697d91,
                                                      0x532840178558d639 } };
static const struct scalar minus_b1_raised = { { 0xc50468d00ad9263c, 0x1b1c8205faa6ed42, 0x1571b4ae8ac47f71,
                                                 0x221208ac9df506c6 } };
static const struct scalar minus_b2_raised = { { 0x0cac5e506a144696, 0x1e8a8dc5f3ba5939, 0x176cdf65ba244fce,
                                                 0xc25575eb8e173580 } };
static const struct scalar b2_by_order = { { 0xe893209a45dbb031, 0x3daa8a1471e8ca7f, 0xe86c90e49284eb15,
                                             0x3086d221a7d46bcd } };
static const struct scalar minus_b1_by_order = { { 0x1571b4ae8ac47f71, 0x221208ac9df506c6, 0x6f547fa90abfe4c4,
                                                   0xe4437ed6010e8828 } };

/* a - b into a; the borrow. */
static uint64_t take_off(struct scalar *a, const struct scalar *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < 4; i++) {
        wide difference = (wide)a->at[i] - b->at[i] - borrow;
        a->at[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return borrow;
}

/* a + b into a; the carry. */
static uint64_t put_on(struct scalar *a, const struct scalar *b)
{
    uint64_t carry = 0;

    for (int i = 0; i < 4; i++) {
        wide sum = (wide)a->at[i] + b->at[i] + carry;
        a->at[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}

static bool is_below(const struct scalar *a, const struct scalar *b)
{
    struct scalar left = *a;
    return take_off(&left, b) != 0;
}

bool scalar_is_zero(const struct scalar *a) { return (a->at[0] | a->at[1] | a->at[2] | a->at[3]) == 0; }

bool scalar_equal(const struct scalar *a, const struct scalar *b) { return memcmp(a, b, sizeof(*a)) == 0; }

bool scalar_read(const uint8_t bytes[32], struct scalar *scalar)
{
    for (int i = 0; i < 4; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * (3 - i), 8);
        scalar->at[i] = __builtin_bswap64(word);
    }
    return is_below(scalar, &scalar_order);
}

void scalar_reduce(struct scalar *scalar)
{
    if (!is_below(scalar, &scalar_order)) (void)take_off(scalar, &scalar_order);
}

/*
 * Word by word of b: t = t + a b[i], and then the multiple of n that makes its last word zero, which is shifted out. t
 * stays below 2 n < 2^257 between the steps (five words and a bit), and n is taken off once in the end.
 */
struct scalar scalar_mul(const struct scalar *a, const struct scalar *b)
{
    uint64_t      t[6] = { 0 };
    struct scalar result;

    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        wide     sum = 0;
        uint64_t times;

        _Pragma("GCC unroll 4") for (int j = 0; j < 4; j++)
        {
            sum = (wide)a->at[j] * b->at[i] + t[j] + (uint64_t)(sum >> 64);
            t[j] = (uint64_t)sum;
        }
        sum = (wide)t[4] + (uint64_t)(sum >> 64);
        t[4] = (uint64_t)sum;
        t[5] = (uint64_t)(sum >> 64);

        times = t[0] * ORDER_INVERSE;
        sum = (wide)times * scalar_order.at[0] + t[0];
        _Pragma("GCC unroll 3") for (int j = 1; j < 4; j++)
        {
            sum = (wide)times * scalar_order.at[j] + t[j] + (uint64_t)(sum >> 64);
            t[j - 1] = (uint64_t)sum;
        }
        sum = (wide)t[4] + (uint64_t)(sum >> 64);
        t[3] = (uint64_t)sum;
        t[4] = t[5] + (uint64_t)(sum >> 64);
    }
    memcpy(result.at, t, sizeof(result.at));
    if (t[4] != 0) (void)take_off(&result, &scalar_order);
    else scalar_reduce(&result);
    return result;
}

struct scalar scalar_sub(const struct scalar *a, const struct scalar *b)
{
    struct scalar result = *a;

    if (take_off(&result, b) != 0) (void)put_on(&result, &scalar_order);
    return result;
}

static struct scalar scalar_add(const struct scalar *a, const struct scalar *b)
{
    struct scalar result = *a;

    if (put_on(&result, b) != 0) (void)take_off(&result, &scalar_order);
    else scalar_reduce(&result);
    return result;
}

struct scalar scalar_raise(const struct scalar *a) { return scalar_mul(a, &raising); }

/* a^(n-2), which is 1 / a by Fermat, four bits of the exponent at a time from the top. */
struct scalar scalar_inverse(const struct scalar *a)
{
    struct scalar power[16], result = one_raised;

    power[0] = one_raised;
    for (int i = 1; i < 16; i++) power[i] = scalar_mul(&power[i - 1], a);
    for (int i = 63; i >= 0; i--) {
        uint64_t word = scalar_order.at[i / 16] - (i / 16 == 0 ? 2 : 0); /* its last word is above 2 */
        for (int k = 0; k < 4; k++) result = scalar_mul(&result, &result);
        result = scalar_mul(&result, &power[word >> 4 * (i % 16) & 15]);
    }
    return result;
}

bool scalar_make_low(struct scalar *x)
{
    struct scalar zero = { { 0 } };

    if (!is_below(&half_order, x)) return false;
    *x = scalar_sub(&zero, x);
    return true;
}

/* round(a b / 2^384), below 2^128: the top two words of the product, and its bit 383. */
static struct scalar product_top(const struct scalar *a, const struct scalar *b)
{
    uint64_t      t[8] = { 0 };
    struct scalar top = { { 0 } }, round = { { 0 } };

    for (int i = 0; i < 4; i++) {
        wide sum = 0;
        for (int j = 0; j < 4; j++) {
            sum = (wide)a->at[j] * b->at[i] + t[i + j] + (uint64_t)(sum >> 64);
            t[i + j] = (uint64_t)sum;
        }
        t[i + 4] = (uint64_t)(sum >> 64);
    }
    top.at[0] = t[6];
    top.at[1] = t[7];
    round.at[0] = t[5] >> 63;
    (void)put_on(&top, &round);
    return top;
}

/*
 * (k, 0) minus the nearest vector of the lattice, c1 (a1, b1) + c2 (a2, b2) with c1 = b2 k / n and c2 = -b1 k / n,
 * rounded: high = -c1 b1 - c2 b2, and low makes the sum exact for any rounding.
 */
bool scalar_split(const struct scalar *k, struct scalar_halves *halves)
{
    struct scalar c1 = product_top(k, &b2_by_order), c2 = product_top(k, &minus_b1_by_order);
    struct scalar first = scalar_mul(&c1, &minus_b1_raised), second = scalar_mul(&c2, &minus_b2_raised), by_lambda;

    halves->half[1] = scalar_add(&first, &second);
    by_lambda = scalar_mul(&halves->half[1], &scalar_lambda_raised);
    halves->half[0] = scalar_sub(k, &by_lambda);
    for (int i = 0; i < 2; i++) {
        halves->minus[i] = scalar_make_low(&halves->half[i]);
        if ((halves->half[i].at[2] | halves->half[i].at[3]) != 0) return false;
    }
    return true;
}

bool scalar_digits(const struct scalar *k, uint32_t bits, uint32_t count, int16_t digits[])
{
    uint32_t base = 1u << bits, carry = 0;

    assert(bits == 4 || bits == 8);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i * bits, digit = carry;

        if (at < 256) digit += (uint32_t)(k->at[at / 64] >> at % 64) & (base - 1);
        carry = digit > base / 2;
        digits[i] = (int16_t)((int32_t)digit - (int32_t)(carry * base));
    }
    for (uint32_t at = count * bits; at < 256; at += bits) carry |= (uint32_t)(k->at[at / 64] >> at % 64) & (base - 1);
    return carry == 0;
}
