/* SPDX-License-Identifier: MIT */
/* text.c — the twin's own JSON and decimals. */
#include <inttypes.h>

#include "ask.h"

void put(struct text *text, const char *format, ...)
{
    va_list list;
    int     n;

    va_start(list, format);
    n = vsnprintf(text->at + text->len, TEXT_ROOM - text->len, format, list);
    va_end(list);
    assert(n >= 0 && text->len + (size_t)n < TEXT_ROOM);
    text->len += (size_t)n;
}

void letters(struct text *text, const char *at, size_t len)
{
    assert(text->len + len < TEXT_ROOM);
    memcpy(text->at + text->len, at, len);
    text->len += len;
}

/* Units of 10^-precision: digits, a point, no zero at the end; "0" has no sign. */
void put_number(struct text *text, int128_t units, uint32_t precision)
{
    char     digits[64], *at = digits + sizeof(digits);
    int128_t rest = units < 0 ? -units : units;

    while (answers_planted != ANSWER_BUG_ZEROS && precision > 0 && rest % 10 == 0) {
        rest /= 10;
        precision--;
    }
    for (uint32_t i = 0; rest != 0 || i <= precision; i++) {
        if (precision != 0 && i == precision) *--at = '.';
        *--at = (char)('0' + (rest <= INT64_MAX ? (int64_t)rest % 10 : (int)(rest % 10)));
        rest = rest <= INT64_MAX ? (int64_t)rest / 10 : rest / 10;
    }
    if (units < 0 && answers_planted != ANSWER_BUG_SIGN) *--at = '-';
    letters(text, at, (size_t)(digits + sizeof(digits) - at));
}

void key(struct text *text, const char *name)
{
    if (!text->first) letters(text, ",", 1);
    letters(text, "\"", 1);
    letters(text, name, strlen(name));
    letters(text, "\":", 2);
    text->first = false;
}
void open_object(struct text *text)
{
    put(text, "{");
    text->first = true;
}
void close_object(struct text *text)
{
    put(text, "}");
    text->first = false;
}

void words(struct text *text, const char *name, const char *at, size_t len)
{
    key(text, name);
    letters(text, "\"", 1);
    for (size_t i = 0; i < len; i++) {
        if (at[i] == '"' || at[i] == '\\') letters(text, "\\", 1);
        letters(text, at + i, 1);
    }
    letters(text, "\"", 1);
}
void word(struct text *text, const char *name, const char *value) { words(text, name, value, strlen(value)); }
void named(struct text *text, const char *name, const struct name *value) { words(text, name, value->at, value->len); }
void client(struct text *text, const char *name, const struct client_id *value)
{
    words(text, name, value->at, value->len);
}
void number(struct text *text, const char *name, int64_t value)
{
    key(text, name);
    put(text, "%" PRId64, value);
}
void count_of(struct text *text, const char *name, uint64_t value)
{
    key(text, name);
    put(text, "%" PRIu64, value);
}
void flag(struct text *text, const char *name, bool value)
{
    key(text, name);
    put(text, value ? "true" : "false");
}

void amount(struct text *text, const char *name, int128_t units, uint32_t precision)
{
    key(text, name);
    letters(text, "\"", 1);
    put_number(text, units, precision);
    letters(text, "\"", 1);
}
void amount_if(struct text *text, const char *name, int128_t units, uint32_t precision)
{
    if (units != 0) amount(text, name, units, precision);
}
void amount_or_null(struct text *text, const char *name, int128_t units, uint32_t precision)
{
    if (units != 0) {
        amount(text, name, units, precision);
        return;
    }
    key(text, name);
    put(text, "null");
}
void decimal(struct text *text, const char *name, struct decimal value)
{
    amount(text, name, value.digits, value.scale);
}

void address(struct text *text, const char *name, const struct address *value)
{
    key(text, name);
    put(text, "\"0x");
    for (size_t i = 0; i < sizeof(value->bytes); i++) put(text, "%02x", value->bytes[i]);
    put(text, "\"");
}
