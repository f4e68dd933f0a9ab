/* SPDX-License-Identifier: MIT */
/* book_test.c — an order comes to stand at its own price and side, whatever level is guessed for it. */
#include "core/book/book.h"
#include "core/state/market.h"
#include "rigs/core/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Two symbols whose prices are the same numbers. */
static struct fixture *two_symbols(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_genesis(&f->genesis);
    f->genesis.spot[1] = f->genesis.spot[0];
    f->genesis.spot[1].id = 2;
    f->genesis.spot[1].base_coin_id = 2;
    f->genesis.spot[1].name = name_make(SLICE("vETH_vUSDC"));
    f->genesis.spot_count = 2;
    fixture_start(f);
    for (uint32_t coin_id = 0; coin_id < 3; coin_id++)
        assert_int_equal(deposit(f, 1, coin_id, INT64_C(1000000000000)), REJECT_NONE);
    return f;
}

static void rest(struct fixture *f, uint64_t symbol_id, uint8_t side, const char *price, const char *id)
{
    struct new_order order = order_of(side, TYPE_LIMIT, TIF_GTC, price, "0.001", NULL, id);

    order.symbol_id = symbol_id;
    assert_int_equal(place(f, 1, order)->status, STATUS_NEW);
}

static void a_wrong_guess_changes_nothing(void **state)
{
    struct fixture *f = two_symbols();
    struct engine  *e = f->engine;

    (void)state;
    rest(f, 1, SIDE_BUY, "99000", "a"); /* the same price on the other symbol's other side */
    rest(f, 2, SIDE_SELL, "99000", "b");
    rest(f, 2, SIDE_BUY, "98000", "c"); /* … and on its same side */
    rest(f, 1, SIDE_BUY, "98000", "d");
    rest(f, 1, SIDE_BUY, "98000", "e");
    rest(f, 1, SIDE_SELL, "101000", "f");
    assert_int_equal(cancel(f, 1, 0, "f", "g")->reject, REJECT_NONE); /* its level is free */
    for (uint32_t ix = 1; ix <= 5; ix++)
        for (uint32_t guess = 0; guess < e->level_end + 2; guess++) {
            struct order *order = order_at(e, ix);
            uint32_t      level = order->level;
            bool          alone = level_at(e, level)->count == 1;

            (void)book_remove(e, market_at(e, order->market), ix);
            book_push_guess(e, market_at(e, order->market), order, ix, guess);
            assert_true(alone || order->level == level);
            engine_verify(e);
        }
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_guess_changes_nothing),
    };
    return cmocka_run_group_tests_name("book", tests, NULL, NULL);
}
