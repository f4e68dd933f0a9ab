/* SPDX-License-Identifier: MIT */
#include "app/cli/venue.h"

#include "app/cli/json_text.h"
#include "app/cli/members.h"
#include "crypto/crypto.h"
#include "io/clock.h"
#include "io/fetch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ANSWER_BYTES (4 * 1024 * 1024)
#define TIMEOUT_MS   30000

__attribute__((format(printf, 2, 3))) static bool fail(struct venue *venue, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(venue->why, sizeof(venue->why), format, arguments);
    va_end(arguments);
    return false;
}

/* "http://HOST" or "https://HOST", a port perhaps, and nothing behind it. No user either: a password would stand in the
 * list of processes and in every message, and an exchange asks for none. */
static bool is_origin(const char *url)
{
    const char *host = strncmp(url, "http://", 7) == 0 ? url + 7 : strncmp(url, "https://", 8) == 0 ? url + 8 : NULL;

    return host != NULL && *host != '\0' && host[strcspn(host, "/?#@")] == '\0';
}

const char *venue_url(const char *given)
{
    const char *named = getenv("DOJIMA_URL");

    if (given != NULL) return given;
    return named != NULL && named[0] != '\0' ? named : VENUE_URL;
}

bool venue_open(struct venue *venue, const char *url)
{
    *venue = (struct venue){ .url = url };
    if (!is_origin(url) && strchr(url, '@') != NULL)
        return fail(venue, "the address of an exchange has no user and no password; it is http://HOST:PORT or "
                           "https://HOST");
    if (!is_origin(url))
        return fail(venue, "%.200s: the address of an exchange, without a path, is http://HOST:PORT or https://HOST",
                    url);
    venue->text = malloc(ANSWER_BYTES);
    return venue->text != NULL || fail(venue, "not enough memory");
}

void venue_close(struct venue *venue)
{
    free(venue->text);
    venue->text = NULL;
}

json_t *venue_ask(struct venue *venue, const char *method, const char *path, struct slice lines, struct slice body)
{
    char           url[2048];
    struct fetch   fetch = { .url = url, .method = method, .lines = lines, .body = body, .timeout_ms = TIMEOUT_MS };
    struct fetched fetched = { .text = venue->text, .cap = ANSWER_BYTES };
    json_t        *answer;

    venue->status = 0;
    if (snprintf(url, sizeof(url), "%s%s", venue->url, path) >= (int)sizeof(url)) {
        (void)fail(venue, "the address is too long");
        return NULL;
    }
    if (!fetch_url(&fetch, &fetched)) {
        (void)fail(venue, "%s", fetched.why);
        return NULL;
    }
    venue->status = fetched.status;
    answer = json_loadb(fetched.text, fetched.len, 0, NULL);
    if (answer == NULL) (void)fail(venue, "%.200s: HTTP %d, and no JSON", url, fetched.status);
    if (number_at(answer, "timestamp") > 0) venue->ahead_ms = number_at(answer, "timestamp") - clock_wall_ms();
    return answer;
}

uint64_t venue_next_nonce(struct venue *venue)
{
    venue->nonce = max_u64(venue->nonce + 1, (uint64_t)max_i64(0, clock_wall_ms() + min_i64(0, venue->ahead_ms)));
    return venue->nonce;
}

bool venue_refused(struct venue *venue, const json_t *answer)
{
    const json_t *details = json_object_get(answer, "details");
    long          code = (long)json_integer_value(json_object_get(answer, "code"));

    if (details == NULL) return fail(venue, "refused with %ld: %.200s", code, text_at(answer, "error"));
    return fail(venue, "refused with %ld: %s; %s is %s; needed: %s", code, text_at(answer, "error"),
                text_at(details, "field"), text_at(details, "got"),
                text_at(details, text_at(details, "need")[0] != '\0' ? "need" : "rule"));
}

/* A member of an answer that is no refusal, as its caller's own; frees the answer. */
static json_t *take_member(json_t *answer, const char *key)
{
    json_t *member = json_incref(json_object_get(answer, key));

    json_decref(answer);
    return member;
}

json_t *venue_read(struct venue *venue, const char *path)
{
    json_t *answer = venue_ask(venue, NULL, path, SLICE(""), SLICE("")), *data;

    if (answer == NULL) return NULL;
    if (json_integer_value(json_object_get(answer, "code")) != 0) {
        (void)venue_refused(venue, answer);
        json_decref(answer);
        return NULL;
    }
    data = take_member(answer, "data");
    if (data == NULL) (void)fail(venue, "%.100s%.180s: the answer has no data", venue->url, path);
    return data;
}

json_t *venue_call(struct venue *venue, const char *method, const json_t *params)
{
    json_t *request =
        json_pack("{s:s,s:i,s:s,s:O*}", "jsonrpc", "2.0", "id", 1, "method", method, "params", (json_t *)params);
    char   *text = request != NULL ? json_text(request) : NULL;
    json_t *answer = NULL, *error, *result = NULL;

    if (text == NULL) (void)fail(venue, "not enough memory");
    else answer = venue_ask(venue, "POST", "/rpc", SLICE("Content-Type: application/json\r\n"), slice_of(text));
    free(text);
    json_decref(request);
    if (answer == NULL) return NULL;
    error = json_object_get(answer, "error");
    if (json_is_object(error)) {
        const char *data = json_string_value(json_object_get(error, "data"));

        (void)fail(venue, "%s: %.200s%s%.60s", method, text_at(error, "message"), data != NULL ? "; got " : "",
                   data != NULL ? data : "");
        json_decref(answer);
        return NULL;
    }
    if (number_at(answer, "code")
        != 0) { /* refused before the method was looked at: a limit, an exchange that starts */
        (void)venue_refused(venue, answer);
        json_decref(answer);
        return NULL;
    }
    result = take_member(answer, "result");
    if (result == NULL) (void)fail(venue, "%s: HTTP %d without a result", method, venue->status);
    return result;
}

bool venue_learn_chain(struct venue *venue)
{
    json_t *version;

    if (venue->chain_id != 0) return true;
    version = venue_read(venue, "/version");
    if (version == NULL) return false;
    venue->chain_id = (uint64_t)json_integer_value(json_object_get(version, "chainID"));
    json_decref(version);
    return venue->chain_id != 0 || fail(venue, "%.200s/version names no chain id", venue->url);
}

json_t *venue_write(struct venue *venue, const struct venue_write *write)
{
    struct hash256   separator, payload = payload_hash(slice_of(write->type), write->body), digest;
    struct signature signature;
    char             text[SIGNATURE_TEXT], lines[384];
    int              len;

    if (!venue_learn_chain(venue)) return NULL;
    (void)venue_next_nonce(venue);
    separator = domain_separator(write->domain, venue->chain_id);
    digest = action_digest(&separator, &payload, venue->nonce);
    if (!sign_digest(&digest, write->secret, 1, &signature)) {
        (void)fail(venue, "the key is not a private key");
        return NULL;
    }
    signature_write(&signature, text);
    len = snprintf(lines, sizeof(lines),
                   "Content-Type: application/json\r\nX-API-Nonce: %lu\r\nX-API-Chain: %lu\r\nX-API-Sign: %.134s\r\n",
                   (unsigned long)venue->nonce, (unsigned long)venue->chain_id, text);
    assert(len > 0 && len < (int)sizeof(lines));
    return venue_ask(venue, write->method, write->path, slice_make(lines, (size_t)len), write->body);
}
