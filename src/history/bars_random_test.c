/* SPDX-License-Identifier: MIT */
/*
 * bars_random_test.c — bars of random trades and jumps, with the writer at random moments, after closes, after kills
 * and with concurrent readers.
 */
#include "rigs/history/bars_rig.h"

static int64_t some_jump(void)
{
    switch (random_below(40)) {
    case 0: return (int64_t)random_below(40 * (uint64_t)DAY);
    case 1: return (int64_t)random_below(2 * (uint64_t)DAY);
    case 2: return MINUTE - now_ms % MINUTE - 1; /* to a minute's last millisecond */
    case 3: return DAY - now_ms % DAY;           /* to midnight */
    case 4: return 0;
    default: return (int64_t)random_below(4 * (uint64_t)MINUTE);
    }
}

static void some_trade(void)
{
    uint8_t market = random_below(5) == 0 ? MARKET_PERPS : MARKET_SPOT;
    int64_t value = 1 + (int64_t)random_below(1000000), quantity = 1 + (int64_t)random_below(5000),
            price = 1000 + (int64_t)random_below(2000);

    trade(market, market == MARKET_SPOT && random_below(8) == 0 ? 3 : 1, price, quantity, value);
}

static void some_batch(void)
{
    for (uint64_t n = 1 + random_below(3); n > 0; n--) some_trade();
    apply();
    if (history_is_full(history)) write_all();
}

static void bars_are_those_of_the_trades_while_rows_move_to_the_disk(void **state)
{
    (void)state;
    for (int round = 0; round < 12; round++) {
        for (int batch = 0; batch < 400; batch++) {
            now_ms += some_jump();
            some_batch();
            if (random_below(50) == 0) write_all();
        }
        expect_all(round % 4 == 3 ? 6 : 1);
        if (round % 3 == 2) {
            history_close(history);
            open_it();
            expect_all(1);
        }
    }
}

/* A child folds, writes at random moments and ends; the next process replays and has every trade once. */
static void a_kill_loses_nothing_and_counts_nothing_twice(void **state)
{
    int ahead = 0;

    (void)state;
    history_close(history);
    early_writes = 3; /* then bars on disk are ahead of the other rows */
    for (int round = 0; round < 12; round++) {
        uint32_t grown = (uint32_t)random_below(120);
        uint64_t seed = random_state;
        int      status = 0;
        pid_t    child = fork();
        if (child == 0) {
            open_it();
            replay();
            for (uint32_t batch = 0; batch < grown; batch++) {
                uint32_t left;
                now_ms += some_jump();
                some_batch();
                if (random_below(10) == 0 && history_write(history, &left) < 0) _exit(1);
            }
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        random_state = seed; /* the same trades again, as a log would have them */
        for (uint32_t batch = 0; batch < grown; batch++) {
            now_ms += some_jump();
            for (uint64_t n = 1 + random_below(3); n > 0; n--) some_trade();
            events.len = 0;
            (void)random_below(10);
        }
        open_it();
        assert_null(history_thrown_away(history));
        if (history_knows(history) > history_seq(history)) ahead++;
        replay();
        expect_all(1);
        history_close(history);
    }
    early_writes = 0;
    assert_true(ahead > 2);
    open_it();
}

static void a_store_that_is_gone_comes_back_from_the_replay(void **state)
{
    char name[128];

    (void)state;
    for (int batch = 0; batch < 3000; batch++) {
        now_ms += some_jump();
        some_batch();
    }
    history_close(history);
    snprintf(name, sizeof(name), "%s/data.mdb", path);
    assert_int_equal(unlink(name), 0);
    open_it();
    assert_non_null(history_thrown_away(history));
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 1), 0);
    replay();
    expect_all(2);
}

static size_t copy_file(const char *from, const char *name, uint8_t *bytes, size_t cap, bool back)
{
    char   file[160];
    size_t len;

    snprintf(file, sizeof(file), "%s/%s", from, name);
    FILE *stream = fopen(file, back ? "wb" : "rb");
    assert_non_null(stream);
    len = back ? fwrite(bytes, 1, cap, stream) : fread(bytes, 1, cap, stream);
    assert_int_equal(fclose(stream), 0);
    return len;
}

/*
 * The store of a killed process with one byte changed: the next process has every bar right, from the store or from
 * the log.
 */
static void a_changed_byte_makes_no_wrong_bar(void **state)
{
    static uint8_t data[8 << 20], data_file[8 << 20], state_file[256];
    size_t         data_len, state_len;

    (void)state;
    for (int batch = 0; batch < 400; batch++) {
        now_ms += some_jump();
        some_batch();
        if (random_below(40) == 0) write_all();
    }
    write_all();
    data_len = copy_file(path, "data.mdb", data, sizeof(data), false);
    state_len = copy_file(path, "state", state_file, sizeof(state_file), false);
    history_close(history);
    history = NULL;
    for (size_t page = 0; page * 4096 < data_len; page += 1 + random_below(3)) {
        int status = 0;
        memcpy(data_file, data, data_len);
        uint8_t mask = (uint8_t)(1 + random_below(255));
        data_file[page * 4096 + random_below(random_below(2) == 0 ? 16 : 4096)] ^= mask;
        (void)copy_file(path, "data.mdb", data_file, data_len, true);
        (void)copy_file(path, "state", state_file, state_len, true);
        pid_t child = fork();
        if (child == 0) {
            open_it();
            replay();
            expect_all(0);
            write_all();
            expect_all(0);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) fail_msg("a byte of page %zu: status %d", page, status);
    }
    open_it();
}

static void after_a_start_a_bar_of_last_year_is_read_without_its_trades(void **state)
{
    int64_t  first = now_ms, index;
    uint32_t trades_then;

    (void)state;
    for (int i = 0; i < 2500; i++) trade_at(first + i * MINUTE, 1000 + i, 1);
    trade_at(first + 366 * DAY, 5000, 9);
    trades_then = trade_count;
    history_close(history);
    open_it();
    assert_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), trades_then);
    assert_int_equal(history_knows(history), trades_then);
    for (enum interval i = 0; i < INTERVALS; i++) {
        index = interval_index(i, first);
        expect_bars(MARKET_SPOT, 1, i, index, index + 1499);
        expect_bars(MARKET_SPOT, 1, i, index + 700, index + 2100);
    }
    trade_at(first + 366 * DAY + 1, 4000, 1); /* into the same open minute, on top of the loaded trades */
    expect_all(3);
}

/* The disk hangs: the history asks for shedding long before a bar would be lost, which bounds memory. */
static void minutes_that_are_not_written_ask_for_shedding(void **state)
{
    int64_t first = now_ms;
    int     minute = 0;

    (void)state;
    for (; !history_is_full(history); minute++) trade_at(first + minute * MINUTE, 1000, 1);
    assert_in_range(minute, 200, 300);
    for (int more = 0; more < 40; more++) {
        now_ms = first + (minute + more) * MINUTE;
        trade(MARKET_SPOT, 1, 1000, 1, 1000);
        apply();
    }
    assert_true(history_is_full(history));
    write_all();
    assert_false(history_is_full(history));
    expect_all(2);
}

/* ---- threads ---- */

static _Atomic int done;

static void *write_on(void *unused)
{
    uint32_t left;

    (void)unused;
    while (atomic_load(&done) == 0)
        if (history_write(history, &left) < 0) return history;
    return NULL;
}

/* Bars of a day from memory and disk contain every trade once, at any moment of the writer. */
static void *read_on(void *unused)
{
    static struct bar days[HISTORY_BARS_MAX];
    struct bar        before;
    int64_t           first_ms;

    (void)unused;
    while (atomic_load(&done) == 0) {
        uint64_t least = history_bars_version(history, MARKET_SPOT, 1), most, sum = 0;
        if (!history_first_trade(history, MARKET_SPOT, 1, &first_ms)) continue;
        for (enum interval i = INTERVAL_1M; i <= INTERVAL_5M; i++) {
            struct history_bars_query query = { MARKET_SPOT, i, 1, 0, 0 };
            int64_t                   first = interval_index(i, first_ms);
            for (sum = 0;; first += HISTORY_BARS_MAX) { /* pages from the first trade on */
                query.first = first;
                query.last = first + HISTORY_BARS_MAX - 1;
                int count = history_bars(history, &query, days, &before);
                if (count < 0) return days;
                if (count == 0) break;
                for (int b = 0; b < count; b++) {
                    sum += days[b].trades;
                    if (days[b].low > days[b].open || days[b].high < days[b].close
                        || (b > 0 && days[b].start_ms <= days[b - 1].start_ms))
                        return days;
                }
            }
            most = history_bars_version(history, MARKET_SPOT, 1);
            if (sum < least || sum > most) return days;
        }
        struct bar window;
        if (!history_window(history, MARKET_SPOT, 1, first_ms, &window) || window.trades < least) return days;
    }
    return NULL;
}

static void reads_see_every_trade_once_while_bars_move_to_the_disk(void **state)
{
    pthread_t writer, reader;
    void     *wrong;

    (void)state;
    atomic_store(&done, 0);
    trade_at(now_ms, 1000, 1);
    assert_int_equal(pthread_create(&writer, NULL, write_on, NULL), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_on, NULL), 0);
    for (int i = 0; i < 9000; i++) {
        while (history_is_full(history)) usleep(10);
        now_ms += (int64_t)random_below(2 * (uint64_t)MINUTE);
        trade(MARKET_SPOT, 1, 1000 + (int64_t)random_below(50), 1, 1000);
        apply();
    }
    atomic_store(&done, 1);
    assert_int_equal(pthread_join(writer, &wrong), 0);
    assert_null(wrong);
    assert_int_equal(pthread_join(reader, &wrong), 0);
    assert_null(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bars_are_those_of_the_trades_while_rows_move_to_the_disk),
        TEST(a_kill_loses_nothing_and_counts_nothing_twice),
        TEST(a_store_that_is_gone_comes_back_from_the_replay),
        TEST(a_changed_byte_makes_no_wrong_bar),
        TEST(after_a_start_a_bar_of_last_year_is_read_without_its_trades),
        TEST(minutes_that_are_not_written_ask_for_shedding),
        TEST(reads_see_every_trade_once_while_bars_move_to_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
