/* SPDX-License-Identifier: MIT */
/*
 * gateway_copy.c — the files of this node for a new one (dojima join). These requests have the headers of a node,
 * X-Dojima-Forwarded and X-Dojima-Secret (gateway_forward.c), are not part of the interface of clients, and are
 * answered with bytes or, when they are refused, with a sentence.
 *
 *     POST /node/copy                            have a copy made, and describe it (app/giver.h)
 *     GET  /node/copy/COPY/FILE/FROM/BYTES       bytes of a file of it
 *     POST /node/copy/COPY                       it is not needed any more
 */
#include "gateway/gateway_inside.h"

#define PATH    "/node/copy"
#define NUMBERS 4

/* The numbers behind the path, each with its slash; -1: there is something else. */
static int read_numbers(struct slice path, uint64_t numbers[NUMBERS])
{
    int count = 0;

    for (size_t at = sizeof(PATH) - 1; at < path.len; count++) {
        uint64_t number = 0;
        size_t   from = ++at;

        if (count == NUMBERS || path.at[from - 1] != '/') return -1;
        for (; at < path.len && path.at[at] >= '0' && path.at[at] <= '9' && at - from < 18; at++)
            number = number * 10 + (uint64_t)(path.at[at] - '0');
        if (at == from) return -1;
        numbers[count] = number;
    }
    return count;
}

static void refuse(struct http_answer *answer, int16_t status, const char *why, struct out *body)
{
    body->len = 0;
    body->overflow = false;
    answer->status = status;
    out_text(body, why);
    out_char(body, '\n');
}

static void answer_it(const struct gateway_copy *copy, const struct http_request *request, struct http_answer *answer,
                      struct out *body)
{
    uint64_t numbers[NUMBERS];
    int      count = read_numbers(request->path, numbers);

    if (count == 0 && request->method == HTTP_POST) {
        copy->look(copy->self, body);
    } else if (count == 1 && request->method == HTTP_POST) {
        copy->end(copy->self, numbers[0]);
    } else if (count == 4 && request->method == HTTP_GET) {
        answer->content_type = "application/octet-stream";
        if (!copy->read(copy->self, numbers[0], numbers[1], numbers[2], numbers[3], body))
            refuse(answer, 404, "this node has no such copy any more; ask for a new one", body);
    } else {
        refuse(answer, 400, "this is no request for a copy of a node", body);
    }
}

bool session_copy(struct gateway *gateway, struct net_conn *conn, const struct http_request *request,
                  const struct api_context *context)
{
    const struct gateway_cluster *cluster = gateway->shared->cluster;
    struct http_answer            answer = { .status = 200, .content_type = "text/plain" };
    struct api_noted              noted = { .route = API_ROUTES_MAX };

    if (cluster == NULL || cluster->copy == NULL) return false;
    if (request->path.len < sizeof(PATH) - 1 || memcmp(request->path.at, PATH, sizeof(PATH) - 1) != 0) return false;
    gateway->body.len = 0;
    gateway->body.overflow = false;
    if (cluster->secret.len == 0)
        refuse(&answer, 403, "this node has no [cluster] secret, so it gives its files to no other", &gateway->body);
    else if (!context->forwarded)
        refuse(&answer, 403, "the secret is not the [cluster] secret of this node", &gateway->body);
    else answer_it(cluster->copy, request, &answer, &gateway->body);
    assert(!gateway->body.overflow);
    answer.extra = SLICE("Cache-Control: no-store\r\n");
    answer.close = !request->keep_alive || !context->ready;
    session_answer(gateway, conn, &answer);
    io_count_answered(gateway->counters, &gateway->watch, &noted);
    return true;
}
