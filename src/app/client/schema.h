/* SPDX-License-Identifier: MIT */
/*
 * schema.h — compares a JSON value with a schema of the contract: the words of JSON Schema that /openapi.json uses
 * (src/api/rest/openapi.c), and a fault where it uses another one.
 */
#ifndef APP_CLIENT_SCHEMA_H
#define APP_CLIENT_SCHEMA_H

#include "base/base.h"

#include <jansson.h>

#define SCHEMA_AT 160

/* Where differences go. `at` is a path such as body.data[].lastPx. */
struct schema_judge {
    const json_t *contract; /* the whole document, for $ref */
    void         *self;
    void (*differs)(void *self, const char *at, const char *expected, const char *got);
    uint64_t checks;
};

/* True when the value fits; each difference is reported once. */
bool schema_judge(struct schema_judge *judge, const json_t *schema, const json_t *value, const char *at);

#endif
