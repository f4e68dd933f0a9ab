/* SPDX-License-Identifier: MIT */
/* envelope.c — {code, timestamp, data | error, details} (service 2.1; ruling 2). */
#include "api/inside.h"
#include "base/digits.h"

void envelope_begin(struct out *out, int64_t now_ms)
{
    out_literal(out, "{\"code\":0,\"timestamp\":");
    out_i64(out, now_ms);
    out_literal(out, ",\"data\":");
}

void envelope_end(struct out *out) { out_char(out, '}'); }

void envelope_error(struct out *out, int64_t now_ms, const struct failure *failure)
{
    const struct reject_row *row = reject_row(failure->reject);
    struct details_record    details = failure->details;

    if (details.rule.len == 0) details.rule = slice_of(row->rule);
    if (details.field.len == 0) details.field = slice_of(row->field);
    out_literal(out, "{\"code\":");
    out_i64(out, row->code);
    out_literal(out, ",\"timestamp\":");
    out_i64(out, now_ms);
    out_literal(out, ",\"error\":");
    json_write_string(out, slice_of(failure->text != NULL ? failure->text : row->text));
    out_literal(out, ",\"details\":");
    shape_write(out, &details_shape, &details, false);
    out_char(out, '}');
}

/* Text of a client, made harmless: printable ASCII, cut. */
static struct slice printable(struct slice text, char *into, size_t cap)
{
    size_t len = min_size(text.len, cap);

    for (size_t i = 0; i < len; i++) {
        char c = text.at[i];
        into[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    return slice_make(into, len);
}

void fail(struct failure *failure, enum reject reject, struct slice field, struct slice got)
{
    failure->reject = reject;
    failure->details.field = printable(field, failure->field, sizeof(failure->field));
    failure->details.got = printable(got, failure->got, sizeof(failure->got));
}

void fail_number(struct failure *failure, enum reject reject, struct slice field, uint64_t got)
{
    struct out out = out_make(failure->got, sizeof(failure->got));

    fail(failure, reject, field, SLICE(""));
    out_u64(&out, got);
    failure->details.got = out_slice(&out);
}

void fail_shape(struct failure *failure, const struct shape_error *error)
{
    fail(failure, error->reject, slice_of(error->field), slice_of(error->got));
    failure->details.need = printable(slice_of(error->need), failure->need, sizeof(failure->need));
}

void out_quantity(struct out *out, uint64_t value)
{
    uint64_t big_endian = __builtin_bswap64(value);
    uint32_t zeros = (uint32_t)__builtin_clzll(value | 1) / 4; /* in front; 0 is "0" */
    uint8_t  bytes[8];
    char     text[16];

    memcpy(bytes, &big_endian, sizeof(bytes));
    (void)digits_hex4(digits_hex4(text, bytes), bytes + 4);
    out_literal(out, "0x");
    out_bytes(out, text + zeros, sizeof(text) - zeros);
}

void call_record(struct call *call, const void *record)
{
    envelope_begin(call->body, call->context->now_ms);
    row_write(call->body, call->api->gives[call->endpoint - call->api->routes.rows], record);
    envelope_end(call->body);
}

void call_rows_begin(struct call *call)
{
    envelope_begin(call->body, call->context->now_ms);
    out_char(call->body, '[');
}

void call_rows_end(struct call *call)
{
    out_char(call->body, ']');
    envelope_end(call->body);
}

void call_row(struct call *call, const void *record)
{
    if (call->rows++ != 0) out_char(call->body, ',');
    row_write(call->body, call->api->gives[call->endpoint - call->api->routes.rows], record);
}
