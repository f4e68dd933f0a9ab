/* SPDX-License-Identifier: MIT */
#include "pipeline/held.h"

#include "io/files.h"

/* Memory for the limits of a genesis; on failure held stays as it is. */
static bool take(struct held *held, const struct genesis *genesis)
{
    struct events events = { .cap = engine_events_bytes(genesis) };
    void         *memory = files_take_memory(engine_size(genesis));

    events.at = files_take_memory(events.cap);
    if (events.at != NULL && memory != NULL) {
        held->events = events;
        held->memory = memory;
        return true;
    }
    if (events.at != NULL) files_give_memory(events.at, events.cap);
    if (memory != NULL) files_give_memory(memory, engine_size(genesis));
    return false;
}

bool held_open(struct held *held, const struct genesis *genesis)
{
    memset(held, 0, sizeof(*held));
    if (!take(held, genesis)) return false;
    held->room = *genesis;
    held->engine = engine_init(held->memory, &held->room, &held->events);
    return true;
}

/* On failure the engine stays where it is. A genesis is too large for a stack: its limits alone are kept. */
static bool grow(struct held *held, const struct limits *limits)
{
    struct limits  before = held->room.limits;
    struct events  events = held->events;
    struct engine *engine = held->engine;
    void          *memory = held->memory;
    size_t         bytes = engine_size(&held->room);

    held->room.limits = *limits;
    if (!take(held, &held->room)) {
        held->room.limits = before;
        return false;
    }
    held->engine = engine_move(held->memory, engine, limits);
    files_give_memory(events.at, events.cap);
    files_give_memory(memory, bytes);
    return true;
}

bool held_apply(struct held *held, const struct command *command)
{
    struct limits limits;

    if (engine_raises(held->engine, command, &limits) && !grow(held, &limits)) return false;
    held->events.len = 0;
    engine_apply(held->engine, command, &held->events);
    return true;
}

void held_close(struct held *held)
{
    if (held->engine != NULL) {
        files_give_memory(held->events.at, held->events.cap);
        files_give_memory(held->memory, engine_size(&held->room));
    }
    memset(held, 0, sizeof(*held));
}
