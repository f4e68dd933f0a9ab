/* SPDX-License-Identifier: MIT */
/*
 * Random flow writes a log. A reader of all of it, and one that loads a snapshot at any place and reads the rest, end
 * in the same state as the generator: engine, blocks and every read of the views. Files that do not belong together
 * are refused.
 */
#include "diagnostics/program_log.h"
#include "rigs/pipeline/random_flow_log.h"
#include "pipeline/restore.h"
#include "app/cli/commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define LENGTH 3000
#define ORDERS 64

/* A log in a folder, and the final state of its generator. */
struct run {
    char               folder[256];
    struct flow_result flow_result;
};

static const struct log_settings writing = { .file_bytes = 1 << 20 },
                                 reading = { .file_bytes = 1 << 20, .read_only = true };

/* ---- living it ---- */

static struct run *make_run(uint64_t seed, bool spot)
{
    struct run *run = calloc(1, sizeof(*run));

    assert_int_equal(files_make_temporary(run->folder, sizeof(run->folder)), 0);
    flow_log_write(run->folder,
                   &(struct random_flow){ .seed = seed,
                                          .commands = LENGTH,
                                          .users = 8,
                                          .each = INT64_C(100000000000),
                                          .fund = INT64_C(1000000000),
                                          .jumps = 20,
                                          .gap = 1200,
                                          .spot = spot,
                                          .modes = 70 },
                   &writing, 20, &run->flow_result);
    return run;
}

static void end_run(struct run *run)
{
    files_remove_tree(run->folder);
    free(run);
}

/* ---- reading it ---- */

static struct reader *open_reader(const struct run *run, const struct log_settings *options)
{
    struct reader *reader = calloc(1, sizeof(*reader));

    assert_int_equal(
        replay_open(&reader->replay, run->folder, options->read_only ? DISK_BESIDE : DISK_WRITE, options, NULL), 0);
    assert_int_equal(replay_genesis(&reader->replay, &reader->genesis), 0);
    assert_true(exchange_take(&reader->exchange, &reader->genesis, true, false));
    return reader;
}

static void close_reader(struct reader *reader)
{
    exchange_close(&reader->exchange);
    replay_close(&reader->replay);
    free(reader);
}

/* Its first `batches`, and a snapshot of their state at a position. Its facts. */
static struct snapshot_header take_snapshot(const struct run *run, uint64_t batches, uint32_t place)
{
    struct reader         *reader = open_reader(run, &reading);
    struct replay         *replay = &reader->replay;
    struct snapshot_header facts;

    exchange_begin(&reader->exchange, replay->genesis_json);
    for (uint64_t i = 0; i < batches; i++) {
        struct log_applied claim;
        bool               end;

        assert_int_equal(log_next(replay->log, &replay->batch, &claim, &end, &replay->report), LOG_OK);
        assert_false(end);
        assert_int_equal(replay_agree(replay, &reader->exchange, &claim), EXIT_FINE);
        exchange_run(&reader->exchange, &replay->batch, NULL);
    }
    struct log_mark mark = log_mark_behind(&replay->batch);
    assert_int_equal(restore_write(replay, &reader->exchange, &mark, &facts), 0);
    assert_int_equal(replay->disk.rename(replay->disk.self, SNAPSHOT_TEMPORARY, snapshot_name(place)), 0);
    close_reader(reader);
    return facts;
}

/* Restores as the start does. `code` is the result of the restore; then the rest is read. */
static struct reader *start(const struct run *run, uint64_t history_seq, int code, struct log_mark *mark)
{
    struct reader *reader = open_reader(run, &writing);

    assert_int_equal(restore_newest(&reader->replay, &reader->exchange, history_seq, mark), code);
    if (code != EXIT_FINE) return reader;
    assert_int_equal(replay_run(&reader->replay, &reader->exchange, NULL, NULL), EXIT_FINE);
    engine_verify(reader->exchange.engine);
    return reader;
}

/* The insurance fund with its days, and the inputs of index and mark of each symbol. Returns the number of days. */
static uint32_t add_fund(const struct views *views, struct keccak *keccak)
{
    static struct view_fund fund;

    views_fund(views, &fund);
    keccak_add(keccak, &fund.balance, sizeof(fund.balance));
    keccak_add(keccak, &fund.insolvent, sizeof(fund.insolvent));
    keccak_add(keccak, fund.rows, sizeof(fund.rows));
    keccak_add(keccak, fund.days, fund.day_count * sizeof(fund.days[0]));
    for (uint32_t symbol = 1; symbol <= views_symbol_count(views, MARKET_PERPS); symbol++) {
        struct index_composed composed = views_composition(views, symbol);
        keccak_add(keccak, &composed, sizeof(composed));
    }
    return fund.day_count;
}

/* Every read of the views, for an account or without one. */
static struct hash256 read_everything(const struct reader *reader)
{
    const struct views *views = reader->exchange.views;
    struct keccak       keccak;

    keccak_init(&keccak);
    assert_true(add_fund(views, &keccak) > 0);
    for (uint64_t id = 0; id < ACCOUNT_FIRST + 20; id++) {
        struct view_account        account = { 0 };
        struct view_margin         margin = { 0 };
        struct view_balance        balances[COINS_MAX] = { 0 };
        struct order_changed       orders[ORDERS] = { 0 };
        struct perps_order_changed perps[ORDERS] = { 0 };
        struct view_block          block;
        uint32_t                   balance_count = 0;

        if (!views_account(views, id, &account)) continue;
        keccak_add(&keccak, &account, sizeof(account));
        uint32_t counts[] = { views_margin(views, &account, &margin, perps, ORDERS),
                              views_state(views, MARKET_SPOT, id, &block, balances, &balance_count, orders, ORDERS) };
        keccak_add(&keccak, counts, sizeof(counts));
        keccak_add(&keccak, perps, sizeof(perps));
        keccak_add(&keccak, orders, sizeof(orders));
        for (uint32_t i = 0; i < margin.position_count; i++)
            keccak_add(&keccak, &margin.positions[i], sizeof(margin.positions[i]));
        for (uint32_t i = 0; i < balance_count; i++) keccak_add(&keccak, &balances[i], sizeof(balances[i]));
        keccak_add(&keccak, &margin.wallet, sizeof(margin.wallet));
    }
    for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++)
        for (uint32_t symbol = 1; symbol <= views_symbol_count(views, market); symbol++) {
            static struct view_level bids[500], asks[500];
            static struct traded     trades[VIEW_TRADES_MAX];
            struct view_book         book = { 0 };
            int64_t                  last = views_last_price(views, market, symbol);

            views_book(views, market, symbol, 500, bids, asks, &book);
            keccak_add(&keccak, &book, sizeof(book));
            keccak_add(&keccak, bids, book.bid_count * sizeof(bids[0]));
            keccak_add(&keccak, asks, book.ask_count * sizeof(asks[0]));
            keccak_add(&keccak, trades,
                       views_trades(views, market, symbol, VIEW_TRADES_MAX, trades) * sizeof(trades[0]));
            keccak_add(&keccak, &last, sizeof(last));
            uint8_t is[] = { views_symbol_status(views, market, symbol), views_mode(views) };
            keccak_add(&keccak, is, sizeof(is));
            if (market != MARKET_PERPS) continue;
            struct price_changed price = views_price(views, symbol);
            keccak_add(&keccak, &price, sizeof(price));
            struct phase_changed phase = views_phase(views, symbol);
            keccak_add(&keccak, &phase, sizeof(phase));
        }
    return keccak_end(&keccak);
}

static bool same(const struct hash256 a, const struct hash256 b) { return hash256_equal(&a, &b); }

/* ---- one state ---- */

static void check_cuts(uint64_t seed, bool spot)
{
    struct run     *run = make_run(seed, spot);
    struct log_mark mark;
    struct reader  *full = start(run, UINT64_MAX, EXIT_FINE, &mark);
    struct hash256  everything = read_everything(full);

    assert_true(log_position_is_none(&mark.position));
    assert_int_equal(engine_seq(full->exchange.engine), run->flow_result.seq);
    assert_true(same(engine_hash(full->exchange.engine), run->flow_result.state));
    assert_true(engine_counts(full->exchange.engine).open_orders > 10);
    struct log_applied applied = full->exchange.blocks.applied;
    int64_t            time_ms = atomic_load(&full->exchange.time_ms);
    uint64_t           transactions = full->exchange.blocks.transactions;
    close_reader(full);
    for (int i = 0; i < 6; i++) {
        uint64_t               at = i == 0 ? 1
                                  : i == 1 ? run->flow_result.batches
                                           : 1 + random_below((uint32_t)run->flow_result.batches);
        struct snapshot_header facts = take_snapshot(run, at, (uint32_t)i % SNAPSHOT_PLACES);
        char                   other[512];

        (void)snprintf(other, sizeof(other), "%s/%s", run->folder, snapshot_name((uint32_t)(i + 1) % SNAPSHOT_PLACES));
        (void)remove(other);
        struct reader *reader = start(run, UINT64_MAX, EXIT_FINE, &mark);
        assert_int_equal(mark.next_seq, facts.seq + 1);
        assert_int_equal(reader->replay.report.batches, run->flow_result.batches - at);
        assert_int_equal(engine_seq(reader->exchange.engine), run->flow_result.seq);
        assert_true(same(engine_hash(reader->exchange.engine), run->flow_result.state));
        assert_true(same(read_everything(reader), everything));
        assert_memory_equal(&reader->exchange.blocks.applied, &applied, sizeof(applied));
        assert_int_equal(reader->exchange.blocks.transactions, transactions);
        assert_int_equal(atomic_load(&reader->exchange.time_ms), time_ms);
        close_reader(reader);
    }
    end_run(run);
}

static void a_crowd_on_both_sides_ends_in_one_state(void **state)
{
    (void)state;
    check_cuts(11, true);
}

static void a_crowd_on_perps_ends_in_one_state(void **state)
{
    (void)state;
    check_cuts(12, false);
}

/* ---- which one ---- */

static void flip(const struct run *run, uint32_t place, long at)
{
    char  path[512];
    FILE *file;
    int   byte;

    (void)snprintf(path, sizeof(path), "%s/%s", run->folder, snapshot_name(place));
    file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    byte = fgetc(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    assert_true(fputc(byte ^ 1, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

static void expect_from(const struct run *run, uint64_t history_seq, uint64_t next_seq)
{
    struct log_mark mark;
    struct reader  *reader = start(run, history_seq, EXIT_FINE, &mark);

    assert_int_equal(mark.next_seq, next_seq);
    assert_true(same(engine_hash(reader->exchange.engine), run->flow_result.state));
    close_reader(reader);
}

static void the_newest_that_is_good_and_that_the_history_reaches_is_taken(void **state)
{
    struct run            *run = make_run(13, true);
    struct snapshot_header older = take_snapshot(run, run->flow_result.batches / 3, 1),
                           newer = take_snapshot(run, run->flow_result.batches / 2, 0);

    (void)state;
    expect_from(run, UINT64_MAX, newer.seq + 1);
    expect_from(run, newer.seq, newer.seq + 1);
    expect_from(run, newer.seq - 1, older.seq + 1);
    expect_from(run, older.seq, older.seq + 1);
    expect_from(run, older.seq - 1, 0);
    flip(run, 0, -20);
    expect_from(run, UINT64_MAX, older.seq + 1);
    flip(run, 0, -20);
    flip(run, 0, 300);
    expect_from(run, UINT64_MAX, older.seq + 1);
    flip(run, 1, 5000);
    expect_from(run, UINT64_MAX, 0);
    flip(run, 0, 300);
    expect_from(run, UINT64_MAX, newer.seq + 1);
    end_run(run);
}

/* Rewrites the header of a snapshot with a good hash. */
static void forge(const struct run *run, uint32_t place, const struct snapshot_header *facts)
{
    struct snapshot_header forged = *facts;
    char                   path[512];
    FILE                  *file;

    (void)snprintf(path, sizeof(path), "%s/%s", run->folder, snapshot_name(place));
    forged.hash = keccak256(&forged, offsetof(struct snapshot_header, hash));
    file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fwrite(&forged, sizeof(forged), 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

static void refused(const struct run *run)
{
    struct log_mark mark;

    close_reader(start(run, UINT64_MAX, EXIT_DAMAGE, &mark));
}

/* An undamaged snapshot with false contents: no older one is used instead, an operator must look. */
static void a_whole_snapshot_that_contradicts_itself_or_the_log_is_refused(void **state)
{
    struct run            *run = make_run(14, true);
    struct snapshot_header good = take_snapshot(run, run->flow_result.batches / 2, 0);

    (void)state;
    for (int lie = 0; lie < 8; lie++) {
        struct snapshot_header facts = good;
        switch (lie) {
        case 0: facts.state_hash.bytes[7] ^= 1; break;
        case 1: facts.seq += 1; break;
        case 2: facts.block_hash.bytes[0] ^= 1; break;
        case 3: facts.chain.bytes[0] ^= 1; break;
        case 4:
            facts.position =
                log_position_make(log_position_first(&good.position), log_position_second(&good.position) + 4096);
            break;
        case 5:
            facts.position =
                log_position_make(log_position_first(&good.position) + 50, log_position_second(&good.position));
            break;
        case 6: facts.instance.bytes[3] ^= 1; break;
        default: facts.time_ms += 1; break;
        }
        forge(run, 0, &facts);
        refused(run);
    }
    forge(run, 0, &good);
    expect_from(run, UINT64_MAX, good.seq + 1);
    end_run(run);
}

static void a_snapshot_of_another_build_is_passed_over(void **state)
{
    struct run            *run = make_run(15, false);
    struct snapshot_header older = take_snapshot(run, 5, 1), newer = take_snapshot(run, 9, 0);

    (void)state;
    newer.layout.bytes[0] ^= 1;
    forge(run, 0, &newer);
    expect_from(run, UINT64_MAX, older.seq + 1);
    newer.layout.bytes[0] ^= 1;
    newer.engine += 1;
    forge(run, 0, &newer);
    expect_from(run, UINT64_MAX, older.seq + 1);
    newer.engine -= 1;
    newer.format += 1;
    forge(run, 0, &newer);
    expect_from(run, UINT64_MAX, older.seq + 1);
    end_run(run);
}

static void a_snapshot_beside_a_log_that_lost_its_end_is_refused(void **state)
{
    struct run *run = make_run(16, true), *shorter = make_run(17, true);
    char        from[512], to[512];

    (void)state;
    (void)take_snapshot(run, run->flow_result.batches, 0);
    for (int i = 1; i <= 2; i++) { /* the log of a shorter life of the same exchange */
        (void)snprintf(from, sizeof(from), "%s/journal-%08d.log", shorter->folder, i);
        (void)snprintf(to, sizeof(to), "%s/journal-%08d.log", run->folder, i);
        (void)rename(from, to);
    }
    refused(run);
    end_run(run);
    end_run(shorter);
}

/* ---- dojima shadow ---- */

static int shadow(const struct run *run, bool archive)
{
    char *words[] = { (char *)(uintptr_t) "shadow", (char *)(uintptr_t) "--once", (char *)(uintptr_t)run->folder,
                      archive ? (char *)(uintptr_t) "--archive" : NULL, NULL };

    return command_shadow(archive ? 4 : 3, words);
}

/* No later batch proves the last one: it is left to the next snapshot. */
static void a_shadow_takes_a_snapshot_of_all_that_is_proved(void **state)
{
    struct run     *run = make_run(18, true);
    struct log_mark mark;

    (void)state;
    assert_int_equal(shadow(run, false), EXIT_FINE);
    struct reader *reader = start(run, UINT64_MAX, EXIT_FINE, &mark);
    assert_int_equal(reader->replay.report.batches, 1);
    assert_true(same(engine_hash(reader->exchange.engine), run->flow_result.state));
    close_reader(reader);
    assert_int_equal(shadow(run, false), EXIT_FINE); /* nothing has happened since: it leaves it at that */
    end_run(run);
}

/* A header in the log names a block that the replay does not make: planted, with every checksum right. */
static void a_shadow_notices_a_log_that_says_something_else(void **state)
{
    struct run    *run = make_run(19, true);
    struct reader *reader = open_reader(run, &writing);
    uint8_t       *memory = aligned_alloc(4096, 1 << 20);

    (void)state;
    exchange_begin(&reader->exchange, reader->replay.genesis_json);
    assert_int_equal(replay_run(&reader->replay, &reader->exchange, NULL, NULL), EXIT_FINE);
    for (int lie = 0; lie < 2; lie++) {
        struct log_batch   batch = { .at = memory, .cap = 1 << 20 };
        struct log_applied applied = reader->exchange.blocks.applied;

        if (lie == 0) applied.hash.bytes[9] ^= 1;
        log_batch_begin(&batch, log_next_seq(reader->replay.log), atomic_load(&reader->exchange.time_ms));
        assert_int_equal(log_append(reader->replay.log, &batch, &applied), 0);
    }
    close_reader(reader);
    free(memory);
    assert_int_equal(shadow(run, false), EXIT_DAMAGE);
    end_run(run);
}

static bool is_there(const struct run *run, const char *name)
{
    char  path[512];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", run->folder, name);
    file = fopen(path, "rb");
    if (file != NULL) (void)fclose(file);
    return file != NULL;
}

static void segments_behind_both_snapshots_are_archived_and_read_as_before(void **state)
{
    struct run            *run = make_run(20, true);
    struct snapshot_header older = take_snapshot(run, run->flow_result.batches - 5, 1);
    struct log_mark        mark;

    (void)state;
    assert_true(log_position_first(&older.position) >= 2);
    assert_int_equal(shadow(run, true), EXIT_FINE);
    assert_false(is_there(run, "journal-00000001.log"));
    assert_true(is_there(run, "journal-00000001.log.zst"));
    struct reader *reader = start(run, UINT64_MAX, EXIT_FINE, &mark);
    assert_true(same(engine_hash(reader->exchange.engine), run->flow_result.state));
    close_reader(reader);
    char *words[] = { (char *)(uintptr_t) "verify", (char *)(uintptr_t)run->folder, NULL };
    assert_int_equal(command_verify(2, words), EXIT_FINE);
    flip(run, 0, -20);
    flip(run, 1, -20);
    expect_from(run, UINT64_MAX, 0); /* the whole log, the archived part too */
    end_run(run);
}

/* Printing continues to the end of the log, and reports when the log ends in the middle of a batch. */
static void a_log_is_printed_to_its_end_and_damage_is_told(void **state)
{
    struct run *run = make_run(21, true);
    char       *words[] = { (char *)(uintptr_t) "log", (char *)(uintptr_t) "--from", (char *)(uintptr_t) "2999",
                            (char *)(uintptr_t)run->folder, NULL };
    char        path[512];
    FILE       *file;

    (void)state;
    assert_int_equal(command_log(4, words), EXIT_FINE);
    (void)snprintf(path, sizeof(path), "%s/journal-00000001.log", run->folder);
    file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 500000, SEEK_SET), 0);
    assert_int_equal(fwrite(path, 64, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(command_log(4, words), EXIT_DAMAGE);
    end_run(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_on_both_sides_ends_in_one_state),
        cmocka_unit_test(a_crowd_on_perps_ends_in_one_state),
        cmocka_unit_test(the_newest_that_is_good_and_that_the_history_reaches_is_taken),
        cmocka_unit_test(a_whole_snapshot_that_contradicts_itself_or_the_log_is_refused),
        cmocka_unit_test(a_snapshot_of_another_build_is_passed_over),
        cmocka_unit_test(a_snapshot_beside_a_log_that_lost_its_end_is_refused),
        cmocka_unit_test(a_shadow_takes_a_snapshot_of_all_that_is_proved),
        cmocka_unit_test(a_shadow_notices_a_log_that_says_something_else),
        cmocka_unit_test(segments_behind_both_snapshots_are_archived_and_read_as_before),
        cmocka_unit_test(a_log_is_printed_to_its_end_and_damage_is_told),
    };
    return cmocka_run_group_tests_name("restore", tests, NULL, NULL);
}
