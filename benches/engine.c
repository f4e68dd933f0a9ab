/* SPDX-License-Identifier: MIT */
/*
 * engine.c — commands per second through engine_apply, the worst time of one command, and the memory of a resting
 * order.
 *
 *   bench_engine [NAME...] [--commands N] [--runs N] [--bench-only]
 *
 * W0 W1 W2 W3 W4 W5 perps big cached tail memory; all of them without a name. big and cached are one kind of workload
 * of two sizes: the smaller one is in the second level of cache as a whole, so its time is what instructions take.
 * --bench-only leaves the default configuration out.
 *
 * Every record of the workload becomes one signed command with one item: account, nonce, client order id, as the log
 * holds them. Included are: account and owner check, nonce sets, all filters, holds (on perps positions and margin),
 * fees with tiers and volumes, client ids, order ids, all events. Excluded is everything outside the core: signature
 * recovery, journal, views, and what the threads that decode work out (rules/hints.h); the clock of the commands
 * advances 1 ms per 100 commands. Commands are applied in batches of 64 KiB that have just been copied, as after a
 * batch was sealed; the copying is not timed; the two readings of the clock per batch are, and so is prefetching within
 * the batch. All pages of the pools are touched before, on huge pages.
 *
 * The bench configuration (ruling 54) must reproduce the generator's tape; the default configuration (rulings 31, 50)
 * has self-trade prevention, bands and limits on and therefore another tape. Both are printed, next to the generator's
 * own time per command and one dependent load from 64 MiB. So is the time put together from the
 * best run of each batch: where others use the machine, it differs least between calls.
 */
#include "figure.h"
#include "tape.h"
#include "rigs/random.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#define BATCH_BYTES (64 * 1024)
#define RUNS_MAX    64
#define BIG_USERS   1000000
#define BIG_RESTING 2000000
#define FEW_USERS   200
#define FEW_RESTING 2000

struct options {
    uint64_t commands;
    int      runs;
    bool     bench_only;
};

/* Copies the next whole commands, never across the beginning of the timed part; returns their bytes. */
static size_t next_batch(const struct tape *tape, size_t from, uint8_t *batch)
{
    size_t end = from < tape->timed_from ? tape->timed_from : tape->len, to = from;

    for (uint32_t bytes; to < end; to += bytes) {
        bytes = ((const struct command *)(const void *)(tape->at + to))->bytes;
        if (to + bytes - from > BATCH_BYTES) break;
    }
    memcpy(batch, tape->at + from, to - from);
    return to - from;
}

static const struct command *command_at(const uint8_t *batch, size_t at) { return (const void *)(batch + at); }

/* An engine with all pages of its pools touched (ruling 52). */
struct room {
    struct events  events;
    struct engine *engine;
    size_t         bytes;
};

static struct room room_open(const struct genesis *g)
{
    struct room room = { .events = { bench_map(engine_events_bytes(g)), 0, engine_events_bytes(g) },
                         .bytes = engine_size(g) };
    uint8_t    *memory = bench_map(room.bytes);

    madvise(memory, room.bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < room.bytes; i += 4096) ((volatile uint8_t *)memory)[i] = 0;
    room.engine = engine_init(memory, g, &room.events);
    return room;
}

static void room_close(struct room *room, const struct tape *tape)
{
    struct hash256 hash = engine_hash(room->engine);

    CHECK(hash256_equal(&hash, &tape->state), "the state of a timed run differs");
    munmap(room->events.at, room->events.cap);
    munmap(room->engine, room->bytes);
}

/* The hints of a batch's commands, which have one item each; made by the threads that decode, so not timed. */
struct batch_hints {
    struct {
        _Alignas(struct hints) uint8_t at[offsetof(struct hints, items) + sizeof(struct item_hint)];
    } of[BATCH_BYTES / sizeof(struct command)];
    uint32_t count;
};

static const struct hints *batch_hints_at(const struct batch_hints *hints, uint32_t number)
{
    return number < hints->count ? (const void *)hints->of[number].at : NULL;
}

static void decode_batch(const struct hint_tables *tables, const uint8_t *batch, size_t bytes,
                         struct batch_hints *hints)
{
    static struct hints one;

    hints->count = 0;
    for (size_t at = 0; at < bytes; at += command_at(batch, at)->bytes, hints->count++)
        memcpy(hints->of[hints->count].at, &one,
               min_u64(hints_make(tables, command_at(batch, at), &one), sizeof(hints->of[0].at)));
}

#define RING 8
static_assert(ENGINE_FAR < RING, "a place for each command that was looked at and has not run");

/* Takes the looks that a batch's first commands need before one runs; returns the command of the next far look. */
static const uint8_t *look_first(const struct room *room, const uint8_t *batch, const uint8_t *end,
                                 const struct batch_hints *hints, struct engine_ahead ring[RING])
{
    const uint8_t *far = batch;

    for (uint32_t i = 0; i < ENGINE_FAR && far < end; i++, far += command_at(far, 0)->bytes)
        engine_prefetch_far(room->engine, command_at(far, 0), batch_hints_at(hints, i), &ring[i]);
    for (uint32_t i = 0; i < ENGINE_NEAR; i++) engine_prefetch_near(room->engine, &ring[i]);
    for (uint32_t i = 0; i < ENGINE_CLOSE; i++) engine_prefetch_close(room->engine, &ring[i]);
    return far;
}

/* Applies one batch, with prefetching; `ticks` gets the processor's time stamps of each command when it is not NULL. */
static ALWAYS_INLINE void apply_batch(struct room *room, const uint8_t *batch, size_t bytes,
                                      const struct batch_hints *hints, uint32_t **ticks)
{
    struct engine_ahead ring[RING] = { 0 };
    const uint8_t      *end = batch + bytes, *far = look_first(room, batch, end, hints, ring);
    uint32_t            number = 0;

    for (const uint8_t *at = batch; at < end; at += command_at(at, 0)->bytes, number++) {
        uint64_t began = ticks != NULL ? __rdtsc() : 0;

        engine_prefetch_close(room->engine, &ring[(number + ENGINE_CLOSE) % RING]);
        engine_prefetch_near(room->engine, &ring[(number + ENGINE_NEAR) % RING]);
        room->events.len = 0;
        engine_apply_ahead(room->engine, command_at(at, 0), &ring[number % RING], &room->events);
        if (far < end) {
            engine_prefetch_far(room->engine, command_at(far, 0), batch_hints_at(hints, number + ENGINE_FAR),
                                &ring[(number + ENGINE_FAR) % RING]);
            far += command_at(far, 0)->bytes;
        } else {
            ring[(number + ENGINE_FAR) % RING].slot = 0;
        }
        if (ticks != NULL) *(*ticks)++ = (uint32_t)min_u64(__rdtsc() - began, UINT32_MAX);
    }
}

/* The same without time stamps, as a symbol of its own: benches/guard counts the instructions inside it. */
static __attribute__((noinline)) void apply_timed(struct room *room, const uint8_t *batch, size_t bytes,
                                                  const struct batch_hints *hints)
{
    apply_batch(room, batch, bytes, hints, NULL);
}

static __attribute__((noinline)) void apply_any(struct room *room, const uint8_t *batch, size_t bytes,
                                                const struct batch_hints *hints, uint32_t **ticks)
{
    apply_batch(room, batch, bytes, hints, ticks);
}

/* Runs the tape; the time of its timed part. `least` has a place for each timed batch: its shortest time so far, or 0.
 */
static int64_t run_once(const struct genesis *g, const struct tape *tape, uint32_t *ticks, int64_t *least)
{
    static _Alignas(64) uint8_t batch[BATCH_BYTES];
    static struct batch_hints   hints;
    struct room                 room = room_open(g);
    struct hint_tables          tables;
    int64_t                     began, took = 0;
    size_t                      bytes;

    hint_tables_make(g, &tables);
    for (size_t done = 0; done < tape->len; done += bytes) {
        bool timed = done >= tape->timed_from;
        bytes = next_batch(tape, done, batch);
        decode_batch(&tables, batch, bytes, &hints);
        began = bench_ns();
        if (timed && ticks == NULL) apply_timed(&room, batch, bytes, &hints);
        else apply_any(&room, batch, bytes, &hints, timed ? &ticks : NULL);
        began = bench_ns() - began;
        if (!timed) continue;
        took += began;
        if (least == NULL) continue;
        *least = *least == 0 ? began : min_i64(*least, began);
        least += 1;
    }
    room_close(&room, tape);
    return took;
}

static int by_ticks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* One workload in one configuration: a line, and its figure called `name` when it has one. */
static void measure(const struct workload *w, const struct plan *plan, const char *title, const char *name, int runs)
{
    struct genesis *g = bench_map(sizeof(*g));
    struct tape     tape = { 0 };
    struct replay   replay;
    int64_t         times[RUNS_MAX], quietest = 0, *least;
    double          ns, generate;

    plan_genesis(plan, w, g);
    replay = tape_record(plan, w, g, &tape);
    least = bench_map((tape.timed + 1) * sizeof(*least)); /* a batch has a command; a 0 ends them */
    for (int i = 0; i < runs; i++) times[i] = run_once(g, &tape, NULL, least);
    for (const int64_t *of_batch = least; *of_batch != 0; of_batch++) quietest += *of_batch;
    munmap(least, (tape.timed + 1) * sizeof(*least));
    qsort(times, (size_t)runs, sizeof(times[0]), bench_by_ns);
    ns = (double)times[runs / 2] / (double)tape.timed;
    generate = (double)w->generate_ns / (double)w->count;
    printf("%s, %s %s: %.2f M commands/s (%.0f ns, best %.0f, of each batch the best %.0f; median of %d)", title,
           plan->market == MARKET_SPOT ? "spot" : "perps",
           plan->bench ? "bench configuration" : "default configuration", 1e3 / ns, ns,
           (double)times[0] / (double)tape.timed, (double)quietest / (double)tape.timed, runs);
    if (generate > 0) printf("   %.2f x the generator's %.0f ns", generate / ns, generate);
    printf("%s\n    trades %llu, rejects %llu, resting %llu, events per command %.1f\n",
           plan->bench && w->records != NULL ? "   tape matches" : "", (unsigned long long)replay.trades,
           (unsigned long long)replay.rejects, (unsigned long long)replay.rest,
           (double)replay.events / (double)w->count);
    if (name != NULL) figure(name, ns, generate);
    if (name != NULL && strcmp(name, "engine-w2") == 0) figure("engine-w2-loop", ns, generate);
    tape_free(&tape);
    munmap(g, sizeof(*g));
}

static void measure_both(const char *name, const char *figure_name, uint8_t market, const struct options *options)
{
    struct workload w = workload_load(name, options->commands);

    measure(&w, &(struct plan){ market, true }, name, figure_name, options->runs);
    if (!options->bench_only) measure(&w, &(struct plan){ market, false }, name, NULL, options->runs);
    workload_free(&w);
}

static void run_w0(const struct options *o) { measure_both("W0", NULL, MARKET_SPOT, o); }
static void run_w1(const struct options *o) { measure_both("W1", NULL, MARKET_SPOT, o); }
static void run_w2(const struct options *o) { measure_both("W2", "engine-w2", MARKET_SPOT, o); }
static void run_w3(const struct options *o) { measure_both("W3", "engine-w3", MARKET_SPOT, o); }
static void run_w4(const struct options *o) { measure_both("W4", "engine-w4", MARKET_SPOT, o); }
static void run_w5(const struct options *o) { measure_both("W5", "engine-w5", MARKET_SPOT, o); }
static void run_perps(const struct options *o) { measure_both("W2", "engine-perps", MARKET_PERPS, o); }

static void run_big(const struct options *o)
{
    struct workload w = workload_big(BIG_USERS, BIG_RESTING, 100, o->commands);

    measure(&w, &(struct plan){ MARKET_SPOT, true }, "1,000,000 accounts, 2,000,000 resting, 100 symbols", "engine-big",
            o->runs);
}

static void run_cached(const struct options *o)
{
    struct workload w = workload_big(FEW_USERS, FEW_RESTING, 1, o->commands);

    measure(&w, &(struct plan){ MARKET_SPOT, true }, "200 accounts, 2,000 resting, 1 symbol", "engine-cached", o->runs);
}

/* ---- single commands ---- */

/* The minimum over the runs for each command of the tape: the machine disturbs a command in some runs, but not in all.
 */
static void run_tail(const struct options *o)
{
    struct workload w = workload_load("W2", o->commands);
    struct plan     plan = { MARKET_SPOT, true };
    struct genesis *g = bench_map(sizeof(*g));
    struct tape     tape = { 0 };
    uint32_t       *ticks, *least, p[3];
    double          per_ns;
    int64_t         began_ns = bench_ns();
    uint64_t        began = __rdtsc();

    plan_genesis(&plan, &w, g);
    (void)tape_record(&plan, &w, g, &tape);
    ticks = bench_map((tape.timed + 1) * sizeof(*ticks));
    least = bench_map((tape.timed + 1) * sizeof(*least));
    for (int i = 0; i < o->runs; i++) {
        (void)run_once(g, &tape, ticks, NULL);
        for (uint64_t k = 0; k < tape.timed; k++)
            if (i == 0 || ticks[k] < least[k]) least[k] = ticks[k];
    }
    per_ns = (double)(__rdtsc() - began) / (double)(bench_ns() - began_ns);
    qsort(ticks, tape.timed, sizeof(*ticks), by_ticks);
    for (int i = 0; i < 3; i++) p[i] = ticks[tape.timed * (uint64_t[]){ 500, 990, 999 }[i] / 1000];
    qsort(least, tape.timed, sizeof(*least), by_ticks);
    printf("W2, one command: p50 %.0f ns, p99 %.0f ns, p99.9 %.0f ns in the last run; p99.9 of the least of %d runs "
           "%.0f ns (time stamps included)\n",
           p[0] / per_ns, p[1] / per_ns, p[2] / per_ns, o->runs, least[tape.timed * 999 / 1000] / per_ns);
    figure("engine-tail", p[2] / per_ns, 0);
    tape_free(&tape);
    workload_free(&w);
}

/* ---- memory ---- */

/*
 * Growth of resident memory per resting order over W0, with pools sized for the resting orders, touched as they are
 * used.
 */
static void run_memory(const struct options *o)
{
    struct workload w = workload_load("W0", 1000000);
    struct plan     plan = { MARKET_SPOT, true };
    struct genesis *g = bench_map(sizeof(*g));
    struct tape     tape = { 0 };
    struct events   events;
    struct engine  *engine;
    size_t          before, grown;

    (void)o;
    plan_genesis(&plan, &w, g);
    (void)tape_record(&plan, &w, g, &tape);
    events = (struct events){ bench_map(engine_events_bytes(g)), 0, engine_events_bytes(g) };
    engine = engine_init(bench_map(engine_size(g)), g, &events);
    for (size_t at = 0; at < tape.len; at += 4096) (void)*(volatile uint8_t *)(tape.at + at);
    before = bench_resident();
    for (size_t at = 0; at < tape.len; at += command_at(tape.at, at)->bytes) {
        events.len = 0;
        engine_apply(engine, command_at(tape.at, at), &events);
    }
    grown = bench_resident() - before;
    CHECK(engine_counts(engine).open_orders == w.header.exp_rest, "W0 rest");
    printf("W0: %.1f bytes of resident memory per resting order (%llu orders, %u users with balances and nonces "
           "included)\n",
           (double)grown / (double)w.header.exp_rest, (unsigned long long)w.header.exp_rest, w.header.n_users);
    figure("engine-memory", (double)grown / (double)w.header.exp_rest, 0);
    figure("engine-memory-bare",
           (double)grown / (double)w.header.exp_rest - (double)(sizeof(struct client_id) + 2 * sizeof(int64_t)), 0);
    tape_free(&tape);
    workload_free(&w);
}

/* A chain of dependent loads anywhere in 64 MiB: the present cost of a cache miss on this machine. */
static double load_ns(void)
{
    enum { COUNT = 1 << 20 };
    struct line {
        uint32_t next, unused[15];
    } *lines = bench_map(COUNT * sizeof(*lines));
    uint32_t at = 0;
    uint64_t random_state = 1;
    int64_t  began;

    for (uint32_t i = 0; i < COUNT; i++) lines[i].next = i;
    for (uint32_t i = COUNT - 1; i > 0; i--) { /* one cycle through all (Sattolo) */
        uint32_t j = (uint32_t)(random_congruent(&random_state) >> 33) % i, swap = lines[i].next;
        lines[i].next = lines[j].next;
        lines[j].next = swap;
    }
    began = bench_ns();
    for (uint32_t i = 0; i < COUNT; i++) at = ((volatile struct line *)lines)[at].next;
    began = bench_ns() - began;
    munmap(lines, COUNT * sizeof(*lines));
    return (double)began / COUNT + (at == 1 ? 1e-9 : 0);
}

int main(int argc, char **argv)
{
    /* clang-format off */
    static const struct { const char *name; void (*run)(const struct options *); } parts[] = {
        { "W0", run_w0 }, { "W1", run_w1 }, { "W2", run_w2 }, { "W3", run_w3 }, { "W4", run_w4 }, { "W5", run_w5 },
        { "perps", run_perps }, { "big", run_big }, { "cached", run_cached }, { "tail", run_tail },
        { "memory", run_memory },
    };
    /* clang-format on */
    struct options options = { 1000000, 5, false };
    bool           wanted[ARRAY_COUNT(parts)] = { false }, all = true;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        size_t part = 0;
        if (strcmp(argv[i], "--commands") == 0 && i + 1 < argc) {
            options.commands = strtoull(argv[++i], NULL, 10);
            continue;
        }
        if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            options.runs = atoi(argv[++i]);
            continue;
        }
        if (strcmp(argv[i], "--bench-only") == 0) {
            options.bench_only = true;
            continue;
        }
        while (part < ARRAY_COUNT(parts) && strcmp(parts[part].name, argv[i]) != 0) part += 1;
        CHECK(part < ARRAY_COUNT(parts), "there is no %s here", argv[i]);
        wanted[part] = true;
        all = false;
    }
    CHECK(options.runs >= 1 && options.runs <= RUNS_MAX, "1 to %d runs", RUNS_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
        if (all || wanted[i]) parts[i].run(&options);
    printf("one dependent load from 64 MiB: %.0f ns\n", load_ns());
    return 0;
}
