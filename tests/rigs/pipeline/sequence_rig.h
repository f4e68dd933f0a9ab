/* SPDX-License-Identifier: MIT */
/* sequence_rig.h — a sequencer with a ring of writes and two batches. Header only. */
#ifndef RIGS_PIPELINE_SEQUENCE_RIG_H
#define RIGS_PIPELINE_SEQUENCE_RIG_H

#include "pipeline/sequence.h"
#include "pipeline/exchange.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BYTES (512 * 1024)
#define HINTS 4096 /* room for the hints of a batch */

static struct sequencer     sequencer;
static struct command_batch spare;
static struct ring          ring;
static struct ring *const   rings[] = { &ring };

static inline int begin(void **state)
{
    static _Alignas(64) uint8_t ring_memory[1 << 20];
    static _Alignas(64) uint8_t first[BYTES], second[BYTES];
    static struct reply_route   routes[2][BATCH_RECORDS_MAX];
    static uint32_t             of[2][BATCH_RECORDS_MAX];
    static _Alignas(8) uint8_t  hints[2][HINTS];

    (void)state;
    memset(&sequencer, 0, sizeof(sequencer));
    sequencer.batch = (struct command_batch){ .records = { .at = first, .cap = BYTES },
                                              .hints = { .at = hints[0], .cap = HINTS, .of = of[0] },
                                              .routes = routes[0] };
    sequencer.next_seq = 1;
    sequencer.last_ms = 1000;
    spare = (struct command_batch){ .records = { .at = second, .cap = BYTES },
                                    .hints = { .at = hints[1], .cap = HINTS, .of = of[1] },
                                    .routes = routes[1] };
    ring_init(&ring, ring_memory, sizeof(ring_memory));
    return 0;
}

static inline void send_sized(uint64_t origin, uint32_t signed_bytes)
{
    uint64_t bytes =
        sizeof(struct write_message) + sizeof(struct command) + sizeof(struct schedule_cancel) + signed_bytes;
    struct write_message *message = ring_reserve(&ring, bytes);
    struct command       *command;

    assert_non_null(message);
    if (message == NULL) return; /* gcc does not know that an assert of cmocka leaves the function */
    memset(message, 0, bytes);
    message->origin = origin;
    message->command_bytes = sizeof(struct command) + sizeof(struct schedule_cancel);
    message->signed_bytes = signed_bytes;
    message->reply_bytes = 512;
    command = (struct command *)(void *)(message + 1);
    command->kind = CMD_SCHEDULE_CANCEL;
    command->bytes = message->command_bytes;
    ring_commit(&ring, bytes);
}

static inline void send(uint64_t origin) { send_sized(origin, 16); }

static inline void send_advance(uint64_t origin)
{
    struct {
        struct write_message head;
        struct command       command;
        struct advance_time  advance;
    } message = { 0 };
    void *room = ring_reserve(&ring, sizeof(message));

    message.head.origin = origin;
    message.head.command_bytes = sizeof(struct command) + sizeof(struct advance_time);
    message.head.reply_bytes = 512;
    message.head.advance_kind = 1;
    message.command.kind = CMD_ADVANCE_TIME;
    message.command.bytes = message.head.command_bytes;
    assert_non_null(room);
    memcpy(room, &message, sizeof(message));
    ring_commit(&ring, sizeof(message));
}

static inline uint32_t turn(int64_t wall_ms, int64_t due_ms, int64_t writing_ms)
{
    struct moment moment = { .wall_ms = wall_ms,
                             .due_ms = due_ms,
                             .writing_ms = writing_ms,
                             .kept_ms = due_ms,
                             .pulse_ms = INT64_MAX,
                             .second_ms = INT64_MAX };
    return sequence(&sequencer, &moment, rings, 1);
}

static inline struct log_batch take(struct reply_route **routes)
{
    sequence_take(&sequencer, &spare);
    *routes = spare.routes;
    return spare.records;
}

static inline uint16_t kind_at(const struct log_batch *batch, uint32_t index)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    for (uint32_t i = 0; i <= index; i++) assert_true(log_batch_next(batch, &cursor, &record));
    return record.command->kind;
}

#endif
