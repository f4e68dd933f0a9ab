/* SPDX-License-Identifier: MIT */
/* serve.c — dojima serve: a venue from a configuration file. */
#include "io/files.h"
#include "server/arguments.h"
#include "server/config.h"
#include "server/log.h"
#include "server/server.h"
#include "server/threads.h"

#include <stdio.h>
#include <stdlib.h>

static void ready(void *self)
{
    struct instance *instance = self;
    struct exchange *exchange = &instance->server.exchange;
    struct hash256   hash = engine_hash(exchange->engine);
    char             text[65];
    struct out       out = out_make(text, 64);

    out_hex(&out, hash.bytes, sizeof(hash.bytes));
    text[64] = '\0';
    log_line(LOG_INFO, "serving on %s:%u, data in %s: command %lu, block %lu, state hash 0x%s", instance->options.host, instance_port(instance),
             instance->options.folder, (unsigned long)engine_seq(exchange->engine), (unsigned long)exchange->blocks.applied.number, text);
}

static int run(const struct config *config)
{
    struct options options = {
        .folder = config->data, .host = config->host, .port = config->port, .io_threads = config->io_threads,
        .connections = config->connections, .connections_per_address = config->connections_per_address,
        .segment_bytes = (uint64_t)config->segment_mib << 20, .production = true, .strict_tail = config->strict_tail != 0,
        .allow_public_chain_ids = config->allow_public_chain_ids != 0, .genesis = &config->genesis,
    };
    struct instance *instance = instance_take();
    int              code;

    if (instance == NULL) return complain(EXIT_GENERAL, "not enough memory");
    code = instance_open(instance, &options);
    if (code == EXIT_FINE) code = instance_run(instance, ready, instance);
    instance_close(instance);
    if (code == EXIT_FINE) log_line(LOG_INFO, "stopped");
    return code;
}

int command_serve(int argc, char **argv)
{
    const char            *path = NULL;
    bool                   quiet = false;
    const struct argument  rows[] = {
        { "config", ARGUMENT_TEXT, 0, &path,  "FILE", "The configuration; its sections and keys are below." },
        { "quiet",  ARGUMENT_FLAG, 0, &quiet, "",     "Log warnings and errors only." },
    };
    const struct arguments arguments = { "serve", NULL, "Runs a venue with a configuration file.", rows, ARRAY_COUNT(rows), config_print_help };
    struct config         *config;
    char                   error[1024];
    int                    operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    if (path == NULL) return complain(EXIT_USAGE, "serve: --config FILE is needed (see dojima serve --help)");
    log_init(quiet);
    config = calloc(1, sizeof(*config));
    assert(config != NULL);
    code = config_read_file(path, config, error, sizeof(error)) ? run(config) : complain(EXIT_CONFIG, "%s", error);
    free(config);
    return code;
}
