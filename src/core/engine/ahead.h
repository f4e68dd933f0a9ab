/* SPDX-License-Identifier: MIT */
/*
 * ahead.h — when hints of engine_ahead are used (decision 935).
 *
 * The slot is proved by the account's row; the key depends on the command and the slot alone, so it is right when the
 * hints are of this command: seq says of which they are, and the seal that seq, slot, key and the place of the
 * decoder's hints were written as one.
 */
#ifndef CORE_ENGINE_AHEAD_H
#define CORE_ENGINE_AHEAD_H

#include "core/engine.h"
#include "core/state/state.h"

static inline uint32_t ahead_seal_of(uint64_t seq, uint32_t slot, uint32_t key, const struct hints *hints)
{
    return (slot + 3 * key) ^ (uint32_t)seq ^ (uint32_t)(uintptr_t)hints;
}
static inline uint32_t ahead_seal(const struct engine_ahead *ahead)
{
    return ahead_seal_of(ahead->seq, ahead->slot, ahead->key, ahead->hints);
}

/* Whether the hints are of this command; it has passed the checks of form then, and its domain is one of users. */
static inline bool ahead_is_of(const struct engine_ahead *ahead, const struct command *command)
{
    return ahead->seq == command->seq && ahead->seal == ahead_seal(ahead);
}

/* The hints of the thread that decoded the command, when they are of it; a marked command has no payload that it names.
 */
static inline const struct hints *ahead_hints(const struct hints *hints, const struct command *command)
{
    return hints != NULL && hints_are_of(hints, command) && !command_is_marked(command) ? hints : NULL;
}

#endif
