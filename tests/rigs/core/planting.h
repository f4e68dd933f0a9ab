/* SPDX-License-Identifier: MIT */
/* planting.h — for tests that plant faults in an engine: engine_verify must stop the process for each. Header only. */
#ifndef RIGS_CORE_PLANTING_H
#define RIGS_CORE_PLANTING_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rigs/core/fixture.h"

struct planted_fault {
    const char *name;
    void (*plant)(struct engine *engine);
};

/* The signal that ended a process of its own which verifies the engine, or 0. */
static inline int verify_in_a_child(struct engine *engine)
{
    int   status = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (freopen("/dev/null", "w", stderr) == NULL) _exit(3);
        alarm(10); /* a list that is a ring ends too */
        engine_verify(engine);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Each fault in an exchange of its own, which was right before. */
static inline void find_planted_faults(const struct planted_fault *faults, size_t count, struct fixture *(*make)(void))
{
    for (size_t i = 0; i < count; i++) {
        struct fixture *f = make();

        assert_int_equal(verify_in_a_child(f->engine), 0);
        faults[i].plant(f->engine);
        if (verify_in_a_child(f->engine) != SIGABRT) fail_msg("not found: %s", faults[i].name);
        fixture_free(f);
    }
}

#endif
