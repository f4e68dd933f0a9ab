/* SPDX-License-Identifier: MIT */
/* market_rig.h — an engine, its views and the traders, without log and threads: a day takes seconds. Header only. */
#ifndef RIGS_MARKET_MARKET_RIG_H
#define RIGS_MARKET_MARKET_RIG_H

#include "app/config.h"
#include "base/keccak.h"
#include "core/engine.h"
#include "market/market.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define RIG_TIME     INT64_C(1767225600000)
#define RIG_COMMANDS (4 << 20)
#define RIG_SYMBOLS  5
#define RIG_PERPS(b, p, t, q, s, r)                                                                                    \
    "[perps " b "-USD]\nbaseCoin = " b "\npricePrecision = " p "\ntickSize = " t "\nquantityPrecision = " q            \
    "\nstepSize = " s "\nminQuantity = " s "\nmaxQuantity = 100000\nminNotional = 1\nlistingReferencePrice = " r       \
    "\nmarginTiers = 4000000:25, 10000000:20\n"
#define RIG_SPOT(c, p, t, q, s, r)                                                                                     \
    "[market v" c "_vUSDC]\nbaseCoin = v" c "\nquoteCoin = vUSDC\npricePrecision = " p "\ntickSize = " t               \
    "\nquantityPrecision = " q "\nstepSize = " s "\nminNotional = 5\nmakerFee = 0.00035\ntakerFee = 0.00065\n"         \
    "listingReferencePrice = " r "\n"

static const char rig_config[] =
    "[dojima]\ndata = d\nchainIds = 77\naccounts = 100\norders = 10000\nlevels = 10000\nsigners = 300\n"
    "deposits = 10000\npositions = 1000\n[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n"
    "[coin vETH]\nprecision = 8\n" RIG_SPOT("BTC", "1", "0.1", "5", "0.00001", "100000")
        RIG_SPOT("ETH", "2", "0.01", "4", "0.0001", "4000")
            RIG_PERPS("BTC", "1", "0.1", "5", "0.00001", "100000") "spotMarket = vBTC_vUSDC\n" RIG_PERPS(
                "ETH", "2", "0.01", "4", "0.0001", "4000") "spotMarket = vETH_vUSDC\n" RIG_PERPS("SOL", "2", "0.01",
                                                                                                 "2", "0.01", "200");

struct market_rig {
    struct config       config;
    struct traders      market;
    struct market_knobs knobs;
    struct engine      *engine;
    struct views       *views;
    struct events       events;
    uint8_t            *commands; /* of the step at hand */
    size_t              commands_len;
    uint64_t            seq;
    int64_t             time_ms;
    /* what has been seen */
    uint64_t orders, refused, liquidations, deposits;
    uint64_t rejects[65536];
    uint64_t trades[RIG_SYMBOLS];     /* spot symbols, then perps */
    int64_t  traded_ms[RIG_SYMBOLS];  /* the last trade */
    int64_t  longest_ms[RIG_SYMBOLS]; /* between two trades */
    uint32_t drop;                    /* a planted error: the command number that is lost; 0 = none */
};

static inline void rig_take(struct market_rig *rig, const struct command *command)
{
    assert_true(rig->commands_len + command->bytes <= RIG_COMMANDS);
    memcpy(rig->commands + rig->commands_len, command, command->bytes);
    rig->commands_len += command->bytes;
}

static inline bool rig_send(void *self, struct command *command)
{
    rig_take(self, command);
    return true;
}

static inline bool rig_deposit(void *self, const struct deposit *deposit, struct slice name)
{
    struct market_rig *rig = self;
    struct hash256     hash = keccak256(name.at, name.len);
    struct {
        struct command head;
        struct deposit deposit;
    } room = { .head = { .bytes = sizeof(room), .kind = CMD_DEPOSIT }, .deposit = *deposit };

    memcpy(room.deposit.id.bytes, hash.bytes, sizeof(room.deposit.id.bytes));
    rig->deposits += 1;
    rig_take(rig, &room.head);
    return true;
}

static inline void rig_traded(struct market_rig *rig, const struct traded *trade, uint8_t side)
{
    uint32_t at = trade->symbol_id - 1 + (side == MARKET_PERPS ? 2 : 0);
    int64_t  before = rig->traded_ms[at] == 0 ? RIG_TIME : rig->traded_ms[at];

    rig->trades[at] += 1;
    rig->longest_ms[at] = max_i64(rig->longest_ms[at], trade->time_ms - before);
    rig->traded_ms[at] = trade->time_ms;
}

static inline void rig_look(struct market_rig *rig)
{
    const struct events *events = &rig->events;

    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (event->kind == EVENT_RESULT) rig->rejects[((const struct result *)(const void *)event)->reject] += 1;
        if (event->kind == EVENT_REFUSED) rig->refused += 1;
        if (event->kind == EVENT_UNIT) rig->liquidations += 1;
        if (event->kind == EVENT_TRADE) rig_traded(rig, (const struct traded *)(const void *)event, event->market);
    }
}

static inline void rig_apply(struct market_rig *rig, struct command *command)
{
    const struct command_row *row = command_row(command->kind);

    command->seq = ++rig->seq;
    command->time_ms = rig->time_ms;
    if (row->item_bytes != 0 && row->class != CLASS_CANCEL) rig->orders += command_items(command);
    if (rig->drop != 0 && rig->seq == rig->drop) command->kind = CMD_TICK;
    rig->events.len = 0;
    engine_apply(rig->engine, command, &rig->events);
    rig_look(rig);
    views_part(rig->views, &rig->events);
}

/* One step: a TICK at whole seconds, and then what the traders wrote before they saw it. */
static inline void rig_step(struct market_rig *rig)
{
    struct market_writer writer = { rig, rig_send, rig_deposit };
    struct {
        struct command head;
        struct tick    tick;
    } tick = { .head = { .bytes = sizeof(tick), .kind = CMD_TICK } };

    rig->time_ms += MARKET_STEP_MS;
    rig->commands_len = 0;
    market_step(&rig->market, &rig->knobs, rig->time_ms, &writer);
    if (rig->time_ms % 1000 == 0) rig_apply(rig, &tick.head);
    for (size_t at = 0; at < rig->commands_len;) {
        struct command *command = (struct command *)(void *)(rig->commands + at);

        at += command->bytes;
        rig_apply(rig, command);
    }
    rig->events.len = 0;
    views_apply(rig->views, &rig->events, NULL);
}

static inline void rig_run(struct market_rig *rig, int64_t seconds)
{
    int64_t end_ms = rig->time_ms + seconds * 1000;

    while (rig->time_ms < end_ms) rig_step(rig);
}

static inline struct market_rig *rig_make(uint64_t seed, uint8_t preset)
{
    struct market_rig *rig = calloc(1, sizeof(*rig));
    struct genesis    *genesis = &rig->config.genesis;
    char               error[256];
    size_t             bytes, views_bytes;

    assert_true(config_read(rig_config, "test", true, &rig->config, error, sizeof(error)));
    genesis->time_ms = rig->time_ms = RIG_TIME;
    genesis->prices_by_hand = 1;
    bytes = align_up(engine_size(genesis), 64);
    views_bytes = align_up(views_size(genesis), 64);
    rig->events.cap = engine_events_bytes(genesis);
    rig->events.at = calloc(1, rig->events.cap);
    rig->commands = aligned_alloc(64, RIG_COMMANDS);
    rig->engine = engine_init(memset(aligned_alloc(64, bytes), 0, bytes), genesis, &rig->events);
    rig->views = views_init(memset(aligned_alloc(64, views_bytes), 0, views_bytes), genesis);
    views_apply(rig->views, &rig->events, NULL);
    rig->market = market_make(seed, genesis, rig->views);
    rig->knobs = (struct market_knobs){ .preset = preset, .takers = 100 };
    return rig;
}

static inline void rig_free(struct market_rig *rig)
{
    views_deinit(rig->views);
    free(rig->views);
    free(rig->engine);
    free(rig->events.at);
    free(rig->commands);
    free(rig);
}

#endif
