/* SPDX-License-Identifier: MIT */
/*
 * klines.c — responses of 1,500 klines that one core encodes per second without a cache.
 *
 *   bench_klines [answers]
 *
 * Each response copies the bars out of the history's memory and writes them with gaps filled, as the endpoint does
 * when its cache misses. For comparison, the same rows through the general writer of shapes.
 */
#include "api/rest/statistics.h"
#include "machine.h"
#include "rigs/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BARS  1500
#define FIRST INT64_C(1790000040000)
#define GOAL  2000

static struct genesis     genesis;
static struct api_shared  shared;
static struct row_forms   forms;
static struct statistics *statistics;
static char               body[1 << 20];

static void must(bool holds, const char *what)
{
    if (holds) return;
    printf("klines: %s\n", what);
    exit(1);
}

static void make_market(void)
{
    genesis.coin_count = 2;
    genesis.coins[0] = (struct coin){ name_make(SLICE("vUSDC")), 0, 6 };
    genesis.coins[1] = (struct coin){ name_make(SLICE("vBTC")), 1, 8 };
    genesis.spot_count = 1;
    genesis.spot[0] = (struct symbol){ .name = name_make(SLICE("vBTC_vUSDC")),
                                       .id = 1,
                                       .base_coin_id = 1,
                                       .price_precision = 1,
                                       .quantity_precision = 5,
                                       .market = MARKET_SPOT,
                                       .status = SYMBOL_TRADING };
    genesis.limits = (struct limits){ .accounts = 10, .orders = 10, .levels = 10 };
    shared.genesis = &genesis;
    shared.views = views_init(calloc(1, views_size(&genesis)), &genesis);
}

/* Forty trades a minute around 100000, quantities of up to a coin; one minute of ten has none. */
static void make_trades(void)
{
    struct events events = { calloc(1, 1 << 16), 0, 1 << 16 };
    uint64_t      random_state = 88172645463325252u, seq = 0;
    uint32_t      left;

    for (int64_t minute = 0; minute < BARS; minute++) {
        for (int i = 0; i < (minute % 10 == 7 ? 0 : 40); i++) {
            (void)random_xorshift(&random_state);
            struct command_began *began = EVENT_ADD(&events, COMMAND_BEGAN, command_began, 0);
            struct traded        *trade = EVENT_ADD(&events, TRADE, traded, MARKET_SPOT);
            began->seq = ++seq;
            trade->trade_id = seq;
            trade->symbol_id = 1;
            trade->price = 1000000 + (int64_t)(random_state % 5000);
            trade->quantity = 1 + (int64_t)((random_state >> 20) % 100000);
            trade->value = trade->price * trade->quantity;
            trade->time_ms = FIRST + minute * MINUTE_MS;
        }
        history_apply(shared.history, &events);
        events.len = 0;
        if (history_is_full(shared.history))
            must(history_write(shared.history, &left) >= 0, "the store cannot be written");
    }
    free(events.at);
}

static size_t encode(int64_t first)
{
    struct out out = out_make(body, sizeof(body));

    must(statistics_encode_klines(statistics, &shared, &genesis.spot[0], INTERVAL_1M, first, first + BARS - 1, &out),
         "damaged");
    must(!out.overflow, "too long");
    return out.len;
}

/* The same records through the writer that reads the rows of the shape for every value. */
static size_t encode_slowly(const struct kline_record *records)
{
    struct out out = out_make(body, sizeof(body));

    for (int i = 0; i < BARS; i++) {
        out_char(&out, i == 0 ? '[' : ',');
        shape_write(&out, &kline_shape, &records[i], false);
    }
    out_char(&out, ']');
    return out.len;
}

static void make_records(struct kline_record *records, int64_t first)
{
    struct history_bars_query query = { MARKET_SPOT, INTERVAL_1M, 1, first, first + BARS - 1 };
    struct bar                before;
    int                       count = history_bars(shared.history, &query, statistics->bars, &before);

    for (int i = 0; i < BARS; i++) {
        const struct bar *bar = &statistics->bars[i % count];
        records[i] = (struct kline_record){ bar->start_ms,
                                            decimal_make(bar->open, 1),
                                            decimal_make(bar->high, 1),
                                            decimal_make(bar->low, 1),
                                            decimal_make(bar->close, 1),
                                            { (int128_t)bar->volume, 5 },
                                            { (int128_t)bar->value, 6 },
                                            bar->trades };
    }
}

int main(int argc, char **argv)
{
    static struct kline_record records[BARS];
    char                       folder[] = "/tmp/dojima-bench-XXXXXX";
    int                        answers = argc > 1 ? atoi(argv[1]) : 20000;
    int64_t                    first = interval_index(INTERVAL_1M, FIRST), start, fast, slow;
    size_t                     bytes = 0;

    statistics = calloc(1, sizeof(*statistics));
    must(statistics != NULL && mkdtemp(folder) != NULL, "no folder");
    must(history_open(folder, &(struct hash256){ { 1 } }, SLICE("bench"), &shared.history) == 0, "no history");
    row_forms_init(&forms);
    statistics_init(statistics, &forms);
    make_market();
    make_trades();
    bytes = encode(first);
    start = bench_process_ns();
    for (int i = 0; i < answers; i++) bytes = encode(first);
    fast = bench_process_ns() - start;
    make_records(records, first);
    start = bench_process_ns();
    for (int i = 0; i < answers / 10; i++) (void)encode_slowly(records);
    slow = (bench_process_ns() - start) * 10;
    printf("klines: %.0f answers of %d rows, %zu bytes, per second on one core without a cache (goal %d); %.1f times "
           "as fast as the general writer\n",
           answers * 1e9 / (double)fast, BARS, bytes, GOAL, (double)slow / (double)fast);
    history_close(shared.history);
    fflush(stdout);
    execlp("rm", "rm", "-r", folder, (char *)NULL);
    return 1;
}
