/* SPDX-License-Identifier: MIT */
/*
 * example.h — numbers of the worked examples, read from docs/spec/mechanics_vectors.json: inputs and expected results.
 * A path names members and, from 0, elements: wanted("E8", "fills/0/realized"). A path that does not exist fails the
 * test. Header only, for tests.
 */
#ifndef RIGS_CORE_EXAMPLE_H
#define RIGS_CORE_EXAMPLE_H

#include "rigs/test_files.h"
#include "rigs/core/fixture.h"

#define EXAMPLE_TEXTS 64 /* texts that are valid at once */

/* A JSON text is walked by pointers to the start of its values; spec/examples has checked that it is well formed. */
static inline const char *json_begin(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == ',' || *at == ':') at++;
    return at;
}

static inline const char *json_behind_text(const char *at)
{
    for (at++; *at != '"'; at++)
        if (*at == '\\') at++;
    return at + 1;
}

static inline const char *json_behind(const char *at)
{
    uint32_t depth = 0;

    do {
        at = json_begin(at);
        assert_int_not_equal(*at, '\0');
        if (*at == '"') at = json_behind_text(at);
        else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else at += strcspn(at, " \n,:]}");
    } while (depth != 0);
    return at;
}

/* The member of an object or the element of a list that the first part of `path` names, or NULL. */
static inline const char *json_inner(const char *value, const char *path)
{
    size_t      len = strcspn(path, "/");
    bool        object = *value == '{';
    const char *at = json_begin(value + 1);

    if (*value != '{' && *value != '[') return NULL;
    for (unsigned long n = 0; *at != '}' && *at != ']'; n++, at = json_begin(json_behind(at))) {
        const char *name = at;

        if (object) at = json_begin(json_behind(at));
        if (object ? strncmp(name + 1, path, len) == 0 && name[1 + len] == '"' : n == strtoul(path, NULL, 10))
            return at;
    }
    return NULL;
}

static inline const char *example_file(void)
{
    static struct slice file;

    if (file.at == NULL) file = file_read(spec_path("mechanics_vectors.json"));
    assert_non_null(file.at);
    return file.at;
}

static inline const char *example_find(const char *id)
{
    const char *examples = example_file(), *at;
    char        place[16];

    for (uint32_t n = 0;; n++) {
        const char *name;

        (void)snprintf(place, sizeof(place), "%u", n);
        if ((at = json_inner(examples, place)) == NULL) break;
        name = json_inner(at, "id");
        if (name != NULL && strncmp(name + 1, id, strlen(id)) == 0 && name[1 + strlen(id)] == '"') return at;
    }
    fail_msg("no example %s", id);
    return NULL;
}

/* A text of its own, without quotes. */
static inline const char *example_value(const char *id, const char *part, const char *path)
{
    static char texts[EXAMPLE_TEXTS][64], *text;
    static int  next;
    const char *value = json_inner(example_find(id), part), *end;

    for (const char *rest = path; value != NULL && *rest != '\0'; rest += *rest == '/') {
        value = json_inner(value, rest);
        rest += strcspn(rest, "/");
    }
    if (value == NULL) {
        fail_msg("%s has no %s in its %s", id, path, part);
        return NULL;
    }
    end = json_behind(value);
    if (*value == '"') {
        value++;
        end--;
    }
    text = texts[next++ % EXAMPLE_TEXTS];
    assert_true((size_t)(end - value) < sizeof(texts[0]));
    memcpy(text, value, (size_t)(end - value));
    text[end - value] = '\0';
    return text;
}

static inline const char *given(const char *id, const char *path) { return example_value(id, "inputs", path); }
static inline const char *wanted(const char *id, const char *path) { return example_value(id, "outputs", path); }

/* A decimal in units of 10^-precision; it may be below zero. */
static inline int64_t units_of(const char *text, int precision)
{
    bool    below = text[0] == '-';
    int64_t units = 0;

    assert_true(decimal_to_units(number(text + below), precision, INT64_MAX, &units));
    return below ? -units : units;
}

/* The text without its minus, for values whose direction is given elsewhere. */
static inline const char *without_sign(const char *text) { return text + (text[0] == '-'); }

/* Whole numbers and truth values. */
static inline int64_t whole_of(const char *text) { return strtoll(text, NULL, 10); }
static inline bool    truth_of(const char *text) { return strcmp(text, "true") == 0; }

#endif
