/* SPDX-License-Identifier: MIT */
/* rpc_node.c — facts about the node (mechanics 8.3; ruling 57). */
#include "api/node/rpc.h"

void rpc_client_version(struct rpc_call *rpc)
{
    out_literal(rpc->out, "\"dojima/");
    out_slice_put(rpc->out, rpc->call->api->shared->version);
    out_char(rpc->out, '"');
}

void rpc_net_version(struct rpc_call *rpc)
{
    out_char(rpc->out, '"');
    out_u64(rpc->out, rpc->call->api->shared->genesis->chain_ids[0]);
    out_char(rpc->out, '"');
}

void rpc_net_listening(struct rpc_call *rpc) { out_literal(rpc->out, "true"); }

void rpc_syncing(struct rpc_call *rpc) { out_literal(rpc->out, "false"); }

void rpc_chain_id(struct rpc_call *rpc) { rpc_out_quantity(rpc->out, rpc->call->api->shared->genesis->chain_ids[0]); }

void rpc_gas_price(struct rpc_call *rpc) { rpc_out_quantity(rpc->out, 0); }

void rpc_block_number(struct rpc_call *rpc)
{
    rpc_out_quantity(rpc->out, views_last_block(rpc->call->api->shared->views).height);
}

/* ---- a pool that is always empty: what is answered is durable ---- */

void rpc_automine(struct rpc_call *rpc) { out_literal(rpc->out, "true"); }

void rpc_pool_content(struct rpc_call *rpc) { out_literal(rpc->out, "{\"pending\":{},\"queued\":{}}"); }

void rpc_pool_status(struct rpc_call *rpc) { out_literal(rpc->out, "{\"pending\":\"0x0\",\"queued\":\"0x0\"}"); }
