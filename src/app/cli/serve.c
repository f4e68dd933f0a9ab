/* SPDX-License-Identifier: MIT */
/* serve.c — dojima serve: a venue from a configuration file. */
#include "io/files.h"
#include "app/cli/arguments.h"
#include "app/config.h"
#include "diagnostics/program_log.h"
#include "app/cli/commands.h"
#include "app/threads.h"

#include <stdio.h>
#include <stdlib.h>

static const char *hex(const struct hash256 *hash, char text[65])
{
    struct out out = out_make(text, 64);

    out_hex(&out, hash->bytes, sizeof(hash->bytes));
    text[64] = '\0';
    return text;
}

/* The state found in the folder; before any thread runs, because the engine belongs to its thread then. */
static void print_state(const struct instance *instance)
{
    const struct audit_position *place = &instance->standing.place;
    struct engine_counts         counts = engine_counts(instance->server.exchange.engine);
    char                         state_text[65], chain_text[65];

    log_line(LOG_INFO, "%s: command %lu, block %lu, %lu accounts, %lu open orders, chain head 0x%s, state hash 0x%s",
             instance->options.folder, (unsigned long)place->seq, (unsigned long)place->block,
             (unsigned long)counts.accounts, (unsigned long)counts.open_orders, hex(&place->chain, chain_text),
             hex(&instance->standing.state, state_text));
}

static void ready(void *self)
{
    const struct instance *instance = self;

    log_line(LOG_INFO, "serving on %s:%u", instance->options.host, instance_port(instance));
}

static int run(const struct config *config, const char *path, bool from_genesis)
{
    bool           shared = config->cluster.log_url[0] != '\0';
    struct options options = {
        .folder = config->data,
        .admin_socket = config->admin_socket,
        .host = config->host,
        .port = config->port,
        .io_threads = config->io_threads,
        .busy_poll_us = config->busy_poll_us,
        .connections = config->connections,
        .connections_per_address = config->connections_per_address,
        .send_kib = config->send_kib,
        .receive_kib = config->receive_kib,
        .file_bytes = (uint64_t)config->segment_mib << 20,
        .production = true,
        .from_genesis = from_genesis,
        .strict_tail = config->strict_tail != 0,
        .library_signatures = config->signatures == SIGNATURES_LIBRARY,
        .sandbox = config->sandbox != 0,
        .touch_memory = config->touch_memory != 0,
        .allow_public_chain_ids = config->allow_public_chain_ids != 0,
        .rpc_legacy = config->rpc_tx_compat != 0,
        .strict_key_header = config->strict_key_header != 0,
        .terminal = config->terminal != 0,
        .terminal_folder = config->terminal_folder,
        .strict_decimals = config->strict_decimals != 0,
        .genesis = &config->genesis,
        .limits = &config->limits,
        .faucet = config->faucet,
        .metrics = &config->metrics,
        .operators = &config->operators,
        .config = &config->hash,
        .cluster = shared ? &config->cluster : NULL,
        .audit_seconds = config->audit_seconds,
        .watch = { config->shadow != 0 ? config->snapshot_seconds : 0, config->snapshot_commands,
                   config->archive_segments != 0, config->shadow_stops != 0, shared ? path : NULL },
    };
    struct instance *instance = instance_take();
    int              code;

    if (instance == NULL) return complain(EXIT_GENERAL, "not enough memory");
    code = instance_open(instance, &options);
    if (code == EXIT_FINE) {
        print_state(instance);
        code = instance_run(instance, ready, instance);
    }
    instance_close(instance);
    if (code == EXIT_FINE) log_line(LOG_INFO, "stopped");
    return code;
}

/* Perps without feeders would use their own spot books for the index; that must be configured explicitly (ruling 68).
 */
static bool lacks_feeders(const struct config *config)
{
    return config->genesis.perps_count != 0 && config->genesis.feeder_count == 0 && config->bootstrap == 0;
}

static int read_and_run(const char *path, struct config *config, bool from_genesis)
{
    char error[1024];

    if (!config_read_file(path, config, error, sizeof(error))) return complain(EXIT_CONFIG, "%s", error);
    if (lacks_feeders(config))
        return complain(
            EXIT_CONFIG,
            "%s: there are perps markets and no [feeder] that posts their index prices; name at least one, or set "
            "bootstrap = on in [dojima] when the spot markets are to stand in (docs/OPERATIONS.md)",
            path);
    return run(config, path, from_genesis);
}

int command_serve(int argc, char **argv)
{
    const char           *path = NULL;
    bool                  quiet = false, from_genesis = false;
    const struct argument rows[] = {
        { "config", ARGUMENT_TEXT, 0, &path, "FILE", "The configuration; its sections and keys are below." },
        { "from-genesis", ARGUMENT_FLAG, 0, &from_genesis, "", "Use no snapshot: read the whole log." },
        { "quiet", ARGUMENT_FLAG, 0, &quiet, "", "Log warnings and errors only." },
    };
    const struct arguments arguments = {
        "serve", NULL, "Runs a venue with a configuration file.", rows, ARRAY_COUNT(rows), config_print_help
    };
    struct config *config;
    int            operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    if (path == NULL) return complain(EXIT_USAGE, "serve: --config FILE is needed (see dojima serve --help)");
    log_init(quiet);
    config = calloc(1, sizeof(*config));
    assert(config != NULL);
    code = read_and_run(path, config, from_genesis);
    free(config);
    return code;
}
