/* SPDX-License-Identifier: MIT */
#include "api/rest/openapi_shapes.h"
#include "wire/json_members.h"

#define SHAPES_MAX 160

static void reference_member(struct out *out, const char *name, bool request)
{
    json_key(out, "$ref");
    out_literal(out, "\"#/components/schemas/");
    out_text(out, name);
    if (request) out_literal(out, "Body");
    out_char(out, '"');
}

void openapi_reference(struct out *out, const char *name, bool request)
{
    json_begin(out, '{');
    reference_member(out, name, request);
    json_close(out, '}');
}

static void enum_values(struct out *out, const struct field *field, bool by_name)
{
    json_plain(out, "type", by_name ? "\"string\"" : "\"integer\"");
    json_open(out, "enum", '[');
    for (const struct enum_name *name = field->names; name != NULL && name->name != NULL; name++) {
        json_next(out);
        if (by_name) json_write_string(out, slice_of(name->name));
        else out_u64(out, name->value);
    }
    json_close(out, ']');
    if (by_name) return;
    json_open(out, "x-enum-names", '[');
    for (const struct enum_name *name = field->names; name != NULL && name->name != NULL; name++) {
        json_next(out);
        json_write_string(out, slice_of(name->name));
    }
    json_close(out, ']');
}

static void decimal(struct out *out, const struct field *field)
{
    if ((field->flags & FLAG_NUMBER) != 0) {
        json_plain(out, "type", "\"number\"");
        return;
    }
    json_text(out, "type", "string");
    json_text(out, "pattern",
              (field->flags & FLAG_SIGNED) != 0 ? "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$" : "^(0|[1-9][0-9]*)(\\.[0-9]+)?$");
    json_text(out, "format", "decimal");
}

/* A limit is a uint32 of at least 1 (ruling 19). */
static bool is_row_limit(const struct field *field)
{
    return field->kind == KIND_U32 && strcmp(field->key, "limit") == 0;
}

/* Not every JSON reader can hold the largest 64-bit number, so a format gives the range. */
static void whole(struct out *out, const struct field *field, const char *format)
{
    json_plain(out, "type", "\"integer\"");
    json_text(out, "format", format);
    if (field->kind != KIND_I64)
        json_plain(out, "minimum", (field->flags & FLAG_NOT_ZERO) != 0 || is_row_limit(field) ? "1" : "0");
    if (is_row_limit(field)) json_number(out, "maximum", UINT32_MAX);
}

void openapi_pattern(struct out *out, const char *expression)
{
    json_text(out, "type", "string");
    json_text(out, "pattern", expression);
}

static void items_of(struct out *out, const struct field *field, bool request)
{
    json_plain(out, "type", "\"array\"");
    if (request) json_number(out, "minItems", 1);
    if (field->count_max != 0) json_number(out, "maxItems", field->count_max);
    json_key(out, "items");
    openapi_reference(out, field->item->name, request);
}

void openapi_kind(struct out *out, const struct field *field, bool request)
{
    switch (field->kind) {
    case KIND_BOOL: json_plain(out, "type", "\"boolean\""); break;
    case KIND_U32: whole(out, field, "uint32"); break;
    case KIND_I64: whole(out, field, "int64"); break;
    case KIND_U64:
    case KIND_OPTIONAL_U64: whole(out, field, "uint64"); break;
    case KIND_CLIENT_ID:
        openapi_pattern(out, request && (field->flags & FLAG_EMPTY) == 0 ? "^[0-9a-zA-Z_-]{1,36}$"
                                                                         : "^[0-9a-zA-Z_-]{0,36}$");
        break;
    case KIND_ADDRESS: openapi_pattern(out, request ? "^0x[0-9a-fA-F]{40}$" : "^0x[0-9a-f]{40}$"); break;
    case KIND_HASH: openapi_pattern(out, "^0x[0-9a-f]{64}$"); break;
    case KIND_WIDE:
    case KIND_DECIMAL: decimal(out, field); break;
    case KIND_ENUM: enum_values(out, field, !request || (field->flags & FLAG_ENUM_NAME) != 0); break;
    case KIND_ITEMS:
    case KIND_LIST: items_of(out, field, request); break;
    case KIND_REFUSED: json_plain(out, "deprecated", "true"); break;
    default: json_plain(out, "type", "\"string\""); break;
    }
}

/* The members of a field's schema; a reference may have others beside it (JSON Schema 2020-12). */
static void field_members(struct out *out, const struct field *field, bool request)
{
    if (field->kind == KIND_OBJECT) reference_member(out, field->item->name, request);
    else openapi_kind(out, field, request);
}

static void field_schema(struct out *out, const struct field *field, bool request)
{
    bool nullable = !request && field->presence == NULLABLE;

    json_begin(out, '{');
    if (nullable) {
        json_open(out, "anyOf", '[');
        json_begin(out, '{');
    }
    field_members(out, field, request);
    if (nullable) out_literal(out, "},{\"type\":\"null\"}]");
    json_text(out, "description", field->doc);
    json_close(out, '}');
}

static bool is_required(const struct field *field, bool request)
{
    return field->presence == REQUIRED || (!request && field->presence != OPTIONAL);
}

static void object_schema(struct out *out, const struct shape *shape, bool request)
{
    json_plain(out, "type", "\"object\"");
    json_open(out, "required", '[');
    for (uint32_t i = 0; i < shape->field_count; i++) {
        if (!is_required(&shape->fields[i], request)) continue;
        json_next(out);
        json_write_string(out, slice_of(shape->fields[i].key));
    }
    json_close(out, ']');
    json_open(out, "properties", '{');
    for (uint32_t i = 0; i < shape->field_count; i++) {
        json_key(out, shape->fields[i].key);
        field_schema(out, &shape->fields[i], request);
    }
    json_close(out, '}');
    json_plain(out, "additionalProperties", "false");
}

static void tuple_schema(struct out *out, const struct shape *shape)
{
    json_plain(out, "type", "\"array\"");
    json_open(out, "prefixItems", '[');
    for (uint32_t i = 0; i < shape->field_count; i++) field_schema(out, &shape->fields[i], false);
    json_close(out, ']');
    json_number(out, "minItems", shape->field_count);
    json_number(out, "maxItems", shape->field_count);
}

/* Bodies and records never share a name. */
static void shape_schema(struct out *out, const struct shape *shape, bool request)
{
    json_next(out);
    out_char(out, '"');
    out_text(out, shape->name);
    out_text(out, request ? "Body\":" : "\":");
    json_begin(out, '{');
    if (shape->bare) field_members(out, &shape->fields[0], request);
    else if (shape->tuple) tuple_schema(out, shape);
    else object_schema(out, shape, request);
    if (shape->doc[0] != '\0' && !shape->bare) json_text(out, "description", shape->doc);
    json_close(out, '}');
}

/* Shapes to print, each once. */
struct met {
    const struct shape *shapes[SHAPES_MAX];
    uint32_t            count;
};

static void meet(struct met *met, const struct shape *shape)
{
    if (shape == NULL) return;
    for (uint32_t i = 0; i < met->count; i++)
        if (met->shapes[i] == shape) return;
    assert(met->count < SHAPES_MAX);
    met->shapes[met->count++] = shape;
    for (uint32_t i = 0; i < shape->field_count; i++) meet(met, shape->fields[i].item);
}

void openapi_shapes(struct out *out, const struct routes *routes)
{
    struct met bodies = { .count = 0 }, records = { .count = 0 };

    for (uint32_t i = 0; i < routes->row_count; i++) {
        if (routes->rows[i].command != 0) meet(&bodies, endpoint_takes(&routes->rows[i]));
        meet(&records, routes->rows[i].gives);
    }
    meet(&records, &details_shape);
    meet(&records, &rate_limit_shape);
    for (uint32_t i = 0; i < bodies.count; i++) shape_schema(out, bodies.shapes[i], true);
    for (uint32_t i = 0; i < records.count; i++) shape_schema(out, records.shapes[i], false);
}
