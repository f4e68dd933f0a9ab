/* SPDX-License-Identifier: MIT */
/*
 * The engine and its twin, a short slice: some worlds, some thousand commands each, nothing differs. Then every planted bug
 * is noticed, and what shows it is shrunk to a few commands that still show it. The long run is twin_run's (docs/TESTING.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench.h"

static void the_engine_and_its_twin_agree(void **state)
{
    struct twin_counts counts = { 0 };
    (void)state;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct history *history = history_play(seed, 3, 3500, 25, TWIN_BUG_NONE, &counts);

        if (history_wrong(history) != NULL) {
            print_message("seed %llu: %s\n", (unsigned long long)seed, history_wrong(history));
            history_shrink(history);
            history_print(history, stderr);
            fail();
        }
        history_free(history);
    }
    assert_true(counts.trades > 5000);
    assert_true(counts.rejects[REJECT_INSUFFICIENT_BALANCE] > 0 && counts.rejects[REJECT_BAD_NONCE] > 0 && counts.rejects[REJECT_POST_ONLY_CROSS] > 0);
}

static void every_planted_bug_is_noticed_and_shrunk(void **state)
{
    struct twin_counts counts = { 0 };
    (void)state;

    for (enum twin_bug bug = TWIN_BUG_NONE + 1; bug < TWIN_BUG_COUNT; bug++) {
        struct history *history = NULL;
        uint64_t        seed = 1;

        for (; seed <= 240; seed++) {                      /* short ones first: they are shrunk in no time */
            history = history_play(seed <= 120 ? 1 + (seed - 1) % 60 : seed - 120, 3, seed <= 60 ? 400 : seed <= 120 ? 1200 : 4000, 10, bug, &counts);
            if (history_wrong(history) != NULL) break;
            history_free(history);
        }
        if (seed > 240) fail_msg("bug %d is not noticed", bug);
        print_message("bug %d: seed %llu, %llu commands\n", bug, (unsigned long long)seed, (unsigned long long)history_count(history));
        history_shrink(history);
        assert_non_null(history_wrong(history));
        if (history_count(history) > 150) fail_msg("bug %d still takes %llu commands", bug, (unsigned long long)history_count(history));
        history_free(history);
    }
}

/* The same seed is the same world and the same commands, so a failing seed can be played again. */
static void a_seed_is_played_again_as_it_was(void **state)
{
    struct twin_counts first = { 0 }, second = { 0 };
    (void)state;

    history_free(history_play(7, 3, 2000, 100, TWIN_BUG_NONE, &first));
    history_free(history_play(7, 3, 2000, 100, TWIN_BUG_NONE, &second));
    assert_memory_equal(&first, &second, sizeof(first));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engine_and_its_twin_agree),
        cmocka_unit_test(every_planted_bug_is_noticed_and_shrunk),
        cmocka_unit_test(a_seed_is_played_again_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
