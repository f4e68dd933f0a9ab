/* SPDX-License-Identifier: MIT */
/* json.c — the twin's own reader of a body: every value with where it
   stands, and the first byte at which the text is none (RFC 8259). */
#include "refused.h"

static bool broke(struct json *json, enum broken how, uint32_t where)
{
    json->broken = how;
    json->where = where;
    return false;
}

static char at(const struct json *json, uint32_t i) { return i < json->len ? json->text[i] : '\0'; }

static bool is_here(const struct json *json, uint32_t i, char c) { return i < json->len && json->text[i] == c; }

static bool digit_here(const struct json *json, uint32_t i) { return at(json, i) >= '0' && at(json, i) <= '9'; }

static uint32_t behind_space(const struct json *json, uint32_t i)
{
    while (i < json->len && strchr(" \t\r\n", json->text[i]) != NULL && json->text[i] != '\0') i++;
    return i;
}

/* Bytes of the character at i, 0 when these bytes are no character
   (RFC 3629: as short as can be, no surrogate, up to 10ffff). */
static uint32_t character(const struct json *json, uint32_t i)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint8_t               first = (uint8_t)json->text[i];
    uint32_t              bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
    uint32_t              code = bytes == 4 ? first & 0x0f : bytes == 3 ? first & 0x0f : first & 0x1f;

    if (bytes == 0 || first >= 0xf8 || i + bytes > json->len) return 0;
    for (uint32_t k = 1; k < bytes; k++) {
        uint8_t next = (uint8_t)json->text[i + k];
        if (next >> 6 != 2) return 0;
        code = code << 6 | (next & 0x3f);
    }
    if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
    return bytes;
}

/* Four hex digits from *i on; *i ends behind them or at the first that is none. */
static int64_t four_digits(const struct json *json, uint32_t *i)
{
    int64_t sum = 0;

    for (int k = 0; k < 4; k++, *i += 1) {
        char c = at(json, *i);
        int  digit = c >= '0' && c <= '9' ? c - '0'
                   : c >= 'a' && c <= 'f' ? c - 'a' + 10
                   : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                          : -1;
        if (digit < 0) return -1;
        sum = sum * 16 + digit;
    }
    return sum;
}

/* *i stands behind a backslash. */
static bool escape_ends(const struct json *json, uint32_t *i)
{
    int64_t unit;

    if (at(json, *i) != '\0' && strchr("\"\\/bfnrt", at(json, *i)) != NULL) {
        *i += 1;
        return true;
    }
    if (!is_here(json, *i, 'u')) return false;
    *i += 1;
    unit = four_digits(json, i);
    if (unit < 0 || (unit >= 0xdc00 && unit < 0xe000)) return false;
    if (unit < 0xd800 || unit >= 0xe000) return true;
    if (!is_here(json, *i, '\\')) return false;
    *i += 1;
    if (!is_here(json, *i, 'u')) return false;
    *i += 1;
    unit = four_digits(json, i);
    return unit >= 0xdc00 && unit < 0xe000;
}

/* A string from *i, where its quote is; *i ends behind it, or where it is none. */
static bool string_ends(const struct json *json, uint32_t *i, bool *escaped)
{
    *escaped = false;
    for (*i += 1; *i < json->len;) {
        uint8_t  c = (uint8_t)json->text[*i];
        uint32_t bytes = 1;

        if (c == '"') {
            *i += 1;
            return true;
        }
        if (c < 0x20) return false;
        if (c == '\\') {
            *escaped = true;
            *i += 1;
            if (!escape_ends(json, i)) return false;
            continue;
        }
        if (c >= 0x80 && (bytes = character(json, *i)) == 0) return false;
        *i += bytes;
    }
    return false;
}

static bool digits_end(const struct json *json, uint32_t *i)
{
    uint32_t from = *i;

    while (digit_here(json, *i)) *i += 1;
    return *i != from;
}

static bool number_ends(const struct json *json, uint32_t *i)
{
    if (is_here(json, *i, '-')) *i += 1;
    if (is_here(json, *i, '0')) {
        *i += 1;
        if (digit_here(json, *i)) return false;
    } else if (!digits_end(json, i)) {
        return false;
    }
    if (is_here(json, *i, '.')) {
        *i += 1;
        if (!digits_end(json, i)) return false;
    }
    if (is_here(json, *i, 'e') || is_here(json, *i, 'E')) {
        *i += 1;
        if (is_here(json, *i, '+') || is_here(json, *i, '-')) *i += 1;
        return digits_end(json, i);
    }
    return true;
}

static bool word_ends(const struct json *json, uint32_t *i)
{
    const char *word = is_here(json, *i, 't') ? "true" : is_here(json, *i, 'f') ? "false" : "null";

    for (; *word != '\0'; word++, *i += 1)
        if (!is_here(json, *i, *word)) return false;
    return true;
}

static uint32_t one_more(struct json *json)
{
    assert(json->count + 1 < VALUES_MAX);
    json->values[++json->count] = (struct value){ 0 };
    return json->count;
}

static bool read_value(struct json *json, uint32_t *i, uint32_t v);

/* `"key":value`, as a new value behind *last of v. */
static bool read_member(struct json *json, uint32_t *i, uint32_t v, uint32_t *last)
{
    uint32_t from, member, k = behind_space(json, *i);
    bool     escaped;

    if (!is_here(json, k, '"')) return broke(json, BROKEN_QUOTE, k);
    from = k + 1;
    if (!string_ends(json, &k, &escaped)) return broke(json, BROKEN_KEY, k);
    member = one_more(json);
    json->values[member].key_from = from;
    json->values[member].key_to = k - 1;
    json->values[member].key_escaped = escaped;
    *(*last == 0 ? &json->values[v].first : &json->values[*last].next) = member;
    *last = member;
    k = behind_space(json, k);
    if (!is_here(json, k, ':')) return broke(json, BROKEN_COLON, k);
    *i = k + 1;
    return read_value(json, i, member);
}

static bool read_item(struct json *json, uint32_t *i, uint32_t v, uint32_t *last)
{
    uint32_t item = one_more(json);

    *(*last == 0 ? &json->values[v].first : &json->values[*last].next) = item;
    *last = item;
    return read_value(json, i, item);
}

static bool read_inside(struct json *json, uint32_t *i, uint32_t v)
{
    bool     object = json->values[v].is == 'o';
    char     end = object ? '}' : ']';
    uint32_t last = 0;

    *i = behind_space(json, *i + 1);
    if (is_here(json, *i, end)) {
        *i += 1;
        return true;
    }
    for (;;) {
        if (!(object ? read_member : read_item)(json, i, v, &last)) return false;
        *i = behind_space(json, *i);
        if (is_here(json, *i, ',')) {
            *i += 1;
            continue;
        }
        if (!is_here(json, *i, end)) return broke(json, object ? BROKEN_OBJECT : BROKEN_ARRAY, *i);
        *i += 1;
        return true;
    }
}

static bool read_value(struct json *json, uint32_t *i, uint32_t v)
{
    struct value *value = &json->values[v];
    char          c;

    *i = behind_space(json, *i);
    c = at(json, *i);
    value->from = *i;
    value->is = c == '{'                         ? 'o'
              : c == '['                         ? 'a'
              : c == '"'                         ? 's'
              : c == 't' || c == 'f' || c == 'n' ? 'w'
              : c == '-' || digit_here(json, *i) ? 'n'
                                                 : '?';
    switch (value->is) {
    case 'o':
    case 'a': value->whole = read_inside(json, i, v); break;
    case 's': value->whole = string_ends(json, i, &value->escaped) || broke(json, BROKEN_VALUE, *i); break;
    case 'w': value->whole = word_ends(json, i) || broke(json, BROKEN_VALUE, *i); break;
    case 'n': value->whole = number_ends(json, i) || broke(json, BROKEN_VALUE, *i); break;
    default: value->whole = broke(json, BROKEN_VALUE, *i); break;
    }
    json->values[v].to = *i;
    return json->values[v].whole;
}

void json_look(struct json *json, const char *text, size_t len)
{
    uint32_t i = 0;

    json->text = text;
    json->len = (uint32_t)len;
    json->count = 0;
    json->broken = BROKEN_NOT;
    if (read_value(json, &i, one_more(json)) && (i = behind_space(json, i)) != json->len)
        (void)broke(json, BROKEN_BEHIND, i);
}

/* Where a value that may be anything is none: a bracket too deep, a key
   that strict readers do not take, or where the text breaks. */
uint32_t json_fault(const struct json *json, uint32_t v, uint32_t depth, bool strict)
{
    const struct value *value = &json->values[v];
    uint32_t            keys = 0;

    if ((value->is == 'o' || value->is == 'a') && depth == 0) return value->from;
    for (uint32_t m = value->first; m != 0; m = json->values[m].next) {
        const struct value *member = &json->values[m];
        uint32_t            fault;

        if (value->is == 'o' && strict) {
            if (member->key_escaped) return member->key_to + 1;
            for (uint32_t o = value->first; o != m; o = json->values[o].next)
                if (json_key_is(json, o, json->text + member->key_from, member->key_to - member->key_from))
                    return member->key_from;
            if (keys++ == 32) return member->key_from;
        }
        if (member->is == 0) return json->where;
        fault = json_fault(json, m, depth - 1, strict);
        if (fault != NO_FAULT) return fault;
    }
    return value->whole ? NO_FAULT : json->where;
}

bool json_key_is(const struct json *json, uint32_t v, const char *key, size_t len)
{
    const struct value *value = &json->values[v];

    return value->key_to - value->key_from == len && memcmp(json->text + value->key_from, key, len) == 0;
}

/* The text without what means nothing: space between the values. */
size_t json_squeeze(const char *text, size_t len, char *into)
{
    size_t n = 0;
    bool   quoted = false;

    for (size_t i = 0; i < len; i++) {
        if (quoted && text[i] == '\\') {
            into[n++] = text[i++];
            into[n++] = text[i];
            continue;
        }
        if (text[i] == '"') quoted = !quoted;
        if (quoted || strchr(" \t\r\n", text[i]) == NULL) into[n++] = text[i];
    }
    return n;
}
