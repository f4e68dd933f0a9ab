/* SPDX-License-Identifier: MIT */
/*
 * lone.h — a command with one item: the events that it tells first, and what is known of it before it runs, when its
 * hints are right.
 */
#ifndef CORE_STATE_LONE_H
#define CORE_STATE_LONE_H

#include "core/state/state.h"
#include "rules/hints.h"

struct first_events {
    struct command_began began;
    struct result        result;
};

static ALWAYS_INLINE void first_write_began(struct command_began *event, const struct command *command,
                                            uint32_t account_id)
{
    static_assert(offsetof(struct command, time_ms) - offsetof(struct command, seq)
                      == offsetof(struct command_began, time_ms) - offsetof(struct command_began, seq),
                  "copied as one");

    event->head = EVENT_HEAD(COMMAND_BEGAN, command_began, command->market);
    memcpy(&event->seq, &command->seq, sizeof(event->seq) + sizeof(event->time_ms));
    event->origin = command->origin;
    event_word(event, offsetof(struct command_began, command_kind), command->kind | (uint64_t)account_id << 32);
}

/* The RESULT of the first item, accepted and without what becomes of it; `client_id`: the item's own. */
static ALWAYS_INLINE void first_write_result(struct result *event, uint8_t market, const struct client_id *client_id)
{
    event->head = EVENT_HEAD(RESULT, result, market);
    memset(&event->index, 0, offsetof(struct result, client_id) - offsetof(struct result, index));
    if (client_id->len <= CLIENT_ID_MAX) event->client_id = *client_id;
    else memset(&event->client_id, 0, sizeof(event->client_id));
    memset(&event->orig_client_id, 0, sizeof(*event) - offsetof(struct result, orig_client_id));
}

/*
 * An item that is all of its command, whose account and nonce are proved, and whose rules of payload and symbol hints
 * vouch for (decision 941). `order` and `level` are what the looks ahead found, any number.
 */
struct lone {
    const struct command   *command;
    const struct item_hint *hint;
    struct account         *account;
    uint32_t                slot, key, order, level;
    bool                    near; /* the near look was made */
};

/* Writes its first events: it was accepted, and this is what became of its order. */
static ALWAYS_INLINE void lone_write(struct first_events *events, const struct lone *lone, uint8_t market,
                                     const struct client_id *client_id, const struct order *order, uint8_t status)
{
    first_write_began(&events->began, lone->command, lone->slot - SLOT_USERS + (uint32_t)ACCOUNT_FIRST);
    first_write_result(&events->result, market, client_id);
    events->result.order_id = order->id;
    events->result.status = status;
}

#endif
