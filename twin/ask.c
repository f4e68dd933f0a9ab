/* SPDX-License-Identifier: MIT */
/* ask.c — a question to the api, and its answer against the twin's text. */
#include <inttypes.h>

#include "ask.h"
#include "digest.h"

enum answer_bug answers_planted;
uint64_t        answers_asked;
static char     wrong_text[640];

void answers_inject_bug(enum answer_bug bug) { answers_planted = bug; }

void begin(struct answers *answers)
{
    answers->want.len = 0;
    put(&answers->want, "{\"code\":0,\"timestamp\":%" PRId64 ",\"data\":", answers->now_ms);
}
void block(struct answers *answers)
{
    number(&answers->want, "blockTime", answers->now_ms);
    count_of(&answers->want, "blockHeight", answers->height);
}

void begin_error(struct answers *answers, const struct reject_row *row)
{
    answers->want.len = 0;
    put(&answers->want, "{\"code\":%d,\"timestamp\":%" PRId64, row->code, answers->now_ms);
    answers->want.first = false;
    word(&answers->want, "error", row->text);
    key(&answers->want, "details");
    open_object(&answers->want);
}

void put_fault(struct answers *answers, enum reject reject, const char *field, const char *got, const char *need)
{
    const struct reject_row *row = reject_row(reject);
    struct text             *t = &answers->want;

    begin_error(answers, row);
    t->first = true;
    if (row->rule[0] != 0) word(t, "rule", row->rule);
    word(t, "field", field);
    if (got != NULL && got[0] != 0) word(t, "got", got);
    if (need != NULL) word(t, "need", need);
    close_object(t);
}

const char *differs(const struct answers *answers, const char *what, const char *body, size_t len)
{
    const struct text *want = &answers->want;
    size_t             at = 0, from;

    while (at < len && at < want->len && body[at] == want->at[at]) at++;
    if (at == len && at == want->len) return NULL;
    from = at < 60 ? 0 : at - 60;
    (void)snprintf(wrong_text, sizeof(wrong_text), "answer: %s at byte %zu: \"%.*s\", the twin's \"%.*s\"", what, at,
                   (int)(len - from < 130 ? len - from : 130), body + from,
                   (int)(want->len - from < 130 ? want->len - from : 130), want->at + from);
    return wrong_text;
}

/* Asks the api, ends the envelope of the twin's text, and compares. */
const char *check(struct answers *answers, const char *format, ...)
{
    struct api_context  context = { .now_ms = answers->now_ms, .ready = true };
    struct http_request request = {
        .method = HTTP_GET, .minor_version = 1, .keep_alive = true, .method_text = SLICE("GET")
    };
    struct http_answer answer = { 0 };
    struct api_write   write;
    struct out         out = out_make(answers->body, TEXT_ROOM);
    char               path[768];
    const char        *query;
    va_list            list;

    va_start(list, format);
    (void)vsnprintf(path, sizeof(path), format, list);
    va_end(list);
    digest_add(&answers_asked, path, strlen(path));
    query = strchr(path, '?');
    request.path = slice_make(path, query != NULL ? (size_t)(query - path) : strlen(path));
    if (query != NULL) request.query = slice_of(query + 1);
    if (api_handle(answers->api, &context, &request, &write, &answer, &out) != API_ANSWER)
        return "answer: a GET is no answer";
    answers->body_len = out.len;
    put(&answers->want, "}");
    return answer.kept.at != NULL ? differs(answers, path, answer.kept.at, answer.kept.len)
                                  : differs(answers, path, answers->body, out.len);
}
