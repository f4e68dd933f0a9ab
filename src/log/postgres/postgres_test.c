/* SPDX-License-Identifier: MIT */
/*
 * The commit rule of a shared log (decision 127), sentence by sentence, on a primary and a standby of the test: what is
 * durable, what is fenced, what is unknown, what a follower may read, and what is refused.
 */
#define RIG_STANDBYS 1
#include "rigs/log/postgres_rig.h"

#include <pthread.h>

/* From here on it hears what is announced. */
static void listen_to(struct node *node)
{
    for (int i = 0; i < 2; i++) {
        assert_false(follow(node));
        log_await(node->log, 0);
    }
}

static void wait_for_a_commit(void)
{
    while (count_of("pg_stat_activity WHERE wait_event = 'SyncRep'") == 0) nap(10);
}

#define OF_LOG "FROM pg_stat_activity WHERE application_name = 'dojima log' AND wait_event = 'SyncRep'"

/* ---- fenced ---- */

static void a_fence_ends_an_earlier_writer(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    assert_int_equal(lead(&a), 0);
    append(&a, 3);
    append(&a, 2);
    assert_int_equal(lead(&b), 2);
    assert_true(b.term > a.term);
    assert_int_equal(log_next_seq(b.log), 6);
    submit(&a, &a.batch, 6, 4); /* by its number */
    assert_int_equal(log_wait(a.log), ESTALE);
    assert_int_equal(log_next_seq(a.log), 6);
    log_follow_again(a.log);
    listen_to(&a);
    append(&b, 1);
    assert_true(follows_within(&a, 50));
    assert_true(records_are(&a.batch, 0, 6, 1, 1006));
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), 3);
}

/* It may lose the lease between its fence and the last row before it; then it follows whoever leads. */
static void a_fence_that_leads_to_nothing_does_not_stop_a_follower(void **state)
{
    bool leads = true;

    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    append(&a, 3);
    assert_int_equal(log_lead(b.log, &b.term, &leads, &b.report), LOG_OK);
    assert_false(leads); /* there is more to read first */
    log_follow_again(a.log);
    assert_int_equal(lead(&a), 0);
    assert_true(follows_within(&b, 50));
    assert_true(records_are(&b.batch, 0, 1, 3, 1001));
    listen_to(&b);
    append(&a, 2);
    assert_true(follows_within(&b, 50));
    assert_true(records_are(&b.batch, 0, 4, 2, 1004));
    append(&a, 1);
    assert_int_equal(lead(&b), 1); /* by another fence */
    append(&b, 1);
    assert_int_equal(log_next_seq(b.log), 8);
}

/* Rows up to a command that the history knows are durable; the rows behind it, fetched with them, may not be. */
static void a_follower_that_knows_a_command_goes_on_behind_it(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    for (uint32_t i = 0; i < 3; i++) append(&a, 1);
    log_knows(b.log, 1, "the history");
    assert_true(follow(&b));
    assert_true(follow(&b));
    listen_to(&b);
    append(&a, 2);
    for (uint32_t count = 1; count < 3; count++) {
        assert_true(follows_within(&b, 50));
        assert_true(records_are(&b.batch, 0, 2 + count, count, 1002 + count));
    }
}

/* Node a leads a log that is empty, and b reads it with nothing to listen to. */
static void open_leader_and_reader(void)
{
    struct log_settings settings = settings_of("a");

    open_node(&a, "a");
    (void)lead(&a);
    settings.read_only = true;
    assert_int_equal(open_with(&b, &settings), LOG_OK);
    assert_false(follow(&b));
}

/* It hears no announcement and asks for none: its process knows what is durable from elsewhere. */
static void a_reader_that_is_told_of_commands_follows_without_waiting(void **state)
{
    NEEDS_SERVER();
    open_leader_and_reader();
    for (uint32_t count = 1; count < 40; count++) append(&a, 1);
    assert_false(follow(&b));
    for (uint64_t seq = 1; seq < 40; seq++) {
        log_knows(b.log, seq, "the history");
        assert_true(follow(&b));
        assert_true(records_are(&b.batch, 0, seq, 1, 1000 + (int64_t)seq));
        assert_false(follow(&b)); /* a row says of those before it that they are durable */
    }
}

/* It fetched more rows than it knew of. They are replaced, by another primary, before it is told of them. */
static void a_reader_keeps_no_row_behind_what_it_was_told_of(void **state)
{
    NEEDS_SERVER();
    open_leader_and_reader();
    append(&a, 1);
    append(&a, 1);
    log_knows(b.log, 1, "the history");
    assert_true(follow(&b));
    test_postgres_run(&server, "DELETE FROM dojima.log WHERE seq = 3");
    log_knows(b.log, 2, "the history");
    assert_false(follow(&b));
}

/* The number of the second one is free: its predecessor alone keeps it out. */
static void a_batch_behind_a_fenced_one_is_fenced_too(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    append(&a, 3);
    (void)lead(&b);
    submit(&a, &a.batch, 4, 2);
    submit(&a, &a.second, 6, 2);
    assert_int_equal(log_wait(a.log), ESTALE);
    assert_int_equal(log_wait(a.log), ESTALE);
    nap(200);
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), 1);
    append(&b, 5);
    assert_int_equal(count_of("dojima.log"), 5);
}

static void two_batches_under_way_become_durable_in_order(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    (void)lead(&a);
    assert_int_equal(log_under_way(a.log), 2);
    for (uint64_t first = 1; first < 41; first += 4) {
        submit(&a, &a.batch, first, 2);
        submit(&a, &a.second, first + 2, 2);
        assert_int_equal(log_next_seq(a.log), first);
        assert_int_equal(log_wait(a.log), 0);
        assert_int_equal(log_next_seq(a.log), first + 2);
        assert_int_equal(log_wait(a.log), 0);
    }
    assert_int_equal(count_of("dojima.log WHERE kind = 1 AND committed >= seq - 2"), 20);
}

static void followers_pass_over_fences(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    for (uint32_t turn = 0; turn < 6; turn++) {
        struct node *leader = turn % 2 == 0 ? &a : &b, *other = turn % 2 == 0 ? &b : &a;

        log_follow_again(leader->log);
        (void)lead(leader);
        append(leader, 1 + turn);
        log_follow_again(other->log);
    }
    assert_int_equal(count_of("dojima.log WHERE kind = 2"), 6);
    close_node(&a);
    open_node(&a, "a");
    assert_int_equal(lead(&a), 6);
    assert_int_equal(log_next_seq(a.log), 1 + 1 + 2 + 3 + 4 + 5 + 6);
}

/* ---- unknown ---- */

/* A commit that no standby confirms is broken off by `how`; it looks like success, or like a lost connection. */
static void break_off(const char *how)
{
    char text[256];

    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    listen_to(&b);
    append(&a, 2);
    assert_true(follows_within(&b, 50));
    set_standbys("ANY 1 (nobody)");
    submit(&a, &a.batch, 3, 2);
    wait_for_a_commit();
    (void)snprintf(text, sizeof(text), "SELECT %s(pid) " OF_LOG, how);
    test_postgres_run(&server, text);
    assert_int_equal(log_wait(a.log), EIO);
    assert_int_equal(log_next_seq(a.log), 3);
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), 2); /* it can be read, and is on one machine only */
    assert_false(follows_within(&b, 5));
    set_standbys("ANY 1 (s1)");
    assert_false(follows_within(&b, 3));
    log_follow_again(a.log);
    listen_to(&a);
    assert_int_equal(lead(&b), 1); /* its own fence, durable on both, makes it final */
    assert_int_equal(log_next_seq(b.log), 5);
    assert_true(follows_within(&a, 50));
    assert_true(records_are(&a.batch, 0, 3, 2, 1003));
}

static void a_warning_at_a_commit_leaves_the_outcome_open_and_followers_wait(void **state)
{
    NEEDS_SERVER();
    break_off("pg_cancel_backend");
}

/* Every role of the database may notify; only one that may append is believed. */
static void an_announcement_of_a_role_that_cannot_append_is_not_believed(void **state)
{
    PGconn *reader;

    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    listen_to(&b);
    append(&a, 2);
    assert_true(follows_within(&b, 50));
    set_standbys("ANY 1 (nobody)");
    submit(&a, &a.batch, 3, 2);
    wait_for_a_commit();
    test_postgres_run(&server, "SELECT pg_cancel_backend(pid) " OF_LOG);
    assert_int_equal(log_wait(a.log), EIO);
    reader = PQconnectdb(setup.reader_url);
    PQclear(PQexec(reader, "SELECT pg_notify('dojima', '0 1 999')"));
    assert_int_equal(PQstatus(reader), CONNECTION_OK);
    assert_false(follows_within(&b, 5));
    PQfinish(reader);
    set_standbys("ANY 1 (s1)");
}

static void a_lost_connection_leaves_the_outcome_open(void **state)
{
    NEEDS_SERVER();
    break_off("pg_terminate_backend");
}

static void *nudge_later(void *self)
{
    nap(300);
    log_nudge(self);
    return NULL;
}

static void a_nudge_ends_a_wait_and_the_batch_stays_under_way(void **state)
{
    pthread_t thread;

    NEEDS_SERVER();
    open_node(&a, "a");
    (void)lead(&a);
    set_standbys("ANY 1 (nobody)");
    submit(&a, &a.batch, 1, 2);
    assert_int_equal(pthread_create(&thread, NULL, nudge_later, a.log), 0);
    assert_int_equal(log_wait(a.log), EAGAIN);
    assert_int_equal(pthread_join(thread, NULL), 0);
    set_standbys("ANY 1 (s1)");
    assert_int_equal(log_wait(a.log), 0);
    assert_int_equal(log_next_seq(a.log), 3);
}

static void a_batch_that_no_standby_has_is_waited_for_and_cannot_be_read(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    (void)lead(&a);
    set_standbys("ANY 1 (nobody)");
    submit(&a, &a.batch, 1, 2);
    for (int i = 0; i < 10; i++) {
        nap(100);
        log_nudge(a.log);
        assert_int_equal(log_wait(a.log), EAGAIN);
    }
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), 0);
    set_standbys("ANY 1 (s1)");
    assert_int_equal(log_wait(a.log), 0);
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), 1);
}

static void a_fence_that_no_standby_confirms_makes_no_leader(void **state)
{
    bool leads = true;

    NEEDS_SERVER();
    open_node(&a, "a");
    (void)follow(&a);
    set_standbys("ANY 1 (nobody)");
    assert_int_equal(log_lead(a.log, &a.term, &leads, &a.report), LOG_IO);
    assert_false(leads);
    set_standbys("ANY 1 (s1)");
    (void)lead(&a);
    append(&a, 1);
}

/* ---- what a database must be like ---- */

static void refused(struct log_settings settings, const char *word)
{
    struct node node;

    assert_int_equal(open_with(&node, &settings), LOG_REFUSED);
    if (strstr(node.report.text, word) == NULL) print_error("%s\n", node.report.text);
    assert_non_null(strstr(node.report.text, word));
    assert_null(strstr(node.report.text, setup.writer));
    node.log = NULL;
    close_node(&node);
}

static void a_database_that_would_not_wait_for_disks_is_refused(void **state)
{
    static const char *const values[] = { "off", "local", "remote_write" };

    NEEDS_SERVER();
    for (size_t i = 0; i < ARRAY_COUNT(values); i++) {
        char text[128];

        (void)snprintf(text, sizeof(text), "ALTER ROLE dojima_writer SET synchronous_commit = %s", values[i]);
        test_postgres_run(&server, text);
        refused(settings_of("a"), "synchronous_commit");
    }
    test_postgres_run(&server, "ALTER ROLE dojima_writer SET synchronous_commit = remote_apply");
    open_node(&a, "a");
    test_postgres_run(&server, "ALTER ROLE dojima_writer RESET synchronous_commit");
}

static void a_database_without_a_quorum_is_refused_but_where_none_is_wanted(void **state)
{
    struct log_settings settings = settings_of("a");

    NEEDS_SERVER();
    set_standbys("");
    refused(settings, "synchronous_standby_names");
    settings.needs_quorum = false;
    assert_int_equal(open_with(&a, &settings), LOG_OK);
    (void)lead(&a);
    append(&a, 1);
}

static void a_quorum_that_is_switched_off_meanwhile_stops_appends(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    (void)lead(&a);
    append(&a, 1);
    set_standbys("");
    submit(&a, &a.batch, 2, 1);
    assert_int_equal(log_wait(a.log), ESTALE);
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), 1);
}

/* The database lets go whoever waits; what it answers then is on one machine only. */
static void *drop_the_quorum(void *self)
{
    (void)self;
    wait_for_a_commit();
    set_standbys("");
    return NULL;
}

static void a_quorum_that_is_switched_off_while_a_commit_waits_leaves_the_outcome_open(void **state)
{
    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    listen_to(&b);
    append(&a, 2);
    assert_true(follows_within(&b, 50));
    set_standbys("ANY 1 (nobody)");
    submit(&a, &a.batch, 3, 2);
    submit(&a, &a.second, 5, 1);
    (void)drop_the_quorum(NULL);
    assert_int_equal(log_wait(a.log), EIO);
    assert_int_equal(log_wait(a.log), EIO);
    assert_int_equal(log_next_seq(a.log), 3);
    assert_false(follows_within(&b, 5));
    set_standbys("ANY 1 (s1)");
    assert_int_equal(lead(&b), 1); /* the second one was refused */
    assert_int_equal(log_next_seq(b.log), 5);
    append(&b, 1);
}

static void a_fence_from_which_the_quorum_is_taken_makes_no_leader(void **state)
{
    pthread_t thread;
    bool      leads = true;

    NEEDS_SERVER();
    open_node(&a, "a");
    (void)follow(&a);
    set_standbys("ANY 1 (nobody)");
    assert_int_equal(pthread_create(&thread, NULL, drop_the_quorum, NULL), 0);
    assert_int_equal(log_lead(a.log, &a.term, &leads, &a.report), LOG_IO);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(leads);
    set_standbys("ANY 1 (s1)");
    (void)lead(&a);
    append(&a, 1);
}

static void a_role_that_may_do_more_is_refused(void **state)
{
    static const char *const rights[] = { "DELETE", "UPDATE", "TRUNCATE", "TRIGGER" };
    struct log_settings      settings = settings_of("a");
    char                     text[128];

    NEEDS_SERVER();
    for (size_t i = 0; i < ARRAY_COUNT(rights); i++) {
        (void)snprintf(text, sizeof(text), "GRANT %s ON dojima.log TO dojima_writer", rights[i]);
        test_postgres_run(&server, text);
        refused(settings, "change or remove");
        (void)snprintf(text, sizeof(text), "REVOKE %s ON dojima.log FROM dojima_writer", rights[i]);
        test_postgres_run(&server, text);
    }
    test_postgres_run(&server, "ALTER ROLE dojima_writer CREATEROLE");
    refused(settings, "may do more");
    test_postgres_run(&server, "ALTER ROLE dojima_writer NOCREATEROLE");
    settings.url = server.admin;
    refused(settings, "superuser");
    settings.url = setup.reader_url;
    refused(settings, "may not write");
    settings.read_only = true;
    assert_int_equal(open_with(&a, &settings), LOG_OK);
}

static void a_database_without_tables_or_without_a_log_is_told_apart(void **state)
{
    struct log_settings settings = settings_of("a");

    NEEDS_SERVER();
    test_postgres_run(&server, "DELETE FROM dojima.log");
    assert_int_equal(open_with(&a, &settings), LOG_ABSENT);
    close_node(&a);
    test_postgres_run(&server, "SET client_min_messages = error; DROP SCHEMA dojima CASCADE");
    refused(settings, "init-log");
    settings.url = "postgres://dojima_writer@127.0.0.1:1/postgres";
    assert_int_equal(open_with(&a, &settings), LOG_IO);
    assert_true(strlen(a.report.text) > 20);
}

/* ---- damage ---- */

static void write_four(void)
{
    open_node(&a, "a");
    for (uint32_t i = 0; i < 4; i++) {
        (void)lead(&a);
        append(&a, 3);
        log_follow_again(a.log);
    }
    close_node(&a);
}

/* Rows 1 3 5 7 are fences with terms 1 2 3 4, rows 2 4 6 8 batches. */
static void damage(const char *change, enum log_fault fault, const char *word)
{
    struct log_settings settings = settings_of("a");
    enum log_fault      found;
    bool                stop = false;

    test_postgres_run(&server, "CREATE TABLE dojima.kept AS SELECT * FROM dojima.log");
    test_postgres_run(&server, change);
    settings.read_only = true;
    found = open_with(&a, &settings);
    while (found == LOG_OK && !stop) found = log_next(a.log, &a.batch, &a.applied, &stop, &a.report);
    if (found != fault || strstr(a.report.text, word) == NULL) print_error("%s: %s\n", change, a.report.text);
    assert_int_equal(found, fault);
    assert_non_null(strstr(a.report.text, word));
    close_node(&a);
    test_postgres_run(&server, "DELETE FROM dojima.log; INSERT INTO dojima.log SELECT * FROM dojima.kept;"
                               " DROP TABLE dojima.kept");
}

#define CHANGE(columns, row) "UPDATE dojima.log SET " columns " WHERE seq = " #row

static void rows_that_do_not_continue_the_log_are_damage(void **state)
{
    NEEDS_SERVER();
    write_four();
    damage(CHANGE("term = 1", 6), LOG_DAMAGED, "row 6");
    damage(CHANGE("term = 9", 6), LOG_DAMAGED, "row 6");
    damage(CHANGE("engine_ms = engine_ms + 1", 4), LOG_DAMAGED, "row 4");
    damage(CHANGE("commands = commands + 1", 4), LOG_DAMAGED, "row 4");
    damage(CHANGE("first_command = 1", 4), LOG_DAMAGED, "row 4");
    damage(CHANGE("committed = 0", 6), LOG_DAMAGED, "row 6");
    damage(CHANGE("kind = 2", 4), LOG_DAMAGED, "row 4");
    damage(CHANGE("prev = hash", 4), LOG_DAMAGED, "row 4");
    damage(CHANGE("hash = prev", 5), LOG_DAMAGED, "row 5");
    damage(CHANGE("payload = set_byte(payload, 200, 255 - get_byte(payload, 200))", 4), LOG_DAMAGED, "row 4");
    damage(CHANGE("payload = substr(payload, 1, 100)", 4), LOG_DAMAGED, "row 4");
    damage("DELETE FROM dojima.log WHERE seq = 4", LOG_DAMAGED, "row 4 is missing");
    damage("WITH x AS (SELECT * FROM dojima.log WHERE seq = 4) UPDATE dojima.log l SET payload = x.payload,"
           " hash = x.hash, prev = x.prev FROM x WHERE l.seq = 6",
           LOG_DAMAGED, "row 6");
    damage(CHANGE("payload = set_byte(payload, 12, 255)", 0), LOG_FOREIGN, "version 255");
    damage(CHANGE("payload = set_byte(payload, 8, 2)", 0), LOG_FOREIGN, "format 2");
    damage(CHANGE("payload = set_byte(payload, 12, 255)", 4), LOG_FOREIGN, "version 255");
    damage(CHANGE("payload = set_byte(payload, 130, 1)", 0), LOG_DAMAGED, "row 0");
    damage("SELECT 1", LOG_OK, "");
}

static void a_database_that_lost_what_was_read_is_damage(void **state)
{
    bool there, partial;

    NEEDS_SERVER();
    write_four();
    open_node(&a, "a");
    assert_int_equal(lead(&a), 4);
    log_follow_again(a.log);
    test_postgres_run(&server, "DELETE FROM dojima.log WHERE seq > 7");
    assert_int_equal(log_follow(a.log, &a.batch, &a.applied, &there, &partial, &a.report), LOG_DAMAGED);
    assert_non_null(strstr(a.report.text, "lost"));
}

static void a_log_is_begun_once(void **state)
{
    NEEDS_SERVER();
    assert_int_equal(make(), LOG_IO);
    assert_int_equal(count_of("dojima.log"), 1);
}

/* ---- a server that restarts ---- */

static void a_follower_and_its_reader_connect_again(void **state)
{
    static _Alignas(64) uint8_t room[ROOM];
    struct log_position         place;
    struct log_batch            batch;
    int                         error = ENOTCONN;

    NEEDS_SERVER();
    open_node(&a, "a");
    open_node(&b, "b");
    (void)lead(&a);
    listen_to(&b);
    append(&a, 7);
    place = a.batch.position;
    assert_true(follows_within(&b, 50));
    assert_int_equal(test_postgres_control(&server, 0, "-m immediate restart"), 0);
    for (int i = 0; i < 100 && error != 0; i++) {
        (void)follow(&b);
        log_await(b.log, 100);
        error = log_read(b.log, &place, room, sizeof(room), &batch);
    }
    assert_int_equal(error, 0);
    assert_true(records_are(&batch, 0, 1, 7, 1001));
    log_follow_again(a.log);
    for (int i = 0; i < 100 && count_of("pg_stat_replication WHERE state = 'streaming'") == 0; i++) nap(100);
    listen_to(&b);
    (void)lead(&a);
    append(&a, 1);
    assert_true(follows_within(&b, 100));
    assert_true(records_are(&b.batch, 0, 8, 1, 1008));
}

/* No other call of the log is needed: its thread may sleep. */
static void a_reader_whose_connection_was_ended_reads_again(void **state)
{
    static _Alignas(64) uint8_t room[ROOM];
    struct log_position         place;
    struct log_batch            batch;

    NEEDS_SERVER();
    open_node(&a, "a");
    (void)lead(&a);
    append(&a, 3);
    place = a.batch.position;
    for (int i = 0; i < 3; i++) {
        test_postgres_run(&server, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                                   " WHERE application_name = 'dojima reader'");
        assert_int_equal(log_read(a.log, &place, room, sizeof(room), &batch), 0);
        assert_true(records_are(&batch, 0, 1, 3, 1001));
    }
}

int main(void)
{
    const char *const filter = getenv("CMOCKA_TEST_FILTER"); /* tests/planted */

    if (filter != NULL) cmocka_set_test_filter(filter);
    const struct CMUnitTest tests[] = {
        TEST(a_fence_ends_an_earlier_writer),
        TEST(a_fence_that_leads_to_nothing_does_not_stop_a_follower),
        TEST(a_follower_that_knows_a_command_goes_on_behind_it),
        TEST(a_reader_that_is_told_of_commands_follows_without_waiting),
        TEST(a_reader_keeps_no_row_behind_what_it_was_told_of),
        TEST(a_batch_behind_a_fenced_one_is_fenced_too),
        TEST(two_batches_under_way_become_durable_in_order),
        TEST(followers_pass_over_fences),
        TEST(a_warning_at_a_commit_leaves_the_outcome_open_and_followers_wait),
        TEST(an_announcement_of_a_role_that_cannot_append_is_not_believed),
        TEST(a_lost_connection_leaves_the_outcome_open),
        TEST(a_nudge_ends_a_wait_and_the_batch_stays_under_way),
        TEST(a_batch_that_no_standby_has_is_waited_for_and_cannot_be_read),
        TEST(a_fence_that_no_standby_confirms_makes_no_leader),
        TEST(a_database_that_would_not_wait_for_disks_is_refused),
        TEST(a_database_without_a_quorum_is_refused_but_where_none_is_wanted),
        TEST(a_quorum_that_is_switched_off_meanwhile_stops_appends),
        TEST(a_quorum_that_is_switched_off_while_a_commit_waits_leaves_the_outcome_open),
        TEST(a_fence_from_which_the_quorum_is_taken_makes_no_leader),
        TEST(a_role_that_may_do_more_is_refused),
        TEST(a_database_without_tables_or_without_a_log_is_told_apart),
        TEST(rows_that_do_not_continue_the_log_are_damage),
        TEST(a_database_that_lost_what_was_read_is_damage),
        TEST(a_log_is_begun_once),
        TEST(a_reader_whose_connection_was_ended_reads_again),
        TEST(a_follower_and_its_reader_connect_again),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
