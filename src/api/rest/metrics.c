/* SPDX-License-Identifier: MIT */
/*
 * metrics.c — access to GET /metrics, whose contents app/metrics.c writes: for the addresses of the setting, as the
 * client behind a trusted proxy, and not for a client behind an unknown proxy.
 */
#include "api/inside.h"

#include "wire/exposition.h"

void answer_metrics(struct call *call)
{
    const struct api_metrics *metrics = call->api->shared->metrics;

    call->answer->allow_origin = SLICE(""); /* no page of another origin reads it for its visitor */
    if (metrics == NULL || !metrics_are_for(call)) {
        fail(&call->failure, REJECT_NOT_A_READER, SLICE(""), SLICE(""));
        return;
    }
    call->answer->content_type = EXPOSITION_TYPE;
    call->answer->extra = SLICE("Cache-Control: no-store\r\n");
    metrics->write(metrics->self, call->api, call->body);
}
