/* SPDX-License-Identifier: MIT */
/* rpc_out.c — what methods write: failures, quantities, bytes; and how they read the values of a call. */
#include "api/node/rpc.h"
#include "base/hex.h"
#include "wire/json.h"

void rpc_say(struct rpc_call *rpc, struct slice text)
{
    size_t len = strlen(rpc->message), room = sizeof(rpc->message) - 1 - len;

    if (text.len > room) text.len = room;
    for (size_t i = 0; i < text.len; i++) { /* nothing that JSON would have to escape: it would be longer there */
        char c = text.at[i] == '"' ? '\'' : text.at[i];
        rpc->message[len + i] = c >= ' ' && c <= '~' && c != '\\' ? c : '?';
    }
    rpc->message[len + text.len] = '\0';
}

void rpc_fail(struct rpc_call *rpc, enum rpc_code code, const char *text, struct slice got)
{
    rpc->code = code;
    rpc->message[0] = '\0';
    rpc_say(rpc, slice_of(text));
    if (got.len == 0) return;
    rpc_say(rpc, SLICE(": "));
    rpc_say(rpc, slice_make(got.at, min_size(got.len, 48)));
}

void rpc_fail_reject(struct rpc_call *rpc, enum reject reject)
{
    const struct reject_row *row = reject_row(reject);

    rpc_fail(rpc, RPC_REFUSED, row->text, (struct slice){ NULL, 0 });
    rpc->reject_code = row->code;
}

void rpc_out_quantity(struct out *out, uint64_t value)
{
    out_char(out, '"');
    out_quantity(out, value);
    out_char(out, '"');
}

void rpc_out_bytes(struct out *out, const void *bytes, size_t len)
{
    out_literal(out, "\"0x");
    out_hex(out, bytes, len);
    out_char(out, '"');
}

struct slice rpc_take_value(struct scan *scan)
{
    const char *start;

    scan_space(scan);
    start = scan->at;
    if (!scan_value(scan, RPC_DEPTH_MAX, false)) return (struct slice){ NULL, 0 };
    return slice_make(start, (size_t)(scan->at - start));
}
