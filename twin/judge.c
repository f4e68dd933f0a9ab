/* SPDX-License-Identifier: MIT */
/* judge.c — which fault of a body is answered: the first in the order of
   its bytes; a missing key where its object ends (rulings 4, 33). */
#include <inttypes.h>

#include "refused.h"

enum { DEEPEST = 8, GOT_MOST = 64, KEY_MOST = 32 };

struct judge {
    const struct json *json;
    struct verdict    *verdict;
    struct body       *body;
    char               path[64];
};

void shorten(char *into, size_t room, const char *text, size_t len)
{
    size_t shown = len < room - 1 ? len : room - 1;

    for (size_t i = 0; i < shown; i++) into[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    into[shown] = '\0';
    if (len > room - 1) memcpy(into + shown - 3, "...", 3);
}

void say(struct verdict *verdict, enum reject reject, const char *field, const char *got, const char *need)
{
    verdict->reject = reject;
    (void)snprintf(verdict->field, sizeof(verdict->field), "%s", field);
    (void)snprintf(verdict->got, sizeof(verdict->got), "%s", got);
    (void)snprintf(verdict->need, sizeof(verdict->need), "%s", need != NULL ? need : "");
}

/* Of the value or key at hand: `last` is a key below the path. */
static bool fault(const struct judge *judge, enum reject reject, const char *last, const char *got, size_t len,
                  const char *need)
{
    char field[96], shown[GOT_MOST];

    (void)snprintf(field, sizeof(field), "%s%s%s", judge->path, judge->path[0] != '\0' && last[0] != '\0' ? "." : "",
                   last);
    shorten(shown, sizeof(shown), got, len);
    say(judge->verdict, reject, field, shown, need);
    return false;
}

/* The text is no JSON from here on: the next 20 bytes are shown. */
static bool no_json(const struct judge *judge, uint32_t where, const char *need)
{
    uint32_t rest = judge->json->len - where;

    if (rest == 0) return fault(judge, REJECT_BAD_JSON, "", "the end of the text", strlen("the end of the text"), need);
    return fault(judge, REJECT_BAD_JSON, "", judge->json->text + where, rest < 20 ? rest : 20, need);
}

static bool text_breaks(const struct judge *judge)
{
    /* clang-format off */
    static const char *const needs[] = {
        [BROKEN_QUOTE] = "a key in quotes", [BROKEN_KEY] = "a key", [BROKEN_COLON] = "a colon",
        [BROKEN_OBJECT] = "a comma or the end of the object", [BROKEN_ARRAY] = "a comma or the end of the array",
        [BROKEN_BEHIND] = "nothing behind the object", [BROKEN_VALUE] = NULL,
    };
    /* clang-format on */

    return no_json(judge, judge->json->where, needs[judge->json->broken]);
}

/* The value has another type, or is missing. */
static bool other_type(const struct judge *judge, uint32_t v, const char *need)
{
    const struct value *value = &judge->json->values[v];
    uint32_t            where = json_fault(judge->json, v, DEEPEST, false);

    if (where != NO_FAULT) return no_json(judge, where, NULL);
    return fault(judge, REJECT_WRONG_TYPE, "", judge->json->text + value->from, value->to - value->from, need);
}

/* ---- numbers ---- */

/* Digits that are no more than `most`, none of them a zero in front. */
static bool whole_number(const char *text, size_t len, uint64_t most, uint64_t *number)
{
    unsigned __int128 sum = 0;

    if (len == 0 || len > 20 || (len > 1 && text[0] == '0')) return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        sum = sum * 10 + (unsigned)(text[i] - '0');
    }
    *number = (uint64_t)sum;
    return sum <= most;
}

static uint64_t most_of(const struct line *line, bool minus)
{
    switch (line->takes) {
    case TAKES_U32: return UINT32_MAX;
    case TAKES_TIME: return (uint64_t)INT64_MAX + minus;
    case TAKES_CHOICE: return UINT8_MAX;
    default: return UINT64_MAX;
    }
}

static bool judge_number(const struct judge *judge, uint32_t v, const struct line *line, struct found *found)
{
    const struct value *value = &judge->json->values[v];
    const char         *text = judge->json->text + value->from;
    size_t              len = value->to - value->from;
    bool                minus = line->takes == TAKES_TIME && len != 0 && text[0] == '-', fits;
    uint64_t            most = most_of(line, minus) - (refused_planted == LIE_BOUNDARY ? 1 : 0);

    if (value->is != 'n') return other_type(judge, v, "a whole number, not a string");
    if (!value->whole) return text_breaks(judge);
    fits = whole_number(text + minus, len - minus, most, &found->number) && !(minus && found->number == 0);
    if (line->takes == TAKES_CHOICE) {
        if (!fits || found->number < line->low || found->number > line->high)
            return fault(judge, REJECT_ENUM_RANGE, "", text, len, NULL);
    } else if (!fits) {
        return fault(judge, REJECT_NUMBER_RANGE, "", text, len,
                     line->takes == TAKES_TIME  ? "a whole number within 64 bits"
                     : line->takes == TAKES_U32 ? "a whole number from 0 to 4294967295"
                                                : "a whole number from 0 to 18446744073709551615");
    } else if (found->number == 0 && (line->is & ZERO) == 0) {
        return fault(judge, REJECT_NUMBER_RANGE, "", text, len,
                     (line->is & MUST) != 0 ? "more than zero" : "more than zero, or left out");
    }
    (void)snprintf(found->text, sizeof(found->text), "%s%" PRIu64, minus ? "-" : "", found->number);
    return true;
}

/* ---- texts ---- */

static bool is_id(const char *text, size_t len)
{
    if (len < 1 || len > 36) return false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-'))
            return false;
    }
    return true;
}

static bool is_address(const char *text, size_t len)
{
    if (len != 42 || text[0] != '0' || text[1] != 'x') return false;
    for (size_t i = 2; i < len; i++) {
        char c = text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) return false;
    }
    return true;
}

/* A decimal in its normal form (ruling 5, wire 3.2), or how it is none. `number`: 1 above zero, 0 zero, 2 below. */
static enum reject judge_decimal(const char *text, size_t len, struct found *found)
{
    size_t minus = len != 0 && text[0] == '-', whole = 0, point, digits;
    bool   zero = true;

    while (minus + whole < len && text[minus + whole] >= '0' && text[minus + whole] <= '9') whole++;
    point = minus + whole;
    if (whole == 0 || (whole > 1 && text[minus] == '0')) return REJECT_BAD_DECIMAL;
    if (point != len && (text[point] != '.' || point + 1 == len)) return REJECT_BAD_DECIMAL;
    for (size_t i = point + 1; i < len; i++)
        if (text[i] < '0' || text[i] > '9') return REJECT_BAD_DECIMAL;
    while (point < len && text[len - 1] == '0') len--;
    if (len == point + 1) len = point;
    digits = (whole == 1 && text[minus] == '0' ? 0 : whole) + (len > point ? len - point - 1 : 0);
    if (digits > 18) return REJECT_DECIMAL_LENGTH;
    for (size_t i = 0; i < len; i++) zero = zero && (text[i] < '1' || text[i] > '9');
    if (zero && minus) return REJECT_BAD_DECIMAL;
    found->number = zero ? 0 : minus ? 2 : 1;
    (void)snprintf(found->text, sizeof(found->text), "\"%.*s\"", (int)len, text);
    return REJECT_NONE;
}

static enum reject judge_text(const struct line *line, const char *text, size_t len, struct found *found,
                              const char **need)
{
    enum reject reject = REJECT_NONE;

    *need = NULL;
    switch (line->takes) {
    case TAKES_CLIENT_ID:
        if (!is_id(text, len) && !(len == 0 && (line->is & EMPTY) != 0)) return REJECT_BAD_CLIENT_ID;
        break;
    case TAKES_KEY_NAME:
        if (!is_id(text, len)) return REJECT_BAD_KEY_NAME;
        break;
    case TAKES_ADDRESS:
        *need = "a string of 0x and 40 hex digits";
        if (!is_address(text, len)) return REJECT_BAD_ADDRESS;
        break;
    default:
        reject = judge_decimal(text, len, found);
        if (reject != REJECT_NONE) return reject;
        return line->takes == TAKES_DECIMAL && found->number != 1 ? REJECT_NOT_POSITIVE : REJECT_NONE;
    }
    (void)snprintf(found->text, sizeof(found->text), "\"%.*s\"", (int)len, text);
    if (line->takes == TAKES_ADDRESS)
        for (char *c = found->text; *c != '\0'; c++) *c = *c >= 'A' && *c <= 'F' ? (char)(*c + 32) : *c;
    found->number = len;
    return REJECT_NONE;
}

static bool judge_string(const struct judge *judge, uint32_t v, const struct line *line, struct found *found)
{
    const struct value *value = &judge->json->values[v];
    const char         *text = judge->json->text + value->from, *need = "a string without escapes";
    size_t              len = value->to - value->from;
    bool                decimal = line->takes == TAKES_DECIMAL || line->takes == TAKES_SIGNED;
    enum reject         reject = REJECT_WRONG_TYPE;

    if (value->is != 's') return other_type(judge, v, decimal ? "a decimal in a JSON string" : "a JSON string");
    if (!value->whole) return text_breaks(judge);
    if (!value->escaped) reject = judge_text(line, text + 1, len - 2, found, &need);
    return reject == REJECT_NONE || fault(judge, reject, "", text, len, need);
}

/* ---- objects ---- */

static bool judge_object(struct judge *judge, uint32_t v, const struct line *lines, uint32_t count,
                         struct found *found);

static bool judge_list(struct judge *judge, uint32_t v, const struct line *line, struct found *found)
{
    const struct json *json = judge->json;
    size_t             path = strlen(judge->path);
    uint32_t           read = 0;

    if (json->values[v].is != 'a') return other_type(judge, v, "an array");
    for (uint32_t item = json->values[v].first; item != 0; item = json->values[item].next, judge->path[path] = '\0') {
        if (read == line->high)
            return fault(judge, REJECT_BATCH_SIZE, "", "more items", strlen("more items"),
                         line->high == 100 ? NULL : "at most 64 items");
        (void)snprintf(judge->path + path, sizeof(judge->path) - path, "[%u]", read);
        if (!judge_object(judge, item, line->of, line->count, judge->body->item[read])) return false;
        read++;
    }
    if (!json->values[v].whole) return text_breaks(judge);
    judge->body->items = read;
    found->number = read;
    return true;
}

static bool judge_value(struct judge *judge, uint32_t v, const struct line *line, struct found *found)
{
    const struct value *value = &judge->json->values[v];
    const char         *text = judge->json->text + value->from;
    uint32_t            where;

    switch (line->takes) {
    case TAKES_U64:
    case TAKES_U32:
    case TAKES_TIME:
    case TAKES_CHOICE: return judge_number(judge, v, line, found);
    case TAKES_FLAG:
        if (value->is != 'w' || !value->whole || text[0] == 'n') return other_type(judge, v, "true or false");
        (void)snprintf(found->text, sizeof(found->text), "%s", text[0] == 't' ? "true" : "false");
        found->number = text[0] == 't';
        return true;
    case TAKES_ANYTHING:
        where = json_fault(judge->json, v, DEEPEST - 1, true);
        return where == NO_FAULT || no_json(judge, where, NULL);
    case TAKES_OBJECT: return judge_object(judge, v, line->of, line->count, judge->body->item[0]);
    case TAKES_LIST: return judge_list(judge, v, line, found);
    default: return judge_string(judge, v, line, found);
    }
}

/* {"type":…,"params":…} as it is signed, instead of its params. */
static bool is_wrapped(const struct json *json)
{
    bool type = false, params = false;

    for (uint32_t m = json->values[1].first; m != 0; m = json->values[m].next) {
        const struct value *value = &json->values[m];

        if (json_key_is(json, m, "type", 4)) type = value->is == 's';
        else if (json_key_is(json, m, "params", 6)) params = value->is == 'o';
        else return false;
        if (value->is == 0 || json_fault(json, m, DEEPEST, false) != NO_FAULT) return false;
    }
    return type && params && json->values[1].whole;
}

static bool unknown_key(struct judge *judge, uint32_t m)
{
    const struct value *value = &judge->json->values[m];
    const char         *key = judge->json->text + value->key_from;
    size_t              len = value->key_to - value->key_from;
    char                shown[KEY_MOST];

    if (judge->path[0] == '\0' && is_wrapped(judge->json))
        return fault(judge, REJECT_SIGNED_PAYLOAD, "", "type and params", 15, NULL);
    shorten(shown, sizeof(shown), key, len);
    return fault(judge, REJECT_UNKNOWN_FIELD, shown, key, len, NULL);
}

static bool judge_member(struct judge *judge, uint32_t m, const struct line *lines, uint32_t count, struct found *found)
{
    size_t   path = strlen(judge->path);
    uint32_t i = 0;
    bool     good;

    while (i < count && !json_key_is(judge->json, m, lines[i].key, strlen(lines[i].key))) i++;
    if (i == count) return unknown_key(judge, m);
    if (found[i].there)
        return fault(judge, REJECT_DUPLICATE_KEY, lines[i].key, "a second one", strlen("a second one"), NULL);
    found[i] = (struct found){ .there = true };
    if (judge->json->values[m].is == 0) return text_breaks(judge);
    (void)snprintf(judge->path + path, sizeof(judge->path) - path, "%s%s", path != 0 ? "." : "", lines[i].key);
    good = judge_value(judge, m, &lines[i], &found[i]);
    judge->path[path] = '\0';
    return good;
}

static bool judge_object(struct judge *judge, uint32_t v, const struct line *lines, uint32_t count, struct found *found)
{
    const struct json *json = judge->json;

    memset(found, 0, LINES_MAX * sizeof(*found));
    if (json->values[v].is != 'o') return other_type(judge, v, "an object");
    if (refused_planted == LIE_ORDER_BODY && !json->values[v].whole) return text_breaks(judge);
    for (uint32_t m = json->values[v].first; m != 0; m = json->values[m].next)
        if (!judge_member(judge, m, lines, count, found)) return false;
    if (!json->values[v].whole) return text_breaks(judge);
    for (uint32_t i = 0; i < count; i++) {
        enum reject reject = lines[i].takes == TAKES_CLIENT_ID ? REJECT_BAD_CLIENT_ID
                           : lines[i].takes == TAKES_KEY_NAME  ? REJECT_BAD_KEY_NAME
                                                               : REJECT_MISSING_FIELD;

        if ((lines[i].is & MUST) != 0 && !found[i].there)
            return fault(judge, reject, lines[i].key, "nothing", strlen("nothing"), NULL);
    }
    return true;
}

bool judge_body(const struct action *action, const char *text, size_t len, struct body *body, struct verdict *verdict)
{
    static struct json json;
    struct judge       judge = { .json = &json, .verdict = verdict, .body = body };

    json_look(&json, text, len);
    body->items = 0;
    memset(body->item[0], 0, sizeof(body->item[0]));
    if (!judge_object(&judge, 1, action->lines, action->count, body->top)) return false;
    if (json.broken == BROKEN_BEHIND) return text_breaks(&judge);
    return judge_rules(action, body, verdict);
}

/* ---- the normal form (wire 3.2) ---- */

static void normal_object(struct text *into, const struct line *lines, uint32_t count, const struct found *found,
                          const struct body *body)
{
    open_object(into);
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].takes == TAKES_ANYTHING || (!found[i].there && (lines[i].is & ALWAYS) == 0)) continue;
        key(into, lines[i].key);
        if (lines[i].takes == TAKES_OBJECT) {
            normal_object(into, lines[i].of, lines[i].count, body->item[0], body);
            continue;
        }
        if (lines[i].takes != TAKES_LIST) {
            put(into, "%s", found[i].there ? found[i].text : "0");
            continue;
        }
        for (uint32_t item = 0; item < body->items; item++) {
            put(into, item == 0 ? "[" : ",");
            normal_object(into, lines[i].of, lines[i].count, body->item[item], body);
        }
        put(into, body->items == 0 ? "[]" : "]");
    }
    close_object(into);
}

void normal_form(const struct action *action, const struct body *body, struct text *into)
{
    normal_object(into, action->lines, action->count, body->top, body);
}
