/* SPDX-License-Identifier: MIT */
/*
 * environment.c — steps of an environment in C, and the same commands in the bare engine.
 *
 *     bench_environment GENESIS [STEPS]
 *
 * One account in `calm`, first without actions, then with an action each step: it places, replaces and takes. The log
 * of the whole is played in an engine without traders, views and observation; both must end in the same state. Seconds
 * are those of the processor. Only the public headers are used.
 */
#include "dojima/market.h"
#include "figure.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define LOG_BYTES ((size_t)2 << 30)

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED) exit(1);
    return at;
}

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct dojima_genesis *genesis_of(const char *path)
{
    static char            json[1 << 20];
    FILE                  *file = fopen(path, "r");
    size_t                 length = file == NULL ? 0 : fread(json, 1, sizeof(json), file);
    struct dojima_genesis *genesis;
    struct dojima_error    error;

    if (dojima_genesis_read(map(dojima_genesis_bytes()), dojima_genesis_bytes(), json, length, &genesis, &error)
        != DOJIMA_OK) {
        (void)fprintf(stderr, "%s: %s\n", path, error.text);
        exit(1);
    }
    (void)fclose(file);
    return genesis;
}

static struct dojima_environment *environment_of(struct dojima_environment_setup *setup,
                                                 const struct dojima_genesis     *genesis)
{
    struct dojima_environment *environment;

    *setup = (struct dojima_environment_setup){ .bytes = sizeof(*setup),
                                                .abi = DOJIMA_MARKET_ABI,
                                                .genesis = genesis,
                                                .preset = DOJIMA_CALM,
                                                .levels = 10,
                                                .orders = 16,
                                                .actions = 1,
                                                .warm_up_ms = 10000,
                                                .log_bytes = LOG_BYTES };
    setup->memory_bytes = dojima_environment_bytes(setup);
    setup->memory = map(setup->memory_bytes);
    setup->observation = map(sizeof(int64_t) * dojima_environment_words(setup));
    setup->log = map(LOG_BYTES);
    if (dojima_environment_create(setup, &environment) != DOJIMA_OK) exit(1);
    return environment;
}

/* Steps a second; with `acts` each step has an action. */
static double run(struct dojima_environment *environment, uint32_t steps, int acts)
{
    double  began = seconds();
    int64_t reward;

    for (uint32_t i = 0; i < steps; i++) {
        int64_t action[DOJIMA_ACTION_WORDS] = { 0, i / 8 % 2, i / 2 % 2, i % 64 == 5 ? 100 : -20, 500, 0, i % 16 };

        if (acts) action[0] = i % 64 == 63 ? DOJIMA_ACT_CANCEL_ALL : i % 4 == 3 ? DOJIMA_ACT_REPLACE : DOJIMA_ACT_PLACE;
        (void)dojima_environment_step(environment, action, NULL, &reward);
    }
    return steps / (seconds() - began);
}

/* Commands a second of the same log in an engine alone. */
static double bare(const struct dojima_environment_setup *setup, const struct dojima_environment *environment)
{
    struct dojima_events  events = { .room = dojima_events_bytes(setup->genesis) };
    struct dojima_setup   alone = { .bytes = sizeof(alone), .abi = DOJIMA_ABI, .genesis = setup->genesis };
    struct dojima_engine *engine;
    size_t                logged = dojima_environment_logged(environment);
    uint64_t              count = 0;
    uint8_t               one[32], other[32];
    double                began;

    events.at = map(events.room);
    alone.events = &events;
    alone.memory_bytes = dojima_engine_bytes(setup->genesis);
    alone.memory = map(alone.memory_bytes);
    if (logged > LOG_BYTES || dojima_engine_create(&alone, &engine) != DOJIMA_OK) exit(1);
    began = seconds();
    for (size_t at = 0; at < logged; count++) {
        struct dojima_command *command = (void *)(setup->log + at);

        at += command->bytes;
        events.bytes = 0;
        if (dojima_engine_apply(engine, command, &events) != DOJIMA_OK) exit(1);
    }
    began = seconds() - began;
    dojima_engine_hash(engine, one);
    dojima_engine_hash(dojima_environment_engine(environment), other);
    if (memcmp(one, other, sizeof(one)) != 0) {
        (void)fprintf(stderr, "the bare engine ends in another state\n");
        exit(1);
    }
    return (double)count / began;
}

int main(int argc, char **argv)
{
    uint32_t                        steps = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 400000;
    struct dojima_environment_setup setup;
    struct dojima_environment      *environment;
    double                          idle, acting, engine;

    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_environment GENESIS [STEPS]\n");
        return 64;
    }
    environment = environment_of(&setup, genesis_of(argv[1]));
    dojima_environment_reset(environment, 7, NULL);
    idle = run(environment, steps, 0);
    acting = run(environment, steps, 1);
    engine = bare(&setup, environment);
    printf(
        "environment: %.0f steps/s without actions, %.0f with one each in C; bare engine %.0f commands/s of the same "
        "log: %.2f of it\n",
        idle, acting, engine, idle / engine);
    figure("environment-c", idle, engine);
    figure("environment-acting", acting, engine);
    return 0;
}
