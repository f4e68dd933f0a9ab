/* SPDX-License-Identifier: MIT */
/*
 * rpc_explain.c — why was I refused? A signed request as it was sent goes through the checks of a real one, and is not
 * done. dojima_explainSignature shows what was hashed and who signed; dojima_explainOrder also lets a copy of the
 * engine apply the command (pipeline/dry_run.h) and gives the answer that the request would have.
 */
#include "api/node/rpc.h"
#include "api/rest/explain.h"
#include "api/rest/impersonated.h"
#include "wire/json.h"

#include <stdio.h>

#define REQUEST_BYTES (256 * 1024) /* of the memory of the chain node: what is decoded of the request */
#define NO_TEXT       ((struct slice){ NULL, 0 })

/* ---- the request that is explained ---- */

static bool fail_member(struct rpc_call *rpc, const char *member, const char *text)
{
    char message[112];

    (void)snprintf(message, sizeof(message), "invalid params: %s %s", member, text);
    rpc_fail(rpc, RPC_BAD_PARAMS, message, NO_TEXT);
    return false;
}

/* A string decoded behind what `room` has; any other value as it is written. */
static struct slice text_of(struct slice json, struct out *room)
{
    size_t before = room->len;

    if (json.at[0] != '"') return json;
    json_unescape(slice_make(json.at + 1, json.len - 2), room);
    return slice_make(room->at + before, room->len - before);
}

/* The next member of an object; false at its end. */
static bool next_member(struct scan *scan, struct slice *key, struct slice *value)
{
    scan_space(scan);
    (void)scan_char(scan, ',');
    scan_space(scan);
    if (scan->at == scan->end || scan_is(scan, '}')) return false;
    *key = rpc_take_value(scan);
    *key = slice_make(key->at + 1, key->len - 2);
    scan_space(scan);
    (void)scan_char(scan, ':');
    *value = rpc_take_value(scan);
    return true;
}

static bool read_headers(struct rpc_call *rpc, struct slice json, struct out *room, struct http_request *request)
{
    struct scan  scan = { json.at + 1, json.at + json.len };
    struct slice key, value;

    if (json.at[0] != '{') return fail_member(rpc, "headers", "must be an object");
    while (next_member(&scan, &key, &value)) {
        int header = http_header_of(key);

        if (value.at[0] != '"' && (value.at[0] < '0' || value.at[0] > '9'))
            return fail_member(rpc, "headers", "must have strings or numbers as values");
        if (header < 0) continue; /* no part of the program looks at it */
        if (request->header[header].at != NULL) request->repeated[header] = true;
        else request->header[header] = text_of(value, room);
    }
    return true;
}

static bool read_method(struct rpc_call *rpc, struct slice text, struct http_request *request)
{
    request->method = slice_is(text, "POST") ? HTTP_POST : slice_is(text, "DELETE") ? HTTP_DELETE : 0;
    request->method_text = text;
    return request->method != 0 || fail_member(rpc, "method", "must be POST or DELETE: only writes are signed");
}

/* A path, or a whole URL. */
static void read_path(struct slice text, struct http_request *request)
{
    const char *mark = text.len > 3 ? memmem(text.at, text.len, "://", 3) : NULL;
    const char *slash = mark != NULL ? memchr(mark + 3, '/', (size_t)(text.at + text.len - mark) - 3) : NULL;
    const char *query;

    if (slash != NULL) text = slice_make(slash, (size_t)(text.at + text.len - slash));
    query = text.len != 0 ? memchr(text.at, '?', text.len) : NULL;
    request->path = query != NULL ? slice_make(text.at, (size_t)(query - text.at)) : text;
    request->query = query != NULL ? slice_make(query + 1, (size_t)(text.at + text.len - query) - 1) : SLICE("");
}

static bool read_request(struct rpc_call *rpc, struct http_request *request)
{
    struct slice json = rpc->params[0].raw, key, value;
    struct scan  scan = { json.at + 1, json.at + json.len };
    struct out   room = out_make(rpc->call->api->rpc.log, REQUEST_BYTES);

    memset(request, 0, sizeof(*request));
    request->minor_version = 1;
    request->body = SLICE("");
    if (json.at[0] != '{') return fail_member(rpc, "request", "must be an object: {method, path, headers, body}");
    while (next_member(&scan, &key, &value)) {
        if (slice_is(key, "headers")) {
            if (!read_headers(rpc, value, &room, request)) return false;
        } else if (slice_is(key, "body")) {
            request->body = text_of(value, &room);
        } else if (slice_is(key, "method")) {
            if (!read_method(rpc, text_of(value, &room), request)) return false;
        } else if (slice_is(key, "path")) {
            read_path(text_of(value, &room), request);
        } else {
            return fail_member(rpc, "request", "has a member that is none of method, path, headers, body");
        }
    }
    if (room.overflow) return fail_member(rpc, "request", "is too large");
    if (request->method == 0) return fail_member(rpc, "method", "is missing");
    return request->path.len != 0 || fail_member(rpc, "path", "is missing");
}

/* ---- its checks ---- */

/* A request on its way through the checks of a real one, beside the call that asks. */
struct trial {
    struct http_request request;
    struct http_answer  answer;
    struct call         call;
    struct signing      signing;
    bool                passed; /* every check before the engine */
};

static bool find_endpoint(struct rpc_call *rpc, struct trial *trial, struct path *path)
{
    struct api *api = rpc->call->api;

    if (path_split(trial->request.path, path))
        trial->call.endpoint = route_find(&api->routes, path, trial->request.method);
    if (trial->call.endpoint == NULL || trial->call.endpoint->command == 0)
        return fail_member(rpc, "path", "is none of a signed write with this method");
    if (trial->call.endpoint->sender == SENDER_FEEDER)
        return fail_member(rpc, "path", "is that of a feeder's post, which is not explained");
    return true;
}

/* False after rpc_fail: it is no request that could be explained. The write goes into `write`. */
static bool run_trial(struct rpc_call *rpc, struct trial *trial, struct api_write *write)
{
    struct call     *outer = rpc->call;
    struct api_noted noted = outer->api->noted;
    struct path      path;

    if (!read_request(rpc, &trial->request)) return false;
    call_init(&trial->call, outer->api, outer->context, &trial->request, write, &trial->answer, outer->body);
    trial->call.endpoint = NULL;
    trial->call.tries = true;
    memset(&trial->signing, 0, sizeof(trial->signing));
    if (!find_endpoint(rpc, trial, &path)) return false;
    trial->call.base = path.base;
    trial->call.market = base_market(path.base);
    trial->call.failure.details.nonce = SLICE("not used");
    trial->passed = call_read_path(&trial->call, &path) && write_explain(&trial->call, &trial->signing, write);
    outer->api->noted = noted;
    return true;
}

/* ---- answers ---- */

static void write_failure(const struct rpc_call *rpc, const struct trial *trial)
{
    envelope_error(rpc->out, rpc->call->context->now_ms, &trial->call.failure);
}

static void write_causes(struct rpc_call *rpc, struct trial *trial)
{
    out_literal(rpc->out, ",\"causes\":[");
    if (!is_impersonated(&trial->call)) explain_causes(&trial->call, &trial->signing, rpc->out);
    out_char(rpc->out, ']');
}

void rpc_explain_signature(struct rpc_call *rpc)
{
    struct trial     trial;
    struct api_write write;

    if (!run_trial(rpc, &trial, &write)) return;
    out_literal(rpc->out, "{\"accepted\":");
    out_text(rpc->out, trial.passed ? "true" : "false");
    out_literal(rpc->out, ",\"type\":\"");
    out_text(rpc->out, endpoint_type(trial.call.endpoint));
    out_char(rpc->out, '"');
    if (!is_impersonated(&trial.call)) explain_facts(&trial.call, &trial.signing, rpc->out);
    write_causes(rpc, &trial);
    out_literal(rpc->out, ",\"answer\":");
    if (trial.passed) out_literal(rpc->out, "null");
    else write_failure(rpc, &trial);
    out_char(rpc->out, '}');
}

bool rpc_explain_order(struct rpc_call *rpc, struct api_write *write)
{
    struct trial trial;

    if (!run_trial(rpc, &trial, write) || !trial.passed) return false;
    write->advance_kind = ADVANCE_TRY;
    write->warn_foreign = false;
    return true;
}

/* Every item was accepted, and so was the request. */
static bool is_accepted(const struct api_result *result)
{
    for (const struct event *event = events_first(&result->events); event != NULL;
         event = events_next(&result->events, event)) {
        if (event->kind == EVENT_REFUSED) return false;
        if (event->kind == EVENT_RESULT && ((const struct result *)(const void *)event)->reject != REJECT_NONE)
            return false;
    }
    return true;
}

void rpc_explain_order_answer(struct rpc_call *rpc, struct api_result *result)
{
    struct trial       trial;
    struct api_write   write;
    struct http_answer answer;

    if (!run_trial(rpc, &trial, &write)) return;
    if (result == NULL && trial.passed) {
        rpc_fail_reject(rpc, REJECT_BUSY); /* it passes now, and did not a moment ago */
        return;
    }
    out_literal(rpc->out, "{\"accepted\":");
    out_text(rpc->out, result != NULL && is_accepted(result) ? "true" : "false");
    out_literal(rpc->out, ",\"judge\":\"");
    out_text(rpc->out, result != NULL ? "engine" : "request");
    out_literal(rpc->out, "\",\"answer\":");
    if (result != NULL) api_reply(rpc->call->api, rpc->call->context, trial.call.endpoint, result, &answer, rpc->out);
    else write_failure(rpc, &trial);
    write_causes(rpc, &trial);
    out_char(rpc->out, '}');
}
