/* SPDX-License-Identifier: MIT */
/*
 * rpc_dev.c — the development methods of /rpc: money, prices and time (rulings 43, 44, 49). Names and results are
 * those that tools for local chains know; each is a command in the log, answered when it has happened.
 */
#include "api/impersonation.h"
#include "api/node/rpc.h"
#include "api/operator/operator.h"
#include "api/scenarios.h"
#include "chaos/chaos.h"
#include "model/clock_rate.h"
#include "model/interval.h"

#include <stdio.h>

/* ---- time ---- */

static int64_t seconds_to_ms(uint64_t seconds)
{
    return seconds > (uint64_t)(INT64_MAX / 1000) ? INT64_MAX : (int64_t)seconds * 1000;
}

bool rpc_increase_time(struct rpc_call *rpc, struct api_write *write)
{
    operator_advance(ADVANCE_BY, seconds_to_ms(rpc->params[0].number), write);
    return true;
}

/* All that engine time runs ahead of the clock, in whole seconds. */
void rpc_increase_time_reply(struct rpc_call *rpc, const struct api_result *result)
{
    for (const struct event *event = events_first(&result->events); event != NULL;
         event = events_next(&result->events, event)) {
        if (event->kind != EVENT_TIME) continue;
        out_i64(rpc->out, ((const struct time_advanced *)(const void *)event)->offset_ms / 1000);
        return;
    }
    assert(false); /* the answer to an advance has the new time */
}

bool rpc_set_next_time(struct rpc_call *rpc, struct api_write *write)
{
    operator_advance(ADVANCE_TO, seconds_to_ms(rpc->params[0].number), write);
    return true;
}

/* Candles of the time before the beginning: which, and that they are no trades. */
void rpc_history(struct rpc_call *rpc)
{
    const struct genesis *genesis = rpc->call->api->shared->genesis;
    struct out           *out = rpc->out;
    int64_t               end_ms = genesis->time_ms - genesis->time_ms % MINUTE_MS;

    if (genesis->backfill_minutes == 0) {
        out_literal(out, "null");
        return;
    }
    out_literal(out, "{\"synthesized\":true,\"from\":");
    out_i64(out, end_ms - genesis->backfill_minutes * MINUTE_MS);
    out_literal(out, ",\"to\":");
    out_i64(out, end_ms);
    out_literal(out, ",\"seed\":");
    out_u64(out, genesis->backfill_seed);
    out_char(out, '}');
}

void rpc_null_reply(struct rpc_call *rpc, const struct api_result *result)
{
    (void)result;
    out_literal(rpc->out, "null");
}

bool rpc_step(struct rpc_call *rpc, struct api_write *write)
{
    operator_advance(ADVANCE_BY, (int64_t)min_u64(rpc->params[0].number, INT64_MAX), write);
    return true;
}

/* Engine time after it. */
void rpc_step_reply(struct rpc_call *rpc, const struct api_result *result)
{
    (void)result;
    out_i64(rpc->out, rpc->call->context->now_ms);
}

/* A number, or the same as a string. */
bool rpc_set_clock(struct rpc_call *rpc, struct api_write *write)
{
    struct slice text = rpc->params[0].raw;
    int64_t      rate;

    if (text.len >= 2 && text.at[0] == '"') text = slice_make(text.at + 1, text.len - 2);
    if (!clock_rate_read(text, &rate)) {
        rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: rate must be 0 to 1000 with at most 6 decimals", text);
        return false;
    }
    operator_advance(ADVANCE_CLOCK, rate, write);
    return true;
}

/* What a revert leaves (decision 247): rules of faults, impersonated addresses, a scenario, the rate of the clock. */
bool rpc_clear(struct rpc_call *rpc, struct api_write *write)
{
    const struct api_shared *shared = rpc->call->api->shared;

    if (shared->chaos != NULL) (void)chaos_clear(shared->chaos);
    if (shared->impersonation != NULL) impersonation_clear(shared->impersonation);
    if (shared->scenarios != NULL) (void)scenarios_stop(shared->scenarios);
    operator_advance(ADVANCE_CLOCK, CLOCK_RATE_FIRST, write);
    return true;
}

void rpc_clear_reply(struct rpc_call *rpc, const struct api_result *result)
{
    struct scenarios *scenarios = rpc->call->api->shared->scenarios;

    (void)result;
    out_text(rpc->out, scenarios != NULL && scenarios_busy(scenarios) ? "false" : "true");
}

bool rpc_mine(struct rpc_call *rpc, struct api_write *write)
{
    if (rpc->params[0].given) return rpc_set_next_time(rpc, write);
    operator_tick(write);
    return true;
}

/*
 * Blocks are made of commands here, so as many blocks mean as much time: between two of them lies the interval. Then a
 * TICK; further ones at the same time would change nothing.
 */
bool rpc_mine_blocks(struct rpc_call *rpc, struct api_write *write)
{
    uint64_t blocks = rpc->params[0].given ? rpc->params[0].number : 1, seconds = rpc->params[1].number, all;

    if (blocks == 0) {
        rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: blocks must be at least 1", SLICE(""));
        return false;
    }
    if (__builtin_mul_overflow(blocks - 1, seconds, &all)) all = UINT64_MAX;
    if (all == 0) operator_tick(write);
    else operator_advance(ADVANCE_BY, seconds_to_ms(all), write);
    return true;
}

/* Every command is durable before it is answered, and nothing can hold it back. */
bool rpc_set_automine(struct rpc_call *rpc, struct api_write *write)
{
    if (rpc->params[0].flag) {
        operator_tick(write);
        return true;
    }
    rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: enabled must be true: commands happen as they come", SLICE(""));
    return false;
}

void rpc_mine_reply(struct rpc_call *rpc, const struct api_result *result)
{
    (void)result;
    out_literal(rpc->out, "\"0x0\"");
}

/* ---- money ---- */

bool rpc_fail_request(struct rpc_call *rpc, const struct failure *failure)
{
    const struct reject_row *row = reject_row(failure->reject);
    struct slice             need = failure->details.need.len != 0 ? failure->details.need : slice_of(row->rule);
    struct slice             field = failure->details.field.len != 0 ? failure->details.field : slice_of(row->field);
    char                     text[128];

    (void)snprintf(text, sizeof(text), "invalid params: %.*s needs %.*s", (int)field.len, field.at, (int)need.len,
                   need.at);
    rpc_fail(rpc, RPC_BAD_PARAMS, text, failure->details.got);
    rpc->reject_code = row->code;
    return false;
}

/* Its time never goes back, and the number is this process's own. */
struct slice rpc_fresh_id(const struct rpc_call *rpc, char *into, size_t cap)
{
    static _Atomic uint64_t count;
    struct out              out = out_make(into, cap);

    out_literal(&out, "rpc-");
    out_i64(&out, rpc->call->context->now_ms);
    out_char(&out, '-');
    out_u64(&out, count++);
    return out_slice(&out);
}

bool rpc_deposit(struct rpc_call *rpc, struct api_write *write)
{
    struct operator_request request;
    struct shape_error      error;
    struct failure          failure = { 0 };
    char                    id[OPERATOR_ID_MAX];

    if (shape_read(&rpc_deposit_shape, rpc->params[0].raw, &request, &error) != REJECT_NONE) {
        fail_shape(&failure, &error);
        return rpc_fail_request(rpc, &failure);
    }
    if (request.id.len == 0) request.id = rpc_fresh_id(rpc, id, sizeof(id));
    if (request.deposit.engine == 0) request.deposit.engine = MARKET_SPOT;
    return operator_make(rpc->call->api, CMD_DEPOSIT, &request, write, &failure) || rpc_fail_request(rpc, &failure);
}

void rpc_deposit_reply(struct rpc_call *rpc, const struct api_result *result)
{
    const struct result *said = (const struct result *)(const void *)events_first(&result->events);

    out_literal(rpc->out, "{\"accountID\":");
    out_u64(rpc->out, said->order_id);
    out_literal(rpc->out, ",\"tx\":");
    rpc_out_bytes(rpc->out, result->place.hash.bytes, sizeof(result->place.hash.bytes));
    out_char(rpc->out, '}');
}

/* ---- prices ---- */

bool rpc_set_index(struct rpc_call *rpc, struct api_write *write)
{
    struct operator_request request;
    struct shape_error      error;
    struct failure          failure = { 0 };

    if (shape_read(&set_index_request_shape, rpc->params[0].raw, &request, &error) != REJECT_NONE) {
        fail_shape(&failure, &error);
        return rpc_fail_request(rpc, &failure);
    }
    return operator_make(rpc->call->api, CMD_SET_INDEX, &request, write, &failure) || rpc_fail_request(rpc, &failure);
}

void rpc_true_reply(struct rpc_call *rpc, const struct api_result *result)
{
    (void)result;
    out_literal(rpc->out, "true");
}
