/* SPDX-License-Identifier: MIT */
/*
 * retired_id_test.c — clOrdIDReuse = filled: an id can be used again only after its order was filled (ruling 10, place
 * rule 2 literally).
 */
#include "rigs/core/fixture.h"
#include "core/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct fixture *literal(uint32_t room)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.rules.client_id_reuse = REUSE_FILLED;
    f->genesis.limits.burnt_ids = room;
    fixture_start(f);
    for (uint32_t who = 1; who <= 2; who++) {
        assert_int_equal(deposit(f, who, VUSDC, 1000000000000), REJECT_NONE);
        assert_int_equal(deposit(f, who, VBTC, 1000000000), REJECT_NONE);
    }
    return f;
}

static enum reject send(struct fixture *f, uint32_t who, const char *id, uint8_t side, uint8_t tif, const char *price)
{
    const struct result *result = place(f, who, order_of(side, TYPE_LIMIT, tif, price, "0.001", NULL, id));
    enum reject          reject = (enum reject)result->reject;

    engine_verify(f->engine);
    return reject;
}

static void an_id_comes_back_after_its_order_was_filled(void **state)
{
    struct fixture *f = literal(100);

    (void)state;
    assert_int_equal(send(f, 1, "a", SIDE_SELL, TIF_GTC, "100000"), REJECT_NONE);
    assert_int_equal(send(f, 1, "a", SIDE_SELL, TIF_GTC, "100000"), REJECT_DUPLICATE_CLIENT_ID); /* open */
    assert_int_equal(send(f, 2, "b", SIDE_BUY, TIF_GTC, "100000"), REJECT_NONE);                 /* fills both */
    assert_int_equal(send(f, 1, "a", SIDE_SELL, TIF_GTC, "100000"), REJECT_NONE);
    assert_int_equal(send(f, 2, "b", SIDE_BUY, TIF_GTC, "99000"), REJECT_NONE);
    fixture_free(f);
}

static void a_canceled_or_expired_order_burns_its_id(void **state)
{
    struct fixture *f = literal(100);

    (void)state;
    assert_int_equal(send(f, 1, "a", SIDE_SELL, TIF_GTC, "100000"), REJECT_NONE);
    assert_int_equal(cancel(f, 1, 0, "a", "c")->reject, REJECT_NONE);
    assert_int_equal(send(f, 1, "a", SIDE_SELL, TIF_GTC, "100000"), REJECT_DUPLICATE_CLIENT_ID);
    assert_int_equal(send(f, 2, "a", SIDE_SELL, TIF_GTC, "100000"),
                     REJECT_NONE); /* another account's id is another one */
    assert_int_equal(send(f, 1, "i", SIDE_BUY, TIF_IOC, "99000"), REJECT_NONE); /* finds nothing, expires */
    assert_int_equal(send(f, 1, "i", SIDE_BUY, TIF_IOC, "99000"), REJECT_DUPLICATE_CLIENT_ID);
    assert_int_equal(send(f, 1, "x", SIDE_BUY, TIF_GTX, "100000"),
                     REJECT_POST_ONLY_CROSS); /* kept in history as expired */
    assert_int_equal(send(f, 1, "x", SIDE_BUY, TIF_GTX, "99000"), REJECT_DUPLICATE_CLIENT_ID);
    assert_int_equal(send(f, 1, "r", SIDE_BUY, TIF_GTC, "1"), REJECT_NOTIONAL_MIN); /* never was an order */
    assert_int_equal(send(f, 1, "r", SIDE_BUY, TIF_GTC, "99000"), REJECT_NONE);
    fixture_free(f);
}

static void burnt_and_open_ids_never_outgrow_the_pool(void **state)
{
    struct fixture *f = literal(2);

    (void)state;
    assert_int_equal(send(f, 1, "a", SIDE_BUY, TIF_GTC, "99000"), REJECT_NONE);
    assert_int_equal(cancel(f, 1, 0, "a", "c")->reject, REJECT_NONE);
    assert_int_equal(send(f, 1, "b", SIDE_BUY, TIF_GTC, "99000"), REJECT_NONE);
    assert_int_equal(send(f, 1, "c", SIDE_BUY, TIF_GTC, "99000"), REJECT_CAPACITY);
    assert_int_equal(cancel(f, 1, 0, "b", "c")->reject, REJECT_NONE); /* cancels always work */
    assert_int_equal(send(f, 1, "c", SIDE_BUY, TIF_GTC, "99000"), REJECT_CAPACITY);
    fixture_free(f);
}

static void the_hash_sees_what_is_burnt(void **state)
{
    struct fixture *a = literal(10), *b = literal(20);
    struct hash256  one, other;

    (void)state;
    assert_int_equal(send(a, 1, "a", SIDE_BUY, TIF_GTC, "99000"), REJECT_NONE);
    assert_int_equal(send(b, 1, "a", SIDE_BUY, TIF_GTC, "99000"), REJECT_NONE);
    one = engine_hash(a->engine);
    other = engine_hash(b->engine);
    assert_memory_equal(&one, &other, sizeof(one)); /* the check does not depend on the pool's size */
    assert_int_equal(cancel(a, 1, 0, "a", "c")->reject, REJECT_NONE);
    assert_int_equal(a->engine->retired_count, 1);
    one = engine_hash(a->engine);
    engine_retired(a->engine)[0].owner += 1;
    other = engine_hash(a->engine);
    assert_memory_not_equal(&one, &other, sizeof(one));
    fixture_free(a);
    fixture_free(b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_comes_back_after_its_order_was_filled),
        cmocka_unit_test(a_canceled_or_expired_order_burns_its_id),
        cmocka_unit_test(burnt_and_open_ids_never_outgrow_the_pool),
        cmocka_unit_test(the_hash_sees_what_is_burnt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
