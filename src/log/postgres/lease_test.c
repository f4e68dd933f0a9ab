/* SPDX-License-Identifier: MIT */
/* The lease of a shared log (decision 127) on a primary and a standby of the test: who has it, and for whom it is. */
#define RIG_STANDBYS 1
#include "rigs/log/postgres_rig.h"

#include "log/lease.h"

static struct lease     *mine, *other;
static struct lease_view view;

static void step(struct lease *lease, bool wishes, bool gives_up)
{
    struct lease_wish wish = { .lead = wishes, .release = gives_up, .url = "http://a", .term = 4, .command = 9 };

    assert_int_equal(lease_step(lease, &wish, &view), 0);
}

static void one_node_has_the_lease_by_the_clock_of_the_database(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    assert_int_equal(lease_open(a.log, &mine, &a.report), 0);
    assert_int_equal(lease_open(b.log, &other, &b.report), 0);
    step(mine, false, false);
    assert_true(!view.is_ours && view.remaining_ms == 0 && view.holder[0] == '\0');
    step(mine, true, false);
    assert_true(view.is_ours && view.remaining_ms > 0 && view.remaining_ms <= LEASE);
    step(other, true, false);
    assert_false(view.is_ours);
    assert_string_equal(view.holder, "a");
    assert_string_equal(view.url, "http://a");
    assert_int_equal(view.command, 9);
    step(mine, true, false);
    assert_true(view.is_ours);
    nap(LEASE + 100); /* it was not kept */
    step(other, true, false);
    assert_true(view.is_ours);
    step(mine, true, false);
    assert_true(!view.is_ours && strcmp(view.holder, "b") == 0);
    step(other, false, true);
    step(mine, true, false);
    assert_true(view.is_ours);
    lease_close(mine);
    lease_close(other);
}

/* It began to listen after the announcement, and no row follows. */
static void a_follower_that_heard_nothing_learns_it_from_the_lease(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    append(&a, 2);
    assert_false(follows_within(&b, 3));
    assert_int_equal(lease_open(a.log, &mine, &a.report), 0);
    step(mine, true, false);
    assert_true(follows_within(&b, 50));
    lease_close(mine);
}

static void a_lease_that_was_handed_over_is_for_one_node(void **state)
{
    struct lease *third;
    struct node   c;

    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    open_node(&c, "c");
    assert_int_equal(lease_open(a.log, &mine, &a.report), 0);
    assert_int_equal(lease_open(b.log, &other, &b.report), 0);
    assert_int_equal(lease_open(c.log, &third, &c.report), 0);
    step(mine, true, false);
    assert_int_equal(lease_hand_over(mine, "nobody"), ENOENT);
    step(other, true, false);
    step(third, true, false);
    assert_false(view.is_ours);
    assert_int_equal(lease_hand_over(mine, "b"), 0);
    step(third, true, false);
    assert_true(!view.is_ours && view.remaining_ms == 0 && strcmp(view.next, "b") == 0);
    step(mine, true, false);
    assert_false(view.is_ours);
    step(other, true, false);
    assert_true(view.is_ours && view.next[0] == '\0');
    assert_int_equal(lease_hand_over(other, "c"), 0);
    nap(LEASE + 100); /* c does not come: it is for all again */
    step(mine, true, false);
    assert_true(view.is_ours);
    lease_close(third);
    lease_close(mine);
    lease_close(other);
    close_node(&c);
}

static void a_lease_needs_the_quorum_and_a_look_at_it_does_not(void **state)
{
    struct lease_wish wish = { .lead = true, .url = "http://a" };

    NEEDS_SERVER();
    open_node(&a, "a");
    assert_int_equal(lease_open(a.log, &mine, &a.report), 0);
    set_standbys("ANY 1 (nobody)");
    assert_int_equal(lease_step(mine, &wish, &view), ETIMEDOUT);
    wish.lead = false;
    assert_int_equal(lease_step(mine, &wish, &view), 0); /* its own old session was ended, and holds no lock */
    set_standbys("ANY 1 (s1)");
    nap(LEASE + 100);
    step(mine, true, false);
    assert_true(view.is_ours);
    lease_close(mine);
}

/* So much later than now the lease ends. */
static void set_end(const char *interval)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "UPDATE dojima.lease SET expires = clock_timestamp() + interval '%s'", interval);
    test_postgres_run(&server, text);
}

/* What a primary has left whose clock was ahead. No node gives itself more than one lease. */
static void a_lease_that_ends_too_late_to_be_one_holds_nobody_up(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    assert_int_equal(lease_open(a.log, &mine, &a.report), 0);
    assert_int_equal(lease_open(b.log, &other, &b.report), 0);
    step(mine, true, false);
    set_end("1.9 s"); /* of two leases */
    step(other, true, false);
    assert_false(view.is_ours);
    set_end("1 hour");
    step(other, false, false);
    assert_false(view.is_ours);
    step(other, true, false);
    assert_true(view.is_ours && view.remaining_ms <= LEASE);
    step(mine, true, false);
    assert_true(!view.is_ours && strcmp(view.holder, "b") == 0);
    set_end("1 hour");
    step(other, true, false); /* its holder keeps it */
    assert_true(view.is_ours && view.remaining_ms <= LEASE);
    step(other, false, true); /* and gives it up, ahead of time */
    set_end("1 hour");
    step(mine, true, false);
    assert_true(view.is_ours);
    assert_int_equal(lease_hand_over(mine, "b"), 0);
    set_end("1 hour");
    step(mine, true, false); /* it is not in b's favour for an hour */
    assert_true(view.is_ours);
    lease_close(mine);
    lease_close(other);
}

static void two_processes_with_one_name_are_refused(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "a");
    assert_int_equal(lease_open(a.log, &mine, &a.report), 0);
    assert_int_equal(lease_open(b.log, &other, &b.report), EEXIST);
    assert_non_null(strstr(b.report.text, "node a"));
    lease_close(mine);
    assert_int_equal(lease_open(b.log, &other, &b.report), 0);
    lease_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_node_has_the_lease_by_the_clock_of_the_database),
        TEST(a_follower_that_heard_nothing_learns_it_from_the_lease),
        TEST(a_lease_that_was_handed_over_is_for_one_node),
        TEST(a_lease_needs_the_quorum_and_a_look_at_it_does_not),
        TEST(a_lease_that_ends_too_late_to_be_one_holds_nobody_up),
        TEST(two_processes_with_one_name_are_refused),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
