/* SPDX-License-Identifier: MIT */
/* Which batches of a log that went back are alive, against a list that is cut at each REVERT. */
#include "pipeline/branches.h"
#include "rigs/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BATCHES 60
#define ROUNDS  2000

static struct log_position place(uint32_t number)
{
    return number == 0 ? (struct log_position){ { 0 } } : log_position_make(1 + number / 7, 4096 * (1 + number % 7));
}

/* The path to each batch, as a list of numbers; a REVERT has that of its target. */
struct story {
    uint32_t        path[BATCHES + 1][BATCHES + 1], len[BATCHES + 1];
    bool            reverts[BATCHES + 1];
    struct branches branches;
};

static uint64_t next(uint64_t *random) { return random_congruent(random) >> 33; }

static void add_revert(struct story *story, uint32_t number, uint32_t target)
{
    struct {
        uint64_t                 head[LOG_BATCH_HEAD / 8];
        struct log_record_header record;
        struct command           command;
        struct revert            revert;
        uint64_t                 rest[8];
    } bytes = { 0 };
    struct log_batch batch = { .at = (uint8_t *)&bytes, .len = sizeof(bytes) - 64, .cap = sizeof(bytes), .count = 1 };
    struct log_position to = place(target);

    bytes.command.kind = CMD_REVERT;
    bytes.command.bytes = sizeof(bytes.command) + sizeof(bytes.revert);
    memcpy(bytes.revert.position, to.bytes, sizeof(to.bytes));
    batch.position = place(number);
    assert_true(branches_add(&story->branches, &batch));
    story->reverts[number] = true;
    story->len[number] = story->len[target];
    memcpy(story->path[number], story->path[target], sizeof(story->path[number]));
}

static void make_story(struct story *story, uint64_t seed)
{
    for (uint32_t number = 1; number <= BATCHES; number++) {
        uint64_t dice = next(&seed), target = next(&seed) % number;

        if (dice % 6 == 0) {
            add_revert(story, number, (uint32_t)target);
            continue;
        }
        story->len[number] = story->len[number - 1];
        memcpy(story->path[number], story->path[number - 1], sizeof(story->path[number]));
        story->path[number][story->len[number]++] = number;
    }
}

static void a_path_is_what_was_not_cut_away(void **state)
{
    static struct story story;

    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS / 50; seed++) {
        memset(&story, 0, sizeof(story));
        make_story(&story, seed);
        for (uint32_t end = 0; end <= BATCHES; end++) {
            struct log_position last = place(end);
            struct live_path    path;
            uint32_t            found = 0;

            assert_true(live_path_to(&story.branches, &last, &path));
            for (uint32_t number = 1; number <= BATCHES; number++) {
                struct log_position at = place(number);
                bool                expected = found < story.len[end] && story.path[end][found] == number;

                assert_true(live_path_has(&path, &at) == expected);
                found += expected;
            }
            assert_int_equal(found, story.len[end]);
            live_path_free(&path);
        }
        branches_free(&story.branches);
    }
}

static void without_a_revert_all_is_alive(void **state)
{
    const struct branches none = { 0 };
    struct log_position   end = place(9), beyond = place(10);
    struct live_path      path;

    (void)state;
    assert_null(branches_last(&none, &end));
    assert_true(live_path_to(&none, &end, &path));
    for (uint32_t number = 1; number <= 9; number++) {
        struct log_position at = place(number);
        assert_true(live_path_has(&path, &at));
    }
    assert_false(live_path_has(&path, &beyond));
    live_path_free(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_what_was_not_cut_away),
        cmocka_unit_test(without_a_revert_all_is_alive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
