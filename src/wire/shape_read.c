/* SPDX-License-Identifier: MIT */
/*
 * shape_read.c — one pass over the text, straight into the struct. Nothing is built and nothing is
 * allocated; the only memory is the path to the value at hand, which errors name.
 */
#include "wire/json.h"
#include "wire/member.h"
#include "wire/shape_check.h"

#define DEPTH_MAX 8

struct step {
    const struct field *field;
    uint32_t            index;
};

struct reader {
    struct scan         scan;
    const char         *start;
    struct shape_error *error;
    bool                strictly; /* decimals end in no zeros */
    uint32_t            depth;    /* steps of the path; the last is the value at hand */
    struct step         path[DEPTH_MAX + 1];
};

static bool read_shape(struct reader *reader, const struct shape *shape, char *into);

/* "orders[3].price": a list's step carries its index while an item is being read. */
static void write_path(const struct reader *reader, struct slice last, struct shape_error *error)
{
    struct out out = out_make(error->field, sizeof(error->field) - 1);

    for (uint32_t i = 0; i < reader->depth; i++) {
        if (i != 0) out_char(&out, '.');
        out_text(&out, reader->path[i].field->key);
        if (reader->path[i].index != UINT32_MAX) {
            out_char(&out, '[');
            out_u64(&out, reader->path[i].index);
            out_char(&out, ']');
        }
    }
    if (last.len != 0) {
        char key[32];
        excerpt(last, key, sizeof(key));
        if (out.len != 0) out_char(&out, '.');
        out_text(&out, key);
    }
    error->field[out.len] = '\0';
}

/* Records why and where; `last` is a key below the path, `got` what stood there. */
static bool fail(struct reader *reader, enum reject reject, struct slice last, struct slice got, const char *need)
{
    struct shape_error *error = reader->error;

    error->reject = reject;
    write_path(reader, last, error);
    excerpt(got, error->got, sizeof(error->got));
    if (need != NULL) excerpt(slice_of(need), error->need, sizeof(error->need));
    error->at = (size_t)(reader->scan.at - reader->start);
    return false;
}

#define NO_KEY SLICE("")

static bool fail_syntax(struct reader *reader, const char *need)
{
    size_t rest = (size_t)(reader->scan.end - reader->scan.at);

    if (rest == 0) return fail(reader, REJECT_BAD_JSON, NO_KEY, SLICE("the end of the text"), need);
    return fail(reader, REJECT_BAD_JSON, NO_KEY, slice_make(reader->scan.at, min_size(rest, 20)), need);
}

/* The value at hand is of another type than its row wants, or is no JSON at all. */
static bool fail_type(struct reader *reader, const char *need)
{
    struct scan ahead = reader->scan;

    if (!scan_value(&ahead, DEPTH_MAX, false)) {
        reader->scan.at = ahead.at;
        return fail_syntax(reader, NULL);
    }
    return fail(reader, REJECT_WRONG_TYPE, NO_KEY, slice_make(reader->scan.at, (size_t)(ahead.at - reader->scan.at)),
                need);
}

static bool read_number(struct reader *reader, const struct field *field, char *member)
{
    const char  *start = reader->scan.at, *need = NULL;
    struct slice number;
    enum reject  reject;
    bool         whole;

    if (start == reader->scan.end || !(*start == '-' || (*start >= '0' && *start <= '9')))
        return fail_type(reader, field->kind == KIND_DECIMAL ? "a JSON number" : "a whole number, not a string");
    if (!scan_number(&reader->scan, &number, &whole)) return fail_syntax(reader, NULL);
    reject = field->kind == KIND_DECIMAL ? text_into(field, number, member, &need)
                                         : number_into(field, number, member, &need);
    if (reject == REJECT_NONE) return true;
    reader->scan.at = start;
    return fail(reader, reject, NO_KEY, number, need);
}

static const char *string_need(const struct field *field)
{
    return field->kind == KIND_DECIMAL ? "a decimal in a JSON string" : "a JSON string";
}

static bool ends_in_zeros(struct slice decimal)
{
    return decimal.at[decimal.len - 1] == '0' && memchr(decimal.at, '.', decimal.len) != NULL;
}

/* Zeros too many have the code of decimals too many (wire 4.4: "precision/tick, or a trailing zero"). */
static enum reject zeros_reject(const struct field *field)
{
    /* clang-format off */
    static const struct { const char *key; enum reject reject; } rows[] = {
        { "price", REJECT_PRICE_ZEROS }, { "stopPrice", REJECT_PRICE_ZEROS }, { "quantity", REJECT_QUANTITY_ZEROS },
        { "funds", REJECT_FUNDS_ZEROS }, { "amount", REJECT_AMOUNT_ZEROS },
    };
    /* clang-format on */

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (strcmp(field->key, rows[i].key) == 0) return rows[i].reject;
    return REJECT_BAD_DECIMAL;
}

static bool read_string(struct reader *reader, const struct field *field, char *member)
{
    const char  *start = reader->scan.at, *need = NULL;
    struct slice text;
    enum reject  reject;
    bool         escaped;

    if (!scan_is(&reader->scan, '"')) return fail_type(reader, string_need(field));
    if (!scan_string(&reader->scan, &text, &escaped)) return fail_syntax(reader, NULL);
    if (escaped) {
        reject = REJECT_WRONG_TYPE;
        need = "a string without escapes";
    } else {
        reject = text_into(field, text, member, &need);
    }
    if (reject == REJECT_NONE && reader->strictly && field->kind == KIND_DECIMAL && ends_in_zeros(text))
        reject = zeros_reject(field);
    if (reject == REJECT_NONE) return true;
    text = slice_make(start, (size_t)(reader->scan.at - start));
    reader->scan.at = start;
    return fail(reader, reject, NO_KEY, text, need);
}

static bool has_word(const struct scan *scan, struct slice word)
{
    return (size_t)(scan->end - scan->at) >= word.len && memcmp(scan->at, word.at, word.len) == 0;
}

static bool read_bool(struct reader *reader, char *member)
{
    if (has_word(&reader->scan, SLICE("true"))) {
        *member = 1;
        reader->scan.at += 4;
        return true;
    }
    if (has_word(&reader->scan, SLICE("false"))) {
        *member = 0;
        reader->scan.at += 5;
        return true;
    }
    return fail_type(reader, "true or false");
}

/* Two lists may share one count (tables with a column each); then they are equally long. */
static bool end_items(struct reader *reader, const struct field *field, char *into, uint32_t read)
{
    uint32_t *count = (uint32_t *)(void *)(into + field->count_offset);

    if (*count != 0 && *count != read)
        return fail(reader, REJECT_BATCH_SIZE, NO_KEY, SLICE("another length"),
                    "as many items as the list it belongs to");
    *count = read;
    return true;
}

/* The rule's text is for batches; a list with another limit names its own. */
static bool fail_items(struct reader *reader, const struct field *field)
{
    char need[ITEMS_NEED_BYTES];

    if (field->count_max == BATCH_MAX) return fail(reader, REJECT_BATCH_SIZE, NO_KEY, SLICE("more items"), NULL);
    write_items_need("at most ", field, need);
    return fail(reader, REJECT_BATCH_SIZE, NO_KEY, SLICE("more items"), need);
}

static bool read_items(struct reader *reader, const struct field *field, char *into)
{
    struct step *step = &reader->path[reader->depth - 1];
    uint32_t     read = 0;

    if (!scan_is(&reader->scan, '[')) return fail_type(reader, "an array");
    reader->scan.at++;
    scan_space(&reader->scan);
    if (scan_char(&reader->scan, ']')) return end_items(reader, field, into, read);
    do {
        if (read == field->count_max) return fail_items(reader, field);
        step->index = read;
        scan_space(&reader->scan);
        if (!read_shape(reader, field->item, into + field->offset + (size_t)read * field->item->size)) return false;
        read += 1;
        step->index = UINT32_MAX;
        scan_space(&reader->scan);
    } while (scan_char(&reader->scan, ','));
    if (!scan_char(&reader->scan, ']')) return fail_syntax(reader, "a comma or the end of the array");
    return end_items(reader, field, into, read);
}

/* Known, never kept: any value, as strict as the rest. */
static bool read_refused(struct reader *reader, uint32_t *member)
{
    if (!scan_value(&reader->scan, DEPTH_MAX - (int)reader->depth, true)) return fail_syntax(reader, NULL);
    *member = 1;
    return true;
}

static bool read_member(struct reader *reader, const struct field *field, char *into)
{
    char *member = into + field->offset;

    if (field->presence == NULLABLE && has_word(&reader->scan, SLICE("null"))) {
        reader->scan.at += 4;
        return true;
    }
    switch (field->kind) {
    case KIND_BOOL: return read_bool(reader, member);
    case KIND_U64:
    case KIND_U32:
    case KIND_I64:
    case KIND_OPTIONAL_U64: return read_number(reader, field, member);
    case KIND_ENUM:
        return field->flags & FLAG_ENUM_NAME ? read_string(reader, field, member) : read_number(reader, field, member);
    case KIND_DECIMAL:
        return field->flags & FLAG_NUMBER ? read_number(reader, field, member) : read_string(reader, field, member);
    case KIND_OBJECT: return read_shape(reader, field->item, member);
    case KIND_ITEMS: return read_items(reader, field, into);
    case KIND_REFUSED: return read_refused(reader, (uint32_t *)(void *)member);
    default:
        assert(field->kind != KIND_LIST); /* replies only */
        return read_string(reader, field, member);
    }
}

static bool read_step(struct reader *reader, const struct field *field, char *into)
{
    assert(reader->depth < DEPTH_MAX);
    reader->path[reader->depth++] = (struct step){ field, UINT32_MAX };
    if (!read_member(reader, field, into)) return false;
    reader->depth -= 1;
    return true;
}

/* Does the text begin with this key, quote, and so on? Rows come mostly in their own order. */
static bool key_is_next(const struct scan *scan, const char *key)
{
    const char *at = scan->at + 1;

    while (at < scan->end && *key != '\0' && *at == *key) {
        at++;
        key++;
    }
    return *key == '\0' && at < scan->end && *at == '"';
}

/* The row of the key at hand, or field_count. Expects the row `next`; an escaped key is not known. */
static uint32_t find_row(const struct reader *reader, const struct shape *shape, uint32_t next)
{
    if (next < shape->field_count && key_is_next(&reader->scan, shape->fields[next].key)) return next;
    for (uint32_t i = 0; i < shape->field_count; i++)
        if (key_is_next(&reader->scan, shape->fields[i].key)) return i;
    return shape->field_count;
}

/* Is this object the whole signed payload, {"type":…,"params":…}? */
static bool is_signed_payload(struct slice json)
{
    struct scan  scan = { json.at, json.at + json.len };
    struct slice key;
    bool         escaped, type = false, params = false;

    scan_space(&scan);
    if (!scan_char(&scan, '{')) return false;
    do {
        scan_space(&scan);
        if (!scan_string(&scan, &key, &escaped)) return false;
        scan_space(&scan);
        if (!scan_char(&scan, ':')) return false;
        scan_space(&scan);
        if (slice_is(key, "type")) type = scan_is(&scan, '"');
        else if (slice_is(key, "params")) params = scan_is(&scan, '{');
        else return false;
        if (!scan_value(&scan, DEPTH_MAX, false)) return false;
        scan_space(&scan);
    } while (scan_char(&scan, ','));
    return type && params && scan_char(&scan, '}');
}

static bool fail_unknown(struct reader *reader)
{
    struct slice key, json = slice_make(reader->start, (size_t)(reader->scan.end - reader->start));
    const char  *start = reader->scan.at;
    bool         escaped;

    if (!scan_string(&reader->scan, &key, &escaped)) return fail_syntax(reader, "a key");
    reader->scan.at = start;
    if (reader->depth == 0 && is_signed_payload(json))
        return fail(reader, REJECT_SIGNED_PAYLOAD, NO_KEY, SLICE("type and params"), NULL);
    return fail(reader, REJECT_UNKNOWN_FIELD, key, key, NULL);
}

/* One `"key":value`; *row becomes the row that was read. */
static bool read_pair(struct reader *reader, const struct shape *shape, char *into, uint64_t *seen, uint32_t *row)
{
    const struct field *field;

    if (!scan_is(&reader->scan, '"')) return fail_syntax(reader, "a key in quotes");
    *row = find_row(reader, shape, *row);
    if (*row == shape->field_count) return fail_unknown(reader);
    field = &shape->fields[*row];
    if (*seen >> *row & 1) return fail(reader, REJECT_DUPLICATE_KEY, slice_of(field->key), SLICE("a second one"), NULL);
    *seen |= UINT64_C(1) << *row;

    reader->scan.at += strlen(field->key) + 2;
    scan_space(&reader->scan);
    if (!scan_char(&reader->scan, ':')) return fail_syntax(reader, "a colon");
    scan_space(&reader->scan);
    return read_step(reader, field, into);
}

/* A client id has an error of its own, which describes its form (spot place rule 2). */
static bool all_are_there(struct reader *reader, const struct shape *shape, uint64_t seen)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        if (field->presence != REQUIRED || (seen >> i & 1)) continue;
        return fail(reader, field->kind == KIND_CLIENT_ID ? client_id_reject(field) : REJECT_MISSING_FIELD,
                    slice_of(field->key), SLICE("nothing"), NULL);
    }
    return true;
}

static bool read_object(struct reader *reader, const struct shape *shape, char *into)
{
    uint64_t seen = 0;
    uint32_t row = UINT32_MAX;

    if (!scan_is(&reader->scan, '{')) return fail_type(reader, "an object");
    reader->scan.at++;
    scan_space(&reader->scan);
    if (scan_char(&reader->scan, '}')) return all_are_there(reader, shape, seen);
    do {
        row += 1; /* the row that most likely comes */
        scan_space(&reader->scan);
        if (!read_pair(reader, shape, into, &seen, &row)) return false;
        scan_space(&reader->scan);
    } while (scan_char(&reader->scan, ','));
    if (!scan_is(&reader->scan, '}')) return fail_syntax(reader, "a comma or the end of the object");
    reader->scan.at++;
    return all_are_there(reader, shape, seen);
}

/* An array with one value per row. */
static bool read_tuple(struct reader *reader, const struct shape *shape, char *into)
{
    if (!scan_is(&reader->scan, '[')) return fail_type(reader, "an array");
    reader->scan.at++;
    for (uint32_t i = 0; i < shape->field_count; i++) {
        scan_space(&reader->scan);
        if (i != 0 && !scan_char(&reader->scan, ',')) return fail_syntax(reader, "a comma and one more value");
        scan_space(&reader->scan);
        if (!read_step(reader, &shape->fields[i], into)) return false;
    }
    scan_space(&reader->scan);
    if (!scan_char(&reader->scan, ']')) return fail_syntax(reader, "the end of the array");
    return true;
}

static bool read_shape(struct reader *reader, const struct shape *shape, char *into)
{
    assert(shape->field_count <= 64);
    return shape->tuple ? read_tuple(reader, shape, into) : read_object(reader, shape, into);
}

static enum reject read_all(const struct shape *shape, struct slice json, bool strictly, void *into,
                            struct shape_error *error)
{
    struct reader reader = {
        .scan = { json.at, json.at + json.len }, .start = json.at, .error = error, .strictly = strictly
    };

    *error = (struct shape_error){ 0 };
    memset(into, 0, shape->size);
    scan_space(&reader.scan);
    if (!read_shape(&reader, shape, into)) return error->reject;
    scan_space(&reader.scan);
    if (reader.scan.at != reader.scan.end) {
        (void)fail_syntax(&reader, "nothing behind the object");
        return error->reject;
    }
    return shape_check(shape, into, error);
}

enum reject shape_read(const struct shape *shape, struct slice json, void *into, struct shape_error *error)
{
    return read_all(shape, json, false, into, error);
}

enum reject shape_read_strictly(const struct shape *shape, struct slice json, void *into, struct shape_error *error)
{
    return read_all(shape, json, true, into, error);
}
