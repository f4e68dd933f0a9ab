/* SPDX-License-Identifier: MIT */
#include "app/client/schema.h"

#include "app/cli/members.h"
#include "app/client/plain.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN_BYTES 80

static void report(struct schema_judge *judge, const char *at, const json_t *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void report(struct schema_judge *judge, const char *at, const json_t *value, const char *format, ...)
{
    char    expected[200], got[SHOWN_BYTES];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(expected, sizeof(expected), format, arguments);
    va_end(arguments);
    if (judge->differs != NULL)
        judge->differs(judge->self, at, expected, value != NULL ? plain_value(value, got, sizeof(got)) : "nothing");
}

/* ---- words of one value ---- */

static bool has_type(const json_t *value, const char *type)
{
    if (strcmp(type, "object") == 0) return json_is_object(value);
    if (strcmp(type, "array") == 0) return json_is_array(value);
    if (strcmp(type, "string") == 0) return json_is_string(value);
    if (strcmp(type, "integer") == 0) return json_is_integer(value);
    if (strcmp(type, "number") == 0) return json_is_number(value);
    if (strcmp(type, "boolean") == 0) return json_is_boolean(value);
    return strcmp(type, "null") == 0 && json_is_null(value);
}

static bool fits_type(const json_t *types, const json_t *value)
{
    const json_t *type;
    size_t        i;

    if (json_is_string(types)) return has_type(value, json_string_value(types));
    json_array_foreach(types, i, type)
        if (has_type(value, json_string_value(type))) return true;
    return false;
}

static bool fits_pattern(const char *pattern, const json_t *value)
{
    regex_t compiled;
    bool    fits;

    if (!json_is_string(value)) return true;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0) return false;
    fits = regexec(&compiled, json_string_value(value), 0, NULL, 0) == 0;
    regfree(&compiled);
    return fits;
}

static bool fits_enum(const json_t *names, const json_t *value)
{
    const json_t *name;
    size_t        i;

    json_array_foreach(names, i, name)
        if (json_equal(name, value)) return true;
    return false;
}

static bool judge_scalar(struct schema_judge *judge, const json_t *schema, const json_t *value, const char *at)
{
    const json_t *types = json_object_get(schema, "type"), *names = json_object_get(schema, "enum"),
                 *constant = json_object_get(schema, "const"), *pattern = json_object_get(schema, "pattern"),
                 *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
    char text[SHOWN_BYTES];
    bool ok = false;

    judge->checks++;
    if (types != NULL && !fits_type(types, value))
        report(judge, at, value, "type %s", plain_value(types, text, sizeof(text)));
    else if (names != NULL && !fits_enum(names, value))
        report(judge, at, value, "one of %s", plain_value(names, text, sizeof(text)));
    else if (constant != NULL && !json_equal(constant, value))
        report(judge, at, value, "%s", plain_value(constant, text, sizeof(text)));
    else if (pattern != NULL && !fits_pattern(json_string_value(pattern), value))
        report(judge, at, value, "%s", json_string_value(pattern));
    else if (json_is_integer(value) && json_is_integer(least) && json_integer_value(value) < json_integer_value(least))
        report(judge, at, value, "at least %lld", (long long)json_integer_value(least));
    else if (json_is_integer(value) && json_is_integer(most) && json_integer_value(value) > json_integer_value(most))
        report(judge, at, value, "at most %lld", (long long)json_integer_value(most));
    else ok = true;
    return ok;
}

/* ---- objects and arrays ---- */

static bool judge_member(struct schema_judge *judge, const json_t *schema, const char *key, const json_t *value,
                         const char *at)
{
    const json_t *property = json_object_get(json_object_get(schema, "properties"), key),
                 *other = json_object_get(schema, "additionalProperties");
    char path[SCHEMA_AT], name[48];

    (void)snprintf(name, sizeof(name), "%s", key);
    plain_clean(name);
    (void)snprintf(path, sizeof(path), "%s.%s", at, name);
    if (property != NULL) return schema_judge(judge, property, value, path);
    if (json_is_object(other)) return schema_judge(judge, other, value, path);
    if (!json_is_false(other)) return true;
    report(judge, path, value, "no such member");
    return false;
}

static bool judge_object(struct schema_judge *judge, const json_t *schema, json_t *value, const char *at)
{
    const json_t *name;
    const char   *key;
    json_t       *member;
    size_t        i;
    bool          ok = true;

    json_array_foreach(json_object_get(schema, "required"), i, name) {
        char path[SCHEMA_AT];

        if (json_object_get(value, json_string_value(name)) != NULL) continue;
        (void)snprintf(path, sizeof(path), "%s.%s", at, json_string_value(name));
        report(judge, path, NULL, "a member that is always there");
        ok = false;
    }
    json_object_foreach(value, key, member) ok = judge_member(judge, schema, key, member, at) && ok;
    return ok;
}

static bool judge_array(struct schema_judge *judge, const json_t *schema, const json_t *value, const char *at)
{
    const json_t *least = json_object_get(schema, "minItems"), *most = json_object_get(schema, "maxItems"),
                 *items = json_object_get(schema, "items"), *first = json_object_get(schema, "prefixItems");
    size_t count = json_array_size(value);
    bool   ok = true;

    if ((least != NULL && count < (size_t)json_integer_value(least))
        || (most != NULL && count > (size_t)json_integer_value(most))) {
        report(judge, at, value, "%lld to %lld items", (long long)json_integer_value(least),
               most != NULL ? (long long)json_integer_value(most) : INT64_MAX);
        ok = false;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *schema_of = i < json_array_size(first) ? json_array_get(first, i) : items;
        char          path[SCHEMA_AT];

        (void)snprintf(path, sizeof(path), "%s[]", at);
        if (json_is_object(schema_of)) ok = schema_judge(judge, schema_of, json_array_get(value, i), path) && ok;
    }
    return ok;
}

/* ---- alternatives ---- */

/* How many of them fit, without a report. */
static size_t count_fits(const struct schema_judge *judge, const json_t *forms, const json_t *value)
{
    struct schema_judge silent = { .contract = judge->contract };
    const json_t       *form;
    size_t              i, count = 0;

    json_array_foreach(forms, i, form) count += schema_judge(&silent, form, value, "");
    return count;
}

/* An answer is a result or a refusal: `code` says which one was meant, so that its differences can be named. */
static bool judge_forms(struct schema_judge *judge, const json_t *schema, const json_t *value, const char *at)
{
    const json_t *one = json_object_get(schema, "oneOf"), *any = json_object_get(schema, "anyOf"),
                 *forms = one != NULL ? one : any;
    size_t fits;

    if (forms == NULL) return true;
    fits = count_fits(judge, forms, value);
    if (one != NULL ? fits == 1 : fits >= 1) return true;
    if (fits == 0 && json_array_size(forms) == 2 && json_is_object(value))
        return schema_judge(judge, json_array_get(forms, number_at(value, "code") == 0 || one == NULL ? 0 : 1), value,
                            at);
    report(judge, at, value, "one of %zu forms; it has %zu", json_array_size(forms), fits);
    return false;
}

static const json_t *resolve(const struct schema_judge *judge, const json_t *schema)
{
    const char   *name = text_at(schema, "$ref");
    const json_t *found = schema;

    if (strncmp(name, "#/components/schemas/", 21) == 0)
        found = json_object_get(json_object_get(json_object_get(judge->contract, "components"), "schemas"), name + 21);
    assert(found != NULL);
    return found;
}

bool schema_judge(struct schema_judge *judge, const json_t *schema, const json_t *value, const char *at)
{
    const json_t *form = resolve(judge, schema), *never = json_object_get(form, "not");
    bool          ok = judge_scalar(judge, form, value, at);

    if (!ok) return false;
    if (never != NULL && json_equal(json_object_get(never, "const"), value)) {
        report(judge, at, value, "another value");
        return false;
    }
    if (json_is_object(value)
        && (json_object_get(form, "properties") != NULL || json_object_get(form, "additionalProperties") != NULL))
        ok = judge_object(judge, form, (json_t *)value, at);
    if (json_is_array(value)) ok = judge_array(judge, form, value, at) && ok;
    return judge_forms(judge, form, value, at) && ok;
}
