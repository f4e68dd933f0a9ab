/* SPDX-License-Identifier: MIT */
/* log.c — the rows of what is kept: log, engine, blocks, history, pools, the second check, the shadow. */
#include "app/metrics/scrape.h"
#include "crypto/crypto.h"
#include "io/clock.h"

/* ---- the log ---- */

#define COMMIT(NAME, MEMBER)                                                                                           \
    void NAME(const struct scrape *scrape, const struct metric *row)                                                   \
    {                                                                                                                  \
        put(scrape, row, tally_of(&server_of(scrape)->commit.counters.MEMBER));                                        \
    }
COMMIT(scrape_batches, batches)
COMMIT(scrape_records, records)
COMMIT(scrape_log_bytes, bytes)
COMMIT(scrape_segment, part)
COMMIT(scrape_position, part_used)
#undef COMMIT

void scrape_append(const struct scrape *scrape, const struct metric *row)
{
    struct histogram_sum sum = { .sum_ns = 0 };

    histogram_sum_add(&sum, &server_of(scrape)->commit.counters.append);
    exposition_histogram(scrape->out, row->name, NULL, NULL, &sum);
}

void scrape_syncs(const struct scrape *scrape, const struct metric *row)
{
    struct histogram_sum sum = { .sum_ns = 0 };

    histogram_sum_add(&sum, &scrape->instance->replay.folder.syncs);
    exposition_histogram(scrape->out, row->name, NULL, NULL, &sum);
}

void scrape_segment_bytes(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, scrape->instance->options.file_bytes);
}

void scrape_short(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, log_is_short(server_of(scrape)->commit.log));
}

void scrape_shedding(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load_explicit(&server_of(scrape)->shared.shed, memory_order_relaxed));
}

/* ---- engine, blocks, history ---- */

void scrape_seq(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&server_of(scrape)->counters.seq));
}
void scrape_block(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, views_last_block(views_of(scrape)).height);
}
void scrape_accounts(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, views_totals(views_of(scrape)).accounts);
}
void scrape_keys(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, views_totals(views_of(scrape)).keys);
}

void scrape_time(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, (int64_t)tally_of(&server_of(scrape)->counters.time_ms), 3);
}

void scrape_block_time(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, views_last_block(views_of(scrape)).time_ms, 3);
}

void scrape_lag(const struct scrape *scrape, const struct metric *row)
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

void scrape_check_runs(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->runs));
}
void scrape_checked(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->signatures));
}
void scrape_unchecked(const struct scrape *scrape, const struct metric *row)
{
    uint64_t seq = tally_of(&server_of(scrape)->counters.seq), has = tally_of(&check_of(scrape)->seq);

    put(scrape, row, tally_of(&check_of(scrape)->runs) != 0 && seq > has ? seq - has : 0);
}
void scrape_unchecked_seconds(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, (int64_t)(tally_of(&check_of(scrape)->lag_ns) / 1000000), 3);
}
void scrape_mismatches(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->mismatches));
}
void scrape_lanes(const struct scrape *scrape, const struct metric *row) { put(scrape, row, recover_uses_lanes()); }
void scrape_check_late(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&check_of(scrape)->late));
}

/* ---- the shadow ---- */

static const struct watch_counts *shadow_of(const struct scrape *scrape) { return &scrape->instance->watch.counts; }

void scrape_shadow_running(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->alive));
}
void scrape_shadow_lag(const struct scrape *scrape, const struct metric *row)
{
    uint64_t seq = tally_of(&server_of(scrape)->counters.seq), has = atomic_load(&shadow_of(scrape)->seq);

    put(scrape, row, seq > has ? seq - has : 0);
}
void scrape_shadow_agreed(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->agreed));
}
void scrape_shadow_differs(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->differences));
}
void scrape_shadow_restarts(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->restarts));
}
void scrape_snapshots(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->snapshots));
}
void scrape_snapshot_command(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, atomic_load(&shadow_of(scrape)->snapshot_seq));
}
void scrape_waiting(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, history_waiting(scrape->instance->history));
}

void scrape_history_full(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, history_is_full(scrape->instance->history));
}

void scrape_unkept_seconds(const struct scrape *scrape, const struct metric *row)
{
    int64_t since_ns = history_unkept(scrape->instance->history).since_ns;

    put_decimal(scrape, row, since_ns == 0 ? 0 : (clock_mono_ns() - since_ns) / 1000000, 3);
}

void scrape_unkept_bytes(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, history_unkept(scrape->instance->history).bytes);
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

void scrape_pool_used(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(pools); i++)
        if (pool_size(scrape, i) != 0)
            put_one(scrape, row, "pool", pools[i].name, tally_of(&server_of(scrape)->counters.pools[pools[i].used]));
}

void scrape_pool_size(const struct scrape *scrape, const struct metric *row)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(pools); i++)
        if (pool_size(scrape, i) != 0) put_one(scrape, row, "pool", pools[i].name, pool_size(scrape, i));
}
