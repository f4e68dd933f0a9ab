/* SPDX-License-Identifier: MIT */
/*
 * shapes_request_perps.c — the bodies of signed writes that only the perps base takes (wire 2.3), in signing order,
 * with the rules of payload.h.
 */
#include "model/payload.h"
#include "model/shape.h"

/* ---- placing ---- */

static uint16_t check_perps_order(const void *self) { return (uint16_t)payload_perps_order(self); }

static uint16_t check_place_item(const void *self, uint32_t index)
{
    const struct place_perps *batch = self;

    return (uint16_t)payload_perps_neighbours(batch, &batch->items[index]);
}

/* 1 to 100 items (perps place rule 1, cancel). */
static uint16_t check_count(uint32_t count)
{
    return count >= 1 && count <= BATCH_MAX ? REJECT_NONE : REJECT_BATCH_SIZE;
}

static uint16_t check_place_perps(const void *self) { return check_count(((const struct place_perps *)self)->count); }
static uint16_t check_cancel_perps(const void *self) { return check_count(((const struct cancel_perps *)self)->count); }

#define ACCOUNT_DOC(what) what "; 0 or absent means the signer's primary account."
/* clang-format off */
static const struct field perps_order_fields[] = {
    FIELD(struct perps_order, client_id, "clOrdID", REQUIRED,
          "The client's own id of the order, 1 to 36 of 0-9 a-z A-Z _ -; unique among the account's open orders."),
    FIELD_ENUM(struct perps_order, modifier, "modifier", REQUIRED, 0, order_modifier_names,
               "1 = NORMAL, 2 = STOP: a TP/SL order by itself, 3 = BRACKET: an order with TP/SL, 4 = ATTACHED_STOP: "
                   "the TP/SL of a BRACKET."),
    FIELD_ENUM(struct perps_order, side, "side", REQUIRED, 0, side_names, "1 = BUY, 2 = SELL."),
    FIELD_ENUM(struct perps_order, type, "type", REQUIRED, 0, order_type_names,
        "1 = LIMIT, 2 = MARKET; of a TP/SL order: the order that it becomes."),
    FIELD_ENUM(struct perps_order, time_in_force, "timeInForce", REQUIRED, 0, time_in_force_names,
               "1 = GTC, 3 = IOC, 4 = GTX (post only); a market order is IOC; 2 = FOK is not supported."),
    FIELD(struct perps_order, price, "price", OPTIONAL,
          "Limit price, required for a limit order; for a market order the worst price it may trade at."),
    FIELD(struct perps_order, quantity, "quantity", OPTIONAL,
          "Amount of the base; a market buy may give `funds` instead. A TP/SL order that only reduces may leave both "
              "out: it closes the whole position."),
    FIELD(struct perps_order, funds, "funds", OPTIONAL,
        "Amount of vUSDC to spend; only for a market buy, instead of `quantity`."),
    FIELD(struct perps_order, stop_price, "stopPrice", OPTIONAL,
        "Price that triggers; with STOP and ATTACHED_STOP, and only then."),
    FIELD_ENUM(struct perps_order, stop_type, "stopType", OPTIONAL, 0, stop_type_names,
        "1 = STOP_LOSS, 2 = TAKE_PROFIT; with `stopPrice`."),
    FIELD_ENUM(struct perps_order, trigger_type, "triggerType", OPTIONAL, 0, trigger_type_names,
               "Which price triggers: 1 = LAST_PRICE, 2 = MARK_PRICE, 3 = INDEX_PRICE; with `stopPrice`."),
    FIELD_BOOL(struct perps_order, reduce_only, "reduceOnly", REQUIRED, "The order may only make a position smaller."),
    FIELD_ENUM(struct perps_order, position_side, "positionSide", REQUIRED, 0, position_side_names,
               "1 = BOTH. 2 = LONG and 3 = SHORT are taken too: on the closing side they make the order reduce only."),
};
/* clang-format on */
SHAPE(perps_order_shape, struct perps_order, "PerpsOrderItem", perps_order_fields, check_perps_order,
      "One order to place.");

/* clang-format off */
static const struct field place_perps_fields[] = {
    FIELD(struct place_perps, account_id, "accountID", DEFAULTED, ACCOUNT_DOC("Account that trades")),
    FIELD(struct place_perps, symbol_id, "symbolID", REQUIRED,
        "Symbol of all the orders, the `id` of /markets/symbols."),
    FIELD_ITEMS(struct place_perps, items, count, "orders", REQUIRED, BATCH_MAX, &perps_order_shape,
                "1 to 100 orders, placed in this order as one unit; or a BRACKET and its one or two ATTACHED_STOPs, "
                    "all or nothing."),
    FIELD_REFUSED(struct place_perps, builder_given, "builder",
        "Known from newer clients; an order that carries it is answered \"not supported\"."),
};
/* clang-format on */
const struct shape place_perps_shape = {
    .name = "PerpsNewOrderRequest",
    .doc = "Places orders in one symbol.",
    .fields = place_perps_fields,
    .field_count = ARRAY_COUNT(place_perps_fields),
    .size = sizeof(struct place_perps),
    .check = check_place_perps,
    .check_item = check_place_item,
};

/* ---- canceling, modifying ---- */

static uint16_t check_perps_cancel(const void *self) { return (uint16_t)payload_perps_cancel(self); }
static uint16_t check_modify_order(const void *self) { return (uint16_t)payload_modify_order(self); }

static const struct field perps_cancel_fields[] = {
    FIELD(struct perps_cancel, symbol_id, "symbolID", REQUIRED, "Symbol of the order."),
    FIELD(struct perps_cancel, order_id, "orderID", OPTIONAL, "The order to cancel, by its number."),
    FIELD(struct perps_cancel, client_id, "clOrdID", OPTIONAL,
          "The order to cancel, by its client id; exactly one of the two."),
};
SHAPE(perps_cancel_shape, struct perps_cancel, "PerpsCancelItem", perps_cancel_fields, check_perps_cancel,
      "One order to cancel.");

static const struct field cancel_perps_fields[] = {
    FIELD(struct cancel_perps, account_id, "accountID", DEFAULTED, ACCOUNT_DOC("Account of the orders")),
    FIELD_ITEMS(struct cancel_perps, items, count, "cancels", REQUIRED, BATCH_MAX, &perps_cancel_shape,
                "1 to 100 cancels, carried out in this order as one unit."),
};
SHAPE(cancel_perps_shape, struct cancel_perps, "PerpsCancelOrderRequest", cancel_perps_fields, check_cancel_perps,
      "Cancels open orders, TP/SL included.");

/* clang-format off */
static const struct field modify_order_fields[] = {
    FIELD(struct modify_order, account_id, "accountID", DEFAULTED, ACCOUNT_DOC("Account of the order")),
    FIELD(struct modify_order, symbol_id, "symbolID", REQUIRED, "Symbol of the order."),
    FIELD(struct modify_order, order_id, "orderID", OPTIONAL, "The order to change, by its number."),
    FIELD(struct modify_order, client_id, "clOrdID", OPTIONAL,
        "The order to change, by its client id; exactly one of the two."),
    FIELD(struct modify_order, price, "price", OPTIONAL,
        "New price; of a market order the worst price it may trade at. Absent keeps the old one."),
    FIELD(struct modify_order, quantity, "quantity", OPTIONAL,
        "New quantity; one that closed the whole position then closes this much of it."),
    FIELD(struct modify_order, stop_price, "stopPrice", OPTIONAL, "New price that triggers; absent keeps the old one."),
};
/* clang-format on */
/* clang-format off */
SHAPE(modify_order_shape, struct modify_order, "ModifyOrderRequest", modify_order_fields, check_modify_order,
      "Changes a TP/SL order that has not triggered: at least one of price, quantity and stopPrice.");

/* clang-format on */
/* ---- settings and margin ---- */

static uint16_t check_update_leverage(const void *self) { return (uint16_t)payload_update_leverage(self); }
static uint16_t check_update_margin(const void *self) { return (uint16_t)payload_update_margin(self); }

static const struct field update_leverage_fields[] = {
    FIELD(struct update_leverage, account_id, "accountID", DEFAULTED, ACCOUNT_DOC("Account that trades")),
    FIELD(struct update_leverage, symbol_id, "symbolID", REQUIRED, "Symbol."),
    FIELD(struct update_leverage, leverage, "leverage", REQUIRED, "1 to the symbol's maxLeverage."),
    FIELD_ENUM(struct update_leverage, margin_mode, "marginMode", REQUIRED, 0, margin_mode_names,
               "1 = ISOLATED, 2 = CROSS."),
};
SHAPE(update_leverage_shape, struct update_leverage, "UpdateLeverageRequest", update_leverage_fields,
      check_update_leverage,
      "Sets leverage and margin mode of a symbol in which the account has neither orders nor a position.");

static const struct field update_margin_fields[] = {
    FIELD(struct update_margin, account_id, "accountID", DEFAULTED, ACCOUNT_DOC("Account of the position")),
    FIELD(struct update_margin, symbol_id, "symbolID", REQUIRED, "Symbol of the isolated position."),
    FIELD_FLAGS(struct update_margin, amount, "amount", REQUIRED, FLAG_SIGNED | FLAG_ZERO,
                "vUSDC to put into the position, or below zero to take out; not zero, with at most as many decimals as "
                "the coin."),
};
SHAPE(update_margin_shape, struct update_margin, "UpdateMarginRequest", update_margin_fields, check_update_margin,
      "Adds margin to an isolated position, or takes some out.");
