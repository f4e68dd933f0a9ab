/* SPDX-License-Identifier: MIT */
#include "model/enums.h"

const struct enum_name market_names[] = { { MARKET_SPOT, "spot" }, { MARKET_PERPS, "perps" }, { 0, NULL } };
const struct enum_name key_type_names[] = { { KEY_EVM, "EVM" }, { 0, NULL } };
/* clang-format off */
const struct enum_name transfer_type_names[] = {
    { TRANSFER_EVM_DEPOSIT, "EVM_DEPOSIT" }, { TRANSFER_PERPS_DEPOSIT, "PERPS_DEPOSIT" },
      { TRANSFER_EVM_WITHDRAW, "EVM_WITHDRAW" },
    { TRANSFER_PERPS_WITHDRAW, "PERPS_WITHDRAW" }, { TRANSFER_INTERNAL, "INTERNAL" },
      { TRANSFER_SPOT_WITHDRAW, "SPOT_WITHDRAW" },
    { TRANSFER_SPOT_DEPOSIT, "SPOT_DEPOSIT" }, { TRANSFER_SUBACCOUNT, "SUBACCOUNT_TRANSFER" }, { 0, NULL },
};
/* clang-format on */
const struct enum_name side_names[] = { { SIDE_BUY, "BUY" }, { SIDE_SELL, "SELL" }, { 0, NULL } };
const struct enum_name order_type_names[] = { { TYPE_LIMIT, "LIMIT" }, { TYPE_MARKET, "MARKET" }, { 0, NULL } };
const struct enum_name time_in_force_names[] = {
    { TIF_GTC, "GTC" }, { TIF_FOK, "FOK" }, { TIF_IOC, "IOC" }, { TIF_GTX, "GTX" }, { 0, NULL }
};
const struct enum_name symbol_status_names[] = { { SYMBOL_TRADING, "TRADING" }, { SYMBOL_HALT, "HALT" }, { 0, NULL } };
const struct enum_name market_status_names[] = {
    { SYMBOL_TRADING, "TRADING" }, { SYMBOL_HALT, "HALT" }, { SYMBOL_REDUCE_ONLY, "REDUCE_ONLY" }, { 0, NULL }
};
const struct enum_name venue_mode_names[] = {
    { VENUE_RUN, "RUN" }, { VENUE_CANCEL_ONLY, "CANCEL_ONLY" }, { VENUE_REDUCE_ONLY, "REDUCE_ONLY" }, { 0, NULL }
};
const struct enum_name symbol_phase_names[] = { { PHASE_REDUCE_ONLY, "REDUCE_ONLY" },
                                                { PHASE_SETTLING, "SETTLING" },
                                                { PHASE_CLOSING, "CLOSING" },
                                                { PHASE_SETTLED, "SETTLED" },
                                                { 0, NULL } };

/* clang-format off */
const struct enum_name order_status_names[] = {
    { STATUS_NEW, "NEW" }, { STATUS_PARTIALLY_FILLED, "PARTIALLY_FILLED" }, { STATUS_FILLED, "FILLED" },
    { STATUS_CANCELED, "CANCELED" }, { STATUS_REJECTED, "REJECTED" }, { STATUS_EXPIRED, "EXPIRED" },
    { STATUS_PENDING_NEW, "PENDING_NEW" }, { STATUS_TRIGGERED, "TRIGGERED" }, { 0, NULL },
};
/* clang-format on */

/* clang-format off */
const struct enum_name exec_type_names[] = {
    { EXEC_NEW, "NEW" }, { EXEC_PARTIALLY_FILLED, "PARTIALLY_FILLED" }, { EXEC_FILLED, "FILLED" },
    { EXEC_CANCELED, "CANCELED" }, { EXEC_REJECTED, "REJECTED" }, { EXEC_MODIFIED, "MODIFIED" },
    { EXEC_EXPIRED, "EXPIRED" }, { EXEC_REPLACED, "REPLACED" }, { 0, NULL },
};
/* clang-format on */

/* clang-format off */
const struct enum_name order_modifier_names[] = {
    { MODIFIER_NORMAL, "NORMAL" }, { MODIFIER_STOP, "STOP" }, { MODIFIER_BRACKET, "BRACKET" },
    { MODIFIER_ATTACHED_STOP, "ATTACHED_STOP" }, { 0, NULL },
};
/* clang-format on */
const struct enum_name stop_type_names[] = { { STOP_LOSS, "STOP_LOSS" },
                                             { STOP_TAKE_PROFIT, "TAKE_PROFIT" },
                                             { 0, NULL } };
const struct enum_name trigger_type_names[] = { { TRIGGER_LAST_PRICE, "LAST_PRICE" },
                                                { TRIGGER_MARK_PRICE, "MARK_PRICE" },
                                                { TRIGGER_INDEX_PRICE, "INDEX_PRICE" },
                                                { 0, NULL } };
const struct enum_name position_side_names[] = {
    { POSITION_BOTH, "BOTH" }, { POSITION_LONG, "LONG" }, { POSITION_SHORT, "SHORT" }, { 0, NULL }
};
const struct enum_name margin_mode_names[] = { { MARGIN_ISOLATED, "ISOLATED" },
                                               { MARGIN_CROSS, "CROSS" },
                                               { 0, NULL } };
const struct enum_name oracle_state_names[] = { { ORACLE_BOOTSTRAP, "BOOTSTRAP" },
                                                { ORACLE_LIVE, "LIVE" },
                                                { ORACLE_FALLBACK, "FALLBACK" },
                                                { ORACLE_IS_STALE, "STALE" },
                                                { 0, NULL } };

const struct enum_name end_reason_names[] = {
#define X(name, number) { number, #name },
    END_REASONS(X)
#undef X
        { 0, NULL },
};

const struct enum_name result_warning_names[] = {
#define X(name, number) { number, #name },
    RESULT_WARNINGS(X)
#undef X
        { 0, NULL },
};

const char *enum_name_of(const struct enum_name *names, uint8_t value)
{
    for (; names->name != NULL; names++)
        if (names->value == value) return names->name;
    return NULL;
}

/* clang-format off */
const struct enum_name market_preset_names[] = {
    { MARKET_CALM, "calm" }, { MARKET_TREND, "trend" }, { MARKET_VOLATILE, "volatile" }, { MARKET_CRASH, "crash" },
    { MARKET_THIN, "thin" }, { MARKET_EMPTY, "empty" }, { MARKET_NONE, "none" }, { 0, NULL },
};
/* clang-format on */
