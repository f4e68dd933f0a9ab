/* SPDX-License-Identifier: MIT */
#include "pipeline/verify_state.h"

#include "io/process.h"
#include "io/thread.h"

struct hashing {
    const struct engine *engine;
    struct hash256       state;
};

static void *hash(void *argument)
{
    struct hashing *hashing = argument;

    hashing->state = engine_hash(hashing->engine);
    return NULL;
}

struct hash256 verify_state(const struct engine *engine)
{
    struct hashing hashing = { .engine = engine };
    pthread_t      thread;
    bool           beside = process_cores(0) > 1 && thread_start(&thread, "hash", hash, &hashing) == 0;

    engine_verify(engine);
    if (beside) thread_join(thread);
    else (void)hash(&hashing);
    return hashing.state;
}
