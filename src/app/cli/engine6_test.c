/* SPDX-License-Identifier: MIT */
/* engine6_test.c — events in the form of version 6; a snapshot of another version is not read as version 6. */
#include "app/cli/engine6.h"

#include "base/fixed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static uint8_t       room[4096], copy[4096];
static struct events events = { room, 0, sizeof(room) };

/* An event of a kind with every byte behind its head set. */
static void add(uint16_t kind, uint16_t bytes)
{
    struct event *event = (struct event *)(void *)(room + events.len);

    memset(event, 0xa5, bytes);
    *event = (struct event){ .kind = kind, .bytes = bytes };
    events.len += bytes;
}

static void later_members_and_kinds_are_left_out(void **state)
{
    (void)state;
    struct events into = { copy, 0, sizeof(copy) };

    events.len = 0;
    add(EVENT_RESULT, sizeof(struct result));
    add(EVENT_TRADE, sizeof(struct traded));
    add(EVENT_FILL, sizeof(struct filled));
    add(EVENT_FUND, sizeof(struct fund_changed));
    add(EVENT_POSITION, sizeof(struct position_changed));
    add(EVENT_PRICE, sizeof(struct price_changed));
    add(EVENT_INDEX_COMPOSED, sizeof(struct index_composed));
    engine6_events(&events, &into);
    assert_int_equal(into.len, 136 + 72 + 120 + 144 + 56);
    assert_memory_equal(copy, room, sizeof(struct result));

    const struct traded *trade = (const struct traded *)(const void *)(copy + 136);
    const struct filled *fill = (const struct filled *)(const void *)(copy + 136 + 72);

    assert_int_equal(trade->self, 0);
    assert_int_equal(trade->taker_side, 0xa5);
    assert_int_equal(fill->head.bytes, 120);
    assert_int_equal(fill->self, 0);
    assert_int_equal(fill->reason, 0xa5);
    assert_int_equal(((const struct event *)(const void *)(copy + into.len - 56))->kind, EVENT_PRICE);
}

static void new_members_of_the_genesis_are_for_perps_only(void **state)
{
    (void)state;
    struct genesis *genesis = calloc(1, sizeof(*genesis));

    genesis->development = 1;
    engine6_genesis(genesis);
    assert_int_equal(genesis->rules.fund_total_ratio, 0);
    assert_int_equal(genesis->prices_by_hand, 0);
    genesis->perps_count = 1;
    engine6_genesis(genesis);
    assert_int_equal(genesis->rules.fund_total_ratio, RATE_ONE / 5);
    assert_int_equal(genesis->prices_by_hand, 1);
    *genesis = (struct genesis){ .perps_count = 1 };
    engine6_genesis(genesis);
    assert_int_equal(genesis->prices_by_hand, 0);
    free(genesis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_members_and_kinds_are_left_out),
        cmocka_unit_test(new_members_of_the_genesis_are_for_perps_only),
    };

    return cmocka_run_group_tests_name("engine6", tests, NULL, NULL);
}
