/* SPDX-License-Identifier: MIT */
/*
 * Worlds of the twin's workload: the first two bytes are the seed of an exchange, drawn with all its rules and limits;
 * all further bytes are the random numbers of its commands, a byte or more each. Commands are aimed at limits, so that
 * stops, brackets, liquidations and settlements occur; fuzz_commands covers commands without an aim. After each
 * command every invariant holds, and the twin has predicted every event; at the end every sum and every read as well.
 */
#include <inttypes.h>

#include "core/engine.h"
#include "fuzz/fuzz.h"
#include "twin/bench.h"
#include "twin/digest.h"
#include "twin/reads.h"
#include "twin/workload.h"

#define COMMANDS_MAX 400
#define EVENTS_ROOM  ((size_t)256 << 20) /* enough that no TICK stops for want of budget */

struct world {
    struct genesis  genesis;
    struct workload work;
    struct engine  *engine;
    struct twin    *twin;
    struct views   *views;
    struct events   told;
    uint64_t        seq, said; /* said: a digest of the commands */
    struct genesis  room;      /* the genesis with the limits in force */
    void           *arrays;    /* the views' memory since a limit was raised */
};

static void check(const struct world *w, const char *wrong)
{
    if (wrong == NULL) return;
    events_print("engine", &w->told);
    (void)fprintf(stderr, "command %" PRIu64 ": %s\n", w->seq, wrong);
    abort();
}

static void open_world(struct world *w)
{
    size_t bytes = align_up(engine_size(&w->genesis), 64);

    w->seq = w->said = 0;
    w->room = w->genesis;
    w->arrays = NULL;
    w->told.len = 0;
    w->engine = engine_init(memset(aligned_alloc(64, bytes), 0, bytes), &w->genesis, &w->told);
    w->twin = twin_create(&w->genesis);
    w->views = views_init(calloc(1, views_size(&w->genesis)), &w->genesis);
    views_apply(w->views, &w->told, NULL);
    check(w, twin_compare(w->twin, &w->told));
}

static void close_world(struct world *w)
{
    check(w, twin_compare_state(w->twin));
    check(w, reads_compare(w->twin, w->views));
    views_deinit(w->views);
    free(w->views);
    free(w->arrays);
    twin_free(w->twin);
    free(w->engine);
}

/* A limit is raised: engine and views move into more memory. */
static void grow(struct world *w, const struct command *command)
{
    struct engine *old = w->engine;
    void          *arrays = w->arrays;
    size_t         bytes;

    if (!engine_raises(old, command, &w->room.limits)) return;
    bytes = align_up(engine_size(&w->room), 64);
    assert(engine_events_bytes(&w->room) <= EVENTS_ROOM);
    w->engine = engine_move(memset(aligned_alloc(64, bytes), 0, bytes), old, &w->room.limits);
    w->arrays = calloc(1, views_size(&w->room));
    (void)views_move(w->arrays, w->views, &w->room, true);
    free(old);
    free(arrays);
}

static void one_command(struct world *w)
{
    static struct command_room room;

    workload_next(&w->work, w->twin, &room);
    room.head.seq = ++w->seq;
    digest_add(&w->said, &room.head, room.head.bytes);
    w->told.len = 0;
    grow(w, &room.head);
    engine_apply(w->engine, &room.head, &w->told);
    engine_verify(w->engine);
    (void)twin_apply(w->twin, &room.head);
    check(w, twin_compare(w->twin, &w->told));
    views_apply(w->views, &w->told, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world w;

    if (size < 10 || size > 16000) return 0;
    if (w.told.at == NULL) w.told = (struct events){ malloc(EVENTS_ROOM), 0, EVENTS_ROOM };
    workload_world(&w.work, 1 + (uint64_t)data[0] * 256 + data[1], 3, &w.genesis);
    assert(genesis_check(&w.genesis) == NULL);
    genesis_complete(&w.genesis);
    open_world(&w);
    w.work.random_state.at = data + 2;
    w.work.random_state.len = size - 2;
    for (int i = 0; i < COMMANDS_MAX && w.work.random_state.len != 0; i++) one_command(&w);
    close_world(&w);
    fuzz_said += w.said;
    return 0;
}
