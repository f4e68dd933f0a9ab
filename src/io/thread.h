/* SPDX-License-Identifier: MIT */
/*
 * thread.h — threads, and parking of a thread that has nothing to do.
 *
 * The owner of a park sleeps in it; any thread may wake it. While the owner is busy, waking it is one atomic exchange
 * and no system call. Use:
 *
 *     owner                                      others
 *     if (look for work) continue;               publish work;
 *     park_prepare(&park);                       park_wake(&park);
 *     if (look for work) park_cancel(&park);
 *     else               park_wait(&park, timeout);
 *
 * The second look makes this safe: it sees work published before park_prepare, and work published later finds the flag
 * and wakes the owner.
 *
 * Waking a thread on another core costs the waker microseconds, many in a virtual machine. An owner that will soon
 * look for work anyway dozes: it calls park_doze in place of park_prepare, with a short timeout. Then park_nudge does
 * not wake it, and park_wake does.
 */
#ifndef IO_THREAD_H
#define IO_THREAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct park {
    _Alignas(
        64) _Atomic uint32_t sleeping; /* enum park_sleep, from park_prepare or park_doze until woken or cancelled */
};

enum park_sleep { PARK_AWAKE = 0, PARK_ASLEEP = 1, PARK_DOZING = 2 }; /* bits */

void park_init(struct park *park);    /* before any thread uses it: the owner is awake */
void park_prepare(struct park *park); /* owner: about to sleep; park_wake and park_nudge wake it */
void park_doze(struct park *park);    /* owner: about to sleep; only park_wake wakes it */
void park_cancel(struct park *park);  /* owner: stays awake after all */
/* Owner: sleeps until park_wake or the timeout (nanoseconds, INT64_MAX = none); may return early. */
void park_wait(struct park *park, int64_t timeout_ns);
void park_wake(struct park *park);  /* any thread: wakes the owner */
void park_nudge(struct park *park); /* any thread: wakes it unless it dozes */

/*
 * For the start of a program: stacks do not depend on what `ulimit -s` was. Every thread that is started later, by a
 * library too, has THREAD_STACK_BYTES, and the main thread's own grows to as many, or to what the hard limit permits.
 * Gives the bytes to which it grows.
 */
#define THREAD_STACK_BYTES ((uint64_t)2 << 20)
uint64_t thread_set_stacks(void);

/* Starts a thread with a name that top(1) shows; all signals are blocked
   in it. It runs and bears its name on return. 0 or errno. */
int  thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument) MUST_USE;
void thread_join(pthread_t thread);
/*
 * Sets the calling thread's nice value to 10: beside one busy thread of normal priority it gets about a tenth of a
 * core.
 */
void thread_stand_back(void);
/*
 * For a thread that has called thread_stand_back. true: nice 19, about a seventieth of a core beside one busy thread.
 * false: nice 10 again, which works only where thread_may_rise was true before. The smaller a thread's share, the less
 * the scheduler owes it when it wakes, and the shorter other threads wait for it.
 */
void thread_stand_far_back(bool far);
/* Whether the calling thread is permitted a higher priority than it has. */
bool thread_may_rise(void) MUST_USE;
/* It runs only where a processor has nothing else to do (SCHED_IDLE); there is no way back without privileges. */
void thread_stand_last(void);
/*
 * Around a lock that a thread with a higher priority takes too (a priority ceiling, decision 167). Whoever is preempted
 * while it has the lock makes that thread wait for its own next turn on a core. So a thread that stands back has nice 0
 * between the two, where that is permitted. Nothing for a thread that does not stand back. Not nested.
 */
void thread_ceiling_begin(void);
void thread_ceiling_end(void);
/*
 * Raises the priority above other processes where that is permitted (root, CAP_SYS_NICE, RLIMIT_NICE). A thread that
 * preempts has its core at once when it wakes: it need not wait for the end of the running one's slice (Linux 6.12 and
 * later, without privileges). One that does not preempts threads of SCHED_IDLE alone (SCHED_BATCH, sched(7)): it has
 * its core when the running one sleeps or has used its slice.
 */
void thread_stand_forward(bool preempts);
void thread_sleep_ms(int64_t ms);
/* Between two looks of a thread that polls. */
void thread_relax(void);

#endif
