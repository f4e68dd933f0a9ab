/* SPDX-License-Identifier: MIT */
#include "wire/json.h"
#include "wire/utf8.h"

#include "base/hex.h"
#include "wire/shape.h"

#define STRICT_KEYS_MAX 32

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* One character of more than one byte. */
static bool scan_utf8(struct scan *scan)
{
    size_t len = utf8_length(scan->at, scan->end);

    scan->at += len;
    return len != 0;
}

/* The four digits of a \u escape, or -1; `scan` stands at the first. */
static int scan_code_unit(struct scan *scan)
{
    int unit = 0;

    for (int i = 0; i < 4; i++, scan->at++) {
        int digit = scan->at < scan->end ? hex_digit(*scan->at) : -1;
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* An escape; `scan` stands behind the backslash. A high surrogate needs its low one right behind it. */
static bool scan_escape(struct scan *scan)
{
    int unit;

    if (scan->at == scan->end) return false;
    if (strchr("\"\\/bfnrt", *scan->at) != NULL && *scan->at != '\0') {
        scan->at++;
        return true;
    }
    if (!scan_char(scan, 'u')) return false;
    unit = scan_code_unit(scan);
    if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) return false;
    if (unit < 0xd800 || unit > 0xdbff) return true;
    if (!scan_char(scan, '\\') || !scan_char(scan, 'u')) return false;
    unit = scan_code_unit(scan);
    return unit >= 0xdc00 && unit <= 0xdfff;
}

bool scan_string(struct scan *scan, struct slice *inner, bool *escaped)
{
    const char *start;

    *escaped = false;
    if (!scan_char(scan, '"')) return false;
    start = scan->at;
    while (scan->at < scan->end) {
        uint8_t c = (uint8_t)*scan->at;
        if (c == '"') {
            *inner = slice_make(start, (size_t)(scan->at - start));
            scan->at++;
            return true;
        }
        if (c < 0x20) return false;
        if (c == '\\') {
            *escaped = true;
            scan->at++;
            if (!scan_escape(scan)) return false;
        } else if (c < 0x80) {
            scan->at++;
        } else if (!scan_utf8(scan)) {
            return false;
        }
    }
    return false;
}

static void put_utf8(struct out *out, uint32_t point)
{
    if (point < 0x80) {
        out_char(out, (char)point);
    } else if (point < 0x800) {
        out_char(out, (char)(0xc0 | point >> 6));
        out_char(out, (char)(0x80 | (point & 0x3f)));
    } else if (point < 0x10000) {
        out_char(out, (char)(0xe0 | point >> 12));
        out_char(out, (char)(0x80 | (point >> 6 & 0x3f)));
        out_char(out, (char)(0x80 | (point & 0x3f)));
    } else {
        out_char(out, (char)(0xf0 | point >> 18));
        out_char(out, (char)(0x80 | (point >> 12 & 0x3f)));
        out_char(out, (char)(0x80 | (point >> 6 & 0x3f)));
        out_char(out, (char)(0x80 | (point & 0x3f)));
    }
}

/* The escape that `scan` stands in, behind its backslash; it is known to be one. */
static void put_escaped(struct scan *scan, struct out *out)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char              kind = *scan->at++;
    const char       *at = strchr(letters, kind);
    uint32_t          unit;

    if (kind != 'u') {
        out_char(out, at != NULL ? meant[at - letters] : kind);
        return;
    }
    unit = (uint32_t)scan_code_unit(scan);
    if (unit >= 0xd800 && unit <= 0xdbff) {
        scan->at += 2; /* the backslash and u of the other half */
        unit = 0x10000 + ((unit - 0xd800) << 10) + ((uint32_t)scan_code_unit(scan) - 0xdc00);
    }
    put_utf8(out, unit);
}

void json_unescape(struct slice inner, struct out *out)
{
    struct scan scan = { inner.at, inner.at + inner.len };

    while (scan.at < scan.end) {
        if (scan_char(&scan, '\\')) put_escaped(&scan, out);
        else out_char(out, *scan.at++);
    }
}

/* One digit or more. */
static bool scan_digits(struct scan *scan)
{
    const char *start = scan->at;

    while (scan->at < scan->end && is_digit(*scan->at)) scan->at++;
    return scan->at != start;
}

bool scan_number(struct scan *scan, struct slice *number, bool *whole)
{
    const char *start = scan->at;

    *whole = !scan_char(scan, '-');
    if (!scan_char(scan, '0') && !scan_digits(scan)) return false;
    if (scan->at < scan->end && is_digit(*scan->at)) return false; /* a zero in front */
    if (scan_char(scan, '.')) {
        *whole = false;
        if (!scan_digits(scan)) return false;
    }
    if (scan_char(scan, 'e') || scan_char(scan, 'E')) {
        *whole = false;
        if (!scan_char(scan, '+')) (void)scan_char(scan, '-');
        if (!scan_digits(scan)) return false;
    }
    *number = slice_make(start, (size_t)(scan->at - start));
    return true;
}

static bool scan_word(struct scan *scan, struct slice word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!scan_char(scan, word.at[i])) return false;
    return true;
}

static bool scan_array(struct scan *scan, int depth, bool strict)
{
    scan->at++;
    scan_space(scan);
    if (scan_char(scan, ']')) return true;
    do {
        if (!scan_value(scan, depth - 1, strict)) return false;
        scan_space(scan);
    } while (scan_char(scan, ','));
    return scan_char(scan, ']');
}

/* Is this key new? Puts *at back to the key when it is not. */
static bool key_is_new(struct scan *scan, struct slice key, struct slice seen[STRICT_KEYS_MAX], size_t *count)
{
    bool is_new = *count < STRICT_KEYS_MAX;

    for (size_t i = 0; i < *count; i++)
        if (slice_equal(seen[i], key)) is_new = false;
    if (is_new) seen[(*count)++] = key;
    else scan->at = key.at;
    return is_new;
}

static bool scan_object(struct scan *scan, int depth, bool strict)
{
    struct slice seen[STRICT_KEYS_MAX], key;
    size_t       count = 0;
    bool         escaped;

    scan->at++;
    scan_space(scan);
    if (scan_char(scan, '}')) return true;
    do {
        scan_space(scan);
        if (!scan_string(scan, &key, &escaped)) return false;
        if (strict && (escaped || !key_is_new(scan, key, seen, &count))) return false;
        scan_space(scan);
        if (!scan_char(scan, ':')) return false;
        if (!scan_value(scan, depth - 1, strict)) return false;
        scan_space(scan);
    } while (scan_char(scan, ','));
    return scan_char(scan, '}');
}

bool scan_value(struct scan *scan, int depth, bool strict)
{
    struct slice token;
    bool         flag;

    scan_space(scan);
    if (scan->at == scan->end) return false;
    switch (*scan->at) {
    case '{': return depth > 0 && scan_object(scan, depth, strict);
    case '[': return depth > 0 && scan_array(scan, depth, strict);
    case '"': return scan_string(scan, &token, &flag);
    case 't': return scan_word(scan, SLICE("true"));
    case 'f': return scan_word(scan, SLICE("false"));
    case 'n': return scan_word(scan, SLICE("null"));
    default: return scan_number(scan, &token, &flag);
    }
}

bool json_is_valid(struct slice json)
{
    struct scan scan = { json.at, json.at + json.len };

    if (json.len == 0 || !scan_value(&scan, JSON_DEPTH_MAX, false)) return false;
    scan_space(&scan);
    return scan.at == scan.end;
}

/* Whether there is a byte up to that of the blank, and so perhaps white space; eight bytes at a time. */
static bool has_blank(struct slice text)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t       found = 0, word;
    size_t         at = 0;

    for (; text.len - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, text.at + at, sizeof(word));
        found |= (word - ones * (' ' + 1)) & ~word; /* the high bit of a byte below: Mycroft, 1987 */
    }
    word = ones * UINT8_MAX;
    if (at < text.len) memcpy(&word, text.at + at, text.len - at);
    found |= (word - ones * (' ' + 1)) & ~word;
    return (found & ones * 0x80) != 0;
}

/*
 * White space is copied only inside strings; a quote behind a backslash does not end one. Most programs send none at
 * all.
 */
void json_compact(struct slice json, struct out *out)
{
    const char *at = json.at, *end = json.at + json.len, *start = at;
    bool        inside = false;

    if (!has_blank(json)) at = end;
    for (; at < end; at++) {
        if (inside) {
            if (*at == '\\' && at + 1 < end) at++;
            else if (*at == '"') inside = false;
        } else if (*at == '"') {
            inside = true;
        } else if (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
            out_bytes(out, start, (size_t)(at - start));
            start = at + 1;
        }
    }
    if (start < end) out_bytes(out, start, (size_t)(end - start));
}

static void escape(struct out *out, char c)
{
    static const char short_forms[] = "\"\"\\\\\bb\ff\nn\rr\tt";

    for (size_t i = 0; i < sizeof(short_forms) - 1; i += 2) {
        if (short_forms[i] != c) continue;
        out_char(out, '\\');
        out_char(out, short_forms[i + 1]);
        return;
    }
    out_literal(out, "\\u00");
    out_hex(out, &c, 1);
}

/* May the byte stand in a JSON string as it is? */
static bool is_plain(char c) { return (uint8_t)c >= 0x20 && (uint8_t)c < 0x80 && c != '"' && c != '\\'; }

/* Invalid UTF-8 becomes U+FFFD, so the output is always JSON. */
void json_write_string(struct out *out, struct slice text)
{
    struct scan scan = { text.at, text.at + text.len };
    const char *start;

    out_char(out, '"');
    while (scan.at < scan.end) {
        start = scan.at;
        while (scan.at < scan.end && is_plain(*scan.at)) scan.at++;
        out_bytes(out, start, (size_t)(scan.at - start));
        if (scan.at == scan.end) break;
        start = scan.at;
        if ((uint8_t)*start < 0x80) {
            escape(out, *scan.at++);
        } else if (scan_utf8(&scan)) {
            out_bytes(out, start, (size_t)(scan.at - start));
        } else {
            out_literal(out, "\xef\xbf\xbd");
            scan.at++;
        }
    }
    out_char(out, '"');
}
