/* SPDX-License-Identifier: MIT */
#include "base/chained.h"
#include "base/siphash.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ROWS  64
#define HEADS 16

struct row {
    uint64_t         key;
    uint32_t         content;
    struct row_links links;
};

static struct row       rows[ROWS + 1];
static uint32_t         heads[HEADS];
static struct chained   table;
static struct use_order use;

static int make(void **state)
{
    (void)state;
    memset(rows, 0, sizeof(rows));
    memset(heads, 0, sizeof(heads));
    table = CHAINED(heads, HEADS - 1, rows, links, ROWS, .key = sizeof(uint64_t), .seed = { 3, 4 });
    use = (struct use_order){ 0, 0 };
    return 0;
}

static uint32_t find(uint64_t key, uint64_t hash)
{
    CHAINED_EACH(ix, &table, hash)
        if (rows[ix].key == key) return ix;
    return 0;
}

static uint32_t add(uint64_t key, uint64_t hash)
{
    uint32_t ix = chained_take(&table);

    if (ix == 0) return 0;
    rows[ix].key = key;
    chained_add(&table, hash, ix);
    use_order_add(&use, &table, ix);
    return ix;
}

static void drop(uint32_t ix, uint64_t hash)
{
    use_order_remove(&use, &table, ix);
    chained_remove(&table, hash, ix);
    chained_give(&table, ix);
}

/* The order of use, newest first, is that of `keys`, in both directions. */
static void check_order(const uint64_t *keys, uint32_t count)
{
    uint32_t ix = use.newest;

    for (uint32_t i = 0; i < count; i++, ix = rows[ix].links.older) {
        assert_int_not_equal(ix, 0);
        assert_int_equal(rows[ix].key, keys[i]);
    }
    assert_int_equal(ix, 0);
    ix = use.oldest;
    for (uint32_t i = count; i-- > 0; ix = rows[ix].links.newer) assert_int_equal(rows[ix].key, keys[i]);
    assert_int_equal(ix, 0);
}

/* All keys in one chain, the worst that a choice of keys can do; or spread. `spread` is the number of different hashes.
 */
static void run(uint64_t spread)
{
    uint64_t model[ROWS]; /* newest first */
    uint32_t count = 0, random_state = 5;

    for (uint32_t round = 0; round < 5000; round++) {
        uint64_t key = (random_state = random_state * 1664525u + 1013904223u) / 7 % (ROWS + 20);
        uint32_t ix = find(key, key % spread), at = 0;

        while (at < count && model[at] != key) at++;
        assert_int_equal(ix != 0, at < count);
        if (ix != 0) {
            drop(ix, key % spread);
            memmove(model + at, model + at + 1, (--count - at) * sizeof(model[0]));
        }
        if (ix == 0 || random_state >> 31 != 0) { /* new, or used again */
            assert_int_equal(add(key, key % spread) != 0, count < ROWS);
            if (count == ROWS) continue;
            memmove(model + 1, model, count++ * sizeof(model[0]));
            model[0] = key;
        }
        check_order(model, count);
    }
    for (uint64_t key = 0; key < ROWS + 20; key++) {
        uint32_t at = 0;

        while (at < count && model[at] != key) at++;
        assert_int_equal(find(key, key % spread) != 0, at < count);
    }
}

static void rows_are_found_and_ordered_like_those_of_a_list(void **state)
{
    (void)state;
    run(1000);
}

static void rows_in_one_chain_are_found_and_ordered_like_those_of_a_list(void **state)
{
    (void)state;
    run(1);
}

static void rows_of_two_chains_do_not_meet(void **state)
{
    (void)state;
    assert_int_not_equal(add(7, 3), 0);
    assert_int_equal(find(7, 4), 0);
    assert_int_equal(find(7, 3 + HEADS), 1); /* the hash modulo the number of heads picks the chain */
    assert_int_not_equal(find(7, 3), 0);
}

static void each_row_is_taken_once_and_again_after_it_was_given_back(void **state)
{
    (void)state;
    for (uint32_t ix = 1; ix <= ROWS; ix++) assert_int_equal(chained_take(&table), ix);
    assert_int_equal(chained_take(&table), 0);
    chained_give(&table, 5);
    chained_give(&table, 9);
    assert_int_equal(chained_take(&table), 9);
    assert_int_equal(chained_take(&table), 5);
    assert_int_equal(chained_take(&table), 0);
}

static void a_full_table_goes_on_with_the_rows_used_longest_ago(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < ROWS; key++) assert_int_not_equal(add(key, key), 0);
    for (uint64_t key = ROWS; key < 3 * ROWS; key++) {
        uint32_t oldest = use.oldest;

        assert_int_equal(add(key, key), 0);
        assert_int_equal(rows[oldest].key, key - ROWS);
        drop(oldest, rows[oldest].key);
        assert_int_equal(add(key, key), oldest);
        assert_int_equal(find(key - ROWS, key - ROWS), 0);
    }
}

static void there_is_a_head_for_each_row(void **state)
{
    (void)state;
    for (uint32_t count = 1; count < 1000; count++) {
        uint32_t number = chained_heads(count);
        assert_true(number >= count && number < 2 * count && (number & (number - 1)) == 0);
    }
}

/* ---- rows that begin with their key ---- */

static void a_key_has_one_row_until_it_is_dropped(void **state)
{
    (void)state;
    for (uint64_t key = 1; key <= ROWS; key++) {
        uint32_t ix = chained_find_or_take(&table, &key);

        assert_int_equal(rows[ix].key, key);
        assert_int_equal(rows[ix].content, 0);
        rows[ix].content = 5;
        assert_int_equal(chained_find_or_take(&table, &key), ix);
    }
    assert_int_equal(chained_find_or_take(&table, &(uint64_t){ ROWS + 1 }), 0);
    for (uint64_t key = 1; key <= ROWS; key += 2)
        chained_drop(&table, chained_find(&table, chained_hash(&table, &key), &key));
    for (uint64_t key = 1; key <= ROWS; key++)
        assert_int_equal(chained_find(&table, chained_hash(&table, &key), &key) != 0, key % 2 == 0);
    for (uint64_t key = ROWS + 1; key <= ROWS + ROWS / 2; key++) {
        uint32_t ix = chained_find_or_take(&table, &key);

        assert_int_equal(rows[ix].key, key);
        assert_int_equal(rows[ix].content, 0);
    }
    assert_int_equal(chained_find_or_take(&table, &(uint64_t){ 1 }), 0);
}

/* ---- keys chosen by an attacker ---- */

#define MANY 4096

static uint32_t longest_chain(const uint64_t seed[2], const uint64_t keys[MANY])
{
    static uint32_t counts[MANY];
    uint32_t        most = 0;

    memset(counts, 0, sizeof(counts));
    for (uint32_t i = 0; i < MANY; i++)
        most = max_u32(most, counts[siphash13(seed, &keys[i], sizeof(keys[i])) % MANY] += 1);
    return most;
}

/* Keys chosen by an attacker to collide under one seed are spread under another. */
static void keys_chosen_for_one_seed_are_spread_under_another(void **state)
{
    static uint64_t keys[MANY];
    const uint64_t  known[2] = { 1, 2 }, secret[2] = { UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344) };
    uint64_t        key = 0;

    (void)state;
    for (uint32_t i = 0; i < MANY; key++)
        if (siphash13(known, &key, sizeof(key)) % MANY < 4) keys[i++] = key;
    assert_true(longest_chain(known, keys) > MANY / 5);
    assert_true(longest_chain(secret, keys) < 12);
}

/* ---- searched without a lock ---- */

#define SHARED 20000

static struct {
    uint64_t key;
    uint32_t next;
} shared_rows[SHARED + 1];
static uint32_t       shared_heads[256];
static struct chained shared;

static void *add_all(void *unused)
{
    (void)unused;
    for (uint32_t ix = 1; ix <= SHARED; ix++) {
        shared_rows[ix].key = ix;
        chained_add(&shared, ix, ix);
    }
    return NULL;
}

static void a_reader_without_a_lock_sees_whole_chains(void **state)
{
    pthread_t writer;
    uint64_t  last = 0;

    (void)state;
    shared = CHAINED(shared_heads, 255, shared_rows, next, SHARED);
    assert_int_equal(pthread_create(&writer, NULL, add_all, NULL), 0);
    while (last < SHARED) {
        uint64_t before = UINT64_MAX;
        bool     found = false;

        CHAINED_EACH(ix, &shared, last + 1) {
            assert_true(shared_rows[ix].key < before && shared_rows[ix].key % 256 == (last + 1) % 256);
            before = shared_rows[ix].key;
            found |= before == last + 1;
        }
        if (found) last += 1;
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
}

#define T(name) cmocka_unit_test_setup(name, make)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(rows_are_found_and_ordered_like_those_of_a_list),
        T(rows_in_one_chain_are_found_and_ordered_like_those_of_a_list),
        T(rows_of_two_chains_do_not_meet),
        T(each_row_is_taken_once_and_again_after_it_was_given_back),
        T(a_full_table_goes_on_with_the_rows_used_longest_ago),
        T(there_is_a_head_for_each_row),
        T(a_key_has_one_row_until_it_is_dropped),
        T(keys_chosen_for_one_seed_are_spread_under_another),
        T(a_reader_without_a_lock_sees_whole_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
