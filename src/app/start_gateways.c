/* SPDX-License-Identifier: MIT */
/*
 * start_gateways.c — what the I/O threads need before they run: the counters of requests, the facts that all of them
 * answer from, and a gateway for each.
 */
#include "app/start_gateways.h"

#include "io/clock.h"
#include "io/files.h"
#include "io/process.h"
#include "app/metrics.h"
#include "diagnostics/program_log.h"

#define RING_BYTES_DEV (4u * 1024 * 1024)

int open_limiter(struct instance *instance)
{
    const struct limiter_settings *settings = instance->options.limits;
    struct limiter                *limiter = &instance->limiter;
    int64_t                        now_ms = max_i64(atomic_load(instance->server.shared.time_ms), clock_wall_ms());
    uint64_t                       seed[2];
    char                           why[256];

    if (settings == NULL || limiter_size(settings) == 0) return EXIT_FINE;
    instance->limiter_memory = files_take_memory(limiter_size(settings));
    if (instance->limiter_memory == NULL || !files_random(seed, sizeof(seed)))
        return complain(EXIT_GENERAL, "not enough memory or randomness for the counters of requests");
    limiter_init(limiter, instance->limiter_memory, settings, seed);
    if (settings->weight_per_minute != 0) { /* whether an address is limited applies to streams as to requests */
        instance->streams = files_take_memory(stream_quota_size(settings->addresses));
        if (instance->streams == NULL) return complain(EXIT_GENERAL, "not enough memory for the counters of streams");
        instance->server.shared.streams = stream_quota_init(instance->streams, settings->addresses, seed);
    }
    if (limiter->keys != NULL && !quotas_load(limiter->keys, &instance->replay.disk, now_ms, why, sizeof(why)))
        log_line(LOG_WARN, "%s", why);
    return EXIT_FINE;
}

int instance_store_quotas(struct instance *instance)
{
    size_t bytes;

    if (instance->limiter_memory == NULL || instance->limiter.keys == NULL) return 0;
    thread_ceiling_begin(); /* an I/O thread that counts a request waits meanwhile */
    bytes = quotas_take(instance->limiter.keys);
    thread_ceiling_end();
    return quotas_store(instance->limiter.keys, bytes, &instance->replay.disk);
}

/* The accounts of a development exchange with their well-known keys. */
static struct slice write_public_accounts(struct instance *instance)
{
    const struct genesis *genesis = &instance->genesis;
    struct out            out = out_make(instance->public_accounts, sizeof(instance->public_accounts));

    for (uint32_t i = 0; genesis->development != 0 && i < DEV_ACCOUNTS && i < genesis->account_count; i++) {
        if (i != 0) out_char(&out, ',');
        out_literal(&out, "{\"accountID\":");
        out_u64(&out, ACCOUNT_FIRST + i);
        out_literal(&out, ",\"address\":\"0x");
        out_hex(&out, genesis->accounts[i].owner.bytes, 20);
        out_literal(&out, "\",\"privateKey\":\"0x");
        out_hex(&out, dev_secrets[i], 32);
        out_literal(&out, "\"}");
    }
    assert(!out.overflow);
    return out_slice(&out);
}

static void wake_streams(void *self, uint32_t index) { gateway_wake(((struct server *)self)->gateways[index]); }

bool start_leaves_a_core(const struct options *options) { return process_cores(0) > options->io_threads; }

/* A thread that polls needs a core of its own. */
static int64_t busy_poll_ns(const struct options *options)
{
    return start_leaves_a_core(options) ? options->busy_poll_us * INT64_C(1000) : 0;
}

static void write_table(struct out *out, const char *name, uint64_t used, uint64_t value)
{
    out_literal(out, "{\"name\":\"");
    out_text(out, name);
    out_literal(out, "\",\"used\":");
    out_u64(out, used);
    out_literal(out, ",\"value\":");
    out_u64(out, value);
    out_char(out, '}');
}

/* Tables of the gateway whose places are counted, and file descriptors, one per connection. */
static void write_tables(void *self, struct out *out)
{
    const struct instance *instance = self;
    uint64_t               connections = 0;

    for (uint32_t i = 0; i < instance->server.thread_count; i++)
        connections += gateway_connections(instance->server.gateways[i]);
    write_table(out, "connections", connections, instance->options.connections);
    out_char(out, ',');
    write_table(out, "fileNumbers", tally_of(&instance->server.figures.handles), process_handles_max());
}

/* Rules of faults: of development, and of `dojima dev` alone. */
static struct chaos *open_chaos(struct instance *instance)
{
    if (instance->genesis.development == 0 || instance->options.production) return NULL;
    chaos_init(&instance->chaos);
    instance->server.sequencer.chaos = &instance->chaos;
    return &instance->chaos;
}

/* What all I/O threads answer from. */
static void share_api(struct instance *instance)
{
    const struct options *options = &instance->options;
    struct server        *server = &instance->server;

    instance->metrics = (struct api_metrics){ instance, metrics_write };
    nonce_query_open(&instance->nonce_query, &server->exchange.engine);
    server->exchange.nonce_query = &instance->nonce_query;
    instance->nonces = (struct api_nonces){ &instance->nonce_query, nonce_query_refuses };
    instance->started_ms = clock_wall_ms() - clock_since_start_ns() / 1000000;
    instance->api = (struct api_shared){
        .genesis = &instance->genesis,
        .views = server->exchange.views,
        .history = instance->history,
        .settings = { .development = instance->genesis.development != 0,
                      .open_to_all = options->open_to_all,
                      .allow_public_chain_ids = options->allow_public_chain_ids,
                      .rpc_legacy = options->rpc_legacy,
                      .strict_key_header = options->strict_key_header,
                      .strict_decimals = options->strict_decimals },
        .version = SLICE(DOJIMA_VERSION),
        .log = &instance->log,
        .block0 = &server->exchange.blocks.genesis,
        .public_accounts = write_public_accounts(instance),
        .oracle_seqs = server->exchange.oracle_seqs,
        .metrics = &instance->metrics,
        .nonces = &instance->nonces,
        .limiter = instance->limiter_memory != NULL ? &instance->limiter : NULL,
    };
    if (instance->genesis.development != 0) instance->api.impersonation = &instance->impersonation;
    if (options->stage != NULL) instance->api.scenarios = &options->stage->scenarios;
    if (options->terminal) {
        terminal_source_open(&instance->terminal, options->terminal_folder);
        instance->api.terminal = &instance->terminal.terminal;
    }
    if (options->metrics != NULL) instance->api.settings.metrics_readers = *options->metrics;
    if (options->operators != NULL) instance->api.settings.operators = *options->operators;
    memcpy(instance->api.settings.faucet, options->faucet, sizeof(instance->api.settings.faucet));
    instance->log = logbook_of(instance->replay.log);
    instance->api.pools = &server->pools;
    instance->tables = (struct api_tables){ instance, write_tables };
    instance->api.tables = &instance->tables;
    instance->api.snapshots = server->revert != NULL ? &instance->going_back.snapshots : NULL;
    instance->api.node = instance->options.cluster != NULL ? &instance->node : NULL;
    instance->api.chaos = server->shared.chaos = open_chaos(instance);
    server->shared.api = &instance->api;
}

int open_gateways(struct instance *instance)
{
    const struct options *options = &instance->options;
    struct server        *server = &instance->server;

    share_api(instance);
    server->exchange.is_read = true;
    for (uint32_t i = 0; i < options->io_threads; i++) {
        struct gateway_settings settings = { i, options->connections, RING_BYTES_DEV, busy_poll_ns(options),
                                             options->cluster != NULL ? options->cluster->wait_ms : SEQ_WAIT_MS };
        server->gateways[i] = gateway_open(&server->shared, instance->listener, &settings);
        if (server->gateways[i] == NULL)
            return complain(EXIT_GENERAL, "not enough memory or file numbers for %u connections", options->connections);
        server->writes[i] = gateway_writes(server->gateways[i]);
        server->replies[i] = gateway_replies(server->gateways[i]);
        instance->queue_list[i] = gateway_event_queue(server->gateways[i]);
        server->thread_count = server->ring_count = i + 1;
    }
    instance->event_queues = (struct event_queues){ instance->queue_list, server->thread_count, wake_streams, server };
    server->exchange.streams = &instance->event_queues;
    return EXIT_FINE;
}
