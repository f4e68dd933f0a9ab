/* SPDX-License-Identifier: MIT */
/*
 * request.c — dojima request TYPE KEY=VALUE…: any operator's command, read by the shape of its row in
 * model/command_rows.h. A new command needs no code here.
 */
#include "app/cli/asking.h"
#include "app/cli/commands.h"
#include "api/api.h"
#include "wire/shape.h"

#include <limits.h>
#include <stdio.h>

/* The id is an option, as in the other sub-commands. */
static bool is_word(const struct field *field) { return field->lookup != LOOKUP_ID; }

static const struct shape *find_type(const char *type)
{
    const struct shape *shape;
    const char         *name;

    for (size_t i = 0; (name = api_operator_offered(i, &shape)) != NULL; i++)
        if (strcmp(name, type) == 0) return shape;
    return NULL;
}

static const struct field *find_key(const struct shape *shape, const char *word, size_t len)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];

        if (is_word(field) && strlen(field->key) == len && memcmp(field->key, word, len) == 0) return field;
    }
    return NULL;
}

static void add_name(struct out *out, const char *name)
{
    if (out->len != 0) out_literal(out, ", ");
    out_text(out, name);
}

static int unknown_type(const char *type)
{
    char                room[512] = "";
    struct out          known = out_make(room, sizeof(room) - 1);
    const struct shape *shape;
    const char         *name;

    for (size_t i = 0; (name = api_operator_offered(i, &shape)) != NULL; i++) add_name(&known, name);
    return complain(EXIT_USAGE, "request: there is no type \"%.40s\"; there are %s", type, room);
}

static int unknown_key(const char *type, const struct shape *shape, const char *word, size_t len)
{
    char       room[512] = "";
    struct out known = out_make(room, sizeof(room) - 1);

    for (uint32_t i = 0; i < shape->field_count; i++)
        if (is_word(&shape->fields[i])) add_name(&known, shape->fields[i].key);
    return complain(EXIT_USAGE, "request: %s has no field \"%.*s\"; it has %s", type, (int)min_u64(len, 40), word,
                    room);
}

/* The reader wants one of these as a string, and the others bare. */
static bool is_string(const struct field *field)
{
    switch ((enum field_kind)field->kind) {
    case KIND_BOOL:
    case KIND_U64:
    case KIND_U32:
    case KIND_I64:
    case KIND_OPTIONAL_U64: return false;
    case KIND_ENUM: return (field->flags & FLAG_ENUM_NAME) != 0;
    default: return true;
    }
}

/* A value without quotes must be one JSON number or truth value: anything else would change the object around it. */
static bool is_bare(const struct field *field, const char *value)
{
    size_t minus = value[0] == '-' ? 1 : 0, digits = strspn(value + minus, "0123456789");

    if (field->kind == KIND_BOOL) return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    return digits > 0 && value[minus + digits] == '\0';
}

static const char *meaning(const struct field *field)
{
    if (field->kind == KIND_BOOL) return "true or false";
    return is_string(field) ? "a text" : "a whole number";
}

static void names_of(const struct field *field, struct out *out)
{
    for (const struct enum_name *name = field->names; name->name != NULL; name++) add_name(out, name->name);
}

/* One KEY=VALUE as a member of the JSON object. */
static int add_member(struct out *out, const char *type, const struct shape *shape, const char *word)
{
    const char         *equals = strchr(word, '=');
    const struct field *field;

    if (equals == NULL) return complain(EXIT_USAGE, "request: \"%.60s\" is not KEY=VALUE", word);
    field = find_key(shape, word, (size_t)(equals - word));
    if (field == NULL) return unknown_key(type, shape, word, (size_t)(equals - word));
    if (!is_string(field) && !is_bare(field, equals + 1))
        return complain(EXIT_USAGE, "request: %s: \"%.40s\" is not %s", field->key, equals + 1, meaning(field));
    out_literal(out, ",\"");
    out_text(out, field->key);
    out_literal(out, "\":");
    if (is_string(field)) json_write_string(out, slice_of(equals + 1));
    else out_text(out, equals + 1);
    return EXIT_FINE;
}

/* The reader's complaint; of an enumeration with the known names. */
static int refused(const char *type, const struct shape *shape, const struct shape_error *error)
{
    const struct field *field = find_key(shape, error->field, strlen(error->field));
    char                room[512] = "";
    struct out          names = out_make(room, sizeof(room) - 1);

    if (error->reject == REJECT_MISSING_FIELD && field != NULL)
        return complain(EXIT_USAGE, "request: %s needs %s=…: %s", type, field->key, field->doc);
    if (field != NULL && field->names != NULL) names_of(field, &names);
    return complain(EXIT_USAGE, "request: %s %s: %s; needed: %s", type, error->field, reject_row(error->reject)->text,
                    names.len != 0           ? room
                    : error->need[0] != '\0' ? error->need
                                             : reject_row(error->reject)->rule);
}

static int run_request(struct asking *asking)
{
    const char             *type = asking->words[0];
    const struct shape     *shape = find_type(type);
    char                    room[LOCAL_LINE_MAX];
    struct out              params = out_make(room, sizeof(room));
    struct operator_request request;
    struct shape_error      error;
    int                     code = EXIT_FINE;

    if (shape == NULL) return unknown_type(type);
    out_literal(&params, "{\"id\":");
    json_write_string(&params, slice_of(asking->id));
    for (int i = 1; i < asking->count && code == EXIT_FINE; i++)
        code = add_member(&params, type, shape, asking->words[i]);
    if (code != EXIT_FINE) return code;
    out_char(&params, '}');
    if (params.overflow) return complain(EXIT_USAGE, "request: the request is too long");
    if (shape_read(shape, out_slice(&params), &request, &error) != REJECT_NONE) return refused(type, shape, &error);
    return asking_request(asking, type, shape, &request, asking->id);
}

static void list_types(void)
{
    const struct shape *shape;
    const char         *type;

    for (size_t i = 0; (type = api_operator_offered(i, &shape)) != NULL; i++) {
        (void)printf("\n  %s: %s\n", type, shape->doc);
        for (uint32_t k = 0; k < shape->field_count; k++) {
            const struct field *field = &shape->fields[k];
            char                left[64];

            if (!is_word(field)) continue;
            (void)snprintf(left, sizeof(left), field->presence == REQUIRED ? "%s=" : "[%s=]", field->key);
            (void)printf("    %-20s %s\n", left, field->doc);
        }
    }
}

int command_request(int argc, char **argv)
{
    struct asking          asking = { .command = "request" };
    const struct argument  rows[] = { ROW_DATA(asking), ROW_ID(asking), ROW_JSON(asking) };
    const struct arguments arguments = { "request",
                                         "TYPE [KEY=VALUE]...",
                                         "Sends an operator's command of any type. The types and their fields stand "
                                         "below; fields in brackets may be left "
                                         "out.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         list_types };

    return asking_run(&asking, &arguments, argc, argv, 1, INT_MAX, run_request);
}
