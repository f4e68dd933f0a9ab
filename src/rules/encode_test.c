/* SPDX-License-Identifier: MIT */
/* encode_test.c — model/encoded.h: what an order that rests, a cancel and a trade cost, and when nothing is left out.
 */
#include "rules/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define NOW   1776000000123
#define ROOM  (64 * 1024)
#define OWNER 1001

struct made {
    struct encoder encoder;
    struct events  events;
    _Alignas(8) uint8_t bytes[ROOM], out[ROOM];
    size_t out_len;
};

static void begin(struct made *made, uint64_t told)
{
    memset(made, 0, sizeof(*made));
    made->encoder.newest = told;
    made->events = (struct events){ made->bytes, 0, sizeof(made->bytes) };
}

static void command(struct made *made, uint16_t kind)
{
    struct command_began *began = EVENT_ADD(&made->events, COMMAND_BEGAN, command_began, MARKET_SPOT);

    *began = (struct command_began){
        .head = began->head, .seq = 7, .time_ms = NOW, .origin = 99, .command_kind = kind, .account_id = OWNER
    };
}

static struct result *result(struct made *made, uint16_t index, uint64_t order_id)
{
    struct result *result = EVENT_ADD(&made->events, RESULT, result, MARKET_SPOT);

    result->index = index;
    result->status = STATUS_NEW;
    result->order_id = order_id;
    result->client_id = client_id_make(SLICE("a"));
    return result;
}

static struct order_changed *order(struct made *made, uint64_t order_id, uint8_t status, uint8_t exec_type)
{
    struct order_changed *order = EVENT_ADD(&made->events, ORDER, order_changed, MARKET_SPOT);

    order->order_id = order_id;
    order->account_id = OWNER;
    order->symbol_id = 1;
    order->side = SIDE_BUY;
    order->status = status;
    order->exec_type = exec_type;
    order->client_id = client_id_make(SLICE("a"));
    order->price = 100;
    order->quantity = 5;
    order->created_ms = order->updated_ms = NOW;
    return order;
}

static struct level_changed *level(struct made *made, int64_t price)
{
    struct level_changed *level = EVENT_ADD(&made->events, LEVEL, level_changed, MARKET_SPOT);

    level->symbol_id = 1;
    level->side = SIDE_BUY;
    level->price = price;
    level->quantity = 5;
    level->update_id = 3;
    return level;
}

static struct balance *balance(struct made *made)
{
    struct balance *balance = EVENT_ADD(&made->events, BALANCE, balance, MARKET_SPOT);

    balance->account_id = OWNER;
    balance->coin_id = 2;
    balance->total = 1000;
    balance->locked = 500;
    return balance;
}

static void encode(struct made *made)
{
    struct encoding encoding = encode_begin(&made->encoder, &made->events);
    size_t          piece;

    made->out_len = 0;
    while ((piece = encode_next(&encoding, made->out + made->out_len, ENCODE_ROOM)) != 0) made->out_len += piece;
}

/* The form of each record, in order; -1 = the end. */
static void expect_forms(struct made *made, ...)
{
    va_list args;
    size_t  at = 0;
    int     form;

    va_start(args, made);
    while ((form = va_arg(args, int)) >= 0) {
        const struct event *head = (const void *)(made->out + at);
        const uint64_t     *words = (const void *)(head + 1);

        assert_true(at < made->out_len);
        assert_int_equal(head->reserved[0], form);
        at += sizeof(*head);
        if (form == FORM_SPARSE) at += 8 + 8 * (size_t)__builtin_popcountll(words[0]);
        else if (form == FORM_WHOLE) at += head->bytes - sizeof(*head);
        else at += 8 * (size_t)encoded_words[form].count;
    }
    va_end(args);
    assert_int_equal(at, made->out_len);
}

/* A command whose order, with the next id, comes to rest; what is told behind it is missing. */
static struct order_changed *placed(struct made *made)
{
    begin(made, 40);
    command(made, CMD_PLACE_ORDERS);
    (void)result(made, 0, 41);
    return order(made, 41, STATUS_NEW, EXEC_NEW);
}

static void resting(struct made *made)
{
    placed(made)->frozen = 500;
    (void)level(made, 100);
    (void)balance(made);
}

static void an_order_that_rests_takes_88_bytes_of_400(void **state)
{
    struct made made;
    uint64_t    words[5];

    (void)state;
    resting(&made);
    assert_int_equal(made.events.len, 400);
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_RESTING, -1);
    assert_int_equal(made.out_len, 88);
    assert_int_equal(((struct event *)(void *)(made.out + 40))->reserved[1], BEHIND_LEVEL | BEHIND_BALANCE);
    memcpy(words, made.out + 48, sizeof(words));
    assert_int_equal(words[2], 100); /* price, quantity, frozen */
    assert_int_equal(words[3], 5);
    assert_int_equal(words[4], 500);
    assert_int_equal(made.encoder.newest, 41);
    assert_int_equal(made.encoder.emitted_id, 40);
}

static void a_cancel_takes_72_bytes_of_400(void **state)
{
    struct made made;

    (void)state;
    begin(&made, 41);
    command(&made, CMD_CANCEL_ORDERS);
    result(&made, 0, 41)->orig_client_id = client_id_make(SLICE("a"));
    (void)order(&made, 41, STATUS_CANCELED, EXEC_CANCELED);
    (void)level(&made, 100);
    (void)balance(&made);
    assert_int_equal(made.events.len, 400);
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_ENDED, -1);
    assert_int_equal(made.out_len, 72);
}

static struct filled *filled(struct made *made, uint64_t order_id, uint8_t side, bool is_maker)
{
    struct filled *fill = EVENT_ADD(&made->events, FILL, filled, MARKET_SPOT);

    fill->trade_id = 9;
    fill->order_id = order_id;
    fill->account_id = side == SIDE_BUY ? OWNER : OWNER + 1;
    fill->symbol_id = 1;
    fill->side = side;
    fill->is_maker = is_maker;
    fill->client_id = client_id_make(SLICE("a"));
    fill->price = 100;
    fill->quantity = 5;
    fill->fee = 1;
    fill->time_ms = NOW;
    return fill;
}

static void trade(struct made *made)
{
    struct traded *traded;

    begin(made, 41);
    command(made, CMD_PLACE_ORDERS);
    (void)result(made, 0, 42);
    traded = EVENT_ADD(&made->events, TRADE, traded, MARKET_SPOT);
    traded->trade_id = 9;
    traded->symbol_id = 1;
    traded->price = 100;
    traded->quantity = 5;
    traded->buyer_account_id = OWNER;
    traded->seller_account_id = OWNER + 1;
    traded->time_ms = NOW;
}

static void a_trade_is_a_deal_and_two_sides(void **state)
{
    struct made made;

    (void)state;
    trade(&made);
    (void)filled(&made, 41, SIDE_SELL, true);
    (void)filled(&made, 42, SIDE_BUY, false);
    (void)order(&made, 41, STATUS_FILLED, EXEC_FILLED);
    order(&made, 42, STATUS_FILLED, EXEC_FILLED)->executed = 5;
    (void)level(&made, 99);
    (void)balance(&made);
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_DEAL, FORM_SIDE, FORM_SIDE, FORM_TRADED, FORM_TAKEN, FORM_MOVED,
                 FORM_SPARSE, -1);
}

/* Everything that a form leaves out, changed: it is then written. */
static void what_is_not_as_the_form_says_is_written(void **state)
{
    struct made    made;
    struct result *item;

    (void)state;
    for (int changed = 0; changed < 6; changed++) {
        struct order_changed *told;

        told = placed(&made);
        if (changed == 0) told->client_id = client_id_make(SLICE("b"));
        if (changed == 1) told->account_id += 1;
        if (changed == 2) told->funds = 1;
        if (changed == 3) told->created_ms -= 1;
        if (changed == 4) told->created_ms = told->updated_ms = NOW - 1;
        if (changed == 5) told->order_id = 42;
        encode(&made);
        expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_SPARSE, -1);
    }
    for (int changed = 0; changed < 7; changed++) {
        begin(&made, 40);
        command(&made, changed == 5 ? CMD_SCHEDULE_CANCEL : CMD_PLACE_ORDERS);
        item = result(&made, 0, 41);
        if (changed == 0) item->reject = REJECT_BAD_NONCE;
        if (changed == 1) item->said = SAID_GOT;
        if (changed == 2) item->got.digits = 1;
        if (changed == 3) item->need.digits = 1;
        if (changed == 4) item->orig_client_id = client_id_make(SLICE("b"));
        encode(&made);
        expect_forms(&made, FORM_BEGAN, changed == 6 ? FORM_PASSED : FORM_SPARSE, -1);
    }
    for (int changed = 0; changed < 9; changed++) {
        struct filled *fill;

        trade(&made);
        fill = filled(&made, 42, SIDE_BUY, false);
        if (changed == 0) fill->trade_id += 1;
        if (changed == 1) fill->price += 1;
        if (changed == 2) fill->quantity += 1;
        if (changed == 3) fill->time_ms += 1;
        if (changed == 4) fill->liquidation_id = 1;
        if (changed == 5) fill->account_id += 1;
        if (changed == 6) fill->order_id = 43;
        if (changed == 7) fill->client_id = client_id_make(SLICE("b"));
        encode(&made);
        expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_DEAL, changed == 8 ? FORM_SIDE : FORM_SPARSE, -1);
    }
}

/* The level and balance behind an order are left out only where they follow from it. */
static void what_stands_behind_an_order_is_written_unless_it_is_of_it(void **state)
{
    struct made made;

    (void)state;
    (void)placed(&made);
    (void)level(&made, 99); /* another price */
    (void)balance(&made);
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_RESTING, FORM_MOVED, FORM_SPARSE, -1);

    begin(&made, 41);
    command(&made, CMD_CANCEL_FOR);
    (void)result(&made, 0, 0);
    for (uint64_t id = 40; id <= 41; id++) {
        (void)order(&made, id, STATUS_CANCELED, EXEC_CANCELED);
        (void)level(&made, 100);
    }
    (void)balance(&made); /* what both orders had frozen */
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_SPARSE, FORM_ENDED, FORM_ENDED, FORM_SPARSE, -1);

    (void)placed(&made);
    (void)level(&made, 100);
    balance(&made)->account_id = OWNER + 1;
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_RESTING, FORM_SPARSE, -1);
}

/* An order of this command that is told twice was not told before; in the next command it was. */
static void orders_are_known_from_the_next_command_on(void **state)
{
    struct made made;

    (void)state;
    (void)placed(&made);
    (void)order(&made, 41, STATUS_CANCELED, EXEC_CANCELED);
    command(&made, CMD_TICK);
    (void)order(&made, 41, STATUS_CANCELED, EXEC_CANCELED);
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_PASSED, FORM_RESTING, FORM_SPARSE, FORM_BEGAN, FORM_ENDED, -1);
}

/* More words than bits: INDEX_COMPOSED is not sparse. Pieces never cut a record. */
static void long_records_and_many_pieces(void **state)
{
    struct made made, again;

    (void)state;
    begin(&made, 40);
    command(&made, CMD_TICK);
    (void)events_add(&made.events, EVENT_INDEX_COMPOSED, sizeof(struct index_composed), MARKET_PERPS);
    encode(&made);
    expect_forms(&made, FORM_BEGAN, FORM_WHOLE, -1);

    resting(&made);
    for (uint64_t id = 42; id < 142; id++) {
        command(&made, CMD_PLACE_ORDERS);
        (void)result(&made, 0, id);
        order(&made, id, STATUS_NEW, EXEC_NEW)->frozen = 500;
    }
    again = made;
    again.events.at = again.bytes;
    encode(&made);
    assert_true(made.out_len > 2 * ENCODE_ROOM);
    struct encoding encoding = encode_begin(&again.encoder, &again.events);
    assert_int_equal(encode_next(&encoding, again.out, sizeof(again.out)), made.out_len);
    assert_int_equal(encode_next(&encoding, again.out, sizeof(again.out)), 0);
    assert_memory_equal(again.out, made.out, made.out_len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_that_rests_takes_88_bytes_of_400),
        cmocka_unit_test(a_cancel_takes_72_bytes_of_400),
        cmocka_unit_test(a_trade_is_a_deal_and_two_sides),
        cmocka_unit_test(what_is_not_as_the_form_says_is_written),
        cmocka_unit_test(what_stands_behind_an_order_is_written_unless_it_is_of_it),
        cmocka_unit_test(orders_are_known_from_the_next_command_on),
        cmocka_unit_test(long_records_and_many_pieces),
    };
    return cmocka_run_group_tests_name("rules/encode", tests, NULL, NULL);
}
