/* SPDX-License-Identifier: MIT */
#include "wire/rows.h"

#include "base/digits.h"
#include "wire/member.h"

/*
 * Values are copied by their upper bound, which the compiler turns into one or two moves: there is always room for it
 * (bytes_max), and the next value overwrites the excess.
 */
#define NUMBER_BYTES  20 /* of a uint64_t, and of an int64_t with its sign */
#define DECIMAL_BYTES 23 /* sign, "0." and 18 decimals, or 19 digits and a point */
#define WIDE_BYTES    44
#define ROOM_BEHIND   64

/* ---- decimals ---- */

/* clang-format off */
static const uint64_t powers[DECIMAL_DIGITS_MAX + 1] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
    10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
};
/* clang-format on */

/* The fraction: `scale` digits of a value that is not 0, without trailing zeros. */
static ALWAYS_INLINE char *put_behind(char *at, uint64_t value, uint32_t scale)
{
    for (; scale > 8; scale -= 8) {
        uint32_t upper = (uint32_t)(value / powers[scale - 8]);
        value -= upper * powers[scale - 8];
        if (value == 0) return digits_behind(at, upper);
        at = digits_eight(at, upper);
    }
    return digits_behind(at, (uint32_t)(value * powers[8 - scale]));
}

/* Digits without sign as a decimal: the point goes in front of the last `scale` of them, zeros behind it go away. */
static char *put_scaled(char *at, uint64_t value, uint32_t scale)
{
    uint64_t whole, rest = value;

    assert(scale <= DECIMAL_DIGITS_MAX);
    *at = '0';
    if (value == 0) return at + 1; /* every other amount of an account, and most fees */
    if (value < powers[scale]) {
        at += 1;
    } else {
        whole = value / powers[scale];
        rest -= whole * powers[scale];
        at = digits_u64(at, whole);
        if (rest == 0) return at;
    }
    *at = '.';
    return put_behind(at + 1, rest, scale);
}

static ALWAYS_INLINE char *put_decimal(char *at, const struct decimal *decimal)
{
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
    if (negative) *at++ = '-';
    return put_scaled(at, (uint64_t)value, decimal->scale);
}

/* ---- forms ---- */

static bool is_quoted(const struct field *field)
{
    switch (field->kind) {
    case KIND_CLIENT_ID:
    case KIND_NAME:
    case KIND_ADDRESS:
    case KIND_HASH:
    case KIND_ENUM: return true;
    case KIND_DECIMAL:
    case KIND_WIDE: return (field->flags & FLAG_NUMBER) == 0;
    default: return false;
    }
}

/* Most bytes of a value, its quotes included; 0 for a kind without a bound. */
static uint32_t bytes_of(uint8_t kind)
{
    switch (kind) {
    case KIND_BOOL: return 5;
    case KIND_U64:
    case KIND_U32:
    case KIND_I64:
    case KIND_OPTIONAL_U64: return NUMBER_BYTES;
    case KIND_DECIMAL: return DECIMAL_BYTES + 2;
    case KIND_WIDE: return WIDE_BYTES + 2;
    case KIND_NAME: return sizeof(struct name) + 2;
    case KIND_CLIENT_ID: return sizeof(struct client_id) + 2;
    case KIND_ENUM: return sizeof(struct row_word) + 2;
    case KIND_ADDRESS: return 2 + 2 * sizeof(struct address) + 2;
    case KIND_HASH: return 2 + 2 * sizeof(struct hash256) + 2;
    default: return 0;
    }
}

static uint8_t word_count(const struct enum_name *names)
{
    uint8_t count = 0;

    for (; names->name != NULL; names++)
        if (names->value >= count) count = (uint8_t)(names->value + 1);
    return count;
}

/* The words of an enum, by value. */
static const struct row_word *words_of(struct row_forms *forms, const struct enum_name *names)
{
    struct row_word *first = &forms->words[forms->word_count];

    for (uint32_t i = 0; i < forms->word_count; i++)
        if (forms->names[i] == names) return &forms->words[i];
    assert(forms->word_count + word_count(names) <= ROW_WORDS_MAX);
    forms->names[forms->word_count] = names;
    forms->word_count += word_count(names);
    for (; names->name != NULL; names++) {
        size_t len = strlen(names->name);
        assert(len != 0 && len < sizeof(first->text));
        first[names->value].len = (uint8_t)len;
        memcpy(first[names->value].text, names->name, len);
    }
    return first;
}

static void part_make(struct row_forms *forms, struct row_part *part, const struct shape *shape,
                      const struct field *field)
{
    struct out text = out_make(part->text, sizeof(part->text));
    bool       is_list = field->kind == KIND_OBJECT || field->kind == KIND_ITEMS || field->kind == KIND_LIST;

    *part =
        (struct row_part){ .kind = field->kind,
                           .absence = field->presence == OPTIONAL || field->presence == NULLABLE ? field->presence : 0,
                           .quoted = is_quoted(field),
                           .offset = field->offset,
                           .field = field };
    if (!shape->bare) out_char(&text, ',');
    if (!shape->bare && !shape->tuple) {
        out_char(&text, '"');
        out_text(&text, field->key);
        out_literal(&text, "\":");
    }
    if (part->quoted) out_char(&text, '"');
    assert(!text.overflow);
    part->len = (uint8_t)text.len;
    if (is_list) part->of.form = row_form(forms, field->item);
    if (field->kind != KIND_ENUM) return;
    part->of.words = words_of(forms, field->names);
    part->word_count = word_count(field->names);
}

void row_forms_init(struct row_forms *forms)
{
    forms->form_count = forms->part_count = forms->word_count = 0;
    memset(forms->words, 0, sizeof(forms->words));
    memset(forms->names, 0, sizeof(forms->names));
}

const struct row_form *row_form(struct row_forms *forms, const struct shape *shape)
{
    struct row_form *form = &forms->forms[forms->form_count];
    struct row_part *parts = &forms->parts[forms->part_count];

    for (uint32_t i = 0; i < forms->form_count; i++)
        if (forms->forms[i].shape == shape) return &forms->forms[i];
    assert(forms->form_count < ROW_FORMS_MAX && forms->part_count + shape->field_count <= ROW_PARTS_MAX);
    forms->form_count += 1;
    forms->part_count += shape->field_count;
    *form = (struct row_form){ .shape = shape, .parts = parts, .bytes_max = 2 + ROOM_BEHIND };
    if (!shape->bare) {
        form->open = shape->tuple ? '[' : '{';
        form->close = shape->tuple ? ']' : '}';
    }
    for (uint32_t i = 0; i < (shape->bare ? 1 : shape->field_count); i++) {
        if (shape->fields[i].kind == KIND_REFUSED) continue;
        part_make(forms, &parts[form->count], shape, &shape->fields[i]);
        form->bytes_max += parts[form->count].len + bytes_of(shape->fields[i].kind);
        form->count += 1;
    }
    return form;
}

/* ---- values ---- */

static ALWAYS_INLINE char *put_hex(char *at, const void *bytes, size_t len)
{
    memcpy(at, "0x", 2);
    at += 2;
    for (size_t i = 0; i < len; i += 4) at = digits_hex4(at, (const uint8_t *)bytes + i);
    return at;
}

/* NULL when there is not enough room. */
static char *put_record(char *at, const char *end, const struct row_form *form, const void *record);

static char *put_items(char *at, const char *end, const struct row_form *form, const char *items, uint32_t count)
{
    if (at + 2 + ROOM_BEHIND > end) return NULL;
    *at++ = '[';
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0) *at++ = ',';
        at = put_record(at, end, form, items + (size_t)i * form->shape->size);
        if (at == NULL || at + 2 > end) return NULL;
    }
    *at++ = ']';
    return at;
}

static char *put_text(char *at, const char *end, struct slice text)
{
    struct out out = out_make(at, (size_t)(end - at));

    json_write_string(&out, text);
    return out.overflow ? NULL : at + out.len;
}

/* A value of any length. NULL: not enough room for it and for the bounded rest of the record. */
static char *put_long(char *at, const char *end, const struct row_form *of, const struct row_part *part,
                      const void *record)
{
    const char        *member = (const char *)record + part->offset;
    const struct list *list = (const struct list *)member;
    uint32_t           count;

    switch (part->kind) {
    case KIND_TEXT: at = put_text(at, end, *(const struct slice *)member); break;
    case KIND_OBJECT: at = put_record(at, end, part->of.form, member); break;
    case KIND_ITEMS:
        count = *(const uint32_t *)(const void *)((const char *)record + part->field->count_offset);
        assert(count <= part->field->count_max);
        at = put_items(at, end, part->of.form, member, count);
        break;
    default:
        assert(part->kind == KIND_LIST);
        at = put_items(at, end, part->of.form, list->items, list->count);
        break;
    }
    return at == NULL || (size_t)(end - at) < of->bytes_max ? NULL : at;
}

static ALWAYS_INLINE bool part_is_given(const struct row_part *part, const void *record)
{
    const char *member = (const char *)record + part->offset;

    switch (part->kind) {
    case KIND_DECIMAL:
    case KIND_U64:
    case KIND_I64: return *(const uint64_t *)(const void *)member != 0;
    case KIND_ENUM: return *member != 0;
    default: return member_is_given(part->field, record);
    }
}

static ALWAYS_INLINE char *put_value(char *at, const char *end, const struct row_form *of, const struct row_part *part,
                                     const void *record)
{
    const void             *member = (const char *)record + part->offset;
    const struct client_id *id = member;
    const struct name      *name = member;
    const struct row_word  *word;

    switch (part->kind) {
    case KIND_BOOL:
        memcpy(at, *(const bool *)member ? "true\0\0\0" : "false\0\0", 8);
        return at + (*(const bool *)member ? 4 : 5);
    case KIND_U64: return digits_u64(at, *(const uint64_t *)member);
    case KIND_OPTIONAL_U64: return digits_u64(at, ((const struct optional_u64 *)member)->value);
    case KIND_U32: return digits_u64(at, *(const uint32_t *)member);
    case KIND_I64: return digits_i64(at, *(const int64_t *)member);
    case KIND_DECIMAL: return put_decimal(at, member);
    case KIND_WIDE: return put_wide(at, member);
    case KIND_ADDRESS: return put_hex(at, member, sizeof(struct address));
    case KIND_HASH: return put_hex(at, member, sizeof(struct hash256));
    case KIND_CLIENT_ID: memcpy(at, id->at, sizeof(id->at)); return at + id->len;
    case KIND_NAME: memcpy(at, name->at, sizeof(name->at)); return at + name->len;
    case KIND_TEXT:
    case KIND_OBJECT:
    case KIND_ITEMS:
    case KIND_LIST: return put_long(at, end, of, part, record);
    default:
        assert(part->kind == KIND_ENUM && *(const uint8_t *)member < part->word_count);
        word = &part->of.words[*(const uint8_t *)member];
        assert(word->len != 0);
        memcpy(at, word->text, sizeof(word->text));
        return at + word->len;
    }
}

static char *put_record(char *at, const char *end, const struct row_form *form, const void *record)
{
    char *first = at;

    if ((size_t)(end - at) < form->bytes_max) return NULL;
    for (uint32_t i = 0; i < form->count; i++) {
        const struct row_part *part = &form->parts[i];

        if (part->absence != 0 && !part_is_given(part, record)) {
            if (part->absence == OPTIONAL) continue;
            memcpy(at, part->text, ROW_TEXT_MAX);
            at += part->len - part->quoted;
            memcpy(at, "null", 4);
            at += 4;
            continue;
        }
        memcpy(at, part->text, ROW_TEXT_MAX);
        at += part->len;
        at = put_value(at, end, form, part, record);
        if (at == NULL) return NULL;
        *at = '"';
        at += part->quoted;
    }
    if (form->open == 0) return at;
    if (at == first) at += 1;
    *first = form->open; /* the comma in front of the first value */
    *at++ = form->close;
    return at;
}

void row_write(struct out *out, const struct row_form *form, const void *record)
{
    char *at = out->at + out->len;
    char *end = out->len < out->cap ? put_record(at, out->at + out->cap, form, record) : NULL;

    if (end == NULL) shape_write(out, form->shape, record, false); /* not much room: byte by byte */
    else out->len += (size_t)(end - at);
}
