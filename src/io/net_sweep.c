/* SPDX-License-Identifier: MIT */
/* net_sweep.c — what time brings: deadlines, peers that do not read, connections that have to go. */
#include "io/net_inside.h"

/*
 * The kernel holds as much for a peer as it may, and more waits here. In NET_BEHIND_MS the peer has to read what the
 * kernel holds; else answers are unread for that long, and it is reset (ruling 76).
 */
static void look_behind(struct slot *slot, int64_t now_ms)
{
    if (slot->waiting == 0) {
        slot->behind_ms = 0;
        return;
    }
    if (slot->behind_ms != 0 && now_ms - slot->behind_ms < NET_BEHIND_MS) return;
    if (slot->behind_ms != 0 && slot->taken - slot->marked < slot->net->listener->place.send_bytes) {
        listener_counts_reset(slot->net->listener);
        slot_reset(slot);
        return;
    }
    slot->behind_ms = now_ms;
    slot->marked = slot->taken;
}

void net_sweep(uv_timer_t *timer)
{
    struct net *net = timer->data;
    int64_t     now_ms = net_now_ms(net);

    for (uint32_t i = 0; i < net->open_count; i++) {
        struct slot *slot = &net->slots[net->open[i]];
        if (slot->state == SLOT_CLOSING) continue;
        look_behind(slot, now_ms);
        if (now_ms < slot->conn.deadline_ms || slot->state == SLOT_CLOSING) continue;
        slot->conn.deadline_ms = INT64_MAX;
        if (slot->state == SLOT_OPEN) net->owner.expired(net->owner.self, &slot->conn);
        else if (slot->waiting != 0) slot_reset(slot);
        else slot_close(slot);
    }
    net->owner.swept(net->owner.self);
}

void net_dismiss(struct net *net)
{
    (void)atomic_exchange_explicit(&net->dismissals, 0, memory_order_acquire);
    for (uint32_t i = 0; i < net->open_count; i++) {
        struct slot *slot = &net->slots[net->open[i]];
        if (atomic_load_explicit(&listener_entry(net->listener, slot->entry)->must_close, memory_order_acquire) == 0)
            continue;
        if (slot->waiting != 0) slot_reset(slot);
        else slot_close(slot);
    }
}
