/* SPDX-License-Identifier: MIT */
#include "wire/http_head.h"

/* The table of RFC 9110, 5.6.2: digits, letters and fifteen signs. */
static const bool token_chars[256] = {
    ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['!'] = true, ['#'] = true, ['$'] = true,
    ['%'] = true,         ['&'] = true,         ['\''] = true,        ['*'] = true, ['+'] = true, ['-'] = true,
    ['.'] = true,         ['^'] = true,         ['_'] = true,         ['`'] = true, ['|'] = true, ['~'] = true,
};

bool head_is_token_char(char c) { return token_chars[(uint8_t)c]; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

bool head_is_word(struct slice text, struct slice word)
{
    if (text.len != word.len) return false;
    for (size_t i = 0; i < text.len; i++)
        if (lower(text.at[i]) != word.at[i]) return false;
    return true;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static struct slice trimmed(struct slice text)
{
    while (text.len != 0 && is_blank(text.at[0])) {
        text.at++;
        text.len--;
    }
    while (text.len != 0 && is_blank(text.at[text.len - 1])) text.len--;
    return text;
}

/* `text` is a line without its end. */
static bool read_line(struct slice text, struct head_line *line)
{
    size_t len = 0;

    while (len < text.len && token_chars[(uint8_t)text.at[len]]) len++;
    if (len == 0 || len == text.len || text.at[len] != ':') return false;
    line->name = slice_make(text.at, len);
    line->value = trimmed(slice_make(text.at + len + 1, text.len - len - 1));
    return true;
}

bool head_read(struct slice lines, struct head *head)
{
    const char *at = lines.at, *end = lines.at + lines.len;

    head->count = 0;
    while (at < end) {
        const char *stop = memchr(at, '\r', (size_t)(end - at));

        assert(stop != NULL && stop + 1 < end && stop[1] == '\n' && head->count < HEAD_LINES_MAX);
        if (!read_line(slice_make(at, (size_t)(stop - at)), &head->lines[head->count])) return false;
        head->count += 1;
        at = stop + 2;
    }
    return true;
}

bool head_has_option(struct slice value, struct slice option)
{
    for (;;) {
        const char *comma = value.len != 0 ? memchr(value.at, ',', value.len) : NULL;
        size_t      len = comma != NULL ? (size_t)(comma - value.at) : value.len;

        if (head_is_word(trimmed(slice_make(value.at, len)), option)) return true;
        if (comma == NULL) return false;
        value = slice_make(comma + 1, value.len - len - 1);
    }
}

bool head_has_tab_behind(struct slice value)
{
    for (const char *at = value.at + value.len; is_blank(*at); at++)
        if (*at == '\t') return true;
    return false;
}
