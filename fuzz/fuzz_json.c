/* SPDX-License-Identifier: MIT */
/*
 * The JSON scanner, with jansson as its judge: both accept the same texts as JSON, and a text has the same values
 * without its white space. `ours_is_stricter` and `judge_is_stricter` list the differences.
 */
#include "fuzz/fuzz.h"
#include "wire/shape.h"

#include <jansson.h>

#define JUDGE (JSON_DECODE_ANY | JSON_ALLOW_NUL)

/* Nesting, by brackets outside of strings. */
static size_t depth_of(struct slice text)
{
    size_t depth = 0, most = 0;
    bool   string = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (string && c == '\\') {
            i++;
            continue;
        }
        if (c == '"') string = !string;
        if (string) continue;
        if (c == '[' || c == '{') most = depth + 1 > most ? depth + 1 : most, depth++;
        if ((c == ']' || c == '}') && depth != 0) depth--;
    }
    return most;
}

/* We stop at 128 levels (RFC 8259, 9). It takes a zero byte behind the value for the end of the text. */
static bool ours_is_stricter(struct slice text)
{
    return depth_of(text) >= 128 || memchr(text.at, '\0', text.len) != NULL;
}

/* jansson converts numbers, which may not fit; it has no zero in keys; it counts levels in its own way. */
static bool judge_is_stricter(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key
        || code == json_error_stack_overflow;
}

static void check_compact(struct slice text, const json_t *tree)
{
    char      *into = malloc(text.len + 1), *again = malloc(text.len + 1);
    struct out out = out_make(into, text.len), second = out_make(again, text.len);
    json_t    *compact;

    json_compact(text, &out);
    assert(!out.overflow && json_is_valid(out_slice(&out)));
    json_compact(out_slice(&out), &second);
    assert(slice_equal(out_slice(&out), out_slice(&second)));
    compact = json_loadb(into, out.len, JUDGE, NULL);
    assert(tree == NULL || json_equal(tree, compact) != 0);
    json_decref(compact);
    free(into);
    free(again);
}

/* Any bytes become a JSON string; UTF-8 becomes itself. */
static void check_string(struct slice text)
{
    size_t     cap = 6 * text.len + 2;
    char      *into = malloc(cap);
    struct out out = out_make(into, cap);
    json_t    *tree;

    json_write_string(&out, text);
    assert(!out.overflow && json_is_valid(out_slice(&out)));
    tree = json_loadb(into, out.len, JUDGE, NULL);
    assert(json_is_string(tree));
    json_t *same = json_stringn(text.at, text.len); /* NULL when it is no UTF-8 */
    if (same != NULL) assert(json_equal(tree, same) != 0);
    json_decref(same);
    json_decref(tree);
    free(into);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text = slice_make(data, size);
    json_error_t error;
    json_t      *tree = json_loadb(text.at, text.len, JUDGE, &error);
    bool         valid = json_is_valid(text);

    if (valid && tree == NULL) assert(judge_is_stricter(&error));
    if (!valid && tree != NULL) assert(ours_is_stricter(text));
    if (valid) check_compact(text, tree);
    check_string(text);
    json_decref(tree);
    return 0;
}
