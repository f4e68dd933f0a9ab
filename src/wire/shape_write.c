/* SPDX-License-Identifier: MIT */
/* shape_write.c — the canonical form: compact, row order, decimals without trailing zeros (wire 3.2). */
#include "wire/shape_write.h"

#include "wire/member.h"

static void write_items(struct out *out, const struct shape *shape, const char *items, uint32_t count, bool request)
{
    out_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0) out_char(out, ',');
        shape_write(out, shape, items + (size_t)i * shape->size, request);
    }
    out_char(out, ']');
}

static void write_hex(struct out *out, const void *bytes, size_t len)
{
    out_literal(out, "\"0x");
    out_hex(out, bytes, len);
    out_char(out, '"');
}

/* Text that is known to need no escapes. */
static void write_plain(struct out *out, struct slice text)
{
    out_char(out, '"');
    out_slice_put(out, text);
    out_char(out, '"');
}

static void write_decimal(struct out *out, const struct field *field, const struct decimal *decimal)
{
    bool number = (field->flags & FLAG_NUMBER) != 0;

    if (!number) out_char(out, '"');
    decimal_write(out, *decimal);
    if (!number) out_char(out, '"');
}

static void write_wide(struct out *out, const struct field *field, const struct wide_decimal *decimal)
{
    bool number = (field->flags & FLAG_NUMBER) != 0;

    if (!number) out_char(out, '"');
    wide_decimal_write(out, *decimal);
    if (!number) out_char(out, '"');
}

static void write_enum(struct out *out, const struct field *field, uint8_t value, bool request)
{
    const char *name;

    if (request && (field->flags & FLAG_ENUM_NAME) == 0) {
        out_u64(out, value);
        return;
    }
    name = enum_name_of(field->names, value);
    assert(name != NULL);
    write_plain(out, slice_of(name));
}

void member_write(struct out *out, const struct field *field, const void *from, bool request)
{
    const char        *member = (const char *)from + field->offset;
    const struct list *list;
    uint32_t           count;

    switch (field->kind) {
    case KIND_BOOL: out_text(out, *member != 0 ? "true" : "false"); break;
    case KIND_U64: out_u64(out, *(const uint64_t *)member); break;
    case KIND_U32: out_u64(out, *(const uint32_t *)member); break;
    case KIND_I64: out_i64(out, *(const int64_t *)member); break;
    case KIND_OPTIONAL_U64: out_u64(out, ((const struct optional_u64 *)member)->value); break;
    case KIND_CLIENT_ID: write_plain(out, client_id_slice((const struct client_id *)member)); break;
    case KIND_NAME: write_plain(out, name_slice((const struct name *)member)); break;
    case KIND_ADDRESS: write_hex(out, member, sizeof(struct address)); break;
    case KIND_HASH: write_hex(out, member, sizeof(struct hash256)); break;
    case KIND_DECIMAL: write_decimal(out, field, (const struct decimal *)member); break;
    case KIND_WIDE: write_wide(out, field, (const struct wide_decimal *)(const void *)member); break;
    case KIND_TEXT: json_write_string(out, *(const struct slice *)member); break;
    case KIND_ENUM: write_enum(out, field, *(const uint8_t *)member, request); break;
    case KIND_OBJECT: shape_write(out, field->item, member, request); break;
    case KIND_ITEMS:
        count = *(const uint32_t *)(const void *)((const char *)from + field->count_offset);
        assert(count <= field->count_max);
        write_items(out, field->item, member, count, request);
        break;
    default:
        assert(field->kind == KIND_LIST);
        list = (const struct list *)member;
        write_items(out, field->item, list->items, list->count, request);
        break;
    }
}

/* Optional and zero: omitted; a refused value has no canonical form. */
static bool is_left_out(const struct field *field, const void *from)
{
    if (field->kind == KIND_REFUSED) return true;
    return field->presence == OPTIONAL && !member_is_given(field, from);
}

void shape_write(struct out *out, const struct shape *shape, const void *from, bool request)
{
    bool first = true;

    if (shape->bare) {
        member_write(out, &shape->fields[0], from, request);
        return;
    }
    out_char(out, shape->tuple ? '[' : '{');
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];

        if (is_left_out(field, from)) continue;
        if (!first) out_char(out, ',');
        first = false;
        if (!shape->tuple) {
            out_char(out, '"');
            out_bytes(out, field->key, strlen(field->key));
            out_literal(out, "\":");
        }
        if (field->presence == NULLABLE && !member_is_given(field, from)) out_literal(out, "null");
        else member_write(out, field, from, request);
    }
    out_char(out, shape->tuple ? ']' : '}');
}
