/* SPDX-License-Identifier: MIT */
/*
 * Expected values: hash() of CPython 3.11, whose algorithm is SipHash-1-3, over the bytes 0, 1, 2, … under
 * PYTHONHASHSEED=0 (both words of the seed 0) and PYTHONHASHSEED=17.
 */
#include "base/siphash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void hashes_are_those_of_another_implementation(void **state)
{
    static const struct {
        uint64_t seed[2];
        size_t   count;
        uint64_t hash;
    } rows[] = {
        { { 0, 0 }, 0, UINT64_C(0xd1fba762150c532c) },
        { { 0, 0 }, 1, UINT64_C(0xead411e67ebe2eea) },
        { { 0, 0 }, 2, UINT64_C(0x8972188433a5c5b7) },
        { { 0, 0 }, 3, UINT64_C(0x31185a47af932f3a) },
        { { 0, 0 }, 8, UINT64_C(0x75e05fd5bbc870c6) },
        { { UINT64_C(0xba5dd78b7941ea5e), UINT64_C(0x8cece09fb10b4f4b) }, 1, UINT64_C(0x37d83a2bf3962129) },
        { { UINT64_C(0xba5dd78b7941ea5e), UINT64_C(0x8cece09fb10b4f4b) }, 2, UINT64_C(0x6830acb4ff4643e9) },
        { { UINT64_C(0xba5dd78b7941ea5e), UINT64_C(0x8cece09fb10b4f4b) }, 8, UINT64_C(0x86e5a27a424f0d73) },
    };
    uint8_t bytes[64];

    (void)state;
    for (uint32_t i = 0; i < sizeof(bytes); i++) bytes[i] = (uint8_t)i;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        assert_true(siphash13(rows[i].seed, bytes, 8 * rows[i].count) == rows[i].hash);
}

static void the_low_bits_of_consecutive_keys_are_spread(void **state)
{
    const uint64_t seed[2] = { 1, 2 };
    uint32_t       counts[256] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < 25600; i++) counts[siphash13(seed, (uint64_t[]){ i << 32, 4 }, 16) & 255] += 1;
    for (uint32_t i = 0; i < 256; i++) assert_in_range(counts[i], 50, 160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_another_implementation),
        cmocka_unit_test(the_low_bits_of_consecutive_keys_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
