/* SPDX-License-Identifier: MIT */
/*
 * rpc_operator.c — commands of operators as development methods. The parameter is the request's params as the
 * administration socket takes them (docs/OPERATIONS.md); the id may be left out.
 */
#include "api/node/rpc.h"
#include "api/operator/operator.h"
#include "wire/json.h"

#define REQUEST_BYTES 2048
#define HOUR_MS       INT64_C(3600000)

/* The object with further members in front. False: it does not fit, or is no object. */
static bool with_members(struct slice object, const char *first, struct slice id, struct out *out)
{
    struct scan scan = { object.at + 1, object.at + object.len };

    if (object.len < 2 || object.at[0] != '{') return false;
    scan_space(&scan);
    out_char(out, '{');
    if (id.len != 0) {
        out_literal(out, "\"id\":\"");
        out_slice_put(out, id);
        out_char(out, '"');
    }
    if (first != NULL) {
        out_text(out, id.len != 0 ? "," : "");
        out_text(out, first);
    }
    if ((id.len != 0 || first != NULL) && !scan_is(&scan, '}')) out_char(out, ',');
    out_slice_put(out, slice_make(scan.at, (size_t)(scan.end - scan.at)));
    return !out->overflow;
}

/* Reads the request with the row's member, and with a fresh id when it has none. */
static enum reject read_request(struct rpc_call *rpc, struct out *text, char id[OPERATOR_ID_MAX],
                                struct operator_request *request, struct shape_error *error)
{
    const struct shape *shape = command_row(rpc->method->kind)->shape;
    struct slice        fresh = rpc_fresh_id(rpc, id, OPERATOR_ID_MAX), none = { NULL, 0 };
    enum reject         reject;

    *error = (struct shape_error){ .reject = REJECT_WRONG_TYPE };
    if (!with_members(rpc->params[0].raw, rpc->method->adds, none, text)) return REJECT_WRONG_TYPE;
    reject = shape_read(shape, out_slice(text), request, error);
    if (reject != REJECT_MISSING_FIELD || strcmp(error->field, "id") != 0) return reject;
    text->len = 0;
    if (!with_members(rpc->params[0].raw, rpc->method->adds, fresh, text)) return REJECT_WRONG_TYPE;
    return shape_read(shape, out_slice(text), request, error);
}

bool rpc_operator(struct rpc_call *rpc, struct api_write *write)
{
    struct operator_request request;
    struct shape_error      error;
    struct failure          failure = { 0 };
    char                    room[REQUEST_BYTES], id[OPERATOR_ID_MAX];
    struct out              text = out_make(room, sizeof(room));

    if (read_request(rpc, &text, id, &request, &error) != REJECT_NONE) {
        fail_shape(&failure, &error);
        return rpc_fail_request(rpc, &failure);
    }
    return operator_make(rpc->call->api, rpc->method->kind, &request, write, &failure)
        || rpc_fail_request(rpc, &failure);
}

/* {"tx":…}, with what the command's number names. */
void rpc_operator_reply(struct rpc_call *rpc, const struct api_result *result)
{
    static const char *const keys[] = {
        [GIVES_ACCOUNT] = "\"accountID\":", [GIVES_CANCELED] = "\"canceled\":", [GIVES_VALUE] = "\"value\":"
    };
    const struct result *said = (const struct result *)(const void *)events_first(&result->events);
    uint8_t              gives = command_row(rpc->method->kind)->gives;

    out_char(rpc->out, '{');
    if (gives < ARRAY_COUNT(keys) && keys[gives] != NULL) {
        out_text(rpc->out, keys[gives]);
        out_u64(rpc->out, said->order_id);
        out_char(rpc->out, ',');
    }
    out_literal(rpc->out, "\"tx\":");
    rpc_out_bytes(rpc->out, result->place.hash.bytes, sizeof(result->place.hash.bytes));
    out_char(rpc->out, '}');
}

/* ---- funding ---- */

/*
 * Funding of all symbols is settled at whole hours by a rule over the hour before (mechanics 3.10); so time advances to
 * the next one. The symbol is a name that must exist, for callers who think of one.
 */
bool rpc_funding_now(struct rpc_call *rpc, struct api_write *write)
{
    struct operator_request request;
    struct shape_error      error;
    struct failure          failure = { 0 };
    const struct genesis   *genesis = rpc->call->api->shared->genesis;
    bool                    known = false;

    if (rpc->params[0].given) {
        if (shape_read(&rpc_symbol_shape, rpc->params[0].raw, &request, &error) != REJECT_NONE) {
            fail_shape(&failure, &error);
            return rpc_fail_request(rpc, &failure);
        }
        for (uint32_t i = 0; i < genesis->perps_count; i++)
            known |= slice_equal(name_slice(&genesis->perps[i].name), name_slice(&request.symbol));
        if (!known) {
            fail(&failure, REJECT_SYMBOL_NOT_FOUND, SLICE("symbol"), name_slice(&request.symbol));
            failure.details.need = SLICE("the name of a perps symbol");
            return rpc_fail_request(rpc, &failure);
        }
    }
    operator_advance(ADVANCE_BY, HOUR_MS - rpc->call->context->now_ms % HOUR_MS, write);
    return true;
}

/* The hour that was settled, Unix ms. */
void rpc_funding_now_reply(struct rpc_call *rpc, const struct api_result *result)
{
    int64_t now_ms = rpc->call->context->now_ms;

    (void)result;
    out_literal(rpc->out, "{\"fundingTime\":");
    out_i64(rpc->out, now_ms - now_ms % HOUR_MS);
    out_char(rpc->out, '}');
}
