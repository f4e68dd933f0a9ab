/* SPDX-License-Identifier: MIT */
#include "base/id_map.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT  300
#define PLACES 1024

/* Ids whose homes are the same few entries at both ends of the map: the search that finds them is the map's own. */
static uint64_t colliding_ids[COUNT];

static uint64_t home_of(uint64_t key) { return (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (PLACES - 1); }

static int find_colliding_ids(void **state)
{
    uint64_t id = 1;

    (void)state;
    for (uint32_t i = 0; i < COUNT; id++)
        if (home_of(id) < 2 || home_of(id) >= PLACES - 2) colliding_ids[i++] = id;
    return 0;
}

static void check_all(const struct id_map *map, const uint64_t ids[COUNT], const bool in[COUNT])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(id_map_get(map, ids[i]), in[i] ? i + 1 : 0);
    for (uint32_t i = 0; i < COUNT; i++) count += in[i];
    for (uint32_t at = 0; at < PLACES; at++) count -= map->entries[at].key != 0;
    assert_int_equal(count, 0);
}

static void run(const uint64_t ids[COUNT], uint32_t rounds)
{
    struct id_entry entries[PLACES] = { 0 };
    struct id_map   map = { entries, PLACES - 1 };
    bool            in[COUNT] = { false };
    uint32_t        random_state = 1;

    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t i = (random_state = random_state * 1664525u + 1013904223u) / 7 % COUNT;

        if (in[i]) id_map_remove(&map, ids[i]);
        else id_map_put(&map, ids[i], i + 1);
        in[i] = !in[i];
        if (round % 10 == 0) check_all(&map, ids, in);
    }
}

static void any_order_of_puts_and_removals_leaves_the_others_found(void **state)
{
    uint64_t ids[COUNT];

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) ids[i] = 1000 + i;
    run(ids, 5000);
}

static void ids_with_the_same_home_are_found_across_the_end(void **state)
{
    (void)state;
    run(colliding_ids, 5000);
}

static void a_value_may_be_replaced_and_a_missing_key_removed(void **state)
{
    struct id_entry entries[8] = { 0 };
    struct id_map   map = { entries, 7 };

    (void)state;
    id_map_put(&map, 5, 1);
    id_map_put(&map, 5, 2);
    assert_int_equal(id_map_get(&map, 5), 2);
    id_map_remove(&map, 6);
    assert_int_equal(id_map_get(&map, 5), 2);
    assert_int_equal(id_map_get(&map, 6), 0);
    assert_int_equal(id_map_get(&map, 0), 0);
    id_map_remove(&map, 5);
    assert_int_equal(id_map_get(&map, 5), 0);
}

static void half_of_the_places_stay_free(void **state)
{
    (void)state;
    for (uint64_t count = 1; count < 1000; count++) {
        uint64_t places = id_map_places(count);
        assert_true(places >= 2 * count && (places & (places - 1)) == 0);
    }
}

#define SHARED 20000

static struct id_map shared;

static void *add_all(void *unused)
{
    (void)unused;
    for (uint32_t id = 1; id <= SHARED; id++) id_map_put(&shared, id, id);
    return NULL;
}

static void a_reader_without_a_lock_sees_an_id_with_its_value_or_not_at_all(void **state)
{
    pthread_t writer;
    uint32_t  last = 0;

    (void)state;
    shared = (struct id_map){ calloc(id_map_places(SHARED), sizeof(struct id_entry)), id_map_places(SHARED) - 1 };
    assert_non_null(shared.entries);
    assert_int_equal(pthread_create(&writer, NULL, add_all, NULL), 0);
    while (last < SHARED) {
        uint32_t value = id_map_get(&shared, last + 1);

        if (value == 0) continue;
        last += 1;
        assert_int_equal(value, last);
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    free(shared.entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_puts_and_removals_leaves_the_others_found),
        cmocka_unit_test(ids_with_the_same_home_are_found_across_the_end),
        cmocka_unit_test(a_value_may_be_replaced_and_a_missing_key_removed),
        cmocka_unit_test(half_of_the_places_stay_free),
        cmocka_unit_test(a_reader_without_a_lock_sees_an_id_with_its_value_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, find_colliding_ids, NULL);
}
