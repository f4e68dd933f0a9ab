/* SPDX-License-Identifier: MIT */
/* timeline.c — a scenario's text: strict reading by the rows of timeline_rows.c. */
#include "app/cli/timeline.h"

#include "app/cli/members.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 2, 3))) static bool fail(char why[256], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(why, 256, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- values ---- */

bool timeline_ms(const char *text, int64_t *ms)
{
    static const struct {
        const char *name;
        int64_t     ms;
    } units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 } };
    int64_t number = 0;
    size_t  digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 12) return false;
    for (size_t i = 0; i < digits; i++) number = 10 * number + (text[i] - '0');
    for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
        if (strcmp(text + digits, units[i].name) != 0) continue;
        if (number > TIMELINE_MS_MAX / units[i].ms) return false;
        *ms = number * units[i].ms;
        return true;
    }
    return false;
}

static bool fits(uint8_t kind, const json_t *value, const char **need)
{
    int64_t ms;

    switch (kind) {
    case KEY_TEXT: *need = "a text"; return json_is_string(value);
    case KEY_TIME:
        *need = "a time as 250ms, 90s, 5m, 1h or 2d";
        return json_is_string(value) && timeline_ms(json_string_value(value), &ms);
    case KEY_COUNT:
        *need = "a whole number of at least 0";
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case KEY_FLAG: *need = "true or false"; return json_is_boolean(value);
    case KEY_OBJECT: *need = "an object"; return json_is_object(value);
    case KEY_LIST: *need = "a list"; return json_is_array(value);
    default: assert(false); return false;
    }
}

/* ---- keys ---- */

static const struct key_row *find_key(const struct key_row *keys, size_t cap, const char *name)
{
    for (size_t i = 0; i < cap && keys[i].name != NULL; i++)
        if (strcmp(keys[i].name, name) == 0) return &keys[i];
    return NULL;
}

/* Every key of `object` is one of the two lists and of its kind, and every needed one is there. `place`: "steps[3]". */
static bool check_keys(const json_t *object, const struct key_row *common, size_t common_cap, const struct key_row *own,
                       const char *place, char why[256])
{
    const struct key_row *lists[] = { common, own };
    size_t                caps[] = { common_cap, own != NULL ? KEYS_MAX : 0 };
    const char           *name, *need;
    json_t               *value;

    json_object_foreach((json_t *)object, name, value) {
        const struct key_row *row = find_key(common, common_cap, name);

        if (row == NULL && own != NULL) row = find_key(own, KEYS_MAX, name);
        if (row == NULL) return fail(why, "%s%.40s: there is no such key", place, name);
        if (!fits(row->kind, value, &need)) return fail(why, "%s%s is not %s", place, name, need);
    }
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < caps[list] && lists[list][i].name != NULL; i++)
            if (lists[list][i].needed && json_object_get(object, lists[list][i].name) == NULL)
                return fail(why, "%s%s is missing: %s", place, lists[list][i].name, lists[list][i].doc);
    return true;
}

static int64_t time_at(const json_t *object, const char *key, int64_t otherwise)
{
    int64_t ms = otherwise;

    if (json_object_get(object, key) != NULL && !timeline_ms(text_at(object, key), &ms)) assert(false);
    return ms;
}

/* ---- steps and expectations ---- */

static const struct key_row step_keys[] = {
    { "at", KEY_TIME, true, "When, from the beginning." },
    { "do", KEY_TEXT, true, "What happens." },
    { "note", KEY_TEXT, false, "Printed with it." },
};

static bool read_step(struct timeline *timeline, size_t number, const json_t *keys, char why[256])
{
    const struct timeline_row *row = NULL;
    char                       place[32];
    const char                *name = text_at(keys, "do");
    struct step               *step = &timeline->steps[number];

    (void)snprintf(place, sizeof(place), "steps[%zu].", number);
    for (uint32_t i = 0; i < timeline_step_count; i++)
        if (strcmp(timeline_steps[i].name, name) == 0) row = &timeline_steps[i];
    if (row == NULL)
        return fail(why, "%sdo is %.40s, which is no kind of step (dojima scenario --help lists them)", place, name);
    if (!check_keys(keys, step_keys, ARRAY_COUNT(step_keys), row->keys, place, why)) return false;
    *step = (struct step){ row, time_at(keys, "at", 0), keys };
    if (step->at_ms > timeline->ends_ms) return fail(why, "%sat is behind the end of the scenario", place);
    timeline->step_count += 1;
    return true;
}

static const struct key_row expect_keys[] = {
    { "from", KEY_TIME, false, "Looked at from here on; from the beginning when not given." },
    { "by", KEY_TIME, false, "When it must hold at the latest; at the end when not given." },
    { "note", KEY_TEXT, false, "Printed with it." },
};

/* Exactly one comparison where the kind has any. */
static bool check_comparison(const json_t *keys, const struct timeline_row *row, const char *place, char why[256])
{
    static const char *const names[] = { "is", "above", "below", "items", "absent" };
    uint32_t                 count = 0;

    if (find_key(row->keys, KEYS_MAX, "is") == NULL) return true;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) count += json_object_get(keys, names[i]) != NULL;
    return count == 1 || fail(why, "%s needs exactly one of is, above, below, items and absent", place);
}

static bool read_expectation(struct timeline *timeline, size_t number, const json_t *keys, char why[256])
{
    const struct timeline_row *row = NULL;
    char                       place[32];
    struct expectation        *expectation = &timeline->expectations[number];

    (void)snprintf(place, sizeof(place), "expect[%zu].", number);
    for (uint32_t i = 0; i < timeline_expectation_count; i++)
        if (json_object_get(keys, timeline_expectations[i].name) != NULL) row = &timeline_expectations[i];
    if (row == NULL) return fail(why, "%s has none of read, call, liquidated and deleveraged", place);
    if (!check_keys(keys, expect_keys, ARRAY_COUNT(expect_keys), row->keys, place, why)
        || !check_comparison(keys, row, place, why))
        return false;
    *expectation = (struct expectation){ row, time_at(keys, "from", 0), time_at(keys, "by", timeline->ends_ms), keys };
    if (expectation->by_ms > timeline->ends_ms || expectation->from_ms > expectation->by_ms)
        return fail(why, "%sfrom, by and ends are not in this order", place);
    timeline->expectation_count += 1;
    return true;
}

static bool read_list(struct timeline *timeline, const char *key, size_t most,
                      bool (*read)(struct timeline *, size_t, const json_t *, char[256]), char why[256])
{
    const json_t *list = json_object_get(timeline->json, key);

    if (json_array_size(list) > most) return fail(why, "%s has more than %zu items", key, most);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);

        if (!json_is_object(item)) return fail(why, "%s[%zu] is not an object", key, i);
        if (!read(timeline, i, item, why)) return false;
    }
    return true;
}

/* By time; what has the same time stays in its order. */
static void sort_steps(struct timeline *timeline)
{
    for (uint32_t i = 1; i < timeline->step_count; i++) {
        struct step step = timeline->steps[i];
        uint32_t    at = i;

        for (; at > 0 && timeline->steps[at - 1].at_ms > step.at_ms; at--)
            timeline->steps[at] = timeline->steps[at - 1];
        timeline->steps[at] = step;
    }
}

static const struct key_row file_keys[] = {
    { "name", KEY_TEXT, true, "Its name." },
    { "about", KEY_TEXT, true, "What happens, in a sentence or some." },
    { "ends", KEY_TIME, true, "When it is over." },
    { "market", KEY_TEXT, false, "--market of the exchange that is started for it; calm when not given." },
    { "seed", KEY_COUNT, false, "--seed of the same; 42 when not given." },
    { "look", KEY_TIME, false, "Between two looks at what is expected, and two index prices; 1s when not given." },
    { "steps", KEY_LIST, true, "What happens." },
    { "expect", KEY_LIST, false, "What must hold." },
};

bool timeline_read(struct slice text, struct timeline *timeline, char why[256])
{
    json_error_t error;

    *timeline = (struct timeline){ .json = json_loadb(text.at, text.len, JSON_REJECT_DUPLICATES, &error) };
    if (timeline->json == NULL) return fail(why, "line %d: %.200s", error.line, error.text);
    if (!json_is_object(timeline->json)) return fail(why, "a scenario is a JSON object");
    if (!check_keys(timeline->json, file_keys, ARRAY_COUNT(file_keys), NULL, "", why)) return false;
    timeline->name = text_at(timeline->json, "name");
    timeline->about = text_at(timeline->json, "about");
    timeline->market = json_object_get(timeline->json, "market") != NULL ? text_at(timeline->json, "market") : "calm";
    timeline->seed = json_object_get(timeline->json, "seed") != NULL ? (uint64_t)number_at(timeline->json, "seed") : 42;
    timeline->ends_ms = time_at(timeline->json, "ends", 0);
    timeline->look_ms = time_at(timeline->json, "look", TIMELINE_LOOK_MS);
    if (timeline->look_ms == 0) return fail(why, "look is 0");
    if (!read_list(timeline, "steps", TIMELINE_STEPS_MAX, read_step, why)
        || !read_list(timeline, "expect", TIMELINE_EXPECT_MAX, read_expectation, why))
        return false;
    sort_steps(timeline);
    return true;
}

void timeline_free(struct timeline *timeline)
{
    json_decref(timeline->json);
    timeline->json = NULL;
}
