/* SPDX-License-Identifier: MIT */
/*
 * Damage of the store: after every change of its files history opens, and every read is right, or an error, or the
 * store was discarded. Each round runs in a process of its own; its crash is the failure. A slice changes the first
 * four pages, where LMDB's own facts are, and every seventh of the others.
 */
#include "history/history.h"
#include "rigs/random.h"
#include "rigs/slice.h"
#include "rigs/test_files.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>
#include <cmocka.h>

#define ACCOUNTS 3
#define ROWS     300 /* of each kind, per account, at most */

static char                 path[96];
static const struct hash256 instance = { { 1, 2, 3 } };
static uint8_t              image[48u << 20]; /* data.mdb as it was good */
static size_t               image_bytes;
static uint64_t             random_state = 88172645463325252u;
static int                  told;

static uint64_t random_below(uint64_t n) { return random_xorshift(&random_state) % n; }

/* ---- files ---- */

static const char *name_of(const char *file)
{
    static char name[160];
    snprintf(name, sizeof(name), "%s/%s", path, file);
    return name;
}

static size_t load(const char *file, uint8_t *bytes, size_t size)
{
    int fd = open(name_of(file), O_RDONLY | O_CLOEXEC);
    assert(fd >= 0);
    ssize_t got = read(fd, bytes, size);
    assert(got >= 0 && (size_t)got < size);
    close(fd);
    return (size_t)got;
}

static void store(const char *file, const uint8_t *bytes, size_t size)
{
    int fd = open(name_of(file), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

static int setup(void **state)
{
    (void)state;
    told = 0;
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    return mkdtemp(path) == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    (void)state;
    return folder_remove(path);
}

/* ---- rows: order and trade `n` of account `a` ended with command n * ACCOUNTS + a ---- */

static struct order_changed order_of(uint64_t seq)
{
    struct order_changed order = { .order_id = seq,
                                   .account_id = 1 + seq % ACCOUNTS,
                                   .symbol_id = 1 + (uint32_t)(seq / ACCOUNTS % 2),
                                   .status = STATUS_CANCELED,
                                   .quantity = (int64_t)seq * 7,
                                   .updated_ms = 1000 + (int64_t)seq / 4 };
    order.head.market = MARKET_SPOT;
    return order;
}

/* The same on the perps side, of some of them. */
#define PERPS_EACH 5
static void emit_perps(struct events *events, uint64_t seq)
{
    struct order_changed        want = order_of(seq);
    struct perps_order_changed *perps_order = EVENT_ADD(events, PERPS_ORDER, perps_order_changed, MARKET_PERPS);
    want.head = perps_order->base.head;
    perps_order->base = want;
    perps_order->stop_price = want.quantity;
    struct position_changed *position = EVENT_ADD(events, POSITION, position_changed, MARKET_PERPS);
    position->position_id = seq;
    position->account_id = want.account_id;
    position->symbol_id = want.symbol_id;
    position->realized = want.quantity;
    position->updated_ms = want.updated_ms;
    struct funded *funded = EVENT_ADD(events, FUNDING, funded, MARKET_PERPS);
    funded->position_id = seq;
    funded->account_id = want.account_id;
    funded->symbol_id = want.symbol_id;
    funded->payment = want.quantity;
    funded->time_ms = want.updated_ms;
}

static void apply(struct history *history, uint64_t seq)
{
    static uint8_t       bytes[4096];
    struct events        events = { bytes, 0, sizeof(bytes) };
    struct order_changed want = order_of(seq);
    struct history_tx    tx = { .seq = seq, .hash = keccak256(&seq, sizeof(seq)) };

    struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
    began->seq = seq;
    struct order_changed *order = EVENT_ADD(&events, ORDER, order_changed, MARKET_SPOT);
    want.head = order->head;
    *order = want;
    struct filled *fill = EVENT_ADD(&events, FILL, filled, MARKET_SPOT);
    fill->trade_id = fill->order_id = seq;
    fill->account_id = want.account_id;
    fill->symbol_id = want.symbol_id;
    fill->price = want.quantity;
    fill->time_ms = want.updated_ms;
    if (seq % PERPS_EACH == 0) emit_perps(&events, seq);
    history_apply(history, &events);
    struct history_block block = { .hash = keccak256(&tx.hash, sizeof(tx.hash)),
                                   .number = seq,
                                   .time_ms = want.updated_ms,
                                   .first_seq = seq,
                                   .last_seq = seq,
                                   .count = 1 };
    history_block(history, &block, &tx);
}

static int write_all(struct history *history)
{
    uint32_t left = 1;
    while (left > 0)
        if (history_write(history, &left) < 0) return -1;
    return 0;
}

static struct history *opened(void)
{
    struct history *history = NULL;
    int             error = history_open(path, &instance, SLICE("boot"), &history);
    assert(error == 0);
    return history;
}

static struct history *filled_store(uint64_t rows)
{
    struct history *history = opened();
    for (uint64_t seq = 1; seq <= rows; seq++) {
        apply(history, seq);
        if (random_below(40) == 0) assert(write_all(history) == 0);
    }
    assert(write_all(history) == 0);
    return history;
}

/* Every answer about a block and its transaction is right; a changed page can hide a row. */
static void ask_block(struct history *history, uint64_t number, const struct hash256 *hash)
{
    struct history_block      block;
    struct history_transacted tx;
    union history_effect      effect;
    int                       found = history_block_at(history, number, &block);

    assert(found >= 0 || found == -EUCLEAN);
    if (found != 1) return;
    assert(block.number == number && block.count == 1 && block.first_seq == number);
    found = history_transaction_at(history, &block, 0, &tx);
    assert(found == -EUCLEAN || (found == 1 && tx.seq == number && hash256_equal(&tx.place.hash, hash)));
    found = history_transaction_of(history, hash, &tx);
    assert(found == -EUCLEAN || found == 0 || (found == 1 && tx.seq == number));
    found = history_effects(history, number, &effect, 1);
    assert(found == -EUCLEAN || found == 0 || (found == 1 && effect.fill.trade_id == number));
}

/* A list of the perps side: right to the last row, or damage. */
static bool is_list(int count, const void *rows, size_t bytes, size_t id_at, size_t value_at,
                    const struct history_query *query, uint64_t end)
{
    int at = 0;

    if (count < 0) return count == -EUCLEAN;
    for (uint64_t seq = end; seq >= 1; seq--) {
        struct order_changed want = order_of(seq);
        uint64_t             id;
        int64_t              value;
        if (seq % PERPS_EACH != 0 || want.account_id != query->account_id
            || (query->symbol_id != 0 && want.symbol_id != query->symbol_id))
            continue;
        if (at == count) return false;
        memcpy(&id, (const uint8_t *)rows + (size_t)at * bytes + id_at, sizeof(id));
        memcpy(&value, (const uint8_t *)rows + (size_t)at++ * bytes + value_at, sizeof(value));
        if (id != seq || value != want.quantity) return false;
    }
    return at == count;
}

static void ask_perps(struct history *history, struct history_query query, uint64_t end)
{
    static struct perps_order_changed orders[ROWS];
    static struct position_changed    positions[ROWS];
    static struct funded              fundings[ROWS];

    query.market = MARKET_PERPS;
    assert(is_list(history_perps_orders(history, &query, orders), orders, sizeof(orders[0]),
                   offsetof(struct perps_order_changed, base.order_id),
                   offsetof(struct perps_order_changed, stop_price), &query, end));
    assert(is_list(history_positions(history, &query, positions), positions, sizeof(positions[0]),
                   offsetof(struct position_changed, position_id), offsetof(struct position_changed, realized), &query,
                   end));
    assert(is_list(history_fundings(history, &query, fundings), fundings, sizeof(fundings[0]),
                   offsetof(struct funded, position_id), offsetof(struct funded, payment), &query, end));
}

/* Every list of every account below `end`: right to the last row, or damage. */
static void ask_all(struct history *history, uint64_t end)
{
    static struct order_changed orders[ROWS];
    static struct filled        fills[ROWS];

    for (uint64_t account = 1; account <= ACCOUNTS; account++)
        for (uint32_t symbol = 0; symbol <= 2; symbol++) {
            struct history_query query = {
                .account_id = account, .market = MARKET_SPOT, .symbol_id = symbol, .end_ms = INT64_MAX, .limit = ROWS
            };
            int order_count = history_orders(history, &query, orders),
                fill_count = history_fills(history, &query, fills), at = 0;
            assert(order_count >= 0 || order_count == -EUCLEAN);
            assert(fill_count >= 0 || fill_count == -EUCLEAN);
            for (uint64_t seq = end; seq >= 1; seq--) {
                struct order_changed want = order_of(seq);
                if (want.account_id != account || (symbol != 0 && want.symbol_id != symbol)) continue;
                if (order_count >= 0)
                    assert(at < order_count && orders[at].order_id == seq && orders[at].quantity == want.quantity);
                if (fill_count >= 0)
                    assert(at < fill_count && fills[at].trade_id == seq && fills[at].price == want.quantity);
                at++;
            }
            assert((order_count < 0 || order_count == at) && (fill_count < 0 || fill_count == at));
            ask_perps(history, query, end);
        }
    for (uint64_t seq = 1; seq <= end; seq += 7) {
        struct hash256     hash = keccak256(&seq, sizeof(seq));
        struct tx_location place;
        if (history_transaction(history, seq, &place)) assert(hash256_equal(&place.hash, &hash) && place.block == seq);
        ask_block(history, seq, &hash);
    }
}

/* ---- one round ---- */

enum expected { ANYTHING, THROWN_AWAY, KEPT };

static void live_on(uint64_t rows, enum expected expected)
{
    struct history *history = opened();
    bool            thrown_away = history_thrown_away(history) != NULL;

    assert(expected == ANYTHING || thrown_away == (expected == THROWN_AWAY));
    if (thrown_away) assert(history_seq(history) == 0);
    else assert(history_seq(history) <= rows);
    for (uint64_t seq = 1; seq <= rows + 50; seq++) apply(history, seq); /* the replay, and more */
    ask_all(history, rows + 50);
    (void)write_all(history);
    ask_all(history, rows + 50);
    history_close(history);
}

/* In a process of its own: opens, replays, reads, writes, reads, closes. */
static void survives(uint64_t rows, enum expected expected, const char *what, size_t at)
{
    int   status = 0;
    pid_t child = fork();

    if (child == 0) {
        live_on(rows, expected);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) fail_msg("%s at %zu: status %d", what, at, status);
}

static uint8_t state_bytes[256];
static size_t  state_len;

static void keep_image(void)
{
    image_bytes = load("data.mdb", image, sizeof(image));
    state_len = load("state", state_bytes, sizeof(state_bytes));
}

static void put_back(const uint8_t *data, size_t size)
{
    store("state", state_bytes, state_len);
    store("data.mdb", data, size);
}

static uint8_t changed[sizeof(image)];

static void flip(size_t at, enum expected expected)
{
    memcpy(changed, image, image_bytes);
    changed[at] ^= (uint8_t)(1 + random_below(255));
    put_back(changed, image_bytes);
    survives(ACCOUNTS * ROWS / 2, expected, "flipped byte", at);
}

static void other_files(enum expected expected)
{
    static const size_t lengths[] = { 0, 1, 100, 4096, 8192, 8193, 40960 };
    const uint64_t      rows = ACCOUNTS * ROWS / 2;

    put_back(image, image_bytes);
    survives(rows, KEPT, "untouched", 0);
    for (size_t i = 0; i < image_bytes; i++) changed[i] = (uint8_t)random_below(256);
    put_back(changed, image_bytes);
    survives(rows, THROWN_AWAY, "garbage", 0);
    for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
        put_back(image, lengths[i]);
        survives(rows, expected, "cut", lengths[i]);
    }
    put_back(image, image_bytes / 2);
    survives(rows, expected, "cut", image_bytes / 2);
    put_back(image, image_bytes);
    assert_int_equal(unlink(name_of("data.mdb")), 0);
    survives(rows, THROWN_AWAY, "missing", 0);
    memset(changed, 'x', 112);
    put_back(image, image_bytes);
    store("state", changed, 112);
    survives(rows, THROWN_AWAY, "bad state", 0);
    put_back(image, image_bytes);
    store("lock.mdb", image, 8192);
    survives(rows, KEPT, "another lock file", 0);
}

/* The place of the next page that is changed. */
static size_t next_page(size_t at) { return at + (is_whole() || at < 4 * 4096 ? 4096 : 7 * 4096); }

/* ---- tests ---- */

static void a_closed_store_that_was_changed_is_thrown_away(void **state)
{
    (void)state;
    history_close(filled_store(ACCOUNTS * ROWS / 2));
    keep_image();
    other_files(THROWN_AWAY);
    for (size_t at = 0; at < image_bytes; at = next_page(at)) flip(at + random_below(4096), THROWN_AWAY);
}

static void a_store_that_was_not_closed_and_was_changed_never_kills_or_lies(void **state)
{
    (void)state;
    struct history *history = filled_store(ACCOUNTS * ROWS / 2);

    keep_image(); /* as a killed process leaves it */
    history_close(history);
    other_files(THROWN_AWAY);
    for (size_t at = 0; at < image_bytes; at = next_page(at)) {
        flip(at + random_below(16), ANYTHING);      /* the head of the page */
        flip(at + 16 + random_below(64), ANYTHING); /* its offsets, or its meta */
        flip(at + random_below(4096), ANYTHING);
    }
}

static void a_store_that_was_killed_often_is_never_thrown_away(void **state)
{
    (void)state;
    uint64_t seq = 0;

    for (int life = 0; life < 60; life++) {
        struct history *history = opened();
        assert_null(history_thrown_away(history));
        assert_int_equal(history_seq(history), seq);
        for (uint64_t old = 1; old <= seq; old++) apply(history, old);
        for (uint64_t turns = random_below(20); turns > 0; turns--) {
            for (uint64_t more = random_below(30); more > 0; more--) apply(history, ++seq);
            assert_int_equal(write_all(history), 0);
        }
        keep_image();
        history_close(history);
        put_back(image, image_bytes);
    }
}

static void count_damage(void) { told++; }

/* Changes the price of every fill of account 1 in the file of the open store. */
static void corrupt_fills(void)
{
    int fd = open(name_of("data.mdb"), O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0);
    keep_image();
    for (uint64_t seq = ACCOUNTS; seq <= 300; seq += ACCOUNTS) {
        struct filled fill = { .order_id = seq, .trade_id = seq, .price = (int64_t)seq * 7 };
        for (size_t at = 0; at + sizeof(fill) <= image_bytes; at++) {
            struct filled there;
            memcpy(&there, image + at, sizeof(there));
            if (there.trade_id != seq || there.order_id != seq || there.price != fill.price) continue;
            there.price++;
            assert_int_equal(pwrite(fd, &there, sizeof(there), (off_t)at), sizeof(there));
        }
    }
    close(fd);
}

static void a_read_that_meets_damage_says_so_once_and_the_next_start_throws_it_away(void **state)
{
    (void)state;
    static struct filled        fills[10];
    static struct order_changed orders[10];
    struct history             *history = filled_store(300);
    struct history_query        query = { .account_id = 1, .market = MARKET_SPOT, .end_ms = INT64_MAX, .limit = 10 };

    history_on_damage(history, count_damage);
    assert_int_equal(history_fills(history, &query, fills), 10);
    corrupt_fills();
    assert_int_equal(history_fills(history, &query, fills), -EUCLEAN);
    assert_int_equal(history_fills(history, &query, fills), -EUCLEAN);
    assert_int_equal(history_orders(history, &query, orders), 10); /* not every row is lost */
    query.account_id = 2;
    assert_int_equal(history_fills(history, &query, fills), 10);
    assert_int_equal(told, 1);
    history_close(history);

    history = opened();
    assert_non_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), 0);
    for (uint64_t seq = 1; seq <= 300; seq++) apply(history, seq);
    assert_int_equal(write_all(history), 0);
    ask_all(history, 300);
    history_close(history);
    history = opened();
    assert_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), 300);
    history_close(history);
}

static void a_new_store_and_that_of_another_log_are_not_damage(void **state)
{
    (void)state;
    struct hash256  other = { { 4 } };
    struct history *history = opened();

    assert_null(history_thrown_away(history));
    history_close(history);
    assert_int_equal(history_open(path, &other, SLICE("boot"), &history), 0);
    assert_null(history_thrown_away(history));
    history_close(history);
}

static void a_store_of_another_version_is_named_and_made_anew(void **state)
{
    (void)state;
    uint8_t         file[256];
    uint32_t        older = 5;
    uint64_t        check;
    struct history *history = opened();

    for (uint64_t seq = 1; seq <= 30; seq++) apply(history, seq);
    history_close(history);
    size_t len = load("state", file, sizeof(file));
    memcpy(file + 8, &older, sizeof(older));
    check = XXH3_64bits(file, len - sizeof(check));
    memcpy(file + len - sizeof(check), &check, sizeof(check));
    store("state", file, len);
    history = opened();
    assert_string_equal(history_thrown_away(history), "it is of version 5, and version 8 is read");
    assert_int_equal(history_seq(history), 0);
    history_close(history);
}

static void a_folder_that_may_not_be_written_is_an_error_and_not_damage(void **state)
{
    (void)state;
    struct history *history = filled_store(30);

    history_close(history);
    if (geteuid() == 0) {
        print_message("SKIP nothing is forbidden to root\n");
        skip();
    }
    assert_int_equal(chmod(path, 0500), 0);
    assert_int_equal(history_open(path, &instance, SLICE("boot"), &history), EACCES);
    assert_int_equal(chmod(path, 0700), 0);
    history = opened();
    assert_int_equal(history_seq(history), 30);
    history_close(history);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_closed_store_that_was_changed_is_thrown_away),
        T(a_store_that_was_not_closed_and_was_changed_never_kills_or_lies),
        T(a_store_that_was_killed_often_is_never_thrown_away),
        T(a_read_that_meets_damage_says_so_once_and_the_next_start_throws_it_away),
        T(a_new_store_and_that_of_another_log_are_not_damage),
        T(a_store_of_another_version_is_named_and_made_anew),
        T(a_folder_that_may_not_be_written_is_an_error_and_not_damage),
    };
    return cmocka_run_group_tests_name("history damage", tests, NULL, NULL);
}
