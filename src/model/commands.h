/* SPDX-License-Identifier: MIT */
/*
 * commands.h — commands, the inputs of the engine. Events (events.h) are its outputs. The log holds commands, so every
 * struct here reaches disk: fixed layout, little endian, no padding that is not named `reserved` and zero. Kinds are
 * append-only.
 *
 *     +----------------+-----------------------------+
 *     | struct command | payload of `kind`           |   command.bytes = both, a multiple of 8
 *     +----------------+-----------------------------+
 */
#ifndef MODEL_COMMANDS_H
#define MODEL_COMMANDS_H

#include "model/decimal.h"
#include "model/enums.h"
#include "model/text.h"

#include "model/commands_perps.h"

#include "model/command_rows.h"

enum command_kind {
#define X(number, NAME, ...) CMD_##NAME = number,
    COMMANDS(X)
#undef X
};

/* Which sides of the exchange a command may be for: bits by enum market_kind; 0 is the part that both share. */
/* clang-format off */
enum command_sides {
    SIDES_SPOT = 1 << MARKET_SPOT, SIDES_PERPS = 1 << MARKET_PERPS, SIDES_BOTH = SIDES_SPOT | SIDES_PERPS,
        SIDES_ANY = SIDES_BOTH | 1,
};
/* clang-format on */

enum command_form { FORM_ONE = 1, FORM_BATCH, FORM_LIST };
enum command_whose { WHOSE_NOBODY = 1, WHOSE_ACCOUNT, WHOSE_USER };

/* Who may send a command, and how that is proved. Those from SENDER_KEY on are signed by users (wire 3.4). */
enum command_sender {
    SENDER_NODE = 1,      /* the exchange itself */
    SENDER_DEVELOPER,     /* any caller of /rpc, in development mode */
    SENDER_OPERATOR,      /* through the administration socket; judged by its content alone (ruling 74) */
    SENDER_OPERATOR_ONCE, /* the same, with an id that is kept: again with the same content it changes nothing */
    SENDER_FEEDER,        /* OraclePrices in domain oracle, type byte 01, by a feeder; a seq instead of a nonce */
    SENDER_KEY,           /* ExchangeAction in the domain of the base, type byte 01, by the main wallet or a key */
    SENDER_WALLET,        /* typed data of its own in domain universal, 02, by the main wallet */
    SENDER_WALLET_ANYHOW, /* ExchangeAction in domain universal, 02, or as SENDER_KEY, by the main wallet */
};

/* Meaning of `order_id` in a RESULT. */
enum result_number { GIVES_NOTHING = 1, GIVES_ORDER, GIVES_TRANSFER, GIVES_ACCOUNT, GIVES_CANCELED, GIVES_VALUE };

/* A row of command_rows.h, as far as it is read while the program runs. */
struct shape;
struct command_row {
    const char         *name;
    const struct shape *shape;         /* NULL = nothing is read */
    uint16_t            payload_bytes; /* of the struct; of a BATCH and a LIST with all items */
    uint16_t            items_at;      /* where the items begin; FORM_ONE: where the payload ends */
    uint16_t            item_bytes;    /* FORM_BATCH: of an item; else 0 */
    uint16_t            client_id_at;  /* FORM_BATCH: where an item has its client id */
    uint8_t             sides, right;  /* enum command_sides; enum key_right, 0 = none */
    uint8_t             sender, whose, class, gives;
};

/* Kinds are below this. */
enum {
#define X(number, NAME, ...) COMMAND_KINDS_##NAME,
    COMMANDS(X)
#undef X
        COMMAND_KINDS_LAST,
    COMMAND_KINDS = COMMAND_KINDS_LAST + 1,
};

/* By kind; [0] is the row of no command: its name is NULL and its sender 0. */
extern const struct command_row command_rows[COMMAND_KINDS];

/* The row of a kind; that of no command for numbers that are none. */
static inline const struct command_row *command_row(uint16_t kind)
{
    return &command_rows[kind < COMMAND_KINDS ? kind : 0];
}

static inline bool is_signed_by_user(const struct command_row *row) { return row->sender >= SENDER_KEY; }

/* Whether its items are cancels of single orders. */
static inline bool cancels_orders(const struct command_row *row)
{
    return row->item_bytes != 0 && row->class == CLASS_CANCEL;
}

/* Whether its items are new orders. */
static inline bool places_orders(const struct command_row *row)
{
    return row->item_bytes != 0 && row->class == CLASS_RISK;
}

/*
 * Development only: marks in the upper bits of command.domain, of a command that has a signer and no signature.
 * BY_TRADER: an account of the built-in market sent it; there is no JSON beside it in the log. IMPERSONATED: a client
 * acted as this address. Below the mark is the enum domain that a signature would have. A marked command needs the
 * right of a main wallet and has no nonce: `nonce` is its number in the log. An exchange that is not of development
 * refuses it like a bad signature.
 */
#define COMMAND_BY_TRADER    0x40
#define COMMAND_IMPERSONATED 0x80
#define COMMAND_MARKS        (COMMAND_BY_TRADER | COMMAND_IMPERSONATED)

struct command {
    uint32_t       bytes;       /* header and payload, a multiple of 8 */
    uint16_t       kind;        /* enum command_kind */
    uint8_t        market;      /* enum market_kind; 0 for commands of no market */
    uint8_t        domain;      /* enum domain of the signature, or a mark and a domain; 0 = of no user */
    uint64_t       seq;         /* position in the log, from 1; given by the sequencer */
    int64_t        time_ms;     /* engine time, the same for a whole batch; never goes back */
    uint64_t       nonce;       /* X-API-Nonce */
    uint64_t       origin;      /* where the reply goes; 0 = no reply. Never logged or hashed */
    uint64_t       chain_id;    /* the EIP-712 chain id that was signed; 0 = unsigned */
    uint64_t       payload_tag; /* first 8 bytes of keccak(signed bytes), to recognize a repetition (decision 244) */
    struct address signer;      /* recovered; zero = unsigned */
    uint32_t       key_id;      /* number of the API key that signed; 0 = the main wallet, or unsigned */
};
static_assert(sizeof(struct command) == 80, "reaches disk");

/* Whether it has a signer without a signature (COMMAND_BY_TRADER, COMMAND_IMPERSONATED). */
static inline bool command_is_marked(const struct command *command) { return (command->domain & COMMAND_MARKS) != 0; }

/* The domain of a signature, or that of a marked command without its mark; 0 = of no user. */
static inline uint8_t command_domain(const struct command *command)
{
    return command->domain & (uint8_t)~COMMAND_MARKS;
}

/* Optional numbers for which 0 is a value (scheduledTimestamp). */
struct optional_u64 {
    uint64_t value;
    uint64_t given;
};

struct new_order {
    uint64_t         symbol_id;
    struct client_id client_id;
    uint8_t          side, type, time_in_force, reserved[5];
    struct decimal   price, quantity, funds; /* zero = not given */
};
static_assert(sizeof(struct new_order) == 104, "reaches disk");

struct place_orders {
    uint64_t         account_id;           /* 0 = the signer's primary account */
    uint32_t         count, builder_given; /* builder: a known key; the API refuses it with NOT_SUPPORTED */
    struct new_order items[BATCH_MAX];     /* `count` of them are logged */
};

struct cancel_order {
    uint64_t         symbol_id;
    struct client_id client_id; /* names the request; target when both below are absent */
    uint64_t         order_id;
    struct client_id orig_client_id;
};
static_assert(sizeof(struct cancel_order) == 96, "reaches disk");

struct cancel_orders {
    uint64_t            account_id;
    uint32_t            count, reserved;
    struct cancel_order items[BATCH_MAX];
};

struct replace_order {
    uint64_t         symbol_id;
    struct client_id client_id; /* names the request, becomes an alias */
    uint64_t         orig_order_id;
    struct client_id orig_client_id;
    struct decimal   price, quantity;
};
static_assert(sizeof(struct replace_order) == 128, "reaches disk");

struct replace_orders {
    uint64_t             account_id;
    uint32_t             count, reserved;
    struct replace_order items[BATCH_MAX];
};

struct schedule_cancel {
    uint64_t            account_id;
    struct optional_u64 scheduled_ms; /* not given = clear the schedule */
};

/* missed 1: an instant that passed while the exchange was down. It moves no price and settles no funding; missed
   hours are settled once, by the first TICK that is not one of these (mechanics 3.10, ruling 43). */
struct tick {
    uint64_t missed;
};

/* First 16 bytes of keccak(text) of an id that the operator chose; it makes an operator's command idempotent. */
struct operator_id {
    uint8_t bytes[16];
};

/* Money from outside into an account of an address; makes user and primary account on first use (mechanics 7). */
struct deposit {
    struct address     address;
    uint32_t           coin_id;
    int64_t            amount;              /* > 0, units of the coin */
    uint8_t            engine, reserved[3]; /* enum market_kind: the side it is credited on */
    uint32_t           account_id;          /* an account of the address; 0 = its primary one */
    struct operator_id id;
};

/* Money out of the exchange: burns what an address has in the EVM ledger (mechanics 7). */
struct redeem {
    struct address     address;
    uint32_t           coin_id;
    int64_t            amount; /* > 0, units of the coin */
    struct operator_id id;
};

/* One more account for a user that exists; the new id is in the ACCOUNT event. */
struct open_account {
    struct address     owner;
    uint32_t           reserved;
    struct operator_id id;
};

/* A symbol of either side trades, or is halted; a perps symbol also takes only orders that reduce (mechanics 3.15). */
struct set_market {
    uint32_t           symbol_id;
    uint8_t            engine, status, reserved[2]; /* enum market_kind, enum symbol_status */
    struct operator_id id;
};

/* A perps symbol will be settled at an instant, or what was announced is withdrawn (mechanics 3.15). */
struct settle_symbol {
    uint32_t           symbol_id, reserved;
    int64_t            at_ms; /* 0 = withdrawn */
    struct operator_id id;
};

/* The operator cancels open orders: of a side or both, of a symbol or all, of an account or all. */
struct cancel_for {
    uint32_t           symbol_id;           /* 0 = all; only with an engine */
    uint32_t           account_id;          /* 0 = all */
    uint8_t            engine, reserved[7]; /* enum market_kind; 0 = both */
    struct operator_id id;
};

/* The staking tier of a user: of all its accounts, on both sides, from the next fill on (mechanics 2.6). */
struct set_staking {
    struct address     owner;
    uint32_t           tier;
    struct operator_id id;
};

/* The mode of the whole venue: of all symbols of both sides, from the next command on. */
struct set_mode {
    uint8_t            mode, reserved[7]; /* enum venue_mode */
    struct operator_id id;
};

/* A pool of the engine gets more places, from the next command on; it never shrinks (ruling 75). */
struct raise_limit {
    uint8_t            pool, reserved[3]; /* enum limit_pool */
    uint32_t           places;            /* at most POOL_PLACES_MAX */
    struct operator_id id;                /* names the request; nothing is kept */
};

/* Money between two accounts of one user, on one side (mechanics 7). */
struct transfer_between {
    uint32_t           from_account_id, to_account_id;
    uint32_t           coin_id;
    uint8_t            engine, reserved[3]; /* enum market_kind: the side it is moved on */
    int64_t            amount;              /* > 0, units of the coin */
    struct operator_id id;
};

/* Development: engine time runs ahead of the clock by `offset_ms` from now
   on; it only grows (ruling 43). The same again changes nothing. */
struct advance_time {
    int64_t offset_ms;
};

#define SNAPSHOT_NAME_MAX 32 /* bytes of a snapshot's name */

/*
 * Development: the log goes on behind an earlier batch. The command stands alone in its batch and never reaches the
 * engine: what the log has between the target and it is void, and the next command has the number behind the target's.
 */
struct revert {
    uint8_t  position[16]; /* of the target batch in the log; zeros: the beginning of the log */
    uint8_t  chain[32];    /* of the log behind the target */
    uint64_t next_seq;     /* of the command behind it */
    int64_t  time_ms;      /* engine time of the target */
    int64_t  behind_ms; /* by which the engine's clock is behind the wall clock then: time goes on from the target's */
    uint64_t snapshot;  /* number of the snapshot; 0 = the beginning of the log */
    char     name[SNAPSHOT_NAME_MAX]; /* of the snapshot, filled with zeros; "" = none */
};

/* Development: how the traders of the built-in market behave from now on (src/market). All zero: as at the start. */
struct set_traders {
    uint8_t  preset, reserved[3]; /* enum market_preset; 0 = that of the start */
    uint32_t pulled;              /* per cent of the makers that have no orders, 0 .. 100 */
    int64_t  takers;              /* per cent by which takers come more often, -100 .. TRADERS_TAKERS_MAX */
    int64_t  drift;               /* of the indexes, 1e-6 an hour, at most TRADERS_DRIFT_MAX either way */
};
#define TRADERS_TAKERS_MAX 1900
#define TRADERS_DRIFT_MAX  1000000

/* A transfer between spot, perps and the EVM ledger (service 4.2, service 4.5; mechanics 7). */
struct transfer_asset {
    uint64_t       account_id; /* fromAccountID */
    uint64_t       id;         /* idempotent per (engine, account) */
    uint64_t       to_account_id, coin_id;
    struct decimal amount;
    uint8_t        type, reserved[7]; /* enum transfer_type */
};

/* An API key for an account (wire 2.4). `permissions` is the disable mask, 0 = everything allowed. */
struct add_key {
    uint64_t         account_id;
    struct client_id name;
    uint8_t          key_type, reserved[3]; /* 1 = EVM address */
    uint32_t         builder_given;         /* known; the API refuses it with NOT_SUPPORTED */
    struct address   public_key;
    uint32_t         reserved2;
    uint64_t         expires_ms;                     /* 0 = never */
    uint64_t         permissions, permissions_given; /* the two members of a struct optional_u64: 0 is a value */
};
static_assert(offsetof(struct add_key, permissions_given)
                      == offsetof(struct add_key, permissions) + offsetof(struct optional_u64, given)
                  && offsetof(struct optional_u64, value) == 0,
              "read and written as one");

struct revoke_key {
    uint64_t         account_id;
    struct client_id name;
};

/* The largest command there is. */
#define COMMAND_BYTES_MAX (sizeof(struct command) + sizeof(struct replace_orders))
static_assert(sizeof(struct replace_orders) >= sizeof(struct place_orders), "the largest payload");
static_assert(sizeof(struct replace_orders) >= sizeof(struct place_perps), "the largest payload");

/* Room for any command, properly aligned. */
struct command_room {
    struct command head;
    union {
#define X(number, NAME, name, payload, ...) struct payload payload;
        COMMANDS(X)
#undef X
    };
};

/* The payload behind the header. */
static inline const void *command_payload(const struct command *command) { return command + 1; }

/* Bytes of a batch payload with `count` items, and its weight. */
#define PAYLOAD_BYTES(type, count)                                                                                     \
    (offsetof(struct type, items) + (size_t)(count) * sizeof(((struct type *)0)->items[0]))

/* The head of every BATCH. */
struct items_head {
    uint64_t account_id;
    uint32_t count, reserved;
};

/* Items of a command's payload, each of which has one RESULT. */
static inline uint32_t payload_items(const struct command_row *row, const void *payload)
{
    return row->item_bytes != 0 ? ((const struct items_head *)payload)->count : 1;
}

static inline uint32_t command_items(const struct command *command)
{
    return payload_items(command_row(command->kind), command_payload(command));
}

/* Bytes of a payload that the log keeps: a BATCH keeps its used items. Not for FORM_LIST. */
static inline size_t payload_bytes(const struct command_row *row, const void *payload)
{
    return row->item_bytes != 0 ? row->items_at + (size_t)payload_items(row, payload) * row->item_bytes
                                : row->payload_bytes;
}

/* The name of a command kind ("batchNewOrder"), or NULL. */
static inline const char *command_name(uint16_t kind) { return command_row(kind)->name; }

#endif
