/* SPDX-License-Identifier: MIT */
/* conform_refusals.c — requests that break one rule each, and must be refused with its code. */
#include "app/client/conform_refusals.h"

#include "app/cli/members.h"
#include "app/client/conform_reads.h"
#include "model/rejects.h"

#include <stdio.h>
#include <stdlib.h>

#define JSON_LINE    "Content-Type: application/json\r\n"
#define SIGNED_BYTES 320

static void refuse(struct conform *conform, const char *method, const char *path, const char *lines, const char *body,
                   enum reject reject)
{
    struct conform_request request = { method, path, lines, body, NULL, WANTS_CODE, (int)reject_row(reject)->code };

    conform_ask(conform, &request);
}

/* ---- reads ---- */

/* A value that breaks the rule of a parameter, and the refusal; NULL: any value of it may be good. */
static const char *wrong_value(const json_t *parameter, enum reject *reject)
{
    const char *name = text_at(parameter, "name"), *type = text_at(json_object_get(parameter, "schema"), "type");

    *reject = REJECT_BAD_PARAMETER;
    if (strcmp(name, "limit") == 0) *reject = REJECT_BAD_LIMIT;
    if (strcmp(type, "integer") == 0) return "x";
    if (strcmp(name, "userAddress") == 0) {
        *reject = REJECT_BAD_ADDRESS;
        return "0x12";
    }
    if (strcmp(name, "symbol") == 0) {
        *reject = REJECT_SYMBOL_NOT_FOUND;
        return "NO-SUCH-SYMBOL";
    }
    if (strcmp(name, "interval") == 0) {
        *reject = REJECT_BAD_INTERVAL;
        return "7m";
    }
    return NULL;
}

static void break_parameters(struct conform *conform, const char *path, const json_t *operation)
{
    json_t *parameter;
    size_t  i;

    json_array_foreach(json_object_get(operation, "parameters"), i, parameter) {
        enum reject reject;
        const char *value = wrong_value(parameter, &reject), *name = text_at(parameter, "name");
        char        text[CONFORM_URL + 80];
        bool        plain;

        if (strcmp(text_at(parameter, "in"), "header") == 0) continue;
        if (value != NULL && conform_path(conform, path, operation, false, name, value, text, &plain))
            refuse(conform, "GET", text, "", NULL, reject);
        if (strcmp(name, "limit") == 0 && conform_path(conform, path, operation, false, name, "1", text, &plain)) {
            (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "&limit=2");
            refuse(conform, "GET", text, "", NULL, REJECT_REPEATED_PARAMETER);
        }
    }
}

/* ---- writes ---- */

/* Header lines with a good nonce, and with a signature that nobody made: nothing under it can be executed. */
static const char *sign_badly(const struct conform *conform, char lines[SIGNED_BYTES])
{
    char zeros[131];

    memset(zeros, '0', sizeof(zeros));
    zeros[130] = '\0';
    (void)snprintf(lines, SIGNED_BYTES, JSON_LINE "X-API-Nonce: %lu\r\nX-API-Sign: 0x01%s\r\n",
                   (unsigned long)venue_next_nonce(&conform->client->venue), zeros);
    return lines;
}

/* Bodies that are refused before the signature is looked at. */
static void break_body(struct conform *conform, const char *method, const char *path)
{
    char        lines[SIGNED_BYTES], text[SIGNED_BYTES];
    const char *good = sign_badly(conform, lines);

    refuse(conform, method, path, good, "{\"accountID\":", REJECT_BAD_JSON);
    refuse(conform, method, path, good, "[]", REJECT_BAD_JSON);
    refuse(conform, method, path, good, "{}", REJECT_MISSING_FIELD);
    refuse(conform, method, path, good, "{\"accountID\":1,\"accountID\":1}", REJECT_DUPLICATE_KEY);
    refuse(conform, method, path, good, "{\"accountID\":\"1\"}", REJECT_WRONG_TYPE);
    (void)snprintf(text, sizeof(text), "Content-Type: text/plain%s", good + strlen(JSON_LINE) - 2);
    refuse(conform, method, path, text, "{}", REJECT_BAD_CONTENT_TYPE);
}

/* The example of the contract without a nonce, without a signature, and with one that nobody made. */
static void break_signature(struct conform *conform, const char *method, const char *path, const json_t *operation)
{
    const json_t *content = json_object_get(json_object_get(operation, "requestBody"), "content"),
                 *example = json_object_get(json_object_get(content, "application/json"), "example");
    char *body = json_dumps(example, JSON_COMPACT), lines[SIGNED_BYTES], text[SIGNED_BYTES];

    if (body == NULL) return;
    (void)snprintf(text, sizeof(text), JSON_LINE "X-API-Nonce: %lu\r\n",
                   (unsigned long)venue_next_nonce(&conform->client->venue));
    refuse(conform, method, path, JSON_LINE, body, REJECT_BAD_NONCE);
    refuse(conform, method, path, text, body, REJECT_BAD_SIGNATURE);
    refuse(conform, method, path, sign_badly(conform, lines), body, REJECT_BAD_SIGNATURE);
    free(body);
}

static void break_writes(struct conform *conform, const char *path, const json_t *methods)
{
    static const struct {
        const char *key, *method;
    } rows[] = { { "post", "POST" }, { "delete", "DELETE" } };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        const json_t *operation = json_object_get(methods, rows[i].key);
        char          text[CONFORM_URL];
        bool          plain;

        if (strcmp(text_at(operation, "x-signed-as"), "ExchangeAction") != 0) continue;
        if (!conform_path(conform, path, operation, false, NULL, NULL, text, &plain)) continue;
        break_body(conform, rows[i].method, text);
        break_signature(conform, rows[i].method, text, operation);
    }
}

/* ---- paths ---- */

/* A method that no row of this path has. */
static void break_method(struct conform *conform, const char *path, const json_t *methods)
{
    const char   *method = json_object_get(methods, "get") == NULL    ? "GET"
                         : json_object_get(methods, "delete") == NULL ? "DELETE"
                                                                      : NULL;
    const json_t *operation = json_object_iter_value(json_object_iter((json_t *)methods));
    char          text[CONFORM_URL];
    bool          plain;

    if (method != NULL && conform_path(conform, path, operation, false, NULL, NULL, text, &plain))
        refuse(conform, method, text, "", NULL, REJECT_METHOD_NOT_ALLOWED);
}

void conform_refusals(struct conform *conform)
{
    const char *path;
    json_t     *methods;

    refuse(conform, "GET", "/api/v1/spot/no/such/path", "", NULL, REJECT_PATH_NOT_FOUND);
    refuse(conform, "POST", "/api/v1/perps/trade/nothing", JSON_LINE, "{}", REJECT_PATH_NOT_FOUND);
    json_object_foreach(json_object_get(conform->contract, "paths"), path, methods) {
        if (strncmp(path, "/api/", 5) != 0) continue;
        if (json_object_get(methods, "get") != NULL) break_parameters(conform, path, json_object_get(methods, "get"));
        break_method(conform, path, methods);
        break_writes(conform, path, methods);
    }
}
