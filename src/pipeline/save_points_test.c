/* SPDX-License-Identifier: MIT */
/* Snapshots are found by number and name, survive a restart, and one that was cut or damaged was never answered. */
#include "pipeline/save_points.h"
#include "support/memory_disk.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define RECORD 160

static struct memory_disk memory;
static struct save_points points;

static struct save_point point_of(uint64_t number, const char *name)
{
    struct save_point point = { .place = { .next_seq = number * 10, .time_ms = (int64_t)number }, .block = number };

    memcpy(point.name, name, strlen(name));
    return point;
}

static int make(void **state)
{
    struct save_point point;

    (void)state;
    memory_disk_init(&memory);
    assert_int_equal(save_points_open(&points, &memory.disk), 0);
    for (uint64_t number = 1; number <= 5; number++) {
        point = point_of(number, number == 2 ? "two" : number == 4 ? "four" : "");
        assert_int_equal(save_points_add(&points, &point), 0);
        assert_int_equal(point.id, number);
    }
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    save_points_close(&points);
    memory_disk_free(&memory);
    return 0;
}

static bool has(uint64_t id, const char *name, uint64_t number)
{
    char              text[SNAPSHOT_NAME_MAX] = { 0 };
    struct save_point point;

    memcpy(text, name, strlen(name));
    return save_points_find(&points, id, text, &point) && point.block == number && point.place.next_seq == number * 10;
}

static void they_are_found_by_number_and_name(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (uint64_t number = 1; number <= 5; number++) assert_true(has(number, "", number));
        assert_true(has(0, "two", 2) && has(0, "four", 4));
        assert_false(has(6, "", 6) || has(0, "", 1) || has(0, "tw", 2) || has(0, "twoo", 2));
        save_points_close(&points); /* and behind a restart */
        assert_int_equal(save_points_open(&points, &memory.disk), 0);
    }
}

static void change(uint64_t offset)
{
    uint8_t byte;
    int     handle;

    assert_int_equal(memory.disk.open(memory.disk.self, "savepoints", true, &handle), 0);
    assert_int_equal(memory.disk.read(memory.disk.self, handle, offset, &byte, 1), 0);
    byte ^= 4;
    assert_int_equal(memory.disk.write(memory.disk.self, handle, offset, &byte, 1), 0);
    memory.disk.close(memory.disk.self, handle);
}

static void a_damaged_one_does_not_count(void **state)
{
    struct save_point point = point_of(9, "");

    (void)state;
    for (uint64_t at = 0; at < RECORD; at += 3) {
        change(4 * RECORD + at);
        save_points_close(&points);
        assert_int_equal(save_points_open(&points, &memory.disk), 0);
        assert_true(points.count == 4 && has(4, "", 4));
        assert_false(has(5, "", 5));
        change(4 * RECORD + at);
    }
    change(4 * RECORD);
    assert_int_equal(save_points_add(&points, &point), 0); /* its number is free again */
    assert_int_equal(point.id, 5);
    assert_true(has(5, "", 9));
}

static void one_that_is_not_durable_is_none(void **state)
{
    struct save_point point = point_of(6, "six");

    (void)state;
    memory.fail_syncs = true;
    assert_int_not_equal(save_points_add(&points, &point), 0);
    assert_int_equal(points.count, 5);
    assert_false(has(0, "six", 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(they_are_found_by_number_and_name, make, unmake),
        cmocka_unit_test_setup_teardown(a_damaged_one_does_not_count, make, unmake),
        cmocka_unit_test_setup_teardown(one_that_is_not_durable_is_none, make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
