/* SPDX-License-Identifier: MIT */
#include "bare_book.h"
#include "machine.h"

#include <string.h>

void bare_genesis(struct genesis *g, const struct limits *limits)
{
    const char *wrong;

    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->time_ms = INT64_C(1776000000000);
    g->coin_count = 2;
    g->coins[0] = (struct coin){ .name = { 1, { 'a' } }, .id = 0, .precision = 6 };
    g->coins[1] = (struct coin){ .name = { 1, { 'b' } }, .id = 1, .precision = 8 };
    g->spot_count = 1;
    g->spot[0] = (struct symbol){ .name = { 1, { 'S' } },
                                  .id = 1,
                                  .base_coin_id = 1,
                                  .price_precision = 1,
                                  .quantity_precision = 5,
                                  .market = MARKET_SPOT,
                                  .status = SYMBOL_TRADING,
                                  .tick_size = 1,
                                  .step_size = 1,
                                  .buy_limit_up_ratio = INT64_C(100000000000),
                                  .sell_limit_down_ratio = 100000000,
                                  .market_deviation_ratio = 100000000,
                                  .reference_price = 50000 };
    g->spot_fees.tier_count = 1;
    g->spot_fees.staking_count = 1;
    g->spot_fees.rebate_count = 1;
    g->rules = (struct rules){ .stp_scope = STP_NONE,
                               .client_id_reuse = REUSE_FINISHED,
                               .schedule_triggers_per_day = 10,
                               .armed_stops_per_account = 100,
                               .triggers_per_command = 10000,
                               .liquidations_per_tick = 1000,
                               .stop_retry_ticks = 60,
                               .oracle_quorum = 1,
                               .oracle_stale_ms = 60000,
                               .oracle_jump_ratio = 10000000,
                               .liquidation_buffer = 10000000,
                               .liquidation_slippage = 2000000,
                               .fund_loss_ratio = 20000000 };
    g->limits = *limits;
    if (g->limits.accounts == 0) g->limits.accounts = 8;
    if (g->limits.signers == 0) g->limits.signers = g->limits.accounts;
    if (g->limits.deposits == 0) g->limits.deposits = 2 * g->limits.accounts;
    genesis_complete(g);
    wrong = genesis_check(g);
    if (wrong == NULL) return;
    printf("WRONG: %s\n", wrong);
    exit(1);
}

struct bare_book bare_book_open(uint32_t orders, uint32_t levels, uint64_t ids, bool touch)
{
    struct genesis  *g = bench_map(sizeof(*g));
    struct bare_book book = { .ids = ids };
    struct events    events = { 0 };
    uint8_t         *memory;

    bare_genesis(g, &(struct limits){ .orders = orders, .levels = levels });
    book.bytes = engine_size(g);
    memory = bench_map(book.bytes);
    madvise(memory, book.bytes, MADV_HUGEPAGE);
    book.place = bench_map(ids * sizeof(*book.place));
    madvise(book.place, ids * sizeof(*book.place), MADV_HUGEPAGE);
    for (size_t i = 0; touch && i < book.bytes; i += 4096) ((volatile uint8_t *)memory)[i] = 0;
    for (size_t i = 0; touch && i < ids; i += 1024) ((volatile uint32_t *)book.place)[i] = 0;
    book.event_bytes = engine_events_bytes(g);
    book.events = bench_map(book.event_bytes);
    events = (struct events){ book.events, 0, book.event_bytes };
    book.engine = engine_init(memory, g, &events);
    book.market = market_find(book.engine, 1);
    munmap(g, sizeof(*g));
    return book;
}

void bare_book_close(struct bare_book *book)
{
    munmap(book->events, book->event_bytes);
    munmap(book->place, book->ids * sizeof(*book->place));
    munmap(book->engine, book->bytes);
}
