/* SPDX-License-Identifier: MIT */
/* engine6.c — what version 6 did not have: members of the genesis, kinds and members of events. */
#include "app/cli/engine6.h"

#include "base/fixed.h"
#include "log/log.h"

#define TOTAL_RATIO 20000000 /* 0.2: the default of ifMaxLossTotal */

static_assert(ENGINE6 == LOG_CONVERTIBLE, "the oldest version that is offered");

void engine6_genesis(struct genesis *genesis)
{
    assert(genesis->rules.fund_total_ratio == 0 && genesis->prices_by_hand == 0);
    if (genesis->perps_count == 0) return;
    genesis->rules.fund_total_ratio = TOTAL_RATIO;
    genesis->prices_by_hand = genesis->development;
}

/* Bytes of each kind of event in version 6. Later members are behind them, or where zeros were. */
static const uint16_t bytes_then[] = {
    [EVENT_COMMAND_BEGAN] = 40, [EVENT_REFUSED] = 40,  [EVENT_RESULT] = 136,  [EVENT_ORDER] = 144,
    [EVENT_TRADE] = 72,         [EVENT_FILL] = 120,    [EVENT_BALANCE] = 40,  [EVENT_LEVEL] = 40,
    [EVENT_ACCOUNT] = 48,       [EVENT_FEE_TIER] = 24, [EVENT_SCHEDULE] = 32, [EVENT_EVM_BALANCE] = 40,
    [EVENT_KEY] = 112,          [EVENT_TRANSFER] = 80, [EVENT_TIME] = 16,     [EVENT_PERPS_ORDER] = 192,
    [EVENT_POSITION] = 144,     [EVENT_LEVERAGE] = 32, [EVENT_PRICE] = 56,    [EVENT_FUNDING] = 56,
    [EVENT_UNIT] = 64,          [EVENT_VENUE] = 24,    [EVENT_SYMBOL] = 16,   [EVENT_UNIT_POSITION] = 64,
    [EVENT_PHASE] = 32,         [EVENT_MODE] = 16,
};

void engine6_events(const struct events *from, struct events *into)
{
    into->len = 0;
    for (const struct event *event = events_first(from); event != NULL; event = events_next(from, event)) {
        struct event *copy = (struct event *)(void *)(into->at + into->len);

        if (event->kind >= ARRAY_COUNT(bytes_then)) continue;
        assert(bytes_then[event->kind] != 0 && bytes_then[event->kind] <= event->bytes);
        assert(into->len + bytes_then[event->kind] <= into->cap);
        memcpy(copy, event, bytes_then[event->kind]);
        copy->bytes = bytes_then[event->kind];
        if (event->kind == EVENT_FILL) ((struct filled *)(void *)copy)->self = 0;
        if (event->kind == EVENT_TRADE) ((struct traded *)(void *)copy)->self = 0;
        into->len += copy->bytes;
    }
}
