/* SPDX-License-Identifier: MIT */
/*
 * refused.h — writes that never become commands. A request is drawn, mutated in some places, and given to the
 * exchange's own code as bytes; the twin derives from the specification which of its faults is answered, and writes
 * the reply byte for byte (rulings 1, 2, 4 to 9, 30, 33; wire 2, 3; process 2 for the order of the checks). Shared by
 * its files; the interface is at the end.
 */
#ifndef TWIN_REFUSED_H
#define TWIN_REFUSED_H

#include "base/keccak.h"
#include "model/rejects.h"
#include "text.h"
#include "workload.h"

/* ---- json.c: a body as it came ---- */

/* Where the text stops to be JSON: at a value, a key without its quote
   or end, a colon, behind a member, an item or all of it. */
enum broken {
    BROKEN_NOT,
    BROKEN_VALUE,
    BROKEN_QUOTE,
    BROKEN_KEY,
    BROKEN_COLON,
    BROKEN_OBJECT,
    BROKEN_ARRAY,
    BROKEN_BEHIND
};
/* o object, a array, s string, n number, w true, false or null, ?
   none of these, 0 a key without a value. 0 is no value. */
struct value {
    char     is;
    bool     whole, escaped, key_escaped;
    uint32_t key_from, key_to, from, to, first, next;
};
enum { VALUES_MAX = 8192, NO_FAULT = UINT32_MAX };
struct json {
    const char  *text;
    uint32_t     len, count, where;
    enum broken  broken;
    struct value values[VALUES_MAX];
};

void     json_look(struct json *json, const char *text, size_t len); /* values[1] is the whole */
uint32_t json_fault(const struct json *json, uint32_t v, uint32_t depth, bool strict);
bool     json_key_is(const struct json *json, uint32_t v, const char *key, size_t len);
size_t   json_squeeze(const char *text, size_t len, char *into);

/* ---- actions.c: the requests of a client (wire 2) ---- */

/* clang-format off */
enum takes {
    TAKES_U64, TAKES_U32, TAKES_TIME, TAKES_CHOICE, TAKES_CLIENT_ID, TAKES_KEY_NAME, TAKES_DECIMAL, TAKES_SIGNED,
    TAKES_FLAG, TAKES_ADDRESS,
    TAKES_ANYTHING, TAKES_OBJECT, TAKES_LIST,
};
/* clang-format on */
enum {
    MUST = 1,
    ZERO = 2,
    EMPTY = 4,
    ALWAYS = 8
}; /* must be there; may be 0; may be ""; the normal form has it in any case */
/* Choices are low … high; an object has `count` lines, and so has each of at most `high` items. */
struct line {
    const char        *key;
    uint8_t            takes, is, low, high, count;
    const struct line *of;
};
enum { LINES_MAX = 14, ITEMS_MAX = 100 };

enum proof { BY_ACTION, BY_GRANT, BY_REVOCATION, BY_FEEDER };
enum { ON_GATEWAY = 1, ON_SPOT = 2, ON_PERPS = 4 };
enum what {
    PLACE,
    CANCEL,
    REPLACE,
    PLACE_PERPS,
    CANCEL_PERPS,
    MODIFY,
    SCHEDULE,
    LEVERAGE,
    MARGIN,
    TRANSFER,
    ADD_KEY,
    REVOKE_KEY,
    ORACLE
};
struct action {
    enum what          what;
    const char        *method, *path, *type, *allow; /* allow: all methods of the path */
    uint8_t            bases, proof, count;
    bool               reduces;
    uint16_t           command;
    const struct line *lines;
};
extern const struct action actions[];
extern const uint32_t      action_count;
extern const char *const   base_text[]; /* by ON_…: "/api/v1" and so on */

/* ---- the request ---- */

enum { BODY_MAX = 128 * 1024, SPOILS_MAX = 2 };
enum signed_text { SIGNED_RAW, SIGNED_NORMAL, SIGNED_OTHER };
/* The signed text, its signer, and its spelling. */
struct sign {
    uint32_t who;
    uint8_t  type, domain, text, spelling, v_more, range;
    bool     bare, upper, given; /* given: the header is not to be made */
    uint64_t chain, message_chain, nonce;
};
struct header {
    char text[300];
    bool there, twice;
};
struct sent {
    uint64_t seed;
    struct {
        uint32_t kind;
        uint64_t seed;
    } spoils[SPOILS_MAX];
    uint32_t             mutate_count;
    uint32_t             told, shop, base; /* given: which exchange it must be, from 1, 0 any; base: ON_… */
    const struct action *action;
    char                 method[12], path[400];
    struct header        nonce, sign_text, key, chain, type;
    struct sign          sign;
    int64_t              now_ms, offset_ms;
    bool                 starting, shed, full; /* of the exchange, at that moment */
    uint32_t             limit, prior_count,
        prior_ago[6]; /* units of a minute, 0 = no limits; earlier requests from this address, oldest first */
    bool   origin, chunked, tight; /* HTTP form: from a page, in chunks, without space behind a header's name */
    size_t body_len;
    char   body[BODY_MAX];
};

/* ---- the verdict ---- */

struct price_said {
    uint64_t symbol, price, mid;
};

struct verdict {
    enum reject    reject; /* REJECT_NONE: a command comes of it */
    const char    *text;   /* instead of the usual one */
    const char    *allow;  /* the methods of the path */
    char           field[96], got[96], need[128];
    const char    *reason;
    int64_t        server_time;
    bool           unused;              /* the nonce may be sent again */
    bool           proof, recovered_it; /* the values derived from the signature are in the reply */
    char           cause[192];
    const char    *hashed;
    size_t         hashed_len;
    struct hash256 digest;
    uint64_t       chain;
    struct address recovered;
    /* Of a command: */
    struct address           signer;
    uint8_t                  domain;
    const char              *signed_text;
    size_t                   signed_len;
    uint32_t                 retry;  /* seconds */
    uint32_t                 key_id; /* 0: the main wallet */
    const struct price_said *prices; /* of a feeder */
};

/* The body by line; of the items of its list, or of its object. `text` is the normal form. */
struct found {
    bool     there;
    uint64_t number;
    char     text[64];
};
struct body {
    struct found top[LINES_MAX], item[ITEMS_MAX][LINES_MAX];
    uint32_t     items;
};

/* ---- judge.c, rules.c: the body ---- */
bool judge_body(const struct action *action, const char *text, size_t len, struct body *body, struct verdict *verdict);
bool judge_rules(const struct action *action, const struct body *body, struct verdict *verdict);
void normal_form(const struct action *action, const struct body *body, struct text *into);
const struct found *found_in(const struct line *lines, uint32_t count, const struct found *found, const char *key);
void say(struct verdict *verdict, enum reject reject, const char *field, const char *got, const char *need);
void shorten(char *into, size_t room, const char *text, size_t len); /* printable, "..." where it is cut */

/* ---- signing.c: the accounts, keys and wallets of a small world ---- */
enum { OWNER_A, OWNER_B, STRANGER, KEY_A, KEY_LATE, KEY_GONE, KEY_B, FEEDER, PEOPLE };
struct account_row {
    uint64_t id, user;
    uint32_t who;
    bool     primary;
};
struct key_row {
    uint64_t    user, account;
    const char *name;
    uint32_t    who;
    bool        revoked;
};
extern const struct account_row account_rows[];
extern const struct key_row     key_rows[];
extern const uint32_t           account_row_count, key_row_count;
struct person {
    uint8_t        secret[32];
    struct address address;
};
extern struct person people[PEOPLE];
struct shop_row {
    const char *name;
    bool        development, public_ids, strict_sides;
    uint64_t    chains[4];
    uint32_t    chain_count;
};
extern const struct shop_row shop_rows[];
extern const uint32_t        shop_count;
void                         people_come(void);

/* ---- signing.c: EIP-712 (wire 3) ---- */
struct grant {
    uint64_t       account, expires, permissions, builder, fee, key_type;
    const char    *name;
    size_t         name_len;
    const uint8_t *key;
    bool           permissions_given, builder_given;
};
struct hash256 action_digest_of(uint8_t domain, uint64_t chain, const char *text, size_t len, uint64_t nonce);
struct hash256 grant_digest_of(uint32_t spelling, uint64_t domain_chain, uint64_t message_chain, uint64_t nonce,
                               const struct grant *grant);
void           grant_text(struct text *into, uint32_t spelling, uint64_t message_chain, uint64_t nonce,
                          const struct grant *grant);
struct hash256 oracle_digest_of(uint64_t chain, uint64_t seq, uint64_t time, const struct price_said *prices,
                                uint32_t count);
void           sign_it(struct sent *asked, const struct hash256 *digest);
bool           is_intact(const struct sent *asked); /* it is as its maker made it */
bool           in_range(const char *header);
bool           signer_of(const struct hash256 *digest, const char *header, struct address *signer);

/* ---- draw.c, mutate.c ---- */
void draw_request(struct sent *asked, uint64_t seed,
                  const struct sent *beside); /* to the same exchange as it; may be NULL */
void draw_again(struct sent *asked);          /* from its seed and spoils */
enum { SPOIL_KINDS = 64 };
const char           *mutate_name(uint32_t kind);
uint32_t              mutate_some(struct random_state *random_state); /* one of the kinds */
extern const uint32_t mutate_count;

/* ---- headers.c, weights.c, who.c, feeder.c, reply.c: the rest of the checks ---- */
bool judge_front(struct sent *asked, struct verdict *verdict); /* path, method, crowd */
bool judge_weight(const struct sent *asked, struct verdict *verdict);
bool judge_items(const struct sent *asked, const struct body *body, struct verdict *verdict); /* of a batch */
bool judge_headers(const struct sent *asked, struct verdict *verdict);
bool judge_path(const struct sent *asked, struct verdict *verdict); /* percent-encoding of the owner's segment */
bool judge_who(struct sent *asked, const struct body *body, struct verdict *verdict);
bool judge_feeder(struct sent *asked, const struct body *body, struct verdict *verdict);
void bad_signature(const struct sent *asked, struct verdict *v, enum reject reject, const char *need);
/* The report about a signature that proves nothing: the first digest it could have been of, and the signer for it. */
void explain(const struct sent *asked, struct verdict *v, uint64_t chain, const struct hash256 *digest,
             const struct hash256 *made);
bool is_ours(const struct shop_row *shop, uint64_t chain);
enum { FEEDERS_LAST_SEQ = 41 };
void     judge(struct sent *asked, struct body *body, struct verdict *verdict);
void     write_reply(struct text *into, const struct sent *asked, const struct verdict *verdict);
uint64_t nonce_of(const struct sent *asked);
uint64_t chain_of(const struct sent *asked); /* X-API-Chain, 0 = none */

/* ---- state.c ---- */
struct views;
bool views_are(const struct views *views, const void *then, size_t bytes);

/* ---- interface ---- */

/* A lie of the twin's, one of which a test plants. */
/* clang-format off */
enum refused_lie {
    LIE_NONE,
    LIE_ORDER_HEADERS,              /* the signature's form before the nonce                    */
    LIE_ORDER_BODY,                 /* syntax before what stands before it                      */
    LIE_ORDER_RULES,                /* items before what they are to each other                 */
    LIE_CODE, LIE_TEXT, LIE_RULE, LIE_GOT, LIE_NEED, LIE_FIELD, LIE_STATUS,     /* another one  */
    LIE_COMMAND,                    /* a refused request becomes a command */
    LIE_HIDE,                       /* production gives the reason */
    LIE_NONCE,                      /* the reply lacks that the nonce is free */
    LIE_BOUNDARY,                   /* the largest number is one less                           */
    LIE_WINDOW,                     /* the nonce's window is a millisecond away                 */
    LIE_DIGEST,                     /* another nonce is hashed                                  */
    LIE_RETRY,                      /* a second too early                                       */
    LIES,
};
/* clang-format on */
extern enum refused_lie refused_planted;

struct refused_counts {
    uint64_t requests, refused, accepted, asked_who, rejects[REJECT_COUNT], spoils[SPOIL_KINDS], said;
}; /* output: a digest of the requests */
/* Asks so many requests of the seed; NULL, or what differs first,
   with the request, spoilt in as few places as show it. */
const char *refused_run(uint64_t seed, uint64_t requests, struct refused_counts *counts);

#endif
