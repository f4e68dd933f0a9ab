/* SPDX-License-Identifier: MIT */
/* headers.c — the checks before the body: path, method, the crowd,
   headers, the nonce's window (rulings 1, 6 to 9, 44, 53; process 2). */
#include <ctype.h>

#include "refused.h"

enum { SHOWN = 64 };

/* ---- paths and methods ---- */

/* Whether the path fits, where {} takes any non-empty text. */
static bool path_fits(const char *pattern, const char *path)
{
    for (; *pattern != '\0' && *path != '\0'; pattern++, path++) {
        if (pattern[0] == '{') {
            if (*path == '/') return false;
            while (path[1] != '/' && path[1] != '\0') path++;
            pattern++;
        } else if (*pattern != *path) {
            return false;
        }
    }
    return *pattern == '\0' && *path == '\0';
}

/* The endpoint that the path resembles (ruling 58). */
/* clang-format off */
static const struct { uint8_t base; const char *path, *text; } elsewhere[] = {
    { ON_SPOT, "/trade/orders",
      "path not found: single orders are not offered, send a batch of one to /api/v1/spot/trade/orders/batch" },
    { ON_SPOT, "/trade/twaps",
      "path not found: TWAP orders are not offered, place orders with POST /api/v1/spot/trade/orders/batch" },
    { ON_PERPS, "/trade/orders/batch",
      "path not found: orders of the perps base are placed and canceled at /api/v1/perps/trade/orders" },
    { ON_PERPS, "/trade/twaps",
      "path not found: TWAP orders are not offered, place orders with POST /api/v1/perps/trade/orders" },
    { ON_PERPS, "/trade/collateral", "path not found: collateral other than vUSDC is not offered" },
    { ON_GATEWAY, "/user/{}/builders",
      "path not found: builder fees are not offered, leave `builder` out of requests" },
};
/* clang-format on */

static void shown(char into[SHOWN + 1], const char *text)
{
    size_t len = strlen(text) < SHOWN ? strlen(text) : SHOWN;

    for (size_t i = 0; i < len; i++) into[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    into[len] = '\0';
}

static bool no_path(const struct sent *asked, struct verdict *verdict)
{
    char got[SHOWN + 1];

    if (strcmp(asked->path, "/") == 0) { /* it only leads to /docs */
        verdict->allow = "GET, HEAD, OPTIONS";
        say(verdict, REJECT_METHOD_NOT_ALLOWED, "method", asked->method, NULL);
        return false;
    }
    shown(got, asked->path);
    say(verdict, REJECT_PATH_NOT_FOUND, "path", got, NULL);
    for (size_t i = 0; i < ARRAY_COUNT(elsewhere); i++) {
        const char *base = base_text[elsewhere[i].base];
        if (strncmp(asked->path, base, strlen(base)) != 0 || !path_fits(elsewhere[i].path, asked->path + strlen(base)))
            continue;
        verdict->text = elsewhere[i].text;
    }
    return false;
}

/* RFC 9110, 9.1: any other word is no method that a path could have. */
static bool is_method(const char *method)
{
    static const char *const known[] = { "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS" };

    for (size_t i = 0; i < ARRAY_COUNT(known); i++)
        if (strcmp(method, known[i]) == 0) return true;
    return false;
}

/* The action of the path and method, and the base it is on. */
static bool find_action(struct sent *asked, struct verdict *verdict)
{
    static const uint8_t bases[] = { ON_SPOT, ON_PERPS, ON_GATEWAY };
    const char          *shown_method = strcmp(asked->method, "HEAD") == 0 ? "GET" : asked->method;

    asked->action = NULL;
    if (!is_method(asked->method)) {
        say(verdict, REJECT_METHOD_UNKNOWN, "method", asked->method, NULL);
        return false;
    }
    for (size_t b = 0; b < ARRAY_COUNT(bases); b++) {
        const char *behind = asked->path + strlen(base_text[bases[b]]);

        if (strncmp(asked->path, base_text[bases[b]], strlen(base_text[bases[b]])) != 0) continue;
        for (uint32_t i = 0; i < action_count; i++) {
            if ((actions[i].bases & bases[b]) == 0 || !path_fits(actions[i].path, behind)) continue;
            verdict->allow = actions[i].allow;
            asked->base = bases[b];
            if (strcmp(actions[i].method, asked->method) == 0) asked->action = &actions[i];
        }
        if (verdict->allow == NULL) continue;
        if (asked->action != NULL) return true;
        say(verdict, REJECT_METHOD_NOT_ALLOWED, "method", shown_method, NULL);
        return false;
    }
    return no_path(asked, verdict);
}

bool judge_front(struct sent *asked, struct verdict *verdict)
{
    bool           known = find_action(asked, verdict);
    struct verdict too_much = { .reject = REJECT_NONE };

    if (!judge_weight(asked, &too_much)) {
        *verdict = too_much;
        return false;
    }
    if (!known) return false;
    verdict->allow = NULL;
    verdict->unused = true;
    if (!asked->starting && !asked->shed) return true;
    say(verdict, REJECT_BUSY, "", "", NULL);
    return false;
}

/* ---- headers ---- */

static bool decimal_digits(const char *text, uint64_t *number)
{
    unsigned __int128 sum = 0;
    size_t            len = strlen(text);

    if (len == 0 || len > 20 || (len > 1 && text[0] == '0') || strspn(text, "0123456789") != len) return false;
    for (size_t i = 0; i < len; i++) sum = sum * 10 + (unsigned)(text[i] - '0');
    *number = (uint64_t)sum;
    return sum <= UINT64_MAX;
}

uint64_t nonce_of(const struct sent *asked)
{
    uint64_t number = 0;

    return decimal_digits(asked->nonce.text, &number) ? number : 0;
}

uint64_t chain_of(const struct sent *asked)
{
    uint64_t number = 0;

    return asked->chain.there && decimal_digits(asked->chain.text, &number) ? number : 0;
}

static bool bad_header(struct verdict *verdict, enum reject reject, const char *name, const struct header *header,
                       const char *need)
{
    char got[SHOWN + 1];

    shown(got, header->there ? header->text : "nothing");
    say(verdict, reject, name, got, need);
    return false;
}

static bool bad_nonce(const struct sent *asked, struct verdict *verdict, const char *reason, const char *need)
{
    verdict->reason = reason;
    verdict->server_time = asked->now_ms - asked->offset_ms;
    return bad_header(verdict, REJECT_BAD_NONCE, "X-API-Nonce", &asked->nonce, need);
}

static bool judge_nonce(const struct sent *asked, struct verdict *verdict)
{
    uint64_t number;

    if (!asked->nonce.there) return bad_nonce(asked, verdict, "malformed", "the header");
    if (asked->nonce.twice) return bad_nonce(asked, verdict, "malformed", "the header once");
    if (decimal_digits(asked->nonce.text, &number)) return true;
    return bad_nonce(asked, verdict, "malformed", "digits without a leading zero, at most 18446744073709551615");
}

/* The part before r, s and v (wire 3.1, 3.4). */
static bool type_fits(const struct sent *asked, char high, char low, const char **need)
{
    static const char *const needs[] = {
        [BY_ACTION] = "type byte 01; 02 is for wallet-level actions",
        [BY_GRANT] = "type byte 02: typed data of its own, signed in the domain universal by the main wallet",
        [BY_REVOCATION] = "type byte 02, signed in the domain universal, or 01, in the domain of the base",
        [BY_FEEDER] = "type byte 01: OraclePrices, signed in the domain oracle by a feeder",
    };
    uint8_t proof = asked->action->proof;

    *need = needs[proof];
    return high == '0'
        && ((low == '1' && proof != BY_GRANT) || (low == '2' && (proof == BY_GRANT || proof == BY_REVOCATION)));
}

static bool judge_sign(const struct sent *asked, struct verdict *verdict)
{
    const struct header *sign = &asked->sign_text;
    const char          *digits = sign->text + (strncmp(sign->text, "0x", 2) == 0 ? 2 : 0), *need;
    size_t               len = strlen(sign->text);
    bool                 one = asked->action->proof == BY_ACTION || asked->action->proof == BY_FEEDER;

    if (!sign->there) need = "the header";
    else if (sign->twice) need = "the header once";
    else if (len == 130 || (len == 132 && sign->text[1] == 'x'))
        need = one ? "66 bytes: the type byte 01 before r, s and v is missing"
                   : "66 bytes: the type byte 02 before r, s and v is missing";
    else if (strlen(digits) != 132 || strspn(digits, "0123456789abcdefABCDEF") != 132)
        need = one ? "66 bytes in hex: 01, r, s, v" : "66 bytes in hex: 02, r, s, v";
    else if (type_fits(asked, digits[0], digits[1], &need)) return true;
    return bad_header(verdict, REJECT_BAD_SIGNATURE, "X-API-Sign", sign, need);
}

static bool is_json(const char *text)
{
    static const char json[] = "application/json";
    size_t            i = 0;

    while (json[i] != '\0' && tolower((unsigned char)text[i]) == json[i]) i++;
    if (json[i] != '\0') return false;
    while (text[i] == ' ' || text[i] == '\t') i++;
    return text[i] == '\0' || text[i] == ';';
}

static bool judge_others(const struct sent *asked, struct verdict *verdict)
{
    if (asked->key.twice) return bad_header(verdict, REJECT_UNKNOWN_KEY, "X-API-Key", &asked->key, "the header once");
    if (asked->chain.twice)
        return bad_header(verdict, REJECT_BAD_SIGNATURE, "X-API-Chain", &asked->chain, "the header once");
    if (asked->chain.there && chain_of(asked) == 0)
        return bad_header(verdict, REJECT_BAD_SIGNATURE, "X-API-Chain", &asked->chain,
                          "a chain id in decimal digits, or no such header");
    if (asked->type.twice)
        return bad_header(verdict, REJECT_BAD_CONTENT_TYPE, "Content-Type", &asked->type, "the header once");
    if (!asked->type.there || asked->type.text[0] == '\0' || is_json(asked->type.text)) return true;
    return bad_header(verdict, REJECT_BAD_CONTENT_TYPE, "Content-Type", &asked->type, NULL);
}

/* (T - 2 days, T + 1 day), T without the offset of an exchange that has jumped (rulings 9, 44). */
static bool judge_window(const struct sent *asked, struct verdict *verdict)
{
    const int64_t day = INT64_C(86400000), now = asked->now_ms - asked->offset_ms;
    __int128      nonce = (__int128)nonce_of(asked) + (refused_planted == LIE_WINDOW ? 1 : 0);

    if (nonce <= now - 2 * day) return bad_nonce(asked, verdict, "too old", "more than serverTime - 172800000");
    return nonce < now + day || bad_nonce(asked, verdict, "too far ahead", "less than serverTime + 86400000");
}

bool judge_headers(const struct sent *asked, struct verdict *verdict)
{
    bool feeder = asked->action->proof == BY_FEEDER;

    if (refused_planted == LIE_ORDER_HEADERS && !judge_sign(asked, verdict)) return false;
    if (!feeder && !judge_nonce(asked, verdict)) return false;
    if (!judge_sign(asked, verdict) || !judge_others(asked, verdict)) return false;
    return feeder || judge_window(asked, verdict);
}
