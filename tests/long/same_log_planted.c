/* SPDX-License-Identifier: MIT */
/*
 * same_log_planted.c — bugs that same_log must notice; the linker puts them between it and the core (--wrap). PLANT
 * chooses: rounding, a build that rounds a notional up; skip, one order is not applied; ahead, prefetching changes
 * something; move, the engine forgets a number when a raise of a limit moves it.
 */
#include "core/engine.h"
#include "core/state/state.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED 40 /* the order that is not applied, counted from the first */

static bool planted(const char *what)
{
    const char *plant = getenv("PLANT");
    return plant != NULL && strcmp(plant, what) == 0;
}

int128_t __real_notional_floor(int64_t price, int64_t quantity, int k);
int128_t __wrap_notional_floor(int64_t price, int64_t quantity, int k);
int128_t __wrap_notional_floor(int64_t price, int64_t quantity, int k)
{
    return planted("rounding") ? notional_ceil(price, quantity, k) : __real_notional_floor(price, quantity, k);
}

void __real_engine_apply(struct engine *engine, const struct command *command, struct events *events);
void __wrap_engine_apply(struct engine *engine, const struct command *command, struct events *events);
void __wrap_engine_apply(struct engine *engine, const struct command *command, struct events *events)
{
    struct {
        struct command head;
        struct tick    tick;
    } idle = { { .bytes = sizeof(idle), .kind = CMD_TICK, .seq = command->seq, .time_ms = command->time_ms }, { 0 } };
    bool            is_order = command->kind == CMD_PLACE_ORDERS || command->kind == CMD_PLACE_PERPS;
    static uint32_t orders;

    orders = (command->seq == 1 ? 0 : orders) + is_order;
    __real_engine_apply(engine, planted("skip") && is_order && orders == SKIPPED ? &idle.head : command, events);
}

void __real_engine_prefetch_far(const struct engine *engine, const struct command *command, const struct hints *hints,
                                struct engine_ahead *ahead);
void __wrap_engine_prefetch_far(const struct engine *engine, const struct command *command, const struct hints *hints,
                                struct engine_ahead *ahead);
void __wrap_engine_prefetch_far(const struct engine *engine, const struct command *command, const struct hints *hints,
                                struct engine_ahead *ahead)
{
    if (planted("ahead")) ((struct engine *)(uintptr_t)engine)->next_order_id += command->seq == 100;
    __real_engine_prefetch_far(engine, command, hints, ahead);
}

struct engine *__real_engine_move(void *memory, const struct engine *from, const struct limits *limits);
struct engine *__wrap_engine_move(void *memory, const struct engine *from, const struct limits *limits);
struct engine *__wrap_engine_move(void *memory, const struct engine *from, const struct limits *limits)
{
    struct engine *moved = __real_engine_move(memory, from, limits);

    if (planted("move")) moved->next_order_id += 1;
    return moved;
}
