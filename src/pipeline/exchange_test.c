/* SPDX-License-Identifier: MIT */
/* Ruling 52: what the pools of an exchange take of the machine's memory at its start. */
#include "pipeline/exchange.h"

#include "rigs/core/fixture.h"
#include "rigs/test_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define LARGE_PAGE (UINT64_C(2) << 20)

/* A genesis with room for users most of whom will never sign. */
static struct genesis *make_genesis(void)
{
    struct fixture *f = fixture_make();
    struct genesis *genesis = malloc(sizeof(*genesis));

    assert_non_null(genesis);
    *genesis = f->genesis;
    fixture_free(f);
    genesis->limits.accounts = 20000;
    genesis->limits.orders = 100000;
    return genesis;
}

/* The bytes of engine and views that the system has given. */
static uint64_t taken(const struct genesis *genesis, bool touch)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    size_t           pages;

    assert_non_null(exchange);
    assert_true(exchange_take(exchange, genesis, true, touch));
    pages = pages_there(exchange->engine_memory, engine_size(genesis))
          + pages_there(exchange->views_memory, views_size(genesis));
    exchange_close(exchange);
    free(exchange);
    return pages * PAGE_BYTES;
}

/*
 * The start takes what the check of the memory counts: the pools, but not what only signers and days of trading will
 * need, which is reserved for the worst case and several times as much.
 */
static void the_start_takes_what_exchange_bytes_says(void **state)
{
    struct genesis *genesis = make_genesis();
    uint64_t        says = exchange_bytes(genesis), has = taken(genesis, true);

    (void)state;
    assert_true(engine_size(genesis) + views_size(genesis) > 2 * says);
    assert_in_range(has, says, says + 2 * LARGE_PAGE);
    free(genesis);
}

static void without_touching_it_takes_nothing_yet(void **state)
{
    struct genesis *genesis = make_genesis();

    (void)state;
    assert_int_equal(taken(genesis, false), 0);
    free(genesis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_takes_what_exchange_bytes_says),
        cmocka_unit_test(without_touching_it_takes_nothing_yet),
    };
    return cmocka_run_group_tests_name("pipeline/exchange", tests, NULL, NULL);
}
