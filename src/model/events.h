/* SPDX-License-Identifier: MIT */
/*
 * events.h — what happened. The engine appends events to a buffer; views, history, replies and the
 * block hash are folds over them. Facts in the past tense, in the order in which they became true.
 *
 * Every record begins with a struct event and is a multiple of 8 bytes. Prices, quantities and
 * amounts are integers in the units of their symbol or coin. Kinds are append only; `reserved`
 * members are zero, because the bytes are hashed into the block's stateRoot.
 *
 *   COMMAND_BEGAN  result*  (order | fill | trade | level | balance | …)*   COMMAND_BEGAN …
 */
#ifndef MODEL_EVENTS_H
#define MODEL_EVENTS_H

#include "model/event.h"
#include "model/events_perps.h"

/* First event of every command that was applied. */
struct command_began {
    struct event head;
    uint64_t     seq;
    int64_t      time_ms;
    uint64_t     origin; /* zeroed before hashing */
    uint16_t     command_kind, reserved;
    uint32_t     account_id; /* the account of an accepted command of a user; else 0 */
};

/* The command itself was refused: nothing ran, it is no transaction, no RESULT follows. Its nonce is unused. */
struct refused {
    struct event head;
    uint16_t     reject;       /* enum reject */
    uint16_t     nonce_reason; /* enum nonce_reason when reject is BAD_NONCE */
    uint32_t     same_payload; /* 1: this very payload was executed under the nonce, as command `used_seq` */
    uint64_t     used_seq;
    uint64_t     nonce;    /* the value that was sent */
    uint64_t     smallest; /* BAD_NONCE, too small: the smallest one stored */
};

enum result_said { SAID_GOT = 1, SAID_NEED = 2, SAID_ID = 4 };

/* One per item of a batch, in item order (I3); one with index 0 for a command without items. */
struct result {
    struct event     head;
    uint16_t         index;     /* item number from 0 */
    uint16_t         reject;    /* enum reject; REJECT_NONE = accepted */
    uint8_t          status;    /* enum order_status after the item, 0 when there is none */
    uint8_t          field;     /* enum item_field */
    uint8_t          said;      /* enum result_said: which of the following members are set */
    uint8_t          warning;   /* enum result_warning of an accepted item */
    uint64_t         order_id;  /* 0 when rejected without one. A transfer: its id; deposit and account: the account */
    struct client_id client_id; /* echo of the item's */
    struct client_id orig_client_id; /* cancel: the order's own id; SAID_ID: the id that came */
    struct decimal   got, need;      /* the value that was sent, and the value that was required */
};

/* The public trade. */
struct traded {
    struct event head;
    uint64_t     trade_id;
    uint32_t     symbol_id;
    uint8_t      taker_side;
    uint8_t      self; /* 1: both accounts belong to one user (ruling 71) */
    uint8_t      reserved[2];
    int64_t      price, quantity, value; /* value: quote units, the integer both sides moved */
    uint64_t     buyer_account_id, seller_account_id;
    int64_t      time_ms;
};
EVENT_WORD(traded, symbol_id, price);

/* One side of a trade, as its account sees it; two per trade, maker first. */
struct filled {
    struct event     head;
    uint64_t         trade_id, order_id, account_id;
    uint32_t         symbol_id;
    uint8_t          side, is_maker;
    uint8_t          reason; /* enum end_reason: LIQUIDATION, TAKEOVER, ADL; 0 = a trade like any */
    uint8_t          self;   /* 1: both accounts belong to one user (ruling 71) */
    struct client_id client_id;
    int64_t          price, quantity;
    int64_t          fee; /* units of fee_coin_id; negative = rebate */
    uint32_t         fee_coin_id, reserved2;
    int64_t          time_ms;
    uint64_t         liquidation_id; /* the incident that forced it, as in its LIQUIDATION; 0 = none */
};
EVENT_WORD(filled, symbol_id, client_id);

/*
 * A balance after a change, at most once per (account, coin) and item. head.market is the side (perps: the wallet,
 * which may be below zero, and locked = 0).
 */
struct balance {
    struct event head;
    uint64_t     account_id;
    uint32_t     coin_id, reserved;
    int64_t      total, locked;
};

/* The quantity at one price of a book after a change; 0 = the level is gone. update_id rises by one each time. */
struct level_changed {
    struct event head;
    uint32_t     symbol_id;
    uint8_t      side, reserved[3];
    int64_t      price, quantity;
    uint64_t     update_id;
};
EVENT_WORD(level_changed, symbol_id, price);

struct account_opened {
    struct event   head;
    uint64_t       account_id, user_id;
    struct address owner;
    uint32_t       is_primary;
};

/* A user's tiers on one market changed (UTC day roll, operator). */
struct fee_tier {
    struct event head;
    uint64_t     user_id;
    uint8_t      tier, staking, rebate, reserved[5];
};

/* An account's scheduled cancel changed. fire_ms 0 = none. */
struct schedule {
    struct event head;
    uint64_t     account_id;
    int64_t      fire_ms;
    uint32_t     fired_today, fired; /* fired: 1 when this event is the firing itself */
};

/* The EVM ledger balance of an address after a change. */
struct evm_balance {
    struct event   head;
    struct address address;
    uint32_t       coin_id;
    int64_t        amount;
};

/* An API key was registered or revoked. Numbers of keys are never re-used. */
struct key_changed {
    struct event     head;
    uint64_t         account_id, user_id;
    struct client_id name;
    uint8_t          key_type, revoked, reserved[6];
    uint32_t         key_id;
    struct address   public_key;
    int64_t          expires_ms;  /* 0 = never */
    uint64_t         permissions; /* disable mask (wire 0.6) */
};

/*
 * A movement of money between the parts of the exchange, in or out: one event per movement, for receipts. A transfer
 * between spot and perps has two, out of one side (…_WITHDRAW) and into the other (…_DEPOSIT), with one number;
 * head.market is the side of the movement.
 */
struct transferred {
    struct event   head;
    uint64_t       number;      /* of the transfer, from 1, over all kinds (ruling 38) */
    uint64_t       account_id;  /* the account; 0 for a redemption */
    uint64_t       transfer_id; /* of the request, 0 for deposits and redemptions */
    struct address address;     /* owner */
    uint32_t       coin_id;
    int64_t        amount;
    uint8_t        type; /* enum transfer_type */
    uint8_t        reserved[7];
    int64_t        time_ms;
};

struct time_advanced {
    struct event head;
    int64_t      offset_ms;
};

/* An operator halted a symbol, or lets it trade. */
struct symbol_changed {
    struct event head;
    uint32_t     symbol_id;
    uint8_t      status, reserved[3]; /* enum symbol_status */
};

/* An operator set another mode of the venue; SYMBOL and PHASE still carry each symbol's own. */
struct mode_changed {
    struct event head;
    uint8_t      mode, before; /* enum venue_mode */
    uint8_t      reserved[6];
};

#define X(number, NAME, type) static_assert(sizeof(struct type) % 8 == 0, "events are whole words");
EVENTS(X)
#undef X

/* A buffer of events; the caller owns the memory. */
struct events {
    uint8_t *at;
    size_t   len, cap;
};

/* Zeroes a record of constant size in pieces: each piece is a few plain stores, the whole would be a loop. */
static ALWAYS_INLINE void events_zero(uint8_t *at, uint16_t bytes)
{
    for (; bytes >= 256; at += 64, bytes = (uint16_t)(bytes - 64)) memset(at, 0, 64);
    if (bytes & 128) {
        memset(at, 0, 64);
        memset(at + 64, 0, 64);
        at += 128;
    }
    if (bytes & 64) {
        memset(at, 0, 64);
        at += 64;
    }
    if (bytes & 32) {
        memset(at, 0, 32);
        at += 32;
    }
    if (bytes & 16) {
        memset(at, 0, 16);
        at += 16;
    }
    if (bytes & 8) memset(at, 0, 8);
}

/*
 * Appends a zeroed record with its head filled in. The buffer is sized for the worst command (engine_events_bytes), so
 * room is asserted.
 */
static ALWAYS_INLINE void *events_add(struct events *events, uint16_t kind, uint16_t bytes, uint8_t market)
{
    struct event *event = (struct event *)(void *)(events->at + events->len);

    assert(bytes % 8 == 0 && events->len + bytes <= events->cap);
    events->len += bytes;
    events_zero((uint8_t *)event, bytes);
    *event = (struct event){ .kind = kind, .bytes = bytes, .market = market };
    return event;
}
#define EVENT_ADD(events, NAME, type, market)                                                                          \
    ((struct type *)events_add((events), EVENT_##NAME, sizeof(struct type), (market)))

/*
 * Room for records that the caller writes whole: the head of each (EVENT_HEAD) and every member, the reserved ones too,
 * because nothing is zeroed (core/engine/prefetch_test.c finds what is left out). For the records of most commands;
 * several that always stand together are one struct and one look at the room.
 */
static ALWAYS_INLINE void *events_room(struct events *events, size_t bytes)
{
    uint8_t *at = events->at + events->len;

    assert(bytes % 8 == 0 && bytes <= events->cap - events->len);
    events->len += bytes;
    return at;
}
#define EVENT_HEAD(NAME, type, of_market)                                                                              \
    ((struct event){ .kind = EVENT_##NAME, .bytes = sizeof(struct type), .market = (of_market) })

/* Walks a buffer: for (e = events_first(x); e; e = events_next(x, e)). */
static inline const struct event *events_at(const struct events *events, size_t offset)
{
    return offset < events->len ? (const struct event *)(const void *)(events->at + offset) : NULL;
}
static inline const struct event *events_first(const struct events *events) { return events_at(events, 0); }
static inline const struct event *events_next(const struct events *events, const struct event *event)
{
    return events_at(events, (size_t)((const uint8_t *)event - events->at) + event->bytes);
}

static inline bool status_is_open(uint8_t status)
{
    const uint32_t open =
        1u << STATUS_NEW | 1u << STATUS_PARTIALLY_FILLED | 1u << STATUS_PENDING_NEW | 1u << STATUS_TRIGGERED;

    return status < 32 && (open >> status & 1) != 0;
}

#endif
