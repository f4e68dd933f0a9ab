/* SPDX-License-Identifier: MIT */
#include "core/account.h"
#include "core/nonce.h"
#include "core/order.h"

/*
 * Where the memory is that a command will touch. Everything here is a guess about the state in which the
 * command will find the engine: a wrong one costs a cache line and nothing else. What is read of a command
 * is within command.bytes, and what it says is used as an index only after it was found in range.
 */

#define ITEMS_AT offsetof(struct place_orders, items)
static_assert(offsetof(struct cancel_orders, items) == ITEMS_AT, "same head");
static_assert(offsetof(struct replace_orders, items) == ITEMS_AT, "same head");

/* Bytes of a batch's item, and where in it the client id is that turn->client_key is made of; by command kind. */
static const struct { uint16_t item_bytes, client_id_at; } batches[] = {
    [CMD_PLACE_ORDERS]   = { sizeof(struct new_order),     offsetof(struct new_order, client_id) },
    [CMD_CANCEL_ORDERS]  = { sizeof(struct cancel_order),  offsetof(struct cancel_order, client_id) },
    [CMD_REPLACE_ORDERS] = { sizeof(struct replace_order), offsetof(struct replace_order, client_id) },
};

/* The first item's client id, or NULL when this is no batch or too short for one; from there on the engine itself looks ahead. */
static const struct client_id *first_client_id(const struct command *command)
{
    const uint8_t *payload = command_payload(command);

    if (command->kind >= ARRAY_COUNT(batches) || batches[command->kind].item_bytes == 0) return NULL;
    if (command->bytes < sizeof(*command) + ITEMS_AT + batches[command->kind].item_bytes) return NULL;
    return (const struct client_id *)(const void *)(payload + ITEMS_AT + batches[command->kind].client_id_at);
}

static uint32_t account_of(const struct engine *e, const struct command *command)
{
    const struct place_orders *payload = command_payload(command);         /* every batch begins with the account */

    return payload->account_id == 0 ? account_find_owner(e, &command->signer) : account_find(e, payload->account_id);
}

void engine_expect_far(const struct engine *e, const struct command *command)
{
    const struct client_id *client_id = first_client_id(command);
    uint32_t                slot = client_id == NULL ? 0 : account_of(e, command);

    if (slot == 0) return;
    FETCH(account_at(e, slot));
    FETCH(account_buckets(account_at(e, slot)));
    table_expect(engine_client_table(e), e->order_table_size, order_key(e, slot, client_id));
}

/* The order that the key leads to first; whether it is really the one that is meant is not worth a look. */
static void expect_order(const struct engine *e, uint32_t key)
{
    const struct table_entry *table = engine_client_table(e);

    TABLE_EACH(at, table, e->order_table_size, key) {
        FETCH(order_at(e, table[at].ix));
        FETCH(&order_at(e, table[at].ix)->client_id);
        return;
    }
}

void engine_expect_near(const struct engine *e, const struct command *command)
{
    const struct client_id *client_id = first_client_id(command);
    uint32_t                slot = client_id == NULL ? 0 : account_of(e, command);

    if (slot == 0) return;
    if (command->domain >= DOMAIN_SPOT && command->domain <= DOMAIN_UNIVERSAL) nonce_expect(e, &account_at(e, slot)->signer, command->domain);
    if (command->kind == CMD_PLACE_ORDERS) FETCH(order_at(e, account_at(e, slot)->order_tail));
    else                                   expect_order(e, order_key(e, slot, client_id));
}
