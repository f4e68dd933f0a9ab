/* SPDX-License-Identifier: MIT */
/* A book of the replay beside an exchange that the test plays by hand: which orders are sent, in which place of the
 * queue they are, and the numbers of the drift. */
#include "rigs/playback/book_rig.h"

/* ---- makers ---- */

/* Nothing is sent before the start; then each level is an order. */
static void test_start(void **state)
{
    uint32_t at = 0, orders = 0;

    (void)state;
    level(SIDE_BUY, 1000, 50);
    level(SIDE_SELL, 1010, 70);
    level(SIDE_BUY, 990, 30);
    level(SIDE_BUY, 990, 0);
    trade(SIDE_SELL, 1000, 20);
    no_op();
    start();
    for (const struct playback_op *op; (op = next_op(&at)) != NULL; orders++) {
        assert_int_equal(op->act, PLAYBACK_PLACE);
        assert_int_equal(op->quantity, op->side == SIDE_BUY ? 30 : 70);
    }
    assert_int_equal(orders, 2);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 30);
}

/* What is added joins the back; what is removed leaves from the back: a user between them does not move. */
static void test_queue(void **state)
{
    struct playback_op first, second, op;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    first = one_op(PLAYBACK_PLACE, 1000, 50);
    level(SIDE_BUY, 1000, 80);
    second = one_op(PLAYBACK_PLACE, 1000, 30);
    assert_true(second.id != first.id);
    level(SIDE_BUY, 1000, 65);
    op = one_op(PLAYBACK_REDUCE, 1000, 15);
    assert_int_equal(op.id, second.id);
    level(SIDE_BUY, 1000, 45);
    {
        uint32_t                  at = 0;
        const struct playback_op *cancel = next_op(&at), *reduce = next_op(&at);

        assert_int_equal(cancel->act, PLAYBACK_CANCEL);
        assert_int_equal(cancel->id, second.id);
        assert_int_equal(reduce->act, PLAYBACK_REDUCE);
        assert_int_equal(reduce->id, first.id);
        assert_int_equal(reduce->quantity, 45);
    }
    playback_book_sent(book);
    level(SIDE_BUY, 1000, 0);
    assert_int_equal(one_op(PLAYBACK_CANCEL, 1000, 0).id, first.id);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 0);
}

/* Where the recording names its orders, the very one leaves. */
static void test_named_orders(void **state)
{
    struct playback_op first;

    (void)state;
    start();
    level_by(71, 1000, 50);
    first = one_op(PLAYBACK_PLACE, 1000, 50);
    level_by(72, 1000, 90);
    (void)one_op(PLAYBACK_PLACE, 1000, 40);
    level_by(71, 1000, 60);
    assert_int_equal(one_op(PLAYBACK_REDUCE, 1000, 20).id, first.id);
    level_by(71, 1000, 40);
    assert_int_equal(one_op(PLAYBACK_CANCEL, 1000, 0).id, first.id);
}

/* What was not sent yet changes in place, or is not sent at all. */
static void test_unsent(void **state)
{
    (void)state;
    start();
    level(SIDE_SELL, 1010, 70);
    level(SIDE_SELL, 1010, 60);
    (void)one_op(PLAYBACK_PLACE, 1010, 60);
    level(SIDE_SELL, 1010, 50);
    level(SIDE_SELL, 1010, 40);
    (void)one_op(PLAYBACK_REDUCE, 1010, 40);
    level(SIDE_SELL, 1020, 40);
    level(SIDE_SELL, 1020, 0);
    no_op();
    assert_int_equal(playback_book_counts(book)->places, 1);
    assert_int_equal(playback_book_counts(book)->reduces, 1);
}

/* An order has at least 10 and at most 1000: less waits, more is several orders. */
static void test_sizes(void **state)
{
    uint32_t at = 0;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 9);
    no_op();
    level(SIDE_BUY, 1000, 10);
    (void)one_op(PLAYBACK_PLACE, 1000, 10);
    level(SIDE_BUY, 1000, 15);
    level(SIDE_BUY, 1000, 12);
    no_op();
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 10);
    level(SIDE_BUY, 1000, 9); /* one that is left over would be too small */
    (void)one_op(PLAYBACK_CANCEL, 1000, 0);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 0);
    level(SIDE_BUY, 100, 49); /* a notional of 5000 is needed */
    no_op();
    level(SIDE_BUY, 100, 50);
    (void)one_op(PLAYBACK_PLACE, 100, 50);
    level(SIDE_SELL, 2000, 2500);
    assert_int_equal(next_op(&at)->quantity, 1000);
    assert_int_equal(next_op(&at)->quantity, 1000);
    assert_int_equal(next_op(&at)->quantity, 500);
    assert_null(next_op(&at));
}

/* A snapshot is the whole book: what it does not have is gone. */
static void test_snapshot(void **state)
{
    struct playback_op bid;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    bid = one_op(PLAYBACK_PLACE, 1000, 50);
    level(SIDE_SELL, 1010, 70);
    (void)one_op(PLAYBACK_PLACE, 1010, 70);
    play(PLAYBACK_SNAPSHOT, 0, 0, 0);
    level(SIDE_SELL, 1010, 70);
    play(PLAYBACK_SETTLED, 0, 0, 0);
    assert_int_equal(one_op(PLAYBACK_CANCEL, 1000, 0).id, bid.id);
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 1000), 0);
    assert_int_equal(playback_book_recorded(book, SIDE_SELL, 1010), 70);
}

/* An order that the exchange refused is tried again when its level grows. */
static void test_refused(void **state)
{
    struct playback_op op;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    op = one_op(PLAYBACK_PLACE, 1000, 50);
    playback_refused(book, op.id);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 0);
    level(SIDE_BUY, 1000, 60);
    (void)one_op(PLAYBACK_PLACE, 1000, 60);
    playback_refused(book, op.id);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 60);
    assert_int_equal(playback_book_counts(book)->refused, 2);
}

/* ---- trades ---- */

/* A trade is an order of a taker; the change of the book that it causes is not carried over twice. */
static void test_trade(void **state)
{
    struct playback_op maker;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    maker = one_op(PLAYBACK_PLACE, 1000, 50);
    trade(SIDE_SELL, 1000, 20);
    (void)one_op(PLAYBACK_TAKE, 1000, 20);
    traded(SIDE_SELL, 1000, 20, true, maker.account);
    level(SIDE_BUY, 1000, 30);
    no_op();
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 30);
    level(SIDE_BUY, 1000, 18); /* the new total counts what was traded */
    (void)one_op(PLAYBACK_REDUCE, 1000, 38);
    now_us += PLAYBACK_LATE_US + 1;
    trade(SIDE_SELL, 1000, 12);
    (void)one_op(PLAYBACK_TAKE, 1000, 12);
}

/* Some feeds publish the change of the book before the trade: what it took away comes back for the taker. */
static void test_trade_after_its_change(void **state)
{
    uint32_t at = 0;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    (void)one_op(PLAYBACK_PLACE, 1000, 50);
    level(SIDE_BUY, 1000, 30);
    (void)one_op(PLAYBACK_REDUCE, 1000, 30);
    now_us += PLAYBACK_LATE_US;
    trade(SIDE_SELL, 1000, 20);
    {
        const struct playback_op *place = next_op(&at), *take = next_op(&at);

        assert_int_equal(place->act, PLAYBACK_PLACE);
        assert_int_equal(place->quantity, 20);
        assert_int_equal(take->act, PLAYBACK_TAKE);
        assert_true(place->stage < take->stage);
    }
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 1000), 30);
    playback_book_sent(book);
    level(SIDE_BUY, 1000, 10); /* a cancel, long ago when the next trade comes */
    playback_book_sent(book);
    now_us += PLAYBACK_LATE_US + 1;
    trade(SIDE_SELL, 1000, 10);
    playback_book_sent(book);
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 1000), 0);
}

/* A taker who took more than was recorded: the rest is placed for him. */
static void test_implied_maker(void **state)
{
    uint32_t at = 0;

    (void)state;
    start();
    level(SIDE_SELL, 1010, 30);
    (void)one_op(PLAYBACK_PLACE, 1010, 30);
    trade(SIDE_BUY, 1010, 45);
    assert_int_equal(next_op(&at)->quantity, 15);
    assert_int_equal(next_op(&at)->quantity, 45);
    assert_int_equal(next_op(&at)->act, PLAYBACK_CANCEL); /* nothing is recorded there any more */
    assert_int_equal(next_op(&at)->act, PLAYBACK_CANCEL);
    assert_null(next_op(&at));
    assert_int_equal(playback_book_counts(book)->implied, 15);
    assert_int_equal(playback_book_recorded(book, SIDE_SELL, 1010), 0);
}

/* A recorded trade below the smallest order is not played; the makers are reduced with the next change. */
static void test_small_trade(void **state)
{
    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    (void)one_op(PLAYBACK_PLACE, 1000, 50);
    trade(SIDE_SELL, 1000, 9);
    no_op();
    assert_int_equal(playback_book_counts(book)->too_small, 9);
    level(SIDE_BUY, 1000, 41);
    (void)one_op(PLAYBACK_REDUCE, 1000, 41);
}

/* Without a recorded side the recorded book tells it; between the best prices nothing does. */
static void test_unknown_side(void **state)
{
    uint32_t at = 0;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    level(SIDE_SELL, 1010, 50);
    playback_book_sent(book);
    trade(0, 1010, 20);
    assert_int_equal(next_op(&at)->side, SIDE_BUY);
    trade(0, 1000, 20);
    assert_int_equal(next_op(&at)->side, SIDE_SELL);
    trade(0, 1005, 20);
    assert_null(next_op(&at));
    assert_int_equal(playback_book_counts(book)->unknown_side, 1);
}

/* The takers share the position: whoever is short buys. */
static void test_takers_share(void **state)
{
    struct playback_op first, second;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 900);
    playback_book_sent(book);
    trade(SIDE_SELL, 1000, 100);
    first = one_op(PLAYBACK_TAKE, 1000, 100);
    trade(SIDE_SELL, 1000, 100);
    second = one_op(PLAYBACK_TAKE, 1000, 100);
    assert_int_not_equal(first.account, second.account);
    level(SIDE_SELL, 1010, 900);
    playback_book_sent(book);
    trade(SIDE_BUY, 1010, 300);
    second = one_op(PLAYBACK_TAKE, 1010, 300);
    assert_int_equal(first.account, second.account);
}

/* ---- a user ---- */

/* What a user takes does not come back: recorded changes are carried over, recorded quantities are not. */
static void test_user_takes(void **state)
{
    struct playback_op maker;

    (void)state;
    start();
    level(SIDE_SELL, 1010, 50);
    maker = one_op(PLAYBACK_PLACE, 1010, 50);
    traded(SIDE_BUY, 1010, 35, false, maker.account);
    assert_int_equal(playback_book_counts(book)->user_took, 35);
    level(SIDE_SELL, 1010, 60);
    (void)one_op(PLAYBACK_PLACE, 1010, 10);
    assert_int_equal(playback_book_own(book, SIDE_SELL, 1010), 25);
    trade(SIDE_BUY, 1010, 59); /* the recorded taker finds 25 only */
    (void)one_op(PLAYBACK_TAKE, 1010, 59);
    traded(SIDE_BUY, 1010, 15, true, maker.account);
    traded(SIDE_BUY, 1010, 10, true, maker.account);
    assert_int_equal(playback_book_counts(book)->wanted, 59);
    assert_int_equal(playback_book_counts(book)->filled, 25);
}

/* A user's order that was first in the queue is traded in place of the replay's, which leaves with the next change. */
static void test_user_gives(void **state)
{
    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    (void)one_op(PLAYBACK_PLACE, 1000, 50);
    trade(SIDE_SELL, 1000, 20);
    (void)one_op(PLAYBACK_TAKE, 1000, 20);
    traded(SIDE_SELL, 1000, 20, true, PLAYBACK_FOREIGN);
    assert_int_equal(playback_book_counts(book)->user_given, 20);
    assert_int_equal(playback_book_counts(book)->left_over, 20);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 50);
    level(SIDE_BUY, 1000, 30);
    (void)one_op(PLAYBACK_REDUCE, 1000, 30);
    level(SIDE_BUY, 1000, 45);
    (void)one_op(PLAYBACK_PLACE, 1000, 15);
}

/* A user bid more than the recorded book and was hit: what is left over is at the best recorded level. */
static void test_user_gives_above(void **state)
{
    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    level(SIDE_BUY, 990, 50);
    playback_book_sent(book);
    trade(SIDE_SELL, 1000, 20);
    playback_book_sent(book);
    traded(SIDE_SELL, 1005, 20, true, PLAYBACK_FOREIGN);
    level(SIDE_BUY, 1000, 30);
    (void)one_op(PLAYBACK_REDUCE, 1000, 30);
}

/* A fill may be published after its order's CANCEL was sent: it is not counted at the order behind it. */
static void test_late_fill(void **state)
{
    struct playback_op old, fresh;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 20);
    old = one_op(PLAYBACK_PLACE, 1000, 20);
    level(SIDE_BUY, 1000, 0);
    (void)one_op(PLAYBACK_CANCEL, 1000, 0);
    level(SIDE_BUY, 1000, 20);
    fresh = one_op(PLAYBACK_PLACE, 1000, 20);
    traded(SIDE_SELL, 1000, 20, false, old.account);
    no_op();
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 20);
    traded(SIDE_SELL, 1000, 20, false, old.account);
    assert_int_equal(one_op(PLAYBACK_CANCEL, 1000, 0).id, fresh.id);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 0);
}

/* Once the exchange has confirmed the cancel, fills are of the order behind it. */
static void test_canceled(void **state)
{
    struct playback_op old, fresh;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 20);
    old = one_op(PLAYBACK_PLACE, 1000, 20);
    level(SIDE_BUY, 1000, 0);
    (void)one_op(PLAYBACK_CANCEL, 1000, 0);
    level(SIDE_BUY, 1000, 30);
    fresh = one_op(PLAYBACK_PLACE, 1000, 30);
    playback_canceled(book, fresh.id); /* is open: that was another one */
    playback_canceled(book, old.id);
    playback_canceled(book, old.id);
    traded(SIDE_SELL, 1000, 20, false, old.account);
    assert_int_equal(playback_book_own(book, SIDE_BUY, 1000), 10);
    no_op();
}

/* A taker takes the best price first: levels better than his were gone, even if the book was not recorded since. */
static void test_passed_levels(void **state)
{
    uint32_t at = 0;

    (void)state;
    start();
    level(SIDE_BUY, 1000, 50);
    level(SIDE_BUY, 990, 50);
    playback_book_sent(book);
    now_us += PLAYBACK_FRESH_US;
    level(SIDE_BUY, 995, 30);
    playback_book_sent(book);
    trade(SIDE_SELL, 990, 20);
    assert_int_equal(next_op(&at)->act, PLAYBACK_CANCEL);
    assert_int_equal(next_op(&at)->act, PLAYBACK_TAKE);
    assert_null(next_op(&at));
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 1000), 0);
    assert_int_equal(playback_book_recorded(book, SIDE_BUY, 995), 30); /* may be newer than the trade */
    assert_int_equal(playback_book_counts(book)->passed, 50);
}

/* ---- drift ---- */

static void test_drift(void **state)
{
    const struct playback_level_view real[] = { { 1002, 5 }, { 1000, 30 }, { 980, 55 }, { 970, 9 } };
    struct playback_level_view       best[2];
    struct playback_drift            drift;

    (void)state;
    level(SIDE_BUY, 980, 50);
    level(SIDE_BUY, 1000, 40);
    level(SIDE_BUY, 990, 10);
    assert_int_equal(playback_book_best(book, SIDE_BUY, 2, best), 2);
    assert_int_equal(best[0].price, 1000);
    assert_int_equal(best[1].price, 990);
    drift = playback_book_drift(book, SIDE_BUY, ARRAY_COUNT(real), real);
    assert_int_equal(drift.best, 2);
    assert_int_equal(drift.recorded, 100);
    assert_int_equal(drift.missing, 10 + 10); /* at 1000 and at 990 */
    assert_int_equal(drift.surplus, 5 + 5 + 9);
    drift = playback_book_drift(book, SIDE_SELL, ARRAY_COUNT(real), real);
    assert_int_equal(drift.best, -1);
    assert_int_equal(playback_book_drift(book, SIDE_SELL, 0, NULL).best, 0);
}

#define BOOK(test) cmocka_unit_test_setup_teardown(test, open_book, close_book)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOOK(test_start),
        BOOK(test_queue),
        BOOK(test_named_orders),
        BOOK(test_unsent),
        BOOK(test_sizes),
        BOOK(test_snapshot),
        BOOK(test_refused),
        BOOK(test_trade),
        BOOK(test_trade_after_its_change),
        BOOK(test_implied_maker),
        BOOK(test_small_trade),
        BOOK(test_unknown_side),
        BOOK(test_takers_share),
        BOOK(test_user_takes),
        BOOK(test_user_gives),
        BOOK(test_user_gives_above),
        BOOK(test_late_fill),
        BOOK(test_canceled),
        BOOK(test_passed_levels),
        BOOK(test_drift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
