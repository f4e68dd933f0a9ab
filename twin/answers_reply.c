/* SPDX-License-Identifier: MIT */
/* answers_reply.c — replies to signed writes that became commands. */
#include "ask.h"

/* Ruling 64: the account is free when the reason that holds it, the last word of the value sent, has ended. */
static void put_enough(struct text *t, const struct client_id *came)
{
    char  told[CLIENT_ID_MAX + 1] = { 0 }, need[96];
    char *why;

    memcpy(told, came->at, came->len);
    why = strrchr(told, ' ');
    *why++ = 0;
    if (strcmp(why, "CANCEL_ONLY") == 0 || strcmp(why, "REDUCE_ONLY") == 0)
        (void)snprintf(need, sizeof(need), "mode RUN");
    else if (strcmp(why, "SETTLED") == 0) (void)snprintf(need, sizeof(need), "no position in %s", told);
    else if (strcmp(why, "HALT") == 0) (void)snprintf(need, sizeof(need), "%s TRADING", told);
    else if (strcmp(why, "HELD_BACK") == 0) (void)snprintf(need, sizeof(need), "%s LIVE with no price held back", told);
    else (void)snprintf(need, sizeof(need), "%s LIVE", told);
    word(t, "need", need);
}

static void put_result_details(struct text *t, const struct result *result, bool first)
{
    const struct reject_row *row = reject_row(result->reject);
    const char              *field = result->field == FIELD_OF_ROW ? row->field : item_field_text[result->field];
    bool                     changed = answers_planted == ANSWER_BUG_GOT && (result->said & SAID_NEED) != 0;

    t->first = first;
    if (row->rule[0] != 0) word(t, "rule", row->rule);
    if (field[0] != 0) word(t, "field", field);
    if ((result->said & SAID_ID) != 0) client(t, "got", &result->orig_client_id);
    else if ((result->said & SAID_GOT) != 0) decimal(t, "got", changed ? result->need : result->got);
    if ((result->said & SAID_NEED) != 0) decimal(t, "need", changed ? result->got : result->need);
    if (result->reject == REJECT_PRICES_NOT_LIVE && answers_planted != ANSWER_BUG_ENOUGH)
        put_enough(t, &result->orig_client_id);
}

static void put_item(struct text *t, const struct result *result)
{
    const struct reject_row *row = result->reject == REJECT_NONE ? NULL : reject_row(result->reject);
    uint8_t                  status = result->status;

    open_object(t);
    number(t, "code", row == NULL ? 0 : row->code);
    client(t, "clOrdID", &result->client_id);
    if (row != NULL) word(t, "error", row->text);
    if (row == NULL) {
        if (result->order_id != 0) count_of(t, "orderID", result->order_id);
        if (result->orig_client_id.len != 0 && answers_planted != ANSWER_BUG_ORIGINAL)
            client(t, "origClOrdID", &result->orig_client_id);
    } else if (status == 0) {
        status = STATUS_REJECTED;
    }
    if (status == STATUS_PENDING_NEW) status = STATUS_NEW; /* clients know no other word (wire 7.1 row 29) */
    if (status != 0) word(t, "status", enum_name_of(order_status_names, status));
    if (row != NULL) {
        word(t, "message", row->text);
        key(t, "details");
        open_object(t);
        put_result_details(t, result, true);
        close_object(t);
    } else if (result->warning != WARNING_NONE) {
        word(t, "warning", enum_name_of(result_warning_names, result->warning));
    }
    close_object(t);
}

/* Nothing ran (service 5 (5); ruling 35). */
static void put_refused(struct answers *answers, const struct refused *refused)
{
    const struct reject_row *row = reject_row(refused->reject);
    struct text             *t = &answers->want;
    char                     text[32], need[48];
    bool                     used = refused->reject == REJECT_ORACLE_SEQ
             || (refused->reject == REJECT_BAD_NONCE && refused->nonce_reason == NONCE_USED);

    begin_error(answers, row);
    (void)snprintf(text, sizeof(text), "%" PRIu64, refused->nonce);
    (void)snprintf(need, sizeof(need), "more than %" PRIu64, refused->smallest);
    if (row->rule[0] != 0) word(t, "rule", row->rule);
    if (row->field[0] != 0) word(t, "field", row->field);
    if (refused->reject == REJECT_BAD_NONCE || refused->reject == REJECT_ORACLE_SEQ) word(t, "got", text);
    if (refused->nonce_reason == NONCE_TOO_SMALL) word(t, "need", need);
    if (refused->reject == REJECT_BAD_NONCE) {
        word(t, "reason", nonce_reason_text[refused->nonce_reason]);
        number(t, "serverTime", answers->now_ms);
    }
    if (!used && answers_planted != ANSWER_BUG_NONCE) word(t, "nonce", "not used");
    if (refused->same_payload) {
        key(t, "hash");
        put(t, "\"0x");
        for (uint32_t i = 0; i < 32; i++) put(t, "%02x", (unsigned)(refused->used_seq & 0xff));
        put(t, "\"");
        count_of(t, "block", refused->used_seq + 7);
        count_of(t, "index", refused->used_seq % 5);
    }
    put(t, "}}");
}

/* The row of a signed write; NULL: it is not signed. */
static const struct endpoint *endpoint_of(const struct command *command)
{
    for (uint32_t i = 0; i < endpoint_count; i++)
        if (endpoints[i].command == command->kind && endpoints[i].answer == NULL) return &endpoints[i];
    return NULL;
}

static void put_reply(struct answers *answers, const struct endpoint *endpoint, const struct twin *twin)
{
    const struct event *first = events_first(&twin->events);
    struct text        *t = &answers->want;

    while (first != NULL && first->kind != EVENT_RESULT && first->kind != EVENT_REFUSED)
        first = events_next(&twin->events, first);
    assert(first != NULL);
    if (first->kind == EVENT_REFUSED) {
        put_refused(answers, (const void *)first);
        return;
    }
    if (endpoint->gives == &result_shape) {
        bool next = false;

        begin(answers);
        put(t, "[");
        for (const struct event *e = first; e != NULL; e = events_next(&twin->events, e)) {
            if (e->kind != EVENT_RESULT) continue;
            if (next) put(t, ",");
            next = true;
            put_item(t, (const void *)e);
        }
        put(t, "]}");
        return;
    }
    if (((const struct result *)(const void *)first)->reject != REJECT_NONE) {
        begin_error(answers, reject_row(((const struct result *)(const void *)first)->reject));
        put_result_details(t, (const void *)first, true);
        put(t, "}}");
        return;
    }
    if (endpoint->command == CMD_UPDATE_LEVERAGE) { /* the present value, as requested */
        const struct update_leverage *asked = command_payload(twin->command);

        begin(answers);
        open_object(t);
        named(t, "symbol", &twin->genesis.perps[asked->symbol_id - 1].name);
        count_of(t, "symbolID", asked->symbol_id);
        number(t, "leverage", asked->leverage);
        word(t, "marginMode",
             (asked->margin_mode == MARGIN_CROSS) != (answers_planted == ANSWER_BUG_LEVERAGE) ? "CROSS" : "ISOLATED");
        close_object(t);
        put(t, "}");
        return;
    }
    if (endpoint->command != CMD_TRANSFER) {
        t->len = 0;
        put(t, "{\"code\":0,\"timestamp\":%" PRId64 "}", answers->now_ms);
        return;
    }
    begin(answers);
    open_object(t);
    if (answers_planted != ANSWER_BUG_TRANSFER)
        count_of(t, "id", ((const struct result *)(const void *)first)->order_id);
    close_object(t);
    put(t, "}");
}

void answers_told(struct answers *answers, const struct events *told)
{
    past_told(answers, told);
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        const struct balance *balance = (const void *)e;

        if (e->kind != EVENT_BALANCE || balance->total == 0
            || ever_held(answers, balance->account_id, e->market, balance->coin_id))
            continue;
        answers->held = realloc(answers->held, (answers->held_count + 1) * sizeof(*answers->held));
        answers->held[answers->held_count++] = (struct held){ balance->account_id, balance->coin_id, e->market };
    }
}

const char *answers_reply(struct answers *answers, struct twin *twin, const struct command *command,
                          const struct events *told)
{
    const struct endpoint *endpoint = endpoint_of(command);
    struct api_context     context = { .now_ms = command->time_ms, .ready = true };
    struct api_result      result = { 0 };
    struct http_answer     answer;
    struct out             out = out_make(answers->body, TEXT_ROOM);
    char                   what[64];

    answers->now_ms = command->time_ms;
    answers->height = command->seq;
    past_hear(answers, twin);
    answers_told(answers, told);
    if (endpoint == NULL) return NULL;
    result.events = (struct events){ malloc(told->len), 0, told->len };
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        if (e->kind != EVENT_RESULT && e->kind != EVENT_REFUSED
            && (e->kind != EVENT_LEVERAGE || endpoint->command != CMD_UPDATE_LEVERAGE))
            continue;
        memcpy(result.events.at + result.events.len, e, e->bytes);
        result.events.len += e->bytes;
    }
    put_reply(answers, endpoint, twin);
    api_reply(answers->api, &context, endpoint, &result, &answer, &out);
    free(result.events.at);
    (void)snprintf(what, sizeof(what), "reply to a command of kind %u", command->kind);
    return differs(answers, what, answers->body, out.len);
}
