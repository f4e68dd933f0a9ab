/* SPDX-License-Identifier: MIT */
/*
 * Bars against a list of trades that is walked from its beginning for every question, over random trades and
 * jumps, with the writer at random moments, after closes and after kills. Its calendar is libc's.
 */
#include "history/bars.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define TRADES_MAX 40000
#define MINUTE     INT64_C(60000)
#define DAY        INT64_C(86400000)

struct told { struct traded trade; uint64_t seq; };

static char                 path[96];
static struct history      *history;
static const struct hash256 instance = { { 4, 5, 6 } };
static struct told         *trades;                 /* all, in order of the log; shared with children */
static uint32_t             trade_count;
static uint64_t             next_seq;
static int64_t              now_ms;
static uint64_t             dice;
static struct bar           got[HISTORY_BARS_MAX];

static uint64_t roll(uint64_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return dice % n;
}

static void open_it(void) { assert_int_equal(history_open(path, &instance, SLICE("boot one"), &history), 0); }

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "%s/dojima-bars-XXXXXX", P_tmpdir);
    if (mkdtemp(path) == NULL) return -1;
    if (trades == NULL)
        trades = mmap(NULL, TRADES_MAX * sizeof(*trades), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    trade_count = 0;
    next_seq = 1;
    now_ms = INT64_C(1790000000000);
    dice = 88172645463325252u;
    open_it();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (history != NULL) history_close(history);
    history = NULL;
    DIR *folder = opendir(path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL; ) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    return rmdir(path);
}

/* ---- making trades ---- */

static uint8_t       event_bytes[1 << 16];
static struct events events = { event_bytes, 0, sizeof(event_bytes) };

static void tell(const struct told *told)
{
    struct filled *fill;

    *EVENT_ADD(&events, TRADE, traded, told->trade.head.market) = told->trade;
    for (int side = 0; side < 2; side++) {
        fill = EVENT_ADD(&events, FILL, filled, told->trade.head.market);
        fill->trade_id = told->trade.trade_id;
        fill->order_id = told->trade.trade_id * 2 + (uint64_t)side;
        fill->account_id = 1001;
        fill->symbol_id = told->trade.symbol_id;
        fill->time_ms = told->trade.time_ms;
    }
}

static void began(uint64_t seq)
{
    struct command_began *event = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    event->seq = seq;
}

/* One command with one trade, now. */
static void trade(uint8_t market, uint32_t symbol_id, int64_t price, int64_t quantity, int64_t value)
{
    struct told *told = &trades[trade_count];

    assert_true(trade_count < TRADES_MAX);
    *told = (struct told){ .seq = next_seq++ };
    told->trade = (struct traded){ .head = { .kind = EVENT_TRADE, .bytes = sizeof(struct traded), .market = market },
        .trade_id = ++trade_count, .symbol_id = symbol_id, .price = price, .quantity = quantity, .value = value, .time_ms = now_ms };
    began(told->seq);
    tell(told);
}

static uint64_t early_writes;       /* not 0: the writer comes before a batch is whole, once in so many batches */

static void apply(void)
{
    uint32_t left;

    history_apply(history, &events);
    if (early_writes != 0 && next_seq % early_writes == 0) assert_true(history_write(history, &left) >= 0);
    history_block(history, &(struct history_block){ 0 }, NULL);
    events.len = 0;
}

static void write_all(void)
{
    uint32_t left = 1;
    while (left != 0) assert_true(history_write(history, &left) >= 0);
}

static void trade_at(int64_t time_ms, int64_t price, int64_t quantity)
{
    now_ms = time_ms;
    if (history_is_full(history)) write_all();
    trade(MARKET_SPOT, 1, price, quantity, price * quantity);
    apply();
}

/* What a start does: the log once more, from its first command; batches that the store has are passed over. */
static void replay(void)
{
    uint64_t have = history_seq(history);

    for (uint32_t i = 0; i < trade_count; i++) {
        began(trades[i].seq);
        tell(&trades[i]);
        if (trades[i].seq > have) history_apply(history, &events);
        if (trades[i].seq > have) history_block(history, &(struct history_block){ 0 }, NULL);
        events.len = 0;
        if (history_is_full(history)) write_all();
    }
}

/* ---- the model ---- */

static int64_t model_start(enum interval interval, int64_t time_ms)
{
    static const int64_t length[] = { 1, 5, 15, 30, 60, 240, 480, 720, 1440, 4320 };
    time_t at = (time_t)(time_ms / 1000);
    struct tm tm;

    gmtime_r(&at, &tm);
    if (interval <= INTERVAL_3D) return time_ms - time_ms % (length[interval] * MINUTE);
    if (interval == INTERVAL_1W) return time_ms - time_ms % DAY - (tm.tm_wday + 6) % 7 * DAY;
    tm.tm_mday = 1;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    return (int64_t)timegm(&tm) * 1000;
}

static void model_add(struct bar *bar, const struct told *told)
{
    const struct traded *t = &told->trade;

    if (bar->trades == 0) bar->open = bar->high = bar->low = t->price;
    if (t->price > bar->high) bar->high = t->price;
    if (t->price < bar->low) bar->low = t->price;
    bar->close = t->price;
    bar->last_quantity = t->quantity;
    bar->volume = bar->volume + (uint64_t)t->quantity;
    bar->value = bar->value + (uint64_t)t->value;
    bar->trades += 1;
    bar->seq = told->seq;
}

static bool is_of(const struct told *told, uint8_t market, uint32_t symbol_id)
{
    return told->trade.head.market == market && told->trade.symbol_id == symbol_id;
}

static void expect_bar(const struct bar *bar, const struct bar *model)
{
    assert_int_equal(bar->start_ms, model->start_ms);
    assert_int_equal(bar->trades, model->trades);
    assert_int_equal(bar->open, model->open);
    assert_int_equal(bar->high, model->high);
    assert_int_equal(bar->low, model->low);
    assert_int_equal(bar->close, model->close);
    assert_int_equal(bar->last_quantity, model->last_quantity);
    assert_true(bar->volume == model->volume);
    assert_true(bar->value == model->value);
    assert_int_equal(bar->seq, model->seq);
}

/* Asks for bars first … last and for the one before, and walks the trades for the same. */
static void expect_bars(uint8_t market, uint32_t symbol_id, enum interval interval, int64_t first, int64_t last)
{
    struct history_bars_query query = { market, interval, symbol_id, first, last };
    int64_t first_ms = interval_start(interval, first), last_ms = interval_start(interval, last);
    struct bar before, model = { 0 }, model_before = { 0 };
    int count = history_bars(history, &query, got, &before), at = 0;

    assert_true(count >= 0);
    for (uint32_t i = 0; i <= trade_count; i++) {
        if (i < trade_count && !is_of(&trades[i], market, symbol_id)) continue;
        int64_t start = i < trade_count ? model_start(interval, trades[i].trade.time_ms) : INT64_MAX;
        if (model.trades != 0 && model.start_ms != start) {
            if (model.start_ms < first_ms) model_before = model;
            else if (model.start_ms <= last_ms) {
                assert_true(at < count);
                expect_bar(&got[at++], &model);
            }
            model.trades = 0;
        }
        if (i == trade_count) break;
        if (model.trades == 0) model = (struct bar){ .start_ms = start };
        model_add(&model, &trades[i]);
    }
    assert_int_equal(at, count);
    assert_int_equal(before.trades, model_before.trades);
    if (before.trades != 0) expect_bar(&before, &model_before);
}

static void expect_window(uint8_t market, uint32_t symbol_id, int64_t at_ms)
{
    struct bar window, model = { .start_ms = at_ms - at_ms % MINUTE - DAY };
    bool known = history_window(history, market, symbol_id, at_ms, &window), traded = false;
    int64_t last = 0;

    for (uint32_t i = 0; i < trade_count; i++) {
        if (!is_of(&trades[i], market, symbol_id)) continue;
        traded = true;
        last = trades[i].trade.price;
        model.last_quantity = trades[i].trade.quantity;
        if (trades[i].trade.time_ms >= model.start_ms) model_add(&model, &trades[i]);
    }
    assert_int_equal(known, traded);
    if (!traded) return;
    if (model.trades == 0) model.open = model.high = model.low = model.close = last;
    expect_bar(&window, &model);
}

static void expect_all(uint32_t questions)
{
    for (uint8_t market = 1; market <= 2; market++)
        for (uint32_t symbol = 1; symbol <= 3; symbol++) {
            int64_t first_ms;
            expect_window(market, symbol, now_ms);
            expect_window(market, symbol, now_ms + (int64_t)roll(3 * (uint64_t)DAY));
            if (!history_first_trade(history, market, symbol, &first_ms)) continue;
            for (enum interval i = 0; i < INTERVALS; i++) {
                int64_t newest = interval_index(i, now_ms), oldest = interval_index(i, first_ms);
                expect_bars(market, symbol, i, newest - 1499, newest);
                expect_bars(market, symbol, i, oldest, oldest + 1499);
                for (uint32_t q = 0; q < questions; q++) {
                    int64_t first = oldest - 2 + (int64_t)roll((uint64_t)(newest - oldest + 4));
                    expect_bars(market, symbol, i, first, first + (int64_t)roll(1500));
                }
            }
        }
}

/* ---- hand-made ---- */

static void a_minute_ends_with_its_last_millisecond(void **state)
{
    int64_t minute = INT64_C(1790000040000);        /* a whole minute */

    (void)state;
    assert_int_equal(minute % MINUTE, 0);
    trade_at(minute - 1, 100, 1);
    trade_at(minute, 105, 2);
    trade_at(minute + 30000, 95, 3);
    trade_at(minute + 59999, 101, 4);
    trade_at(minute + 60000, 102, 5);
    int64_t index = interval_index(INTERVAL_1M, minute);
    struct history_bars_query query = { MARKET_SPOT, INTERVAL_1M, 1, index, index };
    struct bar before;
    assert_int_equal(history_bars(history, &query, got, &before), 1);
    expect_bar(&got[0], &(struct bar){ minute, 105, 105, 95, 101, 4, 9, 105 * 2 + 95 * 3 + 101 * 4, 3, 4 });
    expect_bar(&before, &(struct bar){ minute - MINUTE, 100, 100, 100, 100, 1, 1, 100, 1, 1 });
    query.first = query.last = index + 1;
    assert_int_equal(history_bars(history, &query, got, &before), 1);
    expect_bar(&got[0], &(struct bar){ minute + MINUTE, 102, 102, 102, 102, 5, 5, 510, 1, 5 });
    query.first = query.last = index + 2;
    assert_int_equal(history_bars(history, &query, got, &before), 0);
    assert_int_equal(before.close, 102);
    query.first = query.last = index - 2;
    assert_int_equal(history_bars(history, &query, got, &before), 0);
    assert_int_equal(before.trades, 0);
}

/* The current minute and the 1,440 before it: a trade leaves when its minute is the 1,441st before. */
static void the_window_rolls_by_whole_minutes_also_when_nobody_trades(void **state)
{
    int64_t minute = INT64_C(1790000040000);
    struct bar window;

    (void)state;
    assert_false(history_window(history, MARKET_SPOT, 1, minute, &window));
    trade_at(minute + 59999, 100, 7);
    trade_at(minute + 3 * MINUTE, 120, 1);
    assert_true(history_window(history, MARKET_SPOT, 1, minute + 3 * MINUTE, &window));
    expect_bar(&window, &(struct bar){ minute + 3 * MINUTE - DAY, 100, 120, 100, 120, 1, 8, 820, 2, 2 });
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 59999, &window));        /* 24 h after the first: still in */
    assert_int_equal(window.open, 100);
    assert_true(window.volume == 8);
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 60000, &window));        /* 24 h + 1 ms */
    expect_bar(&window, &(struct bar){ minute + MINUTE, 120, 120, 120, 120, 1, 1, 120, 1, 2 });
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 4 * MINUTE - 1, &window));
    assert_int_equal(window.trades, 1);
    assert_true(history_window(history, MARKET_SPOT, 1, minute + DAY + 4 * MINUTE, &window));   /* empty: the last trade's price */
    expect_bar(&window, &(struct bar){ minute + 4 * MINUTE, 120, 120, 120, 120, 1, 0, 0, 0, 0 });
}

static void sums_pass_64_bits(void **state)
{
    struct bar window;

    (void)state;
    for (int i = 0; i < 5; i++) trade(MARKET_SPOT, 1, 1000, QUANTITY_MAX, AMOUNT_MAX);
    apply();
    assert_true(history_window(history, MARKET_SPOT, 1, now_ms, &window));
    assert_true(window.value == (uint128_t)AMOUNT_MAX * 5);
    write_all();
    history_close(history);
    open_it();
    assert_true(history_window(history, MARKET_SPOT, 1, now_ms, &window));
    assert_true(window.value == (uint128_t)AMOUNT_MAX * 5);
    assert_true(window.volume == (uint128_t)QUANTITY_MAX * 5);
}

static void the_version_changes_with_every_trade_of_the_symbol_and_no_other(void **state)
{
    uint64_t before;
    int64_t  first_ms;

    (void)state;
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 1), 0);
    assert_false(history_first_trade(history, MARKET_SPOT, 1, &first_ms));
    trade_at(now_ms, 100, 1);
    before = history_bars_version(history, MARKET_SPOT, 1);
    assert_true(before != 0);
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 2), 0);
    assert_int_equal(history_bars_version(history, MARKET_PERPS, 1), 0);
    write_all();
    assert_int_equal(history_bars_version(history, MARKET_SPOT, 1), before);
    trade_at(now_ms, 100, 1);
    assert_true(history_bars_version(history, MARKET_SPOT, 1) != before);
    assert_true(history_first_trade(history, MARKET_SPOT, 1, &first_ms));
    assert_int_equal(first_ms, now_ms - now_ms % MINUTE);
}

/* ---- random ---- */

static int64_t some_jump(void)
{
    switch (roll(40)) {
    case 0:  return (int64_t)roll(40 * (uint64_t)DAY);
    case 1:  return (int64_t)roll(2 * (uint64_t)DAY);
    case 2:  return MINUTE - now_ms % MINUTE - 1;           /* to a minute's last millisecond */
    case 3:  return DAY - now_ms % DAY;                     /* to midnight                    */
    case 4:  return 0;
    default: return (int64_t)roll(4 * (uint64_t)MINUTE);
    }
}

static void some_batch(void)
{
    for (uint64_t n = 1 + roll(3); n > 0; n--) {
        uint8_t market = roll(5) == 0 ? MARKET_PERPS : MARKET_SPOT;
        trade(market, market == MARKET_SPOT && roll(8) == 0 ? 3 : 1, 1000 + (int64_t)roll(2000), 1 + (int64_t)roll(5000), 1 + (int64_t)roll(1000000));
    }
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
            if (roll(50) == 0) write_all();
        }
        expect_all(round % 4 == 3 ? 6 : 1);
        if (round % 3 == 2) {
            history_close(history);
            open_it();
            expect_all(1);
        }
    }
}

/* A child folds, writes at random moments and is gone; who comes after it replays and knows every trade once. */
static void a_kill_loses_nothing_and_counts_nothing_twice(void **state)
{
    int ahead = 0;

    (void)state;
    history_close(history);
    early_writes = 3;               /* then bars on disk are ahead of the other rows */
    for (int round = 0; round < 12; round++) {
        uint32_t grown = (uint32_t)roll(120);
        uint64_t seed = dice;
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            open_it();
            replay();
            for (uint32_t batch = 0; batch < grown; batch++) {
                uint32_t left;
                now_ms += some_jump();
                some_batch();
                if (roll(10) == 0 && history_write(history, &left) < 0) _exit(1);
            }
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        dice = seed;                                        /* the same trades again, as a log would have them */
        for (uint32_t batch = 0; batch < grown; batch++) {
            now_ms += some_jump();
            for (uint64_t n = 1 + roll(3); n > 0; n--) {
                uint8_t market = roll(5) == 0 ? MARKET_PERPS : MARKET_SPOT;
                trade(market, market == MARKET_SPOT && roll(8) == 0 ? 3 : 1, 1000 + (int64_t)roll(2000), 1 + (int64_t)roll(5000), 1 + (int64_t)roll(1000000));
            }
            events.len = 0;
            (void)roll(10);
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
    char file[160];
    size_t len;

    snprintf(file, sizeof(file), "%s/%s", from, name);
    FILE *stream = fopen(file, back ? "wb" : "rb");
    assert_non_null(stream);
    len = back ? fwrite(bytes, 1, cap, stream) : fread(bytes, 1, cap, stream);
    assert_int_equal(fclose(stream), 0);
    return len;
}

/* What a killed process left, with one byte changed: whoever comes next has every bar right, from the store or from the log. */
static void a_changed_byte_makes_no_wrong_bar(void **state)
{
    static uint8_t data[8 << 20], data_file[8 << 20], state_file[256];
    size_t data_len, state_len;

    (void)state;
    for (int batch = 0; batch < 400; batch++) {
        now_ms += some_jump();
        some_batch();
        if (roll(40) == 0) write_all();
    }
    write_all();
    data_len = copy_file(path, "data.mdb", data, sizeof(data), false);
    state_len = copy_file(path, "state", state_file, sizeof(state_file), false);
    history_close(history);
    history = NULL;
    for (size_t page = 0; page * 4096 < data_len; page += 1 + roll(3)) {
        int status = 0;
        memcpy(data_file, data, data_len);
        data_file[page * 4096 + roll(roll(2) == 0 ? 16 : 4096)] ^= (uint8_t)(1 + roll(255));
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
    int64_t first = now_ms, index;
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
    trade_at(first + 366 * DAY + 1, 4000, 1);                   /* into the same open minute, on top of what was loaded */
    expect_all(3);
}

/* The disk stands still: memory is bounded by asking for shedding long before a bar would be lost. */
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

/* Bars of a day from memory and disk: together they have every trade once, whatever the writer is doing. */
static void *read_on(void *unused)
{
    static struct bar days[HISTORY_BARS_MAX];
    struct bar before;
    int64_t first_ms;

    (void)unused;
    while (atomic_load(&done) == 0) {
        uint64_t least = history_bars_version(history, MARKET_SPOT, 1), most, sum = 0;
        if (!history_first_trade(history, MARKET_SPOT, 1, &first_ms)) continue;
        for (enum interval i = INTERVAL_1M; i <= INTERVAL_5M; i++) {
            struct history_bars_query query = { MARKET_SPOT, i, 1, 0, 0 };
            int64_t first = interval_index(i, first_ms);
            for (sum = 0; ; first += HISTORY_BARS_MAX) {    /* pages from the first trade on */
                query.first = first;
                query.last = first + HISTORY_BARS_MAX - 1;
                int count = history_bars(history, &query, days, &before);
                if (count < 0) return days;
                if (count == 0) break;
                for (int b = 0; b < count; b++) {
                    sum += days[b].trades;
                    if (days[b].low > days[b].open || days[b].high < days[b].close || (b > 0 && days[b].start_ms <= days[b - 1].start_ms)) return days;
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
        now_ms += (int64_t)roll(2 * (uint64_t)MINUTE);
        trade(MARKET_SPOT, 1, 1000 + (int64_t)roll(50), 1, 1000);
        apply();
    }
    atomic_store(&done, 1);
    assert_int_equal(pthread_join(writer, &wrong), 0);
    assert_null(wrong);
    assert_int_equal(pthread_join(reader, &wrong), 0);
    assert_null(wrong);
}

/* ---- what the writer has in its hands ---- */

static struct bars bars;

static void fold(int minute)
{
    struct traded one = { .head = { .market = MARKET_SPOT }, .symbol_id = 1, .price = 1000 + minute, .quantity = 1, .value = 1, .time_ms = now_ms + minute * MINUTE };

    bars_trade(&bars, &one, next_seq++);
    bars_end(&bars);
}

static uint32_t minutes_taken(void)
{
    uint32_t minutes = 0;

    for (uint32_t i = 0; i < bars.row_count; i++) minutes += bars.rows[i].interval == INTERVAL_1M;
    return minutes;
}

static void bars_that_change_in_the_writers_hands_are_written_again(void **state)
{
    const struct bar_ring *ring;

    (void)state;
    assert_int_equal(bars_init(&bars), 0);
    ring = bars_ring(&bars, bars_slot(MARKET_SPOT, 1), INTERVAL_1M);
    for (int i = 0; i < 5; i++) fold(i);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(minutes_taken(), 5);
    fold(4);                                            /* the last one again, and two more */
    fold(5);
    fold(6);
    bars_taken(&bars, true);
    assert_int_equal(ring->count, 6);                   /* minute 6 is open */
    assert_int_equal(ring->written, 4);
    assert_int_equal(bars.waiting, 2);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(minutes_taken(), 3);
    bars_taken(&bars, true);
    assert_int_equal(bars.waiting, 0);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(bars.row_count, 0);
    bars_taken(&bars, true);
    fold(6);                                            /* into a bar that is on disk: it is not any more */
    fold(7);
    assert_int_equal(bars.waiting, 1);
    bars_deinit(&bars);
}

static void bars_that_could_not_be_written_are_taken_again(void **state)
{
    (void)state;
    assert_int_equal(bars_init(&bars), 0);
    for (int i = 0; i < 5; i++) fold(i);
    assert_int_equal(bars_take(&bars), 0);
    fold(4);
    fold(5);
    bars_taken(&bars, false);
    assert_int_equal(bars.waiting, 5);
    assert_int_equal(bars_take(&bars), 0);
    assert_int_equal(minutes_taken(), 6);
    bars_taken(&bars, false);
    assert_int_equal(bars_take(&bars), 0);              /* nothing has changed since */
    assert_int_equal(minutes_taken(), 6);
    bars_taken(&bars, true);
    assert_int_equal(bars.waiting, 0);
    bars_deinit(&bars);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_minute_ends_with_its_last_millisecond),
        TEST(the_window_rolls_by_whole_minutes_also_when_nobody_trades),
        TEST(sums_pass_64_bits),
        TEST(the_version_changes_with_every_trade_of_the_symbol_and_no_other),
        TEST(bars_are_those_of_the_trades_while_rows_move_to_the_disk),
        TEST(a_kill_loses_nothing_and_counts_nothing_twice),
        TEST(a_store_that_is_gone_comes_back_from_the_replay),
        TEST(a_changed_byte_makes_no_wrong_bar),
        TEST(after_a_start_a_bar_of_last_year_is_read_without_its_trades),
        TEST(minutes_that_are_not_written_ask_for_shedding),
        TEST(reads_see_every_trade_once_while_bars_move_to_the_disk),
        TEST(bars_that_change_in_the_writers_hands_are_written_again),
        TEST(bars_that_could_not_be_written_are_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
