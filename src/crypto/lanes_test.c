/* SPDX-License-Identifier: MIT */
/*
 * lanes_test.c — the arithmetic in the lanes: numbers modulo p against one that works bit by bit, points against
 * libsecp256k1. On processors without AVX-512 IFMA there is nothing to test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <secp256k1.h>

#include "base/keccak.h"
#include "crypto/crypto.h"
#include "crypto/recover.h"

#if defined(__x86_64__)

#include "crypto/lanes_point.h"

static secp256k1_context *library;

static int set_up(void **state)
{
    (void)state;
    library = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    return library != NULL && crypto_init() ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    secp256k1_context_destroy(library);
    return 0;
}

static void need_lanes(void)
{
    assert_int_equal(recover_uses_lanes(), lanes_here()); /* where they can be used they are found good */
    if (recover_uses_lanes()) return;
    printf("SKIP: this processor has no AVX-512 IFMA\n");
    skip();
}

/* ---- numbers, slowly ---- */

/* 320 bits, least significant word first. */
struct number {
    uint64_t at[5];
};

static const struct number prime = { { 0xfffffffefffffc2f, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0 } };

static bool is_below(const struct number *a, const struct number *b)
{
    for (int i = 4; i >= 0; i--)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i];
    return false;
}

static struct number number_add(const struct number *a, const struct number *b)
{
    struct number     sum;
    unsigned __int128 carry = 0;

    for (int i = 0; i < 5; i++) {
        carry += (unsigned __int128)a->at[i] + b->at[i];
        sum.at[i] = (uint64_t)carry;
        carry >>= 64;
    }
    assert_true(carry == 0);
    return sum;
}

static struct number number_sub(const struct number *a, const struct number *b)
{
    struct number difference;
    uint64_t      borrow = 0;

    for (int i = 0; i < 5; i++) {
        unsigned __int128 step = (unsigned __int128)a->at[i] - b->at[i] - borrow;
        difference.at[i] = (uint64_t)step;
        borrow = (uint64_t)(step >> 64) & 1;
    }
    assert_true(borrow == 0);
    return difference;
}

static struct number number_reduce(struct number a)
{
    while (!is_below(&a, &prime)) a = number_sub(&a, &prime); /* at most 16 times */
    return a;
}

/* a b mod p: doubled, and b put on, for each bit of a from the top. */
static struct number number_mul(const struct number *a, const struct number *b)
{
    struct number sum = { { 0 } }, factor = number_reduce(*b);

    for (int bit = 319; bit >= 0; bit--) {
        sum = number_reduce(number_add(&sum, &sum));
        if ((a->at[bit / 64] >> bit % 64 & 1) != 0) sum = number_reduce(number_add(&sum, &factor));
    }
    return sum;
}

/* ---- in and out of lanes ---- */

struct limbs {
    int64_t at[LIMBS];
};

LANES_TARGET static void set_lane(struct fe *a, int number, const struct limbs *limbs)
{
    for (int i = 0; i < LIMBS; i++) memcpy((uint8_t *)&a->at[i] + 8 * number, &limbs->at[i], 8);
}

static struct limbs get_lane(const struct fe *a, int number)
{
    struct limbs limbs;
    for (int i = 0; i < LIMBS; i++) memcpy(&limbs.at[i], (const uint8_t *)&a->at[i] + 8 * number, 8);
    return limbs;
}

static struct number number_of(const struct limbs *limbs)
{
    struct number sum = { { 0 } };

    for (int i = 0; i < LIMBS; i++) {
        struct number limb = { { 0 } };
        int           at = 52 * i;

        assert_true(limbs->at[i] >= 0 && limbs->at[i] <= LIMB_MASK); /* the bounds of every factor */
        limb.at[at / 64] = (uint64_t)limbs->at[i] << at % 64;
        if (at % 64 != 0 && at / 64 < 4) limb.at[at / 64 + 1] = (uint64_t)limbs->at[i] >> (64 - at % 64);
        sum = number_add(&sum, &limb);
    }
    return sum;
}

static void assert_number(const struct fe *a, int number, const struct number *wanted)
{
    struct limbs  limbs = get_lane(a, number);
    struct number found = number_reduce(number_of(&limbs));
    assert_memory_equal(&found, wanted, sizeof(found));
}

static void assert_tight(const struct fe *a, int number)
{
    struct limbs  limbs = get_lane(a, number);
    struct number found = number_of(&limbs), most = number_add(&prime, &prime);
    assert_false(is_below(&most, &found));
}

static uint64_t die(uint64_t *seed)
{
    struct hash256 next = keccak256(seed, sizeof(*seed));
    memcpy(seed, next.bytes, sizeof(*seed));
    return *seed;
}

/*
 * Limbs that carry: often all ones, nothing, one, or those of a multiple of p and its neighbours. `tight`: at most 2 p.
 */
static struct limbs some_limbs(uint64_t *seed, bool tight)
{
    static const int64_t p[LIMBS] = { 0xffffefffffc2f, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff,
                                      0xffffffffffff };
    struct limbs         limbs;
    uint64_t             kind = die(seed) % 8;

    for (int i = 0; i < LIMBS; i++) {
        uint64_t what = die(seed);
        limbs.at[i] = (int64_t)(die(seed) >> 12);
        if (kind < 4 && what % 4 == 0) limbs.at[i] = LIMB_MASK;
        if (kind < 4 && what % 4 == 1) limbs.at[i] = (int64_t)(what >> 60 & 1);
        if (kind == 4) limbs.at[i] = p[i];
        if (kind == 5) limbs.at[i] = two_p[i];
        if (kind == 6) limbs.at[i] = LIMB_MASK;
    }
    if (kind == 4 && die(seed) % 2 == 0) limbs.at[0] += (int64_t)(die(seed) % 3) - 1;
    if (kind == 5 && die(seed) % 2 == 0) limbs.at[0] -= (int64_t)(die(seed) % 2);
    if (tight && limbs.at[4] > TOP_MASK && kind != 5) limbs.at[4] &= TOP_MASK;
    return limbs;
}

LANES_TARGET static void fill(struct fe *a, struct number numbers[LANES], uint64_t *seed, bool tight)
{
    for (int i = 0; i < LANES; i++) {
        struct limbs limbs = some_limbs(seed, tight);
        set_lane(a, i, &limbs);
        numbers[i] = number_of(&limbs);
    }
}

LANES_TARGET static void products_are_right_and_tight_whatever_carries(void **state)
{
    uint64_t seed = 1;

    (void)state;
    need_lanes();
    for (int round = 0; round < 1500; round++) {
        struct fe     a, b, product, square;
        struct number left[LANES], right[LANES], wanted;

        fill(&a, left, &seed, false);
        fill(&b, right, &seed, false);
        product = fe_mul(&a, &b);
        square = fe_sqr(&a);
        for (int i = 0; i < LANES; i++) {
            wanted = number_mul(&left[i], &right[i]);
            assert_number(&product, i, &wanted);
            assert_tight(&product, i);
            wanted = number_mul(&left[i], &left[i]);
            assert_number(&square, i, &wanted);
            assert_tight(&square, i);
        }
    }
}

/* The most that the rules allow: 10 p with two tight ones added
   and four taken off, onto a product of any two factors. */
LANES_TARGET static void products_with_a_sum_are_right_at_the_bounds_of_the_sum(void **state)
{
    uint64_t seed = 2;

    (void)state;
    need_lanes();
    for (int round = 0; round < 500; round++) {
        struct fe     a, b, c, product, square, settled;
        struct number left[LANES], right[LANES], third[LANES], wanted, four = { { 4 } }, two = { { 2 } };
        bool          plus = round % 2 == 0;
        struct sum    sum = sum_spare();

        fill(&a, left, &seed, false);
        fill(&b, right, &seed, false);
        fill(&c, third, &seed, true);
        if (plus) sum = sum_add(sum_add(sum, &c), &c);
        else
            for (int i = 0; i < 4; i++) sum = sum_sub(sum, &c);
        product = fe_mul_add(&a, &b, &sum);
        square = fe_sqr_add(&a, &sum);
        settled = fe_settle(sum);
        for (int i = 0; i < LANES; i++) {
            struct number part = number_mul(&third[i], plus ? &two : &four);

            if (!plus && (part.at[0] | part.at[1] | part.at[2] | part.at[3]) != 0) part = number_sub(&prime, &part);
            assert_number(&settled, i, &part);
            wanted = number_mul(&left[i], &right[i]);
            wanted = number_reduce(number_add(&wanted, &part));
            assert_number(&product, i, &wanted);
            assert_tight(&product, i);
            wanted = number_mul(&left[i], &left[i]);
            wanted = number_reduce(number_add(&wanted, &part));
            assert_number(&square, i, &wanted);
            assert_tight(&square, i);
        }
    }
}

LANES_TARGET static void numbers_have_one_canonical_form_and_come_back_from_words(void **state)
{
    uint64_t seed = 3;

    (void)state;
    need_lanes();
    for (int round = 0; round < 2000; round++) {
        struct fe             a, tight, canonical, back, minus;
        struct number         numbers[LANES], tights[LANES];
        _Alignas(64) uint64_t words[4][LANES];
        lane                  word[4];
        __mmask8              zero, mask = (__mmask8)die(&seed);

        fill(&a, numbers, &seed, false);
        fill(&tight, tights, &seed, true);
        canonical = fe_canonical(&a);
        zero = fe_is_zero(&a);
        minus = fe_negate_where(mask, &tight);
        fe_to_words(&a, word);
        back = fe_of_words(word);
        memcpy(words, word, sizeof(words));
        for (int i = 0; i < LANES; i++) {
            struct number wanted = number_reduce(numbers[i]), part = number_reduce(tights[i]);
            struct limbs  limbs = get_lane(&canonical, i);
            struct number found = number_of(&limbs);
            bool          is_zero = (wanted.at[0] | wanted.at[1] | wanted.at[2] | wanted.at[3]) == 0;

            assert_memory_equal(&found, &wanted, sizeof(found));
            assert_int_equal(zero >> i & 1, is_zero);
            for (int k = 0; k < 4; k++) assert_true(words[k][i] == wanted.at[k]);
            assert_number(&back, i, &wanted);
            if ((mask >> i & 1) != 0 && (part.at[0] | part.at[1] | part.at[2] | part.at[3]) != 0)
                part = number_sub(&prime, &part);
            assert_number(&minus, i, &part);
            assert_tight(&minus, i);
        }
    }
}

LANES_TARGET static void roots_and_inverses_undo_squares_and_products(void **state)
{
    uint64_t seed = 4;

    (void)state;
    need_lanes();
    for (int round = 0; round < 300; round++) {
        struct fe      a, square, root, inverse, product, minus;
        struct number  numbers[LANES];
        struct fe      one = fe_small(1);
        struct fe_list roots, inverses, bases;

        fill(&a, numbers, &seed, true);
        square = fe_sqr(&a);
        roots = (struct fe_list){ .at = { square, a, one }, .count = (uint32_t)round % 3 + 1 };
        fe_roots(&roots);
        root = roots.at[0];
        minus = fe_negate_where(0xff, &a);
        assert_int_equal(fe_equal(&root, &a) | fe_equal(&root, &minus), 0xff);
        inverse = fe_inverse(&a);
        inverses = (struct fe_list){ .at = { root, a, square }, .count = (uint32_t)round % 3 + 1 };
        for (uint32_t i = 0; i < inverses.count; i++)
            inverses.at[i] = fe_choose(fe_is_zero(&inverses.at[i]), &inverses.at[i], &one);
        bases = inverses;
        fe_inverses(&inverses);
        for (uint32_t i = 0; i < inverses.count; i++) {
            product = fe_mul(&inverses.at[i], &bases.at[i]);
            assert_int_equal(fe_equal(&product, &one), 0xff);
        }
        product = fe_mul(&a, &inverse);
        assert_int_equal(fe_equal(&product, &one) | fe_is_zero(&a), 0xff);
        assert_int_equal(fe_is_zero(&inverse), fe_is_zero(&a));
    }
}

/* ---- points ---- */

/* The key of a small number, or of n less it. */
static struct lanes_key key_of(int64_t number)
{
    secp256k1_pubkey key;
    struct lanes_key result;
    uint8_t          secret[32] = { 0 }, point[65];
    size_t           len = sizeof(point);

    for (int i = 0; i < 8; i++) secret[31 - i] = (uint8_t)((uint64_t)llabs(number) >> 8 * i);
    if (number < 0) assert_int_equal(secp256k1_ec_seckey_negate(library, secret), 1);
    assert_int_equal(secp256k1_ec_pubkey_create(library, &key, secret), 1);
    secp256k1_ec_pubkey_serialize(library, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
    memcpy(result.bytes, point + 1, 64);
    return result;
}

static struct number number_of_bytes(const uint8_t bytes[32])
{
    struct number number = { { 0 } };
    for (int i = 0; i < 32; i++) number.at[i / 8] |= (uint64_t)bytes[31 - i] << 8 * (i % 8);
    return number;
}

LANES_TARGET static void set_number(struct fe *a, int number, const struct number *value)
{
    struct limbs limbs;

    for (int i = 0; i < LIMBS; i++) {
        int at = 52 * i;
        limbs.at[i] =
            (int64_t)((value->at[at / 64] >> at % 64 | (at % 64 > 12 ? value->at[at / 64 + 1] << (64 - at % 64) : 0))
                      & (uint64_t)LIMB_MASK);
    }
    set_lane(a, number, &limbs);
}

LANES_TARGET static void affine_of(struct affine *point, const int64_t numbers[LANES])
{
    for (int i = 0; i < LANES; i++) {
        struct lanes_key key = key_of(numbers[i]);
        struct number    x = number_of_bytes(key.bytes), y = number_of_bytes(key.bytes + 32);

        set_number(&point->x, i, &x);
        set_number(&point->y, i, &y);
    }
}

LANES_TARGET static void assert_point(const struct point *p, const int64_t numbers[LANES])
{
    struct fe inverse = fe_inverse(&p->z), square = fe_sqr(&inverse), cube = fe_mul(&square, &inverse),
              x = fe_mul(&p->x, &square), y = fe_mul(&p->y, &cube);
    struct affine wanted;

    affine_of(&wanted, numbers);
    assert_int_equal(fe_equal(&x, &wanted.x) & fe_equal(&y, &wanted.y) & is_on_curve(&x, &y), 0xff);
}

LANES_TARGET static void points_are_doubled_added_and_multiplied_as_the_library_does(void **state)
{
    static const int64_t some[LANES] = { 1, 2, 3, 1000, -1, -2, -77, 123456789 },
                         others[LANES] = { 5, 7, -1, 2, 10, 99, 3, -123456788 };
    struct affine a, b, entries[8];
    struct fe     scale[8], h, z;
    struct point  p, q;
    int64_t       wanted[LANES];

    (void)state;
    need_lanes();
    affine_of(&a, some);
    affine_of(&b, others);
    p = (struct point){ a.x, a.y, fe_small(1) };
    q = (struct point){ b.x, b.y, fe_small(1) };
    point_double(&p);
    for (int i = 0; i < LANES; i++) wanted[i] = 2 * some[i];
    assert_point(&p, wanted);
    point_add_affine(&p, &b, &h);
    for (int i = 0; i < LANES; i++) wanted[i] += others[i];
    assert_point(&p, wanted);
    for (int i = 0; i < 4; i++) point_double(&q);
    point_add(&p, &q);
    for (int i = 0; i < LANES; i++) wanted[i] += 16 * others[i];
    assert_point(&p, wanted);
    z = point_multiples(&a, 8, entries, scale);
    for (int k = 0; k < 8; k++) {
        p = (struct point){ entries[k].x, entries[k].y, z };
        for (int i = 0; i < LANES; i++) wanted[i] = (k + 1) * some[i];
        assert_point(&p, wanted);
    }
}

/*
 * Equal or opposite points in some lanes: Z is zero there, now and after every later addition; the other lanes are
 * right.
 */
LANES_TARGET static void a_sum_without_a_formula_leaves_a_zero_that_stays(void **state)
{
    static const int64_t some[LANES] = { 1, 2, 3, 4, 5, 6, 7, 8 }, others[LANES] = { 2, 4, 7, -8, 10, 11, -14, 17 };
    struct affine        a, b;
    struct point         p;
    struct fe            h;

    (void)state;
    need_lanes();
    affine_of(&a, some);
    affine_of(&b, others);
    p = (struct point){ a.x, a.y, fe_small(1) };
    point_double(&p);
    point_add_affine(&p, &b, &h); /* 2 + 2, 4 + 4, 6 + 7, 8 - 8, 10 + 10, 12 + 11, 14 - 14, 16 + 17 */
    assert_int_equal(fe_is_zero(&p.z), 0x5b);
    for (int i = 0; i < 70; i++) {
        point_double(&p);
        point_add_affine(&p, i % 2 == 0 ? &a : &b, &h);
        assert_int_equal(fe_is_zero(&p.z), 0x5b);
    }
    point_add(&p, &(struct point){ a.x, a.y, fe_small(1) });
    assert_int_equal(fe_is_zero(&p.z), 0x5b);
}

static uint8_t answer_alone(const struct lanes_question *question, struct lanes_key keys[LANES])
{
    struct lanes_key answers[1][LANES];
    uint8_t          sure;

    lanes_answers(question, 1, answers, &sure);
    memcpy(keys, answers[0], sizeof(answers[0]));
    return sure;
}

static void number_point(struct lanes_question *question, int number, int64_t point, int16_t times)
{
    struct lanes_key key = key_of(point);
    struct number    x = number_of_bytes(key.bytes);

    for (int i = 0; i < 4; i++) question->x[i][number] = x.at[i];
    question->odd |= (uint8_t)((key.bytes[63] & 1) << number);
    question->half[0][0][number] = times;
}

/* Every point of the table, with both signs: ±d 2^(8 i) G + 1000003 G. */
static void every_multiple_of_the_base_point_is_in_the_table(void **state)
{
    (void)state;
    need_lanes();
    for (int place = 0; place < BASE_DIGITS; place++) {
        for (int first = -128; first < 128; first += LANES) {
            struct lanes_question question;
            struct lanes_key      keys[LANES];

            memset(&question, 0, sizeof(question));
            for (int i = 0; i < LANES; i++) {
                number_point(&question, i, 1000003, 1);
                question.base[place][i] = (int16_t)(first + i < 0 ? first + i : first + i + 1);
            }
            assert_int_equal(answer_alone(&question, keys), 0xff);
            for (int i = 0; i < LANES; i++) {
                uint8_t          secret[33] = { 0 }, offset[32] = { 0 }, point[65];
                int              digit = question.base[place][i];
                secp256k1_pubkey key;
                size_t           len = sizeof(point);

                secret[31 - place] = (uint8_t)abs(digit);
                offset[31] = 0x43;
                offset[30] = 0x42;
                offset[29] = 0x0f;
                if (digit < 0) assert_int_equal(secp256k1_ec_seckey_negate(library, secret), 1);
                assert_int_equal(secp256k1_ec_seckey_tweak_add(library, secret, offset), 1);
                assert_int_equal(secp256k1_ec_pubkey_create(library, &key, secret), 1);
                secp256k1_ec_pubkey_serialize(library, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
                assert_memory_equal(keys[i].bytes, point + 1, 64);
            }
        }
    }
}

/* λ R is (β x, y): the expected value of a digit of the second half is computed by the library from λ itself. */
static void a_digit_of_the_second_half_is_lambda_times_as_much(void **state)
{
    struct lanes_question question;
    struct lanes_key      keys[LANES];
    struct scalar         one = { { 1, 0, 0, 0 } }, lambda = scalar_mul(&scalar_lambda_raised, &one);

    (void)state;
    need_lanes();
    memset(&question, 0, sizeof(question));
    for (int i = 0; i < LANES; i++) {
        number_point(&question, i, 3, 0);
        question.half[1][0][i] = (int16_t)(i < 4 ? i + 1 : -i - 1);
        question.base[0][i] = 1;
    }
    assert_int_equal(answer_alone(&question, keys), 0xff);
    for (int i = 0; i < LANES; i++) {
        uint8_t          secret[32], times[32] = { 0 }, offset[32] = { 0 }, point[65];
        secp256k1_pubkey key;
        size_t           len = sizeof(point);

        for (int k = 0; k < 32; k++) secret[31 - k] = (uint8_t)(lambda.at[k / 8] >> 8 * (k % 8));
        times[31] = (uint8_t)(3 * abs(question.half[1][0][i]));
        offset[31] = 1;
        assert_int_equal(secp256k1_ec_seckey_tweak_mul(library, secret, times), 1);
        if (question.half[1][0][i] < 0) assert_int_equal(secp256k1_ec_seckey_negate(library, secret), 1);
        assert_int_equal(secp256k1_ec_seckey_tweak_add(library, secret, offset), 1);
        assert_int_equal(secp256k1_ec_pubkey_create(library, &key, secret), 1);
        secp256k1_ec_pubkey_serialize(library, point, &len, &key, SECP256K1_EC_UNCOMPRESSED);
        assert_memory_equal(keys[i].bytes, point + 1, 64);
    }
}

/* Lanes: u G = w R, u G = -w R, no u, no w, neither, an x that no point has, and two good ones. */
static void only_sums_that_the_formulas_can_do_are_sure(void **state)
{
    struct lanes_question question;
    struct lanes_key      keys[LANES], wanted = key_of(9);

    (void)state;
    need_lanes();
    memset(&question, 0, sizeof(question));
    for (int i = 0; i < LANES; i++) {
        number_point(&question, i, 1, 4);
        question.base[0][i] = 5;
    }
    question.base[0][0] = 4;
    question.base[0][1] = -4;
    question.base[0][2] = 0;
    question.half[0][0][3] = 0;
    question.base[0][4] = question.half[0][0][4] = 0;
    for (int i = 0; i < 4; i++) question.x[i][5] = i == 0 ? 5 : 0; /* 5³ + 7 is no square */
    assert_int_equal(answer_alone(&question, keys), 0xc0);
    assert_memory_equal(&keys[6], &wanted, sizeof(wanted));
    assert_memory_equal(&keys[7], &wanted, sizeof(wanted));
}

/* Questions of one to four groups, each with a lane of its own that has no answer: a zero among the others. */
static void groups_have_the_answers_that_each_has_alone(void **state)
{
    struct lanes_question questions[LANES_GROUPS];
    struct lanes_key      keys[LANES_GROUPS][LANES], alone[LANES];
    uint8_t               sure[LANES_GROUPS];

    (void)state;
    need_lanes();
    memset(questions, 0, sizeof(questions));
    for (int group = 0; group < LANES_GROUPS; group++) {
        for (int i = 0; i < LANES; i++) {
            number_point(&questions[group], i, 100 + LANES * group + i, 4);
            questions[group].base[1][i] = (int16_t)(5 + i);
        }
        number_point(&questions[group], group, 4, 4);
        questions[group].base[1][group] = 0;
        questions[group].base[0][group] = (int16_t)(group % 2 == 0 ? 16 : -16);
    }
    for (uint32_t count = 1; count <= LANES_GROUPS; count++) {
        lanes_answers(questions, count, keys, sure);
        for (uint32_t group = 0; group < count; group++) {
            assert_int_equal(sure[group], 0xff ^ 1u << group);
            assert_int_equal(answer_alone(&questions[group], alone), sure[group]);
            for (uint32_t i = 0; i < LANES; i++)
                if (i != group) assert_memory_equal(&keys[group][i], &alone[i], sizeof(alone[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right_and_tight_whatever_carries),
        cmocka_unit_test(products_with_a_sum_are_right_at_the_bounds_of_the_sum),
        cmocka_unit_test(numbers_have_one_canonical_form_and_come_back_from_words),
        cmocka_unit_test(roots_and_inverses_undo_squares_and_products),
        cmocka_unit_test(points_are_doubled_added_and_multiplied_as_the_library_does),
        cmocka_unit_test(a_sum_without_a_formula_leaves_a_zero_that_stays),
        cmocka_unit_test(every_multiple_of_the_base_point_is_in_the_table),
        cmocka_unit_test(a_digit_of_the_second_half_is_lambda_times_as_much),
        cmocka_unit_test(only_sums_that_the_formulas_can_do_are_sure),
        cmocka_unit_test(groups_have_the_answers_that_each_has_alone),
    };
    return cmocka_run_group_tests_name("lanes", tests, set_up, tear_down);
}

#else

int main(void)
{
    printf("SKIP: no processor with AVX-512 IFMA\n");
    return 0;
}

#endif
