/* SPDX-License-Identifier: MIT */
/*
 * A random market is recorded as feeds record it, its trades at once and its book now and then, and played into a
 * naive exchange, whose answers come late. Without users the exchange ends with the recorded book, and each recorded
 * taker trades what he traded; with users nothing breaks, and what they took and gave is counted to the unit.
 */
#include "base/mix.h"
#include "playback/book.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define PRICES  40 /* 1 .. PRICES */
#define ORDERS  4096
#define ANSWERS 4096
#define NOBODY  PLAYBACK_FOREIGN
#define SEEDS   300
#define ACTIONS 300

static const struct playback_market market = {
    .name = { 1, "X" }, .symbol_id = 1, .market = MARKET_SPOT, .tick = 1, .step = 1
};

static uint64_t random_state;

/* splitmix64 */
static uint32_t draw(uint32_t below)
{
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mix_u64(random_state) % below);
}

/* ---- the exchange that is played into: orders in the order of their arrival ---- */

struct resting {
    uint64_t id; /* 0: of a user */
    int64_t  price, left, total;
    uint16_t account;
    uint8_t  side;
};

struct answer {
    bool                   is_cancel;
    uint64_t               id;
    struct playback_traded trade;
};

static struct playback_book *book;
static struct resting        resting[ORDERS];
static struct answer         answers[ANSWERS];
static uint32_t              resting_count, answer_first, answer_count;
static int64_t               user_took, user_gave, now_us;

static void answer(struct answer said)
{
    assert_true(answer_count - answer_first < ANSWERS);
    answers[answer_count++ % ANSWERS] = said;
}

/* The best order on a side that `price` reaches, the first of its price. */
static struct resting *best(uint8_t side, int64_t price)
{
    struct resting *found = NULL;

    for (uint32_t i = 0; i < resting_count; i++) {
        struct resting *order = &resting[i];

        if (order->side != side || order->left == 0 || (side == SIDE_BUY ? order->price < price : order->price > price))
            continue;
        if (found == NULL || (side == SIDE_BUY ? order->price > found->price : order->price < found->price))
            found = order;
    }
    return found;
}

/* Trades what it can; returns what is left. */
static int64_t match(uint8_t side, int64_t price, int64_t quantity, bool ours)
{
    struct resting *order;

    while (quantity > 0 && (order = best(side == SIDE_BUY ? SIDE_SELL : SIDE_BUY, price)) != NULL) {
        int64_t part = min_i64(quantity, order->left);

        order->left -= part;
        quantity -= part;
        if (!ours && order->id != 0) user_took += part;
        if (ours && order->id == 0) user_gave += part;
        answer((struct answer){ .trade = { order->price, part, side, ours, order->account } });
    }
    return quantity;
}

static void rest(uint64_t id, uint16_t account, uint8_t side, int64_t price, int64_t total, int64_t left)
{
    if (left == 0) return;
    assert_true(resting_count < ORDERS);
    resting[resting_count++] = (struct resting){ id, price, left, total, account, side };
}

static struct resting *find(uint64_t id)
{
    for (uint32_t i = 0; i < resting_count; i++)
        if (resting[i].id == id && resting[i].left != 0) return &resting[i];
    return NULL;
}

static void execute(const struct playback_op *op)
{
    struct resting *order = op->act == PLAYBACK_CANCEL || op->act == PLAYBACK_REDUCE ? find(op->id) : NULL;

    if (op->act == PLAYBACK_CANCEL && order != NULL) {
        order->left = 0;
        answer((struct answer){ .is_cancel = true, .id = op->id });
    } else if (op->act == PLAYBACK_REDUCE && order != NULL && op->quantity > order->total - order->left) {
        order->left -= order->total - op->quantity;
        order->total = op->quantity;
    } else if (op->act == PLAYBACK_PLACE) {
        int64_t left = match(op->side, op->price, op->quantity, true);

        rest(op->id, op->account, op->side, op->price, op->quantity, left);
    } else if (op->act == PLAYBACK_TAKE) {
        (void)match(op->side, op->price, op->quantity, true);
    }
}

/* All ops, as they are to be sent. */
static void flush(void)
{
    uint32_t                  count;
    const struct playback_op *ops = playback_book_ops(book, &count);

    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && ops[to].stage == ops[from].stage;) to++;
        for (uint8_t act = PLAYBACK_CANCEL; act <= PLAYBACK_TAKE; act++)
            for (uint32_t i = from; i < to; i++)
                if (ops[i].act == act) execute(&ops[i]);
    }
    playback_book_sent(book);
}

static void hear(uint32_t most)
{
    for (; most > 0 && answer_first != answer_count; most--, answer_first++) {
        const struct answer *said = &answers[answer_first % ANSWERS];

        if (said->is_cancel) playback_canceled(book, said->id);
        else playback_traded(book, &said->trade);
    }
    flush();
}

/* ---- the market that is recorded ---- */

static int64_t recorded[2][PRICES + 1];
static bool    dirty[2][PRICES + 1];
static int64_t taken;

static int64_t recorded_best(uint32_t side)
{
    for (int64_t i = 1; i <= PRICES; i++) {
        int64_t price = side == 0 ? PRICES + 1 - i : i;
        if (recorded[side][price] != 0) return price;
    }
    return side == 0 ? 0 : PRICES + 1;
}

static void play(uint8_t kind, uint8_t side, int64_t price, int64_t quantity)
{
    struct playback_event event = { .time_us = now_us, .kind = kind, .side = side };

    assert_true(playback_book_play(book, &event, price, quantity));
}

static void publish_book(void)
{
    for (uint32_t side = 0; side < 2; side++)
        for (int64_t price = 1; price <= PRICES; price++) {
            if (dirty[side][price])
                play(PLAYBACK_LEVEL, side == 0 ? SIDE_BUY : SIDE_SELL, price, recorded[side][price]);
            dirty[side][price] = false;
        }
    flush();
    now_us += PLAYBACK_FRESH_US;
}

static void add(void)
{
    uint32_t side = draw(2), distance = draw(8);
    int64_t  price = side == 0 ? min_i64(recorded_best(1) - 1, 20 + draw(4)) - distance
                               : max_i64(recorded_best(0) + 1, 20 - (int64_t)draw(4)) + distance;

    if (price < 1 || price > PRICES) return;
    recorded[side][price] += 1 + draw(20);
    dirty[side][price] = true;
}

static void leave(void)
{
    uint32_t side = draw(2), from = draw(PRICES);

    for (uint32_t i = 0; i < PRICES; i++) {
        int64_t price = 1 + (from + i) % PRICES;

        if (recorded[side][price] == 0) continue;
        recorded[side][price] -= 1 + draw((uint32_t)recorded[side][price]);
        dirty[side][price] = true;
        return;
    }
}

/* Takes from the best price on; a trade is published for each price, at once. */
static void take(void)
{
    uint32_t side = draw(2); /* that is taken from */
    int64_t  quantity = 1 + draw(40);

    while (quantity > 0) {
        int64_t price = recorded_best(side), part;

        if (price < 1 || price > PRICES) return;
        part = min_i64(quantity, recorded[side][price]);
        recorded[side][price] -= part;
        dirty[side][price] = true;
        quantity -= part;
        taken += part;
        play(PLAYBACK_TRADE, side == 0 ? SIDE_SELL : SIDE_BUY, price, part);
        flush();
    }
}

static void act_as_user(void)
{
    uint8_t side = draw(2) == 0 ? SIDE_BUY : SIDE_SELL;
    int64_t price = 12 + draw(16), quantity = 1 + draw(10), left = match(side, price, quantity, false);

    if (draw(2) == 0) rest(0, NOBODY, side, price, quantity, left);
}

static int64_t real_at(uint8_t side, int64_t price)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < resting_count; i++)
        if (resting[i].side == side && resting[i].price == price) sum += resting[i].left;
    return sum;
}

static void run(uint64_t seed, bool has_users)
{
    random_state = seed;
    resting_count = answer_first = answer_count = 0;
    user_took = user_gave = taken = 0;
    now_us = 1000000;
    memset(recorded, 0, sizeof(recorded));
    memset(dirty, 0, sizeof(dirty));
    book = playback_book_open(&market);
    assert_non_null(book);
    assert_true(playback_book_start(book));
    for (uint32_t i = 0; i < ACTIONS; i++) {
        uint32_t what = draw(10);

        now_us += draw(5000);
        if (what < 4) add();
        else if (what < 6) leave();
        else if (what < 8) take();
        else if (what == 8) publish_book();
        else if (has_users) act_as_user();
        if (draw(3) == 0) hear(draw(8));
    }
    publish_book();
    for (uint32_t i = 0; i < 4; i++) hear(UINT32_MAX);
}

static void test_without_users(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const struct playback_counts *counts;

        run(seed, false);
        counts = playback_book_counts(book);
        for (int64_t price = 1; price <= PRICES; price++)
            for (uint32_t side = 0; side < 2; side++) {
                int64_t real = real_at(side == 0 ? SIDE_BUY : SIDE_SELL, price);
                if (real != recorded[side][price])
                    fail_msg("seed %lu: side %u, price %ld: %ld and not %ld", (unsigned long)seed, side, (long)price,
                             (long)real, (long)recorded[side][price]);
            }
        assert_int_equal(counts->wanted, taken);
        assert_int_equal(counts->filled, taken);
        playback_book_close(book);
    }
}

static void test_with_users(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(seed, true);
        assert_int_equal(playback_book_counts(book)->user_took, user_took);
        assert_int_equal(playback_book_counts(book)->wanted, taken);
        for (int64_t price = 1; price <= PRICES; price++)
            for (uint8_t side = SIDE_BUY; side <= SIDE_SELL; side++)
                assert_int_equal(playback_book_recorded(book, side, price), recorded[side - 1][price]);
        playback_book_close(book);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_without_users), cmocka_unit_test(test_with_users) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
