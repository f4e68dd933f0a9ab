/* SPDX-License-Identifier: MIT */
/*
 * replay_walk.c — every branch of a log that went back. A segment is what stands between two REVERTs; the first begins
 * with the genesis, each other one with the state at the target of the REVERT before it.
 *
 *     log     a b c d R1(b) e f R2(d) g        segments  0: a b c d   1: e f   2: g
 *
 * The process that reads a segment comes by the targets of later REVERTs. At each a copy of the process goes on with
 * the segment behind that REVERT, and this one continues when the copy has ended. The process that reads what is alive
 * does it the other way round: the copy reads the rest of the segment, which is void.
 */
#include "diagnostics/program_log.h"
#include "io/child.h"
#include "pipeline/replay.h"

#include <stdlib.h>

struct walk {
    struct replay   *replay;
    struct exchange *exchange;
    replay_look     *look;
    void            *self;
    bool            *alive;   /* of each REVERT */
    uint32_t         segment; /* that is read */
    bool             is_main; /* reads what is alive */
    bool             entered; /* the targets at this place have been seen */
};

static const struct branches *branches_of(const struct walk *walk) { return &walk->replay->branches; }

/* Goes on behind REVERT number segment - 1. */
static int enter(struct walk *walk, uint32_t segment)
{
    struct replay       *replay = walk->replay;
    const struct branch *branch = &branches_of(walk)->all[segment - 1];
    enum log_fault       fault;

    log_close(replay->log);
    replay->log = NULL;
    fault = log_open(replay->log_memory, &replay->disk, &replay->settings, &replay->log, &replay->genesis_json,
                     &replay->report);
    if (fault == LOG_OK) fault = log_resume(replay->log, &branch->behind, &replay->batch, &replay->report);
    walk->segment = segment;
    walk->entered = false;
    return fault == LOG_OK ? EXIT_FINE : replay_failed(replay, fault);
}

static int run_segment(struct walk *walk);

static bool run_copy(const void *context)
{
    struct walk walk = *(const struct walk *)context;

    walk.is_main = false;
    walk.replay->passed = NULL;
    if (!walk.entered && enter(&walk, walk.segment) != EXIT_FINE) return false;
    return run_segment(&walk) == EXIT_FINE;
}

/* A copy of this process reads a segment, or the rest of the one at hand. */
static int try_copy(const struct walk *walk, uint32_t segment, bool rest)
{
    struct walk copy = *walk;

    copy.segment = segment;
    copy.entered = rest;
    if (child_try(run_copy, &copy)) return EXIT_FINE;
    return complain(EXIT_DAMAGE, "%s: the part of the log %s command %lu does not hold", walk->replay->path,
                    rest ? "that is void behind" : "behind the REVERT to",
                    (unsigned long)engine_seq(walk->exchange->engine));
}

/* What a REVERT says of its target is what the replay finds there. */
static int judge_target(const struct walk *walk, const struct branch *branch, const struct hash256 *chain)
{
    if (branch->behind.next_seq == engine_seq(walk->exchange->engine) + 1
        && (log_position_is_none(&branch->target) || hash256_equal(&branch->target_chain, chain)))
        return EXIT_FINE;
    return complain(EXIT_DAMAGE, "%s: a REVERT to command %lu names another place than the one it goes to",
                    walk->replay->path, (unsigned long)branch->behind.next_seq - 1);
}

/* The REVERTs that lead to this place. *on: the segment with which the main process goes on; 0 = with this one. */
static int visit(struct walk *walk, const struct log_position *here, const struct hash256 *chain, uint32_t *on)
{
    const struct branches *branches = branches_of(walk);
    int                    code = EXIT_FINE;

    *on = 0;
    for (uint32_t i = walk->segment; i < branches->count && code == EXIT_FINE; i++) {
        const struct branch *branch = &branches->all[i];

        if (log_position_compare(&branch->target, here) != 0) continue;
        code = judge_target(walk, branch, chain);
        if (code != EXIT_FINE) break;
        if (walk->is_main && walk->alive[i]) *on = i + 1;
        else code = try_copy(walk, i + 1, false);
    }
    if (code == EXIT_FINE && *on != 0) code = try_copy(walk, walk->segment, true);
    return code;
}

/* One batch. *end: the segment is over. */
static int step(struct walk *walk, bool *end)
{
    struct replay     *replay = walk->replay;
    struct log_applied claim = { 0 };
    enum log_fault     fault = log_next(replay->log, &replay->batch, &claim, end, &replay->report);

    if (fault != LOG_OK) return replay_failed(replay, fault);
    if (!*end) *end = log_batch_revert(&replay->batch) != NULL;
    if (*end) return EXIT_FINE;
    if (replay_agree(replay, walk->exchange, &claim) != EXIT_FINE) return EXIT_DAMAGE;
    if (walk->look != NULL && !replay_look_at(&replay->batch, walk->look, walk->self)) return EXIT_DAMAGE;
    exchange_run(walk->exchange, &replay->batch, NULL);
    if (replay->passed != NULL) replay->passed(replay->passed_self, &replay->batch);
    return EXIT_FINE;
}

static int run_segment(struct walk *walk)
{
    const struct branches *branches = branches_of(walk);
    struct log_position    here = { { 0 } };
    struct hash256         chain = replay_instance(walk->replay);
    bool                   end = false;
    uint32_t               on;
    int                    code = EXIT_FINE;

    while (code == EXIT_FINE && !end) {
        if (!walk->entered && walk->segment != 0) {
            here = branches->all[walk->segment - 1].at;
            chain = branches->all[walk->segment - 1].behind.chain;
        }
        on = 0;
        if (!walk->entered) code = visit(walk, &here, &chain, &on);
        if (code == EXIT_FINE && on != 0) code = enter(walk, on);
        if (code != EXIT_FINE || on != 0) continue;
        walk->entered = true;
        code = step(walk, &end);
        if (code != EXIT_FINE || end) continue;
        here = walk->replay->batch.position;
        chain = log_mark_behind(&walk->replay->batch).chain;
        code = visit(walk, &here, &chain, &on);
        if (code == EXIT_FINE && on != 0) code = enter(walk, on);
    }
    if (code == EXIT_FINE) engine_verify(walk->exchange->engine);
    return code;
}

/* Those that the state at the end of the log comes from. */
static void mark_alive(const struct branches *branches, bool *alive)
{
    const struct branch *branch = branches->count == 0 ? NULL : &branches->all[branches->count - 1];

    for (; branch != NULL; branch = branches_last(branches, &branch->target)) alive[branch - branches->all] = true;
}

int replay_run_branches(struct replay *replay, struct exchange *exchange, replay_look *look, void *self)
{
    struct walk walk = { .replay = replay, .exchange = exchange, .look = look, .self = self, .is_main = true };
    int         code;

    walk.alive = calloc(replay->branches.count + 1, sizeof(*walk.alive));
    if (walk.alive == NULL) return complain(EXIT_GENERAL, "not enough memory for the branches of the log");
    mark_alive(&replay->branches, walk.alive);
    code = run_segment(&walk);
    free(walk.alive);
    replay->report.parts = replay->whole.parts;
    replay->report.batches = replay->whole.batches;
    replay->report.records = replay->whole.records;
    return code;
}
