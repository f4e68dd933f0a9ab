/* SPDX-License-Identifier: MIT */
/* conform_reads.c — every read of the contract with its least and with all of its parameters. */
#include "app/client/conform_reads.h"

#include "app/cli/members.h"
#include "app/client/plain.h"

#include <stdio.h>

#define DEVELOPMENT_ADDRESS "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

/* Any exchange has a value for these; the others name records that it may not have. */
static bool is_plain(const char *name)
{
    static const char *const names[] = {
        "symbol", "interval", "userAddress", "limit", "startTime", "endTime", "market"
    };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* The value of a parameter for this exchange. */
static const char *value_of(const struct conform *conform, const char *path, const json_t *parameter, char text[64])
{
    const char *name = text_at(parameter, "name");

    if (strcmp(name, "symbol") == 0) return conform->symbols[strstr(path, "/perps/") != NULL ? 1 : 0];
    if (strcmp(name, "userAddress") == 0)
        return conform->client->address != NULL ? conform->client->address : DEVELOPMENT_ADDRESS;
    return plain_member(parameter, "example", text, 64);
}

/* Puts a value in the place of {name}. */
static void fill_place(char text[CONFORM_URL], const char *name, const char *value)
{
    char  rest[CONFORM_URL], place[72];
    char *at;

    (void)snprintf(place, sizeof(place), "{%.60s}", name);
    at = strstr(text, place);
    if (at == NULL) return;
    (void)snprintf(rest, sizeof(rest), "%s", at + strlen(place));
    (void)snprintf(at, CONFORM_URL - (size_t)(at - text), "%s%s", value, rest);
}

bool conform_path(const struct conform *conform, const char *path, const json_t *operation, bool all, const char *wrong,
                  const char *wrong_value, char text[CONFORM_URL], bool *plain)
{
    json_t *parameter;
    size_t  i;
    char    query = '?';

    *plain = true;
    (void)snprintf(text, CONFORM_URL, "%s", path);
    json_array_foreach(json_object_get(operation, "parameters"), i, parameter) {
        const char *name = text_at(parameter, "name"), *in = text_at(parameter, "in"), *value;
        bool        is_wrong = wrong != NULL && strcmp(wrong, name) == 0,
             is_required = json_is_true(json_object_get(parameter, "required"));
        char   room[64];
        size_t len = strlen(text);

        if (strcmp(in, "header") == 0 || (!all && !is_required && !is_wrong)) continue;
        value = is_wrong ? wrong_value : value_of(conform, path, parameter, room);
        if (value == NULL || (value[0] == '\0' && !is_required)) continue;
        if (value[0] == '\0' && !is_wrong) return false;
        *plain = *plain && is_plain(name);
        if (strcmp(in, "path") == 0) fill_place(text, name, value);
        else (void)snprintf(text + len, CONFORM_URL - len, "%c%s=%s", query, name, value);
        if (strcmp(in, "query") == 0) query = '&';
    }
    return true;
}

/* The schema of a successful answer in JSON; NULL: it is something else. */
static const json_t *schema_of(const json_t *operation)
{
    const json_t *ok = json_object_get(json_object_get(operation, "responses"), "200"),
                 *json = json_object_get(json_object_get(ok, "content"), "application/json");

    return json_object_get(json, "schema");
}

void conform_reads(struct conform *conform)
{
    const char *path;
    json_t     *methods;

    json_object_foreach(json_object_get(conform->contract, "paths"), path, methods) {
        const json_t *operation = json_object_get(methods, "get"), *schema = schema_of(operation);
        char          texts[2][CONFORM_URL];

        if (schema == NULL || strcmp(path, "/openapi.json") == 0 || strcmp(path, "/docs/settings.json") == 0) continue;
        for (size_t all = 0; all < 2; all++) {
            bool plain, ok = conform_path(conform, path, operation, all == 1, NULL, NULL, texts[all], &plain);
            struct conform_request request = {
                "GET", texts[all], "", NULL, schema, plain ? WANTS_SUCCESS : WANTS_ANY, 0
            };

            if (ok && (all == 0 || strcmp(texts[0], texts[1]) != 0)) conform_ask(conform, &request);
        }
    }
}
