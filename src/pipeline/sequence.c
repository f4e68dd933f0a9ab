/* SPDX-License-Identifier: MIT */
#include "pipeline/sequence.h"

#include "api/api.h"
#include "pipeline/exchange.h"
#include "diagnostics/program_log.h"

static const struct slice no_hints = { "", 0 };

static void begin(struct sequencer *sequencer, int64_t time_ms)
{
    assert(!sequencer->open && time_ms >= sequencer->last_ms);
    sequencer->last_ms = time_ms;
    log_batch_begin(&sequencer->batch.records, sequencer->next_seq, time_ms);
    sequencer->batch.hints.len = 0;
    sequencer->batch.named = (struct log_cursor){ 0 };
    sequencer->open = true;
}

/* Keeps the hints of the record that was added last, where they find room. */
static void add_hints(struct command_batch *batch, struct slice hints)
{
    struct batch_hints *kept = &batch->hints;
    bool                fits = hints.len != 0 && hints.len <= kept->cap - kept->len;

    kept->of[batch->records.count - 1] = fits ? kept->len : BATCH_NO_HINTS;
    if (!fits) return;
    memcpy(kept->at + kept->len, hints.at, hints.len);
    kept->len += (uint32_t)hints.len;
}

/*
 * Who waits for the reply of the record that was added last; asked NULL = nobody does. Member by member: a copy of the
 * whole would read what was written in pieces just before, and wait until every store before that is in the cache.
 */
static void add_route(struct command_batch *batch, const struct write_message *asked)
{
    struct reply_route *route = &batch->routes[batch->records.count - 1];

    route->origin = asked == NULL ? 0 : asked->origin;
    route->sent_ns = asked == NULL ? 0 : asked->sent_ns;
    route->reply_bytes = asked == NULL ? 0 : asked->reply_bytes;
    route->reserved = 0;
}

static bool add(struct sequencer *sequencer, struct command *command, const struct log_record *record,
                const struct write_message *asked, struct slice hints)
{
    struct command_batch *batch = &sequencer->batch;

    if (batch->records.count == BATCH_RECORDS_MAX) return false;
    command->seq = sequencer->next_seq;
    command->time_ms = batch->records.time_ms;
    command->origin = 0;
    if (!log_batch_add(&batch->records, record)) return false;
    add_route(batch, asked);
    add_hints(batch, hints);
    sequencer->next_seq += 1;
    sequencer->unproved = true;
    return true;
}

static void add_tick(struct sequencer *sequencer, bool missed)
{
    struct {
        struct command head;
        struct tick    tick;
    } room = { .tick = { missed } };
    struct log_record record = { .command = &room.head };
    bool              added;

    room.head.kind = CMD_TICK;
    room.head.bytes = sizeof(room);
    added = add(sequencer, &room.head, &record, NULL, no_hints);
    assert(added && sequencer->batch.records.count == 1);
    sequencer->tick_seq = room.head.seq;
}

/* A rule of faults leaves out the price of this symbol. */
static bool is_stale(const struct sequencer *sequencer, uint32_t symbol_id)
{
    struct chaos_subject subject = { .point = POINT_INDEX,
                                     .symbol_id = symbol_id,
                                     .now_ms = sequencer->batch.records.time_ms };
    struct chaos_verdict verdict;

    if (sequencer->chaos == NULL || !chaos_is_active(sequencer->chaos)) return false;
    chaos_judge(sequencer->chaos, &subject, &verdict);
    return verdict.stale;
}

/* A post of the built-in feeder follows the TICK and counts from the next one on. */
static void add_dev_prices(struct sequencer *sequencer)
{
    struct {
        struct command   head;
        struct set_index set;
    } room = { 0 };
    struct log_record record = { .command = &room.head };
    bool              added = true;

    for (uint32_t i = 0; i < sequencer->dev_prices->genesis->perps_count && added; i++) {
        if (is_stale(sequencer, i + 1)) continue;
        room.head.kind = CMD_SET_INDEX;
        room.head.bytes = sizeof(room);
        room.set =
            (struct set_index){ .symbol_id = i + 1,
                                .price = dev_prices_at(sequencer->dev_prices, i, sequencer->batch.records.time_ms) };
        added = add(sequencer, &room.head, &record, NULL, no_hints);
    }
    assert(added);
}

/* The TICK that begins a batch at the present time. One that only keeps the second is proved by the next. */
static void add_present_tick(struct sequencer *sequencer, const struct moment *moment)
{
    bool before = sequencer->unproved, pulses = moment->pulse_ms != INT64_MAX;

    add_tick(sequencer, false);
    if (sequencer->dev_prices != NULL && pulses) add_dev_prices(sequencer);
    if (pulses) {
        sequencer->unproved = before;
        sequencer->pulsed = true;
    }
}

void sequence_name(const struct sequencer *sequencer, struct command *command)
{
    if (command->domain != 0 && !command_is_marked(command)) return;
    command->chain_id = sequencer->chain_id;
    command->nonce = sequencer->next_seq;
}

/* One message of an I/O thread; false when it is for the next batch. */
static bool add_write(struct sequencer *sequencer, struct write_message *message)
{
    struct command   *command = (struct command *)(void *)(message + 1);
    struct log_record record = { .command = command, .signature = message->signature };
    struct slice      hints = slice_make((const char *)command + message->command_bytes, message->hints_bytes);

    record.signed_bytes = slice_make(hints.at + hints.len, message->signed_bytes);
    sequence_name(sequencer, command);
    return add(sequencer, command, &record, message, hints);
}

static bool is_raise(const struct write_message *message)
{
    return ((const struct command *)(const void *)(message + 1))->kind == CMD_RAISE_LIMIT;
}

/* The next message of a ring that goes to the log at some time: raises without memory are refused and gone. */
static struct write_message *peek(struct sequencer *sequencer, struct ring *ring)
{
    struct write_message *message;
    uint64_t              bytes;

    while ((message = ring_peek(ring, &bytes)) != NULL) {
        if (!is_raise(message) || sequencer->raise_seq != 0 || sequencer->raise.fits == NULL) break;
        if (sequencer->raise.fits(sequencer->raise.self, message)) break;
        ring_next(ring);
    }
    return message;
}

/* It waits in its ring until the raise before it has been applied. */
static bool must_wait(const struct sequencer *sequencer, const struct write_message *message)
{
    return sequencer->raise_seq != 0 && is_raise(message);
}

/* From ring number `from`; an advance stays in it and stops everything. */
static uint32_t collect(struct sequencer *sequencer, struct ring *const writes[], uint32_t from)
{
    struct write_message *message;
    uint32_t              count = 0;

    for (; (message = peek(sequencer, writes[from])) != NULL && !must_wait(sequencer, message); count++) {
        if (message->advance_kind != ADVANCE_NONE) {
            sequencer->advance_kind = STEP_ASKED;
            sequencer->advance_ring = from;
            break;
        }
        if (!add_write(sequencer, message)) break;
        if (is_raise(message)) sequencer->raise_seq = sequencer->next_seq - 1;
        ring_next(writes[from]);
    }
    return count;
}

static uint32_t collect_all(struct sequencer *sequencer, struct ring *const writes[], uint32_t count)
{
    uint32_t work = 0;

    for (uint32_t i = 0; i < count && sequencer->advance_kind == STEP_NONE; i++) work += collect(sequencer, writes, i);
    if (work != 0) sequencer->pin_ms = 0; /* it has begun a batch with that very time */
    return work;
}

/* Is there something to collect? An advance that is first in line has no batch opened for it here. */
static bool anything(struct sequencer *sequencer, struct ring *const writes[], uint32_t count)
{
    const struct write_message *message;

    for (uint32_t i = 0; i < count; i++) {
        message = peek(sequencer, writes[i]);
        if (message == NULL || must_wait(sequencer, message)) continue;
        if (message->advance_kind == ADVANCE_NONE) return true;
        sequencer->advance_kind = STEP_ASKED;
        sequencer->advance_ring = i;
        return false;
    }
    return false;
}

/* When something has a TICK of its own; hours that were missed have none. */
static int64_t due_of(const struct sequencer *sequencer, const struct moment *moment)
{
    return sequencer->down ? moment->kept_ms : moment->due_ms;
}

/* A due instant inside a gap: a batch with its time and nothing else (ruling 43). */
static bool begin_in_gap(struct sequencer *sequencer, int64_t due_ms, int64_t now)
{
    if (now - due_ms < GAP_MS) {
        sequencer->gap_ticks = 0;
        return false;
    }
    if (sequencer->gap_ticks == GAP_TICKS_MAX) return false;
    if (++sequencer->gap_ticks == GAP_TICKS_MAX)
        log_line(LOG_WARN, "more than %d instants were due while the clock jumped; the rest fires now", GAP_TICKS_MAX);
    begin(sequencer, max_i64(due_ms, sequencer->last_ms));
    add_tick(sequencer, sequencer->down);
    sequencer->gap = true;
    return true;
}

/* Work is left over from the last command: a TICK and nothing else, now. */
static void begin_with_rest(struct sequencer *sequencer, int64_t now)
{
    begin(sequencer, now);
    add_tick(sequencer, false);
    sequencer->gap = true;
}

int64_t sequence_now(const struct sequencer *sequencer, int64_t wall_ms)
{
    return max_i64(sequencer->last_ms, sequencer->pin_ms != 0 ? min_i64(sequencer->pin_ms, wall_ms) : wall_ms);
}

/* ---- instants of the source ---- */

int64_t sequence_source_ms(const struct sequencer *sequencer)
{
    const struct command_source *source = sequencer->source;

    return source == NULL ? INT64_MAX : source->due_ms(source->self, sequencer->last_ms);
}

static bool add_of_source(void *self, struct command *command, struct slice json)
{
    struct sequencer *sequencer = self;
    struct log_record record = { .command = command, .signed_bytes = json };

    assert(command->domain == 0 || command_is_marked(command));
    if (command->kind == CMD_SET_INDEX
        && is_stale(sequencer, ((const struct set_index *)(const void *)(command + 1))->symbol_id))
        return true;
    sequence_name(sequencer, command);
    return add(sequencer, command, &record, NULL, no_hints);
}

/*
 * The next instant up to `now`, of the source or of a TICK: a batch with exactly its time. False when there is none, or
 * when the source had nothing to say at it.
 */
static bool begin_with_source(struct sequencer *sequencer, const struct moment *moment, int64_t source_ms)
{
    int64_t tick_ms = min_i64(min_i64(moment->due_ms, moment->pulse_ms), moment->second_ms);
    int64_t time_ms = max_i64(min_i64(tick_ms, source_ms), sequencer->last_ms);
    bool    before = sequencer->unproved;

    assert(moment->idle && !sequencer->open && sequencer->tick_seq == 0);
    begin(sequencer, time_ms);
    if (tick_ms <= time_ms) add_tick(sequencer, false);
    sequencer->gap = tick_ms <= time_ms && (moment->left || time_ms < source_ms);
    if (!sequencer->gap && time_ms == source_ms) {
        struct source_writer writer = { sequencer, add_of_source };

        sequencer->source->fill(sequencer->source->self, time_ms, &writer);
    }
    sequencer->unproved = before; /* the next instant proves it */
    sequencer->pulsed = true;
    if (sequencer->batch.records.count != 0) return true;
    sequencer->open = false;
    return false;
}

/* Work that an advance made due, each instant by itself; after the last one, one TICK at the new time. */
static uint32_t step_clock_advance(struct sequencer *sequencer, const struct moment *moment, int64_t now)
{
    bool    due = moment->due_ms <= now;
    int64_t source_ms = sequence_source_ms(sequencer);

    if (sequencer->advance_kind != STEP_RUNNING) return 0; /* pending commands come first */
    if (source_ms <= now) {
        if (moment->idle) (void)begin_with_source(sequencer, moment, source_ms);
        return moment->idle;
    }
    assert(!sequencer->open);
    begin(sequencer, due ? max_i64(moment->due_ms, sequencer->last_ms) : now);
    add_tick(sequencer, false);
    sequencer->gap = true;
    if (!due) sequencer->advance_kind = STEP_ARRIVING;
    return 1;
}

/*
 * Whether the next instant of the source has come, and which it is. After a gap the TICK at the present time comes
 * first, as it does without a source; the instants in the gap are left out.
 */
static bool asks_source(const struct sequencer *sequencer, const struct moment *moment, int64_t now, int64_t *source_ms)
{
    bool behind;

    *source_ms = sequence_source_ms(sequencer);
    if (*source_ms > now) return false;
    behind = sequencer->down || now - *source_ms > SOURCE_LAG_MS;
    if (!behind) return true;
    if (min_i64(due_of(sequencer, moment), moment->pulse_ms) <= now) return false;
    *source_ms = sequencer->source->due_ms(sequencer->source->self, max_i64(sequencer->last_ms, now - SOURCE_LAG_MS));
    return *source_ms <= now;
}

uint32_t sequence(struct sequencer *sequencer, const struct moment *moment, struct ring *const writes[], uint32_t count)
{
    int64_t  now = sequence_now(sequencer, moment->wall_ms), due_ms = due_of(sequencer, moment);
    bool     idle = sequencer->tick_seq == 0, due = due_ms <= now && idle;
    bool     pulse = min_i64(moment->pulse_ms, moment->due_ms) <= now && idle;
    bool     arrived = !due && sequencer->gap_ticks != 0; /* behind the gap's last instant: one TICK at the new time */
    bool     tick = due || pulse || arrived;              /* or the commands of a quiet exchange want one */
    uint32_t work = 0;
    int64_t  source_ms;

    if (sequencer->gap) return 0; /* first what was due in it */
    if (sequencer->advance_kind != STEP_NONE) return step_clock_advance(sequencer, moment, now);
    if (!sequencer->open && asks_source(sequencer, moment, now, &source_ms)) {
        if (!moment->idle) return 0;
        work = begin_with_source(sequencer, moment, source_ms);
        if (work == 0 || sequencer->gap) return 1;
    } else if (!sequencer->open) {
        /* A schedule that the batch on its way may set must not be overtaken by later commands. */
        if (moment->writing_ms != INT64_MAX && now - moment->writing_ms >= STALL_MS) return 0;
        if (!tick && !anything(sequencer, writes, count)) return sequencer->advance_kind != STEP_NONE;
        if (!tick && moment->second_ms <= now && idle) tick = true; /* commands find the prices of their second */
        if (due && begin_in_gap(sequencer, due_ms, now)) return 1;
        sequencer->down = false;
        if (arrived) sequencer->gap_ticks = 0;
        if (idle && moment->left) {
            begin_with_rest(sequencer, now);
            return 1;
        }
        begin(sequencer, now);
        if (tick) add_present_tick(sequencer, moment);
        work += tick;
    }
    return work + collect_all(sequencer, writes, count);
}

/* ---- clock advances ---- */

bool sequence_advance_waits(const struct sequencer *sequencer)
{
    return sequencer->advance_kind == STEP_ASKED && !sequencer->open;
}

struct write_message *sequence_advance_message(struct sequencer *sequencer, struct ring *const writes[])
{
    uint64_t bytes;

    assert(sequencer->advance_kind == STEP_ASKED);
    return ring_peek(writes[sequencer->advance_ring], &bytes);
}

void sequence_advance_refuse(struct sequencer *sequencer, struct ring *const writes[])
{
    assert(sequencer->advance_kind == STEP_ASKED);
    ring_next(writes[sequencer->advance_ring]);
    sequencer->advance_kind = STEP_NONE;
}

void sequence_advance_log(struct sequencer *sequencer, struct ring *const writes[], int64_t wall_ms, int64_t offset_ms,
                          int64_t pin_ms)
{
    const struct write_message *message = sequence_advance_message(sequencer, writes);
    struct {
        struct command      head;
        struct advance_time advance;
    } room = { 0 };
    struct log_record record = { .command = &room.head };
    char              text[64];
    struct out        input = out_make(text, sizeof(text));
    bool              added;

    assert(sequence_advance_waits(sequencer));
    out_literal(&input, "{\"type\":\"advanceTime\",\"params\":{\"offset\":");
    out_i64(&input, offset_ms);
    out_literal(&input, "}}");
    assert(!input.overflow);
    room.head.kind = CMD_ADVANCE_TIME;
    room.head.bytes = sizeof(room);
    room.advance.offset_ms = offset_ms;
    sequence_name(sequencer, &room.head);
    record.signed_bytes = out_slice(&input);
    begin(sequencer, sequence_now(sequencer, wall_ms));
    added = add(sequencer, &room.head, &record, message, no_hints);
    assert(added);
    sequencer->pin_ms = pin_ms;
    sequencer->advance_kind = STEP_LOGGED;
    ring_next(writes[sequencer->advance_ring]);
}

void sequence_revert_log(struct sequencer *sequencer, struct ring *const writes[], int64_t now_ms,
                         const struct revert *revert)
{
    const struct write_message *message = sequence_advance_message(sequencer, writes);
    struct {
        struct command head;
        struct revert  revert;
    } room = { .revert = *revert };
    struct log_record record = { .command = &room.head };
    bool              added;

    assert(sequence_advance_waits(sequencer));
    room.head.kind = CMD_REVERT;
    room.head.bytes = sizeof(room);
    begin(sequencer, sequence_now(sequencer, now_ms));
    added = add(sequencer, &room.head, &record, message, no_hints);
    assert(added);
    sequencer->advance_kind = STEP_LOGGED;
    ring_next(writes[sequencer->advance_ring]);
}

void sequence_begin_at(struct sequencer *sequencer, uint64_t next_seq, int64_t time_ms)
{
    assert(!sequencer->open);
    sequence_reset(sequencer);
    sequencer->next_seq = next_seq;
    sequencer->last_ms = time_ms;
    sequencer->unproved = true;
}

void sequence_last(struct sequencer *sequencer) { sequencer->unproved |= sequencer->pulsed; }

void sequence_closing(struct sequencer *sequencer, int64_t wall_ms)
{
    if (sequencer->open || !sequencer->unproved || sequencer->advance_kind != STEP_NONE) return;
    begin(sequencer, sequence_now(sequencer, wall_ms));
    sequencer->unproved = sequencer->pulsed = false;
}

void sequence_take(struct sequencer *sequencer, struct command_batch *batch)
{
    assert(sequencer->open);
    command_batch_swap(&sequencer->batch, batch);
    sequencer->open = false;
}

void sequence_reset(struct sequencer *sequencer)
{
    sequencer->open = sequencer->gap = sequencer->unproved = sequencer->pulsed = false;
    sequencer->tick_seq = sequencer->raise_seq = 0;
    sequencer->gap_ticks = 0;
    sequencer->advance_kind = STEP_NONE;
    sequencer->pin_ms = 0;
}

void sequence_applied(struct sequencer *sequencer, const struct log_batch *batch)
{
    if (sequencer->advance_kind == STEP_LOGGED)
        sequencer->advance_kind = STEP_RUNNING; /* nothing else was on its way */
    if (sequencer->raise_seq < batch->first_seq + batch->count) sequencer->raise_seq = 0;
    if (sequencer->tick_seq == 0 || sequencer->tick_seq >= batch->first_seq + batch->count) return;
    sequencer->tick_seq = 0;
    sequencer->gap = false;
    if (sequencer->advance_kind == STEP_ARRIVING) sequencer->advance_kind = STEP_NONE;
}
