/* SPDX-License-Identifier: MIT */
/*
 * engine_messages.h — messages between an I/O thread and the engine's thread: writes one way, replies the other, each
 * in a ring of its own (base/ring.h). The reply returns the origin token of its write, which names the connection.
 *
 *     63      56 55       40 39               16 15          0
 *     +---------+-----------+-------------------+-------------+
 *     | thread  | slot      | generation        | request     |     generation is never 0
 *     +---------+-----------+-------------------+-------------+
 */
#ifndef GATEWAY_ENGINE_MESSAGES_H
#define GATEWAY_ENGINE_MESSAGES_H

#include "model/commands.h"
#include "model/events.h"
#include "model/transaction.h"

#define ORIGIN_THREADS_MAX 64
#define ORIGIN_SLOTS_MAX   65536
#define WRITES_AT_ONCE     16 /* an I/O thread shows the engine's thread so many without waiting for its turn's end */

struct origin {
    uint32_t thread, slot, generation, request;
};

static inline uint64_t origin_pack(struct origin origin)
{
    assert(origin.thread < ORIGIN_THREADS_MAX && origin.slot < ORIGIN_SLOTS_MAX);
    assert(origin.generation != 0 && origin.generation >> 24 == 0);
    return (uint64_t)origin.thread << 56 | (uint64_t)origin.slot << 40 | (uint64_t)origin.generation << 16
         | (origin.request & 0xffff);
}

static inline struct origin origin_unpack(uint64_t token)
{
    return (struct origin){ (uint32_t)(token >> 56), (uint32_t)(token >> 40) & 0xffff,
                            (uint32_t)(token >> 16) & 0xffffff, (uint32_t)token & 0xffff };
}

/* A command on its way to the log; the command, its hints (rules/hints.h) and then the signed bytes follow. */
struct write_message {
    uint64_t origin;
    int64_t  sent_ns; /* monotonic; for measurements alone, as in all of these */
    uint32_t command_bytes, signed_bytes;
    uint32_t reply_bytes; /* room kept free in the ring of replies */
    uint8_t  signature[65];
    uint8_t  advance_kind; /* enum advance_kind of an ADVANCE_TIME */
    uint16_t hints_bytes;  /* 0 = none; else a multiple of 8 */
};
static_assert(sizeof(struct write_message) % 8 == 0, "the command behind it is aligned");

/* The outcome; the events that reply_wants follow. */
struct reply_message {
    uint64_t origin;
    int64_t  applied_ns;  /* monotonic */
    uint32_t reply_bytes; /* as in the write */
    uint32_t events_bytes;
    uint16_t is_transaction;
    uint16_t repeated;      /* of an operator command: its id was known, and nothing happened again */
    uint32_t lost;          /* 1: the node does not lead (any more); the one event is a REFUSED with the reject
                             * NO_LEADER (nothing was done) or OUTCOME_UNKNOWN */
    uint64_t           seq; /* of the command in the log; 0 = it is not there */
    struct tx_location place;
};
static_assert(sizeof(struct reply_message) % 8 == 0, "the events behind it are aligned");

/* The origin of a command, kept beside its batch until it is durable: origins are never logged. */
struct reply_route {
    uint64_t origin;
    int64_t  sent_ns;
    uint32_t reply_bytes, reserved;
};

/* Which events of a command are part of its reply. */
static inline bool reply_wants(const struct event *event)
{
    return event->kind == EVENT_RESULT || event->kind == EVENT_REFUSED || event->kind == EVENT_TIME
        || event->kind == EVENT_LEVERAGE;
}
static_assert(sizeof(struct time_advanced) <= sizeof(struct refused), "a command that is refused moves no time");
static_assert(sizeof(struct leverage_changed) <= sizeof(struct refused), "a command that is refused sets no leverage");

/* The largest reply a command can get: its results, or the one event that refuses it. */
static inline uint32_t reply_bytes_max(uint32_t items)
{
    return (uint32_t)(sizeof(struct reply_message) + sizeof(struct refused)
                      + (items == 0 ? 1 : items) * sizeof(struct result));
}
#define REPLY_BYTES_MAX (sizeof(struct reply_message) + sizeof(struct refused) + BATCH_MAX * sizeof(struct result))

#endif
