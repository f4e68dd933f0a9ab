/* SPDX-License-Identifier: MIT */
/* impersonated.h — writes with X-Dojima-As and without a signature (decision 624). */
#ifndef API_REST_IMPERSONATED_H
#define API_REST_IMPERSONATED_H

#include "api/rest/proof.h"

/* The request names an address in X-Dojima-As, in a development exchange; elsewhere the header has no meaning. */
static inline bool is_impersonated(const struct call *call)
{
    return call->request->header[HEADER_AS].at != NULL && call->api->shared->impersonation != NULL;
}

/* The address that it acts as, which clients may act as; fills signer and domain of *proof. False after fail(). */
bool impersonated_read(struct call *call, struct proof *proof);

/* Whether the address is the owner of the account that the body names. False after fail(). */
bool impersonated_owns(struct call *call, const struct claim *claim, const struct address *signer);

#endif
