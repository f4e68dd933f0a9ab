/* SPDX-License-Identifier: MIT */
/* rpc_scenario.c — the methods of /rpc that play scenarios (docs/scenarios.md). They are no commands: the scenario's
 * own writes are in the log, as any client's. */
#include "api/node/rpc.h"
#include "api/scenarios.h"

/* NULL after rpc_fail. */
static struct scenarios *scenarios_of(struct rpc_call *rpc)
{
    struct scenarios *scenarios = rpc->call->api->shared->scenarios;

    if (scenarios == NULL) rpc_fail(rpc, RPC_NO_METHOD, "there in dojima dev only", (struct slice){ NULL, 0 });
    return scenarios;
}

void rpc_scenario_list(struct rpc_call *rpc)
{
    struct scenarios *scenarios = scenarios_of(rpc);

    if (scenarios != NULL) scenarios->means->list(rpc->out);
}

void rpc_scenario_start(struct rpc_call *rpc)
{
    struct scenarios *scenarios = scenarios_of(rpc);
    struct slice      raw = rpc->params[0].raw, none = { NULL, 0 };
    bool              quoted = raw.len >= 2 && raw.at[0] == '"';

    if (scenarios == NULL) return;
    switch (scenarios_start(scenarios, quoted ? slice_make(raw.at + 1, raw.len - 2) : raw, rpc->params[1].flag)) {
    case SCENARIO_BEGUN: scenarios_write(scenarios, rpc->out); return;
    case SCENARIO_UNKNOWN:
        rpc_fail(rpc, RPC_BAD_PARAMS, "invalid params: name needs a scenario of dojima_scenarioList, not ", none);
        rpc_say(rpc, slice_make(raw.at, min_size(raw.len, 40)));
        return;
    case SCENARIO_BUSY:
        rpc_fail(rpc, RPC_REFUSED, "a scenario plays already; dojima_scenarioStop ends it", none);
        return;
    case SCENARIO_NO_PLAYER:
        rpc_fail(rpc, RPC_REFUSED, "the process that plays scenarios has ended; start the exchange again", none);
        return;
    }
}

void rpc_scenario_status(struct rpc_call *rpc)
{
    struct scenarios *scenarios = scenarios_of(rpc);

    if (scenarios != NULL) scenarios_write(scenarios, rpc->out);
}

void rpc_scenario_stop(struct rpc_call *rpc)
{
    struct scenarios *scenarios = scenarios_of(rpc);

    if (scenarios == NULL) return;
    if (scenarios_stop(scenarios)) out_literal(rpc->out, "true");
    else rpc_fail(rpc, RPC_REFUSED, "no scenario plays", (struct slice){ NULL, 0 });
}
