/* SPDX-License-Identifier: MIT */
/*
 * rpc_dispatch.c — JSON-RPC 2.0: a body becomes calls, each call is checked against its row and answered.
 *
 * A request without commands is one walk over its calls. With commands it is walked again whenever one
 * of them has become durable: first to find the next command, and when there is none any more, to write
 * all answers. The results of commands wait in struct api_progress; everything else is read at the end.
 */
#include "api/node/rpc.h"
#include "base/hex.h"
#include "wire/json.h"

#define ERROR_ROOM                                                                                                     \
    (HTTP_BODY_MAX + RPC_CALLS_MAX * 512) /* room for errors, and the ids they echo, when answers fill the body */
static_assert(ERROR_ROOM < API_ANSWER_BYTES_MAX, "some of the body is for answers");

/* ---- one call, as sent ---- */

struct parsed {
    bool         valid; /* an object with "2.0", a method, and a valid id */
    bool         notification;
    struct slice id, method, params; /* JSON; id empty = null; params empty = none */
};

static bool is_string(struct slice json) { return json.len >= 2 && json.at[0] == '"'; }
static bool is_null(struct slice json) { return slice_is(json, "null"); }

static struct slice inside(struct slice string) { return slice_make(string.at + 1, string.len - 2); }

/*
 * The value of a string, its escapes decoded in `room`. A string that does not fit is longer than any known word, and
 * stays as sent.
 */
#define SAID_MAX 128
static struct slice said(struct slice string, char room[SAID_MAX])
{
    struct slice text = inside(string);
    struct out   out = out_make(room, SAID_MAX);

    if (text.len == 0 || memchr(text.at, '\\', text.len) == NULL) return text;
    json_unescape(text, &out);
    return out.overflow ? text : out_slice(&out);
}

/* A string, a number or null may name a call. */
static bool is_id(struct slice json)
{
    return is_string(json) || is_null(json) || json.at[0] == '-' || (json.at[0] >= '0' && json.at[0] <= '9');
}

/* The members of a request object; a key that stands twice has no meaning, other keys are not ours. */
static struct parsed parse_call(struct slice json)
{
    static const char *const keys[] = { "jsonrpc", "id", "method", "params" };
    struct scan              scan = { json.at + 1, json.at + json.len };
    struct slice             values[ARRAY_COUNT(keys)] = { { NULL, 0 } };
    struct parsed            parsed = { .valid = true };
    char                     room[SAID_MAX];

    if (json.at[0] != '{') return (struct parsed){ .valid = false };
    scan_space(&scan);
    while (!scan_is(&scan, '}')) {
        struct slice key = said(rpc_take_value(&scan), room), value;
        scan_space(&scan);
        (void)scan_char(&scan, ':');
        value = rpc_take_value(&scan);
        for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
            if (!slice_is(key, keys[i])) continue;
            if (values[i].at != NULL) parsed.valid = false;
            values[i] = value;
        }
        scan_space(&scan);
        (void)scan_char(&scan, ',');
        scan_space(&scan);
    }
    parsed.notification = values[1].at == NULL;
    if (values[1].at != NULL && !is_id(values[1])) parsed.valid = false;
    else parsed.id = values[1];
    if (values[0].at == NULL || !is_string(values[0]) || !slice_is(said(values[0], room), "2.0")) parsed.valid = false;
    if (values[2].at == NULL || !is_string(values[2])) parsed.valid = false;
    else parsed.method = values[2];
    if (values[3].at != NULL && values[3].at[0] != '[' && values[3].at[0] != '{') parsed.valid = false;
    parsed.params = values[3];
    return parsed;
}

/* ---- errors ---- */

static void write_error(const struct rpc_call *rpc, struct out *out)
{
    out_literal(out, "\"error\":{\"code\":");
    out_i64(out, rpc->code);
    out_literal(out, ",\"message\":");
    json_write_string(out, slice_of(rpc->message));
    if (rpc->reject_code != 0) {
        out_literal(out, ",\"data\":{\"code\":");
        out_i64(out, rpc->reject_code);
        out_char(out, '}');
    }
    out_char(out, '}');
}

/* ---- parameters ---- */

/* 0x and digits without a zero in front; more than 64 bits read as the
   largest number, which lies beyond every block and index. */
static bool read_quantity(struct slice text, uint64_t *number)
{
    if (text.len < 3 || text.at[0] != '0' || text.at[1] != 'x') return false;
    if (text.len > 3 && text.at[2] == '0') return false;
    *number = 0;
    for (size_t i = 2; i < text.len; i++) {
        int digit = hex_digit(text.at[i]);
        if (digit < 0) return false;
        *number = *number >> 60 != 0 ? UINT64_MAX : *number << 4 | (uint64_t)digit;
    }
    return true;
}

static bool read_block(struct slice text, struct rpc_value *value)
{
    static const char *const heads[] = { "latest", "safe", "finalized", "pending" };

    for (size_t i = 0; i < ARRAY_COUNT(heads); i++)
        if (slice_is(text, heads[i])) return value->is_head = true;
    value->number = 0;
    return slice_is(text, "earliest") || read_quantity(text, &value->number);
}

/* clang-format off */
static const char *const kind_text[] = {
    [RPC_QUANTITY] = "must be a quantity: 0x and hex digits without a leading zero",
    [RPC_BLOCK]    = "must be a quantity, earliest, latest, safe, finalized or pending",
    [RPC_HASH]     = "must be 0x and 64 hex digits",
    [RPC_ADDRESS]  = "must be 0x and 40 hex digits",
    [RPC_BOOL]     = "must be true or false",
    [RPC_COUNT]    = "must be a whole number or a quantity",
    [RPC_ANY]      = "",
};
/* clang-format on */

const char *rpc_kind_name(uint8_t kind)
{
    static const char *const names[] = {
        [RPC_QUANTITY] = "quantity", [RPC_BLOCK] = "block number or tag",
        [RPC_HASH] = "32 bytes",     [RPC_ADDRESS] = "address",
        [RPC_BOOL] = "boolean",      [RPC_COUNT] = "number or quantity",
        [RPC_ANY] = "any",
    };

    return names[kind];
}

static bool has_prefix(struct slice text, size_t len)
{
    return text.len == len && text.at[0] == '0' && text.at[1] == 'x';
}

static bool read_value(enum rpc_kind kind, struct slice json, struct rpc_value *value)
{
    char         room[SAID_MAX];
    struct slice text = is_string(json) ? said(json, room) : (struct slice){ "", 0 };

    value->raw = json;
    switch (kind) {
    case RPC_QUANTITY: return read_quantity(text, &value->number);
    case RPC_BLOCK: return read_block(text, value);
    case RPC_HASH: return has_prefix(text, 66) && hex_read_0x(text, &value->hash, 32);
    case RPC_ADDRESS: return has_prefix(text, 42) && hex_read_0x(text, &value->address, 20);
    case RPC_BOOL: value->flag = slice_is(json, "true"); return value->flag || slice_is(json, "false");
    case RPC_COUNT: return is_string(json) ? read_quantity(text, &value->number) : slice_read_u64(json, &value->number);
    default: return true;
    }
}

static bool fail_param(struct rpc_call *rpc, const struct rpc_param *param, const char *text, struct slice got)
{
    rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: ", (struct slice){ NULL, 0 });
    if (param != NULL) {
        rpc_say(rpc, slice_of(param->name));
        rpc_say(rpc, SLICE(" "));
    }
    rpc_say(rpc, slice_of(text));
    if (got.len != 0) {
        rpc_say(rpc, SLICE(", not "));
        rpc_say(rpc, slice_make(got.at, min_size(got.len, 40)));
    }
    return false;
}

static bool read_params(struct rpc_call *rpc, struct slice params)
{
    const struct rpc_method *method = rpc->method;
    uint32_t                 count = 0;

    if (params.at != NULL && params.at[0] != '[')
        return fail_param(rpc, NULL, "must be an array", (struct slice){ NULL, 0 });
    if (params.at != NULL) {
        struct scan scan = { params.at, params.at + params.len };

        (void)scan_char(&scan, '[');
        scan_space(&scan);
        while (!scan_is(&scan, ']')) {
            struct slice            json = rpc_take_value(&scan);
            const struct rpc_param *param = count < method->param_count ? &method->params[count] : NULL;
            if (param == NULL)
                return fail_param(rpc, NULL, "more of them than the method has", (struct slice){ NULL, 0 });
            rpc->params[count].given = !(param->optional && is_null(json));
            if (rpc->params[count].given && !read_value(param->kind, json, &rpc->params[count]))
                return fail_param(rpc, param, kind_text[param->kind], json);
            count += 1;
            scan_space(&scan);
            (void)scan_char(&scan, ',');
            scan_space(&scan);
        }
    }
    if (count < method->param_count && !method->params[count].optional)
        return fail_param(rpc, &method->params[count], "is missing", (struct slice){ NULL, 0 });
    return true;
}

/* ---- methods ---- */

static bool find_method(struct rpc_call *rpc, struct slice string)
{
    char         room[SAID_MAX];
    struct slice name = said(string, room);

    for (uint32_t i = 0; i < rpc_method_count; i++) {
        if (!slice_is(name, rpc_methods[i].name)) continue;
        rpc->method = &rpc_methods[i];
        if (rpc->method->refuses != NULL) {
            rpc_fail(rpc, RPC_NO_METHOD, rpc->method->refuses, (struct slice){ NULL, 0 });
            return false;
        }
        if ((rpc->method->command == NULL && !rpc->method->local) || call_is_developers(rpc->call)) return true;
        rpc_fail(rpc, RPC_NO_METHOD, "there in development only, for clients on the same machine", inside(string));
        return false;
    }
    rpc_fail(rpc, RPC_NO_METHOD, "the method is not offered", inside(string));
    return false;
}

/* Finds the method and reads the parameters; false after rpc_fail. */
static bool prepare(struct rpc_call *rpc, const struct parsed *parsed)
{
    if (!parsed->valid) {
        rpc_fail(rpc, RPC_INVALID,
                 "not a request: jsonrpc \"2.0\", a method, and an id that is a string, a number or null",
                 (struct slice){ NULL, 0 });
        return false;
    }
    return find_method(rpc, parsed->method) && read_params(rpc, parsed->params);
}

/* ---- commands ---- */

static void note(struct api_progress *progress, const struct rpc_call *rpc, struct slice result)
{
    struct out out = out_make(progress->text[progress->count], sizeof(progress->text[0]));

    assert(progress->count < API_COMMANDS_MAX);
    if (rpc->code != 0) {
        write_error(rpc, &out);
    } else {
        out_literal(&out, "\"result\":");
        out_slice_put(&out, result);
    }
    assert(!out.overflow);
    progress->len[progress->count++] = (uint16_t)out.len;
}

typedef bool make_command(struct rpc_call *rpc, struct api_write *write);

/* True when a command was made and is on its way. */
static bool send(struct rpc_call *rpc, make_command *make)
{
    struct call      *call = rpc->call;
    struct api_write *write = call->write;

    memset(&write->room.head, 0, sizeof(write->room.head));
    memset(&write->signature, 0, sizeof(write->signature));
    write->signed_bytes = (struct slice){ "", 0 };
    write->hints_bytes = 0;
    write->warn_foreign = false;
    write->class = CLASS_RISK;
    write->advance_kind = ADVANCE_NONE;
    if (!call->context->ready) rpc_fail_reject(rpc, REJECT_BUSY);
    if (rpc->code != 0 || !make(rpc, write)) return false;
    write->endpoint = call->endpoint;
    return write->alone = call->is_command = true;
}

/* The same of the first command of a method; an error is noted as its result. */
static bool send_command(struct rpc_call *rpc)
{
    if (send(rpc, rpc->method->command)) return true;
    note(&rpc->call->write->progress, rpc, (struct slice){ NULL, 0 });
    return false;
}

/* A method of several commands goes on when the one before has succeeded; a TICK is none of them. */
static bool send_next(struct rpc_call *rpc, const struct api_result *result)
{
    const struct event *first = result != NULL ? events_first(&result->events) : NULL;

    if (rpc->method->more == NULL || first == NULL || first->kind != EVENT_RESULT) return false;
    if (((const struct result *)(const void *)first)->reject != REJECT_NONE) return false;
    rpc->call->write->progress.seq = result->seq;
    return send(rpc, rpc->method->more);
}

/* Renders what became of a command. */
static void note_result(struct rpc_call *rpc, const struct api_result *result)
{
    char                text[128];
    struct out          out = out_make(text, sizeof(text));
    const struct event *first = result != NULL ? events_first(&result->events) : NULL;

    rpc->out = &out;
    if (result != NULL && result->seq != 0) rpc->call->write->progress.seq = result->seq;
    if (rpc->code != 0) {
        /* the next command could not be made */
    } else if (result == NULL) {
        rpc_fail_reject(rpc, REJECT_BUSY);
    } else if (first == NULL) { /* a TICK has no text, and what is no command has no events */
        rpc->method->reply(rpc, result);
    } else if (first->kind == EVENT_REFUSED) {
        rpc_fail_reject(rpc, (enum reject)((const struct refused *)(const void *)first)->reject);
    } else if (((const struct result *)(const void *)first)->reject != REJECT_NONE) {
        rpc_fail_reject(rpc, (enum reject)((const struct result *)(const void *)first)->reject);
    } else if (rpc->method->reply == NULL) {
        out_literal(&out, "true");
    } else {
        rpc->method->reply(rpc, result);
    }
    assert(!out.overflow);
    note(&rpc->call->write->progress, rpc, out_slice(&out));
}

/* ---- walking the calls ---- */

struct walk {
    struct scan scan;
    bool        is_batch;
};

/* The whole body is JSON; nothing but white space stands around the value. */
static bool walk_begin(struct walk *walk, struct slice body)
{
    struct scan  scan = { body.at, body.at + body.len };
    struct slice value = rpc_take_value(&scan);

    if (body.len == 0 || value.at == NULL) return false;
    scan_space(&scan);
    if (scan.at != scan.end) return false;
    walk->is_batch = value.at[0] == '[';
    walk->scan = (struct scan){ value.at + (walk->is_batch ? 1 : 0), value.at + value.len };
    return true;
}

/* The next call, empty at the end. */
static struct slice walk_next(struct walk *walk)
{
    struct slice json;

    scan_space(&walk->scan);
    if (walk->scan.at == walk->scan.end || (walk->is_batch && scan_is(&walk->scan, ']')))
        return (struct slice){ NULL, 0 };
    json = rpc_take_value(&walk->scan);
    scan_space(&walk->scan);
    (void)scan_char(&walk->scan, ',');
    return json;
}

static uint32_t count_calls(const struct walk *begun)
{
    struct walk walk = *begun;
    uint32_t    count = 0;

    while (walk_next(&walk).at != NULL) count++;
    return count;
}

uint32_t rpc_call_count(struct slice body)
{
    struct walk walk;
    uint32_t    count = walk_begin(&walk, body) ? count_calls(&walk) : 1;

    return count != 0 ? count : 1;
}

/* A method with a long answer has no text in `progress`: it is written at the end, in the pass that has its result. */
static bool walk_explained(struct rpc_call *rpc, bool is_batch, bool have, const struct api_result *result)
{
    struct api_progress *progress = &rpc->call->write->progress;

    if (is_batch) rpc_fail(rpc, RPC_INVALID, "this method is alone in its request, not in a batch", SLICE(""));
    else if (have && result == NULL) rpc_fail_reject(rpc, REJECT_BUSY);
    else if (!have && send(rpc, rpc->method->command)) return true;
    if (rpc->code != 0) note(progress, rpc, SLICE(""));
    else progress->len[progress->count++] = 0;
    return false;
}

/*
 * Finds command number progress->count, the next one not applied. `result` (may be NULL) is its outcome when `have` is
 * set; then the search continues behind it. True: a command is on its way, or the request is one for the leader.
 */
static bool walk_commands(struct call *call, const struct walk *begun, bool have, const struct api_result *result)
{
    struct api_progress *progress = &call->write->progress;
    struct walk          walk = *begun;
    struct slice         json;
    uint32_t             index = 0;

    while ((json = walk_next(&walk)).at != NULL) {
        struct parsed   parsed = parse_call(json);
        struct rpc_call rpc = { .call = call };
        if (!prepare(&rpc, &parsed) || rpc.method->command == NULL) continue;
        if (index++ < progress->count) continue;
        if (index > API_COMMANDS_MAX) return false;
        if (call->context->forwards) return call->is_forward = true;
        if (rpc.method->explain != NULL) return walk_explained(&rpc, walk.is_batch, have, result);
        if (have && send_next(&rpc, result)) return true;
        if (have) note_result(&rpc, result);
        else if (send_command(&rpc)) return true;
        have = false;
    }
    return false;
}

/* The head of an answer. */
static void write_frame(struct out *out, struct slice id)
{
    out_literal(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    out_slice_put(out, id.len != 0 ? id : SLICE("null"));
    out_char(out, ',');
}

/* Room for errors stays behind a result; errors may stand in that room already. */
static void write_result(struct rpc_call *rpc, bool explains)
{
    struct out       *out = rpc->out;
    size_t            cap = out->cap, before = out->len;
    struct api_result result = { 0 };

    out_literal(out, "\"result\":");
    out->cap = max_u64(out->len, cap - ERROR_ROOM);
    if (explains && rpc->call->result != NULL) result = *rpc->call->result;
    if (explains) rpc->method->explain(rpc, rpc->call->result != NULL ? &result : NULL);
    else rpc->method->answer(rpc);
    if (out->overflow)
        rpc_fail(rpc, RPC_REFUSED, "the answer is too large; ask for less at once", (struct slice){ NULL, 0 });
    out->overflow = false;
    out->cap = cap;
    if (rpc->code != 0) out->len = before;
}

/* One call's answer; `command` counts the commands of the request. */
static void answer_call(struct call *call, const struct parsed *parsed, uint32_t *command)
{
    const struct api_progress *progress = &call->write->progress;
    struct rpc_call            rpc = { .call = call, .out = call->body };
    struct out                *out = call->body;
    bool                       fine = prepare(&rpc, parsed);
    bool                       is_command = fine && rpc.method->command != NULL;
    uint32_t                   number = is_command ? (*command)++ : 0;
    bool                       done = is_command && number < progress->count;

    if (parsed->valid && parsed->notification) {
        size_t before = out->len; /* it is carried out and not answered; a read of others has no effect */
        if (fine && !is_command && rpc.method->local) write_result(&rpc, false);
        out->len = before;
        return;
    }
    write_frame(out, parsed->id);
    if (done && progress->len[number] != 0) {
        out_bytes(out, progress->text[number], progress->len[number]);
        out_char(out, '}');
        return;
    }
    if (done) write_result(&rpc, true);
    else if (is_command) rpc_fail(&rpc, RPC_INVALID, "more than 8 commands in one batch", (struct slice){ NULL, 0 });
    else if (fine) write_result(&rpc, false);
    if (rpc.code != 0) write_error(&rpc, out);
    out_char(out, '}');
}

static void write_answers(struct call *call, struct walk walk)
{
    struct out  *out = call->body;
    struct slice json;
    uint32_t     command = 0;
    bool         any = false;

    if (walk.is_batch) out_char(out, '[');
    while ((json = walk_next(&walk)).at != NULL) {
        struct parsed parsed = parse_call(json);
        size_t        before = out->len;
        size_t        at;
        if (any) out_char(out, ',');
        at = out->len;
        answer_call(call, &parsed, &command);
        if (out->len == at) out->len = before; /* a notification */
        else any = true;
    }
    if (any && walk.is_batch) out_char(out, ']');
    if (any) return;
    out->len = 0; /* notifications only: no answer */
    call->answer->status = 204;
}

/* ---- the request ---- */

static void fail_request(struct call *call, enum rpc_code code, const char *text)
{
    struct rpc_call rpc = { .call = call };

    rpc_fail(&rpc, code, text, (struct slice){ NULL, 0 });
    write_frame(call->body, (struct slice){ NULL, 0 });
    write_error(&rpc, call->body);
    out_char(call->body, '}');
}

/* As with writes: none, or one that is JSON (ruling 53). */
static bool is_json(const struct http_request *request)
{
    struct slice type = request->header[HEADER_CONTENT_TYPE];

    return !request->repeated[HEADER_CONTENT_TYPE] && (type.len == 0 || type_is_json(type));
}

/* The number of the last command of the request that is in the log. */
static void answer_seq(struct call *call)
{
    struct out extra = out_make(call->api->extra, sizeof(call->api->extra));

    seq_line(call->write->progress.seq, &extra);
    assert(!extra.overflow);
    if (extra.len != 0) call->answer->extra = out_slice(&extra);
}

void answer_rpc(struct call *call)
{
    struct walk walk;
    uint32_t    count;

    if (!limit_key_name(call)) return;
    if (!is_json(call->request)) {
        fail_request(call, RPC_INVALID, "Content-Type must be application/json, once");
        return;
    }
    if (!walk_begin(&walk, call->request->body)) {
        fail_request(call, RPC_PARSE, "the body is not JSON");
        return;
    }
    count = count_calls(&walk);
    if (count == 0) {
        fail_request(call, RPC_INVALID, "an empty batch");
        return;
    }
    if (count > RPC_CALLS_MAX) {
        fail_request(call, RPC_INVALID, "more than 100 calls in one batch");
        return;
    }
    if (!call->resumed) {
        call->write->progress.count = 0;
        call->write->progress.seq = 0;
    }
    if (walk_commands(call, &walk, call->resumed, call->result)) return;
    write_answers(call, walk);
    answer_seq(call);
}
