/* SPDX-License-Identifier: MIT */
/*
 * sequence.h — gives commands a number and a time (rulings 18, 28, 43). One struct sequencer belongs to the engine's
 * thread; it collects the commands of the I/O threads into a batch, adds TICKs that are due, and closes the log's tail
 * when no command follows.
 *
 * Time: max(last, wall), read once per batch. A TICK that is due by less than a second goes first into the next batch,
 * as does the ordinary one of each second while a perps market trades. After a gap (downtime, a jump of the clock)
 * each due instant inside it gets a batch of its own with exactly that time, and everything else waits. Hours of
 * funding that passed while the exchange was down are no such instants: the first TICK at the new time settles them,
 * once (mechanics 3.10). While triggers or liquidations are left over, TICKs follow one another at once, each alone
 * (ruling 61).
 *
 * The batch behind it proves the tail of the log. An ordinary TICK has the next one behind it within a second, so it
 * needs no closing batch: otherwise an idle exchange would write twice as much. While the exchange is quiet
 * (core/engine/quiet.h) TICKs are up to a minute apart and need one; commands that arrive then have a TICK before
 * them.
 *
 * An advance is a requested move of the clock (rulings 43, 44): an ADVANCE_TIME has a batch of its own, at the old
 * time; then the instants that it made due have theirs, whatever the distance; then comes one TICK at the new time;
 * and then the next command. It is judged when everything before it has been applied.
 *
 * With a source (command_source.h) every instant of it has a batch with exactly its time, and so has every second, live
 * and in an advance. Such a batch begins when everything before it has been applied; clients' commands may follow in
 * it. Live, instants that are SOURCE_LAG_MS late are left out.
 */
#ifndef PIPELINE_SEQUENCE_H
#define PIPELINE_SEQUENCE_H

#include "base/ring.h"
#include "chaos/chaos.h"
#include "pipeline/command_batch.h"
#include "pipeline/command_source.h"
#include "pipeline/dev_prices.h"

#define CLOSING_MS    100   /* after the last batch, a closing one */
#define GAP_MS        1000  /* due for longer than this: a gap */
#define GAP_TICKS_MAX 10000 /* single TICKs for one gap; the rest fires with the last one */
#define SOURCE_LAG_MS 10000 /* instants of a source that are further back are left out */
#define STALL_MS      4000  /* less than the shortest schedule (service: 5 seconds) */

enum advance_step { STEP_NONE = 0, STEP_ASKED, STEP_LOGGED, STEP_RUNNING, STEP_ARRIVING };

/*
 * A limit is raised in the log only when there is memory for it (ruling 75): the owner of the memory is asked before,
 * and answers the message itself when there is none. One raise is in progress at a time, because the next one is
 * judged by the memory that remains. `fits` NULL = there always is memory.
 */
struct write_message;
struct sequence_raise {
    void *self;
    bool (*fits)(void *self, const struct write_message *message);
};

struct sequencer {
    struct command_batch         batch; /* being collected */
    bool                         open;  /* it was begun */
    uint64_t                     next_seq;
    int64_t                      last_ms;  /* engine time of the last batch that was begun */
    uint64_t                     chain_id; /* of unsigned commands */
    uint64_t                     tick_seq; /* of a TICK of ours that has not been applied; 0 = none */
    bool                         gap;      /* and it is one of a gap */
    uint32_t                     gap_ticks;
    uint8_t                      advance_kind; /* enum advance_step */
    uint32_t                     advance_ring; /* the wall-clock time of the request */
    int64_t                      pin_ms;       /* the next command has exactly this time; 0 = none */
    bool                         unproved;     /* commands were written since the last closing batch */
    bool                         pulsed;       /* ordinary TICKs were */
    bool                         down;         /* no TICK at the present time yet: the log ends in the past */
    const struct dev_prices     *dev_prices;   /* posts prices after every ordinary TICK; NULL = none */
    struct chaos                *chaos;        /* rules of faults may leave some of them out; NULL = none */
    const struct command_source *source;       /* commands of the exchange itself; NULL = none */
    struct sequence_raise        raise;        /* decides whether a limit can be raised */
    uint64_t                     raise_seq;    /* of a RAISE_LIMIT that has not been applied; 0 = none */
};

/* Inputs of the sequencer from outside. */
struct moment {
    int64_t wall_ms;    /* the clock and the offset */
    int64_t due_ms;     /* engine_due_ms, of all that has been applied */
    int64_t writing_ms; /* time of the batch on its way to disk, INT64_MAX = none */
    int64_t kept_ms;    /* engine_kept_ms */
    int64_t pulse_ms;   /* engine_pulse_ms */
    int64_t second_ms;  /* engine_second_ms */
    bool    left;       /* engine_work_left */
    bool    idle;       /* everything earlier has been applied */
};

/* Collects from the rings; returns commands and TICKs added. */
uint32_t sequence(struct sequencer *sequencer, const struct moment *moment, struct ring *const writes[],
                  uint32_t count);

/* The time of a batch that begins now: max(last, wall), and not beyond a time that is pinned. */
int64_t sequence_now(const struct sequencer *sequencer, int64_t wall_ms);

/* When the source is to be asked next; INT64_MAX = never. */
int64_t sequence_source_ms(const struct sequencer *sequencer);

/*
 * An advance was requested and no command is collected: when all earlier commands have been applied, judge the message
 * and either refuse it (it is dropped then), or log it with the offset that holds from then on.
 */
bool                  sequence_advance_waits(const struct sequencer *sequencer);
struct write_message *sequence_advance_message(struct sequencer *sequencer, struct ring *const writes[]);
void                  sequence_advance_refuse(struct sequencer *sequencer, struct ring *const writes[]);
void sequence_advance_log(struct sequencer *sequencer, struct ring *const writes[], int64_t wall_ms, int64_t offset_ms,
                          int64_t pin_ms);

/* The request that waits becomes a REVERT in the log, alone in its batch, at the time of the last command. */
void sequence_revert_log(struct sequencer *sequencer, struct ring *const writes[], int64_t now_ms,
                         const struct revert *revert);

/* The log went back: the next command has this number, and engine time goes on from here. */
void sequence_begin_at(struct sequencer *sequencer, uint64_t next_seq, int64_t time_ms);

/* Commands that nobody signs get their number in the log into the hash, so that each hash is unique. */
void sequence_name(const struct sequencer *sequencer, struct command *command);

/* Requests a closing batch, whatever the log ends with: the log stops, or no command follows within a second. */
void sequence_last(struct sequencer *sequencer);

/* Opens a batch without commands, when one is wanted and none is open. */
void sequence_closing(struct sequencer *sequencer, int64_t wall_ms);

/* Moves the collected batch into *batch; the sequencer continues with the memory that was there. */
void sequence_take(struct sequencer *sequencer, struct command_batch *batch);

/* This node does not write the log any more: what was collected is dropped, and nothing is awaited. */
void sequence_reset(struct sequencer *sequencer);

/* A batch of the sequencer has been applied. */
void sequence_applied(struct sequencer *sequencer, const struct log_batch *batch);

#endif
