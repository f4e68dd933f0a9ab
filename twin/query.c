/* SPDX-License-Identifier: MIT */
/* query.c — parameters of reads: drawn, written, and their faults (rulings 4, 19, 42; wire 1.4). */
#include <inttypes.h>

#include "ask.h"

static const char whole_number[] = "a whole number from 0 to 18446744073709551615";

static struct parameter *add(struct question *query, const char *name, const char *text)
{
    struct parameter *parameter = &query->at[query->count++];

    assert(query->count <= ARRAY_COUNT(query->at) && strlen(text) < sizeof(parameter->text));
    *parameter = (struct parameter){ .key = name, .known = true, .reject = REJECT_NONE };
    (void)snprintf(parameter->text, sizeof(parameter->text), "%s", text);
    return parameter;
}

static bool is_limit(const char *name) { return strcmp(name, "limit") == 0 || strcmp(name, "depth") == 0; }
static bool is_number(const char *name)
{
    return strcmp(name, "orderID") == 0 || strcmp(name, "positionID") == 0 || strcmp(name, "liquidationID") == 0;
} /* of something, from 1 on */

static void refuse(struct parameter *parameter, const char *need)
{
    parameter->reject = is_limit(parameter->key) ? REJECT_BAD_LIMIT : REJECT_BAD_PARAMETER;
    parameter->need = is_limit(parameter->key) ? NULL : need;
}

void query_number(struct answers *answers, struct question *query, const char *name, uint64_t value)
{
    static const char *const none[] = {
        "", "-1", "1.0", "abc", "1e3", "18446744073709551616", "99999999999999999999999", "0x10", "null"
    };
    struct random_state *d = &answers->random_state;
    struct parameter    *parameter;
    char                 text[32];

    if (one_in(d, 30)) {
        refuse(add(query, name, none[random_below(d, ARRAY_COUNT(none))]), whole_number);
        return;
    }
    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    if (one_in(d, 20))
        (void)snprintf(text, sizeof(text), "%%3%" PRIu64 "%s", value > 9 ? UINT64_C(1) : value,
                       value > 9 ? "7" : ""); /* a digit in its escape */
    parameter = add(query, name, text);
    parameter->value = text[0] == '%' && value > 9 ? 17 : value;
    if (is_number(name) && parameter->value == 0) refuse(parameter, "more than zero");
    if (is_limit(name) && (parameter->value == 0 || parameter->value > UINT32_MAX)) refuse(parameter, NULL);
}

void query_text(struct question *query, const char *name, const char *text, enum reject reject, const char *need)
{
    struct parameter *parameter = add(query, name, text);

    parameter->reject = reject;
    parameter->need = need;
}

void query_symbol(struct answers *answers, struct question *query, const struct twin *twin, uint8_t market)
{
    struct random_state *d = &answers->random_state;
    uint32_t             count = symbol_count(twin, market), other = market == MARKET_SPOT ? MARKET_PERPS : MARKET_SPOT;
    const struct symbol *s = symbol_of(twin, market, 1 + random_below(d, count));

    switch (random_below(d, 24)) {
    case 0: query_text(query, "symbol", "", REJECT_NONE, NULL); break;
    case 1: query_text(query, "symbol", "nothing-of-this-name-is-listed", REJECT_NONE, NULL); break;
    case 2: query_text(query, "symbol", "this-is-longer-than-any-name-can-be", REJECT_SYMBOL_NOT_FOUND, NULL); break;
    case 3:
        if (symbol_count(twin, (uint8_t)other) != 0)
            query_text(query, "symbol", symbol_of(twin, (uint8_t)other, 1)->name.at, REJECT_NONE, NULL);
        break;
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: query_text(query, "symbol", s->name.at, REJECT_NONE, NULL); break;
    default: break;
    }
}

void query_limit(struct answers *answers, struct question *query, const char *name, uint32_t most)
{
    struct random_state *d = &answers->random_state;

    switch (random_below(d, 9)) {
    case 0: query_number(answers, query, name, one_in(d, 4) ? 0 : 1); break;
    case 1: query_number(answers, query, name, most - 1 + random_below(d, 3)); break;
    case 2: query_number(answers, query, name, one_in(d, 3) ? UINT64_C(4294967294) + random_below(d, 3) : 2000); break;
    case 3:
    case 4:
    case 5: query_number(answers, query, name, 1 + random_below(d, 30)); break;
    default: break;
    }
}

void query_end(struct answers *answers, struct question *query)
{
    struct random_state *d = &answers->random_state;
    uint32_t             at = 0;

    if (query->count != 0 && one_in(d, 25)) {
        const struct parameter *again = &query->at[random_below(d, query->count)];
        query_text(query, again->key, again->text, again->reject, again->need);
    }
    if (one_in(d, 10)) add(query, "colour", "blue")->known = false;
    for (uint32_t i = 0; i < query->count; i++) { /* in any order */
        struct parameter *other = &query->at[i + random_below(d, query->count - i)], here = query->at[i];
        query->at[i] = *other;
        *other = here;
    }
    query->line[0] = 0;
    for (uint32_t i = 0; i < query->count; i++)
        at += (uint32_t)snprintf(query->line + at, sizeof(query->line) - at, "%s%s=%s", i == 0 ? "" : "&",
                                 query->at[i].key, query->at[i].text);
}

const struct parameter *query_find(const struct question *query, const char *name)
{
    for (uint32_t i = 0; i < query->count; i++)
        if (strcmp(query->at[i].key, name) == 0) return &query->at[i];
    return NULL;
}

uint32_t query_limit_of(const struct question *query, uint32_t most, uint32_t usual)
{
    const struct parameter *limit = query_find(query, "limit");

    if (limit == NULL) return usual;
    if (answers_planted == ANSWER_BUG_CLAMP) return (uint32_t)limit->value;
    return limit->value < most ? (uint32_t)limit->value : most;
}

/* The first that is wrong, from the left; then `depth`, which counts only without `limit`; then what was not sent. */
bool query_fault(struct answers *answers, const struct question *query, const char *required)
{
    const struct parameter *depth = query_find(query, "limit") == NULL ? query_find(query, "depth") : NULL;

    for (uint32_t i = 0; i < query->count; i++) {
        const struct parameter *p = &query->at[i];
        bool                    again = query_find(query, p->key) != p && answers_planted != ANSWER_BUG_REPEATED;

        if (!p->known || (!again && (p->reject == REJECT_NONE || strcmp(p->key, "depth") == 0))) continue;
        if (again) put_fault(answers, REJECT_REPEATED_PARAMETER, p->key, p->text, NULL);
        else put_fault(answers, p->reject, p->key, p->text, p->need);
        return true;
    }
    if (depth != NULL && depth->reject != REJECT_NONE) {
        put_fault(answers, depth->reject, depth->key, depth->text, depth->need);
        return true;
    }
    if (required == NULL || query_find(query, required) != NULL) return false;
    put_fault(answers, REJECT_BAD_PARAMETER, required, "nothing", "must be given");
    return true;
}

bool query_symbol_of(struct answers *answers, const struct question *query, const struct twin *twin, uint8_t market,
                     uint32_t *symbol_id)
{
    const struct parameter *symbol = query_find(query, "symbol");

    *symbol_id = 0;
    if (symbol == NULL || symbol->text[0] == 0) return true;
    for (uint32_t id = 1; id <= symbol_count(twin, market); id++)
        if (strcmp(symbol_of(twin, market, id)->name.at, symbol->text) == 0) *symbol_id = id;
    if (*symbol_id == 0) put_fault(answers, REJECT_SYMBOL_NOT_FOUND, "symbol", symbol->text, NULL);
    return *symbol_id != 0;
}
