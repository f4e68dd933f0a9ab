/* SPDX-License-Identifier: MIT */
/*
 * perps.c — the cost of perps in the engine.
 *
 *   bench_perps [place] [liquidate] [idle] [settle] [stops]  all of them without arguments
 *
 * place: the same stream of limit orders on a spot and on a perps market, interleaved, one order per command: accounts
 *   with about 100 open orders on each side of the exchange and, on perps, a position; a quarter of the orders trade.
 *   The mark moves every 100,000 placements; the TICK itself and the cancels that keep the number of orders are not
 *   timed.
 * liquidate: one TICK in which 10,000 isolated positions fall below maintenance and are sold into the book, one fill
 *   each; then the same at the default of 1,000 units per TICK.
 * idle: a TICK over 100,000 healthy positions. settle: a symbol with 100,000 positions is settled, at the default of
 * 2,000 pairs per TICK. stops: memory of a million armed stops, and the cost of finding and executing as more of them
 * fire.
 */
#include <inttypes.h>

#include "rigs/core/perps_fixture.h"
#include "rigs/random.h"
#include "figure.h"
#include "machine.h"

#define WHO_RICH 1

/* The exchange on memory that is touched when it is used, or before. */
static struct fixture *start(struct fixture *f, bool touch)
{
    size_t bytes = engine_size(&f->genesis);

    f->events = (struct events){ bench_map(engine_events_bytes(&f->genesis)), 0, engine_events_bytes(&f->genesis) };
    f->engine = bench_map(bytes);
    if (touch) {
        madvise(f->engine, bytes, MADV_HUGEPAGE);
        memset(f->engine, 0, bytes);
    }
    (void)engine_init(f->engine, &f->genesis, &f->events);
    f->time_ms = f->genesis.time_ms;
    return f;
}

static struct fixture *make(uint32_t accounts, uint32_t orders, uint32_t levels)
{
    struct fixture *f = calloc(1, sizeof(*f));

    perps_genesis(&f->genesis);
    f->genesis.limits = (struct limits){ .accounts = accounts + 8,
                                         .orders = orders,
                                         .levels = levels,
                                         .signers = 3 * (accounts + 8),
                                         .deposits = 4 * (accounts + 8),
                                         .keys = 8,
                                         .transfers = 8,
                                         .positions = accounts + 64 };
    f->genesis.fund = INT64_C(1000000000000000);
    f->genesis.rules.settlement_notice_ms = f->genesis.rules.settlement_window_ms = 1000;
    for (uint32_t i = 0; i < 2; i++) {
        f->genesis.contracts[i].interest_rate = 0;
        f->genesis.perps[i].maker_fee = 12000;
        f->genesis.perps[i].taker_fee = 40000;
    }
    f->genesis.spot[0].maker_fee = 35000;
    f->genesis.spot[0].taker_fee = 65000;
    return f;
}

static void must(const struct fixture *f, const char *what)
{
    const struct result *result = result_at(f, 0);

    if (result != NULL && result->reject == REJECT_NONE) return;
    printf("WRONG: %s: %s\n", what, result == NULL ? "refused" : reject_row(result->reject)->name);
    exit(1);
}

static struct client_id id_of(uint64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, number);
    return cid(text);
}

/* ---- place ---- */

#define TRADERS 1000u
#define OPEN    100u
#define LUMP    1000u
#define LUMPS   600u

static uint64_t rings[2][TRADERS + 1][OPEN], ring_at[2][TRADERS + 1], order_number;

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n) { return (uint32_t)(random_congruent(&random_state) >> 33) % n; }

static void write_order(struct fixture *f, bool perps, uint32_t who, uint64_t number_of)
{
    uint8_t side = (uint8_t)(1 + random_below(2));
    int64_t away = random_below(4) == 0 ? -(int64_t)random_below(20) : 1 + (int64_t)random_below(400),
            price = 1000000 + (side == SIDE_BUY ? -away : away);

    fixture_head(f, perps ? CMD_PLACE_PERPS : CMD_PLACE_ORDERS,
                 perps ? PAYLOAD_BYTES(place_perps, 1) : PAYLOAD_BYTES(place_orders, 1));
    if (perps) {
        perps_sign(f, who);
        f->room.place_perps.symbol_id = BTC;
        f->room.place_perps.count = 1;
        f->room.place_perps.items[0] = (struct perps_order){ .client_id = id_of(number_of),
                                                             .modifier = MODIFIER_NORMAL,
                                                             .side = side,
                                                             .type = TYPE_LIMIT,
                                                             .time_in_force = TIF_GTC,
                                                             .position_side = POSITION_BOTH,
                                                             .price = decimal_make(price, 1),
                                                             .quantity = decimal_make(100 + random_below(100), 5) };
    } else {
        fixture_sign(f, who);
        f->room.place_orders.count = 1;
        f->room.place_orders.items[0] = (struct new_order){ .symbol_id = 1,
                                                            .client_id = id_of(number_of),
                                                            .side = side,
                                                            .type = TYPE_LIMIT,
                                                            .time_in_force = TIF_GTC,
                                                            .price = decimal_make(price, 1),
                                                            .quantity = decimal_make(100 + random_below(100), 5) };
    }
}

static void drop(struct fixture *f, bool perps, uint32_t who, uint64_t number_of)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, number_of);
    if (perps) (void)perps_drop(f, who, BTC, text);
    else (void)cancel(f, who, 0, text, "c");
}

/* LUMP placements prepared, applied under the clock, and as many old
   orders cancelled behind it; returns ns per placement. */
static double place_lump(struct fixture *f, bool perps)
{
    static struct {
        union {
            struct command head;
            uint8_t        bytes[sizeof(struct command) + PAYLOAD_BYTES(place_perps, 1) + 64];
        };
    } lump[LUMP];
    static uint32_t whose[LUMP];
    static uint64_t numbers[LUMP];
    int64_t         spent;

    for (uint32_t i = 0; i < LUMP; i++) {
        whose[i] = 1 + random_below(TRADERS);
        numbers[i] = ++order_number;
        write_order(f, perps, whose[i], numbers[i]);
        f->room.head.seq = ++f->seq;
        f->room.head.time_ms = f->time_ms;
        memcpy(&lump[i], &f->room, f->room.head.bytes);
    }
    spent = bench_ns();
    for (uint32_t i = 0; i < LUMP; i++) {
        f->events.len = 0;
        engine_apply(f->engine, &lump[i].head, &f->events);
    }
    spent = bench_ns() - spent;
    for (uint32_t i = 0; i < LUMP; i++) {
        uint64_t *place_of = &rings[perps][whose[i]][ring_at[perps][whose[i]]++ % OPEN];

        if (*place_of != 0) drop(f, perps, whose[i], *place_of);
        *place_of = numbers[i];
    }
    return (double)spent / LUMP;
}

static void bench_place(void)
{
    struct fixture *f = make(TRADERS, 4 * TRADERS * OPEN, 4096);
    static double   cost[2][LUMPS];
    double          after_move = 0;

    start(f, true);
    for (uint32_t who = 1; who <= TRADERS; who++) {
        (void)deposit(f, who, VUSDC, INT64_C(1000000000000));
        (void)deposit(f, who, VBTC, INT64_C(1000000000));
        perps_deposit(f, who, INT64_C(1000000000000));
    }
    perps_index(f, BTC, 1000000);
    for (uint32_t i = 0; i < 2 * TRADERS * OPEN / LUMP; i++)
        for (uint32_t perps = 0; perps < 2; perps++) (void)place_lump(f, perps != 0);
    for (uint32_t i = 0; i < LUMPS; i++) {
        if (i % 100 == 0) {
            perps_index(f, BTC, 1000000 + (int64_t)(i / 100 % 2) * 10);
            perps_tick(f, 1000);
        }
        for (uint32_t perps = 0; perps < 2; perps++) cost[perps][i] = place_lump(f, perps != 0);
        if (i % 100 == 0) after_move += cost[1][i] / (LUMPS / 100);
    }
    engine_verify(f->engine);
    double sums[2] = { 0 }, medians[2];
    for (uint32_t perps = 0; perps < 2; perps++) {
        for (uint32_t i = 0; i < LUMPS; i++) sums[perps] += cost[perps][i] / LUMPS;
        medians[perps] = bench_median(cost[perps], LUMPS);
    }
    printf("perps place: %.0f ns (median %.0f, first 1000 after the mark moved %.0f), spot %.0f ns (median %.0f), "
           "ratio of the medians %.2f (at most 2); %" PRIu64 " open orders, %u positions\n",
           sums[1], medians[1], after_move, sums[0], medians[0], medians[1] / medians[0],
           engine_counts(f->engine).open_orders, f->engine->position_count);
    figure("perps-place", medians[1], medians[0]);
}

/* ---- TICKs over many positions ---- */

/* `count` accounts, long 0.001 each, isolated, at 25x; user WHO_RICH is short of all of them. */
static struct fixture *crowd_of_longs(uint32_t count, uint32_t per_tick)
{
    struct fixture *f = make(count, 4096, 256);

    f->genesis.rules.liquidations_per_tick = per_tick;
    start(f, true);
    perps_deposit(f, WHO_RICH, INT64_C(1) << 58);
    perps_index(f, BTC, 1000000);
    f->genesis.rules.open_orders_per_account = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t           who = 2 + i;
        struct perps_order bid = perps_item("b", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "100000", "0.001"),
                           ask = perps_item("a", SIDE_SELL, TYPE_LIMIT, TIF_GTC, "100000", "0.001");

        perps_deposit(f, who, 1000000000);
        (void)perps_leverage(f, who, BTC, 25, MARGIN_ISOLATED);
        must(f, "leverage");
        (void)perps_send(f, who, BTC, &bid, 1);
        must(f, "bid");
        (void)perps_send(f, WHO_RICH, BTC, &ask, 1);
        must(f, "ask");
    }
    return f;
}

static double timed_tick(struct fixture *f, int64_t ms)
{
    int64_t from;

    f->time_ms += ms;
    fixture_head(f, CMD_TICK, sizeof(struct tick));
    f->room.head.seq = ++f->seq;
    f->room.head.time_ms = f->time_ms;
    f->events.len = 0;
    from = bench_ns();
    engine_apply(f->engine, &f->room.head, &f->events);
    return (double)(bench_ns() - from) / 1e6;
}

static uint32_t fills(const struct fixture *f, uint8_t reason)
{
    uint32_t count = 0;

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event))
        count += event->kind == EVENT_FILL && ((const struct filled *)(const void *)event)->reason == reason;
    return count;
}

static void bench_liquidate_with(uint32_t per_tick, double most)
{
    struct fixture    *f = crowd_of_longs(10000, per_tick);
    struct perps_order bid = perps_item("wall", SIDE_BUY, TYPE_LIMIT, TIF_GTC, "97900", "499");
    double             worst = 0, first = 0;
    uint32_t           ticks = 0, sold = 0;

    memset(f->events.at, 0, f->events.cap); /* touched, as in an exchange that runs */
    perps_prices(f, BTC, 979000, 979000);   /* E = 1.90 and MM = 1.958 each: a part has to go */
    (void)perps_send(f, WHO_RICH, BTC, &bid, 1);
    must(f, "wall");
    do {
        double spent = timed_tick(f, ticks == 0 ? 1000 : 0);
        if (ticks == 0) first = spent;
        if (spent > worst) worst = spent;
        sold += fills(f, REASON_LIQUIDATION);
        ticks += 1;
    } while (f->engine->work_left != 0 && ticks < 100);
    engine_verify(f->engine);
    printf("perps liquidate: %u units at most in a TICK: first %.1f ms, worst %.1f ms (at most %.0f) of %u TICKs, %u "
           "fills\n",
           per_tick, first, worst, most, ticks, sold);
    figure(per_tick == 1000 ? "perps-liquidate-1000" : "perps-liquidate", worst, 0);
}

static void bench_liquidate(void)
{
    bench_liquidate_with(10000, 100);
    bench_liquidate_with(1000, 15);
}

static void bench_idle(void)
{
    struct fixture *f = crowd_of_longs(100000, 1000);
    double          spent[21], median;

    for (uint32_t i = 0; i < ARRAY_COUNT(spent); i++) {
        perps_index(f, BTC, 1000000 + 10 * (i % 2));
        spent[i] = timed_tick(f, 1000);
    }
    median = bench_median(spent, ARRAY_COUNT(spent));
    printf("perps idle: TICK over %u positions %.2f ms (worst of 21 %.2f, at most 10)\n", f->engine->position_count,
           median, spent[20]);
    figure("perps-idle", median, 0);
}

static void bench_settle(void)
{
    struct fixture *f = crowd_of_longs(100000, 1000);
    double          worst = 0, all = 0;
    uint32_t        ticks = 0, closed = 0;

    memset(f->events.at, 0, f->events.cap);
    fixture_head(f, CMD_SETTLE, sizeof(struct settle_symbol));
    f->room.settle_symbol =
        (struct settle_symbol){ .symbol_id = BTC, .at_ms = f->time_ms + 1000, .id = operator_id(++f->deposit_id) };
    (void)apply_operator(f);
    must(f, "announcement");
    do {
        double spent = timed_tick(f, ticks == 0 ? 1000 : 0);
        if (spent > worst) worst = spent;
        all += spent;
        closed += fills(f, REASON_SETTLEMENT);
        ticks += 1;
    } while (f->engine->work_left != 0 && ticks < 100000);
    engine_verify(f->engine);
    printf("perps settle: %u positions in %u TICKs of %.1f ms, worst %.1f\n", closed / 2, ticks, all / ticks, worst);
}

/* ---- stops ---- */

#define STOPS 1000000u

/* Stop number i, of account i / 100 + 2: a plain buy above the mark, one tick further for each. */
static void arm(struct fixture *f, uint32_t i)
{
    struct perps_order item = { .modifier = MODIFIER_STOP,
                                .side = SIDE_BUY,
                                .type = TYPE_MARKET,
                                .time_in_force = TIF_IOC,
                                .position_side = POSITION_BOTH,
                                .stop_type = STOP_LOSS,
                                .trigger_type = TRIGGER_INDEX_PRICE,
                                .quantity = decimal_make(100, 5),
                                .stop_price = decimal_make(1000001 + (int64_t)(i * UINT64_C(7919) % STOPS), 1),
                                .client_id = id_of(i) };

    (void)perps_send(f, 2 + i / 100, BTC, &item, 1);
    must(f, "stop");
}

static void bench_stops(void)
{
    struct fixture       *f = make(STOPS / 100, STOPS + 1000, 1024);
    size_t                before;
    double                memory, spent;
    static const uint32_t steps[] = { 0, 100, 1000, 10000 };
    int64_t               index = 1000000;

    f->genesis.rules.triggers_per_command = 10000;
    f->genesis.limits.orders = STOPS;
    start(f, false);
    for (uint32_t who = 2; who < 2 + STOPS / 100; who++) {
        perps_deposit(f, who, INT64_C(1000000000));
        fixture_head(f, CMD_SCHEDULE_CANCEL, sizeof(struct schedule_cancel)); /* the nonces of its signer are there */
        perps_sign(f, who);
        fixture_apply(f);
    }
    perps_index(f, BTC, index);
    (void)timed_tick(f, 1000);
    before = bench_resident();
    for (uint32_t i = 0; i < STOPS; i++) arm(f, i);
    memory = (double)(bench_resident() - before) / 1048576.0;
    printf("perps stops: %u armed in %.0f MiB (at most 256)\n", STOPS, memory);
    figure("perps-stops", memory, 0);
    for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
        index += steps[i];
        perps_index(f, BTC, index);
        spent = timed_tick(f, 1000);
        printf("perps stops: %u fire: TICK %.3f ms%s\n", steps[i], spent, steps[i] == 0 ? "" : ", to the end of each");
    }
}

int main(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; void (*run)(void); } parts[] = {
        { "place", bench_place }, { "liquidate", bench_liquidate }, { "idle", bench_idle }, { "settle", bench_settle },
          { "stops", bench_stops },
    };
    /* clang-format on */

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        bool asked = argc == 1;
        for (int word = 1; word < argc; word++) asked |= strcmp(argv[word], parts[i].name) == 0;
        if (asked) parts[i].run();
    }
    return 0;
}
