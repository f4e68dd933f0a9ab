/* SPDX-License-Identifier: MIT */
/*
 * metrics.c — the rows of /metrics and the source of each. Labels are rows of our own tables and names of the genesis,
 * never text of a client, so the answer has a maximum size. The functions of the rows are in app/metrics/.
 */
#include "app/metrics.h"

const char *const metric_type_names[] = { "counter", "gauge", "histogram" };

#define IO     "I/O threads, as it happens"
#define WHEEL  "the engine's thread, with each batch"
#define DISK   "the log's thread, with each batch"
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
          "that ended before their answer not at all.", scrape_requests },
    { "dojima_stage_seconds", METRIC_HISTOGRAM, "seconds", "stage (parse, verify, queue, durable, apply, answer)",
      IO "; queue, durable and apply by the engine's thread",
      "Time in each stage: parse and answer of all requests, verify of signed ones, queue, durable and apply of all "
          "commands, operator commands included.", scrape_stages },
    { "dojima_refusals_total", METRIC_COUNTER, "", "rule (rows of the rejects), code", IO,
      "What was refused, by rule: requests, and items of batches one by one.", scrape_refusals },
    { "dojima_rate_limited_total", METRIC_COUNTER, "", "rule (address, orders, key_minute, key_month)", IO,
      "Requests answered with status 429, by limit.", scrape_limits },
    { "dojima_forwarded_total", METRIC_COUNTER, "", "outcome (answered, not_sent, unknown)", IO,
      "Writes that were passed on to the leader, which counts them as requests: answered by it, never sent, or sent "
      "and without an answer.", scrape_forwards },
    { "dojima_connections", METRIC_GAUGE, "", "", IO, "Open connections, those of streams too.", scrape_connections },
    { "dojima_connections_max", METRIC_GAUGE, "", "", FIXED, "Connections that may be open at once.",
      scrape_connections_max },
    { "dojima_connections_refused_total", METRIC_COUNTER, "", "", IO,
      "Connections closed at once because their address has as many as one may have.", scrape_connections_refused },
    { "dojima_connections_dismissed_total", METRIC_COUNTER, "", "", IO,
      "Connections closed in favour of new ones while all slots were taken.", scrape_connections_dismissed },
    { "dojima_connections_reset_total", METRIC_COUNTER, "", "", IO,
      "Connections reset because their answers were not read for 10 s.", scrape_connections_reset },

    { "dojima_stream_connections", METRIC_GAUGE, "", "", IO, "Open WebSockets.", scrape_stream_connections },
    { "dojima_stream_subscriptions", METRIC_GAUGE, "", "", IO, "Subscriptions of all WebSockets.",
      scrape_subscriptions },
    { "dojima_stream_messages_total", METRIC_COUNTER, "", "", IO, "Messages of channels given to connections.",
      scrape_messages },
    { "dojima_stream_conflations_total", METRIC_COUNTER, "", "", IO,
      "Times that a subscription fell behind: a market message did not fit, and its reader gets the latest state when "
      "there is room.", scrape_conflations },
    { "dojima_stream_handshakes_total", METRIC_COUNTER, "",
      "market (spot, perps), result (accepted, or a row of the rejects)", IO,
      "Requests for a WebSocket.", scrape_handshakes },

    { "dojima_log_batches_total", METRIC_COUNTER, "", "", DISK, "Batches made durable, closing ones too.",
      scrape_batches },
    { "dojima_log_records_total", METRIC_COUNTER, "", "", DISK, "Commands made durable.", scrape_records },
    { "dojima_log_bytes_total", METRIC_COUNTER, "bytes", "", DISK,
      "Bytes of these batches, before they are rounded up to blocks.", scrape_log_bytes },
    { "dojima_log_append_seconds", METRIC_HISTOGRAM, "seconds", "", DISK,
      "How long it took to write a batch and make it durable.", scrape_append },
    { "dojima_log_sync_seconds", METRIC_HISTOGRAM, "seconds", "", "the thread that syncs a file of the log's folder",
      "How long the disk took to say that it is durable (fdatasync).", scrape_syncs },
    { "dojima_log_segment", METRIC_GAUGE, "", "", DISK,
      "Number of the segment that is written; segments count from 1 and stay.", scrape_segment },
    { "dojima_log_position_bytes", METRIC_GAUGE, "bytes", "", DISK, "Where in it the next batch goes.",
      scrape_position },
    { "dojima_log_segment_bytes", METRIC_GAUGE, "bytes", "", FIXED, "Size of a new segment.", scrape_segment_bytes },
    { "dojima_log_short", METRIC_GAUGE, "", "", DISK,
      "1: the disk has no room for the next segment, and new risk is not taken.", scrape_short },
    { "dojima_shedding", METRIC_GAUGE, "", "", WHEEL,
      "1: writes that add risk are answered busy, because the disk is short or the history behind.", scrape_shedding },

    { "dojima_engine_seq", METRIC_GAUGE, "", "", WHEEL, "Number of the last command that happened.", scrape_seq },
    { "dojima_engine_time_seconds", METRIC_GAUGE, "seconds", "", WHEEL, "Engine time of that command, since 1970.",
      scrape_time },
    { "dojima_block_height", METRIC_GAUGE, "", "", VIEWS, "Number of the last block.", scrape_block },
    { "dojima_block_time_seconds", METRIC_GAUGE, "seconds", "", VIEWS, "Its time, since 1970.", scrape_block_time },
    { "dojima_pool_used", METRIC_GAUGE, "", "pool (of the genesis)", WHEEL,
      "Places of a pool that are taken; a command that finds it full is refused with CAPACITY.", scrape_pool_used },
    { "dojima_pool_size", METRIC_GAUGE, "", "pool (of the genesis)", WHEEL, "Places of a pool.", scrape_pool_size },
    { "dojima_accounts", METRIC_GAUGE, "", "", VIEWS, "Accounts of users, sub-accounts too.", scrape_accounts },
    { "dojima_api_keys", METRIC_GAUGE, "", "", VIEWS, "API keys that are registered.", scrape_keys },
    { "dojima_history_lag_commands", METRIC_GAUGE, "", "", WHEEL "; the keeper",
      "Commands since the last one whose rows of the history are all on disk; 0 when no row waits.", scrape_lag },
    { "dojima_history_waiting_rows", METRIC_GAUGE, "", "", "the history, on request",
      "Rows of the history that are in memory alone.", scrape_waiting },
    { "dojima_history_full", METRIC_GAUGE, "", "", "the history, on request", "1: that memory is full.",
      scrape_history_full },
    { "dojima_history_unkept_seconds", METRIC_GAUGE, "seconds", "", "the history, on request",
      "For how long, at most, the disk has not taken something that was written to the history; 0: it has all. Below a "
      "minute while it keeps up; grows until the restart after the disk refused a part.",
      scrape_unkept_seconds },
    { "dojima_history_unkept_bytes", METRIC_GAUGE, "bytes", "", "the history, on request",
      "Bytes of rows that were written to the history since then.", scrape_unkept_bytes },

    { "dojima_signatures_check_running", METRIC_GAUGE, "", "", FIXED,
      "1: every accepted signature is verified again by libsecp256k1; 0: signatures = library, there is no need.",
      scrape_check_runs },
    { "dojima_signatures_checked_total", METRIC_COUNTER, "", "", CHECK, "Signatures that it has confirmed.",
      scrape_checked },
    { "dojima_signatures_unchecked_commands", METRIC_GAUGE, "", "", CHECK "; the engine's thread",
      "Applied commands that it has not come to yet.", scrape_unchecked },
    { "dojima_signatures_unchecked_seconds", METRIC_GAUGE, "seconds", "", CHECK ", each second",
      "For how long the oldest of them has been in the log; above 60 the lanes are switched off until it is below 5.",
      scrape_unchecked_seconds },
    { "dojima_signatures_mismatches_total", METRIC_COUNTER, "", "", CHECK,
      "Signatures that it has not confirmed. The exchange stops at once (70), so it is hardly ever read.",
      scrape_mismatches },
    { "dojima_signatures_lanes", METRIC_GAUGE, "", "", CHECK,
      "1: signers are recovered in lanes; 0: by libsecp256k1 alone (setting, processor, or the check is behind).",
      scrape_lanes },
    { "dojima_signatures_late_total", METRIC_COUNTER, "", "", CHECK, "Times that the lanes were switched off.",
      scrape_check_late },

    { "dojima_shadow_running", METRIC_GAUGE, "", "", SHADOW, "1: there is a second process that follows the log.",
      scrape_shadow_running },
    { "dojima_shadow_lag_commands", METRIC_GAUGE, "", "", SHADOW,
      "Applied commands that the shadow has not reported yet.", scrape_shadow_lag },
    { "dojima_shadow_blocks_agreed_total", METRIC_COUNTER, "", "", SHADOW,
      "Blocks that were compared and are the same in both processes.", scrape_shadow_agreed },
    { "dojima_shadow_differences_total", METRIC_COUNTER, "", "", SHADOW,
      "Blocks that are not: one of the two computes wrongly.", scrape_shadow_differs },
    { "dojima_shadow_restarts_total", METRIC_COUNTER, "", "", SHADOW, "Times the shadow ended and was started again.",
      scrape_shadow_restarts },
    { "dojima_snapshots_total", METRIC_COUNTER, "", "", SHADOW, "Snapshots that were written and proved.",
      scrape_snapshots },
    { "dojima_snapshot_command", METRIC_GAUGE, "", "", SHADOW,
      "The last command that is in the newest of them; 0 before the first of this process.", scrape_snapshot_command },

    { "dojima_open_orders", METRIC_GAUGE, "", MARKET, VIEWS, "Open orders, stops that wait among them.",
      scrape_open_orders },
    { "dojima_waiting_stops", METRIC_GAUGE, "", SYMBOL, VIEWS,
      "Stops whose condition has not been met, including dormant ones, which wait for their parent.", scrape_stops },
    { "dojima_positions", METRIC_GAUGE, "", SYMBOL, VIEWS, "Open positions, the insurance fund's among them.",
      scrape_positions },
    { "dojima_trades_total", METRIC_COUNTER, "", MARKET, VIEWS, "Trades of the whole log.", scrape_trades },
    { "dojima_symbol_halted", METRIC_GAUGE, "", MARKET, VIEWS,
      "1: an operator has halted it, or the whole venue only lets cancels through.", scrape_halted },
    { "dojima_venue_mode", METRIC_GAUGE, "", "mode (RUN, CANCEL_ONLY, REDUCE_ONLY)", VIEWS,
      "1 for the mode of the whole venue, 0 for the others.", scrape_mode },
    { "dojima_index_price", METRIC_GAUGE, "quote coin", SYMBOL, VIEWS, "Index price.", scrape_index },
    { "dojima_mark_price", METRIC_GAUGE, "quote coin", SYMBOL, VIEWS, "Mark price.", scrape_mark },
    { "dojima_open_interest", METRIC_GAUGE, "base coin", SYMBOL, VIEWS, "Open interest.", scrape_interest },
    { "dojima_funding_rate", METRIC_GAUGE, "ratio", SYMBOL, VIEWS,
      "Funding rate of the running hour, as it is predicted.", scrape_funding },
    { "dojima_oracle_state", METRIC_GAUGE, "",
      "symbol (names of the genesis), state (BOOTSTRAP, LIVE, FALLBACK, STALE)", VIEWS,
      "1 for the state that the symbol's index is in, 0 for the others.", scrape_oracle },
    { "dojima_insurance_fund", METRIC_GAUGE, "first coin", "", VIEWS,
      "Wallet of the insurance fund; below zero nothing may be withdrawn.", scrape_fund },
    { "dojima_insurance_fund_equity", METRIC_GAUGE, "first coin", "", VIEWS,
      "Wallet of the insurance fund and its positions, valued at the index.", scrape_fund_equity },
    { "dojima_insurance_fund_position", METRIC_GAUGE, "base coin", SYMBOL, VIEWS,
      "Signed size of the insurance fund's position.", scrape_fund_positions },
    { "dojima_liquidations_total", METRIC_COUNTER, "", "stage (healthy, book, takeover, adl)", VIEWS,
      "Risk units that came to a stage of liquidation, over the whole log; healthy: got out of it.",
      scrape_liquidations },
    { "dojima_forced_fills_total", METRIC_COUNTER, "", "reason (LIQUIDATION, TAKEOVER, ADL, …)", VIEWS,
      "Sides of fills that their account did not ask for, over the whole log.", scrape_forced },

    { "dojima_cluster_role", METRIC_GAUGE, "", "role (leader, leading, follower)", "the engine's thread",
      "1 for what this node does among those that share its log, 0 for the others; a lone node leads.", scrape_role },
    { "dojima_cluster_term", METRIC_GAUGE, "", "", LEASE, "Number of the last fence of this node; 0 = it never led.",
      scrape_term },
    { "dojima_cluster_last_fence_seconds", METRIC_GAUGE, "seconds", "", LEASE,
      "When that was, since 1970; 0 = it never led.", scrape_fence },
    { "dojima_cluster_resigned_total", METRIC_COUNTER, "", "", "the engine's thread",
      "Times that this node has led and stopped leading.", scrape_resigned },
    { "dojima_cluster_lease_seconds", METRIC_GAUGE, "seconds", "", LEASE,
      "Remaining time of the leader's lease, whichever node it is; 0 = no node leads.", scrape_lease },
    { "dojima_cluster_lag_commands", METRIC_GAUGE, "", "", LEASE,
      "Commands by which this node is behind what the leader last told.", scrape_node_lag },
    { "dojima_cluster_lag_seconds", METRIC_GAUGE, "seconds", "", LEASE, "For how long it has been behind.",
      scrape_lag_seconds },
    { "dojima_cluster_lease_steps_total", METRIC_COUNTER, "", "result (ok, failed)", LEASE,
      "Round trips of the lease to the database.", scrape_lease_steps },

    { "dojima_audit_failures_total", METRIC_COUNTER, "", "", "the thread that writes one",
      "Times that audit.log could not be written; what operators ask for is refused then.", scrape_audit_failures },

    { "process_resident_memory_bytes", METRIC_GAUGE, "bytes", "", "the keeper, each second", "Memory that is there.",
      scrape_resident },
    { "process_open_fds", METRIC_GAUGE, "", "", "the keeper, each second", "File numbers in use.", scrape_handles },
    { "process_max_fds", METRIC_GAUGE, "", "", "the system, on request", "File numbers that may be in use.",
      scrape_handles_max },
    { "process_cpu_seconds_total", METRIC_COUNTER, "seconds", "", "the keeper, each second",
      "Processor time of all threads.", scrape_cpu },
    { "process_start_time_seconds", METRIC_GAUGE, "seconds", "", "the system, at the start",
      "When the process was started, since 1970.", scrape_start },
    { "dojima_build_info", METRIC_GAUGE, "", "version, compiler", FIXED, "Which program this is; always 1.",
      scrape_build },
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
