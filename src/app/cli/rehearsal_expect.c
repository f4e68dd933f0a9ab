/* SPDX-License-Identifier: MIT */
/* rehearsal_expect.c — whether what a scenario expects is so. */
#include "app/cli/rehearsal.h"

#include "app/cli/members.h"
#include "model/decimal.h"

#include <stdio.h>
#include <stdlib.h>

#define PATH_BYTES 512

static bool fail(struct rehearsal *rehearsal, const char *what, const char *text)
{
    (void)snprintf(rehearsal->why, sizeof(rehearsal->why), "%s%.300s", what, text);
    return false;
}

/* ---- what was found ---- */

/* The member at "positions.0.size"; NULL = there is none. */
static const json_t *find(const json_t *json, const char *place)
{
    char name[64];

    while (json != NULL && *place != '\0') {
        size_t len = strcspn(place, ".");

        if (len >= sizeof(name)) return NULL;
        (void)snprintf(name, sizeof(name), "%.*s", (int)len, place);
        json = json_is_array(json) ? json_array_get(json, strtoull(name, NULL, 10)) : json_object_get(json, name);
        place += len + (place[len] == '.');
    }
    return json;
}

/* A value as text: a string without its quotes, else its JSON. */
static void write_found(const json_t *found, char *got, size_t cap)
{
    char *text;

    if (found == NULL) (void)snprintf(got, cap, "nothing");
    else if (json_is_string(found)) (void)snprintf(got, cap, "%s", json_string_value(found));
    else {
        text = json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY);
        (void)snprintf(got, cap, "%s", text != NULL ? text : "");
        free(text);
    }
}

/* -1, 0 or 1; false when one of the two is no decimal. */
static bool compare(const char *left, const char *right, int *order)
{
    struct decimal a, b;
    int128_t       x, y;

    if (decimal_read(slice_of(left), &a) != DECIMAL_OK || decimal_read(slice_of(right), &b) != DECIMAL_OK) return false;
    x = a.digits;
    y = b.digits;
    for (uint32_t i = a.scale; i < b.scale; i++) x *= 10;
    for (uint32_t i = b.scale; i < a.scale; i++) y *= 10;
    *order = (x > y) - (x < y);
    return true;
}

static bool judge(const json_t *keys, const json_t *found, const char *got)
{
    int order;

    if (json_object_get(keys, "absent") != NULL)
        return (found == NULL) == json_is_true(json_object_get(keys, "absent"));
    if (found == NULL) return false;
    if (json_object_get(keys, "is") != NULL) return strcmp(got, text_at(keys, "is")) == 0;
    if (json_object_get(keys, "above") != NULL) return compare(got, text_at(keys, "above"), &order) && order > 0;
    if (json_object_get(keys, "below") != NULL) return compare(got, text_at(keys, "below"), &order) && order < 0;
    return (long long)json_array_size(found) >= number_at(keys, "items");
}

/* ---- asking ---- */

/* The path with {1001} replaced by that account's address. */
static bool fill_path(struct rehearsal *rehearsal, const char *text, char path[PATH_BYTES])
{
    size_t len = 0;

    while (*text != '\0' && len + 48 < PATH_BYTES) {
        if (*text != '{') {
            path[len++] = *text++;
            continue;
        }
        if (!rehearsal_address(strtoull(text + 1, NULL, 10), path + len))
            return fail(rehearsal, "read: no development account is called ", text);
        len += 42;
        text += strcspn(text, "}");
        text += *text == '}';
    }
    path[len] = '\0';
    return *text == '\0' || fail(rehearsal, "read: the path is too long: ", text);
}

static json_t *ask(struct rehearsal *rehearsal, const struct expectation *expectation)
{
    char    path[PATH_BYTES];
    json_t *answer;

    if (expectation->row->number == EXPECT_CALL)
        answer = venue_call(&rehearsal->venue, text_at(expectation->keys, "call"),
                            json_object_get(expectation->keys, "params"));
    else if (fill_path(rehearsal, text_at(expectation->keys, "read"), path))
        answer = venue_read(&rehearsal->venue, path);
    else return NULL;
    if (answer == NULL) (void)fail(rehearsal, "", rehearsal->venue.why);
    return answer;
}

/* A receipt of the account since the beginning, of its own liquidation or of an ADL on the other side. */
static bool has_receipt(struct rehearsal *rehearsal, uint64_t account, bool other_side, char *got, size_t cap)
{
    char    address[43], path[PATH_BYTES];
    json_t *rows;
    size_t  found = 0;

    if (!rehearsal_address(account, address)) return fail(rehearsal, "only accounts 1001 to 1010", "");
    (void)snprintf(path, sizeof(path), "/api/v1/perps/accounts/%s/liquidations?startTime=%lld&limit=200", address,
                   (long long)rehearsal->began_ms);
    rows = venue_read(&rehearsal->venue, path);
    if (rows == NULL) return fail(rehearsal, "", rehearsal->venue.why);
    for (size_t i = 0; i < json_array_size(rows); i++)
        found += (strcmp(text_at(json_array_get(rows, i), "role"), "DELEVERAGED") == 0) == other_side;
    json_decref(rows);
    (void)snprintf(got, cap, "%zu receipts", found);
    return found != 0;
}

bool rehearsal_holds(struct rehearsal *rehearsal, const struct expectation *expectation, char *got, size_t cap)
{
    const json_t *keys = expectation->keys, *found;
    json_t       *answer;
    bool          holds;

    rehearsal->why[0] = '\0';
    got[0] = '\0';
    if (expectation->row->number == EXPECT_LIQUIDATED)
        return has_receipt(rehearsal, (uint64_t)number_at(keys, "liquidated"), false, got, cap);
    if (expectation->row->number == EXPECT_DELEVERAGED)
        return has_receipt(rehearsal, (uint64_t)number_at(keys, "deleveraged"), true, got, cap);
    answer = ask(rehearsal, expectation);
    if (answer == NULL) return false;
    found = find(answer, text_at(keys, "at"));
    write_found(found, got, cap);
    holds = judge(keys, found, got);
    json_decref(answer);
    return holds;
}
