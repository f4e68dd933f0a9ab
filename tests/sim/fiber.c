/* SPDX-License-Identifier: MIT */
/* fiber.c — the threads of the simulated server: one runs at a time, and the random numbers choose it. */
#include "world.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define FIBERS      16
#define STACK_BYTES (4 * 1024 * 1024)

struct fiber {
    ucontext_t context;
    void      *stack; /* kept for the next life */
    void (*run)(void *);
    void                   *argument;
    bool                    used, done;
    const _Atomic uint32_t *flag;     /* waits while it is not zero; NULL: only for … */
    int64_t                 until_ns; /* … the time; 0 = it can run */
};

static struct fiber fibers[FIBERS];
static ucontext_t   scheduler;
static int          current = -1;

bool fiber_here(void) { return current >= 0; }
int  fiber_number(void) { return current + 1; }

static void begin(void)
{
    fibers[current].run(fibers[current].argument);
    fibers[current].done = true;
    for (;;) (void)swapcontext(&fibers[current].context, &scheduler);
}

/* A function of its own, because getcontext returns more than once
   for the compiler: gcc 14 warns of locals beside it. */
__attribute__((noinline)) static void prepare(struct fiber *fiber)
{
    (void)getcontext(&fiber->context);
    fiber->context.uc_stack = (stack_t){ .ss_sp = fiber->stack, .ss_size = STACK_BYTES };
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, begin, 0);
}

int fiber_start(void (*run)(void *), void *argument)
{
    int number = 0;

    while (number < FIBERS && fibers[number].used) number++;
    assert(number < FIBERS);
    struct fiber *fiber = &fibers[number];
    if (fiber->stack == NULL)
        fiber->stack =
            mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(fiber->stack != MAP_FAILED);
    fiber->run = run;
    fiber->argument = argument;
    fiber->used = true;
    fiber->done = false;
    fiber->flag = NULL;
    fiber->until_ns = 0;
    prepare(fiber);
    return number;
}

bool fiber_is_done(int number) { return fibers[number].done; }

static void wait_aside(void)
{
    int me = current;

    (void)swapcontext(&fibers[me].context, &scheduler);
}

void fiber_yield(void)
{
    fibers[current].until_ns = 0;
    wait_aside();
}

void fiber_wait(const _Atomic uint32_t *flag, int64_t until_ns)
{
    fibers[current].flag = flag;
    fibers[current].until_ns = until_ns > 0 ? until_ns : 1;
    wait_aside();
    fibers[current].flag = NULL;
    fibers[current].until_ns = 0;
}

void fiber_maybe_yield(uint32_t one_in)
{
    if (fiber_here() && world_chance(one_in)) fiber_yield();
}

void fiber_end_life(enum world_end how, int code)
{
    world.ended = how;
    world.exit_code = code;
    world_note((uint64_t)how << 32 | (uint32_t)code);
    for (;;) wait_aside(); /* the scheduler does not resume a life that has ended */
}

static bool can_run(const struct fiber *fiber)
{
    if (!fiber->used || fiber->done) return false;
    return fiber->until_ns == 0 || world.mono_ns >= fiber->until_ns || (fiber->flag != NULL && *fiber->flag == 0);
}

bool fiber_turn(int64_t *wake_ns)
{
    int      able[FIBERS];
    uint32_t count = 0;

    *wake_ns = INT64_MAX;
    for (int i = 0; i < FIBERS; i++) {
        if (can_run(&fibers[i])) able[count++] = i;
        else if (fibers[i].used && !fibers[i].done) *wake_ns = min_i64(*wake_ns, fibers[i].until_ns);
    }
    if (count == 0) return false;
    current = able[world_random(count)];
    world_note((uint64_t)current);
    (void)swapcontext(&scheduler, &fibers[current].context);
    current = -1;
    return true;
}

void fiber_clear(void)
{
    for (int i = 0; i < FIBERS; i++) fibers[i].used = false;
}
