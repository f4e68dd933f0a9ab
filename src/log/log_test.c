/* SPDX-License-Identifier: MIT */
/*
 * The contract of every log, by log.h alone: appended and acknowledged batches are there, once, in the same order, for
 * a reader that begins anywhere. Another log runs through all of it with a row of `places`, which says how an empty
 * place for it is made, how its place is made to fail, and whether it packs.
 */
#include "support/log_records.h"
#include "support/memory_disk.c"
#include "support/postgres.c"

#include "log/kind.h"
#include "log/setup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ROOM    (64 * 1024)
#define BATCHES 40
#define GENESIS "{\"name\":\"a log in a test\"}"

/* ---- the logs and their places ---- */

static struct memory_disk memory;

static void begin_memory(void) { memory_disk_init(&memory); }
static void end_memory(void) { memory_disk_free(&memory); }
static void stop_memory(void) { memory.fail_syncs = true; }

/* One server for all tests; each place is made anew in it. */
static struct test_postgres postgres;
static struct log_setup     setup = { .writer = "secretwriter", .reader = "secretreader" };
static bool                 has_postgres;

static void begin_postgres(void)
{
    struct log_report report;

    test_postgres_run(&postgres, "SET client_min_messages = error; DROP SCHEMA IF EXISTS dojima CASCADE");
    setup.url = postgres.admin;
    assert_int_equal(log_set_up(&setup, &report), LOG_OK);
}

static void end_postgres(void) {}

/* The commit waits for a standby that there is not, until its session is ended. */
static void stop_postgres(void)
{
    test_postgres_run(&postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = "
                                 "'dojima_writer'");
}

static struct place {
    struct log_settings settings;
    const struct disk  *folder;
    void (*begin)(void);
    void (*end)(void);
    void (*stop)(void); /* nothing becomes durable from here on */
    bool packs;         /* the part that no reader holds */
} places[] = {
    { { .kind = 0, .file_bytes = 64 * 1024 }, &memory.disk, begin_memory, end_memory, stop_memory, true },
    { { .kind = LOG_KIND_POSTGRES, .url = setup.writer_url, .node = "n1", .lease_ms = 1000 },
      NULL,
      begin_postgres,
      end_postgres,
      stop_postgres,
      false },
};

/* The logs that can be had here: the last one needs a server. */
static uint32_t places_here(void) { return ARRAY_COUNT(places) - (has_postgres ? 0 : 1); }

/* ---- one log, and its appended batches ---- */

struct opened {
    void             *memory;
    struct log       *log;
    struct log_report report;
    struct log_batch  batch;
    bool              read_only, ended;
};

static struct place   *place;
static struct opened   writer, reader;
static struct log_mark marks[BATCHES]; /* behind each batch */
static uint32_t        appended;

static uint32_t count_of(uint32_t index) { return index % 9 == 8 ? 0 : 1 + index * 5 % 40; }
static int64_t  time_of(uint32_t index) { return 1000 + index / 2; }
static uint64_t first_of(uint32_t index)
{
    uint64_t seq = 1;

    for (uint32_t i = 0; i < index; i++) seq += count_of(i);
    return seq;
}

static struct log_applied applied_of(uint32_t index)
{
    struct log_applied applied = { .number = index };

    memset(applied.hash.bytes, (int)index, sizeof(applied.hash.bytes));
    return applied;
}

static enum log_fault open_log(struct opened *opened, bool read_only)
{
    struct log_settings settings = place->settings;
    struct slice        genesis;
    enum log_fault      fault;

    settings.read_only = opened->read_only = read_only;
    opened->memory = aligned_alloc(64, align_up(log_bytes(), 64));
    opened->batch = (struct log_batch){ .at = aligned_alloc(64, ROOM), .cap = ROOM };
    assert_true(opened->memory != NULL && opened->batch.at != NULL);
    opened->log = NULL;
    opened->ended = false;
    fault = log_open(opened->memory, place->folder, &settings, &opened->log, &genesis, &opened->report);
    if (fault == LOG_OK) assert_true(slice_is(genesis, GENESIS));
    return fault;
}

static void close_log(struct opened *opened)
{
    if (opened->log != NULL) log_close(opened->log);
    free(opened->memory);
    free(opened->batch.at);
    *opened = (struct opened){ 0 };
}

/*
 * The next batch. A shared log knows of the last ones only when it leads that they are durable; then it can be appended
 * to, as a file can.
 */
static void next_batch(struct opened *opened, struct log_applied *applied, bool *end)
{
    uint64_t term;
    bool     there = false, partial;

    if (!opened->ended) {
        assert_int_equal(log_next(opened->log, &opened->batch, applied, end, &opened->report), LOG_OK);
        opened->ended = *end;
        if (!*end) return;
    }
    for (*end = !log_is_shared(opened->log) || opened->read_only; !*end && !there;) {
        assert_int_equal(log_follow(opened->log, &opened->batch, applied, &there, &partial, &opened->report), LOG_OK);
        if (!there) assert_int_equal(log_lead(opened->log, &term, end, &opened->report), LOG_OK);
    }
}

/* The batches from `from` on, then the end. */
static void read_to_end(struct opened *opened, uint32_t from)
{
    struct log_applied applied, want;
    bool               end = false;

    for (uint32_t i = from;; i++) {
        next_batch(opened, &applied, &end);
        if (end) {
            assert_int_equal(i, appended);
            return;
        }
        assert_true(i < appended);
        want = applied_of(i);
        assert_true(records_are(&opened->batch, 0, first_of(i), count_of(i), time_of(i)));
        assert_memory_equal(&applied, &want, sizeof(want));
        assert_int_equal(log_position_compare(&opened->batch.position, &marks[i].position), 0);
    }
}

static enum log_fault create(void)
{
    void             *room = aligned_alloc(64, align_up(log_bytes(), 64));
    struct log_report report;
    enum log_fault    fault;

    assert_non_null(room);
    fault = log_create(room, place->folder, &place->settings, SLICE(GENESIS), &report);
    free(room);
    return fault;
}

static void begin(uint32_t number)
{
    place = &places[number];
    appended = 0;
    place->begin();
    assert_int_equal(create(), LOG_OK);
    assert_int_equal(open_log(&writer, false), LOG_OK);
    read_to_end(&writer, 0);
}

static void end(void)
{
    close_log(&writer);
    place->end();
}

static void append(uint32_t count)
{
    for (uint32_t last = appended + count; appended < last; appended++) {
        struct log_applied applied = applied_of(appended);

        assert_int_equal(log_next_seq(writer.log), first_of(appended));
        records_fill(&writer.batch, 0, first_of(appended), count_of(appended), time_of(appended));
        log_submit(writer.log, &writer.batch, &applied);
        assert_int_equal(log_wait(writer.log), 0);
        marks[appended] = log_mark_behind(&writer.batch);
        assert_int_equal(marks[appended].next_seq, log_next_seq(writer.log));
    }
}

/* ---- what every log does ---- */

static void there_is_a_row_for_every_log(void **state)
{
    uint32_t kinds = 0;

    (void)state;
    while (log_kinds[kinds] != NULL) kinds++;
    assert_int_equal(kinds, ARRAY_COUNT(places));
    for (uint32_t i = 0; i < kinds; i++) assert_int_equal(places[i].settings.kind, i);
}

static void a_log_is_made_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        place = &places[i];
        place->begin();
        assert_int_equal(open_log(&reader, true), LOG_ABSENT);
        close_log(&reader);
        assert_int_equal(create(), LOG_OK);
        assert_int_not_equal(create(), LOG_OK);
        appended = 0;
        assert_int_equal(open_log(&reader, true), LOG_OK);
        read_to_end(&reader, 0);
        assert_int_equal(log_next_seq(reader.log), 1);
        close_log(&reader);
        place->end();
    }
}

static void what_was_appended_is_read_and_the_log_goes_on(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        begin(i);
        for (uint32_t length = 1; length <= BATCHES; length += 13) {
            struct hash256 chain;

            append(length - appended);
            chain = log_chain(writer.log);
            close_log(&writer);
            assert_int_equal(open_log(&writer, false), LOG_OK);
            read_to_end(&writer, 0);
            assert_int_equal(log_next_seq(writer.log), first_of(appended));
            assert_true(hash256_equal(&chain, &marks[appended - 1].chain));
            chain = log_chain(writer.log);
            assert_true(hash256_equal(&chain, &marks[appended - 1].chain));
        }
        end();
    }
}

static void positions_follow_one_another_and_lead_to_their_batches(void **state)
{
    static _Alignas(64) uint8_t room[ROOM];
    struct log_position         none = { { 0 } };
    struct log_batch            batch;

    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        begin(i);
        append(BATCHES);
        for (uint32_t at = 0; at < BATCHES; at++) {
            struct log_position_short small = log_position_shorten(&marks[at].position);
            struct log_position       position = log_position_lengthen(&small);

            assert_false(log_position_is_none(&position));
            if (at != 0) assert_true(log_position_compare(&marks[at - 1].position, &position) < 0);
            if (at != 0) assert_true(log_position_compare(&position, &marks[at - 1].position) > 0);
            assert_int_equal(log_read(writer.log, &position, room, sizeof(room), &batch), 0);
            assert_true(records_are(&batch, 0, first_of(at), count_of(at), time_of(at)));
            assert_int_equal(log_position_compare(&batch.position, &position), 0);
        }
        assert_int_not_equal(log_read(writer.log, &none, room, sizeof(room), &batch), 0);
        end();
    }
}

static void a_reader_goes_on_behind_a_mark(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        begin(i);
        append(BATCHES);
        close_log(&writer);
        for (uint32_t at = 0; at < BATCHES; at++) {
            struct log_mark wrong = marks[at];

            assert_int_equal(open_log(&reader, true), LOG_OK);
            assert_int_equal(log_resume(reader.log, &marks[at], &reader.batch, &reader.report), LOG_OK);
            read_to_end(&reader, at + 1);
            close_log(&reader);

            wrong.chain.bytes[at % 32] ^= 1;
            assert_int_equal(open_log(&reader, true), LOG_OK);
            assert_int_equal(log_resume(reader.log, &wrong, &reader.batch, &reader.report), LOG_DAMAGED);
            assert_true(strlen(reader.report.text) > 20);
            close_log(&reader);
        }
        end();
    }
}

static void a_reader_beside_the_writer_finds_each_batch_once(void **state)
{
    struct log_applied applied;
    bool               there, partial;

    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        begin(i);
        assert_int_equal(open_log(&reader, true), LOG_OK);
        for (uint32_t at = 0; at < BATCHES; at++) {
            assert_int_equal(log_follow(reader.log, &reader.batch, &applied, &there, &partial, &reader.report), LOG_OK);
            assert_true(!there && !partial);
            if (log_is_shared(reader.log)) log_await(reader.log, 0); /* hears what is committed from here on */
            append(1);
            for (int try = 0; try < 20 && !there; try++) {
                if (log_is_shared(reader.log)) log_await(reader.log, 1000);
                assert_int_equal(log_follow(reader.log, &reader.batch, &applied, &there, &partial, &reader.report),
                                 LOG_OK);
            }
            assert_true(there);
            assert_true(records_are(&reader.batch, 0, first_of(at), count_of(at), time_of(at)));
            assert_int_equal(applied.number, at);
        }
        close_log(&reader);
        end();
    }
}

static void a_log_that_ends_before_what_is_known_of_it_is_damaged(void **state)
{
    struct log_applied applied;
    bool               stop = false;

    (void)state;
    for (uint32_t i = 0; i < places_here(); i++)
        for (uint32_t more = 0; more < 2; more++) {
            enum log_fault fault = LOG_OK;

            begin(i);
            append(BATCHES);
            close_log(&writer);
            assert_int_equal(open_log(&writer, false), LOG_OK);
            log_knows(writer.log, first_of(BATCHES) - 1 + more, "the history");
            while (fault == LOG_OK && !stop)
                fault = log_next(writer.log, &writer.batch, &applied, &stop, &writer.report);
            assert_int_equal(fault, more == 0 ? LOG_OK : LOG_DAMAGED);
            stop = false;
            end();
        }
}

static void a_batch_that_is_not_durable_is_the_last_one(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        struct log_applied applied = { 0 };
        int                error;

        begin(i);
        append(3);
        place->stop();
        for (int attempt = 0; attempt < 3; attempt++) {
            records_fill(&writer.batch, 0, first_of(3), count_of(3), time_of(3));
            error = log_append(writer.log, &writer.batch, &applied);
            assert_int_not_equal(error, 0);
            assert_int_equal(error, log_append(writer.log, &writer.batch, &applied));
            assert_int_equal(log_next_seq(writer.log), first_of(3));
        }
        end();
    }
}

/* Packs all that may be packed; how many parts that were. */
static uint32_t pack_all(void)
{
    for (uint32_t parts = 0;; parts++) {
        struct log_packed packed;

        assert_int_equal(log_pack(writer.log, &packed), 0);
        if (packed.name[0] == '\0') return parts;
        assert_true(packed.bytes != 0);
    }
}

static void only_what_no_reader_holds_is_packed_and_it_reads_as_before(void **state)
{
    static _Alignas(64) uint8_t room[ROOM];
    struct log_batch            batch;

    (void)state;
    for (uint32_t i = 0; i < places_here(); i++) {
        uint32_t first, middle, last, parts, packed;
        char     name[LOG_PART_NAME];

        begin(i);
        append(BATCHES);
        first = log_hold(writer.log, &marks[0].position);
        middle = log_hold(writer.log, &marks[BATCHES / 2].position);
        last = log_hold(writer.log, &marks[BATCHES - 1].position);
        assert_true(first != middle && middle != last && first != last);
        assert_int_equal(pack_all(), 0);
        log_release(writer.log, last); /* the earliest one counts */
        assert_int_equal(pack_all(), 0);
        log_release(writer.log, first);
        parts = pack_all();
        assert_true((parts != 0) == place->packs);
        assert_int_equal(pack_all(), 0);
        first = log_hold(writer.log, &marks[BATCHES - 1].position);
        log_release(writer.log, middle);
        assert_true((pack_all() != 0) == place->packs);
        log_release(writer.log, first);
        for (uint32_t at = 0; at < BATCHES; at++)
            assert_int_equal(log_read(writer.log, &marks[at].position, room, sizeof(room), &batch), 0);
        assert_int_equal(log_check(writer.log, &packed, name), 0);
        assert_true((packed > parts) == place->packs);
        close_log(&writer);
        assert_int_equal(open_log(&writer, false), LOG_OK);
        read_to_end(&writer, 0);
        end();
    }
}

/* ---- positions ---- */

static void a_position_has_the_bytes_that_are_on_disk(void **state)
{
    static const uint8_t      bytes[16] = { 4, 3, 2, 1, 0, 0, 0, 0, 0x80, 0x70, 0x60, 0x50, 0x40, 0x30, 0x20, 0x10 };
    static const uint8_t      kept[12] = { 0x80, 0x70, 0x60, 0x50, 0x40, 0x30, 0x20, 0x10, 4, 3, 2, 1 };
    struct log_position       position = log_position_make(0x01020304, UINT64_C(0x1020304050607080));
    struct log_position_short small = log_position_shorten(&position);
    struct log_position       none = { { 0 } };

    (void)state;
    assert_memory_equal(position.bytes, bytes, sizeof(bytes));
    assert_memory_equal(small.bytes, kept, sizeof(kept));
    position = log_position_lengthen(&small);
    assert_memory_equal(position.bytes, bytes, sizeof(bytes));
    assert_true(log_position_is_none(&none) && !log_position_is_none(&position));
    assert_true(log_position_compare(&none, &position) < 0);
}

static int start_server(void **state)
{
    (void)state;
    has_postgres = test_postgres_start(&postgres, 0);
    return 0;
}

static int stop_server(void **state)
{
    (void)state;
    if (has_postgres) test_postgres_stop(&postgres);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_a_row_for_every_log),
        cmocka_unit_test(a_log_is_made_once),
        cmocka_unit_test(what_was_appended_is_read_and_the_log_goes_on),
        cmocka_unit_test(positions_follow_one_another_and_lead_to_their_batches),
        cmocka_unit_test(a_reader_goes_on_behind_a_mark),
        cmocka_unit_test(a_reader_beside_the_writer_finds_each_batch_once),
        cmocka_unit_test(a_log_that_ends_before_what_is_known_of_it_is_damaged),
        cmocka_unit_test(a_batch_that_is_not_durable_is_the_last_one),
        cmocka_unit_test(only_what_no_reader_holds_is_packed_and_it_reads_as_before),
        cmocka_unit_test(a_position_has_the_bytes_that_are_on_disk),
    };

    return cmocka_run_group_tests(tests, start_server, stop_server);
}
