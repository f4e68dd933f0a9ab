/* SPDX-License-Identifier: MIT */
#include "app/cli/quotes.h"

#include "base/fixed.h"
#include "model/genesis.h"
#include "wire/json.h"

#include <stdarg.h>
#include <stdio.h>

struct source {
    const struct listing *listing;
    struct quotes        *quotes;
    char                 *error;
    size_t                cap;
};

__attribute__((format(printf, 2, 3))) static bool fail(const struct source *source, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(source->error, source->cap, format, arguments);
    va_end(arguments);
    return false;
}

static const struct listed *find(const struct source *source, struct slice name)
{
    for (uint32_t i = 0; i < source->listing->count; i++)
        if (slice_equal(name_slice(&source->listing->symbols[i].name), name)) return &source->listing->symbols[i];
    return NULL;
}

/* Digits with at most one point; digits beyond the precision are cut off. */
static bool read_price(struct slice text, uint32_t precision, int64_t *units)
{
    uint32_t behind = 0;
    bool     point = false, any = false;

    *units = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text.at[i] < '0' || text.at[i] > '9') return false;
        any = true;
        if (point && behind++ >= precision) continue;
        *units = *units * 10 + (text.at[i] - '0');
        if (*units > PRICE_MAX) return false;
    }
    for (; behind < precision; behind++)
        if ((*units *= 10) > PRICE_MAX) return false;
    return any && *units > 0;
}

/* One price of one symbol; an empty `mid` is none. */
static bool take(const struct source *source, struct slice name, struct slice price, struct slice mid)
{
    const struct listed *listed = find(source, name);
    struct oracle_price  taken = { 0 };
    struct quotes       *quotes = source->quotes;
    uint32_t             i = 0;

    if (listed == NULL) {
        quotes->strangers += 1;
        return true;
    }
    taken.symbol_id = listed->id;
    if (!read_price(price, listed->price_precision, &taken.price))
        return fail(source, "%.*s: \"%.*s\" is not a price", (int)name.len, name.at, (int)min_size(price.len, 40),
                    price.at);
    if (mid.len != 0 && !read_price(mid, listed->price_precision, &taken.perp_mid))
        return fail(source, "%.*s: \"%.*s\" is not a price", (int)name.len, name.at, (int)min_size(mid.len, 40),
                    mid.at);
    while (i < quotes->count && quotes->prices[i].symbol_id != listed->id) i++;
    quotes->prices[i] = taken;
    if (i == quotes->count) quotes->count += 1;
    return true;
}

/* ---- lines ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';' || c == '='; }

static struct slice next_word(struct slice *line)
{
    size_t begin = 0, end;

    while (begin < line->len && is_blank(line->at[begin])) begin++;
    for (end = begin; end < line->len && !is_blank(line->at[end]);) end++;
    *line = slice_make(line->at + end, line->len - end);
    return slice_make(line->at - (end - begin), end - begin);
}

static bool read_line(const struct source *source, struct slice line)
{
    struct slice name = next_word(&line), price = next_word(&line), mid = next_word(&line), more = next_word(&line);

    if (name.len == 0 || name.at[0] == '#') return true;
    if (price.len == 0 || more.len != 0)
        return fail(source, "a line is SYMBOL PRICE [PERPMID], not \"%.*s …\"", (int)min_size(name.len, 40), name.at);
    return take(source, name, price, mid);
}

static bool read_lines(const struct source *source, struct slice text)
{
    while (text.len != 0) {
        const char *end = memchr(text.at, '\n', text.len);
        size_t      len = end != NULL ? (size_t)(end - text.at) : text.len, past = end != NULL ? len + 1 : len;

        if (!read_line(source, slice_make(text.at, len))) return false;
        text = slice_make(text.at + past, text.len - past);
    }
    return true;
}

/* ---- JSON ---- */

/* A price as a string or as a number, as it is written. */
static bool scan_price(struct scan *scan, struct slice *text)
{
    bool whatever;

    return scan_is(scan, '"') ? scan_string(scan, text, &whatever) : scan_number(scan, text, &whatever);
}

/* "key": */
static bool scan_key(struct scan *scan, struct slice *key)
{
    bool escaped;

    scan_space(scan);
    if (!scan_string(scan, key, &escaped)) return false;
    scan_space(scan);
    if (!scan_char(scan, ':')) return false;
    scan_space(scan);
    return true;
}

/* Behind a member: true when another one follows, `*good` when it is the comma or the end. */
static bool scan_more(struct scan *scan, bool *good)
{
    scan_space(scan);
    if (scan_char(scan, ',')) return true;
    *good = scan_char(scan, '}');
    return false;
}

static bool scan_quote(struct scan *scan, struct slice *price, struct slice *mid)
{
    struct slice key;
    bool         good = false;

    if (!scan_is(scan, '{')) return scan_price(scan, price);
    scan->at++;
    do {
        if (!scan_key(scan, &key)) return false;
        if (slice_is(key, "price")     ? !scan_price(scan, price)
            : slice_is(key, "perpMid") ? !scan_price(scan, mid)
                                       : !scan_value(scan, 8, false))
            return false;
    } while (scan_more(scan, &good));
    return good && price->len != 0;
}

static bool read_json(const struct source *source, struct slice text)
{
    struct scan scan = { text.at + 1, text.at + text.len };
    bool        good = false;

    do {
        struct slice name, price = { NULL, 0 }, mid = { NULL, 0 };
        if (!scan_key(&scan, &name)) return fail(source, "not a JSON object of symbols");
        if (!scan_quote(&scan, &price, &mid))
            return fail(source, "%.*s: neither a price nor {\"price\":…,\"perpMid\":…}", (int)min_size(name.len, 40),
                        name.at);
        if (!take(source, name, price, mid)) return false;
    } while (scan_more(&scan, &good));
    scan_space(&scan);
    return (good && scan.at == scan.end) || fail(source, "not a JSON object of symbols");
}

bool quotes_read(struct slice text, const struct listing *listing, struct quotes *quotes, char *error, size_t cap)
{
    struct source source = { listing, quotes, error, cap };
    struct scan   scan = { text.at, text.at + text.len };
    bool          ok;

    memset(quotes, 0, sizeof(*quotes));
    scan_space(&scan);
    text = slice_make(scan.at, (size_t)(scan.end - scan.at));
    ok = text.len != 0 && text.at[0] == '{' ? read_json(&source, text) : read_lines(&source, text);
    if (ok && quotes->count == 0)
        return fail(&source, quotes->strangers != 0 ? "none of its symbols is listed" : "it is empty");
    return ok;
}
