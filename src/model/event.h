/* SPDX-License-Identifier: MIT */
/* event.h — the kinds of events, what each begins with, and an order, which both markets tell. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include "model/commands.h"
#include "model/rejects.h"

#define EVENTS(X)                                                                                                      \
    X(1, COMMAND_BEGAN, command_began)                                                                                 \
    X(2, REFUSED, refused)                                                                                             \
    X(3, RESULT, result)                                                                                               \
    X(4, ORDER, order_changed)                                                                                         \
    X(5, TRADE, traded)                                                                                                \
    X(6, FILL, filled)                                                                                                 \
    X(7, BALANCE, balance)                                                                                             \
    X(8, LEVEL, level_changed)                                                                                         \
    X(9, ACCOUNT, account_opened)                                                                                      \
    X(10, FEE_TIER, fee_tier)                                                                                          \
    X(11, SCHEDULE, schedule)                                                                                          \
    X(12, EVM_BALANCE, evm_balance)                                                                                    \
    X(13, KEY, key_changed)                                                                                            \
    X(14, TRANSFER, transferred)                                                                                       \
    X(15, TIME, time_advanced)                                                                                         \
    X(16, PERPS_ORDER, perps_order_changed)                                                                            \
    X(17, POSITION, position_changed)                                                                                  \
    X(18, LEVERAGE, leverage_changed)                                                                                  \
    X(19, PRICE, price_changed)                                                                                        \
    X(20, FUNDING, funded)                                                                                             \
    X(21, UNIT, unit_stage)                                                                                            \
    X(22, VENUE, venue_changed)                                                                                        \
    X(23, SYMBOL, symbol_changed)                                                                                      \
    X(24, UNIT_POSITION, unit_position)                                                                                \
    X(25, PHASE, phase_changed)                                                                                        \
    X(26, MODE, mode_changed)                                                                                          \
    X(27, LIQUIDATION, liquidated)                                                                                     \
    X(28, ADL_RANKED, adl_ranked)                                                                                      \
    X(29, FUND, fund_changed)                                                                                          \
    X(30, INDEX_COMPOSED, index_composed)
enum event_kind {
#define X(number, NAME, type) EVENT_##NAME = number,
    EVENTS(X)
#undef X
};

struct event {
    uint16_t kind;   /* enum event_kind */
    uint16_t bytes;  /* of the whole record */
    uint8_t  market; /* enum market_kind, or 0 */
    uint8_t  reserved[3];
};
static_assert(sizeof(struct event) == 8, "hashed");

/*
 * Writes eight bytes of a record at `at` as one word, its lowest byte first as all numbers of a record: small members
 * beside one another, which cost a store each otherwise. Members that it does not name become 0.
 */
static inline void event_word(void *record, size_t at, uint64_t word)
{
    memcpy((uint8_t *)record + at, &word, sizeof(word));
}

/* The members from one to the one before `next` are such a word. */
#define EVENT_WORD(type, member, next)                                                                                 \
    static_assert(offsetof(struct type, next) - offsetof(struct type, member) == sizeof(uint64_t), "eight bytes")

/* An order's whole state after a change; the last one of an order has an end status. */
struct order_changed {
    struct event     head;
    uint64_t         order_id, account_id;
    uint32_t         symbol_id;
    uint8_t          side, type, time_in_force, status;
    uint8_t          exec_type, reason, reserved[6]; /* enum exec_type, enum end_reason */
    struct client_id client_id;
    int64_t          price;                    /* 0 = not given (market without bound) */
    int64_t          quantity;                 /* origQty; 0 for an order by funds */
    int64_t          funds;                    /* quote units; 0 = not by funds */
    int64_t          executed, executed_value; /* base, quote */
    int64_t          frozen;                   /* locked for the rest, in the coin spent */
    int64_t          created_ms, updated_ms;
};
EVENT_WORD(order_changed, exec_type, client_id);

#endif
