/* SPDX-License-Identifier: MIT */
#include "crypto/leaves.h"
#include "rigs/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* The definition, literally. */
static struct hash256 by_definition(const uint8_t *bytes, size_t len)
{
    uint64_t      total = len;
    struct keccak top;

    keccak_init(&top);
    for (; len != 0; bytes += min_size(len, LEAF_BYTES), len -= min_size(len, LEAF_BYTES)) {
        struct hash256 leaf = keccak256(bytes, min_size(len, LEAF_BYTES));
        keccak_add(&top, &leaf, sizeof(leaf));
    }
    keccak_add(&top, &total, sizeof(total));
    return keccak_end(&top);
}

static uint8_t *some_bytes(size_t len)
{
    uint8_t *bytes = malloc(len);
    uint64_t random_state = 20261121;

    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++) { bytes[i] = (uint8_t)random_xorshift(&random_state); }
    return bytes;
}

static void it_is_what_the_definition_says_at_every_length(void **state)
{
    static struct leaves leaves;
    size_t               most = 3 * EIGHT * LEAF_BYTES;
    uint8_t             *bytes = some_bytes(most);

    (void)state;
    for (size_t len = 0; len <= most; len += len % LEAF_BYTES < 2 || len % LEAF_BYTES > LEAF_BYTES - 3 ? 1 : 180) {
        struct hash256 expected = by_definition(bytes, len), got;
        leaves_begin(&leaves);
        leaves_add(&leaves, bytes, len);
        got = leaves_end(&leaves);
        assert_memory_equal(got.bytes, expected.bytes, 32);
    }
    free(bytes);
}

static void pieces_do_not_matter(void **state)
{
    static struct leaves leaves;
    size_t               len = 2 * EIGHT * LEAF_BYTES + 77;
    uint8_t             *bytes = some_bytes(len);
    struct hash256       expected = by_definition(bytes, len), got;

    (void)state;
    for (size_t piece = 1; piece < 3000; piece = piece * 3 + 1) {
        leaves_begin(&leaves);
        for (size_t at = 0; at < len; at += piece) leaves_add(&leaves, bytes + at, min_size(piece, len - at));
        got = leaves_end(&leaves);
        assert_memory_equal(got.bytes, expected.bytes, 32);
    }
    free(bytes);
}

static void a_bit_and_a_length_matter(void **state)
{
    static struct leaves leaves;
    size_t               len = EIGHT * LEAF_BYTES + 10;
    uint8_t             *bytes = some_bytes(len);
    struct hash256       expected = by_definition(bytes, len), got;

    (void)state;
    for (size_t at = 0; at < len; at += 97) {
        bytes[at] ^= 1;
        leaves_begin(&leaves);
        leaves_add(&leaves, bytes, len);
        got = leaves_end(&leaves);
        assert_memory_not_equal(got.bytes, expected.bytes, 32);
        bytes[at] ^= 1;
    }
    leaves_begin(&leaves);
    leaves_add(&leaves, bytes, len - 1);
    got = leaves_end(&leaves);
    assert_memory_not_equal(got.bytes, expected.bytes, 32);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_the_definition_says_at_every_length),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(a_bit_and_a_length_matter),
    };

    return cmocka_run_group_tests_name("crypto/leaves", tests, NULL, NULL);
}
