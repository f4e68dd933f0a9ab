/* SPDX-License-Identifier: MIT */
#include "gateway/hold.h"

void hold_init(struct hold *hold)
{
    *hold = (struct hold){ 0 };
    pthread_mutex_init(&hold->lock, NULL);
    pthread_cond_init(&hold->changed, NULL);
}

static bool is_asked(struct hold *hold) { return atomic_load_explicit(&hold->asked, memory_order_acquire) != 0; }

void hold_here(struct hold *hold)
{
    if (hold == NULL || !is_asked(hold)) return;
    pthread_mutex_lock(&hold->lock);
    hold->held += 1;
    pthread_cond_broadcast(&hold->changed);
    while (is_asked(hold)) pthread_cond_wait(&hold->changed, &hold->lock);
    hold->held -= 1;
    pthread_cond_broadcast(&hold->changed);
    pthread_mutex_unlock(&hold->lock);
}

void hold_all(struct hold *hold, uint32_t count, void (*wake)(void *self), void *self)
{
    assert(!is_asked(hold) && hold->held == 0);
    atomic_store_explicit(&hold->asked, 1, memory_order_release);
    wake(self);
    pthread_mutex_lock(&hold->lock);
    while (hold->held < count) pthread_cond_wait(&hold->changed, &hold->lock);
    pthread_mutex_unlock(&hold->lock);
}

void hold_release(struct hold *hold)
{
    pthread_mutex_lock(&hold->lock);
    atomic_store_explicit(&hold->asked, 0, memory_order_release);
    pthread_cond_broadcast(&hold->changed);
    while (hold->held != 0) pthread_cond_wait(&hold->changed, &hold->lock);
    pthread_mutex_unlock(&hold->lock);
}
