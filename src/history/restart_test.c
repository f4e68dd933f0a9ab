/* SPDX-License-Identifier: MIT */
/* What a history has after it was closed, killed, or the machine went down: the rows that it says, and no others. */
#include "rigs/history/killed.h"
#include "rigs/history/naive_rig.h"

static void a_restart_skips_what_is_on_disk_and_takes_the_rest_again(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    uint64_t reached = history_seq(history);
    assert_true(reached > 0 && reached < next_seq);
    for (int i = 0; i < 200; i++) random_batch();
    history_close(history); /* writes everything that is pending */
    open_it(&instance, "boot one");
    assert_int_equal(history_seq(history), next_seq - 1);
    replay_from_the_start(520);
    ask_at_random(200);
    write_all();
    ask_at_random(200);
}

static void kill_and_open(const struct hash256 *of, const char *boot)
{
    char killed[sizeof(path)];

    copy_killed(path, killed, sizeof(killed));
    assert_int_equal(teardown(NULL), 0);
    memcpy(path, killed, sizeof(path));
    open_it(of, boot);
}

static void after_a_kill_in_the_same_life_of_the_machine_the_store_is_good(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    uint64_t reached = history_seq(history);
    for (int i = 0; i < 100; i++) random_batch();
    kill_and_open(&instance, "boot one");
    assert_int_equal(history_seq(history), reached);
    replay_from_the_start(400);
    ask_at_random(300);
}

/* The writer runs between the rows of a batch and its block: the store must not claim the batch. */
static void a_batch_is_reached_only_with_its_block(void **state)
{
    (void)state;
    uint32_t           left;
    struct tx_location place;

    for (int round = 0; round < 2; round++) {
        begin_batch();
        command();
        order_ends(5, 1, 1, MARKET_SPOT);
        if (round == 0) {
            history_apply(history, &events);
            assert_int_equal(history_write(history, &left), 1);
            assert_int_equal(history_seq(history), 0);
            kill_and_open(&instance, "boot one");
            forget();
        } else {
            end_batch(1, 1);
        }
    }
    assert_true(history_transaction(history, 1, &place));
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    ask(&query);
    write_all();
    ask(&query);
    assert_true(history_transaction(history, 1, &place));
    assert_int_equal(history_seq(history), 1);
}

static void a_replay_of_what_is_on_disk_remembers_nothing(void **state)
{
    (void)state;
    uint32_t left = 1;
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    open_it(&instance, "boot one");
    replay_from_the_start(100);
    assert_int_equal(history_write(history, &left), 0);
    assert_int_equal(left, 0);
    random_batch();
    random_batch();
    random_batch();
    assert_true(history_write(history, &left) > 0);
    ask_at_random(50);
}

static void after_the_machine_went_down_the_store_is_made_again(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    kill_and_open(&instance, "boot two");
    assert_int_equal(history_seq(history), 0);
    replay_from_the_start(300);
    ask_at_random(100);
    write_all();
    ask_at_random(100);
}

/* It may be another boot each time. */
static void an_unknown_boot_is_like_no_other(void **state)
{
    (void)state;
    history_close(history);
    open_it(&instance, "");
    for (int i = 0; i < 300; i++) random_batch();
    write_all();
    kill_and_open(&instance, "");
    assert_int_equal(history_seq(history), 0);
    replay_from_the_start(300);
    ask_at_random(100);
    history_close(history);
    open_it(&instance, "");
    assert_int_equal(history_seq(history), next_seq - 1); /* closed in order: no boot matters */
    ask_at_random(100);
}

static void a_store_that_was_closed_survives_the_machine(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    open_it(&instance, "boot two");
    assert_int_equal(history_seq(history), next_seq - 1);
    ask_at_random(100);
}

static void the_store_of_another_log_is_emptied(void **state)
{
    (void)state;
    static const struct hash256 other = { { 9 } };
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    open_it(&other, "boot one");
    assert_int_equal(history_seq(history), 0);
    forget();
    struct history_query query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };
    ask(&query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_restart_skips_what_is_on_disk_and_takes_the_rest_again),
        T(after_a_kill_in_the_same_life_of_the_machine_the_store_is_good),
        T(a_batch_is_reached_only_with_its_block),
        T(a_replay_of_what_is_on_disk_remembers_nothing),
        T(after_the_machine_went_down_the_store_is_made_again),
        T(an_unknown_boot_is_like_no_other),
        T(a_store_that_was_closed_survives_the_machine),
        T(the_store_of_another_log_is_emptied),
    };
    return cmocka_run_group_tests_name("history/restart", tests, NULL, NULL);
}
