/* SPDX-License-Identifier: MIT */
/* shapes_request.c — the bodies of signed writes (wire 2.2, 2.4), in signing order, with the rules of payload.h. */
#include "model/payload.h"
#include "model/shape.h"

static uint16_t check_new_order(const void *self) { return (uint16_t)payload_new_order(self); }
static uint16_t check_cancel_order(const void *self) { return (uint16_t)payload_cancel_order(self); }
static uint16_t check_replace_order(const void *self) { return (uint16_t)payload_replace_order(self); }

/* 1 to 100 items (place rule 1, replace rule 1, cancel). */
static uint16_t check_count(uint32_t count)
{
    return count >= 1 && count <= BATCH_MAX ? REJECT_NONE : REJECT_BATCH_SIZE;
}

static uint16_t check_place_orders(const void *self)
{
    const struct place_orders *batch = self;
    return check_count(batch->count);
}

static uint16_t check_cancel_orders(const void *self)
{
    const struct cancel_orders *batch = self;
    return check_count(batch->count);
}

static uint16_t check_replace_orders(const void *self)
{
    const struct replace_orders *batch = self;
    return check_count(batch->count);
}

static const struct field new_order_fields[] = {
    FIELD(struct new_order, symbol_id, "symbolID", REQUIRED, "Symbol to trade, the `id` of /markets/symbols."),
    FIELD(struct new_order, client_id, "clOrdID", REQUIRED,
          "The client's own id of the order, 1 to 36 of 0-9 a-z A-Z _ -; unique among the account's open orders."),
    FIELD_ENUM(struct new_order, side, "side", REQUIRED, 0, side_names, "1 = BUY, 2 = SELL."),
    FIELD_ENUM(struct new_order, type, "type", REQUIRED, 0, order_type_names, "1 = LIMIT, 2 = MARKET."),
    FIELD_ENUM(struct new_order, time_in_force, "timeInForce", REQUIRED, 0, time_in_force_names,
               "1 = GTC, 3 = IOC, 4 = GTX (post only); a market order is IOC; 2 = FOK is not supported."),
    FIELD(struct new_order, price, "price", OPTIONAL,
          "Limit price, required for a limit order; for a market order the worst price it may trade at."),
    FIELD(struct new_order, quantity, "quantity", OPTIONAL,
          "Amount of the base coin; required for a limit order and a market sell, else instead of `funds`."),
    FIELD(struct new_order, funds, "funds", OPTIONAL,
          "Amount of the quote coin to spend; only for a market buy, instead of `quantity`."),
};
SHAPE(new_order_shape, struct new_order, "BatchNewOrderItem", new_order_fields, check_new_order, "One order to place.");

static const struct field place_orders_fields[] = {
    FIELD(struct place_orders, account_id, "accountID", DEFAULTED,
          "Account that trades; 0 or absent means the signer's primary account."),
    FIELD_ITEMS(struct place_orders, items, count, "orders", REQUIRED, BATCH_MAX, &new_order_shape,
                "1 to 100 orders, placed in this order as one unit."),
    FIELD_REFUSED(struct place_orders, builder_given, "builder",
                  "Known from newer clients; an order that carries it is answered \"not supported\"."),
};
SHAPE(place_orders_shape, struct place_orders, "BatchNewOrderRequest", place_orders_fields, check_place_orders,
      "Places orders.");

static const struct field cancel_order_fields[] = {
    FIELD(struct cancel_order, symbol_id, "symbolID", REQUIRED, "Symbol of the order."),
    FIELD_FLAGS(struct cancel_order, client_id, "clOrdID", REQUIRED, FLAG_EMPTY,
                "Names this cancel in its result, and is the target when neither key below is given; "
                "may be empty when one of them is."),
    FIELD(struct cancel_order, order_id, "orderID", OPTIONAL, "The order to cancel, by its number."),
    FIELD(struct cancel_order, orig_client_id, "origClOrdID", OPTIONAL, "The order to cancel, by its client id."),
};
SHAPE(cancel_order_shape, struct cancel_order, "BatchCancelOrderItem", cancel_order_fields, check_cancel_order,
      "One order to cancel.");

static const struct field cancel_orders_fields[] = {
    FIELD(struct cancel_orders, account_id, "accountID", DEFAULTED,
          "Account of the orders; 0 or absent means the signer's primary account."),
    FIELD_ITEMS(struct cancel_orders, items, count, "cancels", REQUIRED, BATCH_MAX, &cancel_order_shape,
                "1 to 100 cancels, carried out in this order as one unit."),
};
SHAPE(cancel_orders_shape, struct cancel_orders, "BatchCancelOrderRequest", cancel_orders_fields, check_cancel_orders,
      "Cancels open orders.");

static const struct field replace_order_fields[] = {
    FIELD(struct replace_order, symbol_id, "symbolID", REQUIRED, "Symbol of the order."),
    FIELD(struct replace_order, client_id, "clOrdID", REQUIRED,
          "Names this replacement in its result, and becomes another name of the order."),
    FIELD(struct replace_order, orig_order_id, "origOrderID", OPTIONAL, "The order to replace, by its number."),
    FIELD(struct replace_order, orig_client_id, "origClOrdID", OPTIONAL, "The order to replace, by its client id."),
    FIELD(struct replace_order, price, "price", OPTIONAL, "New limit price; absent keeps the old one."),
    FIELD(struct replace_order, quantity, "quantity", OPTIONAL,
          "New total quantity, executed part included; absent keeps the old one."),
};
SHAPE(replace_order_shape, struct replace_order, "ReplaceParams", replace_order_fields, check_replace_order,
      "One order to change: exactly one of origOrderID and origClOrdID, at least one of price and quantity.");

static const struct field replace_orders_fields[] = {
    FIELD(struct replace_orders, account_id, "accountID", DEFAULTED,
          "Account of the orders; 0 or absent means the signer's primary account."),
    FIELD_ITEMS(struct replace_orders, items, count, "orders", REQUIRED, BATCH_MAX, &replace_order_shape,
                "1 to 100 replacements, carried out in this order as one unit."),
};
SHAPE(replace_orders_shape, struct replace_orders, "ReplaceOrderRequest", replace_orders_fields, check_replace_orders,
      "Changes price or quantity of open limit orders.");

static const struct field schedule_cancel_fields[] = {
    FIELD_FLAGS(struct schedule_cancel, account_id, "accountID", REQUIRED, FLAG_NOT_ZERO,
                "Account whose open orders are to be canceled; must be given (ruling 62)."),
    FIELD(struct schedule_cancel, scheduled_ms, "scheduledTimestamp", OPTIONAL,
          "When to cancel, Unix milliseconds, at least 5 s ahead; absent clears the schedule."),
};
/* clang-format off */
SHAPE(schedule_cancel_shape, struct schedule_cancel, "ScheduleCancelRequest", schedule_cancel_fields, NULL,
      "Cancels all open orders of the account at a time.");

/* clang-format on */
/* ---- transfers ---- */

static uint16_t check_transfer(const void *self) { return (uint16_t)payload_transfer(self); }

/* clang-format off */
static const struct field transfer_asset_fields[] = {
    FIELD(struct transfer_asset, id, "id", REQUIRED,
          "The client's own number of the transfer, rising; the same transfer under the same number moves nothing "
              "again."),
    FIELD(struct transfer_asset, account_id, "fromAccountID", DEFAULTED,
          "Account that gives; 0 or absent means the signer's primary account."),
    FIELD(struct transfer_asset, to_account_id, "toAccountID", REQUIRED,
        "999, the bridge: the other side of the same account, or the EVM ledger."),
    FIELD(struct transfer_asset, coin_id, "coinID", REQUIRED,
        "Coin, the `id` of /markets/coins; between spot and perps only vUSDC."),
    FIELD(struct transfer_asset, amount, "amount", REQUIRED,
        "More than zero, with at most as many decimals as the coin."),
    FIELD_ENUM(struct transfer_asset, type, "type", REQUIRED, 0, transfer_type_names,
               "On spot 2 = EVM_WITHDRAW, 3 = PERPS_WITHDRAW; on perps 5 = SPOT_WITHDRAW; others are not offered."),
};
/* clang-format on */
/* clang-format off */
SHAPE(transfer_asset_shape, struct transfer_asset, "TransferAssetRequest", transfer_asset_fields, check_transfer,
      "Moves money of an account from spot to perps or back, or to the EVM ledger of its owner.");

/* clang-format on */
/* ---- API keys ---- */

static const struct field builder_fields[] = {
    FIELD_FLAGS(struct builder_fee, id, "id", REQUIRED, FLAG_NOT_ZERO, "Builder."),
    FIELD(struct builder_fee, fee, "fee", REQUIRED, "Highest fee rate."),
};
SHAPE(builder_shape, struct builder_fee, "Builder", builder_fields, NULL,
      "A builder and its fee; known from newer clients, not offered.");

static uint16_t check_add_key(const void *self)
{
    return (uint16_t)payload_add_key(&((const struct add_key_request *)self)->key);
}
static uint16_t check_revoke_key(const void *self)
{
    return (uint16_t)payload_key_name(&((const struct revoke_key *)self)->name);
}

#define KEY_NAME_DOC "Name of the key, 1 to 36 of 0-9 a-z A-Z _ -, not `default`; unique among the owner's keys."
/* clang-format off */
static const struct field add_key_fields[] = {
    FIELD(struct add_key_request, key.account_id, "accountID", DEFAULTED,
          "Account the key is counted for, at most 5 each; it may sign for all accounts of the owner. 0 or absent "
              "means the primary account."),
    FIELD_FLAGS(struct add_key_request, key.name, "name", REQUIRED, FLAG_KEY_NAME, KEY_NAME_DOC),
    FIELD_ENUM(struct add_key_request, key.key_type, "type", REQUIRED, 0, key_type_names, "1 = EVM."),
    FIELD(struct add_key_request, key.public_key, "publicKey", REQUIRED,
        "The 20-byte address of the key pair; not yet a wallet or a key of any user."),
    FIELD(struct add_key_request, key.expires_ms, "expiresAt", REQUIRED, "Unix milliseconds; 0 = never."),
    FIELD_OBJECT(struct add_key_request, builder, "builder", OPTIONAL, &builder_shape,
                 "Known from newer clients; answered \"not supported\" once the signature was checked."),
    { "permissions", KIND_OPTIONAL_U64, OPTIONAL, 0, offsetof(struct add_key_request, key.permissions), 0, 0, NULL,
      NULL,
      "What the key may not do: 1 trade, 2 cancel, 4 withdraw, 8 transfer, added up; absent or 0 = it may do all of "
          "it.", 0, 0 },
};
/* clang-format on */
SHAPE(add_key_shape, struct add_key_request, "AddAPIKeyRequest", add_key_fields, check_add_key,
      "Registers an API key; the main wallet signs.");

static const struct field revoke_key_fields[] = {
    FIELD(struct revoke_key, account_id, "accountID", DEFAULTED,
          "An account of the owner; 0 or absent means the primary account."),
    FIELD_FLAGS(struct revoke_key, name, "name", REQUIRED, FLAG_KEY_NAME, "Name of the key."),
};
SHAPE(revoke_key_shape, struct revoke_key, "RevokeAPIKeyRequest", revoke_key_fields, check_revoke_key,
      "Revokes an API key; the main wallet signs.");

/* ---- feeders ---- */

static uint16_t check_oracle(const void *self)
{
    const struct oracle_request *request = self;

    return request->count == 0 ? REJECT_BATCH_SIZE : REJECT_NONE;
}

static const struct field oracle_item_fields[] = {
    FIELD(struct oracle_item, symbol_id, "symbolID", REQUIRED, "Id of a perps symbol."),
    FIELD(struct oracle_item, price, "price", REQUIRED, "Its index price."),
    FIELD(struct oracle_item, perp_mid, "perpMid", OPTIONAL,
          "Middle of its perpetual elsewhere; absent = none, which is signed as 0."),
};
static SHAPE(oracle_item_shape, struct oracle_item, "OraclePrice", oracle_item_fields, NULL,
             "A feeder's post about one symbol.");

static const struct field oracle_fields[] = {
    FIELD_FLAGS(struct oracle_request, seq, "seq", REQUIRED, FLAG_NOT_ZERO, "Rises with every post of the feeder."),
    FIELD(struct oracle_request, timestamp_ms, "timestamp", REQUIRED,
          "Unix milliseconds; at most 30 s before and 5 s after the server's time."),
    FIELD_ITEMS(struct oracle_request, items, count, "prices", REQUIRED, ORACLE_PRICES_MAX, &oracle_item_shape,
                "1 to 64 symbols."),
};
SHAPE(oracle_request_shape, struct oracle_request, "OraclePricesRequest", oracle_fields, check_oracle,
      "Index prices of a feeder.");
