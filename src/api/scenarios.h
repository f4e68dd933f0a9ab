/* SPDX-License-Identifier: MIT */
/*
 * scenarios.h — the scenario that plays in a development exchange, or that played there last, for the methods of /rpc.
 * Another process plays it (app/stage.h); here is what it said. Any thread may call any function.
 */
#ifndef API_SCENARIOS_H
#define API_SCENARIOS_H

#include "base/out.h"

#include <pthread.h>
#include <stdatomic.h>

#define SCENARIO_LINES_BYTES (128 * 1024) /* of JSON; later lines are left out */
#define SCENARIO_NAME_MAX    48

enum scenario_state { SCENARIO_NONE, SCENARIO_PLAYING, SCENARIO_PASSED, SCENARIO_FAILED, SCENARIO_STOPPED };

/* What the owner knows and does. */
struct scenario_means {
    void *self;
    /* All scenarios of the program as a JSON array. */
    void (*list)(struct out *out);
    /* The number of a scenario, and whether it plays only in an exchange of its own; false: there is none. */
    bool (*find)(struct slice name, uint32_t *number, bool *is_own);
    /* Begins one, or ends the one that plays. False: the process that plays is gone. */
    bool (*start)(void *self, uint32_t number, bool is_own);
    bool (*stop)(void *self);
};

struct scenarios {
    const struct scenario_means *means;
    _Atomic uint32_t             plays_here; /* 1: in this exchange, now */
    pthread_mutex_t              lock;       /* of what follows */
    enum scenario_state          state;
    uint64_t                     id; /* of the run, from 1 */
    bool                         is_own, is_stopping, is_cut;
    int64_t                      now_ms; /* of the scenario */
    char                         name[SCENARIO_NAME_MAX + 1];
    uint32_t                     len;
    char                         lines[SCENARIO_LINES_BYTES]; /* JSON objects with commas between them */
};

void scenarios_init(struct scenarios *scenarios, const struct scenario_means *means);
void scenarios_deinit(struct scenarios *scenarios);

enum scenario_begin { SCENARIO_BEGUN, SCENARIO_UNKNOWN, SCENARIO_BUSY, SCENARIO_NO_PLAYER };
/* Starts one by its name. `own`: in an exchange of its own, also when it could play in this one. */
enum scenario_begin scenarios_start(struct scenarios *scenarios, struct slice name, bool own) MUST_USE;
/* False: none plays. It ends soon after. */
bool scenarios_stop(struct scenarios *scenarios);
/* Whether one plays, also one that was stopped and has not ended yet. */
bool scenarios_busy(struct scenarios *scenarios) MUST_USE;
/* The state of the last run as a JSON object; null when there was none. */
void scenarios_write(struct scenarios *scenarios, struct out *out);

/* From the process that plays: a line of JSON; how far it is; and how it ended. */
void scenarios_line(struct scenarios *scenarios, struct slice json);
void scenarios_now(struct scenarios *scenarios, int64_t now_ms);
void scenarios_ended(struct scenarios *scenarios, int64_t exit_code);

/* A scenario plays in this exchange: requests from this machine are not counted (decision 629). */
static inline bool scenarios_play(const struct scenarios *scenarios)
{
    return scenarios != NULL && atomic_load_explicit(&scenarios->plays_here, memory_order_relaxed) != 0;
}

#endif
