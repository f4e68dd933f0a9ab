/* SPDX-License-Identifier: MIT */
/* reply.c — the reply to a write that is refused, from its status line
   on (rulings 1, 2, 30, 34; wire 0.4, 4.4; mechanics 5.3). */
#include <inttypes.h>

#include "refused.h"

/* Number and text of each reject that can come before the log. */
/* clang-format off */
static const struct { enum reject reject; int code; const char *text; } says[] = {
#define INVALID(name)     { REJECT_##name, 40001, "invalid request" }
#define COMBINATION(name) { REJECT_##name, 40002, "invalid combination of fields" }
#define BRACKET(name)     { REJECT_BRACKET_##name, 40002, "invalid bracket" }
    INVALID(BAD_JSON), INVALID(DUPLICATE_KEY), INVALID(UNKNOWN_FIELD), INVALID(MISSING_FIELD), INVALID(WRONG_TYPE),
        INVALID(NUMBER_RANGE),
    INVALID(ENUM_RANGE), INVALID(BAD_DECIMAL), INVALID(DECIMAL_LENGTH), INVALID(NOT_POSITIVE), INVALID(SIGNED_PAYLOAD),
    INVALID(BAD_CONTENT_TYPE), INVALID(MARGIN_AMOUNT), INVALID(BAD_KEY_NAME), INVALID(BAD_PUBLIC_KEY),
        INVALID(BAD_EXPIRY),
    INVALID(BAD_PERMISSIONS),
    { REJECT_BAD_ADDRESS, 40001, "invalid address" },
    { REJECT_BAD_PARAMETER, 40001, "invalid parameter" },
    COMBINATION(LIMIT_NEEDS_PRICE), COMBINATION(LIMIT_NEEDS_QUANTITY), COMBINATION(LIMIT_WITH_FUNDS),
        COMBINATION(MARKET_NEEDS_IOC),
    COMBINATION(MARKET_AMOUNT), COMBINATION(MARKET_SELL_FUNDS), COMBINATION(CANCEL_ONE_TARGET),
        COMBINATION(REPLACE_ONE_TARGET),
    COMBINATION(REPLACE_NOTHING), COMBINATION(PERPS_TARGET), COMBINATION(MODIFY_NOTHING), COMBINATION(STOP_FIELDS),
    COMBINATION(STOP_FIELDS_TYPE), COMBINATION(STOP_FIELDS_TRIGGER),
        COMBINATION(STOP_QUANTITY),
    COMBINATION(STOP_FUNDS), COMBINATION(ATTACHED_ALONE), COMBINATION(POSITION_SIDE), BRACKET(SHAPE), BRACKET(REDUCES),
        BRACKET(SIDES),
    BRACKET(STOPS),
    { REJECT_BATCH_SIZE, 40003, "batch size is invalid" },
    { REJECT_BAD_CLIENT_ID, 40004, "clOrdID is invalid" },
    { REJECT_NOT_SUPPORTED, 40005, "not supported" },
    { REJECT_TRANSFER_TYPE, 40005, "not supported" },
    { REJECT_TRANSFER_TARGET, 40005, "not supported" },
    { REJECT_BAD_SIGNATURE, 40101, "X-API-Sign is invalid" },
    { REJECT_NOT_A_FEEDER, 40101, "X-API-Sign is invalid" },
    { REJECT_BAD_NONCE, 40102, "nonce is invalid" },
    { REJECT_ORACLE_SEQ, 40102, "seq is invalid" },
    { REJECT_ORACLE_TIME, 40102, "timestamp is invalid" },
    { REJECT_UNKNOWN_KEY, 40103, "unknown API key" },
    { REJECT_PERMISSION_DENIED, 40105, "API key may not do this" },
    { REJECT_SYMBOL_NOT_FOUND, 40401, "symbol not found" },
    { REJECT_ACCOUNT_NOT_FOUND, 40403, "account not found" },
    { REJECT_TIF_NOT_SUPPORTED, 42018, "timeInForce is not supported" },
    { REJECT_PRICE_DECIMALS, 42201, "price is invalid" },
    { REJECT_PRICE_MAX, 42201, "price is invalid" },
    { REJECT_PATH_NOT_FOUND, 40490, "path not found" },
    { REJECT_METHOD_NOT_ALLOWED, 40590, "method not allowed" },
    { REJECT_METHOD_UNKNOWN, 50190, "method not implemented" },
    { REJECT_BUSY, 50301, "server is busy, the request was not executed" },
};
/* clang-format on */

static void word_if(struct text *t, const char *name, const char *value)
{
    if (value[0] != '\0') word(t, name, value);
}

static void put_proof(struct text *t, const struct verdict *v)
{
    word_if(t, "cause", v->cause);
    if (v->hashed_len != 0) words(t, "hashed", v->hashed, v->hashed_len);
    key(t, "digest");
    put(t, "\"0x");
    for (size_t i = 0; i < sizeof(v->digest.bytes); i++) put(t, "%02x", v->digest.bytes[i]);
    put(t, "\"");
    count_of(t, "chainID", v->chain);
    if (v->recovered_it) address(t, "recovered", &v->recovered);
}

/* In production the reason of a missing right is not reported (ruling 30). */
static bool is_hidden(const struct sent *asked, const struct verdict *v)
{
    if (shop_rows[asked->shop].development || refused_planted == LIE_HIDE) return false;
    return v->reject == REJECT_BAD_SIGNATURE || v->reject == REJECT_UNKNOWN_KEY || v->reject == REJECT_NOT_A_FEEDER;
}

/* A lie about one reject, if it is the one that was planted. */
static const char *said(enum refused_lie lie, const struct verdict *v, enum reject reject, const char *truth,
                        const char *otherwise)
{
    return refused_planted == lie && v->reject == reject ? otherwise : truth;
}

static const char *field_said(const struct verdict *v, const struct reject_row *row, bool hidden)
{
    const char *last = strrchr(v->field, '.');

    if (hidden || v->field[0] == '\0') return row->field;
    return refused_planted == LIE_FIELD && last != NULL ? last + 1 : v->field;
}

static void put_details(struct text *t, const struct sent *asked, const struct verdict *v)
{
    const struct reject_row *row = reject_row(v->reject);
    bool                     hidden = is_hidden(asked, v);
    const char              *rule =
        v->reject == REJECT_NOT_SUPPORTED ? "builder fees are not offered; leave the key out" : row->rule;

    key(t, "details");
    open_object(t);
    word_if(t, "rule", said(LIE_RULE, v, REJECT_UNKNOWN_FIELD, rule, "only keys"));
    word_if(t, "field", field_said(v, row, hidden));
    if (!hidden) {
        word_if(t, "got", said(LIE_GOT, v, REJECT_WRONG_TYPE, v->got, "null"));
        word_if(t, "need", said(LIE_NEED, v, REJECT_NUMBER_RANGE, v->need, "a number"));
        if (v->reason != NULL) word(t, "reason", v->reason);
        if (v->server_time != 0) number(t, "serverTime", v->server_time);
    }
    if (v->unused && refused_planted != LIE_NONCE) word(t, "nonce", "not used");
    if (!hidden && v->proof) put_proof(t, v);
    close_object(t);
}

/* service 7 (4); Retry-After beside it (wire 4.3) */
static void put_limit(struct text *t, const struct sent *asked, const struct verdict *v)
{
    put(t,
        "{\"code\":42901,\"message\":\"rate limit exceeded\",\"error\":\"rate limit exceeded\",\"timestamp\":%" PRId64,
        asked->now_ms);
    put(t, ",\"details\":{\"limit\":%u,\"window\":\"1m\",\"retry_after\":%u}}", asked->limit, v->retry);
}

static void put_body(struct text *t, const struct sent *asked, const struct verdict *v)
{
    size_t i = 0;
    int    code;

    while (says[i].reject != v->reject) {
        i++;
        assert(i < ARRAY_COUNT(says));
    }
    code = says[i].code + (refused_planted == LIE_CODE && v->reject == REJECT_BATCH_SIZE ? 1 : 0);
    put(t, "{\"code\":%d,\"timestamp\":%" PRId64, code, asked->now_ms);
    t->first = false;
    word(t, "error",
         v->text != NULL ? v->text : said(LIE_TEXT, v, REJECT_BAD_CLIENT_ID, says[i].text, "invalid clOrdID"));
    put_details(t, asked, v);
    put(t, "}");
}

/* rulings 29 and 16; service 8 */
static const char shown_to_pages[] = "X-Chain-Tx, X-Chain-Block, X-Chain-Index, X-Dojima-Seq, Retry-After, "
                                     "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset";

void write_reply(struct text *into, const struct sent *asked, const struct verdict *v)
{
    static char room[TEXT_ROOM];
    struct text body = { room, 0, true };
    const char *status = "200 OK";

    if (v->reject == REJECT_METHOD_NOT_ALLOWED) status = "405 Method Not Allowed";
    if (v->reject == REJECT_METHOD_UNKNOWN) status = "501 Not Implemented";
    if (v->reject == REJECT_BUSY) status = "503 Service Unavailable";
    if (v->reject == REJECT_RATE_LIMIT) status = "429 Too Many Requests";
    if (v->reject == REJECT_PATH_NOT_FOUND && refused_planted != LIE_STATUS) status = "404 Not Found";
    if (v->reject == REJECT_RATE_LIMIT) put_limit(&body, asked, v);
    else put_body(&body, asked, v);
    put(into, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n", status, body.len);
    put(into, "Connection: keep-alive\r\n");
    if (asked->origin)
        put(into, "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: %s\r\n", shown_to_pages);
    if (v->reject == REJECT_METHOD_NOT_ALLOWED) put(into, "Allow: %s\r\n", v->allow);
    if (v->reject == REJECT_BUSY) put(into, "Retry-After: 1\r\n");
    if (v->reject == REJECT_RATE_LIMIT) put(into, "Retry-After: %u\r\n", v->retry);
    put(into, "\r\n");
    if (strcmp(asked->method, "HEAD") != 0) letters(into, body.at, body.len);
}
