/* SPDX-License-Identifier: MIT */
/*
 * coded_test.c — events that break a rule by which the encoded form leaves words out are noticed: they do not come out
 * of it as they were told.
 */
#include "coded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#define NOW  1776000000123
#define ROOM 65536

static struct {
    struct command      head;
    struct place_orders place;
} commands[2];

static struct genesis genesis;
static uint8_t        bytes[ROOM];
static struct events  told;

static struct order_changed order_of(uint8_t status, uint8_t exec_type)
{
    return (struct order_changed){ .head = { EVENT_ORDER, sizeof(struct order_changed), MARKET_SPOT, { 0 } },
                                   .order_id = 1,
                                   .account_id = 1001,
                                   .symbol_id = 1,
                                   .side = SIDE_BUY,
                                   .status = status,
                                   .exec_type = exec_type,
                                   .client_id = client_id_make(SLICE("a")),
                                   .price = 100,
                                   .quantity = 5,
                                   .frozen = status == STATUS_NEW ? 500 : 0,
                                   .created_ms = NOW,
                                   .updated_ms = NOW };
}

/* COMMAND_BEGAN, and the RESULT of its item. */
static void begin(uint32_t number, uint16_t kind, uint64_t order_id)
{
    struct command *command = &commands[number].head;

    *command = (struct command){
        .bytes = sizeof(commands[0]), .kind = kind, .market = MARKET_SPOT, .seq = number + 1, .time_ms = NOW
    };
    commands[number].place.count = 1;
    commands[number].place.items[0].client_id = client_id_make(SLICE("a"));
    told = (struct events){ bytes, 0, sizeof(bytes) };
    *EVENT_ADD(&told, COMMAND_BEGAN, command_began, MARKET_SPOT) =
        (struct command_began){ .head = { EVENT_COMMAND_BEGAN, sizeof(struct command_began), MARKET_SPOT, { 0 } },
                                .seq = command->seq,
                                .time_ms = NOW,
                                .command_kind = kind,
                                .account_id = 1001 };
    if (order_id == 0) return;
    struct result *result = EVENT_ADD(&told, RESULT, result, MARKET_SPOT);
    result->order_id = order_id;
    result->client_id = client_id_make(SLICE("a"));
}

static void add_level(int64_t quantity, uint64_t update_id)
{
    struct level_changed *level = EVENT_ADD(&told, LEVEL, level_changed, MARKET_SPOT);

    level->symbol_id = 1;
    level->side = SIDE_BUY;
    level->price = 100;
    level->quantity = quantity;
    level->update_id = update_id;
}

static void add_balance(int64_t locked)
{
    struct balance *balance = EVENT_ADD(&told, BALANCE, balance, MARKET_SPOT);

    balance->account_id = 1001;
    balance->coin_id = 2;
    balance->total = 1000;
    balance->locked = locked;
}

/* An order rests and ends in a TICK; `broken` says which of it is told otherwise than the rules have it. */
enum broken { NOTHING, PRICE, CREATED, EXECUTED, QUANTITY_OF_LEVEL, UPDATE_ID, LOCKED, TOTAL };

static const char *play(enum broken broken)
{
    struct coded         coded;
    struct balance       funds = { .head = { EVENT_BALANCE, sizeof(funds), MARKET_SPOT, { 0 } },
                                   .account_id = 1001,
                                   .coin_id = 2,
                                   .total = broken == TOTAL ? 999 : 1000 };
    struct events        before = { (uint8_t *)&funds, sizeof(funds), sizeof(funds) };
    struct order_changed order = order_of(STATUS_NEW, EXEC_NEW);
    static char          text[160];
    const char          *wrong;

    genesis.spot[0].base_coin_id = 1;
    genesis.spot[0].quote_coin_id = 2;
    coded_open(&coded, &genesis, &before, ROOM);
    begin(0, CMD_PLACE_ORDERS, 1);
    *EVENT_ADD(&told, ORDER, order_changed, MARKET_SPOT) = order;
    add_level(broken == QUANTITY_OF_LEVEL ? 6 : 5, broken == UPDATE_ID ? 2 : 1);
    add_balance(broken == LOCKED ? 501 : 500);
    wrong = coded_compare(&coded, &commands[0].head, &told);
    if (wrong == NULL) {
        begin(1, CMD_TICK, 0);
        order = order_of(STATUS_CANCELED, EXEC_CANCELED);
        if (broken == PRICE) order.price += 1;
        if (broken == CREATED) order.created_ms -= 1;
        if (broken == EXECUTED) order.executed += 1;
        *EVENT_ADD(&told, ORDER, order_changed, MARKET_SPOT) = order;
        wrong = coded_compare(&coded, &commands[1].head, &told);
    }
    (void)snprintf(text, sizeof(text), "%s", wrong == NULL ? "" : wrong);
    coded_close(&coded);
    return text;
}

static void each_rule_that_is_broken_is_noticed(void **state)
{
    (void)state;
    assert_string_equal(play(NOTHING), "");
    for (enum broken broken = PRICE; broken <= TOTAL; broken++) {
        print_message("%d: %s\n", broken, play(broken));
        assert_non_null(strstr(play(broken), "decoded: an event of kind"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_rule_that_is_broken_is_noticed) };

    return cmocka_run_group_tests_name("twin/coded", tests, NULL, NULL);
}
