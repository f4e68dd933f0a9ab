/* SPDX-License-Identifier: MIT */
/* rpc_impersonate.c — which addresses clients on this machine may act as (decision 624). */
#include "api/impersonation.h"
#include "api/node/rpc.h"

static struct impersonation *impersonation_of(const struct rpc_call *rpc)
{
    return rpc->call->api->shared->impersonation;
}

static void done(struct rpc_call *rpc) { out_literal(rpc->out, "null"); }

void rpc_impersonate(struct rpc_call *rpc)
{
    if (impersonation_begin(impersonation_of(rpc), &rpc->params[0].address)) done(rpc);
    else rpc_fail(rpc, RPC_REFUSED, "256 addresses have been impersonated, and there is no room for more", SLICE(""));
}

void rpc_stop_impersonating(struct rpc_call *rpc)
{
    impersonation_end(impersonation_of(rpc), &rpc->params[0].address);
    done(rpc);
}

void rpc_impersonate_all(struct rpc_call *rpc)
{
    impersonation_set_all(impersonation_of(rpc), rpc->params[0].flag);
    done(rpc);
}
