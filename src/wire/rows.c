/* SPDX-License-Identifier: MIT */
#include "wire/rows.h"

/* ---- digits ---- */

static const char pairs[201] =
    "00010203040506070809" "10111213141516171819" "20212223242526272829" "30313233343536373839" "40414243444546474849"
    "50515253545556575859" "60616263646566676869" "70717273747576777879" "80818283848586878889" "90919293949596979899";

#define NUMBER_BYTES  20        /* of a uint64_t, and of an int64_t with its sign */
#define DECIMAL_BYTES 23        /* sign, "0." and 18 decimals, or 19 digits and a point */
#define WIDE_BYTES    44

/* Writes the digits of a value in front of `end`; returns where they begin. 0 has none. */
static char *digits_before(char *end, uint64_t value)
{
    for (; value >= 100; value /= 100) {
        end -= 2;
        memcpy(end, pairs + value % 100 * 2, 2);
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + value * 2, 2);
    } else if (value != 0) {
        *--end = (char)('0' + value);
    }
    return end;
}

/*
 * Copies a few bytes by their upper bound, which the compiler makes one or two moves of: there is always room for it
 * behind what is written (bytes_max), and what comes next overwrites the rest.
 */
#define COPY_BYTES 32

static char *put_u64(char *at, uint64_t value)
{
    char text[NUMBER_BYTES + COPY_BYTES], *end = text + NUMBER_BYTES, *first = digits_before(end, value);

    if (value == 0) { *at = '0'; return at + 1; }
    memcpy(at, first, COPY_BYTES);
    return at + (end - first);
}

static char *put_i64(char *at, int64_t value)
{
    if (value >= 0) return put_u64(at, (uint64_t)value);
    *at = '-';
    return put_u64(at + 1, 0 - (uint64_t)value);
}

/* Digits without sign as a decimal: the point goes in front of the last `scale` of them, zeros behind it go away. */
static char *put_scaled(char *at, uint64_t value, uint32_t scale)
{
    char text[NUMBER_BYTES + COPY_BYTES], *end = text + NUMBER_BYTES, *first, *point = end - scale;

    if (value == 0) { *at = '0'; return at + 1; }
    first = digits_before(end, value);
    while (first > point) *--first = '0';               /* "0.0…": the zeros up to the point are not digits of the value */
    while (end > point && end[-1] == '0') end--;
    *at = '0';
    if (first == point) at++;
    memcpy(at, first, COPY_BYTES);
    at += point - first;
    if (end == point) return at;
    *at++ = '.';
    memcpy(at, point, COPY_BYTES);
    return at + (end - point);
}

static char *put_decimal(char *at, const struct decimal *decimal)
{
    assert(decimal->scale <= DECIMAL_DIGITS_MAX);
    if (decimal->digits >= 0) return put_scaled(at, (uint64_t)decimal->digits, decimal->scale);
    *at = '-';
    return put_scaled(at + 1, 0 - (uint64_t)decimal->digits, decimal->scale);
}

static char *put_wide(char *at, const struct wide_decimal *decimal)
{
    bool       negative = decimal->digits < 0;
    uint128_t  value = negative ? 0 - (uint128_t)decimal->digits : (uint128_t)decimal->digits;
    struct out out = out_make(at, WIDE_BYTES);

    if (value >> 64 != 0) {
        wide_decimal_write(&out, *decimal);
        return at + out.len;
    }
    assert(decimal->scale <= DECIMAL_DIGITS_MAX);
    if (negative) *at++ = '-';
    return put_scaled(at, (uint64_t)value, decimal->scale);
}

/* ---- forms ---- */

static uint32_t bytes_of(uint8_t kind)
{
    switch (kind) {
    case KIND_U64: case KIND_U32: case KIND_I64: return NUMBER_BYTES;
    case KIND_DECIMAL: return DECIMAL_BYTES;
    case KIND_WIDE:    return WIDE_BYTES;
    default:           assert(kind == KIND_NAME); return sizeof(struct name);
    }
}

void row_form_make(struct row_form *form, const struct shape *shape)
{
    bool quoted = false;

    assert(shape->field_count != 0 && shape->field_count <= ROW_FIELDS_MAX && !shape->tuple);
    *form = (struct row_form){ .shape = shape, .count = shape->field_count, .bytes_max = 2 + COPY_BYTES };
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        struct row_part    *part = &form->parts[i];
        struct out          text = out_make(part->text, sizeof(part->text));

        assert(field->presence == REQUIRED);
        if (quoted) out_char(&text, '"');
        quoted = field->kind == KIND_NAME || ((field->kind == KIND_DECIMAL || field->kind == KIND_WIDE) && (field->flags & FLAG_NUMBER) == 0);
        out_text(&text, i == 0 ? "{\"" : ",\"");
        out_text(&text, field->key);
        out_text(&text, quoted ? "\":\"" : "\":");
        assert(!text.overflow);
        part->kind = field->kind;
        part->len = (uint8_t)text.len;
        part->quoted = quoted;
        part->offset = field->offset;
        form->bytes_max += ROW_TEXT_MAX + bytes_of(field->kind);
    }
}

static char *put_value(char *at, uint8_t kind, const void *member)
{
    const struct name *name = member;

    switch (kind) {
    case KIND_U64:     return put_u64(at, *(const uint64_t *)member);
    case KIND_U32:     return put_u64(at, *(const uint32_t *)member);
    case KIND_I64:     return put_i64(at, *(const int64_t *)member);
    case KIND_DECIMAL: return put_decimal(at, member);
    case KIND_WIDE:    return put_wide(at, member);
    default:
        memcpy(at, name->at, sizeof(name->at));
        return at + name->len;
    }
}

void row_write(struct out *out, const struct row_form *form, const void *record)
{
    char *at = out->at + out->len;

    if (out->cap - out->len < form->bytes_max) {
        shape_write(out, form->shape, record, false);
        return;
    }
    for (uint32_t i = 0; i < form->count; i++) {
        const struct row_part *part = &form->parts[i];
        memcpy(at, part->text, ROW_TEXT_MAX);
        at = put_value(at + part->len, part->kind, (const char *)record + part->offset);
    }
    if (form->parts[form->count - 1].quoted) *at++ = '"';
    *at++ = '}';
    out->len = (size_t)(at - out->at);
}
