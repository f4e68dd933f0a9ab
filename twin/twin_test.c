/* SPDX-License-Identifier: MIT */
/*
 * The engine and its twin, a short slice: some worlds, some thousand commands each, no difference. Then every planted
 * bug is noticed, and its history is shrunk to a few commands that still show it; ./test searches for one bug in six.
 * The long run is twin_run (docs/TESTING.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "answers.h"
#include "bench.h"
#include "rigs/slice.h"

/* Whether each bug is noticed is asked where a search takes a minute; sanitizers look at the worlds alone. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEARCHES_FOR_BUGS false
#else
#define SEARCHES_FOR_BUGS true
#endif

static void the_engine_and_its_twin_agree(void **state)
{
    struct twin_counts counts = { 0 };
    (void)state;

    answers_rate(0);
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
    assert_true(counts.rejects[REJECT_INSUFFICIENT_BALANCE] > 0 && counts.rejects[REJECT_BAD_NONCE] > 0
                && counts.rejects[REJECT_POST_ONLY_CROSS] > 0);
}

/* The answer of every GET, byte for byte; replies are compared wherever commands are. */
static void the_api_answers_what_the_twin_would(void **state)
{
    struct twin_counts counts = { 0 };
    (void)state;

    answers_rate(1);
    for (uint64_t seed = 61; seed <= 90; seed++) {
        struct history *history = history_play(seed, 3, 2500, 100, TWIN_BUG_NONE, &counts);

        if (history_wrong(history) != NULL) fail_msg("seed %llu: %s", (unsigned long long)seed, history_wrong(history));
        history_free(history);
    }
    answers_rate(0);
}

/* Worlds in which a difference stood before it was cured, as long as the workload draws them so (docs/TESTING.md). */
static void where_something_was_found_nothing_differs_any_more(void **state)
{
    static const struct {
        uint64_t seed, commands;
    } found[] = {
        { 182, 16300 },    /* the twin looked at a maker without the rebate he gets */
        { 300028, 13400 }, /* the fund unwound its symbols as it had come by them */
        { 300043, 6900 },  /* shares of the rest of a unit's equity */
        { 700033, 14900 }, /* a bracket's child met its own parent for ever */
    };
    struct twin_counts counts = { 0 };
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(found); i++) {
        struct history *history = history_play(found[i].seed, 3, found[i].commands, 50, TWIN_BUG_NONE, &counts);

        if (history_wrong(history) != NULL)
            fail_msg("seed %llu: %s", (unsigned long long)found[i].seed, history_wrong(history));
        history_free(history);
    }
}

/* The next seed behind *seed that notices a bug, or NULL: short ones first, which are shrunk in no time. */
static struct history *noticing(enum twin_bug bug, uint64_t *seed, struct twin_counts *counts)
{
    while (++*seed <= 240) {
        struct history *history = history_play(*seed <= 120 ? 1 + (*seed - 1) % 60 : *seed - 120, 3,
                                               *seed <= 60    ? 400
                                               : *seed <= 120 ? 1200
                                                              : 4000,
                                               10, bug, counts);

        if (history_wrong(history) != NULL) return history;
        history_free(history);
    }
    return NULL;
}

/* How few commands are left of the first that notices it; where shrinking stops too early, the next ones are tried. */
static uint64_t shrunk(enum twin_bug bug, uint64_t enough, struct twin_counts *counts)
{
    uint64_t seed = 0, best = UINT64_MAX;

    for (int tries = 0; tries < 4 && best > enough; tries++) {
        struct history *history = noticing(bug, &seed, counts);

        if (history == NULL) break;
        print_message("bug %d: seed %llu, %llu commands\n", bug, (unsigned long long)seed,
                      (unsigned long long)history_count(history));
        history_shrink(history);
        assert_non_null(history_wrong(history));
        if (history_count(history) < best) best = history_count(history);
        history_free(history);
    }
    return best;
}

static void every_planted_bug_is_noticed_and_shrunk(void **state)
{
    struct twin_counts counts = { 0 };
    (void)state;

    if (!SEARCHES_FOR_BUGS) skip();
    answers_rate(0);
    for (enum twin_bug bug = TWIN_BUG_NONE + 1; bug < TWIN_BUG_COUNT; bug++) {
        uint64_t left;

        if (bug % 6 != 5 && !is_whole()) continue;
        left = shrunk(bug, 150, &counts);
        if (left == UINT64_MAX) fail_msg("bug %d is not noticed", bug);
        if (left > 150) fail_msg("bug %d still takes %llu commands", bug, (unsigned long long)left);
    }
}

/* Each group of answers, written wrongly once. The world is correct: only the encoders can show it. */
static void every_mistake_of_an_encoder_is_noticed(void **state)
{
    struct twin_counts counts = { 0 };
    (void)state;

    if (!SEARCHES_FOR_BUGS) skip();
    for (enum answer_bug bug = ANSWER_BUG_NONE + 1; bug < ANSWER_BUG_COUNT; bug++) {
        bool noticed = false;

        answers_inject_bug(bug);
        answers_rate(1);
        for (uint64_t seed = 1; seed <= 80 && !noticed; seed++) {
            struct history *history =
                history_play(1 + (seed - 1) % 40, 3, seed <= 40 ? 400 : 3000, 20, TWIN_BUG_NONE, &counts);

            noticed = history_wrong(history) != NULL;
            if (noticed)
                print_message("bug %d of answers: seed %llu, %s\n", bug, (unsigned long long)seed,
                              history_wrong(history));
            history_free(history);
        }
        answers_inject_bug(ANSWER_BUG_NONE);
        if (!noticed) fail_msg("bug %d of answers is not noticed", bug);
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
        cmocka_unit_test(the_api_answers_what_the_twin_would),
        cmocka_unit_test(where_something_was_found_nothing_differs_any_more),
        cmocka_unit_test(every_planted_bug_is_noticed_and_shrunk),
        cmocka_unit_test(every_mistake_of_an_encoder_is_noticed),
        cmocka_unit_test(a_seed_is_played_again_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
