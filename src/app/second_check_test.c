/* SPDX-License-Identifier: MIT */
/* When the lanes are switched off and on, and for what a redemption waits; e2e/second_check has the rest. */
#include "app/second_check.h"

#include "crypto/crypto.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define S INT64_C(1000000000)

struct rig {
    struct second_check check;
    tally               logged;
};

static int make(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));

    assert_non_null(rig);
    assert_true(crypto_is_ready() || crypto_init());
    second_check_init(&rig->check, &(struct second_check_settings){ .folder = "/nowhere", .logged = &rig->logged });
    recover_use_lanes(true);
    *state = rig;
    return 0;
}

static int drop(void **state)
{
    second_check_close(&((struct rig *)*state)->check);
    free(*state);
    return 0;
}

/* What the processor has: without lanes there is nothing to switch. */
static bool lanes_now(const struct rig *rig, bool had)
{
    assert_int_equal(recover_uses_lanes(), had && tally_of(&rig->check.counts.lanes) != 0);
    return tally_of(&rig->check.counts.lanes) != 0;
}

static void lanes_are_off_while_the_check_is_a_minute_behind(void **state)
{
    struct rig *rig = *state;
    bool        had = recover_uses_lanes();

    tally_set(&rig->logged, 100);
    for (int64_t s = 0; s <= 60; s++) second_check_look(&rig->check, s * S);
    assert_true(lanes_now(rig, had));
    second_check_look(&rig->check, 61 * S);
    assert_false(lanes_now(rig, had));
    assert_int_equal(tally_of(&rig->check.counts.lag_ns), 61 * S);
    tally_set(&rig->logged, 200);
    tally_set(&rig->check.counts.seq, 99); /* 100 is still not checked */
    second_check_look(&rig->check, 62 * S);
    assert_false(lanes_now(rig, had));
    tally_set(&rig->check.counts.seq, 150); /* 200 came at 62 s */
    second_check_look(&rig->check, 63 * S);
    assert_true(lanes_now(rig, had));
    assert_int_equal(tally_of(&rig->check.counts.late), 1);
}

static void a_redemption_waits_for_what_was_logged_when_it_was_asked_for(void **state)
{
    struct rig                    *rig = *state;
    const struct api_second_check *shown = &rig->check.shown;
    struct hash256                 first = { { 1 } }, second = { { 2 } };

    assert_true(shown->has_passed(shown->self, &first)); /* nothing was logged */
    tally_set(&rig->logged, 10);
    tally_set(&rig->check.counts.seq, 9);
    assert_false(shown->has_passed(shown->self, &first));
    tally_set(&rig->logged, 20);
    tally_set(&rig->check.counts.seq, 10);
    assert_false(shown->has_passed(shown->self, &second)); /* it waits for 20 */
    assert_true(shown->has_passed(shown->self, &first));   /* and this one waited for 10 */
    assert_false(shown->has_passed(shown->self, &first));  /* another time is another redemption */
    tally_set(&rig->check.counts.seq, 20);
    assert_true(shown->has_passed(shown->self, &first));
    assert_true(shown->has_passed(shown->self, &second));
}

/* So many that the oldest is forgotten: it waits for more then, never for less. */
static void a_forgotten_redemption_waits_again(void **state)
{
    struct rig    *rig = *state;
    struct hash256 command = { { 1 } };

    tally_set(&rig->logged, 10);
    rig->check.held[0] = (struct held_redemption){ command, 5 };
    tally_set(&rig->check.counts.seq, 5);
    assert_true(rig->check.shown.has_passed(rig->check.shown.self, &command));
    assert_false(rig->check.shown.has_passed(rig->check.shown.self, &command));
}

static void a_log_that_cannot_be_read_leaves_everything_unchecked(void **state)
{
    struct rig *rig = *state;

    tally_set(&rig->logged, 10);
    assert_false(second_check_step(&rig->check));
    assert_true(rig->check.reader.has_failed);
    assert_false(second_check_step(&rig->check));
    assert_int_equal(tally_of(&rig->check.counts.seq), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
    const struct CMUnitTest tests[] = {
        TEST(lanes_are_off_while_the_check_is_a_minute_behind),
        TEST(a_redemption_waits_for_what_was_logged_when_it_was_asked_for),
        TEST(a_forgotten_redemption_waits_again),
        TEST(a_log_that_cannot_be_read_leaves_everything_unchecked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
