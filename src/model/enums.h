/* SPDX-License-Identifier: MIT */
/*
 * enums.h — the enumerations of the wire (wire 0.6). Requests carry the integer, responses the name.
 * Numbers reach disk and clients: they are never re-used. 0 means "not given" everywhere.
 */
#ifndef MODEL_ENUMS_H
#define MODEL_ENUMS_H

#include "base/base.h"

#define BATCH_MAX 100 /* items of one request (service 8) */

enum market_kind { MARKET_SPOT = 1, MARKET_PERPS = 2 };

/*
 * The typed-data domain that signed a request, and with it the nonce set (ruling 35). Feeders have a sequence number
 * and operators an id instead. No command has the domain OPERATOR: its signature confirms a request of the operator.
 */
enum domain { DOMAIN_SPOT = 1, DOMAIN_FUTURES = 2, DOMAIN_UNIVERSAL = 3, DOMAIN_ORACLE = 4, DOMAIN_OPERATOR = 5 };

/* Markets of `dojima dev` (src/market); numbers reach the log, never re-used. EMPTY: the indexes move, there are no
   traders; NONE: prices stand. */
enum market_preset {
    MARKET_CALM = 1,
    MARKET_TREND = 2,
    MARKET_VOLATILE = 3,
    MARKET_CRASH = 4,
    MARKET_THIN = 5,
    MARKET_EMPTY = 6,
    MARKET_NONE = 7,
};
#define MARKET_PRESETS 8

enum side { SIDE_BUY = 1, SIDE_SELL = 2 };
enum order_type { TYPE_LIMIT = 1, TYPE_MARKET = 2 };
enum time_in_force { TIF_GTC = 1, TIF_FOK = 2, TIF_IOC = 3, TIF_GTX = 4 };
enum symbol_status {
    SYMBOL_TRADING = 1,
    SYMBOL_HALT = 2,
    SYMBOL_SETTLED = 3,
    SYMBOL_REDUCE_ONLY = 4
}; /* 3 is HALT on the wire; 4 is only a request */

/* How far a perps symbol is from open to all (mechanics 3.15): only orders that reduce; the same, and its settlement is
   announced; being settled; settled. */
enum symbol_phase { PHASE_OPEN = 0, PHASE_REDUCE_ONLY = 1, PHASE_SETTLING = 2, PHASE_CLOSING = 3, PHASE_SETTLED = 4 };

/*
 * What an operator allows on the whole venue: each symbol's own mode; cancels only; on perps, orders that reduce only.
 * The stricter of it and the symbol's own mode applies.
 */
enum venue_mode { VENUE_RUN = 1, VENUE_CANCEL_ONLY = 2, VENUE_REDUCE_ONLY = 3 };

static inline bool status_trades(uint8_t status, uint8_t mode)
{
    return status == SYMBOL_TRADING && mode != VENUE_CANCEL_ONLY;
}
static inline uint8_t status_in_mode(uint8_t status, uint8_t mode)
{
    return status == SYMBOL_TRADING && !status_trades(status, mode) ? SYMBOL_HALT : status;
}
static inline uint8_t phase_in_mode(uint8_t phase, uint8_t mode)
{
    return phase == PHASE_OPEN && mode == VENUE_REDUCE_ONLY ? PHASE_REDUCE_ONLY : phase;
}

/* clang-format off */
enum order_status {
    STATUS_NEW = 1, STATUS_PARTIALLY_FILLED = 2, STATUS_FILLED = 3, STATUS_CANCELED = 4,
    STATUS_REJECTED = 5, STATUS_EXPIRED = 6, STATUS_PENDING_NEW = 7, STATUS_TRIGGERED = 10,
};
/* clang-format on */

/* clang-format off */
enum exec_type {
    EXEC_NEW = 1, EXEC_PARTIALLY_FILLED = 2, EXEC_FILLED = 3, EXEC_CANCELED = 4,
    EXEC_REJECTED = 5, EXEC_MODIFIED = 6, EXEC_EXPIRED = 7, EXEC_REPLACED = 8,
};
/* clang-format on */

/*
 * Kinds of transfers (wire 0.6); 0 is a value. Clients may request EVM_WITHDRAW, PERPS_WITHDRAW and SPOT_WITHDRAW.
 * INTERNAL marks the account that an operator moves money out of, SUBACCOUNT the receiving account of the same user.
 * REDEEM is ours: out of the EVM ledger to the outside.
 */
/* clang-format off */
enum transfer_type {
    TRANSFER_EVM_DEPOSIT = 0, TRANSFER_PERPS_DEPOSIT = 1, TRANSFER_EVM_WITHDRAW = 2, TRANSFER_PERPS_WITHDRAW = 3,
    TRANSFER_INTERNAL = 4, TRANSFER_SPOT_WITHDRAW = 5, TRANSFER_SPOT_DEPOSIT = 6, TRANSFER_SUBACCOUNT = 7,
        TRANSFER_REDEEM = 8,
};
/* clang-format on */

/* What an API key may be forbidden to do: bits of `permissions`; a set bit forbids (wire 0.6). */
enum key_right { RIGHT_NONE = 0, RIGHT_TRADE = 1, RIGHT_CANCEL = 2, RIGHT_WITHDRAW = 4, RIGHT_TRANSFER = 8 };

/*
 * Classes of requests under overload (process 4): lower numbers are refused last. A request is refused with 503 before
 * its signature, if it has one, is recovered.
 */
enum overload_class {
    CLASS_CANCEL, /* takes risk away, or keeps prices true: cancels, revocations, feeders' posts */
    CLASS_REPLACE,
    CLASS_TRANSFER, /* actions that are signed by the wallet */
    CLASS_RISK,     /* new orders */
    CLASS_READ,
    OVERLOAD_CLASSES
};

/* Why an accepted order changed or ended (texts, not codes: ruling 34). Append only. */
#define END_REASONS(X)                                                                                                 \
    X(USER, 1)                                                                                                         \
    X(IOC_REMAINDER, 2)                                                                                                \
    X(PRICE_BOUND, 3)                                                                                                  \
    X(NO_LIQUIDITY, 4)                                                                                                 \
    X(FUNDS_DUST, 5)                                                                                                   \
    X(SELF_TRADE, 6)                                                                                                   \
    X(SCHEDULED_CANCEL, 7)                                                                                             \
    X(POST_ONLY_WOULD_CROSS, 8)                                                                                        \
    X(OPERATOR, 9)                                                                                                     \
    X(PARENT_CANCELED, 10)                                                                                             \
    X(POSITION_CLOSED, 11)                                                                                             \
    X(OCO_SIBLING, 12)                                                                                                 \
    X(MARGIN_INSUFFICIENT, 13)                                                                                         \
    X(INSUFFICIENT_MARGIN, 14)                                                                                         \
    X(LIQUIDATION, 15)                                                                                                 \
    X(REDUCE_ONLY_TRIM, 16)                                                                                            \
    X(OPEN_INTEREST_CAP, 17)                                                                                           \
    X(SETTLEMENT, 18)                                                                                                  \
    X(TAKEOVER, 19)                                                                                                    \
    X(ADL, 20)                                                                                                         \
    X(ADL_BANKRUPT, 21)                                                                                                \
    X(FLIP, 22)                                                                                                        \
    X(BANKRUPTCY_BOUND, 23)                                                                                            \
    X(REDUCE_ONLY, 24)                                                                                                 \
    X(ORACLE_STALE, 25)                                                                                                \
    X(SYMBOL_HALTED, 26)                                                                                               \
    X(LEVERAGE_TIER, 27)                                                                                               \
    X(IN_LIQUIDATION, 28)                                                                                              \
    X(CAPACITY, 29)
enum end_reason {
    REASON_NONE = 0,
#define X(name, number) REASON_##name = number,
    END_REASONS(X)
#undef X
};

/* Orders of the venue itself, which closed or moved the position. */
static inline bool end_is_forced(uint8_t reason)
{
    return reason == REASON_LIQUIDATION || reason == REASON_TAKEOVER || reason == REASON_ADL
        || reason == REASON_ADL_BANKRUPT || reason == REASON_SETTLEMENT;
}

/* Warnings of an accepted item (mechanics 10.1). Append-only. */
#define RESULT_WARNINGS(X) X(STOP_BEYOND_LIQUIDATION, 1)
enum result_warning {
    WARNING_NONE = 0,
#define X(name, number) WARNING_##name = number,
    RESULT_WARNINGS(X)
#undef X
};

/* One row of a table that gives an enum its spelling. A table ends with a NULL name. */
struct enum_name {
    uint8_t     value;
    const char *name;
};

/* Perps (wire 0.6). */
enum order_modifier { MODIFIER_NORMAL = 1, MODIFIER_STOP = 2, MODIFIER_BRACKET = 3, MODIFIER_ATTACHED_STOP = 4 };
enum stop_type { STOP_LOSS = 1, STOP_TAKE_PROFIT = 2 };
enum trigger_type { TRIGGER_LAST_PRICE = 1, TRIGGER_MARK_PRICE = 2, TRIGGER_INDEX_PRICE = 3 };
enum position_side { POSITION_BOTH = 1, POSITION_LONG = 2, POSITION_SHORT = 3 };
enum margin_mode { MARGIN_ISOLATED = 1, MARGIN_CROSS = 2 };

/* Where the index comes from (mechanics 3.8). */
enum oracle_state { ORACLE_BOOTSTRAP = 1, ORACLE_LIVE = 2, ORACLE_FALLBACK = 3, ORACLE_IS_STALE = 4 };

/* How far a unit's liquidation has gone (mechanics 3.11, 3.12). */
enum liquidation_stage { STAGE_HEALTHY = 1, STAGE_BOOK = 2, STAGE_TAKEOVER = 3, STAGE_ADL = 4 };

extern const struct enum_name order_modifier_names[], stop_type_names[], trigger_type_names[], position_side_names[],
    margin_mode_names[], oracle_state_names[];
/* Kinds of API keys (wire 0.6). */
enum key_type { KEY_EVM = 1 };

extern const struct enum_name market_preset_names[];
extern const struct enum_name market_names[], key_type_names[], transfer_type_names[];
extern const struct enum_name side_names[], order_type_names[], time_in_force_names[], symbol_status_names[],
    symbol_phase_names[], market_status_names[], venue_mode_names[], order_status_names[], exec_type_names[],
    end_reason_names[], result_warning_names[];

/* The spelling of a value, or NULL when the table has none. */
const char *enum_name_of(const struct enum_name *names, uint8_t value);

#endif
