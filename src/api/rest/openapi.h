/* SPDX-License-Identifier: MIT */
/* openapi.h — GET /openapi.json: the contract in OpenAPI 3.1. */
#ifndef API_REST_OPENAPI_H
#define API_REST_OPENAPI_H

#include "api/inside.h"

void answer_openapi(struct call *call);

/* The text of it for these rows. */
void openapi_write(struct out *out, const struct routes *routes, struct slice version);

#endif
