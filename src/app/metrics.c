/* SPDX-License-Identifier: MIT */
/*
 * metrics.c — the rows of /metrics and the source of each. Labels are rows of our own tables and names of the genesis,
 * never text of a client, so the answer has a maximum size.
 */
#include "app/metrics.h"
#include "app/refusal.h"
#include "crypto/crypto.h"

#include "io/forward.h"
#include "io/process.h"
#include "model/enums.h"
#include "wire/exposition.h"

/* One answer at work. */
struct scrape {
    const struct instance *instance;
    const struct api      *api;
    struct out            *out;
};

const char *const metric_type_names[] = { "counter", "gauge", "histogram" };

/* ---- samples ---- */

static void put(const struct scrape *scrape, const struct metric *row, uint64_t value)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_end(&sample, (int64_t)value);
}

static void put_decimal(const struct scrape *scrape, const struct metric *row, int64_t units, uint32_t decimals)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_end_decimal(&sample, units, decimals);
}

static void put_one(const struct scrape *scrape, const struct metric *row, const char *key, const char *value,
                    uint64_t number)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_label(&sample, key, slice_of(value));
    sample_end(&sample, (int64_t)number);
}

static const struct server *server_of(const struct scrape *scrape) { return &scrape->instance->server; }
static const struct views  *views_of(const struct scrape *scrape) { return scrape->instance->server.exchange.views; }

static const struct io_counters *io(const struct scrape *scrape, uint32_t thread)
{
    return gateway_counters(server_of(scrape)->gateways[thread]);
}

/* ---- requests ---- */

static uint64_t sum_requests(const struct scrape *scrape, uint32_t route, uint32_t reject)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++)
        sum += tally_of(&io(scrape, i)->requests[route][reject]);
    return sum;
}

static int32_t code_of(uint32_t reject) { return reject == REJECT_NONE ? 0 : reject_row((enum reject)reject)->code; }

static void put_requests(const struct scrape *scrape, const struct metric *row, const struct api_route *route,
                         int32_t code, uint64_t count)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");
    char          path[256];
    struct out    text = out_make(path, sizeof(path));

    out_text(&text, route->base);
    out_text(&text, route->path);
    sample_label(&sample, "method", slice_of(route->method));
    sample_label(&sample, "route", out_slice(&text));
    sample_label_number(&sample, "code", (uint64_t)code);
    sample_end(&sample, (int64_t)count);
}

/* Rejects share codes: each code once, with the sum of its rows.
   Code 0 is always there, others once they were given. */
static void read_route(const struct scrape *scrape, const struct metric *row, uint32_t number,
                       const struct api_route *route)
{
    uint64_t counts[REJECT_COUNT];

    for (uint32_t i = 0; i < REJECT_COUNT; i++) counts[i] = sum_requests(scrape, number, i);
    put_requests(scrape, row, route, 0, counts[REJECT_NONE]);
    for (uint32_t i = 1; i < REJECT_COUNT; i++) {
        uint64_t sum = counts[i];
        if (sum == 0) continue;
        for (uint32_t k = i + 1; k < REJECT_COUNT; k++) {
            if (code_of(k) != code_of(i)) continue;
            sum += counts[k];
            counts[k] = 0;
        }
        put_requests(scrape, row, route, code_of(i), sum);
    }
}

static void read_requests(const struct scrape *scrape, const struct metric *row)
{
    const struct api_route none = { "other", "", "none" };

    for (uint32_t i = api_route_count(scrape->api); i-- > 0;) { /* as the rows stand */
        struct api_route route = api_route(scrape->api, i);
        read_route(scrape, row, i, &route);
    }
    read_route(scrape, row, API_ROUTES_MAX, &none);
}

static void read_refusals(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = 1; i < REJECT_COUNT; i++) {
        struct sample sample = sample_begin(scrape->out, row->name, "");
        uint64_t      sum = 0;
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++) sum += tally_of(&io(scrape, k)->refusals[i]);
        sample_label(&sample, "rule", slice_of(reject_row((enum reject)i)->name));
        sample_label_number(&sample, "code", (uint64_t)code_of(i));
        sample_end(&sample, (int64_t)sum);
    }
}

static void read_limits(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = LIMIT_NONE + 1; i < API_LIMITS; i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++) sum += tally_of(&io(scrape, k)->limits[i]);
        put_one(scrape, row, "rule", api_limit_names[i], sum);
    }
}

static void read_forwards(const struct scrape *scrape, const struct metric *row)
{
    static const char *const outcomes[] = {
        [FORWARD_ANSWERED] = "answered", [FORWARD_NOT_SENT] = "not_sent", [FORWARD_UNKNOWN] = "unknown"
    };

    for (uint32_t i = 0; i < ARRAY_COUNT(outcomes); i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++) sum += tally_of(&io(scrape, k)->forwards[i]);
        put_one(scrape, row, "outcome", outcomes[i], sum);
    }
}

static void read_stages(const struct scrape *scrape, const struct metric *row)
{
    /* clang-format off */
    static const struct { const char *name; size_t offset; } own[] = {
        { "parse", offsetof(struct io_counters, parse) }, { "verify", offsetof(struct io_counters, verify) },
        { "answer", offsetof(struct io_counters, answer) },
    };
    /* clang-format on */
    const struct pipeline_counters *pipeline = &server_of(scrape)->counters;
    /* clang-format off */
    const struct { const char *name; const struct histogram *histogram; } shared[] = {
        { "queue", &pipeline->queue }, { "durable", &pipeline->durable }, { "apply", &pipeline->apply },
    };
    /* clang-format on */

    for (uint32_t i = 0; i < ARRAY_COUNT(own); i++) {
        struct histogram_sum sum = { .sum_ns = 0 };
        for (uint32_t k = 0; k < server_of(scrape)->thread_count; k++)
            histogram_sum_add(&sum,
                              (const struct histogram *)(const void *)((const char *)io(scrape, k) + own[i].offset));
        exposition_histogram(scrape->out, row->name, "stage", own[i].name, &sum);
    }
    for (uint32_t i = 0; i < ARRAY_COUNT(shared); i++) {
        struct histogram_sum sum = { .sum_ns = 0 };
        histogram_sum_add(&sum, shared[i].histogram);
        exposition_histogram(scrape->out, row->name, "stage", shared[i].name, &sum);
    }
}

/* ---- connections and streams ---- */

static void read_connections(const struct scrape *scrape, const struct metric *row)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++)
        sum += gateway_connections(server_of(scrape)->gateways[i]);
    put(scrape, row, sum);
}

static void read_connections_max(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, scrape->instance->options.connections);
}
static void read_connections_refused(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, refusal_count());
}
static void read_connections_dismissed(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, net_tally(scrape->instance->listener)->dismissed);
}
static void read_connections_reset(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, net_tally(scrape->instance->listener)->reset);
}

static struct stream_counts streams_of(const struct scrape *scrape)
{
    struct stream_counts sum = { 0 };

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++) {
        struct stream_counts counts = gateway_streams(server_of(scrape)->gateways[i]);
        sum.connections += counts.connections;
        sum.subscriptions += counts.subscriptions;
        sum.messages += counts.messages;
        sum.conflations += counts.conflations;
    }
    return sum;
}

static void read_stream_connections(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).connections);
}
static void read_subscriptions(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).subscriptions);
}
static void read_messages(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).messages);
}
static void read_conflations(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, streams_of(scrape).conflations);
}

static void put_handshakes(const struct scrape *scrape, const struct metric *row, uint8_t market, uint32_t reject)
{
    struct sample sample;
    uint64_t      sum = 0;

    for (uint32_t i = 0; i < server_of(scrape)->thread_count; i++)
        sum += tally_of(&io(scrape, i)->handshakes[market - 1][reject]);
    if (sum == 0 && reject != REJECT_NONE) return;
    sample = sample_begin(scrape->out, row->name, "");
    sample_label(&sample, "market", slice_of(market == MARKET_SPOT ? "spot" : "perps"));
    sample_label(&sample, "result",
                 slice_of(reject == REJECT_NONE ? "accepted" : reject_row((enum reject)reject)->name));
    sample_end(&sample, (int64_t)sum);
}

static void read_handshakes(const struct scrape *scrape, const struct metric *row)
{
    for (uint8_t market = MARKET_SPOT; market <= MARKET_PERPS; market++)
        for (uint32_t i = 0; i < REJECT_COUNT; i++) put_handshakes(scrape, row, market, i);
}

/* ---- the log ---- */

#define COMMIT(NAME, MEMBER)                                                                                           \
    static void NAME(const struct scrape *scrape, const struct metric *row)                                            \
    {                                                                                                                  \
        put(scrape, row, tally_of(&server_of(scrape)->commit.counters.MEMBER));                                        \
    }
COMMIT(read_batches, batches)
COMMIT(read_records, records)
COMMIT(read_log_bytes, bytes)
COMMIT(read_segment, part)
COMMIT(read_position, part_used)
#undef COMMIT

static void read_append(const struct scrape *scrape, const struct metric *row)
{
    struct histogram_sum sum = { .sum_ns = 0 };

    histogram_sum_add(&sum, &server_of(scrape)->commit.counters.append);
    exposition_histogram(scrape->out, row->name, NULL, NULL, &sum);
}

static void read_syncs(const struct scrape *scrape, const struct metric *row)
{
    struct histogram_sum sum = { .sum_ns = 0 };

    histogram_sum_add(&sum, &scrape->instance->replay.folder.syncs);
    exposition_histogram(scrape->out, row->name, NULL, NULL, &sum);
}

static void read_segment_bytes(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, scrape->instance->options.file_bytes);
}

static void read_short(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, log_is_short(server_of(scrape)->commit.log));
}

static void read_shedding(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load_explicit(&server_of(scrape)->shared.shed, memory_order_relaxed));
}

/* ---- engine, blocks, history ---- */

static void read_seq(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&server_of(scrape)->counters.seq));
}
static void read_block(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, views_last_block(views_of(scrape)).height);
}
static void read_accounts(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, views_totals(views_of(scrape)).accounts);
}
static void read_keys(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, views_totals(views_of(scrape)).keys);
}

static void read_time(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, (int64_t)tally_of(&server_of(scrape)->counters.time_ms), 3);
}

static void read_block_time(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, views_last_block(views_of(scrape)).time_ms, 3);
}

static void read_lag(const struct scrape *scrape, const struct metric *row)
{
    uint64_t written = history_seq(scrape->instance->history), applied = tally_of(&server_of(scrape)->counters.seq);
    bool     behind = history_waiting(scrape->instance->history) != 0
               && applied > written; /* commands without rows wait for nothing */

    put(scrape, row, behind ? applied - written : 0);
}

/* ---- the second check of signatures ---- */

static const struct second_check_counts *check_of(const struct scrape *scrape)
{
    return &scrape->instance->second_check.counts;
}

static void read_check_runs(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->runs));
}
static void read_checked(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->signatures));
}
static void read_unchecked(const struct scrape *scrape, const struct metric *row)
{
    uint64_t seq = tally_of(&server_of(scrape)->counters.seq), has = tally_of(&check_of(scrape)->seq);

    put(scrape, row, tally_of(&check_of(scrape)->runs) != 0 && seq > has ? seq - has : 0);
}
static void read_unchecked_seconds(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, (int64_t)(tally_of(&check_of(scrape)->lag_ns) / 1000000), 3);
}
static void read_mismatches(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->mismatches));
}
static void read_lanes(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, recover_uses_lanes());
}
static void read_check_late(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->late));
}

/* ---- the shadow ---- */

static const struct watch_counts *shadow_of(const struct scrape *scrape) { return &scrape->instance->watch.counts; }

static void read_shadow_running(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->alive));
}
static void read_shadow_lag(const struct scrape *scrape, const struct metric *row)
{
    uint64_t seq = tally_of(&server_of(scrape)->counters.seq), has = atomic_load(&shadow_of(scrape)->seq);

    put(scrape, row, seq > has ? seq - has : 0);
}
static void read_shadow_agreed(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->agreed));
}
static void read_shadow_differs(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->differences));
}
static void read_shadow_restarts(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->restarts));
}
static void read_snapshots(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->snapshots));
}
static void read_snapshot_command(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->snapshot_seq));
}
static void read_waiting(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, history_waiting(scrape->instance->history));
}

static void read_history_full(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, history_is_full(scrape->instance->history));
}

/* The pools of the genesis; an unused one has no places and is left out. */
#define L(NAME)   POOL_##NAME
#define E(member) (offsetof(struct engine_counts, member) / sizeof(uint64_t))
/* clang-format off */
static const struct { const char *name; size_t used, size; } pools[] = {
    { "accounts", E(accounts), L(ACCOUNTS) }, { "orders", E(open_orders), L(ORDERS) },
      { "levels", E(levels), L(LEVELS) },
    { "signers", E(signers), L(SIGNERS) }, { "operator_ids", E(operator_ids), L(DEPOSITS) },
      { "keys", E(keys), L(KEYS) },
    { "transfers", E(transfers), L(TRANSFERS) }, { "positions", E(positions), L(POSITIONS) },
      { "burnt_ids", E(burnt_ids), L(CLIENT_IDS) },
};
/* clang-format on */
#undef L
#undef E

static uint32_t pool_size(const struct scrape *scrape, uint32_t pool)
{
    return (uint32_t)atomic_load(&server_of(scrape)->pools.places[pools[pool].size]);
}

static void read_pool_used(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(pools); i++)
        if (pool_size(scrape, i) != 0)
            put_one(scrape, row, "pool", pools[i].name, tally_of(&server_of(scrape)->counters.pools[pools[i].used]));
}

static void read_pool_size(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(pools); i++)
        if (pool_size(scrape, i) != 0) put_one(scrape, row, "pool", pools[i].name, pool_size(scrape, i));
}

/* ---- symbols ---- */

/* The value of a symbol's sample: `units` of 10^-decimals. */
struct figure {
    int64_t  units;
    uint32_t decimals;
};
typedef struct figure figure_of(const struct views *views, const struct symbol *symbol);

static void read_market(const struct scrape *scrape, const struct metric *row, uint8_t market, figure_of *figure)
{
    const struct views *views = views_of(scrape);

    for (uint32_t id = 1; id <= views_symbol_count(views, market); id++) {
        const struct symbol *symbol = views_symbol(views, market, id);
        struct figure        value = figure(views, symbol);
        struct sample        sample = sample_begin(scrape->out, row->name, "");
        sample_label(&sample, "market", slice_of(market == MARKET_SPOT ? "spot" : "perps"));
        sample_label(&sample, "symbol", name_slice(&symbol->name));
        sample_end_decimal(&sample, value.units, value.decimals);
    }
}

/* One per row: both markets, or perps alone. */
#define SYMBOLS(NAME, UNITS, DECIMALS)                                                                                 \
    static struct figure NAME##_of(const struct views *views, const struct symbol *symbol)                             \
    {                                                                                                                  \
        (void)views;                                                                                                   \
        return (struct figure){ (int64_t)(UNITS), DECIMALS };                                                          \
    }
#define BOTH(NAME, UNITS)                                                                                              \
    SYMBOLS(NAME, UNITS, 0)                                                                                            \
    static void NAME(const struct scrape *scrape, const struct metric *row)                                            \
    {                                                                                                                  \
        read_market(scrape, row, MARKET_SPOT, NAME##_of);                                                              \
        read_market(scrape, row, MARKET_PERPS, NAME##_of);                                                             \
    }
#define PERPS(NAME, UNITS, DECIMALS)                                                                                   \
    SYMBOLS(NAME, UNITS, DECIMALS)                                                                                     \
    static void NAME(const struct scrape *scrape, const struct metric *row)                                            \
    {                                                                                                                  \
        read_market(scrape, row, MARKET_PERPS, NAME##_of);                                                             \
    }
BOTH(read_open_orders, views_symbol_totals(views, symbol->market, symbol->id).open_orders)
BOTH(read_trades, views_symbol_totals(views, symbol->market, symbol->id).trades)
BOTH(read_halted, views_symbol_status(views, symbol->market, symbol->id) == SYMBOL_HALT)
PERPS(read_stops, views_symbol_totals(views, MARKET_PERPS, symbol->id).waiting_stops, 0)
PERPS(read_positions, views_symbol_totals(views, MARKET_PERPS, symbol->id).positions, 0)
PERPS(read_index, views_price(views, symbol->id).index, symbol->price_precision)
PERPS(read_mark, views_price(views, symbol->id).mark, symbol->price_precision)
PERPS(read_interest, views_price(views, symbol->id).open_interest, symbol->quantity_precision)
PERPS(read_funding, views_price(views, symbol->id).funding_rate, FUNDING_DECIMALS)

static void read_mode(const struct scrape *scrape, const struct metric *row)
{
    for (const struct enum_name *name = venue_mode_names; name->name != NULL; name++) {
        struct sample sample = sample_begin(scrape->out, row->name, "");
        sample_label(&sample, "mode", slice_of(name->name));
        sample_end(&sample, name->value == views_mode(views_of(scrape)));
    }
}

static void read_oracle(const struct scrape *scrape, const struct metric *row)
{
    const struct views *views = views_of(scrape);

    for (uint32_t id = 1; id <= views_symbol_count(views, MARKET_PERPS); id++) {
        uint8_t state = views_price(views, id).state;
        for (const struct enum_name *name = oracle_state_names; name->name != NULL; name++) {
            struct sample sample = sample_begin(scrape->out, row->name, "");
            sample_label(&sample, "symbol", name_slice(&views_symbol(views, MARKET_PERPS, id)->name));
            sample_label(&sample, "state", slice_of(name->name));
            sample_end(&sample, name->value == state);
        }
    }
}

/* ---- risk ---- */

static void read_fund(const struct scrape *scrape, const struct metric *row)
{
    struct view_balance balances[COINS_MAX];
    uint32_t            count = views_balances(views_of(scrape), MARKET_PERPS, ACCOUNT_FUND, balances);
    int64_t             fund = 0;

    for (uint32_t i = 0; i < count; i++)
        if (balances[i].coin_id == COIN_MARGIN) fund = balances[i].total;
    put_decimal(scrape, row, fund, scrape->instance->genesis.coins[COIN_MARGIN].precision);
}

/* Everything that the fund's worth follows from, of one instant. */
static void fund_of(const struct scrape *scrape, struct view_margin *fund)
{
    static const struct view_account account = { .account_id = ACCOUNT_FUND };

    (void)views_margin(views_of(scrape), &account, fund, NULL, 0);
}

static void read_fund_positions(const struct scrape *scrape, const struct metric *row)
{
    const struct views *views = views_of(scrape);
    struct view_margin  fund;

    fund_of(scrape, &fund);
    for (uint32_t id = 1; id <= views_symbol_count(views, MARKET_PERPS); id++) {
        const struct symbol *symbol = views_symbol(views, MARKET_PERPS, id);
        struct sample        sample = sample_begin(scrape->out, row->name, "");
        int64_t              size = 0;

        for (uint32_t i = 0; i < fund.position_count; i++)
            if (fund.positions[i].symbol_id == id) size = fund.positions[i].size;
        sample_label(&sample, "market", SLICE("perps"));
        sample_label(&sample, "symbol", name_slice(&symbol->name));
        sample_end_decimal(&sample, size, symbol->quantity_precision);
    }
}

/* Wallet and positions, these at the index: the fund's wallet if it closed them there (mechanics 3.13). */
static void read_fund_equity(const struct scrape *scrape, const struct metric *row)
{
    const struct genesis *genesis = &scrape->instance->genesis;
    struct view_margin    fund;
    int128_t              equity;

    fund_of(scrape, &fund);
    equity = fund.wallet;
    for (uint32_t i = 0; i < fund.position_count; i++) {
        const struct position_changed *position = &fund.positions[i];
        const struct symbol           *symbol = &genesis->perps[position->symbol_id - 1];
        int                            power = symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]);
        int64_t                        size = position->size < 0 ? -position->size : position->size;
        int128_t                       value = notional_floor(fund.prices[position->symbol_id - 1].index, size, power);

        if (size == 0) continue;
        equity += position->size < 0 ? -value : value;
        equity -= (int128_t)((uint128_t)(uint64_t)position->cost_high << 64 | (uint64_t)position->cost_low);
    }
    put_decimal(scrape, row, (int64_t)equity, genesis->coins[COIN_MARGIN].precision);
}

static void read_liquidations(const struct scrape *scrape, const struct metric *row)
{
    static const char *const names[] = {
        [STAGE_HEALTHY] = "healthy", [STAGE_BOOK] = "book", [STAGE_TAKEOVER] = "takeover", [STAGE_ADL] = "adl"
    };
    struct view_totals totals = views_totals(views_of(scrape));

    for (uint32_t stage = STAGE_HEALTHY; stage < ARRAY_COUNT(names); stage++)
        put_one(scrape, row, "stage", names[stage], totals.stages[stage]);
}

static void read_forced(const struct scrape *scrape, const struct metric *row)
{
    struct view_totals totals = views_totals(views_of(scrape));

    for (uint8_t reason = REASON_NONE + 1; reason < VIEW_REASONS; reason++) {
        bool always = reason == REASON_LIQUIDATION || reason == REASON_TAKEOVER || reason == REASON_ADL;
        if (always || totals.forced[reason] != 0)
            put_one(scrape, row, "reason", enum_name_of(end_reason_names, reason), totals.forced[reason]);
    }
}

/* ---- process ---- */

static void read_resident(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&server_of(scrape)->figures.resident));
}
static void read_handles(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&server_of(scrape)->figures.handles));
}
static void read_handles_max(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, process_handles_max());
}

static void read_cpu(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, (int64_t)tally_of(&server_of(scrape)->figures.cpu_ns), 9);
}

static void read_start(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, scrape->instance->started_ms, 3);
}

static void read_build(const struct scrape *scrape, const struct metric *row)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_label(&sample, "version", scrape->instance->api.version);
    sample_label(&sample, "compiler", slice_of(__VERSION__));
    sample_end(&sample, 1);
}

/* ---- the audit log ---- */

static void read_audit_failures(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&scrape->instance->audit.failures));
}

/* ---- several nodes with one log; of a node with a log of its own all zeros, and it leads ---- */

static struct cluster *cluster_of(const struct scrape *scrape)
{
    return server_of(scrape)->lead != NULL ? (struct cluster *)(uintptr_t)&scrape->instance->cluster : NULL;
}

static void read_role(const struct scrape *scrape, const struct metric *row)
{
    static const struct {
        const char *name;
        uint32_t    role;
    } roles[] = { { "leader", NODE_LEADER }, { "leading", NODE_LEADING }, { "follower", NODE_FOLLOWER } };
    uint32_t role = atomic_load(&server_of(scrape)->shared.role);

    for (size_t i = 0; i < ARRAY_COUNT(roles); i++) put_one(scrape, row, "role", roles[i].name, roles[i].role == role);
}

static void read_term(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put(scrape, row, cluster == NULL ? 0 : atomic_load(&cluster->lead.term));
}

static void read_fence(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put_decimal(scrape, row, cluster == NULL ? 0 : atomic_load(&cluster->lead.fence_ms), 3);
}

static void read_resigned(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put(scrape, row, cluster == NULL ? 0 : atomic_load(&cluster->lead.resigned));
}

static void read_lease(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put_decimal(scrape, row, cluster == NULL ? 0 : cluster_lease_ms(cluster), 3);
}

static void read_node_lag(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put(scrape, row, cluster == NULL ? 0 : cluster_lag(cluster));
}

static void read_lag_seconds(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put_decimal(scrape, row, cluster == NULL ? 0 : cluster_lag_ms(cluster), 3);
}

static void read_lease_steps(const struct scrape *scrape, const struct metric *row)
{
    struct cluster      *cluster = cluster_of(scrape);
    struct cluster_facts facts = cluster == NULL ? (struct cluster_facts){ .steps = 0 } : cluster_facts(cluster);

    put_one(scrape, row, "result", "ok", facts.steps - facts.failures);
    put_one(scrape, row, "result", "failed", facts.failures);
}

/* ---- the rows ---- */

#define IO     "I/O threads, as it happens"
#define WHEEL  "the engine's thread, with each batch"
#define DISK   "the journal's thread, with each batch"
#define VIEWS  "the views, on request"
#define FIXED  "the settings"
#define LEASE  "the lease's thread, each quarter of a lease"
#define SHADOW "the thread that listens to the shadow"
#define CHECK  "the second check of signatures"
#define MARKET "market (spot, perps), symbol (names of the genesis)"
#define SYMBOL "market (perps), symbol (names of the genesis)"

/* clang-format off */
const struct metric metrics[] = {
    { "dojima_http_requests_total", METRIC_COUNTER, "",
      "method, route (rows of the endpoint table), code (of the envelope, 0 = fine)", IO,
      "Requests that were answered. What is no route has route none. Streams are counted as handshakes, connections "
          "that ended before their answer not at all.", read_requests },
    { "dojima_stage_seconds", METRIC_HISTOGRAM, "seconds", "stage (parse, verify, queue, durable, apply, answer)",
      IO "; queue, durable and apply by the engine's thread",
      "Time in each stage: parse and answer of all requests, verify of signed ones, queue, durable and apply of all "
          "commands, operator commands included.", read_stages },
    { "dojima_refusals_total", METRIC_COUNTER, "", "rule (rows of the rejects), code", IO,
      "What was refused, by rule: requests, and items of batches one by one.", read_refusals },
    { "dojima_rate_limited_total", METRIC_COUNTER, "", "rule (address, orders, key_minute, key_month)", IO,
      "Requests answered with status 429, by limit.", read_limits },
    { "dojima_forwarded_total", METRIC_COUNTER, "", "outcome (answered, not_sent, unknown)", IO,
      "Writes that were passed on to the leader, which counts them as requests: answered by it, never sent, or sent "
      "and without an answer.", read_forwards },
    { "dojima_connections", METRIC_GAUGE, "", "", IO, "Open connections, those of streams too.", read_connections },
    { "dojima_connections_max", METRIC_GAUGE, "", "", FIXED, "Connections that may be open at once.",
      read_connections_max },
    { "dojima_connections_refused_total", METRIC_COUNTER, "", "", IO,
      "Connections closed at once because their address has as many as one may have.", read_connections_refused },
    { "dojima_connections_dismissed_total", METRIC_COUNTER, "", "", IO,
      "Connections closed in favour of new ones while all slots were taken.", read_connections_dismissed },
    { "dojima_connections_reset_total", METRIC_COUNTER, "", "", IO,
      "Connections reset because their answers were not read for 10 s.", read_connections_reset },

    { "dojima_stream_connections", METRIC_GAUGE, "", "", IO, "Open WebSockets.", read_stream_connections },
    { "dojima_stream_subscriptions", METRIC_GAUGE, "", "", IO, "Subscriptions of all WebSockets.", read_subscriptions },
    { "dojima_stream_messages_total", METRIC_COUNTER, "", "", IO, "Messages of channels given to connections.",
      read_messages },
    { "dojima_stream_conflations_total", METRIC_COUNTER, "", "", IO,
      "Times that a subscription fell behind: a market message did not fit, and its reader gets the latest state when "
      "there is room.", read_conflations },
    { "dojima_stream_handshakes_total", METRIC_COUNTER, "",
      "market (spot, perps), result (accepted, or a row of the rejects)", IO,
      "Requests for a WebSocket.", read_handshakes },

    { "dojima_log_batches_total", METRIC_COUNTER, "", "", DISK, "Batches made durable, closing ones too.",
      read_batches },
    { "dojima_log_records_total", METRIC_COUNTER, "", "", DISK, "Commands made durable.", read_records },
    { "dojima_log_bytes_total", METRIC_COUNTER, "bytes", "", DISK,
      "Bytes of these batches, before they are rounded up to blocks.", read_log_bytes },
    { "dojima_log_append_seconds", METRIC_HISTOGRAM, "seconds", "", DISK,
      "How long it took to write a batch and make it durable.", read_append },
    { "dojima_log_sync_seconds", METRIC_HISTOGRAM, "seconds", "", "the thread that syncs a file of the log's folder",
      "How long the disk took to say that it is durable (fdatasync).", read_syncs },
    { "dojima_log_segment", METRIC_GAUGE, "", "", DISK,
      "Number of the segment that is written; segments count from 1 and stay.", read_segment },
    { "dojima_log_position_bytes", METRIC_GAUGE, "bytes", "", DISK, "Where in it the next batch goes.", read_position },
    { "dojima_log_segment_bytes", METRIC_GAUGE, "bytes", "", FIXED, "Size of a new segment.", read_segment_bytes },
    { "dojima_log_short", METRIC_GAUGE, "", "", DISK,
      "1: the disk has no room for the next segment, and new risk is not taken.", read_short },
    { "dojima_shedding", METRIC_GAUGE, "", "", WHEEL,
      "1: writes that add risk are answered busy, because the disk is short or the history behind.", read_shedding },

    { "dojima_engine_seq", METRIC_GAUGE, "", "", WHEEL, "Number of the last command that happened.", read_seq },
    { "dojima_engine_time_seconds", METRIC_GAUGE, "seconds", "", WHEEL, "Engine time of that command, since 1970.",
      read_time },
    { "dojima_block_height", METRIC_GAUGE, "", "", VIEWS, "Number of the last block.", read_block },
    { "dojima_block_time_seconds", METRIC_GAUGE, "seconds", "", VIEWS, "Its time, since 1970.", read_block_time },
    { "dojima_pool_used", METRIC_GAUGE, "", "pool (of the genesis)", WHEEL,
      "Places of a pool that are taken; a command that finds it full is refused with CAPACITY.", read_pool_used },
    { "dojima_pool_size", METRIC_GAUGE, "", "pool (of the genesis)", WHEEL, "Places of a pool.", read_pool_size },
    { "dojima_accounts", METRIC_GAUGE, "", "", VIEWS, "Accounts of users, sub-accounts too.", read_accounts },
    { "dojima_api_keys", METRIC_GAUGE, "", "", VIEWS, "API keys that are registered.", read_keys },
    { "dojima_history_lag_commands", METRIC_GAUGE, "", "", WHEEL "; the keeper",
      "Commands since the last one whose rows of the history are all on disk; 0 when no row waits.", read_lag },
    { "dojima_history_waiting_rows", METRIC_GAUGE, "", "", "the history, on request",
      "Rows of the history that are in memory alone.", read_waiting },
    { "dojima_history_full", METRIC_GAUGE, "", "", "the history, on request", "1: that memory is full.",
      read_history_full },

    { "dojima_signatures_check_running", METRIC_GAUGE, "", "", FIXED,
      "1: every accepted signature is verified again by libsecp256k1; 0: signatures = library, there is no need.",
      read_check_runs },
    { "dojima_signatures_checked_total", METRIC_COUNTER, "", "", CHECK, "Signatures that it has confirmed.",
      read_checked },
    { "dojima_signatures_unchecked_commands", METRIC_GAUGE, "", "", CHECK "; the engine's thread",
      "Applied commands that it has not come to yet.", read_unchecked },
    { "dojima_signatures_unchecked_seconds", METRIC_GAUGE, "seconds", "", CHECK ", each second",
      "For how long the oldest of them has been in the log; above 60 the lanes are switched off until it is below 5.",
      read_unchecked_seconds },
    { "dojima_signatures_mismatches_total", METRIC_COUNTER, "", "", CHECK,
      "Signatures that it has not confirmed. The exchange stops at once (70), so it is hardly ever read.",
      read_mismatches },
    { "dojima_signatures_lanes", METRIC_GAUGE, "", "", CHECK,
      "1: signers are recovered in lanes; 0: by libsecp256k1 alone (setting, processor, or the check is behind).",
      read_lanes },
    { "dojima_signatures_late_total", METRIC_COUNTER, "", "", CHECK, "Times that the lanes were switched off.",
      read_check_late },

    { "dojima_shadow_running", METRIC_GAUGE, "", "", SHADOW, "1: there is a second process that follows the log.",
      read_shadow_running },
    { "dojima_shadow_lag_commands", METRIC_GAUGE, "", "", SHADOW,
      "Applied commands that the shadow has not reported yet.", read_shadow_lag },
    { "dojima_shadow_blocks_agreed_total", METRIC_COUNTER, "", "", SHADOW,
      "Blocks that were compared and are the same in both processes.", read_shadow_agreed },
    { "dojima_shadow_differences_total", METRIC_COUNTER, "", "", SHADOW,
      "Blocks that are not: one of the two computes wrongly.", read_shadow_differs },
    { "dojima_shadow_restarts_total", METRIC_COUNTER, "", "", SHADOW, "Times the shadow ended and was started again.",
      read_shadow_restarts },
    { "dojima_snapshots_total", METRIC_COUNTER, "", "", SHADOW, "Snapshots that were written and proved.",
      read_snapshots },
    { "dojima_snapshot_command", METRIC_GAUGE, "", "", SHADOW,
      "The last command that is in the newest of them; 0 before the first of this process.", read_snapshot_command },

    { "dojima_open_orders", METRIC_GAUGE, "", MARKET, VIEWS, "Open orders, stops that wait among them.",
      read_open_orders },
    { "dojima_waiting_stops", METRIC_GAUGE, "", SYMBOL, VIEWS,
      "Stops whose condition has not been met, including dormant ones, which wait for their parent.", read_stops },
    { "dojima_positions", METRIC_GAUGE, "", SYMBOL, VIEWS, "Open positions, the insurance fund's among them.",
      read_positions },
    { "dojima_trades_total", METRIC_COUNTER, "", MARKET, VIEWS, "Trades of the whole log.", read_trades },
    { "dojima_symbol_halted", METRIC_GAUGE, "", MARKET, VIEWS,
      "1: an operator has halted it, or the whole venue only lets cancels through.", read_halted },
    { "dojima_venue_mode", METRIC_GAUGE, "", "mode (RUN, CANCEL_ONLY, REDUCE_ONLY)", VIEWS,
      "1 for the mode of the whole venue, 0 for the others.", read_mode },
    { "dojima_index_price", METRIC_GAUGE, "quote coin", SYMBOL, VIEWS, "Index price.", read_index },
    { "dojima_mark_price", METRIC_GAUGE, "quote coin", SYMBOL, VIEWS, "Mark price.", read_mark },
    { "dojima_open_interest", METRIC_GAUGE, "base coin", SYMBOL, VIEWS, "Open interest.", read_interest },
    { "dojima_funding_rate", METRIC_GAUGE, "ratio", SYMBOL, VIEWS,
      "Funding rate of the running hour, as it is predicted.", read_funding },
    { "dojima_oracle_state", METRIC_GAUGE, "",
      "symbol (names of the genesis), state (BOOTSTRAP, LIVE, FALLBACK, STALE)", VIEWS,
      "1 for the state that the symbol's index is in, 0 for the others.", read_oracle },
    { "dojima_insurance_fund", METRIC_GAUGE, "first coin", "", VIEWS,
      "Wallet of the insurance fund; below zero nothing may be withdrawn.", read_fund },
    { "dojima_insurance_fund_equity", METRIC_GAUGE, "first coin", "", VIEWS,
      "Wallet of the insurance fund and its positions, valued at the index.", read_fund_equity },
    { "dojima_insurance_fund_position", METRIC_GAUGE, "base coin", SYMBOL, VIEWS,
      "Signed size of the insurance fund's position.", read_fund_positions },
    { "dojima_liquidations_total", METRIC_COUNTER, "", "stage (healthy, book, takeover, adl)", VIEWS,
      "Risk units that came to a stage of liquidation, over the whole log; healthy: got out of it.",
      read_liquidations },
    { "dojima_forced_fills_total", METRIC_COUNTER, "", "reason (LIQUIDATION, TAKEOVER, ADL, …)", VIEWS,
      "Sides of fills that their account did not ask for, over the whole log.", read_forced },

    { "dojima_cluster_role", METRIC_GAUGE, "", "role (leader, leading, follower)", "the engine's thread",
      "1 for what this node does among those that share its log, 0 for the others; a lone node leads.", read_role },
    { "dojima_cluster_term", METRIC_GAUGE, "", "", LEASE, "Number of the last fence of this node; 0 = it never led.",
      read_term },
    { "dojima_cluster_last_fence_seconds", METRIC_GAUGE, "seconds", "", LEASE,
      "When that was, since 1970; 0 = it never led.", read_fence },
    { "dojima_cluster_resigned_total", METRIC_COUNTER, "", "", "the engine's thread",
      "Times that this node has led and stopped leading.", read_resigned },
    { "dojima_cluster_lease_seconds", METRIC_GAUGE, "seconds", "", LEASE,
      "Remaining time of the leader's lease, whichever node it is; 0 = no node leads.", read_lease },
    { "dojima_cluster_lag_commands", METRIC_GAUGE, "", "", LEASE,
      "Commands by which this node is behind what the leader last told.", read_node_lag },
    { "dojima_cluster_lag_seconds", METRIC_GAUGE, "seconds", "", LEASE, "For how long it has been behind.",
      read_lag_seconds },
    { "dojima_cluster_lease_steps_total", METRIC_COUNTER, "", "result (ok, failed)", LEASE,
      "Round trips of the lease to the database.", read_lease_steps },

    { "dojima_audit_failures_total", METRIC_COUNTER, "", "", "the thread that writes one",
      "Times that audit.log could not be written; what operators ask for is refused then.", read_audit_failures },

    { "process_resident_memory_bytes", METRIC_GAUGE, "bytes", "", "the keeper, each second", "Memory that is there.",
      read_resident },
    { "process_open_fds", METRIC_GAUGE, "", "", "the keeper, each second", "File numbers in use.", read_handles },
    { "process_max_fds", METRIC_GAUGE, "", "", "the system, on request", "File numbers that may be in use.",
      read_handles_max },
    { "process_cpu_seconds_total", METRIC_COUNTER, "seconds", "", "the keeper, each second",
      "Processor time of all threads.", read_cpu },
    { "process_start_time_seconds", METRIC_GAUGE, "seconds", "", "the system, at the start",
      "When the process was started, since 1970.", read_start },
    { "dojima_build_info", METRIC_GAUGE, "", "version, compiler", FIXED, "Which program this is; always 1.",
      read_build },
};
/* clang-format on */
const uint32_t metric_count = ARRAY_COUNT(metrics);

void metrics_write(void *instance, const struct api *api, struct out *out)
{
    struct scrape scrape = { instance, api, out };

    for (uint32_t i = 0; i < metric_count; i++) {
        exposition_head(out, metrics[i].name, metric_type_names[metrics[i].type], metrics[i].help);
        metrics[i].read(&scrape, &metrics[i]);
    }
}
