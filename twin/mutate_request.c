/* SPDX-License-Identifier: MIT */
/* mutate_request.c — what can be wrong with paths, headers and signatures,
   and with the moment: each number at both sides of its edge. */
#include <inttypes.h>

#include "draft.h"

static uint32_t draws(struct draft *draft, uint32_t n) { return random_below(&draft->random_state, n); }
#define SOME(list) list[draws(draft, ARRAY_COUNT(list))]

static void say_header(struct header *header, const char *text)
{
    header->there = true;
    (void)snprintf(header->text, sizeof(header->text), "%s", text);
}

/* ---- where and when ---- */

static void other_path(struct draft *draft)
{
    /* clang-format off */
    static const char *const paths[] = {
        "/api/v1/spot/trade/orders", "/api/v1/spot/trade/twaps", "/api/v1/spot/trade/leverage",
        "/api/v1/spot/trade/margin", "/api/v1/spot/trade/orders/modify", "/api/v1/spot/oracle", "/api/v1/spot",
        "/api/v1/perps/trade/orders/batch", "/api/v1/perps/trade/twaps", "/api/v1/perps/trade/collateral",
        "/api/v1/perps/trade/order", "/api/v1/trade/orders", "/api/v1/accounts/transfers",
        "/api/v1/user/0x00000000000000000000000000000000000000aa/builders", "/api/v1/user//api-keys",
        "/trade/orders/batch", "/api/v2/spot/trade/orders/batch", "/api/v1/spot/trade/orders/batch/",
        "/api/v1/spot//trade/orders/batch", "/API/v1/spot/trade/orders/batch", "/api/v1/spot/trade/orders/Batch", "/",
        "/api/v1/spot/a/b/c/d/e/f/g", "/api/v1/spot/trade/orders/batc%68",
        /* a path of the other base too, signed for this one */
        "/api/v1/spot/trade/orders/replace", "/api/v1/perps/trade/orders/replace", "/api/v1/spot/accounts/transfers",
        "/api/v1/perps/accounts/transfers", "/api/v1/spot/trade/orders/batch",
        "/api/v1/perps/trade/orders", "/api/v1/perps/accounts/api-keys", "/api/v1/perps/trade/margin",
    };
    /* clang-format on */

    (void)snprintf(draft->asked->path, sizeof(draft->asked->path), "%s", SOME(paths));
}

static void other_method(struct draft *draft)
{
    static const char *const methods[] = { "PUT", "PATCH", "POST", "DELETE", "TRACE", "GET", "HEAD" };
    bool                     is_read =
        strstr(draft->asked->path, "/user/") != NULL || strcmp(draft->asked->path, "/") == 0; /* with the last two */

    (void)snprintf(draft->asked->method, sizeof(draft->asked->method), "%s", methods[draws(draft, is_read ? 5 : 7)]);
}

/* Who stands in the path of the gateway's actions. */
static void other_owner(struct draft *draft)
{
    /* clang-format off */
    static const char *const owners[] = {
        "0x", "nobody", "0x00000000000000000000000000000000000000aa", "0X00000000000000000000000000000000000000aa",
        "0x00000000000000000000000000000000000000a", "%30x00000000000000000000000000000000000000aa", "%", "%4",
        "%00", "%zz", "%ff", "0x00000000000000000000000000000000000000ag", "a%22b",
    };
    /* clang-format on */
    struct sent *asked = draft->asked;
    char        *at = strstr(asked->path, "/user/");
    uint32_t     how = draws(draft, 4), len = 255 + draws(draft, 3);
    char         text[300];

    if (at == NULL) return;
    at += strlen("/user/");
    if (how == 0) {
        memset(text, 'a', len);
        text[len] = '\0';
    } else if (how == 1) (void)snprintf(text, sizeof(text), "%s", SOME(owners));
    else {
        int                  n = sprintf(text, "0x");
        const struct person *person = &people[draws(draft, 3)];
        for (int i = 0; i < 20; i++)
            n += sprintf(text + n, draws(draft, 2) ? "%02X" : "%02x", person->address.bytes[i]);
    }
    (void)snprintf(at, sizeof(asked->path) - (size_t)(at - asked->path), "%s/api-keys", text);
}

static void not_ready(struct draft *draft)
{
    *(draws(draft, 2) ? &draft->asked->starting : &draft->asked->shed) = true;
}
static void no_room(struct draft *draft) { draft->asked->full = true; }

/* Earlier requests from the same address, each for 20 units: little or nothing is left, for some seconds. */
static void limited(struct draft *draft)
{
    struct sent *asked = draft->asked;
    uint32_t     ago = 58 + draws(draft, 5);

    asked->limit = 60 + draws(draft, 4);
    asked->prior_count = 1 + draws(draft, ARRAY_COUNT(asked->prior_ago));
    for (uint32_t i = 0; i < asked->prior_count; i++) {
        asked->prior_ago[i] = ago;
        ago -= draws(draft, 2) ? draws(draft, 3) : draws(draft, ago + 1);
        if (ago > 62) ago = 0;
    }
}

/* The exchange has jumped; the window of nonces has not (ruling 44). */
static void jumped(struct draft *draft)
{
    draft->asked->offset_ms = INT64_C(2592000000) * (1 + draws(draft, 3));
    if (draws(draft, 2)) draft->asked->now_ms += draft->asked->offset_ms;
}

/* ---- headers ---- */

static void no_nonce(struct draft *draft) { draft->asked->nonce.there = false; }
static void nonce_twice(struct draft *draft) { draft->asked->nonce.twice = true; }
static void other_nonce(struct draft *draft)
{
    /* clang-format off */
    static const char *const some[] = {
        "", "0", "-1", "+1", "01760000000000", "1760000000000.0", "1.76e12", "0x199", "1760000000000 1", "abc",
        "18446744073709551615", "18446744073709551616", "99999999999999999999999", "1", "1,760,000,000,000",
        "9223372036854775807", "9223372036854775808",
    };
    /* clang-format on */
    say_header(&draft->asked->nonce, SOME(some));
}
static void nonce_window(struct draft *draft)
{
    static const int64_t edges[] = { -172800000, 86400000, 0 };
    int64_t              edge = SOME(edges);
    char                 text[32];

    (void)snprintf(text, sizeof(text), "%" PRId64,
                   draft->asked->now_ms - draft->asked->offset_ms + edge + (int64_t)draws(draft, 3) - 1);
    say_header(&draft->asked->nonce, text);
}

static void no_sign(struct draft *draft)
{
    draft->asked->sign_text.there = false;
    draft->asked->sign.given = true;
}
static void sign_twice(struct draft *draft) { draft->asked->sign_text.twice = true; }
static void other_sign(struct draft *draft)
{
    static const char *const some[] = {
        "",
        "0x",
        "01",
        "0x01",
        "none",
        "0xzz",
        "A text that is no signature at all, and longer than what is shown of any",
    };
    uint32_t digits = 128 + draws(draft, 8), how = draws(draft, 4);
    char    *text = draft->asked->sign_text.text;

    draft->asked->sign_text.there = draft->asked->sign.given = true;
    if (how == 0) {
        (void)snprintf(text, sizeof(draft->asked->sign_text.text), "%s", SOME(some));
        return;
    }
    (void)snprintf(text, 10, "%s0%u", how == 1 ? "0x" : how == 2 ? "0X" : "", draws(draft, 4));
    for (size_t i = strlen(text); i < digits; i++) {
        text[i] = "0123456789abcdefABCDEF"[draws(draft, 22)];
        text[i + 1] = '\0';
    }
    if (draws(draft, 3) == 0) text[draws(draft, digits)] = 'g';
}
static void sign_type(struct draft *draft) { draft->asked->sign.type = (uint8_t)draws(draft, 4); }
static void sign_range(struct draft *draft) { draft->asked->sign.range = (uint8_t)(1 + draws(draft, 11)); }

static void other_key(struct draft *draft)
{
    /* clang-format off */
    static const char *const some[] = {
        "bot-1", "gone", "late_key", "nobody", "Default", "DEFAULT", "default", "", "BOT-1", "bot-1 x",
        "0x00000000000000000000000000000000000000aa", "123456789012345678901234567890123456",
        "1234567890123456789012345678901234567",
        "a name that is much too long to be the name of any key, and is cut where it is shown", "a\"b\\c",
    };
    /* clang-format on */
    say_header(&draft->asked->key, SOME(some));
}
static void key_twice(struct draft *draft) { draft->asked->key.twice = draft->asked->key.there = true; }
static void other_chain(struct draft *draft)
{
    /* clang-format off */
    static const char *const some[] = {
        "", "0", "1", "286623", "138565", "4242", "4243", "0x45fbf", "0286623", "-1", "18446744073709551615",
        "18446744073709551616", "main",
    };
    /* clang-format on */
    uint64_t chain;

    say_header(&draft->asked->chain, SOME(some));
    chain = chain_of(draft->asked);
    if (chain != 0 && draws(draft, 2)) draft->asked->sign.chain = chain;
}
static void chain_twice(struct draft *draft) { draft->asked->chain.twice = draft->asked->chain.there = true; }
static void other_type(struct draft *draft)
{
    /* clang-format off */
    static const char *const some[] = {
        "", "text/plain", "application/jsonx", "application/json;x", "application/json x", "APPLICATION/JSON",
        "application/json ;", "application/jso", "application/x-www-form-urlencoded", "json",
    };
    /* clang-format on */
    say_header(&draft->asked->type, SOME(some));
}
static void type_twice(struct draft *draft) { draft->asked->type.twice = draft->asked->type.there = true; }

/* ---- signatures ---- */

static void other_signer(struct draft *draft) { draft->asked->sign.who = draws(draft, PEOPLE); }
static void other_domain(struct draft *draft) { draft->asked->sign.domain = (uint8_t)(1 + draws(draft, 3)); }
static void chain_signed(struct draft *draft)
{
    static const uint64_t chains[] = { 286623, 138565, 4242, 1 };

    draft->asked->sign.chain = SOME(chains);
    if (draws(draft, 2)) draft->asked->sign.message_chain = draft->asked->sign.chain;
}
static void nonce_signed(struct draft *draft) { draft->nonce_off = 1 - 2 * (int32_t)draws(draft, 2); }
static void text_signed(struct draft *draft)
{
    draft->asked->sign.text = draws(draft, 2) ? SIGNED_OTHER : SIGNED_NORMAL;
}
static void spelling_signed(struct draft *draft) { draft->asked->sign.spelling = (uint8_t)draws(draft, 4); }

/* ---- all kinds ---- */

/* clang-format off */
static const struct { const char *name; uint32_t weight; void (*how)(struct draft *); } kinds[] = {
    { "path", 6, other_path }, { "method", 2, other_method }, { "owner in the path", 12, other_owner },
    { "not ready", 1, not_ready }, { "no room", 3, no_room }, { "jumped", 4, jumped },
    { "limited", 8, limited },
    { "no nonce", 1, no_nonce }, { "nonce twice", 1, nonce_twice }, { "nonce", 4, other_nonce },
    { "nonce's window", 8, nonce_window }, { "no signature", 1, no_sign }, { "signature twice", 1, sign_twice },
    { "signature's form", 6, other_sign }, { "type byte", 4, sign_type }, { "r, s, v", 6, sign_range },
    { "key's name", 8, other_key }, { "key twice", 1, key_twice }, { "chain", 8, other_chain },
    { "chain twice", 1, chain_twice }, { "content type", 3, other_type }, { "content type twice", 1, type_twice },
    { "signer", 8, other_signer }, { "domain", 6, other_domain },
    { "chain signed", 6, chain_signed }, { "nonce signed", 4, nonce_signed }, { "text signed", 4, text_signed },
    { "spelling", 4, spelling_signed },
};
/* clang-format on */
enum { BODY_KINDS = 21 };
const uint32_t mutate_count = BODY_KINDS + ARRAY_COUNT(kinds);

const char *mutate_name(uint32_t kind)
{
    return kind < BODY_KINDS ? mutate_body_name(kind) : kinds[kind - BODY_KINDS].name;
}

uint32_t mutate_some(struct random_state *d)
{
    uint32_t all = 0, kind = 0, throw;

    for (uint32_t i = 0; i < mutate_count; i++)
        all += i < BODY_KINDS ? mutate_body_weight(i) : kinds[i - BODY_KINDS].weight;
    for (throw = random_below(d, all);; kind++) {
        uint32_t weight = kind < BODY_KINDS ? mutate_body_weight(kind) : kinds[kind - BODY_KINDS].weight;
        if (throw < weight) return kind;
        throw -= weight;
    }
}

void mutate(struct draft *draft, uint32_t kind)
{
    assert(mutate_body(NULL, 0, false) == BODY_KINDS);
    if (kind < BODY_KINDS) (void)mutate_body(draft, kind, false);
    else kinds[kind - BODY_KINDS].how(draft);
}

void mutate_bytes(struct draft *draft, uint32_t kind) { (void)mutate_body(draft, kind, true); }
