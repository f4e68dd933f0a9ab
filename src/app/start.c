/* SPDX-License-Identifier: MIT */
#include "app/start.h"

#include "base/touch.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/notify.h"
#include "io/process.h"
#include "io/thread.h"
#include "admin/admin.h"
#include "app/forwarding.h"
#include "app/going_back.h"
#include "diagnostics/program_log.h"
#include "app/refusal.h"
#include "app/start_gateways.h"
#include "app/start_state.h"

#include <errno.h>

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
    instance->clock.first_rate = options->clock_rate;
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

/* The state found in the folder, whose hash open_exchange has worked out; no command has run since. */
static void audit_start(struct instance *instance)
{
    struct audit_start *standing = &instance->standing;

    standing->place = instance_position(instance);
    standing->genesis = replay_instance(&instance->replay);
    standing->config = instance->options.config;
    standing->operators = instance->api.settings.operators.count;
    audit_started(&instance->audit, standing);
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
    instance->node = (struct api_node){ &instance->cluster, cluster_look, cluster_age_ms };
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

/* Pools, buffers and the history's map are reserved for the largest, and take memory as they fill. */
static void look_at_space(void)
{
    uint64_t space = process_space_max();

    if (space != UINT64_MAX)
        log_line(LOG_WARN,
                 "the address space of this process ends at %lu bytes (ulimit -v); an exchange reserves far more than "
                 "it uses: limit its memory by a control group instead",
                 (unsigned long)space);
}

static int open_all(struct instance *instance)
{
    int code = take_file_numbers(&instance->options), checked;

    look_at_space();
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
    instance->was_refused = code != EXIT_FINE && code != EXIT_STOPPED;
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
    if (instance->server.exchange.nonce_query != NULL) nonce_query_close(&instance->nonce_query);
    exchange_close(&instance->server.exchange);
    cluster_close(&instance->cluster);
    if (instance->was_refused) replay_take_back(&instance->replay);
    replay_close(&instance->replay);
    if (instance->listener != NULL) net_unlisten(instance->listener);
    files_give_memory(instance, sizeof(*instance));
}
