/* SPDX-License-Identifier: MIT */
/* contract.c — the contract of this program without an exchange, for programs that compare with it. */
#include "api/api.h"
#include "api/inside.h"
#include "api/rest/openapi.h"

void api_write_contract(struct out *out, struct slice version)
{
    static struct routes routes;

    routes_init(&routes, endpoints, endpoint_count);
    openapi_write(out, &routes, version);
}
