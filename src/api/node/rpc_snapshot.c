/* SPDX-License-Identifier: MIT */
/* rpc_snapshot.c — snapshots and going back to them: names that tools for local chains know. */
#include "api/node/rpc.h"
#include "api/operator/operator.h"
#include "api/operator/payload.h"

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name(struct slice text)
{
    if (text.len == 0 || text.len >= SNAPSHOT_NAME_MAX || !is_letter(text.at[0])) return false;
    for (size_t i = 1; i < text.len; i++)
        if (!is_letter(text.at[i]) && !is_digit(text.at[i]) && memchr("-_.", text.at[i], 3) == NULL) return false;
    return true;
}

/* What is between quotes; of anything else the text itself. */
static struct slice bare(struct slice raw)
{
    bool quoted = raw.len >= 2 && raw.at[0] == '"';

    return quoted ? slice_make(raw.at + 1, raw.len - 2) : raw;
}

static int digit_of(char c, bool hex)
{
    if (is_digit(c)) return c - '0';
    if (hex && c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (hex && c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* "0x1f", "31" or 31; 0 is no number of a snapshot. */
static bool read_number(struct slice text, uint64_t *number)
{
    bool   hex = text.len > 2 && text.at[0] == '0' && text.at[1] == 'x';
    size_t at = hex ? 2 : 0;

    *number = 0;
    if (text.len - at > 15) return false;
    for (; at < text.len; at++) {
        int digit = digit_of(text.at[at], hex);

        if (digit < 0) return false;
        *number = *number * (hex ? 16 : 10) + (uint64_t)digit;
    }
    return *number != 0;
}

static struct revert *begin(struct rpc_call *rpc, struct api_write *write, enum advance_kind kind)
{
    struct revert *request = operator_command(&write->room, CMD_REVERT, sizeof(*request));

    (void)rpc;
    memset(request, 0, sizeof(*request));
    write->advance_kind = (uint8_t)kind;
    return request;
}

bool rpc_snapshot(struct rpc_call *rpc, struct api_write *write)
{
    struct revert *request = begin(rpc, write, ADVANCE_SAVE);
    struct slice   name = bare(rpc->params[0].raw);

    if (!rpc->params[0].given) return true;
    if (rpc->params[0].raw.at[0] == '"' && is_name(name)) {
        memcpy(request->name, name.at, name.len);
        return true;
    }
    rpc_fail(rpc, RPC_BAD_PARAMS,
             "invalid params: a name has 1 to 31 letters, digits, points, lines and underscores, a letter first", name);
    return false;
}

void rpc_snapshot_reply(struct rpc_call *rpc, const struct api_result *result)
{
    rpc_out_quantity(rpc->out, ((const struct result *)(const void *)events_first(&result->events))->order_id);
}

void rpc_snapshots(struct rpc_call *rpc)
{
    const struct api_snapshots *snapshots = rpc->call->api->shared->snapshots;

    if (snapshots == NULL) rpc_fail(rpc, RPC_NO_METHOD, "there in development only", (struct slice){ NULL, 0 });
    else snapshots->list(snapshots->self, rpc->out);
}

bool rpc_revert(struct rpc_call *rpc, struct api_write *write)
{
    struct revert *request = begin(rpc, write, ADVANCE_REVERT);
    struct slice   text = bare(rpc->params[0].raw);

    if (read_number(text, &request->snapshot)) return true;
    request->snapshot = 0;
    if (is_name(text)) {
        memcpy(request->name, text.at, text.len);
        return true;
    }
    rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: the number of a snapshot, or its name", text);
    return false;
}

bool rpc_reset(struct rpc_call *rpc, struct api_write *write)
{
    (void)begin(rpc, write, ADVANCE_RESET);
    return true;
}

void rpc_dump_state(struct rpc_call *rpc)
{
    const struct api_snapshots *snapshots = rpc->call->api->shared->snapshots;

    if (snapshots == NULL) rpc_fail(rpc, RPC_NO_METHOD, "there in development only", (struct slice){ NULL, 0 });
    else if (!snapshots->dump(snapshots->self, rpc->out))
        rpc_fail(rpc, RPC_REFUSED, "the state is too large for an answer: dojima dev --state FILE keeps it in a file",
                 (struct slice){ NULL, 0 });
}

/* Hex digits in their own place become bytes; the body is read once. */
static bool read_hex(struct slice text, uint8_t *to)
{
    for (size_t i = 0; i < text.len; i += 2) {
        int high = digit_of(text.at[i], true), low = digit_of(text.at[i + 1], true);

        if (high < 0 || low < 0) return false;
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool rpc_load_state(struct rpc_call *rpc, struct api_write *write)
{
    const struct api_snapshots *snapshots = rpc->call->api->shared->snapshots;
    struct rpc_room            *room = &rpc->call->api->rpc;
    struct slice                text = bare(rpc->params[0].raw);
    const char                 *wrong = "it is no state";

    (void)begin(rpc, write, ADVANCE_LOAD);
    if (snapshots == NULL) {
        rpc_fail(rpc, RPC_NO_METHOD, "there in development only", (struct slice){ NULL, 0 });
        return false;
    }
    if (text.len > 2 && text.len % 2 == 0 && text.len / 2 <= sizeof(room->log) && memcmp(text.at, "0x", 2) == 0
        && read_hex(slice_make(text.at + 2, text.len - 2), room->log))
        wrong = snapshots->load(snapshots->self, slice_make((const char *)room->log, text.len / 2 - 1));
    if (wrong == NULL) return true;
    rpc_fail(rpc, RPC_BAD_PARAMS, wrong, (struct slice){ NULL, 0 });
    return false;
}
