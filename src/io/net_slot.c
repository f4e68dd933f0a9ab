/* SPDX-License-Identifier: MIT */
/* net_slot.c — the end of a connection: its slot is free once the loop has forgotten it. */
#include "io/net_inside.h"

#include "io/files.h"

#include <unistd.h>

/* Returns the pages, so that connections that come and go cannot grow every buffer to its maximum. */
static void give_back(const struct net *net, char *buffer, size_t cap)
{
    if (cap > net->kept) files_forget_memory(buffer + net->kept, cap - net->kept);
}

static void on_closed(uv_handle_t *handle)
{
    struct slot *slot = handle->data;
    struct net  *net = slot->net;
    uint32_t     last;

    listener_release(net->listener, slot->entry);
    net->owner.closed(net->owner.self, &slot->conn);
    if (slot->big_output) give_back(net, slot->conn.output.at, slot->conn.output.cap);
    if (slot->big_input) give_back(net, slot->conn.input, slot->conn.input_cap);
    last = net->open[--net->open_count];
    net->open[slot->order] = last;
    net->slots[last].order = slot->order;
    net->free[net->free_count++] = slot->conn.slot;
    slot->state = SLOT_FREE;
    if (net->open_count == 0) (void)uv_timer_stop(&net->sweep);
}

void slot_reset(struct slot *slot)
{
    const struct linger now = { .l_onoff = 1 };

    if (slot->state == SLOT_CLOSING) return;
    (void)setsockopt(slot->handle, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    slot_close(slot);
}

void slot_close(struct slot *slot)
{
    if (slot->state == SLOT_CLOSING) return;
    slot->state = SLOT_CLOSING;
    slot->conn.closing = true;
    slot->net->unsent -= slot->waiting;
    slot->waiting = 0;
    uv_close((uv_handle_t *)&slot->poll, on_closed);
    (void)close(slot->handle);
}
