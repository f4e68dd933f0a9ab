/* SPDX-License-Identifier: MIT */
/*
 * scrape.h — one answer of /metrics at work, a row, and the functions that write its samples. They run on the thread
 * that was asked and read what others count; none of them waits or takes memory.
 */
#ifndef APP_METRICS_SCRAPE_H
#define APP_METRICS_SCRAPE_H

#include "app/instance.h"
#include "wire/exposition.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct scrape;

struct metric {
    const char *name;   /* counters end in _total */
    uint8_t     type;   /* enum metric_type */
    const char *unit;   /* "" = a count, named by the metric */
    const char *labels; /* the labels and the source of their values; "" = none */
    const char *where;  /* where it is counted or read */
    const char *help;
    void (*read)(const struct scrape *scrape, const struct metric *row);
};

struct scrape {
    const struct instance *instance;
    const struct api      *api; /* of the asking thread */
    struct out            *out;
};

/* Writes one sample of the row without labels. */
static inline void put(const struct scrape *scrape, const struct metric *row, uint64_t value)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_end(&sample, (int64_t)value);
}

/* The same; its value is `units` of 10^-decimals, `decimals` from 0 to 18. */
static inline void put_decimal(const struct scrape *scrape, const struct metric *row, int64_t units, uint32_t decimals)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_end_decimal(&sample, units, decimals);
}

/* One sample of the row, `number`, with the label `key`, whose value may be any text. */
static inline void put_one(const struct scrape *scrape, const struct metric *row, const char *key, const char *value,
                           uint64_t number)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_label(&sample, key, slice_of(value));
    sample_end(&sample, (int64_t)number);
}

static inline const struct server *server_of(const struct scrape *scrape) { return &scrape->instance->server; }
static inline const struct views  *views_of(const struct scrape *scrape)
{
    return scrape->instance->server.exchange.views;
}

static inline const struct io_counters *io_of(const struct scrape *scrape, uint32_t thread)
{
    return gateway_counters(server_of(scrape)->gateways[thread]);
}

typedef void scrape_row(const struct scrape *scrape, const struct metric *row);

/* Requests, connections and streams: served.c */
scrape_row scrape_requests, scrape_stages, scrape_refusals, scrape_limits, scrape_forwards, scrape_connections,
    scrape_connections_max, scrape_connections_refused, scrape_connections_dismissed, scrape_connections_reset,
    scrape_stream_connections, scrape_subscriptions, scrape_messages, scrape_conflations, scrape_handshakes;

/* Log, engine, history, second check and shadow: log.c */
scrape_row scrape_batches, scrape_records, scrape_log_bytes, scrape_append, scrape_syncs, scrape_segment,
    scrape_position, scrape_segment_bytes, scrape_short, scrape_shedding, scrape_seq, scrape_time, scrape_block,
    scrape_block_time, scrape_pool_used, scrape_pool_size, scrape_accounts, scrape_keys, scrape_lag, scrape_waiting,
    scrape_history_full, scrape_unkept_seconds, scrape_unkept_bytes, scrape_check_runs, scrape_checked,
    scrape_unchecked, scrape_unchecked_seconds, scrape_mismatches, scrape_lanes, scrape_check_late,
    scrape_shadow_running, scrape_shadow_lag, scrape_shadow_agreed, scrape_shadow_differs, scrape_shadow_restarts,
    scrape_snapshots, scrape_snapshot_command;

/* Symbols and risk: symbols.c */
scrape_row scrape_open_orders, scrape_stops, scrape_positions, scrape_trades, scrape_halted, scrape_mode, scrape_index,
    scrape_mark, scrape_interest, scrape_funding, scrape_oracle, scrape_fund, scrape_fund_equity, scrape_fund_positions,
    scrape_liquidations, scrape_forced;

/* Process, audit log and cluster: process.c */
scrape_row scrape_role, scrape_term, scrape_fence, scrape_resigned, scrape_lease, scrape_node_lag, scrape_lag_seconds,
    scrape_lease_steps, scrape_audit_failures, scrape_resident, scrape_handles, scrape_handles_max, scrape_cpu,
    scrape_start, scrape_build;

#endif
