/* SPDX-License-Identifier: MIT */
/*
 * shape_query.c — query strings by the same rows as bodies; a repeated or ill-formed parameter is named (rulings 4,
 * 19).
 */
#include "base/hex.h"
#include "wire/member.h"
#include "wire/shape_check.h"

#define VALUE_MAX 256

/* Decodes %xx and '+' into `into`, where there are any; false when it is malformed or longer than `cap`. */
static bool decode(struct slice text, char *into, size_t cap, struct slice *decoded)
{
    size_t len = 0;

    while (len < text.len && text.at[len] != '%' && text.at[len] != '+') len++;
    if (len == text.len) { /* nothing to undo: it stays where it is */
        *decoded = text;
        return len <= cap;
    }
    len = 0;
    for (size_t i = 0; i < text.len; i++, len++) {
        char c = text.at[i];
        if (len == cap) return false;
        if (c == '%') {
            if (i + 2 >= text.len || !hex_read(slice_make(text.at + i + 1, 2), into + len, 1)) return false;
            i += 2;
        } else {
            into[len] = c == '+' ? ' ' : c;
        }
    }
    *decoded = slice_make(into, len);
    return true;
}

static enum reject fail(struct shape_error *error, enum reject reject, const char *key, struct slice got,
                        const char *need)
{
    error->reject = reject;
    excerpt(slice_of(key), error->field, sizeof(error->field));
    excerpt(got, error->got, sizeof(error->got));
    if (need != NULL) excerpt(slice_of(need), error->need, sizeof(error->need));
    return reject;
}

/* In a query zero is a value like any other, except for `limit` (rulings 19, 42). */
static enum reject number_from(const struct field *field, struct slice text, void *member, const char **need)
{
    struct field plain = *field;
    uint32_t     limit;

    plain.presence = DEFAULTED;
    if (field->kind != KIND_U32 || strcmp(field->key, "limit") != 0) return number_into(&plain, text, member, need);
    if (number_into(&plain, text, &limit, need) != REJECT_NONE || limit == 0) {
        *need = NULL;
        return REJECT_BAD_LIMIT;
    }
    *(uint32_t *)member = limit;
    return REJECT_NONE;
}

static enum reject value_from(const struct field *field, struct slice text, void *member, const char **need)
{
    switch (field->kind) {
    case KIND_BOOL:
        *need = "true or false";
        *(char *)member = slice_is(text, "true");
        return *(char *)member != 0 || slice_is(text, "false") ? REJECT_NONE : REJECT_BAD_PARAMETER;
    case KIND_U64:
    case KIND_U32:
    case KIND_I64:
    case KIND_OPTIONAL_U64: return number_from(field, text, member, need);
    case KIND_ENUM:
        return field->flags & FLAG_ENUM_NAME ? text_into(field, text, member, need)
                                             : number_into(field, text, member, need);
    default: return text_into(field, text, member, need);
    }
}

/* A text that cannot be a name is answered like an unlisted one (wire 1.4), as in a path. */
static enum reject unlisted(const struct field *field)
{
    if (strcmp(field->key, "symbol") == 0) return REJECT_SYMBOL_NOT_FOUND;
    if (strcmp(field->key, "coin") == 0) return REJECT_COIN_NOT_FOUND;
    return REJECT_NONE;
}

/* Rejects for JSON bodies become the one for parameters; their rule is reported as the required value. */
static enum reject as_parameter(const struct field *field, enum reject reject, const char **need)
{
    if (field->kind == KIND_NAME && unlisted(field) != REJECT_NONE) {
        *need = NULL;
        return unlisted(field);
    }
    if (reject == REJECT_BAD_LIMIT || reject == REJECT_BAD_ADDRESS || reject == REJECT_BAD_CLIENT_ID
        || reject == REJECT_BAD_KEY_NAME)
        return reject;
    if (*need == NULL) *need = reject_row(reject)->rule;
    return REJECT_BAD_PARAMETER;
}

static enum reject read_value(const struct field *field, const char *key, struct slice raw, char *into,
                              struct shape_error *error)
{
    char         bytes[VALUE_MAX];
    struct slice text;
    const char  *need = NULL;
    enum reject  reject;

    if (!decode(raw, bytes, sizeof(bytes), &text))
        return fail(error, REJECT_BAD_PARAMETER, key, raw, "percent-encoded text of at most 256 bytes");
    if (text.len == 0 && (field->kind == KIND_NAME || field->kind == KIND_TEXT || field->kind == KIND_CLIENT_ID))
        return REJECT_NONE; /* "symbol=" is no symbol */
    if (field->kind == KIND_TEXT) {
        if (!slice_equal(text, raw)) return fail(error, REJECT_BAD_PARAMETER, key, raw, "plain text");
        text = raw; /* stays good as long as the query */
    }
    reject = value_from(field, text, into + field->offset, &need);
    if (reject == REJECT_NONE) return REJECT_NONE;
    reject = as_parameter(field, reject, &need);
    return fail(error, reject, key, raw, need);
}

/* Cuts the next part off `text`, up to `by` or its end. */
static struct slice cut(struct slice *text, char by)
{
    const char  *at = text->len != 0 ? memchr(text->at, by, text->len) : NULL;
    struct slice part = slice_make(text->at, at != NULL ? (size_t)(at - text->at) : text->len);
    size_t       gone = part.len + (at != NULL ? 1 : 0);

    *text = slice_make(text->at + gone, text->len - gone);
    return part;
}

/* The row of a parameter, or NULL for an unknown one; *alias: it was sent as `depth`. */
static const struct field *find_row(const struct shape *shape, struct slice key, bool *alias)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        *alias = false;
        if (slice_is(key, field->key)) return field;
        *alias = (field->flags & FLAG_PARAM_DEPTH) != 0 && slice_is(key, "depth");
        if (*alias) return field;
    }
    return NULL;
}

/* Parameters seen so far; `depth` waits until it is certain that `limit` is absent. */
struct query_reader {
    const struct shape *shape;
    char               *into;
    struct shape_error *error;
    uint64_t            seen;      /* a bit per row */
    const struct field *alias_row; /* NULL while no `depth` came */
    struct slice        alias_value;
};

static bool is_seen(const struct query_reader *reader, const struct field *field)
{
    return (reader->seen >> (field - reader->shape->fields) & 1) != 0;
}

static void mark_seen(struct query_reader *reader, const struct field *field)
{
    reader->seen |= UINT64_C(1) << (field - reader->shape->fields);
}

/* One `key=value`; an unknown key is ignored. */
static enum reject read_parameter(struct query_reader *reader, struct slice value)
{
    struct slice        raw_key = cut(&value, '='), key;
    char                bytes[32];
    bool                alias = false;
    const struct field *field =
        decode(raw_key, bytes, sizeof(bytes), &key) ? find_row(reader->shape, key, &alias) : NULL;

    if (field == NULL) return REJECT_NONE;
    if (alias ? reader->alias_row != NULL : is_seen(reader, field))
        return fail(reader->error, REJECT_REPEATED_PARAMETER, alias ? "depth" : field->key, value, NULL);
    if (alias) {
        reader->alias_row = field;
        reader->alias_value = value;
        return REJECT_NONE;
    }
    mark_seen(reader, field);
    return read_value(field, field->key, value, reader->into, reader->error);
}

static enum reject read_alias(struct query_reader *reader)
{
    if (reader->alias_row == NULL || is_seen(reader, reader->alias_row)) return REJECT_NONE;
    mark_seen(reader, reader->alias_row);
    return read_value(reader->alias_row, "depth", reader->alias_value, reader->into, reader->error);
}

static enum reject all_are_there(const struct query_reader *reader)
{
    for (uint32_t i = 0; i < reader->shape->field_count; i++) {
        const struct field *field = &reader->shape->fields[i];
        if (field->presence == REQUIRED && !is_seen(reader, field))
            return fail(reader->error, REJECT_BAD_PARAMETER, field->key, SLICE("nothing"), "must be given");
    }
    return REJECT_NONE;
}

enum reject shape_read_query(const struct shape *shape, struct slice query, void *into, struct shape_error *error)
{
    struct query_reader reader = { .shape = shape, .into = into, .error = error };
    enum reject         reject = REJECT_NONE;

    *error = (struct shape_error){ 0 };
    memset(into, 0, shape->size);
    while (query.len != 0 && reject == REJECT_NONE) reject = read_parameter(&reader, cut(&query, '&'));
    if (reject == REJECT_NONE) reject = read_alias(&reader);
    if (reject == REJECT_NONE) reject = all_are_there(&reader);
    return reject != REJECT_NONE ? reject : shape_check(shape, into, error);
}
