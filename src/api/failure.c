/* SPDX-License-Identifier: MIT */
/* failure.c — a failure as the answer to a request. */
#include "api/inside.h"

/* Conditions after which the byte stream of requests cannot be trusted. */
static bool ends_connection(int16_t status)
{
    return status == 400 || status == 408 || status == 413 || status == 414 || status == 431;
}

void failure_status(enum reject reject, struct http_answer *answer)
{
    const struct reject_row *row = reject_row(reject);

    answer->status = row->http;
    answer->close = ends_connection(row->http);
    if (row->http == 503) answer->extra = SLICE("Retry-After: 1\r\n");
}

void answer_failure(const struct api_context *context, const struct failure *failure, struct http_answer *answer,
                    struct out *body)
{
    body->len = 0;
    body->overflow = false;
    failure_status(failure->reject, answer);
    if (failure->reject == REJECT_RATE_LIMIT) limit_body(body, context->now_ms, failure);
    else envelope_error(body, context->now_ms, failure);
}

void api_error(const struct api_context *context, enum reject reject, struct http_answer *answer, struct out *body)
{
    struct failure failure = { .reject = reject };

    if (reject == REJECT_BUSY || reject == REJECT_NO_LEADER) failure.details.nonce = SLICE("not used");
    *answer = (struct http_answer){ .status = 200, .allow_origin = SLICE("*") };
    answer_failure(context, &failure, answer, body);
}
