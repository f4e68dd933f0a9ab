/* SPDX-License-Identifier: MIT */
#include "app/start.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/notify.h"
#include "io/process.h"
#include "io/thread.h"
#include "admin/admin.h"
#include "app/config.h"
#include "app/forwarding.h"
#include "app/going_back.h"
#include "diagnostics/program_log.h"
#include "app/metrics.h"
#include "app/refusal.h"
#include "pipeline/restore.h"

#include <errno.h>
#include <stdio.h>

#define RING_BYTES_DEV (4u * 1024 * 1024)

struct instance *instance_take(void) { return files_take_memory(sizeof(struct instance)); }

uint16_t instance_port(const struct instance *instance) { return net_port(instance->listener); }

void instance_look(struct instance *instance)
{
    struct process_figures   figures = process_look();
    struct process_counters *shown = &instance->server.figures;

    tally_set(&shown->resident, figures.resident);
    tally_set(&shown->handles, figures.handles);
    tally_set(&shown->cpu_ns, figures.cpu_ns);
}

static bool is_proxy(const void *self, const uint8_t address[16])
{
    struct ip peer;

    memcpy(peer.bytes, address, sizeof(peer.bytes));
    return proxies_trust(self, &peer);
}

static int open_listener(struct instance *instance)
{
    const struct options    *options = &instance->options;
    struct net_fault         fault;
    const struct net_address place = { options->host,
                                       options->port,
                                       options->connections,
                                       options->connections_per_address,
                                       options->send_kib * 1024,
                                       options->receive_kib * 1024,
                                       refusal,
                                       options->limits != NULL ? is_proxy : NULL,
                                       options->limits != NULL ? &options->limits->proxies : NULL };

    instance->listener = net_listen(&place, &fault);
    return instance->listener != NULL ? EXIT_FINE : complain(EXIT_IN_USE, "cannot listen on %s", fault.text);
}

/* Bars of the time before the beginning belong to the beginning: a folder has those that it began with. */
static int check_backfill(const struct instance *instance)
{
    uint32_t wanted = instance->options.genesis->backfill_minutes, has = instance->genesis.backfill_minutes;

    if (wanted == 0 || wanted == has) return EXIT_FINE;
    return complain(
        EXIT_CONFIG,
        "%s began with %u minutes of history, and --history asks for %u: leave it out, or begin a new folder",
        instance->options.folder, has, wanted);
}

/* The log's genesis decides; a configuration that differs from it is refused (serve only). */
static int check_genesis(struct instance *instance)
{
    const struct options *options = &instance->options;
    char                  path[256];
    int                   code = replay_genesis(&instance->replay, &instance->genesis);

    if (code != EXIT_FINE) return code;
    if (!options->production && instance->genesis.development == 0)
        return complain(EXIT_CONFIG, "%s is not the folder of a development exchange", options->folder);
    if (!options->production) return check_backfill(instance);
    if (!genesis_difference(options->genesis, &instance->genesis, path, sizeof(path))) return EXIT_FINE;
    if (options->cluster != NULL)
        return complain(EXIT_CONFIG,
                        "the log that [log] url names was begun with another configuration: %s differs; configure all "
                        "nodes of a log alike, or name another database",
                        path);
    return complain(EXIT_CONFIG, "%s was begun with another configuration: %s differs", options->folder, path);
}

static void report_damaged_history(void)
{
    log_line(LOG_ERROR, "the history store is damaged: reads that meet the damage are answered 50001; it is made anew "
                        "from the log at the next start");
}

static int open_history(struct instance *instance)
{
    char           path[4096];
    struct hash256 id = keccak256(instance->replay.genesis_json.at, instance->replay.genesis_json.len);
    struct slice   boot_id = files_boot_id();
    int            error;

    if (boot_id.len == 0)
        log_line(LOG_WARN, "/proc/sys/kernel/random/boot_id cannot be read: a history that was not closed in order is "
                           "made anew from the log, also when only this process was killed");
    (void)snprintf(path, sizeof(path), "%s/history", instance->options.folder);
    error = history_open(path, &id, boot_id, &instance->history);
    if (error != 0) return complain(EXIT_DISK, "the history in %s cannot be opened: %s", path, strerror(error));
    if (history_thrown_away(instance->history) != NULL)
        log_line(LOG_WARN, "the history store in %s is not used (%s); it is made anew from the log", path,
                 history_thrown_away(instance->history));
    if (history_went_back(instance->history))
        log_line(LOG_INFO, "the history store in %s was open when the machine went down; it goes on behind command %lu",
                 path, (unsigned long)history_seq(instance->history));
    history_on_damage(instance->history, report_damaged_history);
    return EXIT_FINE;
}

static bool has_backfill(const void *self, uint8_t market, uint32_t symbol_id)
{
    return backfill_has(self, market, symbol_id);
}

static void copy_backfill(const void *self, const struct history_bars_query *query, struct bar *bars)
{
    backfill_bars(self, query->market, query->symbol_id, query->interval, query->first, query->last, bars);
}

/* Development only: bars of the time before the beginning, when the genesis has them. */
static int open_backfill(struct instance *instance)
{
    const struct genesis  *genesis = &instance->genesis;
    const struct backfill *backfill;

    if (genesis->backfill_minutes == 0) return EXIT_FINE;
    instance->backfill_memory = files_take_memory(backfill_bytes(genesis));
    if (instance->backfill_memory == NULL)
        return complain(EXIT_GENERAL, "not enough memory for the candles before the beginning");
    backfill = backfill_make(genesis, instance->backfill_memory);
    instance->backfill = (struct history_backfill){ .self = backfill,
                                                    .first_ms = backfill_first_ms(backfill),
                                                    .end_ms = backfill_end_ms(backfill),
                                                    .has = has_backfill,
                                                    .copy = copy_backfill };
    history_set_backfill(instance->history, &instance->backfill);
    return EXIT_FINE;
}

static void report_torn(const struct instance *instance)
{
    const struct log_report *report = &instance->replay.report;

    if (report->warning[0] != '\0') log_line(LOG_WARN, "%s", report->warning);
    if (!report->torn) return;
    log_line(LOG_WARN,
             "the tail of the log was torn: %lu bytes cut at %s offset %lu, after command %lu; nothing that was "
             "answered is lost",
             (unsigned long)report->torn_bytes, report->torn_file, (unsigned long)report->torn_at,
             (unsigned long)report->torn_after_seq);
}

/*
 * The newest snapshot and the log behind it, or the log from its first command; rows that the history has already are
 * not made again.
 */
static int catch_up(struct instance *instance)
{
    struct exchange *exchange = &instance->server.exchange;
    struct log_mark  place;
    int              code = EXIT_FINE;

    code = going_back_look(instance);
    if (code != EXIT_FINE) return code;
    if (instance->options.from_genesis || instance->replay.branches.count != 0)
        exchange_begin(exchange, instance->replay.genesis_json);
    else code = restore_newest(&instance->replay, exchange, history_seq(instance->history), &place);
    if (code != EXIT_FINE) return code;
    exchange->history = instance->history;
    exchange->history_seq = history_seq(instance->history);
    log_knows(instance->replay.log, history_knows(instance->history));
    return replay_run(&instance->replay, exchange, NULL, NULL);
}

/* Memory that is touched at the start must be there; the system would end the process in the middle of it. */
static int check_memory(const struct instance *instance, const struct genesis *room)
{
    uint64_t needed = exchange_bytes(room), has = process_memory_max();

    if (has == 0 || needed <= has) return EXIT_FINE;
    if (instance->options.touch_memory || instance->options.production)
        return complain(EXIT_GENERAL,
                        "not enough memory: the pools of the configuration and their raises since need %lu "
                        "bytes, and this process may have %lu (of the machine, or of its control group)",
                        (unsigned long)needed, (unsigned long)has);
    log_line(LOG_WARN, "the pools need %lu bytes when they are full, and this process may have %lu",
             (unsigned long)needed, (unsigned long)has);
    return EXIT_FINE;
}

/* Files in the folder, or a database that several nodes share. */
static struct log_settings log_settings_of(const struct options *options)
{
    const struct cluster_settings *cluster = options->cluster;

    if (cluster == NULL)
        return (struct log_settings){ .kind = LOG_KIND_FILE,
                                      .file_bytes = options->file_bytes,
                                      .spare = options->production,
                                      .strict_tail = options->strict_tail };
    return (struct log_settings){ .kind = LOG_KIND_POSTGRES,
                                  .spare = options->production,
                                  .url = cluster->log_url,
                                  .node = cluster->node,
                                  .lease_ms = cluster->lease_ms,
                                  .needs_quorum = cluster->quorum != 0 };
}

static int open_exchange(struct instance *instance)
{
    struct options           *options = &instance->options;
    const struct log_settings log = log_settings_of(options);
    int code = replay_open(&instance->replay, options->folder, DISK_WRITE, &log, options->genesis);

    if (code == EXIT_FINE) code = check_genesis(instance);
    if (code == EXIT_FINE) code = open_history(instance);
    if (code == EXIT_FINE) code = open_backfill(instance);
    if (code != EXIT_FINE) return code;
    code = check_memory(instance, &instance->genesis);
    if (code != EXIT_FINE) return code;
    if (!exchange_take(&instance->server.exchange, &instance->genesis, true, options->production))
        return complain(EXIT_GENERAL, "not enough memory for the pools of the configuration");
    instance->server.exchange.memory_max = process_memory_max();
    code = catch_up(instance);
    if (code == EXIT_FINE) code = check_memory(instance, instance->server.exchange.room);
    if (code != EXIT_FINE) return code;
    report_torn(instance);
    if (engine_seq(instance->server.exchange.engine) != 0) engine_verify(instance->server.exchange.engine);
    return EXIT_FINE;
}

/* The counters of requests; those of API keys continue from the last run. */
static int open_limiter(struct instance *instance)
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
    if (instance->limiter_memory == NULL || instance->limiter.keys == NULL) return 0;
    return quotas_store(instance->limiter.keys, &instance->replay.disk);
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

bool start_leaves_a_core(const struct options *options) { return process_cores() > options->io_threads; }

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
    asks_open(&instance->asks, &server->exchange.engine);
    server->exchange.asks = &instance->asks;
    instance->nonces = (struct api_nonces){ &instance->asks, asks_refuse_nonce };
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

static int open_gateways(struct instance *instance)
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

static int open_admin(struct instance *instance)
{
    struct server           *server = &instance->server;
    struct local_fault       fault;
    const struct admin_place place = { instance->options.folder, instance->options.admin_socket };

    server->admin =
        admin_open(&server->shared, &place, &instance->replay.disk, &instance->audit, server->thread_count, &fault);
    if (server->admin == NULL)
        return complain(fault.code == ENAMETOOLONG ? EXIT_CONFIG : EXIT_GENERAL,
                        "the administration socket: %s; the setting adminSocket (dev: --admin-socket) "
                        "names another place",
                        fault.text);
    instance->operators = (struct admin_cluster){ &instance->cluster, cluster_hand_over };
    if (instance->options.cluster != NULL) admin_share(server->admin, &instance->operators);
    server->writes[server->ring_count] = admin_writes(server->admin);
    server->replies[server->ring_count++] = admin_replies(server->admin);
    return EXIT_FINE;
}

/* Development only: prices without a signature. */
static void open_dev_prices(struct instance *instance)
{
    if (!instance->options.has_dev_prices || instance->genesis.development == 0 || instance->genesis.perps_count == 0)
        return;
    instance->dev_prices = (struct dev_prices){ instance->options.seed, &instance->genesis };
    instance->server.sequencer.dev_prices = &instance->dev_prices;
}

/* Development only: traders, who also move the prices. */
static void open_market(struct instance *instance)
{
    const struct options *options = &instance->options;
    struct server        *server = &instance->server;

    if (options->market == 0 || instance->genesis.development == 0) return;
    market_source_init(&instance->traders, options->seed, options->market, &server->exchange, &instance->replay.folder);
    server->sequencer.source = &instance->traders.source;
}

/* Development only: a clock that may stand, run faster, or begin elsewhere. By itself it is the wall clock. */
static void open_clock(struct instance *instance)
{
    const struct options *options = &instance->options;
    struct server        *server = &instance->server;
    const struct engine  *engine = server->exchange.engine;
    int64_t               wall_ms = clock_wall_ms(), last_ms = atomic_load(&server->exchange.time_ms);

    if (options->production || instance->genesis.development == 0) return;
    if (options->clock_goes_on)
        engine_clock_set(&instance->clock, wall_ms, last_ms - engine_time_offset_ms(engine), options->clock_rate);
    else if (options->clock_rate == CLOCK_RATE_ONE && instance->going_back.behind_ms == 0)
        engine_clock_set(&instance->clock, 0, 0, CLOCK_RATE_ONE);
    else engine_clock_set(&instance->clock, wall_ms, wall_ms - instance->going_back.behind_ms, options->clock_rate);
    server->shared.clock = &instance->clock;
}

static int open_console_log(struct instance *instance)
{
    void *memory;

    if (!instance->options.console_log) return EXIT_FINE;
    memory = files_take_memory(CONSOLE_LOG_RING_BYTES);
    if (memory == NULL) return complain(EXIT_GENERAL, "not enough memory");
    console_log_init(&instance->console_log, &instance->genesis, memory);
    instance->has_console = true;
    instance->server.exchange.console_log = &instance->console_log; /* after the replay: old commands are not printed */
    return EXIT_FINE;
}

/* From here on the process hardly grows; docs/OPERATIONS.md lists the remaining growth and its bounds. */
static void touch_memory(struct instance *instance)
{
    struct server *server = &instance->server;

    if (!instance->options.touch_memory) return;
    server_touch(server);
    history_touch(instance->history, instance->genesis.spot_count, instance->genesis.perps_count);
    for (uint32_t i = 0; i < server->thread_count; i++) gateway_touch(server->gateways[i]);
    admin_touch(server->admin);
    if (instance->limiter_memory != NULL)
        memory_touch(instance->limiter_memory, limiter_size(instance->options.limits));
    if (instance->streams != NULL)
        memory_touch(instance->streams, stream_quota_size(instance->options.limits->addresses));
    memory_touch(instance->replay.log_memory, log_bytes());
}

struct audit_position instance_position(const struct instance *instance)
{
    const struct exchange *exchange = &instance->server.exchange;

    return (struct audit_position){ engine_seq(exchange->engine), exchange->blocks.applied.number,
                                    exchange->blocks.applied.hash, log_chain(instance->replay.log) };
}

/* The state found in the folder; before any thread runs, because the engine belongs to its thread then. */
static void audit_start(struct instance *instance)
{
    instance->standing = (struct audit_start){
        .place = instance_position(instance),
        .state = engine_hash(instance->server.exchange.engine),
        .genesis = replay_instance(&instance->replay),
        .config = instance->options.config,
        .operators = instance->api.settings.operators.count,
    };
    audit_started(&instance->audit, &instance->standing);
}

/* A start, or the reason of a refused one; and the part of the log that either has cut off. */
static void audit_open(struct instance *instance, int code)
{
    const struct log_report *report = &instance->replay.report;

    if (report->torn && report->fault == LOG_OK)
        audit_torn(&instance->audit, report->torn_bytes, report->torn_after_seq, report->torn_file);
    if (code == EXIT_FINE) audit_start(instance);
    else if (code == EXIT_STOPPED) audit_not_started(&instance->audit, EXIT_FINE, "a signal came during the start");
    else audit_not_started(&instance->audit, code, complained());
}

static int prepare_server(struct instance *instance)
{
    const struct cluster_settings *settings = instance->options.cluster;

    if (settings != NULL) cluster_init(&instance->cluster, settings, &instance->server);
    if (!server_prepare(&instance->server, instance->replay.log)) return complain(EXIT_GENERAL, "not enough memory");
    if (instance->options.passing) instance->server.commit.passing_folder = instance->options.folder;
    if (settings == NULL) return EXIT_FINE;
    instance->node = (struct api_node){ &instance->cluster, cluster_look };
    return cluster_open(&instance->cluster);
}

/* The second check reads the log as a follower does, beside the thread that writes it. */
static void prepare_second_check(struct instance *instance)
{
    const struct options              *options = &instance->options;
    const struct second_check_settings settings = { .folder = options->folder,
                                                    .log = log_settings_of(options),
                                                    .genesis = &instance->genesis,
                                                    .logged = &instance->server.counters.seq };

    recover_use_lanes(!options->library_signatures);
    if (options->library_signatures) return;
    second_check_init(&instance->second_check, &settings);
    instance->api.second_check = &instance->second_check.shown;
}

static void *try_crypto(void *argument)
{
    struct crypto_trial *trial = argument;

    trial->holds = crypto_check();
    return NULL;
}

/* The trial takes as long as the log's first files. Nobody signs or is served before its end. */
static int begin_crypto(struct crypto_trial *trial)
{
    trial->holds = crypto_is_ready();
    if (trial->holds) return EXIT_FINE;
    if (!crypto_begin()) return complain(EXIT_GENERAL, "not enough memory");
    trial->is_running = thread_start(&trial->thread, "crypto", try_crypto, trial) == 0;
    if (!trial->is_running) (void)try_crypto(trial);
    return EXIT_FINE;
}

static int end_crypto(struct crypto_trial *trial)
{
    if (trial->is_running) thread_join(trial->thread);
    trial->is_running = false;
    if (trial->holds) return EXIT_FINE;
    return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
}

static int open_parts(struct instance *instance)
{
    int code = open_listener(instance);

    if (code == EXIT_FINE) code = open_exchange(instance);
    if (code == EXIT_FINE) code = going_back_open(instance);
    if (code == EXIT_FINE) code = prepare_server(instance);
    if (code == EXIT_FINE) open_dev_prices(instance);
    if (code == EXIT_FINE) open_clock(instance);
    if (code == EXIT_FINE) open_market(instance);
    if (code == EXIT_FINE) code = open_limiter(instance);
    if (code == EXIT_FINE) code = open_gateways(instance);
    if (code == EXIT_FINE) code = forwarding_open(instance);
    if (code == EXIT_FINE) code = open_admin(instance);
    if (code == EXIT_FINE) code = open_console_log(instance);
    if (code == EXIT_FINE) touch_memory(instance);
    return code;
}

/* So many connections that those who open them cannot take the file number of the log's next file. */
static int take_file_numbers(struct options *options)
{
    uint64_t besides = file_numbers_besides(options->io_threads, options->cluster != NULL),
             wanted = options->connections + besides, has = files_want_handles(wanted);

    if (has >= wanted) return EXIT_FINE;
    if (has <= besides)
        return complain(EXIT_GENERAL,
                        "the system gives this process %lu file numbers (ulimit -n); it needs %lu and one for each "
                        "connection",
                        (unsigned long)has, (unsigned long)besides);
    log_line(LOG_WARN, "the system gives this process too few file numbers for %u connections (ulimit -n): %lu at once",
             options->connections, (unsigned long)(has - besides));
    options->connections = (uint32_t)(has - besides);
    return EXIT_FINE;
}

static int open_all(struct instance *instance)
{
    int code = take_file_numbers(&instance->options), checked;

    if (code == EXIT_FINE) code = begin_crypto(&instance->crypto);
    if (code != EXIT_FINE) return code;
    code = open_parts(instance);
    checked = end_crypto(&instance->crypto);
    if (code == EXIT_FINE) code = checked;
    if (code == EXIT_FINE) prepare_second_check(instance);
    return code;
}

int instance_open(struct instance *instance, const struct options *options)
{
    int code;

    instance->options = *options;
    instance->replay.lock = -1;
    audit_init(&instance->audit, instance->options.folder);
    notify_open(); /* the start itself has news for the service manager: how far the replay is */
    code = open_all(instance);
    audit_open(instance, code);
    return code;
}

void instance_close(struct instance *instance)
{
    if (instance->server.admin != NULL) admin_close(instance->server.admin);
    for (uint32_t i = 0; i < instance->server.thread_count; i++) gateway_close(instance->server.gateways[i]);
    forwarding_close(instance);
    if (instance->limiter_memory != NULL) {
        limiter_deinit(&instance->limiter);
        files_give_memory(instance->limiter_memory, limiter_size(&instance->limiter.settings));
    }
    if (instance->server.shared.streams != NULL) {
        stream_quota_deinit(instance->server.shared.streams);
        files_give_memory(instance->streams, stream_quota_size(instance->limiter.settings.addresses));
    }
    if (instance->server.shared.chaos != NULL) chaos_deinit(&instance->chaos);
    if (instance->options.terminal) terminal_source_close(&instance->terminal);
    going_back_close(instance);
    if (instance->history != NULL) history_close(instance->history);
    if (instance->backfill_memory != NULL)
        files_give_memory(instance->backfill_memory, backfill_bytes(&instance->genesis));
    if (instance->server.exchange.asks != NULL) asks_close(&instance->asks);
    exchange_close(&instance->server.exchange);
    cluster_close(&instance->cluster);
    replay_close(&instance->replay);
    if (instance->listener != NULL) net_unlisten(instance->listener);
    files_give_memory(instance, sizeof(*instance));
}
