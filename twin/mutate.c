/* SPDX-License-Identifier: MIT */
/* mutate.c — what can be wrong with a body: values next to their edges or of other types, keys, lists, bytes. */
#include <inttypes.h>

#include "draft.h"

static uint32_t draws(struct draft *draft, uint32_t n) { return random_below(&draft->random_state, n); }

/* A place in the tree; of a long list mostly its first or last items. */
static uint32_t some_piece(struct draft *draft, char is)
{
    for (int i = 0; i < 64; i++) {
        uint32_t piece = 1 + draws(draft, draft->count);
        if (is == '?' || draft->at[piece].is == is
            || (is == 'v' && draft->at[piece].is != 'o' && draft->at[piece].is != 'a'))
            return piece;
    }
    return 1;
}

/* ---- values ---- */

#define SOME(list) list[draws(draft, ARRAY_COUNT(list))]
/* clang-format off */
static const char *const numbers[] = {
    "0", "1", "-1", "-0", "01", "00", "+1", "1.0", "1e0", "1E3", "1.", ".5", "0x10", "1_0", "--1", "-", "1e", "1e+",
    "1e-2", "18446744073709551615", "18446744073709551616",
    "18446744073709551614", "99999999999999999999", "100000000000000000000", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "255", "256", "3", "4", "5", "8", "15", "16", "999", "998", "1000", "1001", "1004", "2",
    "NaN", "Infinity", "-9223372036854775807",
};
/* clang-format on */
/* clang-format off */
static const char *const decimals[] = {
    "\"0\"", "\"-0\"", "\"0.0\"", "\"-0.00\"", "\"-1\"", "\"-0.01\"", "\"+1\"", "\"01\"", "\"00\"", "\"00.5\"",
    "\".5\"", "\"5.\"", "\"1e5\"", "\"1E-7\"", "\"1,5\"", "\" 1\"", "\"1 \"", "\"\"",
    "\".\"", "\"-\"", "\"1..2\"", "\"1.2.3\"", "\"NaN\"", "\"999999999999999999\"", "\"1000000000000000000\"",
    "\"1234567890123456789\"", "\"0.123456789012345678\"", "\"0.1234567890123456789\"",
    "\"0.1234567890123456780\"", "\"1.00000000000000000000\"", "\"100000000000000000.0\"", "\"12345678901234567.8\"",
    "\"12345678901234567.89\"", "\"0.000000000000000001\"", "\"0.0000000000000000001\"",
    "\"0x10\"", "1.5", "1", "0", "\"1\\u0030\"", "\"\xd9\xa1\"",
    "\"00000000000000000000000000000000000000000000000000000000000000000000000000001\"", "\"100000000000000\"",
    "\"100000000000000.1\"",
    "\"10000000000000\"", "\"10000000000000.01\"", "\"0.001\"", "\"99.25\"",
};
/* clang-format on */
/* clang-format off */
static const char *const texts[] = {
    "\"\"", "\"a\"", "\"123456789012345678901234567890123456\"", "\"1234567890123456789012345678901234567\"",
    "\"a b\"", "\"a.b\"", "\"caf\xc3\xa9\"", "\"\\u0061\"", "\"a\\nb\"", "\"a/b\"", "\"default\"",
    "\"Default\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xf0\x9f\x98\x80\"",
    "\"\\ud800\"", "\"\\udc00\"", "\"\\ud83d\\ude00\"", "\"\\ud83dx\"", "\"\\ud83d\\n\"", "\"\\ud83d\\u0041\"",
    "\"\\u12\"", "\"\\x41\"", "\"\\", "\"open", "\"\t\"", "\"a\x7f\"", "\"\xe2\x82\"", "\"\\u00e\"", "\"_-_\"",
    "'single'", "\"a\\\\b\"", "\"\\\"\"", "\"\xf0\x80\x80\x80\"", "\"\xe0\x9f\xbf\"", "\"\xf8\x88\x80\x80\"",
    "\"this is a text of more than sixty-three bytes, so that what is shown of it has to be cut\"",
};
/* clang-format on */
static const char *const addresses[] = {
    "\"0x0000000000000000000000000000000000000000\"",  "\"0x00000000000000000000000000000000000000g0\"",
    "\"0x000000000000000000000000000000000000000\"",   "\"0X00000000000000000000000000000000000000aa\"",
    "\"0x00000000000000000000000000000000000000aa0\"", "\"00000000000000000000000000000000000000aa\"",
};
/* clang-format off */
static const char *const others[] = {
    "null", "true", "false", "[]", "{}", "[1]", "{\"a\":1}", "\"5\"", "5", "\"true\"", "True", "nul", "tru", "falsy",
    "truely", "nulll", "undefined", "", "[", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{,}", "{a:1}", "[1 2]",
    "{\"a\":1,}", "{\"a\":1 \"b\":2}", "[[[[[[[[]]]]]]]]", "[[[[[[[[[]]]]]]]]]", "[[[[[[[]]]]]]]",
    "{\"a\":{\"b\":[{\"c\":[[[[]]]]}]}}", "{\"a\":1,\"a\":2}", "{\"\\u0061\":1}", "{\"a\\u00\":1}", "/* no */1", "}",
    "]", ":", ",", "\"a\",",
};
/* clang-format on */

/* A value that fits less, or not at all. */
static void bad_value(struct draft *draft, uint32_t piece)
{
    const struct line *line = draft->at[piece].line;
    uint8_t            takes = line != NULL ? line->takes : TAKES_OBJECT;
    char               text[160];

    if (draws(draft, 6) == 0) {
        piece_put(draft, piece, SOME(others));
        return;
    }
    if (line != NULL && draws(draft, 8) == 0) {
        draw_value(draft, line, text);
        piece_put(draft, piece, text);
        return;
    }
    switch (takes) {
    case TAKES_U64:
    case TAKES_U32:
    case TAKES_TIME: piece_put(draft, piece, SOME(numbers)); return;
    case TAKES_CHOICE:
        (void)snprintf(text, sizeof(text), "%u", draws(draft, 10));
        piece_put(draft, piece, draws(draft, 2) ? text : SOME(numbers));
        return;
    case TAKES_DECIMAL:
    case TAKES_SIGNED: piece_put(draft, piece, draws(draft, 4) ? SOME(decimals) : decimals[0]); return;
    case TAKES_CLIENT_ID:
    case TAKES_KEY_NAME: piece_put(draft, piece, SOME(texts)); return;
    case TAKES_ADDRESS: piece_put(draft, piece, draws(draft, 3) ? SOME(addresses) : SOME(texts)); return;
    default: piece_put(draft, piece, SOME(others)); return;
    }
}

static void mutate_value(struct draft *draft) { bad_value(draft, some_piece(draft, 'v')); }
static void mutate_any(struct draft *draft) { bad_value(draft, some_piece(draft, '?')); }

/* ---- keys ---- */

/* The link that leads to some member of an object, or to an item. */
static uint32_t *some_link(struct draft *draft)
{
    uint32_t *at, step;
    uint32_t  object = some_piece(draft, 'o');

    at = &draft->at[object].first;
    for (step = draws(draft, 8); *at != 0 && draft->at[*at].next != 0 && step > 0; step--) at = &draft->at[*at].next;
    return at;
}

static void mutate_drop(struct draft *draft)
{
    uint32_t *at = some_link(draft);

    if (*at != 0) *at = draft->at[*at].next;
}

static void mutate_twice(struct draft *draft)
{
    uint32_t *at = some_link(draft), copy;

    if (*at == 0) return;
    copy = piece_copy(draft, *at);
    if (draws(draft, 2)) bad_value(draft, copy);
    if (draws(draft, 2)) {
        draft->at[copy].next = draft->at[*at].next;
        draft->at[*at].next = copy;
        return;
    }
    while (*at != 0) at = &draft->at[*at].next;
    *at = copy;
}

/* clang-format off */
static const char *const unknown_keys[] = {
    "foo", "", "AccountID", "accountid", "accountID ", "nonce", "type", "params", "signature", "price", "orders",
    "cancels", "permissions", "builder", "clOrdId", "an-unknown-key-of-thirty-one-byt",
    "an-unknown-key-of-thirty-one-by", "a very long key that is cut where it is shown, after 31", "p\\u0072ice",
    "caf\xc3\xa9", "\xff", "a\\qb", "\\ud800", "stopPrice", "timestamp", "id", "fee", "origOrderID",
};
/* clang-format on */

static void mutate_unknown(struct draft *draft)
{
    uint32_t   *at = some_link(draft), piece;
    const char *value = draws(draft, 2) ? "1" : SOME(others);

    piece = piece_add(draft, 0, NULL, SOME(unknown_keys), 'l', value);
    draft->at[piece].next = *at;
    *at = piece;
}

static void mutate_key(struct draft *draft)
{
    uint32_t at = *some_link(draft);

    if (at == 0) return;
    if (draws(draft, 2) == 0 && draft->at[at].key[0] != '\0')
        draft->at[at].key[draws(draft, (uint32_t)strlen(draft->at[at].key))] ^= 0x20;
    else (void)snprintf(draft->at[at].key, sizeof(draft->at[at].key), "%s", SOME(unknown_keys));
}

/* Two neighbours in the other order: no fault, but not what the normal form has. */
static void mutate_order(struct draft *draft)
{
    uint32_t *at = some_link(draft), first = *at, second = first != 0 ? draft->at[first].next : 0;

    if (second == 0) return;
    draft->at[first].next = draft->at[second].next;
    draft->at[second].next = first;
    *at = second;
}

/* Mostly an item, else any object. */
static uint32_t some_object(struct draft *draft)
{
    uint32_t list = piece_of(draft, 1, "orders"), item;

    if (list == 0 || draws(draft, 4) == 0) return some_piece(draft, 'o');
    item = draft->at[list].first;
    for (uint32_t steps = draws(draft, 3); steps > 0 && item != 0 && draft->at[item].next != 0; steps--)
        item = draft->at[item].next;
    return item != 0 ? item : 1;
}

/* Whatever may be left out is, or is not. */
static void mutate_loose(struct draft *draft)
{
    uint32_t object = some_object(draft);

    for (uint32_t *at = &draft->at[object].first; *at != 0;) {
        const struct line *line = draft->at[*at].line;

        if (line != NULL && (line->is & MUST) == 0 && draws(draft, 3) == 0) *at = draft->at[*at].next;
        else at = &draft->at[*at].next;
    }
}

/* Other choices, each of which there is. */
static void mutate_choices(struct draft *draft)
{
    uint32_t object = some_object(draft);
    char     text[160];

    for (uint32_t child = draft->at[object].first; child != 0; child = draft->at[child].next) {
        const struct line *line = draft->at[child].line;

        if (line == NULL || (line->takes != TAKES_CHOICE && line->takes != TAKES_FLAG) || draws(draft, 3) != 0)
            continue;
        draw_value(draft, line, text);
        piece_put(draft, child, text);
    }
}

/* Whatever may be there is. */
static void mutate_absent(struct draft *draft)
{
    uint32_t             object = some_object(draft);
    const struct action *action = draft->asked->action;
    const struct line   *lines = object == 1                    ? action->lines
                               : draft->at[object].line != NULL ? draft->at[object].line->of
                                                                : NULL;
    uint32_t count = object == 1 ? action->count : draft->at[object].line != NULL ? draft->at[object].line->count : 0;
    char     text[160];

    for (uint32_t i = 0; draft->at[object].is == 'o' && i < count; i++) {
        if (lines[i].takes >= TAKES_ANYTHING || piece_of(draft, object, lines[i].key) != 0 || draws(draft, 2)) continue;
        draw_value(draft, &lines[i], text);
        piece_add(draft, object, &lines[i], lines[i].key, 'l', text);
    }
}

/* Known, and never kept (ruling 4). */
static void mutate_builder(struct draft *draft)
{
    uint32_t at = piece_of(draft, 1, "builder"), keys = draws(draft, 3) == 0 ? 31 + draws(draft, 4) : 0;
    char     text[256] = "{";

    if (at == 0 && draft->at[1].is == 'o') at = piece_add(draft, 1, NULL, "builder", 'l', "");
    if (at == 0) return;
    for (uint32_t i = 0; i < keys; i++)
        (void)sprintf(text + 1 + 6 * i, "\"%c\":1%c", 'A' + (char)i + (i > 26 ? 6 : 0), i + 1 == keys ? '}' : ',');
    piece_put(draft, at, keys != 0 ? text : draws(draft, 4) ? SOME(others) : "{\"id\":0,\"fee\":1}");
}

/* ---- lists and the whole ---- */

static void mutate_items(struct draft *draft)
{
    uint32_t list = some_piece(draft, 'a'), first = draft->at[list].first, count = 0, want;

    if (draft->at[list].is != 'a' || draft->at[list].line == NULL || first == 0) return;
    want = draws(draft, 3) == 0 ? 0
         : draws(draft, 4) == 0 ? draft->at[list].line->high + 2u - draws(draft, 4)
                                : draws(draft, 6);
    for (uint32_t item = first; item != 0; item = draft->at[item].next) count++;
    while (count < want && draft->count + LINES_MAX + 8 < ARRAY_COUNT(draft->at)) {
        uint32_t copy = piece_copy(draft, first);
        draft->at[copy].next = draft->at[list].first;
        draft->at[list].first = copy;
        count++;
    }
    for (uint32_t *at = &draft->at[list].first; *at != 0 && count > want; count--) *at = draft->at[*at].next;
}

static void mutate_whole(struct draft *draft)
{
    if (draws(draft, 2)) {
        piece_put(draft, 1, SOME(others));
        return;
    }
    if (draws(draft, 2)) {
        draft->at[1].first = 0;
        return;
    }
    piece_put(draft, 1, "\xef\xbb\xbf{}");
}

/* The whole signed text in place of its params. */
static void mutate_wrapped(struct draft *draft)
{
    uint32_t params = piece_add(draft, 0, NULL, "params", 'o', ""), type;
    char     text[40];

    draft->at[params].first = draft->at[1].first;
    (void)snprintf(text, sizeof(text), "\"%s\"", draft->asked->action->type);
    type = piece_add(draft, 0, NULL, "type", 'l', draws(draft, 5) ? text : "1");
    draft->at[1].first = 0;
    if (draws(draft, 2)) {
        draft->at[type].next = params;
        draft->at[1].first = type;
    } else {
        draft->at[params].next = type;
        draft->at[1].first = params;
    }
    if (draws(draft, 5) == 0) piece_add(draft, 1, NULL, "more", 'l', "1");
}

/* ---- bytes ---- */

static uint32_t some_place(struct draft *draft, size_t more)
{
    return draws(draft, (uint32_t)(draft->asked->body_len + more));
}

static void put_bytes(struct sent *asked, size_t at, size_t out, const char *in, size_t len)
{
    memmove(asked->body + at + len, asked->body + at + out, asked->body_len - at - out);
    memcpy(asked->body + at, in, len);
    asked->body_len = asked->body_len + len - out;
}

static const char noise[] = "{}[]\",:0123456789-+.eEtfn\\u \t\x01\x7f\xff\xc3/*a";

static const char *some_byte(struct draft *draft) { return &noise[draws(draft, sizeof(noise) - 1)]; }

static void bytes_cut(struct draft *draft)
{
    if (draft->asked->body_len != 0) draft->asked->body_len = some_place(draft, 0);
}
static void bytes_out(struct draft *draft)
{
    if (draft->asked->body_len != 0) put_bytes(draft->asked, some_place(draft, 0), 1, "", 0);
}
static void bytes_in(struct draft *draft)
{
    const char *byte = some_byte(draft);

    put_bytes(draft->asked, some_place(draft, 1), 0, byte, 1);
}
static void bytes_other(struct draft *draft)
{
    const char *byte;

    if (draft->asked->body_len == 0) return;
    byte = some_byte(draft);
    put_bytes(draft->asked, some_place(draft, 0), 1, byte, 1);
}
static void bytes_behind(struct draft *draft)
{
    static const char *const tails[] = { " ", "\r\n", "x", "{}", ",", "}", "\n\n//", "null" };
    const char              *tail = SOME(tails);

    put_bytes(draft->asked, draft->asked->body_len, 0, tail, strlen(tail));
}
/* A body above 32 KiB does not wait for others (api.h). */
static void bytes_wide(struct draft *draft)
{
    size_t at = draws(draft, 2) ? 0 : draft->asked->body_len, len = 32000 + draws(draft, 1500);

    memmove(draft->asked->body + at + len, draft->asked->body + at, draft->asked->body_len - at);
    memset(draft->asked->body + at, ' ', len);
    draft->asked->body_len += len;
}
static void bytes_none(struct draft *draft) { draft->asked->body_len = 0; }

/* ---- all kinds: the rest of them are in mutate_request.c ---- */

/* clang-format off */
static const struct { const char *name; uint32_t weight; void (*tree)(struct draft *), (*bytes)(struct draft *);
    } kinds[] = {
    { "value", 40, mutate_value, NULL }, { "value or part", 8, mutate_any, NULL }, { "no key", 10, mutate_drop, NULL },
    { "key twice", 6, mutate_twice, NULL }, { "unknown key", 8, mutate_unknown, NULL },
    { "other key", 5, mutate_key, NULL }, { "order of keys", 4, mutate_order, NULL },
    { "optional keys", 24, mutate_loose, NULL }, { "choices", 24, mutate_choices, NULL },
    { "all keys", 12, mutate_absent, NULL }, { "items", 8, mutate_items, NULL },
    { "whole", 3, mutate_whole, NULL }, { "wrapped", 3, mutate_wrapped, NULL }, { "cut", 4, NULL, bytes_cut },
    { "byte less", 8, NULL, bytes_out }, { "byte more", 8, NULL, bytes_in },
    { "other byte", 8, NULL, bytes_other }, { "behind", 3, NULL, bytes_behind }, { "no body", 1, NULL, bytes_none },
    { "wide", 1, NULL, bytes_wide }, { "builder", 5, mutate_builder, NULL },
};
/* clang-format on */

uint32_t mutate_body(struct draft *draft, uint32_t kind, bool bytes)
{
    if (kind < ARRAY_COUNT(kinds)) {
        void (*how)(struct draft *) = bytes ? kinds[kind].bytes : kinds[kind].tree;
        if (how != NULL && draft != NULL) how(draft);
    }
    return ARRAY_COUNT(kinds);
}

const char *mutate_body_name(uint32_t kind) { return kinds[kind].name; }
uint32_t    mutate_body_weight(uint32_t kind) { return kinds[kind].weight; }
