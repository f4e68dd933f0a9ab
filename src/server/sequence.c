/* SPDX-License-Identifier: MIT */
#include "server/sequence.h"

#include "server/exchange.h"
#include "server/log.h"

static void begin(struct sequencer *sequencer, int64_t time_ms)
{
    assert(!sequencer->open && time_ms >= sequencer->last_ms);
    sequencer->last_ms = time_ms;
    journal_batch_begin(&sequencer->batch, sequencer->next_seq, time_ms);
    sequencer->open = true;
}

static bool add(struct sequencer *sequencer, struct command *command, const struct journal_record *record, struct asked asked)
{
    if (sequencer->batch.count == BATCH_RECORDS_MAX) return false;
    command->seq = sequencer->next_seq;
    command->time_ms = sequencer->batch.time_ms;
    command->origin = 0;
    if (!journal_batch_add(&sequencer->batch, record)) return false;
    sequencer->asked[sequencer->batch.count - 1] = asked;
    sequencer->next_seq += 1;
    sequencer->unproved = true;
    return true;
}

static void add_tick(struct sequencer *sequencer)
{
    struct { struct command head; struct tick tick; } room = { 0 };
    struct journal_record record = { .command = &room.head };
    bool                  added;

    room.head.kind = CMD_TICK;
    room.head.bytes = sizeof(room);
    added = add(sequencer, &room.head, &record, (struct asked){ 0, 0, 0 });
    assert(added && sequencer->batch.count == 1);
    sequencer->ticking = true;
}

/* One message of an I/O thread; false when it is for the next batch. */
static bool add_write(struct sequencer *sequencer, struct write_message *message)
{
    struct command       *command = (struct command *)(void *)(message + 1);
    struct journal_record record = { .command = command };

    record.signed_bytes = slice_make((const char *)command + message->command_bytes, message->signed_bytes);
    memcpy(record.signature, message->signature, sizeof(record.signature));
    record.tx_hash = blocks_write_hash(command, record.signed_bytes, record.signature);
    return add(sequencer, command, &record, (struct asked){ message->origin, message->reply_bytes, 0 });
}

static uint32_t collect(struct sequencer *sequencer, struct ring *writes)
{
    struct write_message *message;
    uint64_t              bytes;
    uint32_t              count = 0;

    for (; (message = ring_peek(writes, &bytes)) != NULL && add_write(sequencer, message); count++) ring_next(writes);
    return count;
}

static bool anything(struct ring *const writes[], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!ring_is_empty(writes[i])) return true;
    return false;
}

/* A due instant inside a gap: a batch with its time and nothing else (ruling 43). */
static bool begin_in_gap(struct sequencer *sequencer, const struct moment *moment, int64_t now)
{
    if (now - moment->due_ms < GAP_MS) {
        sequencer->gap_ticks = 0;
        return false;
    }
    if (sequencer->gap_ticks == GAP_TICKS_MAX) return false;
    if (++sequencer->gap_ticks == GAP_TICKS_MAX)
        log_line(LOG_WARN, "more than %d instants were due while the clock jumped; the rest fires now", GAP_TICKS_MAX);
    begin(sequencer, max_i64(moment->due_ms, sequencer->last_ms));
    add_tick(sequencer);
    sequencer->gap = true;
    return true;
}

uint32_t sequence(struct sequencer *sequencer, const struct moment *moment, struct ring *const writes[], uint32_t count)
{
    int64_t  now = max_i64(sequencer->last_ms, moment->wall_ms);
    bool     due = moment->due_ms <= now && !sequencer->ticking;
    bool     arrived = !due && sequencer->gap_ticks != 0;   /* behind the gap's last instant: one TICK at the new time */
    uint32_t work = 0;

    if (sequencer->gap) return 0;                       /* first what was due in it */
    if (!sequencer->open) {
        /* A schedule that the batch on its way may set must not be overtaken by later commands. */
        if (moment->flying_ms != INT64_MAX && now - moment->flying_ms >= STALL_MS) return 0;
        if (!due && !arrived && !anything(writes, count)) return 0;
        if (due && begin_in_gap(sequencer, moment, now)) return 1;
        begin(sequencer, now);
        if (due || arrived) add_tick(sequencer);
        if (arrived) sequencer->gap_ticks = 0;
        work += due || arrived;
    }
    for (uint32_t i = 0; i < count; i++) work += collect(sequencer, writes[i]);
    return work;
}

void sequence_closing(struct sequencer *sequencer, int64_t wall_ms)
{
    if (sequencer->open || !sequencer->unproved) return;
    begin(sequencer, max_i64(sequencer->last_ms, wall_ms));
    sequencer->unproved = false;
}

void sequence_take(struct sequencer *sequencer, struct journal_batch *batch, struct asked **asked)
{
    struct journal_batch spare = *batch;
    struct asked        *spare_asked = *asked;

    assert(sequencer->open);
    *batch = sequencer->batch;
    *asked = sequencer->asked;
    sequencer->batch = spare;
    sequencer->asked = spare_asked;
    sequencer->open = false;
}

void sequence_applied(struct sequencer *sequencer, const struct journal_batch *batch)
{
    struct journal_cursor cursor = { 0, 0 };
    struct journal_record first;

    if (batch->count == 0 || !journal_batch_next(batch, &cursor, &first) || first.command->kind != CMD_TICK) return;
    sequencer->ticking = sequencer->gap = false;
}
