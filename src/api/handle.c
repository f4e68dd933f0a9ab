/* SPDX-License-Identifier: MIT */
/* handle.c — one request: find its row, check its parameters, answer or prepare the command. */
#include "api/node/rpc.h"
#include "api/rest/statistics.h"
#include "api/rest/terminal_page.h"

/* ---- a thread's own ---- */

size_t api_size(const struct api_shared *shared)
{
    (void)shared;
    return align_up(sizeof(struct api), 64);
}

/* Production does not take signatures that are also good on the public venue (ruling 8). */
static bool chain_is_offered(const struct api_settings *settings, uint64_t chain_id)
{
    bool is_public = chain_id == 286623 || chain_id == 138565;

    return chain_id != 0 && (!is_public || settings->development || settings->allow_public_chain_ids);
}

static void init_forms(struct api *api)
{
    row_forms_init(&api->forms);
    assert(endpoint_count <= ROUTES_MAX);
    for (uint32_t i = 0; i < endpoint_count; i++)
        api->gives[i] = endpoints[i].gives != NULL ? row_form(&api->forms, endpoints[i].gives) : NULL;
    api->book_form = row_form(&api->forms, &order_book_shape);
    reply_init(api);
    plain_forms_init(&api->plain_forms);
    for (uint32_t i = 0; i < endpoint_count; i++)
        api->takes[i] = endpoints[i].command != 0 ? plain_form(&api->plain_forms, endpoint_takes(&endpoints[i])) : NULL;
    statistics_init(&api->statistics, &api->forms);
}

struct present *api_present(struct api *api) { return &api->present; }

struct api *api_init(void *memory, const struct api_shared *shared)
{
    struct api *api = memory;

    api->shared = shared;
    routes_init(&api->routes, endpoints, endpoint_count);
    api->noted = (struct api_noted){ .route = API_ROUTES_MAX };
    hint_tables_make(shared->genesis, &api->hint_tables);
    api->chain_count = 0;
    api->books_epoch += 1;
    for (uint32_t i = 0; i < CHAIN_IDS_MAX; i++) {
        uint64_t chain_id = shared->genesis->chain_ids[i];
        if (!chain_is_offered(&shared->settings, chain_id)) continue;
        api->chain_ids[api->chain_count] = chain_id;
        for (uint8_t domain = DOMAIN_SPOT; domain <= DOMAIN_ORACLE; domain++)
            api->separators[domain][api->chain_count] = domain_separator(domain, chain_id);
        api->chain_count += 1;
    }
    init_forms(api);
    present_init(&api->present, shared->genesis, shared->views, shared->history, &api->forms);
    return api;
}

void api_forget(struct api *api)
{
    api->books_epoch += 1;
    api->statistics.epoch += 1;
    api->present.views = api->shared->views;
}

/* In production every failure to prove the right reads the same (ruling 30). */
static void hide_proof(struct call *call)
{
    struct details_record *details = &call->failure.details;

    if (call->api->shared->settings.development) return;
    if (call->failure.reject != REJECT_BAD_SIGNATURE && call->failure.reject != REJECT_UNKNOWN_KEY
        && call->failure.reject != REJECT_NOT_A_FEEDER)
        return;
    *details = (struct details_record){ .nonce = details->nonce };
}

/* ---- paths and methods ---- */

static const char *method_name(uint8_t method)
{
    switch (method) {
    case HTTP_GET: return "GET, HEAD";
    case HTTP_POST: return "POST";
    case HTTP_DELETE: return "DELETE";
    default: return "";
    }
}

/* Allow: the methods of all rows of this path, and OPTIONS. */
static void put_allow(const struct routes *routes, const struct path *path, struct out *out)
{
    out_literal(out, "Allow: ");
    for (const struct endpoint *row = route_first(routes, path); row != NULL; row = route_next(routes, path, row)) {
        out_text(out, method_name(row->method));
        out_literal(out, ", ");
    }
    out_literal(out, "OPTIONS\r\n");
}

/* A browser's question before it sends (wire 0.5). */
static void answer_options(struct call *call, const struct path *path)
{
    struct out extra = out_make(call->api->extra, sizeof(call->api->extra));

    if (path != NULL) put_allow(&call->api->routes, path, &extra);
    out_literal(&extra,
                "Access-Control-Allow-Methods: GET, HEAD, POST, DELETE, OPTIONS\r\n"
                "Access-Control-Allow-Headers: Content-Type, Accept, X-API-Key, X-API-Sign, X-API-Nonce, X-API-Chain, "
                "X-Dojima-Min-Seq\r\n"
                "Access-Control-Max-Age: 86400\r\n");
    assert(!extra.overflow);
    call->answer->status = 204;
    call->answer->extra = out_slice(&extra);
}

static bool same_path(const struct path *pattern, const struct path *path)
{
    if (pattern->base != path->base || pattern->count != path->count) return false;
    for (uint32_t i = 0; i < pattern->count; i++)
        if (pattern->segments[i].at[0] != '{' && !slice_equal(pattern->segments[i], path->segments[i])) return false;
    return true;
}

/* Why a path that the interface has elsewhere is not served here (ruling 58), or NULL. */
static const char *redirect_text(const struct path *path)
{
    for (uint32_t i = 0; i < redirect_target_count; i++) {
        struct path pattern;
        if (!path_split(slice_of(redirect_targets[i].path), &pattern)) continue;
        pattern.base = redirect_targets[i].base;
        if (same_path(&pattern, path)) return redirect_targets[i].text;
    }
    return NULL;
}

/* A word stands where a row of the gateway has an address:
   /user/deposit/status is not the status of the user `deposit`. */
static bool is_redirected(const struct path *path)
{
    bool names_address = path->count > 1 && path->segments[1].len > 1 && path->segments[1].at[1] == 'x';

    return path->base == BASE_GATEWAY && !names_address && redirect_text(path) != NULL;
}

static void fail_path(struct call *call, const struct path *path)
{
    const char *text = path != NULL ? redirect_text(path) : NULL;

    fail(&call->failure, REJECT_PATH_NOT_FOUND, SLICE("path"), call->request->path);
    if (text != NULL) call->failure.text = text;
}

/* The answer to HEAD is as long as the one to GET (RFC 9110, 9.3.2), so it names that method. */
static void fail_method(struct call *call, const struct path *path)
{
    struct out extra = out_make(call->api->extra, sizeof(call->api->extra));

    put_allow(&call->api->routes, path, &extra);
    assert(!extra.overflow);
    call->answer->extra = out_slice(&extra);
    fail(&call->failure, REJECT_METHOD_NOT_ALLOWED, SLICE("method"),
         call->request->method == HTTP_HEAD ? SLICE("GET") : call->request->method_text);
}

/* ---- parameters of reads ---- */

/* The member for `limit` in this row's query, or NULL. */
static uint32_t *query_limit(struct call *call)
{
    const struct shape *takes = call->endpoint->takes;

    if (call->endpoint->limit_max == 0) return NULL;
    for (uint32_t i = 0; i < takes->field_count; i++)
        if (strcmp(takes->fields[i].key, "limit") == 0)
            return (uint32_t *)(void *)((char *)&call->query + takes->fields[i].offset);
    return NULL;
}

static bool read_query(struct call *call)
{
    struct shape_error error;
    uint32_t          *limit;

    if (call->endpoint->takes == NULL) return true;
    if (shape_read_query(call->endpoint->takes, call->request->query, &call->query, &error) != REJECT_NONE) {
        fail_shape(&call->failure, &error);
        return false;
    }
    limit = query_limit(call);
    if (limit == NULL) return true;
    if (*limit == 0) *limit = call->endpoint->limit_default;
    *limit = min_u32(*limit, call->endpoint->limit_max); /* ruling 19 */
    return true;
}

/* ---- one request ---- */

/* All requests refused in one millisecond get the same answer. */
static void answer_overloaded(struct call *call)
{
    struct redirect *told = &call->api->redirect[call->endpoint->command != 0];

    if (told->len != 0 && told->now_ms == call->context->now_ms) {
        failure_status(call->failure.reject, call->answer);
        call->answer->kept = slice_make(told->text, told->len);
        return;
    }
    answer_failure(call->context, &call->failure, call->answer, call->body);
    told->now_ms = call->context->now_ms;
    told->len = call->body->overflow || call->body->len > sizeof(told->text) ? 0 : call->body->len;
    memcpy(told->text, call->body->at, told->len);
}

enum api_outcome call_finish(struct call *call)
{
    if (call->failure.reject == REJECT_NONE && call->body->overflow)
        fail(&call->failure, REJECT_INTERNAL, SLICE(""), SLICE(""));
    if (call->overloaded && call->failure.reject == REJECT_BUSY) {
        answer_overloaded(call);
    } else if (call->failure.reject != REJECT_NONE) {
        hide_proof(call);
        answer_failure(call->context, &call->failure, call->answer, call->body);
    }
    if (call->failure.reject == REJECT_RATE_LIMIT || call->quota.limit != 0) limit_headers(call);
    call->api->noted.reject = (uint16_t)call->failure.reject;
    call->api->noted.limit = call->failure.limit;
    return API_ANSWER;
}

/* Before the replay is done only the questions about the process itself are answered. */
static bool check_ready(struct call *call)
{
    if (call->context->ready || call->base == BASE_NONE) return true;
    fail(&call->failure, REJECT_BUSY, SLICE(""), SLICE(""));
    return false;
}

/* Is the class of this request refused under overload? Questions about the process itself are answered. */
static bool is_overloaded(const struct call *call)
{
    return call->context->ready && call->base != BASE_NONE && (call->context->shed >> call->endpoint->class & 1) != 0;
}

/* Before anything expensive. It costs nothing, but the address's limit is named first (process 2). */
static bool check_overload(struct call *call)
{
    if (call->overloaded) fail(&call->failure, REJECT_BUSY, SLICE(""), SLICE(""));
    return !call->overloaded;
}

/* The caller has waited for the command that X-Dojima-Min-Seq names. */
static bool check_fresh(struct call *call)
{
    struct failure *failure = &call->failure;
    struct slice    header = SLICE("X-Dojima-Min-Seq"), got = call->request->header[HEADER_MIN_SEQ];
    struct out      need = out_make(failure->need, sizeof(failure->need));

    if (call->context->freshness == FRESH) return true;
    if (call->context->freshness == FRESH_MALFORMED) {
        fail(failure, REJECT_BAD_HTTP, header, got);
        failure->text = "X-Dojima-Min-Seq is invalid";
        failure->details.rule = SLICE("the value of an X-Dojima-Seq, in a header that stands once");
        return false;
    }
    fail(failure, REJECT_BUSY, header, got);
    failure->text = "this node has not applied the command of X-Dojima-Min-Seq yet";
    failure->details.rule = SLICE("a command that this node has applied, or applies while the request waits");
    out_literal(&need, "at most ");
    out_u64(&need, call->context->applied_seq);
    failure->details.need = out_slice(&need);
    return false;
}

enum api_freshness api_min_seq(const struct http_request *request, uint64_t *seq)
{
    *seq = 0;
    if (request->header[HEADER_MIN_SEQ].at == NULL || api_may_overtake(request)) return FRESH;
    if (request->repeated[HEADER_MIN_SEQ] || !number_read(request->header[HEADER_MIN_SEQ], seq)) return FRESH_MALFORMED;
    return FRESH;
}

/* How many calls a request of /rpc makes; of all others 1. */
static uint32_t calls_of(const struct call *call)
{
    return call->endpoint->weight_kind == WEIGHT_CALLS ? rpc_call_count(call->request->body) : 1;
}

enum api_outcome call_handle(struct call *call)
{
    const struct http_request *request = call->request;
    struct api                *api = call->api;
    const struct endpoint     *first;
    struct path                path;
    bool                       known;

    if (request->method == HTTP_OPTIONS) limit_free(call);
    if (request->method == HTTP_OPTIONS && slice_is(request->path, "*")) {
        answer_options(call, NULL);
        return API_ANSWER;
    }
    if (request->method == HTTP_OTHER) { /* for any path (RFC 9110, 15.6.2) */
        if (limit_request(call, NULL, 1))
            fail(&call->failure, REJECT_METHOD_UNKNOWN, SLICE("method"), request->method_text);
        return call_finish(call);
    }
    known = path_split(request->path, &path);
    first = known ? route_first(&api->routes, &path) : NULL;
    if (first == NULL || is_redirected(&path)) {
        if (known && request->method != HTTP_OPTIONS && terminal_has(call, &path)) terminal_handle(call, &path);
        else if (request->method == HTTP_OPTIONS || limit_request(call, NULL, 1))
            fail_path(call, known ? &path : NULL); /* ruling 53 */
        return call_finish(call);
    }
    if (request->method == HTTP_OPTIONS) {
        answer_options(call, &path);
        return API_ANSWER;
    }
    call->endpoint = route_of_method(&api->routes, &path, first, request->method);
    if (call->endpoint == NULL) {
        if (limit_request(call, NULL, 1)) fail_method(call, &path);
        return call_finish(call);
    }
    call->base = path.base;
    api->noted.route = (uint16_t)route_number(&api->routes, call->endpoint, path.base);
    call->market = base_market(path.base);
    if (call->endpoint->command != 0) call->failure.details.nonce = SLICE("not used");
    call->overloaded = is_overloaded(call);
    if (!limit_request(call, call->endpoint, calls_of(call)) || !check_ready(call) || !check_overload(call)
        || !check_fresh(call))
        return call_finish(call);
    if (!call_read_path(call, &path)) return call_finish(call);
    if (call->endpoint->command != 0) {
        if (call->context->forwards) return write_forward(call) ? API_FORWARD : call_finish(call);
        if (write_prepare(call, call->write)) return API_COMMAND;
        return call->waits ? API_AWAITS_SIGNATURE : call_finish(call);
    }
    if (read_query(call) && limit_levels(call)) {
        call_reached(call, API_PARSED);
        call->endpoint->answer(call);
        limit_rows(call);
    }
    if (call->is_forward) return API_FORWARD;
    return call->is_command ? API_COMMAND : call_finish(call);
}

enum api_outcome api_handle(struct api *api, const struct api_context *context, const struct http_request *request,
                            struct api_write *write, struct http_answer *answer, struct out *body)
{
    struct call call;

    call_init(&call, api, context, request, write, answer, body);
    return call_handle(&call);
}

enum api_outcome api_resume(struct api *api, const struct api_context *context, const struct http_request *request,
                            const struct api_result *result, struct api_write *write, struct http_answer *answer,
                            struct out *body)
{
    struct call call;

    call_init(&call, api, context, request, write, answer, body);
    call.resumed = true;
    call.result = result;
    return call_handle(&call);
}

/* ---- for counters ---- */

uint8_t api_class(const struct api *api, struct slice bytes) { return route_class(&api->routes, bytes); }

struct api_noted api_noted(const struct api *api) { return api->noted; }

uint32_t api_route_count(const struct api *api) { return api->routes.table.used; }

struct api_route api_route(const struct api *api, uint32_t route)
{
    const struct endpoint *row;

    assert(route < api->routes.table.used);
    row = &endpoints[api->routes.at[1 + route].row];
    return (struct api_route){ row->method == HTTP_GET ? "GET" : method_name(row->method),
                               base_path[api->routes.at[1 + route].path.base], row->path };
}

bool api_may_overtake(const struct http_request *request)
{
    bool is_write = request->method == HTTP_POST || request->method == HTTP_DELETE;

    return is_write && !slice_is(request->path, "/rpc");
}
