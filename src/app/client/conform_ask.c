/* SPDX-License-Identifier: MIT */
/* conform_ask.c — one request, and its answer against the contract: status, headers, code, text, shape. */
#include "app/client/conform_ask.h"

#include "app/cli/members.h"
#include "app/client/plain.h"
#include "io/fetch.h"
#include "io/signals.h"

#include <stdio.h>
#include <stdlib.h>

#define TIMEOUT_MS   20000
#define ANSWER_BYTES (4 * 1024 * 1024)
#define HEAD_BYTES   16384
#define TRIES        4 /* where requests are limited */

void conform_report(struct conform *conform, const char *at, const char *expected, const char *got)
{
    json_t *row, *kept;
    size_t  i;
    char    clean[200];

    (void)snprintf(clean, sizeof(clean), "%s", got);
    plain_clean(clean);
    row = json_pack("{s:s,s:s,s:s,s:s}", "request", conform->request, "at", at, "expected", expected, "got", clean);
    json_array_foreach(conform->differences, i, kept)
        if (strcmp(text_at(kept, "request"), conform->request) == 0 && strcmp(text_at(kept, "at"), at) == 0
            && strcmp(text_at(kept, "expected"), expected) == 0) {
            json_decref(row);
            return;
        }
    (void)json_array_append_new(conform->differences, row);
}

/* A header of the answer, or NULL. */
static const char *find_header(const struct fetched *fetched, const char *name, char value[128])
{
    size_t len = strlen(name);

    for (size_t at = 0; at + len < fetched->head_len; at++) {
        size_t end = at;

        if (at != 0 && fetched->head[at - 1] != '\n') continue;
        if (strncasecmp(fetched->head + at, name, len) != 0 || fetched->head[at + len] != ':') continue;
        for (at += len + 1; at < fetched->head_len && fetched->head[at] == ' '; at++) {}
        for (end = at; end < fetched->head_len && fetched->head[end] != '\r' && fetched->head[end] != '\n'; end++) {}
        (void)snprintf(value, 128, "%.*s", (int)(end - at), fetched->head + at);
        return value;
    }
    return NULL;
}

static void want_header(struct conform *conform, const struct fetched *fetched, const char *name, const char *begins)
{
    char        value[128], at[64];
    const char *got = find_header(fetched, name, value);

    conform->judge.checks++;
    if (got != NULL && strncasecmp(got, begins, strlen(begins)) == 0) return;
    (void)snprintf(at, sizeof(at), "header %s", name);
    conform_report(conform, at, begins[0] != '\0' ? begins : "a value", got != NULL ? got : "nothing");
}

static void want_number(struct conform *conform, const char *at, long long expected, long long got)
{
    char texts[2][24];

    conform->judge.checks++;
    if (expected == got) return;
    (void)snprintf(texts[0], sizeof(texts[0]), "%lld", expected);
    (void)snprintf(texts[1], sizeof(texts[1]), "%lld", got);
    conform_report(conform, at, texts[0], texts[1]);
}

/* A refusal is one of the contract: its code, and with the code its text, which may go on, and its status. */
static void judge_refusal(struct conform *conform, const json_t *answer, int status)
{
    const char *error = text_at(answer, "error");
    json_t     *row;
    size_t      i;
    bool        has_code = false, has_text = false;
    char        text[32];
    long long   http = 0;

    json_array_foreach(json_object_get(conform->contract, "x-errors"), i, row) {
        if (number_at(row, "code") != number_at(answer, "code")) continue;
        has_code = true;
        http = number_at(row, "http");
        has_text = has_text || strncmp(text_at(row, "error"), error, strlen(text_at(row, "error"))) == 0;
    }
    conform->judge.checks += 2;
    (void)snprintf(text, sizeof(text), "%lld", number_at(answer, "code"));
    if (!has_code) conform_report(conform, "body.code", "a code of x-errors", text);
    else if (!has_text) conform_report(conform, "body.error", "a text of this code in x-errors", error);
    if (has_code) want_number(conform, "status", http, status);
}

static void judge_answer(struct conform *conform, const struct conform_request *request, const struct fetched *fetched)
{
    json_t       *answer = json_loadb(fetched->text, fetched->len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *error =
        json_object_get(json_object_get(json_object_get(conform->contract, "components"), "schemas"), "Error");
    long long code = number_at(answer, "code");

    want_header(conform, fetched, "Content-Type", "application/json");
    if (answer == NULL) {
        conform_report(conform, "body", "one JSON value", "something else");
        return;
    }
    if (request->wants == WANTS_CODE) want_number(conform, "body.code", request->code, code);
    if (request->wants == WANTS_SUCCESS) want_number(conform, "body.code", 0, code);
    if (fetched->status == 405) want_header(conform, fetched, "Allow", "");
    if (json_is_integer(json_object_get(answer, "code")) && code != 0) judge_refusal(conform, answer, fetched->status);
    else want_number(conform, "status", 200, fetched->status);
    (void)schema_judge(&conform->judge, request->schema != NULL && code == 0 ? request->schema : error, answer, "body");
    json_decref(answer);
}

/* A limit is waited for: its answer names the time. False: it is no such answer, or a signal came. */
static bool wait_for_limit(struct conform *conform, const struct fetched *fetched)
{
    char        value[128];
    const char *seconds = find_header(fetched, "Retry-After", value);
    uint64_t    wait = seconds != NULL ? strtoull(seconds, NULL, 10) : 0;

    if (fetched->status != 429) return false;
    want_header(conform, fetched, "Retry-After", "");
    log_line(LOG_INFO, "conform: the exchange limits requests; going on in %lu s",
             (unsigned long)max_u64(1, min_u64(wait, 60)));
    conform->stopped = signals_wait((int64_t)max_u64(1, min_u64(wait, 60)) * SECOND_MS) != 0;
    return !conform->stopped;
}

void conform_ask(struct conform *conform, const struct conform_request *request)
{
    static char    text[ANSWER_BYTES], head[HEAD_BYTES];
    char           url[CONFORM_URL + 320], name[CONFORM_URL + 16];
    struct fetch   fetch = { .url = url,
                             .method = strcmp(request->method, "GET") == 0 ? NULL : request->method,
                             .lines = slice_of(request->lines),
                             .body = slice_of(request->body != NULL ? request->body : ""),
                             .timeout_ms = TIMEOUT_MS };
    struct fetched fetched = { .text = text, .cap = sizeof(text), .head = head, .head_cap = sizeof(head) };

    if (conform->stopped || signals_wait(0) != 0) conform->stopped = true;
    if (conform->stopped) return;
    (void)snprintf(url, sizeof(url), "%s%s", conform->client->origin, request->path);
    (void)snprintf(name, sizeof(name), "%s %s", request->method, request->path);
    conform->request = name;
    conform->requests++;
    for (int left = TRIES; left > 0; left--) {
        if (!fetch_url(&fetch, &fetched)) {
            conform_report(conform, "answer", "an answer", fetched.why);
            conform->stopped = !fetched.connected;
            return;
        }
        if (!wait_for_limit(conform, &fetched)) break;
    }
    if (!conform->stopped) judge_answer(conform, request, &fetched);
}
