/* SPDX-License-Identifier: MIT */
#include "app/playback/trader.h"

#include "app/cli/members.h"
#include "base/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define CONNECT_MS   10000
#define HEAD_BYTES   1024
#define ROOM_BYTES   65536
#define ANSWER_BYTES (1024 * 1024)

__attribute__((format(printf, 2, 3))) static bool fail(struct trader *trader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(trader->why, sizeof(trader->why), format, arguments);
    va_end(arguments);
    return false;
}

bool trader_open(struct trader *trader, struct venue *venue)
{
    char why[DIAL_WHY_BYTES];

    trader->venue = venue;
    trader->host = strstr(venue->url, "//");
    assert(trader->host != NULL && trader->answered != NULL);
    trader->host += 2;
    trader->separators[0] = domain_separator(DOMAIN_SPOT, venue->chain_id);
    trader->separators[1] = domain_separator(DOMAIN_FUTURES, venue->chain_id);
    trader->in = malloc(ANSWER_BYTES);
    trader->in_cap = ANSWER_BYTES;
    trader->dial = dial_open(venue->url, CONNECT_MS, why);
    if (trader->dial == NULL) return fail(trader, "%s", why);
    return trader->in != NULL || fail(trader, "not enough memory");
}

void trader_close(struct trader *trader)
{
    dial_close(trader->dial);
    trader->dial = NULL;
    free(trader->out);
    free(trader->in);
    trader->out = trader->in = NULL;
}

/* ---- sending ---- */

/* Room for `more` bytes behind what is to be sent. */
static bool make_room(struct trader *trader, size_t more)
{
    char *out;

    if (trader->out_sent != 0) {
        memmove(trader->out, trader->out + trader->out_sent, trader->out_len - trader->out_sent);
        trader->out_len -= trader->out_sent;
        trader->out_sent = 0;
    }
    if (trader->out_len + more <= trader->out_cap) return true;
    out = realloc(trader->out, trader->out_len + more + ROOM_BYTES);
    if (out == NULL) return fail(trader, "not enough memory");
    trader->out = out;
    trader->out_cap = trader->out_len + more + ROOM_BYTES;
    return true;
}

static void write_request(struct trader *trader, const struct trader_request *request,
                          const struct signature *signature, struct out *out)
{
    char text[SIGNATURE_TEXT];

    signature_write(signature, text);
    out_text(out, request->method);
    out_char(out, ' ');
    out_text(out, request->path);
    out_literal(out, " HTTP/1.1\r\nHost: ");
    out_text(out, trader->host);
    out_literal(out, "\r\nContent-Type: application/json\r\nContent-Length: ");
    out_u64(out, request->body.len);
    out_literal(out, "\r\nX-API-Nonce: ");
    out_u64(out, trader->venue->nonce);
    out_literal(out, "\r\nX-API-Chain: ");
    out_u64(out, trader->venue->chain_id);
    out_literal(out, "\r\nX-API-Sign: ");
    out_bytes(out, text, sizeof(text));
    out_literal(out, "\r\n\r\n");
    out_slice_put(out, request->body);
}

bool trader_send(struct trader *trader, const struct trader_request *request)
{
    struct hash256   payload = payload_hash(slice_of(request->type), request->body), digest;
    struct signature signature;
    struct out       out;

    assert(trader->count < TRADER_FLIGHT && request->count <= TRADER_ITEMS);
    digest = action_digest(&trader->separators[request->market == MARKET_SPOT ? 0 : 1], &payload,
                           venue_next_nonce(trader->venue));
    if (!sign_digest(&digest, request->secret, 1, &signature)) return fail(trader, "the key cannot sign");
    if (!make_room(trader, request->body.len + HEAD_BYTES)) return false;
    out = out_make(trader->out + trader->out_len, trader->out_cap - trader->out_len);
    write_request(trader, request, &signature, &out);
    assert(!out.overflow);
    trader->out_len += out.len;
    trader->flight[(trader->first + trader->count++) % TRADER_FLIGHT] = *request;
    trader->requests++;
    return true;
}

/* ---- answers ---- */

struct answer {
    int          status;
    size_t       bytes; /* with the head; 0: not complete */
    struct slice body;
};

/* The value of Content-Length in a head; SIZE_MAX: none. */
static size_t content_length(const char *head, size_t len)
{
    static const char name[] = "\r\ncontent-length:";

    for (size_t at = 0; at + sizeof(name) - 1 < len; at++)
        if (strncasecmp(head + at, name, sizeof(name) - 1) == 0)
            return strtoull(head + at + sizeof(name) - 1, NULL, 10);
    return SIZE_MAX;
}

/* The next answer, when it is there. False: no answer of HTTP that we understand. */
static bool read_answer(struct trader *trader, const char *at, size_t len, struct answer *answer)
{
    const char *end = len == 0 ? NULL : memmem(at, len, "\r\n\r\n", 4);
    size_t      head, body;

    *answer = (struct answer){ 0 };
    if (end == NULL) return len < trader->in_cap || fail(trader, "an answer without an end of its head");
    head = (size_t)(end - at) + 4;
    body = content_length(at, head);
    if (sscanf(at, "HTTP/1.1 %d", &answer->status) != 1 || body > trader->in_cap - head)
        return fail(trader, "an answer that is not HTTP/1.1 with a length");
    if (len - head < body) return true;
    answer->body = slice_make(at + head, body);
    answer->bytes = head + body;
    return true;
}

static bool take_items(struct trader *trader, const struct trader_request *request, const json_t *answer)
{
    const json_t *rows = json_object_get(answer, "data");

    for (uint32_t i = 0; i < request->count; i++) {
        const json_t *row = json_is_array(rows) ? json_array_get(rows, i) : answer;
        long          code = (long)number_at(row, "code");

        trader->refused += code != 0;
        trader->answered(trader->self, request, i, code, text_at(row, "error"));
    }
    return true;
}

static bool accept_items(struct trader *trader, const struct trader_request *request)
{
    for (uint32_t i = 0; i < request->count; i++) trader->answered(trader->self, request, i, 0, "");
    return true;
}

/* Most answers refuse nothing, which their text shows. */
static bool take_answer(struct trader *trader, const struct trader_request *request, const struct answer *answer)
{
    json_t *json;
    bool    ok;

    if (answer->status == 200 && memmem(answer->body.at, answer->body.len, "\"error\":", 8) == NULL)
        return accept_items(trader, request);
    json = json_loadb(answer->body.at, answer->body.len, 0, NULL);
    if (answer->status == 429)
        ok = fail(trader, "the exchange limits requests (%.80s): start it with --no-limits", text_at(json, "error"));
    else if (answer->status != 200)
        ok = fail(trader, "%.60s: HTTP %d: %.100s", request->path, answer->status, text_at(json, "error"));
    else ok = take_items(trader, request, json);
    json_decref(json);
    return ok;
}

static bool take_answers(struct trader *trader)
{
    size_t        at = 0;
    struct answer answer;

    for (;;) {
        if (!read_answer(trader, trader->in + at, trader->in_len - at, &answer)) return false;
        if (answer.bytes == 0) break;
        if (trader->count == 0) return fail(trader, "an answer without a request");
        if (!take_answer(trader, &trader->flight[trader->first], &answer)) return false;
        trader->first = (trader->first + 1) % TRADER_FLIGHT;
        trader->count--;
        at += answer.bytes;
    }
    memmove(trader->in, trader->in + at, trader->in_len - at);
    trader->in_len -= at;
    return true;
}

bool trader_pump(struct trader *trader)
{
    size_t len = 0, sent = 0;

    if (trader_is_writing(trader)
        && !dial_send(trader->dial, slice_make(trader->out + trader->out_sent, trader->out_len - trader->out_sent),
                      &sent))
        return fail(trader, "the exchange closed the connection");
    trader->out_sent += sent;
    do {
        if (!dial_receive(trader->dial, trader->in + trader->in_len, trader->in_cap - trader->in_len, &len))
            return fail(trader, "the exchange closed the connection");
        trader->in_len += len;
        if (len != 0 && !take_answers(trader)) return false;
    } while (len != 0); /* TLS may hold more than the socket shows */
    return true;
}
