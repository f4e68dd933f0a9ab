/* SPDX-License-Identifier: MIT */
/*
 * rule.h — one rule of faults: what happens (enum chaos_fault), to what (its scope), and when (its trigger). A key that
 * is not given restricts nothing. docs/chaos.md describes them for users.
 */
#ifndef CHAOS_RULE_H
#define CHAOS_RULE_H

#include "chaos/distribution.h"
#include "model/commands.h"

#define CHAOS_TEXT_MAX 95       /* bytes of a path, a channel, a symbol */
#define CHAOS_CERTAIN  1000000u /* probability 1, in millionths */
#define CHAOS_SKEW_MAX (INT64_C(366) * DAY_MS)

enum chaos_fault {
    CHAOS_RATE_LIMIT = 1, /* 429 instead of handling the request */
    CHAOS_UNAVAILABLE,    /* 503 likewise */
    CHAOS_INTERNAL,       /* 500 likewise */
    CHAOS_DELAY,          /* the request waits before it is handled */
    CHAOS_LATENCY,        /* requests arrive, and answers and messages leave, later */
    CHAOS_DROP_REPLY,     /* handled; nothing is sent any more */
    CHAOS_RESET_BEFORE,   /* the connection is reset instead of handling the request */
    CHAOS_RESET_AFTER,    /* handled, and durable if it is a command; then the connection is reset */
    CHAOS_SKEW,           /* another time in the answer */
    CHAOS_CUT,            /* the stream ends instead of the message */
    CHAOS_SKIP,           /* the message is left out */
    CHAOS_REPEAT,         /* it is sent twice */
    CHAOS_STALL,          /* it waits, and all behind it */
    CHAOS_STALE_INDEX,    /* the built-in feeder posts no price */
    CHAOS_SLOW_SYNC,      /* the log takes longer to be durable */
    CHAOS_FAULTS
};

/* The keys of a rule, a bit each. */
/* clang-format off */
enum chaos_key {
    KEY_PATH = 1 << 0, KEY_METHOD = 1 << 1, KEY_ACCOUNT = 1 << 2, KEY_ADDRESS = 1 << 3, KEY_CHANNEL = 1 << 4,
    KEY_SYMBOL = 1 << 5, KEY_AT = 1 << 6, KEY_MS = 1 << 7, KEY_JITTER = 1 << 8, KEY_IN = 1 << 9, KEY_OUT = 1 << 10,
    KEY_RETRY_AFTER = 1 << 11, KEY_CODE = 1 << 12,
};
/* clang-format on */

/* Where a rule acts. */
enum chaos_point { POINT_REQUEST = 1, POINT_MESSAGE, POINT_FRAME, POINT_INDEX, POINT_SYNC, POINT_INPUT };

struct chaos_text {
    uint8_t len;
    char    at[CHAOS_TEXT_MAX];
};

struct chaos_rule {
    uint8_t             fault;  /* enum chaos_fault */
    uint8_t             method; /* as in the subject; 0 = any */
    bool                has_ip, has_owner;
    uint32_t            given;             /* enum chaos_key: what its request named */
    struct chaos_text   path;              /* begins with '/': the beginning of the path; else a part of it */
    struct chaos_text   channel, symbol;   /* whole names */
    uint32_t            symbol_id;         /* of perps, that of the name; 0 = any */
    uint64_t            account_id;        /* 0 = any */
    uint8_t             ip[16];            /* of the client */
    struct address      owner;             /* of the account */
    uint32_t            probability;       /* millionths, from 1 */
    uint64_t            every;             /* acts on each so-many-th match; 0 and 1 = on each */
    uint64_t            most;              /* acts so often, then never again; 0 = without end */
    uint64_t            at;                /* acts on this message of each connection alone; 0 = on any */
    int64_t             from_ms, until_ms; /* engine time; 0 = without bound */
    uint64_t            seed;
    struct distribution in, out; /* waiting times; `in` also of a stall and a sync */
    int64_t             skew_ms;
    uint32_t            retry_after; /* seconds, of a 429 */
    uint16_t            code;        /* of the close frame of a cut; 0 = the connection ends without one */
};

/* How many messages of a connection a rule has seen. */
struct chaos_seen {
    uint32_t rule, count;
};

/* What a rule is compared with. Texts may be empty, numbers zero: not known, or there is none. */
struct chaos_subject {
    uint8_t               point; /* enum chaos_point */
    uint8_t               method;
    struct slice          path, channel;
    uint32_t              symbol_id; /* of perps */
    uint64_t              account_id;
    const uint8_t        *ip;     /* 16 bytes; NULL = none */
    const struct address *owner;  /* NULL = unknown */
    int64_t               now_ms; /* engine time */
    struct chaos_seen    *seen;   /* of this connection, CHAOS_RULES_MAX places; NULL = not counted */
};

/* The name of a fault, "drop-reply", and back; NULL and 0 when there is none. */
const char *chaos_fault_name(uint8_t fault);
uint8_t     chaos_fault_by_name(struct slice name);

/* A key that is wrong, and what it needs. */
struct chaos_wrong {
    const char *key, *need;
};

/* Whether the rule is one; else *wrong says which key it names wrongly, lacks, or may not have. */
bool chaos_rule_check(const struct chaos_rule *rule, struct chaos_wrong *wrong) MUST_USE;

/* Whether the rule is about this subject, its time window included. */
bool chaos_rule_matches(const struct chaos_rule *rule, const struct chaos_subject *subject);

/* Whether it acts on its match number `match`, from 1. */
bool chaos_rule_hits(const struct chaos_rule *rule, uint64_t match);

#endif
