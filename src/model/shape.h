/* SPDX-License-Identifier: MIT */
/*
 * shape.h — JSON objects as rows. A row per key gives the value's place in a C struct, its kind, whether it is
 * required, and one sentence of documentation. The strict reader, the canonical writer (replies and signed payloads),
 * the query-string reader, the genesis and configuration files, the API page and the fuzzers read these rows; there is
 * no other JSON code for them.
 *
 * Rows are in the order in which keys are written, which is also the order that is signed.
 */
#ifndef MODEL_SHAPE_H
#define MODEL_SHAPE_H

#include "base/keccak.h"
#include "model/commands.h"

enum field_kind {
    KIND_BOOL = 1,     /* bool, uint8_t        true / false */
    KIND_U64,          /* uint64_t             JSON number */
    KIND_U32,          /* uint32_t             JSON number */
    KIND_I64,          /* int64_t              JSON number; times */
    KIND_OPTIONAL_U64, /* struct optional_u64  JSON number for which 0 is a value */
    KIND_CLIENT_ID,    /* struct client_id     string, pattern of spot place rule 2 */
    KIND_NAME,         /* struct name          string of at most 31 printable ASCII bytes, no quote or backslash */
    KIND_ADDRESS,      /* struct address       "0x" and 40 hex digits, written lower case */
    KIND_HASH,         /* struct hash256       "0x" and 64 hex digits */
    KIND_DECIMAL,      /* struct decimal       string; read: more than zero unless SIGNED */
    KIND_TEXT,    /* struct slice         string, written with JSON escapes; read: points into the body, no escapes */
    KIND_ENUM,    /* uint8_t              request: integer; reply: its name */
    KIND_OBJECT,  /* inline struct        object of `item` */
    KIND_ITEMS,   /* inline array         array of `item`, 0 .. count_max, count in a uint32_t */
    KIND_LIST,    /* struct list          array of `item` somewhere else; replies only */
    KIND_REFUSED, /* uint32_t             any JSON value; sets 1, the value is not kept (`builder`) */
    KIND_WIDE,    /* struct wide_decimal  string of a sum that 64 bits may not hold; replies only */
};

enum presence {
    REQUIRED = 1, /* must be read, is always written */
    DEFAULTED,    /* may be absent when read (zero), is always written */
    OPTIONAL,     /* optional when read, written when not zero. A sent zero is refused: the signed text would lose it */
    NULLABLE,     /* replies: null when zero */
};

/* clang-format off */
enum field_flag {
    FLAG_SIGNED     = 1,    /* a decimal may be negative                                    */
    FLAG_NUMBER     = 2,    /* a decimal is written as a JSON number (changePct)            */
    FLAG_EMPTY      = 4,    /* a client id may be the empty string                          */
    FLAG_ZERO       = 8,    /* a decimal may be zero when read (configuration bounds)       */
    FLAG_ENUM_NAME  = 16,   /* an enum is read by its name (configuration, genesis)         */
    FLAG_PARAM_DEPTH = 32,  /* query: `depth` is an alias when the key itself is absent     */
    FLAG_NOT_ZERO   = 64,   /* a required number must not be zero                           */
    FLAG_KEY_NAME   = 128,  /* a client id is the name of an API key, and is refused as one */
};
/* clang-format on */

struct list {
    const void *items;
    uint32_t    count, reserved;
};

struct shape;
struct field {
    const char             *key; /* as on the wire */
    uint8_t                 kind, presence, flags;
    uint32_t                offset;       /* of the member */
    uint16_t                count_offset; /* KIND_ITEMS: of the uint32_t with the count */
    uint16_t                count_max;    /* KIND_ITEMS */
    const struct enum_name *names;        /* KIND_ENUM */
    const struct shape     *item;         /* KIND_OBJECT, KIND_ITEMS, KIND_LIST */
    const char             *doc;          /* one sentence for the API page */
    uint8_t                 lookup;       /* enum lookup: of what is read for a number of the payload */
    uint16_t                becomes;      /* `lookup`: offset in the payload */
};

/* What a value of an operator's request stands for in the payload (api/operator/payload.c). */
enum lookup {
    LOOKUP_NONE = 0,
    LOOKUP_ID,     /* a text: struct operator_id, a piece of its hash */
    LOOKUP_COIN,   /* a name: the uint32_t of the coin */
    LOOKUP_AMOUNT, /* a decimal: the int64_t in units of the request's coin */
    LOOKUP_SYMBOL, /* a name: the uint32_t of the symbol, on the side of `engine`; a shape without that is of perps */
    LOOKUP_PRICE,  /* a decimal: a struct set_index by hand, in units of the request's symbol */
    LOOKUP_TIME,   /* Unix ms: an int64_t from 1 on, for 0 means no time */
};

struct shape {
    const char         *name; /* "BatchNewOrderRequest" */
    const char         *doc;
    const struct field *fields;
    uint32_t            field_count; /* at most 64: presence is a bit each */
    uint32_t            size;        /* of the C struct */
    bool                tuple;       /* written as an array of its values ([price, size]) */
    bool                bare;        /* written as the value of its only row */
    /* Rules between fields that need no state (ruling 33). REJECT_NONE = fine. May be NULL. */
    uint16_t (*check)(const void *self);
    /* The same of one item of its array, as far as its neighbours matter; runs before the items' own. May be NULL. */
    uint16_t (*check_item)(const void *self, uint32_t index);
};

/* Reads the kind off the member's type, so a row cannot lie about it. */
/* clang-format off */
#define KIND_OF(T, member) _Generic(((T *)0)->member,                                  \
    bool: KIND_BOOL, uint64_t: KIND_U64, uint32_t: KIND_U32, int64_t: KIND_I64,        \
    struct optional_u64: KIND_OPTIONAL_U64, struct client_id: KIND_CLIENT_ID,          \
    struct name: KIND_NAME, struct address: KIND_ADDRESS, struct hash256: KIND_HASH,   \
    struct decimal: KIND_DECIMAL, struct wide_decimal: KIND_WIDE, struct slice: KIND_TEXT, uint8_t: KIND_ENUM)
/* clang-format on */

/* A plain member; the same with flags; an enum; a uint8_t that is true or false; an inline array with its count; a
   list; an object; a refused key. */
#define FIELD(T, member, key, presence, doc)                                                                           \
    {                                                                                                                  \
        key, KIND_OF(T, member), presence, 0, offsetof(T, member), 0, 0, NULL, NULL, doc, 0, 0                         \
    }
#define FIELD_FLAGS(T, member, key, presence, flags, doc)                                                              \
    {                                                                                                                  \
        key, KIND_OF(T, member), presence, flags, offsetof(T, member), 0, 0, NULL, NULL, doc, 0, 0                     \
    }
#define FIELD_ENUM(T, member, key, presence, flags, names, doc)                                                        \
    {                                                                                                                  \
        key, KIND_OF(T, member), presence, flags, offsetof(T, member), 0, 0, names, NULL, doc, 0, 0                    \
    }
#define FIELD_BOOL(T, member, key, presence, doc)                                                                      \
    {                                                                                                                  \
        key,                                                                                                           \
            _Generic(((T *)0)->member, uint8_t                                                                         \
                     : KIND_BOOL),                                                                                     \
            presence, 0, offsetof(T, member), 0, 0, NULL, NULL, doc, 0, 0                                              \
    }
#define FIELD_ITEMS(T, member, count_member, key, presence, max, item, doc)                                            \
    {                                                                                                                  \
        key, KIND_ITEMS, presence, 0, offsetof(T, member), offsetof(T, count_member), max, NULL, item, doc, 0, 0       \
    }
#define FIELD_LIST(T, member, key, presence, item, doc)                                                                \
    {                                                                                                                  \
        key, KIND_LIST, presence, 0, offsetof(T, member), 0, 0, NULL, item, doc, 0, 0                                  \
    }
#define FIELD_OBJECT(T, member, key, presence, item, doc)                                                              \
    {                                                                                                                  \
        key, KIND_OBJECT, presence, 0, offsetof(T, member), 0, 0, NULL, item, doc, 0, 0                                \
    }
#define FIELD_REFUSED(T, member, key, doc)                                                                             \
    {                                                                                                                  \
        key, KIND_REFUSED, OPTIONAL, 0, offsetof(T, member), 0, 0, NULL, NULL, doc, 0, 0                               \
    }

#define SHAPE(NAME, T, wire_name, rows, check_, doc_)                                                                  \
    const struct shape NAME = { .name = wire_name,                                                                     \
                                .doc = doc_,                                                                           \
                                .fields = rows,                                                                        \
                                .field_count = ARRAY_COUNT(rows),                                                      \
                                .size = sizeof(T),                                                                     \
                                .check = check_ }

/* Requests (shapes_request.c). Their structs are the command payloads of commands.h. */
extern const struct shape new_order_shape, place_orders_shape;
extern const struct shape cancel_order_shape, cancel_orders_shape;
extern const struct shape replace_order_shape, replace_orders_shape;
extern const struct shape schedule_cancel_shape;
extern const struct shape transfer_asset_shape, revoke_key_shape;

/* Requests of the perps base (shapes_request_perps.c). */
extern const struct shape perps_order_shape, place_perps_shape;
extern const struct shape perps_cancel_shape, cancel_perps_shape;
extern const struct shape modify_order_shape, update_leverage_shape, update_margin_shape;

/* The body of addAPIKey: `key` is the command; the builder is signed but not part of the command. */
struct builder_fee {
    uint64_t id, fee;
};
struct add_key_request {
    struct add_key     key;
    struct builder_fee builder;
};
static_assert(offsetof(struct add_key_request, key) == 0, "its beginning is the command");
extern const struct shape add_key_shape, builder_shape;

/* The body of a feeder's post; decimals of each symbol become its price units (api/operator/oracle.c). */
struct oracle_item {
    uint64_t       symbol_id;
    struct decimal price, perp_mid;
};
struct oracle_request {
    uint64_t           seq;
    int64_t            timestamp_ms;
    uint32_t           count, reserved;
    struct oracle_item items[ORACLE_PRICES_MAX];
};
extern const struct shape oracle_request_shape;

/* Genesis (shapes_genesis.c): one JSON object with everything in genesis.h. */
extern const struct shape genesis_shape;

#endif
