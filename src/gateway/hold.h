/* SPDX-License-Identifier: MIT */
/*
 * hold.h — the other threads stand still for a while, at a place where each has nothing under way: development, when
 * the engine's thread puts another state in the place of what they read.
 *
 *     others                                   the engine's thread
 *     hold_here(&hold), often                  hold_all(&hold, how many they are, wake, self);
 *                                              … they stand in hold_here …
 *                                              hold_release(&hold);
 */
#ifndef GATEWAY_HOLD_H
#define GATEWAY_HOLD_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct hold {
    pthread_mutex_t  lock;
    pthread_cond_t   changed;
    _Atomic uint32_t asked;
    uint32_t         held; /* threads that stand */
};

void hold_init(struct hold *hold);

/* Waits while it is asked to. NULL: never. */
void hold_here(struct hold *hold);

/* Returns when `count` threads stand; `wake` makes each come to hold_here soon. */
void hold_all(struct hold *hold, uint32_t count, void (*wake)(void *self), void *self);

/* They go on; returns when all have left. */
void hold_release(struct hold *hold);

#endif
