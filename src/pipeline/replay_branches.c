/* SPDX-License-Identifier: MIT */
/* replay_branches.c — a second look at a log: for the places where it went back, and for the state at one of them. */
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "pipeline/replay.h"

#include <stdlib.h>

#define SIDE_BATCH_BYTES ((size_t)4 * 1024 * 1024)

/* A reader of its own. */
struct side_log {
    struct replay replay; /* its own log and memory; the folder is that of the other one */
};

static int side_open(struct side_log *side, const struct replay *replay)
{
    struct replay *own = &side->replay;
    enum log_fault fault;

    *own = (struct replay){ .path = replay->path, .settings = replay->settings, .lock = -1 };
    own->settings.read_only = true;
    own->log_memory = files_take_memory(log_bytes());
    own->batch = (struct log_batch){ .at = files_take_memory(SIDE_BATCH_BYTES), .cap = SIDE_BATCH_BYTES };
    if (own->log_memory == NULL || own->batch.at == NULL) return complain(EXIT_GENERAL, "not enough memory");
    fault = log_open(own->log_memory, &replay->disk, &own->settings, &own->log, &own->genesis_json, &own->report);
    return fault == LOG_OK ? EXIT_FINE : replay_failed(own, fault);
}

static void side_close(struct side_log *side) { replay_close(&side->replay); }

static int no_memory(void) { return complain(EXIT_GENERAL, "not enough memory for the branches of the log"); }

static int read_branches(struct replay *replay, struct side_log *side)
{
    struct replay     *own = &side->replay;
    struct log_applied claim;
    bool               end = false;

    for (;;) {
        enum log_fault fault = log_next(own->log, &own->batch, &claim, &end, &own->report);

        if (fault != LOG_OK) return replay_failed(own, fault);
        if (end) return EXIT_FINE;
        if (!branches_add(&replay->branches, &own->batch)) return no_memory();
    }
}

int replay_find_branches(struct replay *replay)
{
    static const struct log_position last = { { [0 ... 15] = 0xff } };
    struct side_log                  side;
    int                              code = side_open(&side, replay);

    if (code == EXIT_FINE) code = read_branches(replay, &side);
    replay->whole = side.replay.report;
    side_close(&side);
    if (code != EXIT_FINE) return code;
    if (!live_path_to(&replay->branches, &last, &replay->live)) return no_memory();
    replay->has_live = true;
    return EXIT_FINE;
}

static int read_linear(struct replay *own)
{
    for (;;) {
        struct log_applied claim;
        bool               end = false;
        enum log_fault     fault = log_next(own->log, &own->batch, &claim, &end, &own->report);

        if (fault != LOG_OK) return replay_failed(own, fault);
        if (end) return EXIT_FINE;
        if (log_batch_revert(&own->batch) != NULL) return replay_went_back(own, &own->batch);
    }
}

int replay_check_linear(const struct replay *replay)
{
    struct genesis *genesis = calloc(1, sizeof(*genesis));
    struct side_log side;
    int             code = genesis == NULL ? no_memory() : replay_genesis(replay, genesis);
    bool            development = code == EXIT_FINE && genesis->development != 0;

    free(genesis);
    if (!development) return code;
    code = side_open(&side, replay);
    if (code == EXIT_FINE) code = read_linear(&side.replay);
    side_close(&side);
    return code;
}

/* ---- again ---- */

static int begin_behind(struct side_log *side, const struct replay *replay, const struct log_mark *from)
{
    struct replay *own = &side->replay;
    int            code;
    enum log_fault fault;

    side_close(side);
    code = side_open(side, replay);
    if (code != EXIT_FINE || log_position_is_none(&from->position)) return code;
    fault = log_resume(own->log, from, &own->batch, &own->report);
    return fault == LOG_OK ? EXIT_FINE : replay_failed(own, fault);
}

/* All batches up to and with the one at `to`; every one of them is alive. */
static int apply_span(struct side_log *side, struct exchange *exchange, const struct log_position *to)
{
    struct replay     *own = &side->replay;
    struct log_applied claim;
    bool               there, partial;

    for (;;) {
        enum log_fault fault = log_follow(own->log, &own->batch, &claim, &there, &partial, &own->report);

        if (fault != LOG_OK) return replay_failed(own, fault);
        if (!there) return complain(EXIT_DAMAGE, "%s: the log ends before a place that it had", own->path);
        if (replay_agree(own, exchange, &claim) != EXIT_FINE) return EXIT_DAMAGE;
        exchange_run(exchange, &own->batch, NULL);
        if (replay_spare_history(exchange) != EXIT_FINE) return EXIT_DISK;
        if (log_position_compare(&own->batch.position, to) >= 0) return EXIT_FINE;
    }
}

/* Where a span begins: the state at `from` may stand inside of it. */
static const struct log_mark *start_of(const struct replay *replay, const struct live_span *span,
                                       const struct log_mark *from)
{
    static const struct log_mark beginning;
    const struct branch         *branch = branches_last(&replay->branches, &span->after);

    if (log_position_compare(&from->position, &span->after) > 0) return from;
    return branch != NULL && !log_position_is_none(&span->after) ? &branch->behind : &beginning;
}

/* The span that the state at `from` stands in; one that begins there counts, because its REVERT led there. */
static uint32_t span_of(const struct live_path *path, const struct log_position *from)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < path->count; i++)
        if (log_position_compare(from, &path->spans[i].after) >= 0
            && log_position_compare(from, &path->spans[i].to) <= 0)
            number = i;
    return number;
}

int replay_again(const struct replay *replay, struct exchange *exchange, const struct log_mark *from,
                 const struct log_position *end)
{
    struct side_log  side = { .replay = { .lock = -1 } };
    struct live_path path;
    int              code = EXIT_FINE;

    if (!live_path_to(&replay->branches, end, &path)) return no_memory();
    for (uint32_t i = span_of(&path, &from->position); i < path.count && code == EXIT_FINE; i++) {
        const struct live_span *span = &path.spans[i];
        const struct log_mark  *start = start_of(replay, span, from);

        if (log_position_compare(&span->to, &start->position) <= 0) continue; /* nothing happened in it */
        code = begin_behind(&side, replay, start);
        if (code == EXIT_FINE) code = apply_span(&side, exchange, &span->to);
    }
    side_close(&side);
    live_path_free(&path);
    return code;
}

/* ---- as one piece ---- */

static int dump_path(struct side_log *side, struct live_path *path, struct dump_writer *writer)
{
    struct replay     *own = &side->replay;
    struct log_applied claim;
    bool               there = true, partial;

    while (!writer->failed) {
        enum log_fault fault = log_follow(own->log, &own->batch, &claim, &there, &partial, &own->report);

        if (fault != LOG_OK) return replay_failed(own, fault);
        if (!there) return EXIT_FINE;
        if (live_path_has(path, &own->batch.position)) dump_add(writer, &own->batch, &claim);
    }
    return EXIT_FINE;
}

int replay_dump(const struct replay *replay, size_t max, struct slice *bytes, bool *too_large)
{
    static const struct log_position last = { { [0 ... 15] = 0xff } };
    struct side_log                  side;
    struct live_path                 path;
    struct dump_writer               writer;
    int                              code;

    if (!live_path_to(&replay->branches, &last, &path)) return no_memory();
    dump_begin(&writer, replay->genesis_json, max);
    code = side_open(&side, replay);
    if (code == EXIT_FINE) code = dump_path(&side, &path, &writer);
    side_close(&side);
    live_path_free(&path);
    *too_large = writer.too_large;
    if (!dump_end(&writer, bytes) && code == EXIT_FINE)
        code = *too_large ? EXIT_GENERAL : complain(EXIT_GENERAL, "not enough memory for the state");
    return code;
}
