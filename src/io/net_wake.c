/* SPDX-License-Identifier: MIT */
/* net_wake.c — what other loops use of one: its clock, and how it is woken. */
#include "io/net_inside.h"

void net_wake(struct net *net)
{
    if (atomic_exchange_explicit(&net->wakeup_state, WAKEUP_SENT, memory_order_acq_rel) == WAKEUP_ASLEEP)
        (void)uv_async_send(&net->wakeup);
}

int64_t net_now_ms(const struct net *net) { return (int64_t)uv_now(&net->loop); }
