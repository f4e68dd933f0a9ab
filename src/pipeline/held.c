/* SPDX-License-Identifier: MIT */
#include "pipeline/held.h"

#include "io/files.h"

/* Memory for the limits of held->room. */
static bool take(struct held *held)
{
    held->events = (struct events){ .cap = engine_events_bytes(&held->room) };
    held->events.at = files_take_memory(held->events.cap);
    held->memory = files_take_memory(engine_size(&held->room));
    return held->events.at != NULL && held->memory != NULL;
}

static void give(const struct held *held)
{
    if (held->events.at != NULL) files_give_memory(held->events.at, held->events.cap);
    if (held->memory != NULL) files_give_memory(held->memory, engine_size(&held->room));
}

bool held_open(struct held *held, const struct genesis *genesis)
{
    *held = (struct held){ .room = *genesis };
    if (!take(held)) return false;
    held->engine = engine_init(held->memory, &held->room, &held->events);
    return true;
}

/* On failure the engine stays where it is. */
static bool grow(struct held *held, const struct limits *limits)
{
    struct held old = *held;

    held->room.limits = *limits;
    if (!take(held)) {
        give(held);
        *held = old;
        return false;
    }
    held->engine = engine_move(held->memory, old.engine, limits);
    give(&old);
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
    give(held);
    *held = (struct held){ 0 };
}
