/* SPDX-License-Identifier: MIT */
#include "api/rest/impersonated.h"

#include "api/impersonation.h"
#include "base/hex.h"

static bool refuse(struct call *call, const char *text, const char *need)
{
    fail(&call->failure, REJECT_BAD_SIGNATURE, SLICE("X-Dojima-As"), call->request->header[HEADER_AS]);
    call->failure.text = text;
    call->failure.details.rule = SLICE("an impersonated address, in development, from this machine");
    call->failure.details.need = slice_of(need);
    return false;
}

/* The domain that a signature of this request would have. */
static uint8_t domain_of(const struct call *call)
{
    if (call->base == BASE_SPOT) return DOMAIN_SPOT;
    return call->base == BASE_PERPS ? DOMAIN_FUTURES : DOMAIN_UNIVERSAL;
}

bool impersonated_read(struct call *call, struct proof *proof)
{
    const struct http_request *request = call->request;
    struct slice               text = request->header[HEADER_AS];

    if (!call_is_developers(call))
        return refuse(call, "X-Dojima-As is not taken from here",
                      "a client on this machine, without a proxy and no page of another site");
    if (request->repeated[HEADER_AS]) return refuse(call, "X-Dojima-As is invalid", "the header once");
    if (text.len != 42 || text.at[1] != 'x' || !hex_read_0x(text, &proof->signer, sizeof(proof->signer)))
        return refuse(call, "X-Dojima-As is invalid", "0x and 40 hex digits");
    if (request->header[HEADER_API_SIGN].at != NULL || request->header[HEADER_API_KEY].at != NULL)
        return refuse(call, "X-Dojima-As is invalid", "no X-API-Sign and no X-API-Key beside it");
    if (call->endpoint->sender == SENDER_FEEDER)
        return refuse(call, "X-Dojima-As is not taken here", "a feeder's signature; or dojima_setIndexPrice");
    if (!impersonation_has(call->api->shared->impersonation, &proof->signer))
        return refuse(call, "the address is not impersonated", "anvil_impersonateAccount with this address before");
    proof->domain = COMMAND_IMPERSONATED | domain_of(call);
    return true;
}

bool impersonated_owns(struct call *call, const struct claim *claim, const struct address *signer)
{
    struct view_account primary;

    if (claim->account.user_id != 0) {
        if (address_equal(&claim->account.owner, signer)) return true;
        return refuse(call, "the address may not do this", "the owner of the account that the request names");
    }
    if (views_primary_account(call->api->shared->views, signer, &primary)) return true;
    return refuse(call, "the address may not do this", "an address with an account: a first deposit makes one");
}
