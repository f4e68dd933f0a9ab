/* SPDX-License-Identifier: MIT */
/* library.h — what stands behind the opaque types of dojima/engine.h, and the casts between its structs and ours.
   Inside the room, and for libdojima_market, only. */
#ifndef LIBRARY_LIBRARY_H
#define LIBRARY_LIBRARY_H

#define DOJIMA_API __attribute__((visibility("default")))
#include "dojima/engine.h"

#include "model/events.h"
#include "model/genesis.h"

struct engine;

struct dojima_genesis {
    struct genesis genesis;
    uint64_t       mark; /* of all that it says */
};

/* The head of an engine's memory; the core's engine follows. */
struct dojima_engine {
    const struct dojima_genesis *genesis;      /* the caller's */
    size_t                       events_bytes; /* room that a call must find */
    size_t                       bytes;
    uint64_t                     mark;         /* of the layout */
    uint64_t                     genesis_mark; /* of what it was made from */
    uint64_t                     reserved[3];
};
static_assert(sizeof(struct dojima_engine) == DOJIMA_ALIGN, "the engine behind it is aligned");

static inline struct engine       *engine_of(struct dojima_engine *engine) { return (void *)(engine + 1); }
static inline const struct engine *engine_in(const struct dojima_engine *engine) { return (const void *)(engine + 1); }

/* The structs have one layout (layout.c); -fno-strict-aliasing makes either name good. */
static inline struct command       *command_of(struct dojima_command *command) { return (void *)command; }
static inline const struct command *command_in(const struct dojima_command *command) { return (const void *)command; }
static inline struct events        *events_of(struct dojima_events *events) { return (void *)events; }

static inline bool events_fit(const struct dojima_events *events, size_t bytes)
{
    return events != NULL && events->at != NULL && (uintptr_t)events->at % 8 == 0 && events->bytes % 8 == 0
        && events->room >= bytes && events->bytes <= events->room - bytes;
}

#endif
