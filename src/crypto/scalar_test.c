/* SPDX-License-Identifier: MIT */
/* scalar_test.c — numbers modulo n, judged by libsecp256k1, whose secret keys are such numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <secp256k1.h>

#include "crypto/scalar.h"
#include "base/keccak.h"

static secp256k1_context *library;

static int set_up(void **state)
{
    (void)state;
    library = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    return library != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    secp256k1_context_destroy(library);
    return 0;
}

static void write_bytes(const struct scalar *a, uint8_t bytes[32])
{
    for (int i = 0; i < 32; i++) bytes[31 - i] = (uint8_t)(a->at[i / 8] >> 8 * (i % 8));
}

static struct scalar read_below(const uint8_t bytes[32])
{
    struct scalar a;
    assert_true(scalar_read(bytes, &a));
    return a;
}

/* Zero is not a secret key, so it is tested apart. */
static struct scalar library_mul(const struct scalar *a, const struct scalar *b)
{
    uint8_t left[32], right[32];

    if (scalar_is_zero(a) || scalar_is_zero(b)) return (struct scalar){ { 0 } };
    write_bytes(a, left);
    write_bytes(b, right);
    assert_int_equal(secp256k1_ec_seckey_tweak_mul(library, left, right), 1);
    return read_below(left);
}

static struct scalar library_negate(const struct scalar *a)
{
    uint8_t bytes[32];

    if (scalar_is_zero(a)) return *a;
    write_bytes(a, bytes);
    assert_int_equal(secp256k1_ec_seckey_negate(library, bytes), 1);
    return read_below(bytes);
}

static struct scalar library_add(const struct scalar *a, const struct scalar *b)
{
    uint8_t       left[32], right[32];
    struct scalar minus = library_negate(b);

    if (scalar_is_zero(a)) return *b;
    if (scalar_equal(a, &minus)) return (struct scalar){ { 0 } };
    write_bytes(a, left);
    write_bytes(b, right);
    assert_int_equal(secp256k1_ec_seckey_tweak_add(library, left, right), 1);
    return read_below(left);
}

static struct scalar small(uint64_t value) { return (struct scalar){ { value, 0, 0, 0 } }; }

/*
 * Simple numbers: 0, 1, 2, n - 1, n - 2, half of n and its neighbours, words of all zeros and all ones, powers of 2,
 * and random ones.
 */
#define SAMPLES 700
static struct scalar sample(uint32_t i)
{
    static const struct scalar half = { { 0xdfe92f46681b20a0, 0x5d576e7357a4501d, 0xffffffffffffffff,
                                          0x7fffffffffffffff } };
    struct scalar              a = scalar_order;
    struct hash256             random = keccak256(&i, sizeof(i));

    if (i < 3) return small(i);
    if (i < 5) {
        a.at[0] -= i - 2;
        return a;
    }
    if (i < 8) {
        a = half;
        a.at[0] += i - 6;
        return a;
    }
    if (i < 24) {
        for (int k = 0; k < 4; k++) a.at[k] = (i >> k & 1) != 0 ? UINT64_MAX : 0;
        scalar_reduce(&a);
        return a;
    }
    if (i < 280) {
        a = small(0);
        a.at[(i - 24) / 64] = UINT64_C(1) << (i - 24) % 64;
        return a;
    }
    (void)!scalar_read(random.bytes, &a);
    scalar_reduce(&a);
    return a;
}

static void only_numbers_below_the_order_are_read(void **state)
{
    struct scalar a = scalar_order, b;
    uint8_t       bytes[32];

    (void)state;
    write_bytes(&a, bytes);
    assert_false(scalar_read(bytes, &b));
    scalar_reduce(&b);
    assert_true(scalar_is_zero(&b));
    bytes[31] -= 1;
    assert_true(scalar_read(bytes, &b));
    scalar_reduce(&b);
    a.at[0] -= 1;
    assert_true(scalar_equal(&a, &b));
    memset(bytes, 0xff, 32); /* 2^256 - 1 - n */
    assert_false(scalar_read(bytes, &b));
    scalar_reduce(&b);
    a = (struct scalar){ { 0x402da1732fc9bebe, 0x4551231950b75fc4, 1, 0 } };
    assert_true(scalar_equal(&a, &b));
}

static void products_sums_and_inverses_are_the_librarys(void **state)
{
    struct scalar one = small(1);

    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct scalar a = sample(i), b = sample((i * 37 + 11) % SAMPLES), raised = scalar_raise(&a), zero = small(0);
        struct scalar product = scalar_mul(&raised, &b), wanted = library_mul(&a, &b), minus = library_negate(&b);

        assert_memory_equal(&product, &wanted, sizeof(wanted));
        wanted = library_add(&a, &minus);
        product = scalar_sub(&a, &b);
        assert_memory_equal(&product, &wanted, sizeof(wanted));
        product = scalar_inverse(&raised);
        product = scalar_mul(&product, &one); /* no longer raised */
        wanted = library_mul(&product, &a);
        assert_memory_equal(&wanted, scalar_is_zero(&a) ? &zero : &one, sizeof(wanted));
    }
}

static void the_lower_one_of_a_number_and_its_negative_is_found(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct scalar a = sample(i), low = a, minus = library_negate(&a);
        bool          turned = scalar_make_low(&low);

        assert_memory_equal(&low, turned ? &minus : &a, sizeof(a));
        assert_true(low.at[3] < UINT64_C(0x8000000000000000));
        assert_false(scalar_make_low(&low));
    }
}

/* λ³ = 1, λ ≠ 1; multiplying a point by λ multiplies its x by β, which the lanes use (lanes_test.c). */
static void lambda_is_a_cube_root_of_one(void **state)
{
    struct scalar one = small(1), lambda = scalar_mul(&scalar_lambda_raised, &one),
                  square = library_mul(&lambda, &lambda), cube = library_mul(&square, &lambda);

    (void)state;
    assert_false(scalar_equal(&lambda, &one));
    assert_memory_equal(&cube, &one, sizeof(one));
}

static void a_split_number_is_the_sum_of_its_short_halves(void **state)
{
    struct scalar one = small(1), lambda = scalar_mul(&scalar_lambda_raised, &one);

    (void)state;
    for (uint32_t i = 0; i < 4 * SAMPLES; i++) {
        struct scalar k = i < SAMPLES ? sample(i) : library_mul(&lambda, &(struct scalar){ { i, i / 2, 0, 0 } }),
                      part[2], sum;
        struct scalar_halves halves;

        assert_true(scalar_split(&k, &halves));
        for (int half = 0; half < 2; half++) {
            assert_true(halves.half[half].at[2] == 0 && halves.half[half].at[3] == 0);
            part[half] = halves.minus[half] ? library_negate(&halves.half[half]) : halves.half[half];
        }
        part[1] = library_mul(&part[1], &lambda);
        sum = library_add(&part[0], &part[1]);
        assert_memory_equal(&sum, &k, sizeof(k));
    }
}

static void check_digits(const struct scalar *k, uint32_t bits, uint32_t count)
{
    int16_t       digits[65];
    struct scalar sum = small(0), base = small(UINT64_C(1) << bits);

    assert_true(scalar_digits(k, bits, count, digits));
    for (uint32_t i = count; i-- > 0;) {
        struct scalar digit = small((uint64_t)abs(digits[i]));

        assert_in_range(digits[i] + (1 << bits), (1 << bits) + 1 - (1 << (bits - 1)), (1 << bits) + (1 << (bits - 1)));
        if (digits[i] < 0) digit = library_negate(&digit);
        sum = library_mul(&sum, &base);
        sum = library_add(&sum, &digit);
    }
    assert_memory_equal(&sum, k, sizeof(*k));
}

static void digits_spell_the_number_and_those_that_do_not_are_refused(void **state)
{
    int16_t digits[65];

    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct scalar a = sample(i), low = a;

        (void)scalar_make_low(&low);
        check_digits(&low, 8, 32);
        check_digits(&a, 8, 33);
        check_digits(&a, 4, 65);
        a.at[2] = a.at[3] = 0;
        check_digits(&a, 4, 33);
        a.at[2] = 1;
        if (a.at[1] >> 60 > 8) continue;
        assert_false(scalar_digits(&a, 4, 32, digits));
    }
    assert_true(scalar_digits(&(struct scalar){ { 0, 0, 0, UINT64_C(0x8000000000000000) } }, 8, 32,
                              digits)); /* 128 is a digit */
    assert_false(
        scalar_digits(&(struct scalar){ { 0, 0, 0, UINT64_C(0x8100000000000000) } }, 8, 32, digits)); /* 129 is not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_numbers_below_the_order_are_read),
        cmocka_unit_test(products_sums_and_inverses_are_the_librarys),
        cmocka_unit_test(the_lower_one_of_a_number_and_its_negative_is_found),
        cmocka_unit_test(lambda_is_a_cube_root_of_one),
        cmocka_unit_test(a_split_number_is_the_sum_of_its_short_halves),
        cmocka_unit_test(digits_spell_the_number_and_those_that_do_not_are_refused),
    };
    return cmocka_run_group_tests_name("scalar", tests, set_up, tear_down);
}
