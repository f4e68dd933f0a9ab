/* SPDX-License-Identifier: MIT */
/* conform_ask.h — dojima conform: one request to an exchange, and how its answer differs from the contract. */
#ifndef APP_CLIENT_CONFORM_ASK_H
#define APP_CLIENT_CONFORM_ASK_H

#include "app/client/client.h"
#include "app/client/schema.h"

#define CONFORM_URL 1024

/* What may come back. */
enum conform_wants {
    WANTS_SUCCESS, /* code 0 */
    WANTS_ANY,     /* a result, or a refusal of the contract */
    WANTS_CODE     /* this refusal: its HTTP status and code */
};

struct conform {
    struct client      *client;
    json_t             *contract; /* the text of our own /openapi.json */
    struct schema_judge judge;
    json_t             *differences;    /* objects {request, at, expected, got} */
    const char         *request;        /* of the present one, for reports */
    char                symbols[2][64]; /* of spot and perps: one that the exchange has */
    uint64_t            requests;
    bool                stopped; /* by a signal, or the exchange is away */
};

struct conform_request {
    const char   *method, *path; /* with its query */
    const char   *lines;         /* header lines, each with its CR LF; "" = none */
    const char   *body;          /* NULL: none */
    const json_t *schema;        /* of the answer; NULL: that of an error */
    uint8_t       wants;         /* enum conform_wants */
    int           code;          /* WANTS_CODE */
};

/* Sends one request, waits where the exchange limits requests, and compares. */
void conform_ask(struct conform *conform, const struct conform_request *request);

/* A difference; the same one of a request is kept once. */
void conform_report(struct conform *conform, const char *at, const char *expected, const char *got);

#endif
