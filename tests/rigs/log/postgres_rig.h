/* SPDX-License-Identifier: MIT */
/*
 * postgres_rig.h — nodes with a shared log on a database server of the test, for one file of a test program, which
 * defines RIG_STANDBYS: 1 = a standby confirms each commit, and nodes want that; 0 = there is none. Each test begins
 * with a new log; without PostgreSQL it is skipped. Header only.
 */
#ifndef RIGS_LOG_POSTGRES_RIG_H
#define RIGS_LOG_POSTGRES_RIG_H

#include "support/log_records.h"
#include "support/postgres.c"

#include "log/setup.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <time.h>

#define ROOM    (64 * 1024)
#define GENESIS "{\"name\":\"a log in a test\"}"
#define LEASE   1000

static struct test_postgres server;
static struct log_setup     setup = { .writer = "secretwriter", .reader = "secretreader" };
static bool                 has_server;

struct node {
    void              *memory;
    struct log        *log;
    struct log_report  report;
    struct log_batch   batch, second;
    struct log_applied applied;
    uint64_t           term;
};

static struct node a, b;

static inline void nap(long ms)
{
    struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

    (void)nanosleep(&time, NULL);
}

/* ---- a node ---- */

static inline struct log_settings settings_of(const char *name)
{
    return (struct log_settings){ .kind = LOG_KIND_POSTGRES,
                                  .url = setup.writer_url,
                                  .node = name,
                                  .lease_ms = LEASE,
                                  .needs_quorum = RIG_STANDBYS != 0 };
}

static inline enum log_fault open_with(struct node *node, const struct log_settings *settings)
{
    struct slice genesis;

    *node = (struct node){ .memory = aligned_alloc(64, align_up(log_bytes(), 64)),
                           .batch = { .at = aligned_alloc(64, ROOM), .cap = ROOM },
                           .second = { .at = aligned_alloc(64, ROOM), .cap = ROOM } };
    return log_open(node->memory, NULL, settings, &node->log, &genesis, &node->report);
}

static inline void open_node(struct node *node, const char *name)
{
    struct log_settings settings = settings_of(name);

    assert_int_equal(open_with(node, &settings), LOG_OK);
}

static inline void close_node(struct node *node)
{
    if (node->log != NULL) log_close(node->log);
    free(node->memory);
    free(node->batch.at);
    free(node->second.at);
    *node = (struct node){ 0 };
}

/* Begins the log. */
static inline enum log_fault make(void)
{
    struct log_settings settings = settings_of("n0");
    void               *memory = aligned_alloc(64, align_up(log_bytes(), 64));
    struct log_report   report;
    enum log_fault      fault = log_create(memory, NULL, &settings, SLICE(GENESIS), &report);

    free(memory);
    return fault;
}

/* One row, or none, of a shared log; true when there was one. */
static inline bool follow(struct node *node)
{
    bool there, partial;

    assert_int_equal(log_follow(node->log, &node->batch, &node->applied, &there, &partial, &node->report), LOG_OK);
    assert_false(partial);
    return there;
}

static inline bool follows_within(struct node *node, int tries)
{
    for (int i = 0; i < tries; i++) {
        if (follow(node)) return true;
        log_await(node->log, 100);
    }
    return false;
}

/* Becomes the writer; how many batches it had to read. */
static inline uint32_t lead(struct node *node)
{
    uint32_t batches = 0;
    bool     leads = false;

    for (int tries = 0; !leads; tries++) {
        enum log_fault fault;

        while (follow(node)) batches += 1;
        fault = log_lead(node->log, &node->term, &leads, &node->report);
        if (fault != LOG_OK && tries < 50) nap(100);
        else assert_int_equal(fault, LOG_OK);
    }
    return batches;
}

static inline void submit(struct node *node, struct log_batch *batch, uint64_t first, uint32_t count)
{
    struct log_applied applied = { .number = first };

    records_fill(batch, 0, first, count, 1000 + (int64_t)first);
    node->applied = applied;
    log_submit(node->log, batch, &applied);
}

static inline void append(struct node *node, uint32_t count)
{
    submit(node, &node->batch, log_next_seq(node->log), count);
    assert_int_equal(log_wait(node->log), 0);
}

/* ---- the database ---- */

static inline uint64_t count_of(const char *what)
{
    char text[256];

    (void)snprintf(text, sizeof(text), "SELECT count(*) FROM %s", what);
    return strtoull(test_postgres_value(&server, text), NULL, 10);
}

static inline void set_standbys(const char *names)
{
    char text[256];

    (void)snprintf(text, sizeof(text), "ALTER SYSTEM SET synchronous_standby_names = '%s'", names);
    test_postgres_run(&server, text);
    test_postgres_run(&server, "SELECT pg_reload_conf()");
    (void)snprintf(text, sizeof(text), "SELECT current_setting('synchronous_standby_names') = '%s'", names);
    while (strcmp(test_postgres_value(&server, text), "t") != 0) nap(10);
    nap(100); /* the other processes of the server read it too */
}

/* ---- tests ---- */

static int begin(void **state)
{
    struct log_report report;

    (void)state;
    if (!has_server) return 0;
    test_postgres_run(&server, "SET client_min_messages = error; SET synchronous_commit = local;"
                               " DROP SCHEMA IF EXISTS dojima CASCADE");
    setup.url = server.admin;
    assert_int_equal(log_set_up(&setup, &report), LOG_OK);
    assert_int_equal(make(), LOG_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    close_node(&a);
    close_node(&b);
    if (has_server && RIG_STANDBYS != 0) set_standbys("ANY 1 (s1)");
    return 0;
}

static int start_server(void **state)
{
    (void)state;
    has_server = test_postgres_start(&server, RIG_STANDBYS);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    if (has_server) test_postgres_stop(&server);
    return 0;
}

#define NEEDS_SERVER()                                                                                                 \
    (void)state;                                                                                                       \
    if (!has_server) skip()
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
