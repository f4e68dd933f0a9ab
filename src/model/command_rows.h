/* SPDX-License-Identifier: MIT */
/*
 * command_rows.h — every command, one row each; a part of commands.h, which includes it. Its readers: the
 * numbers and payloads of commands.h, struct command_row (command_table.c), the engine's dispatch
 * (core/engine/engine.c), the endpoints of signed writes (api/endpoints.c), the operator's requests
 * (api/operator/operator.c).
 *
 *     X(number, NAME, name, payload, form, item, sides, right, sender, whose, class, weight, gives, apply, shape)
 *
 *   number    on disk, append only; CMD_NAME
 *   name      "type" of what is signed or asked for
 *   payload   struct behind the header
 *   form      BATCH: `count` items of struct `item`, each with a client_id and a RESULT of its own; ONE: the payload is
 *             the only item; LIST: a list of prices, applied as one item
 *   sides     the markets that the command may be for (enum command_sides)
 *   right     what an API key must be allowed to do (enum key_right); NONE: only the main wallet may
 *   sender    who may send it (enum command_sender)
 *   whose     where the account stands: ACCOUNT: the payload begins with its id; USER: an operator names the address of
 *             a user, who must exist; NOBODY
 *   class     under overload (enum overload_class)
 *   weight    of a request in the rolling minute; a BATCH weighs 1 more per 40 items (api/limit.c)
 *   gives     what the number of a RESULT names (enum result_number)
 *   apply     function of the engine (core/)
 *   shape     &shape that reads its JSON; NULL: nothing is read
 */
#ifndef MODEL_COMMAND_ROWS_H
#define MODEL_COMMAND_ROWS_H

/* clang-format off */
#define COMMANDS(X)                                                                                            \
    X(1, PLACE_ORDERS, "batchNewOrder", place_orders, BATCH, new_order,                                        \
      SPOT, TRADE, KEY, ACCOUNT, RISK, 1, ORDER, spot_place, &place_orders_shape)                              \
    X(2, CANCEL_ORDERS, "batchCancelOrder", cancel_orders, BATCH, cancel_order,                                \
      SPOT, CANCEL, KEY, ACCOUNT, CANCEL, 1, ORDER, spot_cancel, &cancel_orders_shape)                         \
    X(3, REPLACE_ORDERS, "replaceOrder", replace_orders, BATCH, replace_order,                                 \
      BOTH, TRADE, KEY, ACCOUNT, REPLACE, 1, ORDER, replace_either, &replace_orders_shape)                      \
    X(4, SCHEDULE_CANCEL, "scheduleCancel", schedule_cancel, ONE, schedule_cancel,                             \
      BOTH, CANCEL, KEY, ACCOUNT, CANCEL, 1, ORDER, schedule_apply, &schedule_cancel_shape)                    \
    X(5, TICK, "tick", tick, ONE, tick,                                                                        \
      ANY, NONE, NODE, NOBODY, RISK, 0, NOTHING, none, NULL)                                                   \
    X(6, DEPOSIT, "deposit", deposit, ONE, deposit,                                                            \
      ANY, NONE, OPERATOR_ONCE, NOBODY, RISK, 0, ACCOUNT, apply_deposit, &deposit_request_shape)               \
    X(7, TRANSFER, "transferAsset", transfer_asset, ONE, transfer_asset,                                       \
      BOTH, TRANSFER, KEY, ACCOUNT, TRANSFER, 10, TRANSFER, transfer_apply, &transfer_asset_shape)             \
    X(8, ADD_KEY, "addAPIKey", add_key, ONE, add_key,                                                          \
      ANY, NONE, WALLET, ACCOUNT, TRANSFER, 20, ORDER, key_add, &add_key_shape)                                \
    X(9, REVOKE_KEY, "revokeAPIKey", revoke_key, ONE, revoke_key,                                              \
      ANY, NONE, WALLET_ANYHOW, ACCOUNT, CANCEL, 20, ORDER, key_revoke, &revoke_key_shape)                     \
    X(10, OPEN_ACCOUNT, "account", open_account, ONE, open_account,                                            \
      ANY, NONE, OPERATOR_ONCE, USER, RISK, 0, ACCOUNT, apply_open_account, &account_request_shape)            \
    X(11, REDEEM, "redeem", redeem, ONE, redeem,                                                               \
      ANY, NONE, OPERATOR_ONCE, USER, RISK, 0, ACCOUNT, apply_redeem, &redeem_request_shape)                   \
    X(12, ADVANCE_TIME, "advanceTime", advance_time, ONE, advance_time,                                        \
      ANY, NONE, DEVELOPER, NOBODY, RISK, 0, NOTHING, apply_advance_time, &advance_request_shape)              \
    X(13, PLACE_PERPS, "newOrder", place_perps, BATCH, perps_order,                                            \
      PERPS, TRADE, KEY, ACCOUNT, RISK, 1, ORDER, perps_place, &place_perps_shape)                             \
    X(14, CANCEL_PERPS, "cancelOrder", cancel_perps, BATCH, perps_cancel,                                      \
      PERPS, CANCEL, KEY, ACCOUNT, CANCEL, 1, ORDER, perps_cancel, &cancel_perps_shape)                        \
    X(15, MODIFY_ORDER, "modifyOrder", modify_order, ONE, modify_order,                                        \
      PERPS, TRADE, KEY, ACCOUNT, REPLACE, 1, ORDER, perps_modify, &modify_order_shape)                        \
    X(16, UPDATE_LEVERAGE, "updateLeverage", update_leverage, ONE, update_leverage,                            \
      PERPS, TRADE, KEY, ACCOUNT, TRANSFER, 1, ORDER, setting_leverage, &update_leverage_shape)                \
    X(17, UPDATE_MARGIN, "updateMargin", update_margin, ONE, update_margin,                                    \
      PERPS, TRADE, KEY, ACCOUNT, TRANSFER, 1, ORDER, setting_margin, &update_margin_shape)                    \
    X(18, ORACLE_POST, "oraclePrices", oracle_post, LIST, oracle_price,                                        \
      ANY, NONE, FEEDER, NOBODY, CANCEL, 20, ORDER, index_post, &oracle_request_shape)                        \
    X(19, SET_INDEX, "setIndexPrice", set_index, ONE, set_index,                                               \
      ANY, NONE, DEVELOPER, NOBODY, RISK, 0, NOTHING, index_set, &set_index_request_shape)              \
    X(20, SET_MARKET, "market", set_market, ONE, set_market,                                                   \
      ANY, NONE, OPERATOR, NOBODY, RISK, 0, NOTHING, apply_set_market, &market_request_shape)                  \
    X(21, SETTLE, "settle", settle_symbol, ONE, settle_symbol,                                                 \
      ANY, NONE, OPERATOR_ONCE, NOBODY, RISK, 0, NOTHING, apply_settle, &settle_request_shape)                 \
    X(22, CANCEL_FOR, "cancelOrders", cancel_for, ONE, cancel_for,                                             \
      ANY, NONE, OPERATOR, NOBODY, RISK, 0, CANCELED, apply_cancel, &cancel_request_shape)                     \
    X(23, SET_STAKING, "staking", set_staking, ONE, set_staking,                                               \
      ANY, NONE, OPERATOR_ONCE, USER, RISK, 0, ACCOUNT, apply_set_staking, &staking_request_shape)             \
    X(24, SET_MODE, "mode", set_mode, ONE, set_mode,                                                           \
      ANY, NONE, OPERATOR, NOBODY, RISK, 0, NOTHING, apply_set_mode, &mode_request_shape)                      \
    X(25, RAISE_LIMIT, "limits", raise_limit, ONE, raise_limit,                                                \
      ANY, NONE, OPERATOR, NOBODY, RISK, 0, VALUE, apply_raise_limit, &limit_request_shape)                 \
    X(26, TRANSFER_BETWEEN, "transferBetween", transfer_between, ONE, transfer_between,                        \
      ANY, NONE, OPERATOR_ONCE, NOBODY, RISK, 0, ACCOUNT, apply_transfer, &transfer_request_shape)             \
    X(27, REVERT, "revert", revert, ONE, revert,                                                               \
      ANY, NONE, NODE, NOBODY, RISK, 0, NOTHING, none, NULL)                                                   \
    X(28, SET_TRADERS, "traders", set_traders, ONE, set_traders,                                               \
      ANY, NONE, DEVELOPER, NOBODY, RISK, 0, NOTHING, apply_set_traders, &traders_request_shape)
/* clang-format on */

#endif
