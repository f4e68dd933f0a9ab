/* SPDX-License-Identifier: MIT */
/* An engine in memory is adopted when it is one of this genesis in this layout, and not otherwise. */
#include "rigs/core/perps_fixture.h"
#include "core/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* A copy of the engine in another place, as a snapshot would bring it. */
static struct engine *copy_of(const struct fixture *f)
{
    size_t bytes = align_up(engine_size(&f->genesis), 64);
    void  *place = aligned_alloc(64, bytes);

    assert_non_null(place);
    return memcpy(place, f->engine, engine_size(&f->genesis));
}

static void a_copy_lives_on_as_the_one_that_was_copied(void **state)
{
    struct fixture *f = perps_make();
    struct engine  *place;
    struct hash256  before = engine_hash(f->engine), after;

    (void)state;
    place = copy_of(f);
    assert_ptr_equal(engine_adopt(place, &f->genesis), place);
    after = engine_hash(place);
    assert_memory_equal(&before, &after, sizeof(before));
    free(f->engine);
    f->engine = place;
    perps_deposit(f, 1, 1000000);
    engine_verify(f->engine);
    fixture_free(f);
}

#define OTHER(change)                                                                                                  \
    do {                                                                                                               \
        struct genesis *g = &other;                                                                                    \
        other = f->genesis;                                                                                            \
        change;                                                                                                        \
        assert_null(engine_adopt(place, &other));                                                                      \
    } while (0)

static void an_engine_of_another_genesis_is_not_adopted(void **state)
{
    struct fixture       *f = perps_make();
    struct engine        *place = copy_of(f);
    static struct genesis other;

    (void)state;
    OTHER(g->limits.accounts++);
    OTHER(g->limits.orders--);
    OTHER(g->coin_count--);
    OTHER(g->perps_count--);
    OTHER(g->spot_count++);
    assert_ptr_equal(engine_adopt(place, &f->genesis), place); /* and nothing of it was changed by asking */
    free(place);
    fixture_free(f);
}

/* Memory with another layout in its header: a part that is larger, a whole that is. */
static void an_engine_of_another_layout_is_not_adopted(void **state)
{
    struct fixture *f = perps_make();
    struct engine  *place = copy_of(f);

    (void)state;
    place->layout.account_stride += 64;
    assert_null(engine_adopt(place, &f->genesis));
    place->layout.account_stride -= 64;
    place->layout.bytes += 64;
    assert_null(engine_adopt(place, &f->genesis));
    place->layout.bytes -= 64;
    assert_ptr_equal(engine_adopt(place, &f->genesis), place);
    free(place);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_lives_on_as_the_one_that_was_copied),
        cmocka_unit_test(an_engine_of_another_genesis_is_not_adopted),
        cmocka_unit_test(an_engine_of_another_layout_is_not_adopted),
    };
    return cmocka_run_group_tests_name("adopt", tests, NULL, NULL);
}
