/* SPDX-License-Identifier: MIT */
#include "wire/plain.h"

#define WORD_BYTES    8
#define TEXT_MAX      (PLAIN_TEXT_WORDS * WORD_BYTES)
#define NUMBER_DIGITS 19 /* any so many fit 64 bits */

/* ---- forms ---- */

void plain_forms_init(struct plain_forms *forms) { forms->form_count = forms->part_count = 0; }

static bool is_quoted(const struct field *field)
{
    return field->kind == KIND_CLIENT_ID || field->kind == KIND_DECIMAL;
}

/* The largest whole number of a kind; 0: it is none. */
static uint64_t number_max(uint8_t kind)
{
    switch (kind) {
    case KIND_U64:
    case KIND_OPTIONAL_U64: return UINT64_MAX;
    case KIND_U32: return UINT32_MAX;
    case KIND_I64: return INT64_MAX;
    default: return 0;
    }
}

static bool has_plain_bodies(const struct shape *shape);

/* A list in an item has no place in the checks below. */
static bool has_list(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (shape->fields[i].kind == KIND_ITEMS) return true;
    return false;
}

/* A body with a member that is not readable here is not plain. */
static bool is_readable(const struct field *field)
{
    if (field->presence == NULLABLE || strlen(field->key) + 4 > TEXT_MAX) return false;
    switch (field->kind) {
    case KIND_BOOL:
    case KIND_CLIENT_ID: return true;
    case KIND_ENUM: return (field->flags & FLAG_ENUM_NAME) == 0;
    case KIND_DECIMAL: return (field->flags & FLAG_NUMBER) == 0;
    case KIND_ITEMS: return has_plain_bodies(field->item) && !has_list(field->item);
    default: return number_max(field->kind) != 0;
    }
}

static bool has_plain_bodies(const struct shape *shape)
{
    if (shape->tuple || shape->bare) return false;
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (shape->fields[i].presence == REQUIRED && !is_readable(&shape->fields[i])) return false;
    return true;
}

static uint16_t values_of(const struct enum_name *names)
{
    uint16_t values = 0;

    for (; names->name != NULL; names++)
        if (names->value <= 9) values |= (uint16_t)(1u << names->value);
    return values;
}

static void part_make(struct plain_part *part, const struct field *field)
{
    char     text[TEXT_MAX] = { 0 };
    uint32_t len = (uint32_t)strlen(field->key);

    *part = (struct plain_part){
        .field = field,
        .values = field->kind == KIND_ENUM ? values_of(field->names) : 0,
        .max = number_max(field->kind),
        .offset = field->offset,
        .kind = field->kind,
        .required = field->presence == REQUIRED,
        .not_zero = field->presence == OPTIONAL || (field->flags & FLAG_NOT_ZERO) != 0,
    };
    text[0] = '"';
    memcpy(text + 1, field->key, len);
    memcpy(text + 1 + len, "\":\"", 3);
    len += is_quoted(field) ? 4 : 3;
    part->len = (uint8_t)len;
    for (uint32_t i = 0; i < PLAIN_TEXT_WORDS; i++) {
        uint32_t bytes = min_u32(len, WORD_BYTES);
        part->mask[i] = bytes == WORD_BYTES ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
        memcpy(&part->word[i], text + (size_t)WORD_BYTES * i, WORD_BYTES);
        part->word[i] &= part->mask[i];
        len -= bytes;
    }
}

/* Items that nobody asked for need not be cleared. A list is the last thing in its struct. */
static uint32_t cleared_bytes(const struct shape *shape)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];

        if (field->kind == KIND_ITEMS && field->offset + field->count_max * field->item->size == shape->size)
            return field->offset;
    }
    return shape->size;
}

const struct plain_form *plain_form(struct plain_forms *forms, const struct shape *shape)
{
    struct plain_form *form = &forms->forms[forms->form_count];
    struct plain_part *parts = &forms->parts[forms->part_count];

    for (uint32_t i = 0; i < forms->form_count; i++)
        if (forms->forms[i].shape == shape) return &forms->forms[i];
    if (!has_plain_bodies(shape)) return NULL;
    assert(forms->form_count < PLAIN_FORMS_MAX && forms->part_count + shape->field_count <= PLAIN_PARTS_MAX);
    forms->form_count += 1;
    forms->part_count += shape->field_count;
    *form = (struct plain_form){ .shape = shape, .parts = parts, .cleared = cleared_bytes(shape) };
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];

        if (!is_readable(field)) continue;
        part_make(&parts[form->count], field);
        if (field->kind == KIND_ITEMS) parts[form->count].items = plain_form(forms, field->item);
        form->count += 1;
    }
    return form;
}

/*
 * ---- values ----
 *
 * Each function reads from `at`, which is before the end, and returns the place behind what it has read, or NULL. A
 * body ends with a brace (plain_read), which is part of no value, so that no run of digits or letters passes the end.
 */

/* The last bytes of a body: what lies behind them is not looked at. */
static NOINLINE bool text_ends_there(const char *at, const char *end, const struct plain_part *part)
{
    return end - at >= part->len && memcmp(at, part->word, part->len) == 0;
}

static ALWAYS_INLINE uint64_t difference(const char *at, const struct plain_part *part, uint32_t i)
{
    uint64_t word;

    memcpy(&word, at + (size_t)WORD_BYTES * i, WORD_BYTES);
    return (word & part->mask[i]) ^ part->word[i];
}

/* Most texts have at most two words. */
static ALWAYS_INLINE bool text_is_there(const char *at, const char *end, const struct plain_part *part)
{
    if (end - at < TEXT_MAX) return text_ends_there(at, end, part);
    if ((difference(at, part, 0) | difference(at, part, 1)) != 0) return false;
    return part->mask[2] == 0 || (difference(at, part, 2) | difference(at, part, 3)) == 0;
}

static ALWAYS_INLINE const char *read_digits(const char *at, uint64_t *value)
{
    uint32_t digit;

    for (; (digit = (uint8_t)*at - (uint32_t)'0') <= 9; at++) *value = *value * 10 + digit;
    return at;
}

static ALWAYS_INLINE const char *read_whole(const char *at, const struct plain_part *part, char *member)
{
    const char *first = at;
    uint64_t    value = 0;

    at = read_digits(at, &value);
    if (at == first || at - first > NUMBER_DIGITS || (*first == '0' && at - first > 1) || value > part->max)
        return NULL;
    if (part->kind == KIND_OPTIONAL_U64) {
        *(struct optional_u64 *)(void *)member = (struct optional_u64){ value, 1 };
        return at;
    }
    if (value == 0 && part->not_zero) return NULL;
    if (part->kind == KIND_U32) *(uint32_t *)(void *)member = (uint32_t)value;
    else memcpy(member, &value, sizeof(value));
    return at;
}

/* One digit: a second one is behind none of the texts. */
static ALWAYS_INLINE const char *read_enum(const char *at, const struct plain_part *part, char *member)
{
    uint32_t value = (uint8_t)*at - (uint32_t)'0';

    if (value > 9 || (part->values >> value & 1) == 0) return NULL;
    *(uint8_t *)member = (uint8_t)value;
    return at + 1;
}

/* With the quote behind it. */
static ALWAYS_INLINE const char *read_decimal(const char *at, struct decimal *decimal)
{
    const char *first = at, *fraction;
    uint64_t    digits = 0;

    at = fraction = read_digits(at, &digits);
    if (at == first || (*first == '0' && at - first > 1)) return NULL;
    if (*at == '.') {
        fraction = at + 1;
        at = read_digits(fraction, &digits);
        if (at == fraction || at[-1] == '0') return NULL;
    }
    if (at - first > DECIMAL_DIGITS_MAX || digits == 0 || *at != '"') return NULL;
    *decimal = (struct decimal){ (int64_t)digits, (uint32_t)(at - fraction), 0 };
    return at + 1;
}

/* Those of text_is_client_id. */
static const bool id_chars[256] = {
    ['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['_'] = true, ['-'] = true,
};

/* With the quote behind it. What lies behind the id in its struct is zero already. */
static ALWAYS_INLINE const char *read_client_id(const char *at, struct client_id *id)
{
    size_t len = 0;

    while (id_chars[(uint8_t)at[len]]) len++;
    if (len == 0 || len > CLIENT_ID_MAX || at[len] != '"') return NULL;
    id->len = (uint8_t)len;
    memcpy(id->at, at, len);
    return at + len + 1;
}

static const char *read_bool(const char *at, const char *end, char *member)
{
    if (end - at >= 5 && memcmp(at, "false", 5) == 0) {
        *member = 0;
        return at + 5;
    }
    if (end - at < 4 || memcmp(at, "true", 4) != 0) return NULL;
    *member = 1;
    return at + 4;
}

/* ---- objects and lists ---- */

static const char *read_object(const char *at, const char *end, const struct plain_form *form, char *into);

/* Two lists that share a count must be equally long; that is left to shape_read. */
static const char *read_items(const char *at, const char *end, const struct plain_part *part, char *into)
{
    const struct field *field = part->field;
    uint32_t           *count = (uint32_t *)(void *)(into + field->count_offset), read = 0;

    if (*count != 0 || *at != '[') return NULL;
    do {
        if (read == field->count_max) return NULL;
        at = read_object(at + 1, end, part->items, into + field->offset + (size_t)read * field->item->size);
        if (at == NULL || at == end) return NULL;
        read += 1;
    } while (*at == ',');
    *count = read;
    return *at == ']' ? at + 1 : NULL;
}

static ALWAYS_INLINE const char *read_value(const char *at, const char *end, const struct plain_part *part, char *into)
{
    char *member = into + part->offset;

    switch (part->kind) {
    case KIND_BOOL: return read_bool(at, end, member);
    case KIND_ENUM: return read_enum(at, part, member);
    case KIND_CLIENT_ID: return read_client_id(at, (struct client_id *)member);
    case KIND_DECIMAL: return read_decimal(at, (struct decimal *)(void *)member);
    case KIND_ITEMS: return read_items(at, end, part, into);
    default: return read_whole(at, part, member);
    }
}

/* Rows that are not there are left out, unless they are required. */
static const char *read_object(const char *at, const char *end, const struct plain_form *form, char *into)
{
    const struct plain_part *part = form->parts, *last = part + form->count;
    char                     front = '{';

    memset(into, 0, form->cleared);
    for (; part != last; part++) {
        if (at == end || *at != front || !text_is_there(at + 1, end, part)) {
            if (part->required) return NULL;
            continue;
        }
        at += 1 + part->len;
        if (at == end) return NULL;
        at = read_value(at, end, part, into);
        if (at == NULL) return NULL;
        front = ',';
    }
    return front == ',' && at != end && *at == '}' ? at + 1 : NULL;
}

/* ---- the rules, as in shape_check.c ---- */

static bool list_passes(const struct plain_form *form, const struct plain_part *list, const char *from)
{
    const struct shape *shape = form->shape, *item_shape = list->field->item;
    const char         *item = from + list->offset;
    uint32_t            count = *(const uint32_t *)(const void *)(from + list->field->count_offset);

    for (uint32_t i = 0; i < count; i++, item += item_shape->size) {
        if (shape->check_item != NULL && shape->check_item(from, i) != REJECT_NONE) return false;
        if (item_shape->check != NULL && item_shape->check(item) != REJECT_NONE) return false;
    }
    return true;
}

static bool passes(const struct plain_form *form, const char *from)
{
    if (form->shape->check != NULL && form->shape->check(from) != REJECT_NONE) return false;
    for (uint32_t i = 0; i < form->count; i++)
        if (form->parts[i].items != NULL && !list_passes(form, &form->parts[i], from)) return false;
    return true;
}

bool plain_read(const struct plain_form *form, struct slice json, void *into)
{
    const char *end = json.at + json.len;

    if (json.len == 0 || end[-1] != '}') return false;
    return read_object(json.at, end, form, into) == end && passes(form, into);
}
