/* SPDX-License-Identifier: MIT */
/*
 * follower.c — a node that does not lead, without a shared log: an exchange with a log of its own that is told its role
 * and its leader by lines on stdin, so that a test of forwarding can have any leader.
 *
 *     follower FOLDER SECRET_FILE|- [--limits]
 *     role leader|follower|leading       leader URL|-
 *
 * It prints its port, and "ok" behind each line; it ends with its stdin.
 */
#include "app/config.h"
#include "app/forwarding.h"
#include "app/threads.h"
#include "crypto/crypto.h"
#include "diagnostics/program_log.h"
#include "io/signals.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CONFIG                                                                                                         \
    "[dojima]\ndata = d\nchainIds = 286623, 31337\nallowPublicChainIds = on\naccounts = 1000\norders = 1000\n"         \
    "levels = 1000\nsigners = 3000\ndeposits = 1000\nconnectionsPerAddress = 4000\n"                                   \
    "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n[market vBTC_vUSDC]\nbaseCoin = vBTC\n"                  \
    "quoteCoin = vUSDC\npricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\n"               \
    "listingReferencePrice = 100000\n"

static struct instance *instance;

static void set_role(const char *name)
{
    uint32_t role = strcmp(name, "leader") == 0  ? NODE_LEADER
                  : strcmp(name, "leading") == 0 ? NODE_LEADING
                                                 : NODE_FOLLOWER;

    atomic_store(&instance->server.shared.role, role);
}

static void *read_lines(void *unused)
{
    char line[512], word[16], value[300];

    (void)unused;
    while (fgets(line, sizeof(line), stdin) != NULL) {
        if (sscanf(line, "%15s %299s", word, value) != 2) break;
        if (strcmp(word, "role") == 0) set_role(value);
        else leader_url_set(&instance->server.shared.leader, strcmp(value, "-") == 0 ? "" : value);
        (void)printf("ok\n");
        (void)fflush(stdout);
    }
    signals_stop_self();
    return NULL;
}

static void ready(void *self)
{
    (void)self;
    (void)printf("%u\n", instance_port(instance));
    (void)fflush(stdout);
}

/* The settings of the cluster come behind the opening of the log, which would look for a database with them. */
static int run(const struct options *options, const struct cluster_settings *cluster)
{
    pthread_t reader;
    int       code = instance_open(instance, options);

    instance->options.cluster = cluster;
    if (code == EXIT_FINE) code = forwarding_open(instance);
    set_role("follower");
    if (code == EXIT_FINE && pthread_create(&reader, NULL, read_lines, NULL) != 0) code = EXIT_GENERAL;
    if (code == EXIT_FINE) code = instance_run(instance, ready, NULL);
    instance_close(instance);
    return code;
}

int main(int argc, char **argv)
{
    static struct config           config;
    static struct cluster_settings cluster = { .node = "door", .wait_ms = 50 };
    struct options                 options = { .host = "127.0.0.1",
                                               .io_threads = 2,
                                               .connections = 4000,
                                               .connections_per_address = 4000,
                                               .send_kib = 256,
                                               .receive_kib = 64,
                                               .file_bytes = 4 << 20,
                                               .genesis = &config.genesis,
                                               .faucet = config.faucet,
                                               .metrics = &config.metrics,
                                               .sandbox = true,
                                               .clock_rate = CLOCK_RATE_ONE };
    char                           error[1024];

    if (argc < 3 || !config_read(CONFIG, "follower", true, &config, error, sizeof(error))) {
        (void)fprintf(stderr, "follower: %s\n", argc < 3 ? "FOLDER SECRET_FILE|- [--limits]" : error);
        return EXIT_USAGE;
    }
    signals_block();
    log_init(false);
    options.folder = argv[1];
    if (strcmp(argv[2], "-") != 0) (void)snprintf(cluster.secret, sizeof(cluster.secret), "%s", argv[2]);
    if (argc > 3) options.limits = &config.limits;
    instance = instance_take();
    return instance == NULL || !crypto_init() ? EXIT_GENERAL : run(&options, &cluster);
}
