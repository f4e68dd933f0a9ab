/* SPDX-License-Identifier: MIT */
/* Two nodes in one thread, with one log: who leads, what each answers, and that both come to the same state. */
#include "diagnostics/program_log.h"
#include "pipeline/role.h"
#include "rigs/pipeline/two_nodes.h"

#include <sys/wait.h>
#include <unistd.h>

static void a_node_without_a_lease_follows_and_answers_that_no_node_leads(void **state)
{
    (void)state;
    send_deposit(&a->rig, origin(1), 1, 10);
    turn(a);
    assert_int_equal(atomic_load(&a->rig.server.shared.role), NODE_FOLLOWER);
    assert_int_equal(next_reply(a, 1), REJECT_NO_LEADER);
    assert_int_equal(applied(a), 0);
    assert_int_equal(store.count, 0);
}

static void the_holder_of_the_lease_leads_behind_its_fence(void **state)
{
    (void)state;
    make_leader(a);
    assert_int_equal(store.count, 1); /* the fence */
    assert_int_equal(atomic_load(&a->lead.term), 1);
    send_deposit(&a->rig, origin(1), 1, 10);
    turn(a);
    assert_int_equal(next_reply(a, 1), REJECT_NONE);
    assert_int_equal(atomic_load(&a->rig.server.shared.applied_seq), applied(a));
    turn(b);
    assert_int_equal(applied(b), applied(a));
    assert_true(ring_is_empty(&b->rig.replies));
    assert_same_state();
}

static void a_new_leader_first_applies_what_stands_before_its_fence(void **state)
{
    (void)state;
    make_leader(a);
    for (uint32_t i = 1; i <= 5; i++) {
        send_deposit(&a->rig, 0, i, 10);
        turn(a);
    }
    lose_lease(a);
    turn(a);
    make_leader(b);
    assert_int_equal(applied(b), applied(a));
    send_deposit(&b->rig, origin(7), 6, 10);
    turn(b);
    assert_int_equal(next_reply(b, 7), REJECT_NONE);
    turn(a);
    assert_same_state();
}

static void a_fenced_leader_answers_nothing_as_done_and_follows(void **state)
{
    (void)state;
    make_leader(a);
    make_leader(b); /* a does not know yet */
    assert_int_equal(atomic_load(&a->rig.server.shared.role), NODE_LEADER);
    send_deposit(&a->rig, origin(1), 1, 10);
    turn(a);
    assert_int_equal(next_reply(a, 1), REJECT_OUTCOME_UNKNOWN);
    assert_true(ring_is_empty(&a->rig.replies));
    assert_int_equal(applied(a), 0);
    send_deposit(&b->rig, origin(2), 2, 20);
    turn(b);
    assert_int_equal(next_reply(b, 2), REJECT_NONE);
    turn(a);
    assert_int_equal(atomic_load(&a->rig.server.shared.role), NODE_FOLLOWER);
    assert_int_equal(applied(a), applied(b));
    assert_same_state();
}

static void a_batch_with_unknown_outcome_that_is_in_the_log_happens_on_all_nodes(void **state)
{
    struct address      owner = { { 1, 2, 3 } };
    struct view_account account;

    (void)state;
    make_leader(a);
    a->log.next = NEXT_KEPT;
    send_deposit(&a->rig, origin(1), 1, 10);
    turn(a); /* resigns, reads its own batch, and leads again behind a second fence */
    assert_int_equal(next_reply(a, 1), REJECT_OUTCOME_UNKNOWN);
    assert_true(ring_is_empty(&a->rig.replies));
    assert_true(views_primary_account(a->rig.server.exchange.views, &owner, &account));
    assert_int_equal(atomic_load(&a->lead.term), 2);
    assert_int_equal(atomic_load(&a->lead.resigned), 1);
    turn(b);
    assert_int_equal(applied(b), applied(a));
    assert_same_state();
    send_deposit(&a->rig, origin(2), 2, 10);
    turn(a);
    assert_int_equal(next_reply(a, 2), REJECT_NONE);
}

static void a_batch_with_unknown_outcome_that_is_not_in_the_log_happens_nowhere(void **state)
{
    struct address      owner = { { 1, 2, 3 } };
    struct view_account account;

    (void)state;
    make_leader(a);
    a->log.next = NEXT_LOST;
    send_deposit(&a->rig, origin(1), 1, 10);
    turn(a);
    assert_int_equal(next_reply(a, 1), REJECT_OUTCOME_UNKNOWN);
    assert_false(views_primary_account(a->rig.server.exchange.views, &owner, &account));
    send_deposit(&a->rig, origin(2), 1, 10); /* asked again: the same id */
    turn(a);
    assert_int_equal(next_reply(a, 2), REJECT_NONE);
    turn(b);
    assert_same_state();
}

static void a_leader_whose_lease_is_over_takes_no_write(void **state)
{
    (void)state;
    make_leader(a);
    send_deposit(&a->rig, origin(1), 1, 10);
    atomic_store(&a->lead.until_ns, clock_mono_ns());
    turn(a);
    assert_int_equal(next_reply(a, 1), REJECT_NO_LEADER);
    assert_int_not_equal(atomic_load(&a->rig.server.shared.role), NODE_LEADER);
    assert_int_equal(applied(a), 0);
}

static void a_leader_that_hands_over_ends_what_is_on_its_way(void **state)
{
    struct server *server = &a->rig.server;

    (void)state;
    make_leader(a);
    send_deposit(&a->rig, origin(1), 1, 10);
    assert_int_not_equal(server_turn(server), 0); /* collected, and written */
    send_deposit(&a->rig, origin(2), 2, 10);
    atomic_store(&a->lead.wish, WISH_HAND_OVER);
    turn(a);
    assert_int_equal(next_reply(a, 1), REJECT_NONE);
    assert_int_equal(next_reply(a, 2), REJECT_NO_LEADER);
    assert_int_equal(server->role, NODE_FOLLOWER);
    make_leader(b);
    turn(a);
    assert_same_state();
}

static void a_log_that_cannot_be_reached_is_tried_again(void **state)
{
    (void)state;
    make_leader(a);
    send_deposit(&a->rig, 0, 1, 10);
    turn(a);
    b->log.is_down = true;
    turn(b);
    assert_int_equal(applied(b), 0);
    b->log.is_down = false;
    turn(b);
    assert_int_equal(applied(b), applied(a));
}

static void a_leader_that_stops_does_not_wait_for_a_log_that_is_lost(void **state)
{
    struct server *server = &a->rig.server;

    (void)state;
    make_leader(a);
    send_deposit(&a->rig, 0, 1, 10);
    turn(a);
    a->log.next = NEXT_LOST; /* the closing batch */
    server_close_log(server);
    assert_int_not_equal(server->role, NODE_LEADER);
}

static void a_waiting_gateway_is_noted_once(void **state)
{
    (void)state;
    make_leader(a);
    atomic_store(&a->rig.server.shared.seq_waiters, 1);
    send_deposit(&a->rig, 0, 1, 10);
    turn(a);
    assert_int_equal(atomic_load(&a->rig.server.shared.seq_waiters), 0);
}

/* The child follows a log whose third batch claims a block that no node has. */
static void follow_in_a_child(void)
{
    turn(b);
    _exit(0);
}

static void a_follower_that_makes_another_block_stops(void **state)
{
    int status = 0;

    (void)state;
    make_leader(a);
    for (uint32_t i = 1; i <= 3; i++) {
        send_deposit(&a->rig, 0, i, 10);
        turn(a);
    }
    store.rows[store.count - 1].applied.hash.bytes[0] ^= 1;
    pid_t child = fork();
    if (child == 0) follow_in_a_child();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EXIT_DAMAGE);
}

static void nodes_mark_the_same_state_hash_at_the_same_block(void **state)
{
    struct applied_mark one, two;

    (void)state;
    make_leader(a);
    send_deposit(&a->rig, 0, 1, 10);
    turn(a);
    turn(b);
    one = leadership_mark(&a->lead);
    two = leadership_mark(&b->lead);
    assert_int_not_equal(one.hash_block, 0);
    assert_int_equal(one.hash_block, two.hash_block);
    assert_memory_equal(one.state_hash.bytes, two.state_hash.bytes, 32);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_two, close_two)
    const struct CMUnitTest tests[] = {
        TEST(a_node_without_a_lease_follows_and_answers_that_no_node_leads),
        TEST(the_holder_of_the_lease_leads_behind_its_fence),
        TEST(a_new_leader_first_applies_what_stands_before_its_fence),
        TEST(a_fenced_leader_answers_nothing_as_done_and_follows),
        TEST(a_batch_with_unknown_outcome_that_is_in_the_log_happens_on_all_nodes),
        TEST(a_batch_with_unknown_outcome_that_is_not_in_the_log_happens_nowhere),
        TEST(a_leader_whose_lease_is_over_takes_no_write),
        TEST(a_leader_that_hands_over_ends_what_is_on_its_way),
        TEST(a_log_that_cannot_be_reached_is_tried_again),
        TEST(a_leader_that_stops_does_not_wait_for_a_log_that_is_lost),
        TEST(a_waiting_gateway_is_noted_once),
        TEST(a_follower_that_makes_another_block_stops),
        TEST(nodes_mark_the_same_state_hash_at_the_same_block),
    };
    return crypto_init() ? cmocka_run_group_tests_name("pipeline/role", tests, NULL, NULL) : 1;
}
