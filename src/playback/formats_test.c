/* SPDX-License-Identifier: MIT */
/* Rows of Tardis and LOBSTER: samples made by hand after the public descriptions of the formats. */
#include "playback/columns.h"
#include "playback/lobster.h"
#include "playback/tardis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static char why[PLAYBACK_WHY_BYTES];

static void assert_decimal(struct decimal value, int64_t digits, uint32_t scale)
{
    assert_int_equal(value.digits, digits);
    assert_int_equal(value.scale, scale);
}

/* ---- values ---- */

static void test_columns(void **state)
{
    struct slice value[3];

    (void)state;
    assert_int_equal(columns_split(SLICE("a,,c\r"), 3, value), 3);
    assert_int_equal(value[1].len, 0);
    assert_true(slice_is(value[2], "c"));
    assert_true(columns_split(SLICE("a,b,c,d"), 3, value) > 3);
    assert_int_equal(columns_split(SLICE(""), 3, value), 1);
}

static void test_numbers(void **state)
{
    struct decimal value;
    int64_t        integer;

    (void)state;
    assert_true(columns_decimal(SLICE("61234.50"), &value));
    assert_decimal(value, 612345, 1);
    assert_true(columns_decimal(SLICE("1.5e-05"), &value));
    assert_decimal(value, 15, 6);
    assert_true(columns_decimal(SLICE("2E3"), &value));
    assert_decimal(value, 2000, 0);
    assert_true(columns_decimal(SLICE("1e+2"), &value));
    assert_decimal(value, 100, 0);
    assert_false(columns_decimal(SLICE("1e-19"), &value));
    assert_false(columns_decimal(SLICE("1e"), &value));
    assert_false(columns_decimal(SLICE("e5"), &value));
    assert_false(columns_decimal(SLICE("1e--5"), &value));
    assert_false(columns_decimal(SLICE("-1"), &value));
    assert_false(columns_decimal(SLICE(""), &value));
    assert_false(columns_decimal(SLICE("NaN"), &value));
    assert_true(columns_integer(SLICE("-9999999999"), &integer));
    assert_int_equal(integer, -9999999999);
    assert_false(columns_integer(SLICE("1.5"), &integer));
}

/* ---- Tardis ---- */

#define BOOK_HEADER   "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount"
#define LOCAL         "1760000000000456"
#define TRADES_HEADER "exchange,symbol,timestamp,local_timestamp,id,side,price,amount"

static void test_tardis_headers(void **state)
{
    (void)state;
    assert_int_equal(tardis_header(SLICE(BOOK_HEADER)), TARDIS_BOOK);
    assert_int_equal(tardis_header(SLICE(TRADES_HEADER "\r")), TARDIS_TRADES);
    assert_int_equal(tardis_header(SLICE(TRADES_HEADER ",more")), TARDIS_NONE);
    assert_int_equal(tardis_header(SLICE("")), TARDIS_NONE);
}

static void test_tardis_columns_that_differ(void **state)
{
    (void)state;
    assert_true(tardis_differs(SLICE("exchange,symbol,timestamp,local_timestamp,is_snapshot,price,side,amount"), why));
    assert_string_equal(why, "column 6 is not side, as in incremental_book_L2 of Tardis: price");
    assert_true(tardis_differs(SLICE("exchange,symbol,timestamp,local_timestamp,id,side,price\r"), why));
    assert_string_equal(why, "column 8 is not amount, as in trades of Tardis");
    assert_true(tardis_differs(SLICE(BOOK_HEADER ",more"), why));
    assert_string_equal(why, "more than the 8 columns of Tardis");
    assert_true(tardis_differs(SLICE("made-up,BTCX,1," LOCAL ",true,bid,100.5,0.25"), why));
    assert_string_equal(why, "column 1 is not exchange, as in incremental_book_L2 of Tardis: made-up");
    assert_true(tardis_differs(SLICE("\xef\xbb\xbf" TRADES_HEADER), why));
    assert_string_equal(why, "column 1 is not exchange, as in incremental_book_L2 of Tardis: ???exchange");
    assert_false(tardis_differs(SLICE("hello"), why));
    assert_false(tardis_differs(SLICE(""), why));
}

static void assert_time(const char *time, const char *problem)
{
    struct tardis_row row;
    char              line[128], expected[PLAYBACK_WHY_BYTES];

    (void)snprintf(line, sizeof(line), "made-up,BTCX,1,%s,true,bid,100.5,0.25", time);
    (void)snprintf(expected, sizeof(expected), "local_timestamp is no microseconds of a date of 2000 to 2099%s: %s",
                   problem != NULL ? problem : "", time);
    why[0] = '\0';
    assert_int_equal(tardis_read(TARDIS_BOOK, slice_of(line), &row, why), problem == NULL);
    assert_string_equal(why, problem == NULL ? "" : expected);
}

/* Decision 146: a time of another unit is refused, and the unit is named. */
static void test_tardis_times(void **state)
{
    (void)state;
    assert_time("946684800000000", NULL);
    assert_time("946684799999999", "");
    assert_time("4102444799999999", NULL);
    assert_time("4102444800000000", "");
    assert_time("1760000000", ", but seconds");
    assert_time("946684800000", ", but milliseconds");
    assert_time("4102444799999", ", but milliseconds");
    assert_time("1760000000000456789", ", but nanoseconds");
    assert_time("9760000000000456789", "");
    assert_time("1000000", "");
    assert_time("0", "");
    assert_time("-1760000000000456", "");
    assert_time("1760000000000456.5", "");
    assert_time("NaN", "");
}

static void test_tardis_book(void **state)
{
    struct tardis_row row;

    (void)state;
    assert_true(tardis_read(TARDIS_BOOK, SLICE("made-up,BTCX,1760000000000123,1760000000000456,true,bid,100.5,0.25"),
                            &row, why));
    assert_int_equal(row.event.kind, PLAYBACK_LEVEL);
    assert_int_equal(row.event.time_us, 1760000000000456);
    assert_int_equal(row.event.side, SIDE_BUY);
    assert_true(row.is_snapshot);
    assert_true(slice_is(row.exchange, "made-up"));
    assert_true(slice_is(row.symbol, "BTCX"));
    assert_decimal(row.event.price, 1005, 1);
    assert_decimal(row.event.quantity, 25, 2);
    assert_true(tardis_read(TARDIS_BOOK, SLICE("made-up,BTCX,1," LOCAL ",false,ask,100.6,0"), &row, why));
    assert_int_equal(row.event.side, SIDE_SELL);
    assert_false(row.is_snapshot);
    assert_int_equal(row.event.quantity.digits, 0);
}

static void test_tardis_trades(void **state)
{
    struct tardis_row row;

    (void)state;
    assert_true(tardis_read(TARDIS_TRADES, SLICE("made-up,BTCX,1," LOCAL ",id-7,sell,100.5,1e-3"), &row, why));
    assert_int_equal(row.event.kind, PLAYBACK_TRADE);
    assert_int_equal(row.event.side, SIDE_SELL);
    assert_decimal(row.event.quantity, 1, 3);
    assert_true(tardis_read(TARDIS_TRADES, SLICE("made-up,BTCX,1," LOCAL ",,unknown,100.5,1"), &row, why));
    assert_int_equal(row.event.side, 0);
}

static void test_tardis_refusals(void **state)
{
    static const char *const wrong[] = {
        "x,BTCX,1," LOCAL ",true,bid,100.5",
        "x,BTCX,1," LOCAL ",true,bid,100.5,1,1",
        "x,\x1b[31mBTCX,1," LOCAL ",true,bid,100.5,1",
        "x y,BTCX,1," LOCAL ",true,bid,100.5,1",
        ",BTCX,1," LOCAL ",true,bid,100.5,1",
        "x,,1," LOCAL ",true,bid,100.5,1",
        "x,BTCX,1,-2,true,bid,100.5,1",
        "x,BTCX,1,2.5,true,bid,100.5,1",
        "x,BTCX,1," LOCAL ",yes,bid,100.5,1",
        "x,BTCX,1," LOCAL ",true,buy,100.5,1",
        "x,BTCX,1," LOCAL ",true,bid,0,1",
        "x,BTCX,1," LOCAL ",true,bid,100.5,-1",
        "x,BTCX,1," LOCAL ",true,unknown,1,1",
        "",
    };
    struct tardis_row row;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        why[0] = '\0';
        assert_false(tardis_read(TARDIS_BOOK, slice_of(wrong[i]), &row, why));
        assert_true(why[0] != '\0');
    }
    assert_false(tardis_read(TARDIS_BOOK, SLICE("x,BTCX,1," LOCAL ",true,bid,100.5,0.1234567890123456789"), &row, why));
    assert_string_equal(why, "amount is no number of at most 18 digits: 0.1234567890123456789");
    assert_true(tardis_read(TARDIS_BOOK, SLICE("x,BTCX,1," LOCAL ",true,bid,100.5,0.123456789012345678"), &row, why));
    assert_false(tardis_read(TARDIS_BOOK, SLICE("x,BTCX,1," LOCAL ",true,\x1b[31m,100.5,1"), &row, why));
    assert_string_equal(why, "side is not known: ?[31m");
    assert_false(tardis_read(TARDIS_TRADES, SLICE("x,BTCX,1," LOCAL ",7,bid,100.5,1"), &row, why));
    assert_false(tardis_read(TARDIS_TRADES, SLICE("x,BTCX,1," LOCAL ",7,buy,100.5,0"), &row, why));
}

/* ---- LOBSTER ---- */

static struct lobster_message message(const char *line)
{
    struct lobster_message message;

    assert_true(lobster_read_message(slice_of(line), &message, why));
    return message;
}

static struct lobster_book book(const char *line)
{
    struct lobster_book book;

    assert_true(lobster_read_book(slice_of(line), &book, why));
    return book;
}

static void test_lobster_message(void **state)
{
    struct lobster_message read = message("34200.017459617,1,1001,18,2239500,-1");

    (void)state;
    assert_int_equal(read.time_us, 34200017459);
    assert_int_equal(read.order, 1001);
    assert_int_equal(read.side, SIDE_SELL);
    assert_decimal(read.price, 22395, 2);
    assert_decimal(read.quantity, 18, 0);
    assert_int_equal(message("34200,7,0,0,-1,-1").type, LOBSTER_HALT);
    assert_int_equal(message("34200,6,-1,100,2002000,-1").type, LOBSTER_CROSS); /* the opening auction */
    assert_int_equal(message("57600,6,-4,100,2002000,1").order, 0);
    assert_false(lobster_read_message(SLICE("34200,4,-1,100,2002000,-1"), &read, why));
    assert_false(lobster_read_message(SLICE("34200,8,0,0,1,-1"), &read, why));
    assert_false(lobster_read_message(SLICE("86400,1,0,5,1,-1"), &read, why));
    assert_false(lobster_read_message(SLICE("34200,1,0,5,-1,-1"), &read, why));
    assert_false(lobster_read_message(SLICE("34200,1,0,5,10000,0"), &read, why));
    assert_false(lobster_read_message(SLICE("34200,1,0,5,10000"), &read, why));
    assert_false(lobster_read_message(SLICE("34200,1,0,-5,10000,1"), &read, why));
}

static void test_lobster_book(void **state)
{
    struct lobster_book read = book("2239500,100,2231800,90,9999999999,0,-9999999999,0");

    (void)state;
    assert_int_equal(read.count[0], 1);
    assert_int_equal(read.count[1], 1);
    assert_int_equal(read.columns, 8);
    assert_int_equal(read.level[1][0].price, 2239500);
    assert_int_equal(read.level[0][0].quantity, 90);
    assert_false(lobster_read_book(SLICE("2239500,100,2231800"), &read, why));
    assert_false(lobster_read_book(SLICE("2239500,x,2231800,90"), &read, why));
    assert_int_equal(lobster_columns(SLICE("2239500,100,2231800,90")), 4);
    assert_int_equal(lobster_columns(SLICE("34200.017459617,1,1001,18,2239500,-1")), 6);
    assert_int_equal(lobster_columns(SLICE("exchange,symbol")), 0);
}

static void test_lobster_lines_that_differ(void **state)
{
    (void)state;
    assert_true(lobster_differs(SLICE("2239500,100,x,90"), why));
    assert_string_equal(why, "line 1: column 3 of the order book is no number: x");
    assert_true(lobster_differs(SLICE("34200.5,1,1001,,2239500,-1"), why));
    assert_string_equal(why, "line 1: column 4 of the message is no number");
    assert_true(lobster_differs(SLICE("34200.5,1,1001,18,2239500,-1,null"), why));
    assert_string_equal(why, "a message of LOBSTER has 6 columns, an order book 4 a level, 200 at most: "
                             "34200.5,1,1001,18,2239500,-1,null");
    assert_false(lobster_differs(SLICE("34200.5,1,1001,18,2239500,-1"), why));
    assert_false(lobster_differs(SLICE("made-up,BTCX,1," LOCAL ",true,bid,100.5,0.25"), why));
    assert_false(lobster_differs(SLICE("5"), why));
}

/* An execution at a resting sell order was started by a buyer. */
static void test_lobster_trade(void **state)
{
    struct lobster_message executed = message("34200.5,4,1001,18,2239500,-1"),
                           hidden = message("34200.5,5,0,7,2239500,1"),
                           submitted = message("34200.5,1,1001,18,2239500,-1");
    struct playback_event event;

    (void)state;
    assert_true(lobster_trade(&executed, &event));
    assert_int_equal(event.side, SIDE_BUY);
    assert_decimal(event.price, 22395, 2);
    assert_true(lobster_trade(&hidden, &event));
    assert_int_equal(event.side, SIDE_SELL);
    assert_false(lobster_trade(&submitted, &event));
}

static void test_lobster_changes(void **state)
{
    struct lobster_book before = book("2239500,100,2231800,90,2240000,5,2231700,8"),
                        after = book("2239500,100,2231800,70,2239900,6,2231600,3");
    struct lobster_message reduced = message("34200.5,2,1001,20,2231800,1");
    struct playback_event  events[LOBSTER_CHANGES_MAX];

    (void)state;
    assert_int_equal(lobster_changes(&before, &after, &reduced, events), 5);
    assert_int_equal(events[0].side, SIDE_BUY); /* 223.17 is gone */
    assert_decimal(events[0].price, 22317, 2);
    assert_int_equal(events[0].quantity.digits, 0);
    assert_decimal(events[1].price, 22318, 2);
    assert_decimal(events[1].quantity, 70, 0);
    assert_int_equal(events[1].order, 1001);
    assert_decimal(events[2].price, 22316, 2);
    assert_int_equal(events[2].order, 0);
    assert_int_equal(events[3].quantity.digits, 0); /* 224.00 is gone */
    assert_decimal(events[4].price, 22399, 2);
    assert_int_equal(lobster_changes(&after, &after, &reduced, events), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_tardis_headers),
        cmocka_unit_test(test_tardis_columns_that_differ),
        cmocka_unit_test(test_tardis_times),
        cmocka_unit_test(test_tardis_book),
        cmocka_unit_test(test_tardis_trades),
        cmocka_unit_test(test_tardis_refusals),
        cmocka_unit_test(test_lobster_message),
        cmocka_unit_test(test_lobster_book),
        cmocka_unit_test(test_lobster_lines_that_differ),
        cmocka_unit_test(test_lobster_trade),
        cmocka_unit_test(test_lobster_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
