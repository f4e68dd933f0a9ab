/* SPDX-License-Identifier: MIT */
/* The vectors of RFC 7914, section 12, and costs that are refused. */
#include "app/client/scrypt.h"

#include "base/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct vector {
    const char        *password, *salt;
    struct scrypt_cost cost;
    const char        *key;
} vectors[] = {
    { "",
      "",
      { 16, 1, 1 },
      "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17"
      "e8d3e0fb2e0d3628cf35e20c38d18906" },
    { "password",
      "NaCl",
      { 1024, 8, 16 },
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da"
      "c727afb94a83ee6d8360cbdfa2cc0640" },
    { "pleaseletmein",
      "SodiumChloride",
      { 16384, 8, 1 },
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9"
      "e61e85dc0d651e40dfcf017b45575887" },
};

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(vectors); i++) {
        uint8_t key[64], wanted[64];

        assert_true(hex_read(slice_of(vectors[i].key), wanted, sizeof(wanted)));
        assert_true(scrypt_is_possible(&vectors[i].cost));
        assert_true(scrypt(slice_of(vectors[i].password), slice_of(vectors[i].salt), &vectors[i].cost, key, 64));
        assert_memory_equal(key, wanted, sizeof(key));
    }
}

static void test_costs_on_both_sides(void **state)
{
    static const struct {
        struct scrypt_cost cost;
        bool               possible;
    } rows[] = {
        { { 2, 1, 1 }, true },
        { { 1, 1, 1 }, false },
        { { 0, 1, 1 }, false },
        { { 3, 1, 1 }, false },
        { { 16, 0, 1 }, false },
        { { 16, 1, 0 }, false },
        { { 16, 1, 64 }, true },
        { { 16, 1, 65 }, false },
        { { 1 << 20, 8, 1 }, true },
        { { 1 << 21, 8, 1 }, false },
        { { 1 << 20, 8, 32 }, true },
        { { 1 << 20, 8, 33 }, false },
        { { UINT64_C(1) << 63, 1, 1 }, false },
        { { 2, UINT64_MAX, 1 }, false },
        { { 2, 1, UINT64_MAX }, false },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        assert_int_equal(scrypt_is_possible(&rows[i].cost), rows[i].possible);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_vectors), cmocka_unit_test(test_costs_on_both_sides) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
