/* SPDX-License-Identifier: MIT */
/*
 * Trimming a shared log (decision 133) on a primary of the test: what may go, what is kept, and what readers of each
 * kind find afterwards.
 */
#define RIG_STANDBYS 0
#include "rigs/log/postgres_rig.h"

#include "log/trim.h"

#define BATCHES 9

static struct log_mark    marks[BATCHES + 1]; /* behind batch 1, 2, … */
static struct log_trimmed gone[BATCHES + 1];  /* when the log begins with batch 1, 2, … */

/* It reads on behind what was trimmed. */
static void open_past_trimmed(struct node *node, const char *name)
{
    struct log_settings settings = settings_of(name);

    settings.past_trimmed = true;
    assert_int_equal(open_with(node, &settings), LOG_OK);
}

static enum log_fault try_follow(struct node *node, bool *there)
{
    bool partial;

    return log_follow(node->log, &node->batch, &node->applied, there, &partial, &node->report);
}

static uint64_t row_of(uint32_t number) { return log_position_second(&marks[number].position); }

/* Nine batches of two terms: rows 1 fence, 2 to 5 batches, 6 fence, 7 to 11 batches. */
static void fill(void)
{
    struct hash256 digest = { { 0 } };

    open_node(&a, "a");
    for (uint32_t i = 1; i <= BATCHES; i++) {
        if (i == 1) (void)lead(&a);
        if (i == 5) log_follow_again(a.log);
        if (i == 5) (void)lead(&a);
        append(&a, 2);
        marks[i] = log_mark_behind(&a.batch);
        gone[i] = (struct log_trimmed){ row_of(i), i - 1, a.batch.first_seq, digest };
        log_digest_add(&digest, &a.batch, &a.applied);
    }
    assert_int_equal(row_of(1), 2);
    assert_int_equal(row_of(5), 7);
}

static struct log_trim *trim_open(void)
{
    struct log_trim  *trim = NULL;
    struct log_report report;

    assert_int_equal(log_trim_open(server.admin, &trim, &report), LOG_OK);
    return trim;
}

/* The log begins with batch `number`; how many rows it cost. */
static uint64_t trim_to(uint32_t number)
{
    struct log_trim  *trim = trim_open();
    struct log_report report;
    uint64_t          removed = 0;

    assert_int_equal(log_trim_apply(trim, row_of(number), &marks[number].chain, &gone[number], &removed, &report),
                     LOG_OK);
    log_trim_close(trim);
    return removed;
}

/* ---- what is left ---- */

static void the_genesis_and_the_rows_from_a_batch_on_stay(void **state)
{
    NEEDS_SERVER();
    fill();
    assert_int_equal(trim_to(3), 3); /* a fence and two batches */
    assert_int_equal(count_of("dojima.log WHERE seq IN (0, 4)"), 2);
    assert_int_equal(count_of("dojima.log WHERE seq BETWEEN 1 AND 3"), 0);
    assert_int_equal(trim_to(5), 3); /* the fence before batch 5 goes, its term stays in the mark */
    assert_int_equal(count_of("dojima.beginning WHERE first = 7 AND term = 2 AND next_command = 9 AND batches = 4"), 1);
    append(&a, 2); /* the writer does not notice */
}

static void a_row_that_is_not_the_one_that_was_copied_removes_nothing(void **state)
{
    struct log_trim  *trim;
    struct log_report report;
    uint64_t          removed;

    NEEDS_SERVER();
    fill();
    trim = trim_open();
    assert_int_equal(log_trim_apply(trim, row_of(3), &marks[4].chain, &gone[3], &removed, &report), LOG_REFUSED);
    assert_int_equal(count_of("dojima.log"), BATCHES + 3);
    assert_int_equal(count_of("dojima.beginning"), 0);
    log_trim_close(trim);
    assert_int_equal(trim_to(4), 4);
    trim = trim_open(); /* nothing goes back */
    assert_int_equal(log_trim_apply(trim, row_of(4), &marks[4].chain, &gone[4], &removed, &report), LOG_REFUSED);
    log_trim_close(trim);
}

/* ---- readers ---- */

static void a_reader_from_genesis_is_told_to_join(void **state)
{
    struct log_settings settings = settings_of("b");
    bool                end_there;

    NEEDS_SERVER();
    fill();
    (void)trim_to(2);
    settings.read_only = true;
    assert_int_equal(open_with(&b, &settings), LOG_OK);
    assert_int_equal(log_next(b.log, &b.batch, &b.applied, &end_there, &b.report), LOG_REFUSED);
    assert_non_null(strstr(b.report.text, "the log begins at row 3, command 3"));
    assert_non_null(strstr(b.report.text, "dojima join"));
}

static void a_row_that_is_missing_but_was_not_trimmed_is_damage(void **state)
{
    struct log_settings settings = settings_of("b");
    bool                end_there;

    NEEDS_SERVER();
    fill();
    (void)trim_to(2);
    test_postgres_run(&server, "DELETE FROM dojima.log WHERE seq = 4");
    settings.read_only = settings.past_trimmed = true;
    assert_int_equal(open_with(&b, &settings), LOG_OK);
    assert_int_equal(log_next(b.log, &b.batch, &b.applied, &end_there, &b.report), LOG_OK);
    assert_int_equal(log_next(b.log, &b.batch, &b.applied, &end_there, &b.report), LOG_DAMAGED);
}

static void a_node_starts_at_the_first_row_that_is_left_and_leads(void **state)
{
    NEEDS_SERVER();
    fill();
    (void)trim_to(5);
    open_node(&b, "b");
    assert_int_equal(log_resume(b.log, &marks[4], &b.batch, &b.report), LOG_REFUSED);
    close_node(&b);
    open_node(&b, "b");
    assert_int_equal(log_resume(b.log, &marks[5], &b.batch, &b.report), LOG_OK);
    assert_int_equal(lead(&b), BATCHES - 5);
    assert_int_equal(b.term, 3);
    append(&b, 2);
}

static void a_reader_past_what_was_trimmed_checks_the_first_row(void **state)
{
    struct log_trimmed found;
    struct hash256     chain;

    NEEDS_SERVER();
    fill();
    (void)trim_to(5);
    open_past_trimmed(&b, "b");
    assert_true(log_trimmed(b.log, &found));
    assert_int_equal(found.row, 7);
    assert_int_equal(found.batches, 4);
    assert_int_equal(found.next_seq, 9);
    assert_true(hash256_equal(&found.digest, &gone[5].digest));
    chain = log_chain(b.log);
    assert_true(hash256_equal(&chain, &marks[4].chain));
    assert_int_equal(lead(&b), BATCHES - 4);
    close_node(&b);
    test_postgres_run(&server, "UPDATE dojima.beginning SET hash = decode(repeat('ab', 32), 'hex')");
    open_past_trimmed(&b, "b");
    assert_int_equal(try_follow(&b, &(bool){ false }), LOG_DAMAGED);
}

static void a_follower_that_is_behind_is_refused_and_one_at_the_edge_goes_on(void **state)
{
    bool there;

    NEEDS_SERVER();
    fill();
    open_node(&b, "b");
    for (uint32_t i = 0; i < 4; i++) assert_true(try_follow(&b, &there) == LOG_OK && there);
    (void)trim_to(3);
    log_follow_again(b.log); /* it stands at row 5, which is there */
    assert_true(try_follow(&b, &there) == LOG_OK && there);
    (void)trim_to(6);
    log_follow_again(b.log); /* at row 7, the last one that is gone */
    assert_true(try_follow(&b, &there) == LOG_OK && there);
    assert_int_equal(b.batch.first_seq, 11);
    (void)trim_to(9);
    log_follow_again(b.log);
    assert_int_equal(try_follow(&b, &there), LOG_REFUSED);
    assert_non_null(strstr(b.report.text, "dojima join"));
}

static void a_batch_that_was_trimmed_is_told_from_one_that_is_not_there(void **state)
{
    static _Alignas(8) uint8_t room[ROOM];
    struct log_position        nowhere = log_position_make(0, 999);
    struct log_batch           batch;

    NEEDS_SERVER();
    fill();
    (void)trim_to(3);
    assert_int_equal(log_read(a.log, &marks[2].position, room, sizeof(room), &batch), ENODATA);
    assert_int_equal(log_read(a.log, &marks[3].position, room, sizeof(room), &batch), 0);
    assert_int_equal(log_read(a.log, &nowhere, room, sizeof(room), &batch), EUCLEAN);
}

/* ---- what may go ---- */

static void run_as(const char *node, uint64_t command)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "INSERT INTO dojima.progress VALUES ('%s', 'http://%s', 0, 0, %lu, 0, 0, '', clock_timestamp())"
                   " ON CONFLICT (node) DO UPDATE SET command = excluded.command",
                   node, node, (unsigned long)command);
    test_postgres_run(&server, text);
}

static struct log_trim_plan plan_of(uint64_t below, enum log_fault expected, const char *words)
{
    struct log_trim     *trim = trim_open();
    struct log_trim_plan plan;
    struct log_report    report;

    assert_int_equal(log_trim_plan(trim, below, NULL, &plan, &report), expected);
    if (words != NULL) assert_non_null(strstr(report.text, words));
    log_trim_close(trim);
    return plan;
}

static void set_committed(uint64_t row)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "UPDATE dojima.log SET committed = %lu; UPDATE dojima.lease SET committed = %lu",
                   (unsigned long)row, (unsigned long)row);
    test_postgres_run(&server, text);
}

static void the_lowest_of_the_older_snapshots_decides(void **state)
{
    NEEDS_SERVER();
    fill();
    (void)plan_of(0, LOG_REFUSED, "no node has told of two verified snapshots");
    run_as("a", 18);
    run_as("b", 18);
    open_node(&b, "b");
    assert_int_equal(log_tell_snapshots(b.log, &marks[3], &marks[8]), 0);
    log_follow_again(a.log);
    assert_int_equal(try_follow(&a, &(bool){ false }), LOG_OK);
    (void)plan_of(0, LOG_REFUSED, "node a holds the trim: it has told of no two verified snapshots");
    assert_int_equal(log_tell_snapshots(a.log, &marks[6], &marks[7]), 0);
    assert_string_equal(plan_of(0, LOG_OK, NULL).node, "b");
    assert_int_equal(plan_of(0, LOG_OK, NULL).row, row_of(3));
    assert_int_equal(plan_of(row_of(2), LOG_OK, NULL).row, row_of(2));
    assert_int_equal(plan_of(row_of(3), LOG_OK, NULL).row, row_of(3));
    (void)plan_of(row_of(3) + 1, LOG_REFUSED, "more than may go");
    assert_int_equal(log_tell_snapshots(b.log, &marks[8], &marks[9]), 0);
    assert_int_equal(plan_of(0, LOG_OK, NULL).row, row_of(6));
    assert_int_equal(plan_of(6, LOG_OK, NULL).row, row_of(4)); /* row 6 is a fence */
    assert_int_equal(log_tell_snapshots(b.log, NULL, NULL), 0);
    (void)plan_of(0, LOG_REFUSED, "node b holds the trim");
}

static void a_node_behind_its_own_snapshot_holds_the_trim(void **state)
{
    NEEDS_SERVER();
    fill();
    open_node(&b, "b");
    assert_int_equal(log_tell_snapshots(b.log, &marks[3], &marks[8]), 0);
    run_as("b", 5);
    (void)plan_of(0, LOG_REFUSED, "it has applied command 5, and its older snapshot stands at 6");
    run_as("b", 6);
    assert_int_equal(plan_of(0, LOG_OK, NULL).row, row_of(3));
}

static void what_the_quorum_is_not_known_to_have_stays(void **state)
{
    NEEDS_SERVER();
    fill();
    open_node(&b, "b");
    assert_int_equal(log_tell_snapshots(b.log, &marks[7], &marks[8]), 0);
    run_as("b", 18);
    set_committed(row_of(4));
    assert_int_equal(plan_of(0, LOG_OK, NULL).row, row_of(4));
    set_committed(row_of(4) - 1);
    assert_int_equal(plan_of(0, LOG_OK, NULL).row, row_of(3));
}

static void one_process_trims_at_a_time(void **state)
{
    struct log_trim  *one, *other;
    struct log_report report;

    NEEDS_SERVER();
    one = trim_open();
    assert_int_equal(log_trim_open(server.admin, &other, &report), LOG_REFUSED);
    assert_int_equal(report.error, EWOULDBLOCK);
    log_trim_close(one);
    for (uint32_t i = 0; i < 50; i++) log_trim_close(trim_open()); /* the next one may begin at once */
}

static void who_may_not_remove_rows_is_refused(void **state)
{
    const char       *urls[] = { setup.writer_url, setup.reader_url };
    const char       *words[] = { "the role dojima_writer may not", "the role dojima_reader may not" };
    struct log_trim  *trim;
    struct log_report report;

    NEEDS_SERVER();
    for (uint32_t i = 0; i < ARRAY_COUNT(urls); i++) {
        assert_int_equal(log_trim_open(urls[i], &trim, &report), LOG_REFUSED);
        assert_non_null(strstr(report.text, words[i]));
    }
}

static void tables_of_an_earlier_version_serve_nodes_and_are_not_trimmed(void **state)
{
    struct log_trim  *trim;
    struct log_report report;

    NEEDS_SERVER();
    fill();
    test_postgres_run(&server, "DROP TABLE dojima.beginning, dojima.snapshots");
    assert_int_equal(log_trim_open(server.admin, &trim, &report), LOG_REFUSED);
    assert_non_null(strstr(report.text, "run dojima init-log URL again"));
    open_past_trimmed(&b, "b");
    assert_false(log_trimmed(b.log, &gone[0]));
    assert_int_equal(log_tell_snapshots(b.log, &marks[3], &marks[8]), ENOENT);
    assert_int_equal(lead(&b), BATCHES);
    assert_int_equal(log_set_up(&setup, &report), LOG_OK);
    log_trim_close(trim_open());
    assert_int_equal(count_of("dojima.log WHERE kind = 1"), BATCHES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_genesis_and_the_rows_from_a_batch_on_stay),
        TEST(a_row_that_is_not_the_one_that_was_copied_removes_nothing),
        TEST(a_reader_from_genesis_is_told_to_join),
        TEST(a_row_that_is_missing_but_was_not_trimmed_is_damage),
        TEST(a_node_starts_at_the_first_row_that_is_left_and_leads),
        TEST(a_reader_past_what_was_trimmed_checks_the_first_row),
        TEST(a_follower_that_is_behind_is_refused_and_one_at_the_edge_goes_on),
        TEST(a_batch_that_was_trimmed_is_told_from_one_that_is_not_there),
        TEST(the_lowest_of_the_older_snapshots_decides),
        TEST(a_node_behind_its_own_snapshot_holds_the_trim),
        TEST(what_the_quorum_is_not_known_to_have_stays),
        TEST(one_process_trims_at_a_time),
        TEST(who_may_not_remove_rows_is_refused),
        TEST(tables_of_an_earlier_version_serve_nodes_and_are_not_trimmed),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
