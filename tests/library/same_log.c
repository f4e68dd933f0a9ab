/* SPDX-License-Identifier: MIT */
/*
 * same_log — the shared library plays a log that the program wrote: both end in one state hash, and each command gives
 * the same events. The log is random flow on both markets, in which operators raise pools and set modes. --planted: the
 * library leaves out one command, and the difference must be noticed.
 */
#include "dojima/engine.h"
#include "rigs/pipeline/random_flow_log.h"

#include <stdio.h>

#define LENGTH 5000

struct library {
    void                  *genesis_memory;
    struct dojima_genesis *genesis;
    struct dojima_engine  *engine;
    struct dojima_events   events;
    uint64_t               moves, refused;
};

static void *zeroed(size_t bytes)
{
    void *at = aligned_alloc(DOJIMA_ALIGN, align_up(bytes, DOJIMA_ALIGN));

    assert(at != NULL);
    return memset(at, 0, bytes);
}

static void begin(struct library *library, struct slice json)
{
    struct dojima_setup setup = { .bytes = sizeof(setup), .abi = DOJIMA_ABI, .events = &library->events };
    struct dojima_error error;
    size_t              bytes = dojima_genesis_bytes();

    library->genesis_memory = zeroed(bytes);
    if (dojima_genesis_read(library->genesis_memory, bytes, json.at, json.len, &library->genesis, &error)
        != DOJIMA_OK) {
        (void)fprintf(stderr, "genesis: %s\n", error.text);
        exit(1);
    }
    setup.genesis = library->genesis;
    setup.memory_bytes = dojima_engine_bytes(library->genesis);
    setup.memory = zeroed(setup.memory_bytes);
    library->events.room = 4 * dojima_events_bytes(library->genesis);
    library->events.at = zeroed(library->events.room);
    assert(dojima_engine_create(&setup, &library->engine) == DOJIMA_OK);
}

static void move(struct library *library, const struct dojima_command *command)
{
    size_t                bytes = dojima_engine_move_bytes(library->engine, command);
    struct dojima_engine *from = library->engine;

    assert(bytes != 0);
    assert(dojima_engine_move(zeroed(bytes), bytes, from, command, &library->engine) == DOJIMA_OK);
    free(from);
    library->moves += 1;
}

static void play(struct library *library, const struct command *command)
{
    static struct command_room room;
    struct dojima_command     *given = (void *)&room;
    enum dojima_status         status;

    memcpy(&room, command, command->bytes);
    given->seq = 0; /* the library numbers like the log */
    library->events.bytes = 0;
    status = dojima_engine_apply(library->engine, given, &library->events);
    if (status == DOJIMA_NEEDS_MOVE) {
        move(library, given);
        status = dojima_engine_apply(library->engine, given, &library->events);
    }
    if (status != DOJIMA_OK) {
        (void)fprintf(stderr, "command %lu: %s\n", (unsigned long)command->seq, dojima_status_name(status));
        exit(1);
    }
}

/* The program's engine, its events beside those of the library. */
struct program {
    struct engine *engine;
    struct events  events;
};

static struct program program_of(const struct genesis *genesis)
{
    struct program program = { .events = { .cap = 4 * engine_events_bytes(genesis) } };

    program.events.at = zeroed(program.events.cap);
    program.engine = engine_init(zeroed(engine_size(genesis)), genesis, &program.events);
    return program;
}

static void apply(struct program *program, const struct genesis *genesis, const struct command *command)
{
    struct limits limits;

    if (engine_raises(program->engine, command, &limits)) {
        struct genesis *raised = calloc(1, sizeof(*raised));
        struct engine  *from = program->engine;

        assert(raised != NULL);
        *raised = *genesis;
        raised->limits = limits;
        program->engine = engine_move(zeroed(engine_size(raised)), from, &limits);
        free(from);
        free(raised);
    }
    program->events.len = 0;
    engine_apply(program->engine, command, &program->events);
}

static bool same_events(const struct library *library, const struct program *program)
{
    return library->events.bytes == program->events.len
        && memcmp(library->events.at, program->events.at, program->events.len) == 0;
}

static int judge(const struct library *library, const struct flow_result *flow, uint64_t different)
{
    struct hash256 hash;

    dojima_engine_verify(library->engine);
    dojima_engine_hash(library->engine, hash.bytes);
    (void)printf("%lu commands, %lu moves, %lu with other events, state %s\n",
                 (unsigned long)dojima_engine_seq(library->engine), (unsigned long)library->moves,
                 (unsigned long)different, hash256_equal(&hash, &flow->state) ? "the same" : "another");
    if (library->moves == 0) return 1;
    return different == 0 && hash256_equal(&hash, &flow->state) ? 0 : 2;
}

static void end(struct library *library, struct program *program)
{
    free(library->engine);
    free(library->events.at);
    free(library->genesis_memory);
    free(program->engine);
    free(program->events.at);
}

static int play_log(const char *folder, const struct flow_result *flow, bool planted)
{
    const struct log_settings reading = { .file_bytes = 1 << 20, .read_only = true };
    static struct replay      replay;
    static struct genesis     genesis;
    struct library            library = { 0 };
    struct program            program;
    uint64_t                  different = 0;
    bool                      there = true;
    int                       code;

    assert(replay_open(&replay, folder, DISK_BESIDE, &reading, NULL) == 0);
    assert(replay_genesis(&replay, &genesis) == 0);
    begin(&library, replay.genesis_json);
    program = program_of(&genesis);
    while (replay_follow(&replay, &there) == 0 && there) {
        struct log_cursor cursor = { 0, 0 };
        struct log_record record;

        while (log_batch_next(&replay.batch, &cursor, &record)) {
            apply(&program, &genesis, record.command);
            if (planted && record.command->seq == LENGTH / 2) continue;
            play(&library, record.command);
            different += !planted && !same_events(&library, &program);
        }
    }
    replay_close(&replay);
    code = judge(&library, flow, different);
    end(&library, &program);
    return code;
}

int main(int argc, char **argv)
{
    const struct random_flow  flow = { .seed = 21,
                                       .commands = LENGTH,
                                       .users = 8,
                                       .each = INT64_C(100000000000),
                                       .fund = INT64_C(1000000000),
                                       .jumps = 20,
                                       .gap = 1200,
                                       .spot = true,
                                       .modes = 70,
                                       .raises = 200 };
    const struct log_settings writing = { .file_bytes = 1 << 20 };
    bool                      planted = argc == 2 && strcmp(argv[1], "--planted") == 0;
    struct flow_result        flow_result;
    char                      folder[256];
    int                       code;

    assert(files_make_temporary(folder, sizeof(folder)) == 0);
    flow_log_write(folder, &flow, &writing, 200, &flow_result);
    code = play_log(folder, &flow_result, planted);
    files_remove_tree(folder);
    return planted ? code != 2 : code;
}
