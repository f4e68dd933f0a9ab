/* SPDX-License-Identifier: MIT */
#include "rules/hints.h"

#include "base/keccak.h"
#include "model/payload.h"
#include "rules/client_key.h"
#include "rules/order.h"

void client_key_seed(const struct genesis *genesis, uint64_t seed[2])
{
    uint64_t       material[CHAIN_IDS_MAX + 3];
    bool           is_secret = (genesis->table_secret[0] | genesis->table_secret[1]) != 0;
    struct hash256 hash;

    memcpy(material, genesis->chain_ids, sizeof(genesis->chain_ids));
    material[CHAIN_IDS_MAX] = (uint64_t)genesis->time_ms;
    memcpy(material + CHAIN_IDS_MAX + 1, genesis->table_secret, sizeof(genesis->table_secret));
    hash = keccak256(material, sizeof(material) - (is_secret ? 0 : sizeof(genesis->table_secret)));
    memcpy(seed, hash.bytes, 2 * sizeof(*seed));
}

static int64_t value_unit(const struct genesis *genesis, const struct symbol *symbol)
{
    int power = symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]);

    return power >= 0 ? pow10_i64(power) : 0;
}

void hint_tables_make(const struct genesis *genesis, struct hint_tables *tables)
{
    *tables = (struct hint_tables){ .genesis = genesis };
    client_key_seed(genesis, tables->seed);
    for (uint32_t i = 0; i < genesis->spot_count; i++) tables->value_unit[i] = value_unit(genesis, &genesis->spot[i]);
    for (uint32_t i = 0; i < genesis->perps_count; i++)
        tables->value_unit[SYMBOLS_MAX + i] = value_unit(genesis, &genesis->perps[i]);
}

/* Price, quantity and value of a limit order in a symbol of one side (spot place rules 5 to 8). */
static bool limit_passes(const struct symbol *symbol, int64_t unit, struct decimal price, struct decimal quantity,
                         struct item_hint *hint)
{
    return decimal_to_units(price, (int)symbol->price_precision, PRICE_MAX, &hint->price)
        && decimal_to_units(quantity, (int)symbol->quantity_precision, QUANTITY_MAX, &hint->quantity)
        && order_price_rule(symbol, hint->price) == REJECT_NONE
        && order_quantity_rule(symbol, hint->quantity) == REJECT_NONE
        && order_value_passes(symbol, unit, hint->price, hint->quantity);
}

static bool spot_passes(const struct hint_tables *tables, const struct new_order *order, struct item_hint *hint)
{
    uint64_t at = order->symbol_id - 1;

    return order->type == TYPE_LIMIT && payload_new_order(order) == REJECT_NONE && at < tables->genesis->spot_count
        && limit_passes(&tables->genesis->spot[at], tables->value_unit[at], order->price, order->quantity, hint);
}

static bool perps_passes(const struct hint_tables *tables, uint64_t symbol_id, const struct perps_order *order,
                         struct item_hint *hint)
{
    uint64_t at = symbol_id - 1;

    return order->type == TYPE_LIMIT && !payload_is_stop(order) && payload_perps_order(order) == REJECT_NONE
        && at < tables->genesis->perps_count
        && limit_passes(&tables->genesis->perps[at], tables->value_unit[SYMBOLS_MAX + at], order->price,
                        order->quantity, hint);
}

static bool item_passes(const struct hint_tables *tables, const struct command *command, const void *item,
                        struct item_hint *hint)
{
    switch (command->kind) {
    case CMD_PLACE_ORDERS: return spot_passes(tables, item, hint);
    case CMD_PLACE_PERPS:
        return perps_passes(tables, ((const struct place_perps *)command_payload(command))->symbol_id, item, hint);
    case CMD_CANCEL_ORDERS: return payload_cancel_order(item) == REJECT_NONE;
    case CMD_CANCEL_PERPS: return payload_perps_cancel(item) == REJECT_NONE;
    default: return false;
    }
}

/* A market that it may be for, and a domain of users. */
static bool has_sound_head(const struct command *command, const struct command_row *row)
{
    assert(row->item_bytes != 0);
    return command->market <= MARKET_PERPS && (row->sides >> command->market & 1) != 0 && command->domain >= DOMAIN_SPOT
        && command->domain <= DOMAIN_UNIVERSAL;
}

size_t hints_make(const struct hint_tables *tables, const struct command *command, struct hints *hints)
{
    const struct command_row *row = command_row(command->kind);
    const struct items_head  *payload = command_payload(command);
    const uint8_t            *item = (const uint8_t *)payload + row->items_at;
    uint32_t                  owner, side = command->market == MARKET_PERPS ? OWNER_PERPS : 0;

    if (row->item_bytes == 0 || command->bytes < sizeof(*command) + row->items_at) return 0;
    if (payload->count == 0 || payload->count > BATCH_MAX
        || command->bytes < sizeof(*command) + row->items_at + (size_t)payload->count * row->item_bytes)
        return 0;
    owner = payload->account_id < ACCOUNT_FIRST || payload->account_id > UINT32_MAX / 2
              ? 0
              : owner_of_account(payload->account_id);
    hints->nonce = command->nonce;
    hints->payload_tag = command->payload_tag;
    memcpy(&hints->bytes, command, offsetof(struct command, seq));
    hints->owner = owner;
    hints->count = (uint8_t)payload->count;
    assert(hints->count == payload->count);
    hints->plain = payload->count == 1 && has_sound_head(command, row);
    memset(hints->reserved, 0, sizeof(hints->reserved));
    for (uint32_t i = 0; i < payload->count; i++, item += row->item_bytes) {
        struct item_hint *hint = &hints->items[i];

        *hint =
            (struct item_hint){ .key = client_key(tables->seed, owner | side,
                                                  (const struct client_id *)(const void *)(item + row->client_id_at)) };
        hint->passes = item_passes(tables, command, item, hint);
    }
    return hints_size(payload->count);
}
