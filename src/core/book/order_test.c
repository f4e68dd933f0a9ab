/* SPDX-License-Identifier: MIT */
/*
 * order_test.c — orders are found by id wherever their ids are: in a place of their own, in the table because a younger
 * order has that place, and after a raise of the limit (decision 936).
 */
#include "core/book/order.h"
#include "rigs/core/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define ORDERS 8
#define ROOM   (4 * ORDERS) /* places of ids */

static struct fixture *small(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.limits.orders = ORDERS;
    fixture_start(f);
    assert_int_equal(deposit(f, 1, VUSDC, 1000000000000), REJECT_NONE);
    assert_int_equal(f->engine->layout.order_places, ROOM);
    return f;
}

static uint64_t open_order(struct fixture *f, const char *id)
{
    const struct result *result = limit(f, 1, SIDE_BUY, "99000", "0.001", id);

    assert_int_equal(result->reject, REJECT_NONE);
    return result->order_id;
}

static void close_order(struct fixture *f, uint64_t order_id)
{
    assert_int_equal(cancel(f, 1, order_id, NULL, "c")->reject, REJECT_NONE);
    assert_int_equal(cancel(f, 1, order_id, NULL, "c")->reject, REJECT_ORDER_NOT_FOUND);
    engine_verify(f->engine);
}

static void spend_ids(struct fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) close_order(f, open_order(f, "short"));
}

static void an_old_order_gives_its_place_to_a_younger_one(void **state)
{
    struct fixture *f = small();
    uint64_t        oldest = open_order(f, "oldest"), older, old;

    (void)state;
    spend_ids(f, ROOM - 1);
    assert_int_equal(f->engine->order_crowded, 0);
    older = open_order(f, "older");
    assert_int_equal(older, oldest + ROOM);
    assert_int_equal(f->engine->order_crowded, 1);
    spend_ids(f, ROOM - 1);
    old = open_order(f, "old");
    assert_int_equal(f->engine->order_crowded, 2);
    engine_verify(f->engine);
    assert_int_equal(cancel(f, 1, old + ROOM, NULL, "c")->reject, REJECT_ORDER_NOT_FOUND);
    close_order(f, older);
    close_order(f, old);
    assert_int_equal(f->engine->order_crowded, 1);
    close_order(f, oldest); /* its place is free by now */
    assert_int_equal(f->engine->order_crowded, 0);
    fixture_free(f);
}

static void ids_are_found_after_a_raise(void **state)
{
    struct fixture *f = small();
    uint64_t        ids[4];
    struct limits   limits = f->genesis.limits;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        char name[8];

        snprintf(name, sizeof(name), "o%u", i);
        ids[i] = open_order(f, name);
        spend_ids(f, 10);
    }
    assert_int_equal(f->engine->order_crowded, 2);
    limits.orders = 5 * ORDERS;
    fixture_move(f, &limits);
    engine_verify(f->engine);
    for (uint32_t i = 0; i < 4; i++) close_order(f, ids[i]);
    assert_int_equal(f->engine->order_crowded, 0);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_order_gives_its_place_to_a_younger_one),
        cmocka_unit_test(ids_are_found_after_a_raise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
