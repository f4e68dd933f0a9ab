/* SPDX-License-Identifier: MIT */
/*
 * Two batches under way at once: the log's thread is played step by step, so each order of events has a test. The rows
 * are those of rigs/pipeline/shared_log.h.
 */
#include "pipeline/follow.h"
#include "pipeline/role.h"
#include "rigs/pipeline/two_nodes.h"

#define LARGE (64 * 1024) /* bytes of a command that does not wait for the batch before it */

/* One step of the log's thread, as app/threads.c makes it. */
static void log_step(struct node *node)
{
    struct commit_slot *commit = &node->rig.server.commit;
    uint32_t            state = commit_state(commit_at(commit));

    if (state == COMMIT_WRITING) commit_write(commit);
    else if (state == COMMIT_READING) commit_read(commit, 0);
}

/* Turns and steps until nothing moves any more. */
static void settle(struct node *node)
{
    for (int i = 0; i < 20; i++) {
        turn(node);
        log_step(node);
    }
}

static void send_of(struct node *node, uint32_t request, size_t bytes)
{
    static char input[LARGE];
    struct {
        struct command head;
        struct deposit deposit;
    } command = { 0 };
    uint64_t id = request;

    memset(input, 'x', sizeof(input));
    command.head.kind = CMD_DEPOSIT;
    command.head.bytes = sizeof(command);
    command.head.chain_id = 77;
    command.head.nonce = id;
    command.deposit = (struct deposit){ .address = { { 1, 2, 3 } }, .coin_id = 0, .amount = 10, .engine = MARKET_SPOT };
    memcpy(command.deposit.id.bytes, &id, sizeof(id));
    send_command(&node->rig, origin(request), &command.head, slice_make(input, bytes), 0);
}

static void send_large(struct node *node, uint32_t request) { send_of(node, request, LARGE); }

static uint32_t under_way(const struct node *node) { return node->rig.server.commit.count; }

/* Node a leads, and from now on its log's thread is log_step. */
static int open_leading(void **state)
{
    open_two(state);
    make_leader(a);
    send_deposit(&a->rig, 0, 1, 10);
    turn(a);
    a->rig.server.commit.inline_writes = false;
    return 0;
}

/* Requests `first` and `first` + 1, each in a batch that is under way. */
static void put_two_under_way(uint32_t first)
{
    send_large(a, first);
    turn(a);
    send_large(a, first + 1);
    turn(a);
    assert_int_equal(under_way(a), 2);
    assert_true(ring_is_empty(&a->rig.replies));
}

static void assert_answers(enum reject one, enum reject two)
{
    assert_int_equal(next_reply(a, 2), one);
    assert_int_equal(next_reply(a, 3), two);
    assert_true(ring_is_empty(&a->rig.replies));
}

/* Both nodes have everything that is in the log, and nothing else. */
static void assert_both_continue(uint64_t expected)
{
    settle(a);
    turn(b);
    assert_int_equal(applied(a), expected);
    assert_int_equal(applied(b), expected);
    assert_same_state();
}

/* ---- the order ---- */

static void a_second_batch_travels_while_the_first_is_waited_for(void **state)
{
    (void)state;
    put_two_under_way(2);
    send_large(a, 4);
    turn(a);
    assert_int_equal(under_way(a), 2); /* the third is collected */
    log_step(a);
    assert_int_equal(a->log.most_under_way, 2);
    assert_int_equal(applied(a), 1); /* durable, not yet applied */
    turn(a);
    assert_int_equal(applied(a), 2);
    assert_int_equal(next_reply(a, 2), REJECT_NONE);
    assert_true(ring_is_empty(&a->rig.replies));
    assert_int_equal(under_way(a), 2); /* the third has taken the place of the first */
    settle(a);
    assert_int_equal(next_reply(a, 3), REJECT_NONE);
    assert_int_equal(next_reply(a, 4), REJECT_NONE);
    assert_true(server_is_idle(&a->rig.server));
    assert_both_continue(4);
}

static void both_may_become_durable_before_either_happens(void **state)
{
    (void)state;
    put_two_under_way(2);
    log_step(a);
    log_step(a);
    assert_int_equal(applied(a), 1);
    turn(a);
    assert_answers(REJECT_NONE, REJECT_NONE);
    assert_both_continue(3);
}

static void a_small_batch_gathers_more_while_one_is_under_way(void **state)
{
    (void)state;
    send_deposit(&a->rig, origin(2), 2, 10);
    turn(a);
    send_deposit(&a->rig, origin(3), 3, 10);
    turn(a);
    assert_int_equal(under_way(a), 1);
    send_deposit(&a->rig, origin(4), 4, 10);
    settle(a);
    assert_int_equal(a->log.most_under_way, 1);
    for (uint32_t i = 2; i <= 4; i++) assert_int_equal(next_reply(a, i), REJECT_NONE);
    assert_int_equal(store.rows[store.count - 1].batch.count, 2);
    assert_both_continue(4);
}

static void a_batch_goes_when_it_is_half_as_large_as_the_one_under_way(void **state)
{
    (void)state;
    send_large(a, 2);
    turn(a);
    send_of(a, 3, LARGE / 2 - 1000);
    turn(a);
    assert_int_equal(under_way(a), 1);
    send_of(a, 4, 1000);
    turn(a);
    assert_int_equal(under_way(a), 2);
    settle(a);
    for (uint32_t i = 2; i <= 4; i++) assert_int_equal(next_reply(a, i), REJECT_NONE);
    assert_both_continue(4);
}

/* Each header names the last block that its writer had applied then, and each follower knows it. */
static void a_header_names_a_block_that_is_applied(void **state)
{
    const struct shared_row *rows;
    uint64_t                 block = a->rig.server.exchange.blocks.applied.number;

    (void)state;
    put_two_under_way(2);
    send_large(a, 4);
    settle(a);
    rows = &store.rows[store.count - 3];
    assert_int_equal(rows[0].applied.number, block);
    assert_int_equal(rows[1].applied.number, block);
    assert_int_equal(rows[2].applied.number, block); /* it went when the first was durable, and not applied */
    assert_both_continue(4);
}

/* ---- losses ---- */

static void a_loss_of_the_first_loses_the_second(void **state)
{
    (void)state;
    put_two_under_way(2);
    send_large(a, 4);
    turn(a); /* collected */
    a->log.next = NEXT_LOST;
    log_step(a);
    turn(a);
    assert_int_not_equal(a->rig.server.role, NODE_LEADER);
    assert_int_equal(next_reply(a, 2), REJECT_OUTCOME_UNKNOWN);
    assert_int_equal(next_reply(a, 3), REJECT_OUTCOME_UNKNOWN);
    assert_int_equal(next_reply(a, 4), REJECT_NO_LEADER);
    assert_true(ring_is_empty(&a->rig.replies));
    assert_both_continue(1);
}

static void a_loss_of_the_second_leaves_the_first(void **state)
{
    (void)state;
    put_two_under_way(2);
    log_step(a);
    a->log.next = NEXT_LOST;
    log_step(a);
    turn(a);
    assert_answers(REJECT_NONE, REJECT_OUTCOME_UNKNOWN);
    assert_both_continue(2);
}

static void a_fence_between_the_two_ends_the_second(void **state)
{
    (void)state;
    put_two_under_way(2);
    log_step(a);
    make_leader(b);
    log_step(a);
    turn(a);
    assert_answers(REJECT_NONE, REJECT_OUTCOME_UNKNOWN);
    assert_int_equal(atomic_load(&a->lead.wish), WISH_FOLLOW);
    send_deposit(&b->rig, origin(9), 9, 20);
    turn(b);
    assert_int_equal(next_reply(b, 9), REJECT_NONE);
    assert_both_continue(3);
}

static void a_fence_before_the_two_ends_both(void **state)
{
    (void)state;
    put_two_under_way(2);
    make_leader(b);
    log_step(a);
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    assert_both_continue(1);
}

static void unknown_batches_that_are_both_in_the_log_happen_on_all_nodes(void **state)
{
    (void)state;
    put_two_under_way(2);
    a->log.next = NEXT_ALL_KEPT;
    log_step(a);
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    assert_both_continue(3);
    assert_int_equal(atomic_load(&a->lead.term), 2); /* it leads again */
    send_large(a, 4);
    settle(a);
    assert_int_equal(next_reply(a, 4), REJECT_NONE);
}

static void of_unknown_batches_the_first_alone_may_be_in_the_log(void **state)
{
    (void)state;
    put_two_under_way(2);
    a->log.next = NEXT_KEPT;
    log_step(a);
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    assert_both_continue(2);
}

static void a_batch_that_is_handed_over_after_an_unseen_loss_is_lost_too(void **state)
{
    (void)state;
    send_large(a, 2);
    turn(a);
    a->log.next = NEXT_LOST;
    log_step(a);
    send_large(a, 3);
    a->rig.server.lead = NULL; /* the rest of a turn that has looked who leads */
    assert_int_not_equal(server_turn(&a->rig.server), 0);
    a->rig.server.lead = &a->lead;
    assert_int_equal(under_way(a), 2);
    log_step(a);
    assert_int_equal(a->log.most_under_way, 1); /* not even submitted */
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    assert_both_continue(1);
}

/* ---- the end of a leadership ---- */

static void a_lease_that_ends_gives_up_both(void **state)
{
    (void)state;
    put_two_under_way(2);
    a->log.next = NEXT_WAITS;
    log_step(a);
    lose_lease(a);
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    assert_int_equal(under_way(a), 2); /* the log's thread still has them */
    log_step(a);
    turn(a);
    assert_int_equal(under_way(a), 0);
    a->log.next = NEXT_WELL;
    assert_both_continue(1);
}

static void a_lease_that_ends_between_the_two_applies_the_first_without_an_answer(void **state)
{
    (void)state;
    put_two_under_way(2);
    log_step(a);
    a->log.next = NEXT_WAITS;
    lose_lease(a);
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    assert_int_equal(applied(a), 2);
    log_step(a);
    a->log.next = NEXT_WELL;
    assert_both_continue(2);
}

static void a_lease_that_comes_back_in_time_keeps_both_in_the_log(void **state)
{
    (void)state;
    put_two_under_way(2);
    a->log.next = NEXT_WAITS;
    log_step(a);
    lose_lease(a);
    turn(a);
    assert_answers(REJECT_OUTCOME_UNKNOWN, REJECT_OUTCOME_UNKNOWN);
    lease(a);
    log_step(a); /* waits on */
    a->log.next = NEXT_WELL;
    assert_both_continue(3);
    assert_true(ring_is_empty(&a->rig.replies));
    assert_int_equal(a->rig.server.role, NODE_LEADER);
    assert_int_equal(atomic_load(&a->lead.term), 2);
}

static void a_handover_drains_both(void **state)
{
    (void)state;
    put_two_under_way(2);
    send_large(a, 4);
    turn(a); /* collected */
    atomic_store(&a->lead.wish, WISH_HAND_OVER);
    send_large(a, 5);
    turn(a);
    assert_int_equal(a->rig.server.role, NODE_LEADER);
    settle(a);
    for (uint32_t i = 2; i <= 4; i++) assert_int_equal(next_reply(a, i), REJECT_NONE);
    assert_int_equal(next_reply(a, 5), REJECT_NO_LEADER);
    assert_int_equal(a->rig.server.role, NODE_FOLLOWER);
    make_leader(b);
    assert_both_continue(4);
}

static void *play_log_thread(void *stop)
{
    while (atomic_load((_Atomic uint32_t *)stop) == 0) {
        log_step(a);
        thread_sleep_ms(1);
    }
    return NULL;
}

static void an_orderly_stop_drains_both_and_writes_the_closing_batch(void **state)
{
    _Atomic uint32_t stop = 0;
    pthread_t        thread;

    (void)state;
    put_two_under_way(2);
    assert_int_equal(pthread_create(&thread, NULL, play_log_thread, &stop), 0);
    while (!server_is_idle(&a->rig.server)) (void)server_turn(&a->rig.server);
    server_close_log(&a->rig.server);
    atomic_store(&stop, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_answers(REJECT_NONE, REJECT_NONE);
    assert_int_equal(store.rows[store.count - 1].batch.count, 0); /* behind everything */
    assert_both_continue(3);
}

static void a_log_of_one_process_has_one_batch_under_way(void **state)
{
    struct rig *rig;

    assert_int_equal(make(state), 0);
    rig = *state;
    assert_int_equal(rig->server.commit.place_count, 1);
    assert_null(rig->server.commit.places[1].batch.records.at);
    assert_int_equal(unmake(state), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_leading, close_two)
    const struct CMUnitTest tests[] = {
        TEST(a_second_batch_travels_while_the_first_is_waited_for),
        TEST(both_may_become_durable_before_either_happens),
        TEST(a_small_batch_gathers_more_while_one_is_under_way),
        TEST(a_batch_goes_when_it_is_half_as_large_as_the_one_under_way),
        TEST(a_header_names_a_block_that_is_applied),
        TEST(a_loss_of_the_first_loses_the_second),
        TEST(a_loss_of_the_second_leaves_the_first),
        TEST(a_fence_between_the_two_ends_the_second),
        TEST(a_fence_before_the_two_ends_both),
        TEST(unknown_batches_that_are_both_in_the_log_happen_on_all_nodes),
        TEST(of_unknown_batches_the_first_alone_may_be_in_the_log),
        TEST(a_batch_that_is_handed_over_after_an_unseen_loss_is_lost_too),
        TEST(a_lease_that_ends_gives_up_both),
        TEST(a_lease_that_ends_between_the_two_applies_the_first_without_an_answer),
        TEST(a_lease_that_comes_back_in_time_keeps_both_in_the_log),
        TEST(a_handover_drains_both),
        TEST(an_orderly_stop_drains_both_and_writes_the_closing_batch),
        cmocka_unit_test(a_log_of_one_process_has_one_batch_under_way),
    };
    return crypto_init() ? cmocka_run_group_tests_name("pipeline/under_way", tests, NULL, NULL) : 1;
}
