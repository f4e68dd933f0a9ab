/* SPDX-License-Identifier: MIT */
/* reply.c — what became of a write, from its events (rulings 29, 35; service 2.6). */
#include "api/inside.h"

/* Room for the sent and the required value in a result's details. */
struct decimal_texts {
    char got[32], need[96];
};

static struct slice decimal_text(struct decimal decimal, char *into, size_t cap)
{
    struct out out = out_make(into, cap);

    decimal_write(&out, decimal);
    return out_slice(&out);
}

/*
 * The condition under which money could leave, by the state that held it; with a name, the symbol is between both
 * parts (ruling 64).
 */
/* clang-format off */
static const struct enough_row { const char *state; bool named; const char *before, *behind; } enough_rows[] = {
    { "CANCEL_ONLY", false, "mode RUN", "" }, { "REDUCE_ONLY", false, "mode RUN", "" },
    { "HALT", true, "", " TRADING" },         { "SETTLED", true, "no position in ", "" },
    { "BOOTSTRAP", true, "", " LIVE" },       { "FALLBACK", true, "", " LIVE" },   { "STALE", true, "", " LIVE" },
    { "HELD_BACK", true, "", " LIVE with no price held back" },
};
/* clang-format on */

/* `came` is the symbol's name and, behind a space, the state, as the engine refuses (margin_may_leave). */
static struct slice enough_to_leave(struct slice came, char *into, size_t cap)
{
    struct out out = out_make(into, cap);
    size_t     name = came.len;

    while (name > 0 && came.at[name - 1] != ' ') name--;
    assert(name > 1);
    for (size_t i = 0; i < ARRAY_COUNT(enough_rows); i++) {
        const struct enough_row *row = &enough_rows[i];

        if (!slice_is((struct slice){ came.at + name, came.len - name }, row->state)) continue;
        out_text(&out, row->before);
        if (row->named) out_bytes(&out, came.at, name - 1);
        out_text(&out, row->behind);
    }
    assert(out.len > 0 && !out.overflow);
    return out_slice(&out);
}

/* What NOT_SUPPORTED means of a transfer's coin; of other fields it speaks for itself. */
static const char *rule_of(const struct result *result)
{
    if (result->reject == REJECT_NOT_SUPPORTED && result->field == FIELD_COIN_ID)
        return "coin 0 alone moves to and from perps (ruling 39)";
    return reject_row(result->reject)->rule;
}

static void result_details(const struct result *result, struct decimal_texts *texts, struct details_record *details)
{
    const struct reject_row *row = reject_row(result->reject);

    assert(result->field < ITEM_FIELD_COUNT);
    details->rule = slice_of(rule_of(result));
    details->field = slice_of(result->field == FIELD_OF_ROW ? row->field : item_field_text[result->field]);
    if ((result->said & SAID_GOT) != 0) details->got = decimal_text(result->got, texts->got, sizeof(texts->got));
    if ((result->said & SAID_NEED) != 0) details->need = decimal_text(result->need, texts->need, sizeof(texts->need));
    if ((result->said & SAID_ID) != 0) details->got = client_id_slice(&result->orig_client_id);
    if ((result->said & SAID_ID) != 0 && result->reject == REJECT_PRICES_NOT_LIVE)
        details->need = enough_to_leave(details->got, texts->need, sizeof(texts->need));
}

void reply_init(struct api *api)
{
    static const char *const left_out[] = { "error", "message", "details" };
    struct shape            *shape = &api->done_shape;

    *shape = result_shape;
    shape->fields = api->done_fields;
    shape->field_count = 0;
    for (uint32_t i = 0; i < result_shape.field_count; i++) {
        const struct field *field = &result_shape.fields[i];
        bool                kept = true;

        for (size_t k = 0; k < ARRAY_COUNT(left_out); k++) kept &= strcmp(field->key, left_out[k]) != 0;
        if (!kept) continue;
        assert(shape->field_count < ARRAY_COUNT(api->done_fields));
        api->done_fields[shape->field_count++] = *field;
    }
    api->done_form = row_form(&api->forms, shape);
}

/* As its record (wire 7.1 row 29). */
static uint8_t shown_status(const struct result *result)
{
    return result->status == STATUS_PENDING_NEW ? (uint8_t)STATUS_NEW : result->status;
}

static void write_done(struct out *out, const struct row_form *form, const struct result *result)
{
    struct result_record record UNTOUCHED; /* the form reads no other members */

    record.code = 0;
    record.client_id = result->client_id;
    record.order_id = result->order_id;
    record.orig_client_id = result->orig_client_id;
    record.status = shown_status(result);
    record.warning = (struct slice){ NULL, 0 };
    if (result->warning != WARNING_NONE) record.warning = slice_of(enum_name_of(result_warning_names, result->warning));
    row_write(out, form, &record);
}

static NOINLINE void write_refused(struct out *out, const struct result *result)
{
    const struct reject_row *row = reject_row(result->reject);
    struct decimal_texts     texts;
    struct result_record     record;

    memset(&record, 0, sizeof(record)); /* an object without a byte set is left out */
    record.client_id = result->client_id;
    record.code = (uint32_t)row->code;
    record.error = record.message = slice_of(row->text);
    record.status = shown_status(result);
    if (record.status == 0) record.status = STATUS_REJECTED;
    result_details(result, &texts, &record.details);
    shape_write(out, &result_shape, &record, false);
}

static void chain_lines(const struct api_result *result, struct out *out)
{
    out_literal(out, "X-Chain-Tx: 0x");
    out_hex(out, result->place.hash.bytes, sizeof(result->place.hash.bytes));
    out_literal(out, "\r\nX-Chain-Block: ");
    out_quantity(out, result->place.block);
    out_literal(out, "\r\nX-Chain-Index: ");
    out_quantity(out, result->place.index);
    out_literal(out, "\r\n");
}

void seq_line(uint64_t seq, struct out *out)
{
    if (seq == 0) return;
    out_literal(out, "X-Dojima-Seq: ");
    out_u64(out, seq);
    out_literal(out, "\r\n");
}

/* The node does not lead, or does not know the outcome. */
static bool is_unavailable(const struct events *events)
{
    const struct event *first = events_first(events);

    return first->kind == EVENT_REFUSED
        && reject_row((enum reject)((const struct refused *)(const void *)first)->reject)->http == 503;
}

/*
 * Header lines: the rest of the API key's budget, the location of the transaction (ruling 29), and the number of the
 * command, which reads of another node can wait for.
 */
static void reply_lines(struct api_result *result, struct http_answer *answer)
{
    struct out extra = out_make(result->extra, sizeof(result->extra));

    limit_lines(&extra, &result->quota);
    if (result->is_transaction) chain_lines(result, &extra);
    seq_line(result->seq, &extra);
    if (is_unavailable(&result->events)) out_literal(&extra, "Retry-After: 1\r\n");
    assert(!extra.overflow);
    answer->extra = out_slice(&extra);
}

void fail_used_nonce(const struct api *api, const struct api_context *context, const struct refused *refused,
                     struct failure *failure)
{
    struct details_record *details = &failure->details;
    struct tx_location     place;
    struct out             got = out_make(failure->got, sizeof(failure->got)),
               need = out_make(failure->need, sizeof(failure->need));

    failure->reject = REJECT_BAD_NONCE;
    details->nonce = SLICE("not used");
    details->reason = slice_of(nonce_reason_text[refused->nonce_reason]);
    details->server_time = context->now_ms - context->offset_ms; /* nonces follow the clock */
    out_u64(&got, refused->nonce);
    details->got = out_slice(&got);
    if (refused->nonce_reason == NONCE_TOO_SMALL) {
        out_literal(&need, "more than ");
        out_u64(&need, refused->smallest);
        details->need = out_slice(&need);
    }
    if (refused->nonce_reason == NONCE_USED) details->nonce = (struct slice){ NULL, 0 };
    if (refused->same_payload && history_transaction(api->shared->history, refused->used_seq, &place)) {
        details->hash = place.hash;
        details->block = (struct optional_u64){ place.block, 1 };
        details->index = (struct optional_u64){ place.index, 1 };
    }
}

/* The engine refused the whole command: nothing ran, the nonce is as it was. */
static void reply_refused(struct api *api, const struct api_context *context, const struct refused *refused,
                          struct http_answer *answer, struct out *body)
{
    struct failure failure = { .reject = (enum reject)refused->reject };
    struct out got = out_make(failure.got, sizeof(failure.got)), need = out_make(failure.need, sizeof(failure.need));

    if (refused->reject != REJECT_OUTCOME_UNKNOWN) failure.details.nonce = SLICE("not used");
    if (refused->reject == REJECT_BAD_NONCE) fail_used_nonce(api, context, refused, &failure);
    if (refused->reject == REJECT_ORACLE_SEQ) {
        failure.details.nonce = (struct slice){ NULL, 0 };
        out_u64(&got, refused->nonce);
        out_literal(&need, "more than ");
        out_u64(&need, refused->smallest);
        failure.details.got = out_slice(&got);
        failure.details.need = out_slice(&need);
    }
    answer->status = reject_row(failure.reject)->http;
    envelope_error(body, context->now_ms, &failure);
}

/* The data of a command without items: the id of a transfer, or the new leverage. */
static void write_data(const struct api *api, const struct endpoint *endpoint, const struct events *events,
                       struct out *body)
{
    const struct event            *first = events_first(events);
    const struct leverage_changed *leverage = (const struct leverage_changed *)events_next(events, first);

    if (endpoint->gives == &transfer_shape) {
        shape_write(body, endpoint->gives, &(struct transfer_record){ ((const struct result *)first)->order_id },
                    false);
        return;
    }
    assert(endpoint->gives == &leverage_shape && leverage != NULL && leverage->head.kind == EVENT_LEVERAGE);
    shape_write(
        body, endpoint->gives,
        &(struct leverage_record){ .symbol = views_symbol(api->shared->views, MARKET_PERPS, leverage->symbol_id)->name,
                                   .symbol_id = leverage->symbol_id,
                                   .leverage = leverage->leverage,
                                   .margin_mode = leverage->margin_mode },
        false);
}

/* A command without items: its one result is the envelope itself, with or without data. */
static void reply_single(const struct api *api, const struct api_context *context, const struct endpoint *endpoint,
                         const struct events *events, struct out *body)
{
    const struct result *result = (const struct result *)events_first(events);
    struct failure       failure = { .reject = (enum reject)result->reject };
    struct decimal_texts texts;

    if (result->reject != REJECT_NONE) {
        result_details(result, &texts, &failure.details);
        envelope_error(body, context->now_ms, &failure);
        return;
    }
    if (endpoint->gives != NULL) {
        envelope_begin(body, context->now_ms);
        write_data(api, endpoint, events, body);
        envelope_end(body);
        return;
    }
    out_literal(body, "{\"code\":0,\"timestamp\":");
    out_i64(body, context->now_ms);
    out_char(body, '}');
}

static void reply_batch(const struct api *api, const struct api_context *context, const struct events *events,
                        struct out *body)
{
    uint32_t count = 0;

    envelope_begin(body, context->now_ms);
    out_char(body, '[');
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (event->kind != EVENT_RESULT) continue;
        if (count++ != 0) out_char(body, ',');
        if (((const struct result *)event)->reject == REJECT_NONE)
            write_done(body, api->done_form, (const struct result *)event);
        else write_refused(body, (const struct result *)event);
    }
    out_char(body, ']');
    envelope_end(body);
}

void api_reply(struct api *api, const struct api_context *context, const struct endpoint *endpoint,
               struct api_result *result, struct http_answer *answer, struct out *body)
{
    const struct event *first = events_first(&result->events);

    assert(first != NULL); /* a command is refused or has results (I3) */
    api->noted = (struct api_noted){ .route = API_ROUTES_MAX };
    *answer = (struct http_answer){ .status = 200, .allow_origin = SLICE("*") };
    reply_lines(result, answer);
    if (first->kind == EVENT_REFUSED) {
        api->noted.reject = ((const struct refused *)first)->reject;
        reply_refused(api, context, (const struct refused *)first, answer, body);
        return;
    }
    assert(first->kind == EVENT_RESULT);
    if (endpoint->gives_list && endpoint->gives != NULL) reply_batch(api, context, &result->events, body);
    else {
        api->noted.reject = ((const struct result *)first)->reject;
        reply_single(api, context, endpoint, &result->events, body);
    }
}
