/* SPDX-License-Identifier: MIT */
/*
 * expect.c — reading ahead. A command needs a handful of cache lines that depend on each other:
 * account → nonces, client id → table → order → its neighbours. Each step is asked for while other
 * commands are being applied, one step further at each distance. Nothing here changes state; a
 * command that is not as expected by then costs a useless load and nothing else.
 */
#include "core/account.h"
#include "core/order.h"

#define FETCH(address) __builtin_prefetch((const void *)(address), 1, 3)

struct head { uint64_t account_id; uint32_t count, reserved; };

/* The account the command names, or that of the signer; 0 when neither is known. */
static uint32_t account_of(const struct engine *e, const struct command *command)
{
    const struct head *head = command_payload(command);
    return head->account_id != 0 ? account_find(e, head->account_id) : account_find_owner(e, &command->signer);
}

/* The client id by which the first item names its order; NULL when it uses the order's number. */
static const struct client_id *client_id_of(const struct command *command)
{
    const struct place_orders   *place = command_payload(command);
    const struct cancel_orders  *cancel = command_payload(command);
    const struct replace_orders *replace = command_payload(command);

    switch (command->kind) {
    case CMD_PLACE_ORDERS:   return &place->items[0].client_id;
    case CMD_CANCEL_ORDERS:  return cancel->items[0].order_id != 0 ? NULL
                                  : cancel->items[0].orig_client_id.len != 0 ? &cancel->items[0].orig_client_id
                                                                             : &cancel->items[0].client_id;
    case CMD_REPLACE_ORDERS: return replace->items[0].orig_order_id != 0 ? NULL : &replace->items[0].orig_client_id;
    default:                 return NULL;
    }
}

static void fetch_order(const struct order *order)
{
    FETCH(order);
    FETCH((const char *)order + 64);
}

/* Account row and the home of the client id. */
static void expect_far(const struct engine *e, uint32_t slot, const struct client_id *client_id)
{
    FETCH(account_at(e, slot));
    FETCH((const char *)account_at(e, slot) + 64);
    if (client_id != NULL)
        FETCH(engine_client_table(e) + table_home(order_client_key(e, slot, client_id), e->order_table_size));
}

/* The order an entry of the client table points to: its key is compared, not the text. */
static uint32_t likely_order(const struct engine *e, uint32_t slot, const struct client_id *client_id)
{
    const struct table_entry *table = engine_client_table(e);
    uint32_t                  key = order_client_key(e, slot, client_id);

    TABLE_EACH(at, table, e->order_table_size, key) return table[at].ix;
    return 0;
}

static void expect_near(const struct engine *e, const struct command *command, uint32_t slot, uint32_t order_ix)
{
    const struct account *account = account_at(e, slot);

    if (command->domain >= DOMAIN_SPOT && command->domain <= DOMAIN_UNIVERSAL)
        FETCH(engine_nonces(e) + account->nonces[command->domain - 1]);
    if (order_ix != 0) fetch_order(order_at(e, order_ix));
    else if (account->order_tail != 0) FETCH(order_at(e, account->order_tail));
}

static void expect_next(const struct engine *e, const struct command *command, uint32_t slot, uint32_t order_ix)
{
    const struct order     *order = order_at(e, order_ix);
    const struct nonce_set *set = engine_nonces(e);

    if (command->domain >= DOMAIN_SPOT && command->domain <= DOMAIN_UNIVERSAL) {
        set += account_at(e, slot)->nonces[command->domain - 1];
        FETCH(&set->entries[(set->start + set->count) % NONCES_MAX]);
    }
    if (order_ix == 0) return;
    if (order->next != 0) FETCH(order_at(e, order->next));
    if (order->prev != 0) FETCH(order_at(e, order->prev));
    if (order->account_next != 0) FETCH(order_at(e, order->account_next));
    if (order->account_prev != 0) FETCH(order_at(e, order->account_prev));
    FETCH(level_at(e, order->level));
    FETCH(engine_order_table(e) + table_home(table_key_u64(order->id), e->order_table_size));
}

void engine_expect(const struct engine *e, const struct command *command, enum engine_distance distance)
{
    const struct client_id *client_id;
    uint32_t                slot, order_ix;

    if (command->kind < CMD_PLACE_ORDERS || command->kind > CMD_REPLACE_ORDERS) return;
    if (command->bytes < sizeof(*command) + sizeof(struct cancel_orders) - (BATCH_MAX - 1) * sizeof(struct cancel_order)) return;
    if ((slot = account_of(e, command)) == 0) return;
    client_id = client_id_of(command);
    if (distance == EXPECT_FAR) { expect_far(e, slot, client_id); return; }
    order_ix = client_id == NULL ? 0 : likely_order(e, slot, client_id);
    if (distance == EXPECT_NEAR) expect_near(e, command, slot, order_ix);
    else                         expect_next(e, command, slot, order_ix);
}
