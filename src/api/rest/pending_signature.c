/* SPDX-License-Identifier: MIT */
/*
 * pending_signature.c — requests that wait for who signed them, so that the signers of several are recovered together.
 * Whoever waits has passed the checks before the signature (write.c), and passes those behind it in the same order as
 * if it had not waited: what is worked out together is only what its first recovery gives, and that is used where
 * exactly this digest and signature are asked for.
 */
#include "api/rest/proof.h"

size_t pending_signatures_size(void) { return API_PENDING_SIGNATURES * sizeof(struct pending_signature); }

bool call_signer(const struct call *call, const struct hash256 *digest, const struct signature *signature,
                 struct address *signer)
{
    const struct pending_signature *pending = call->pending;

    if (!call->waits || !hash256_equal(&pending->digest, digest)
        || memcmp(&pending->signing.headers.signature, signature, sizeof(*signature)) != 0)
        return recover_signer(digest, signature, signer);
    if (pending->recovered) *signer = pending->signer;
    return pending->recovered;
}

enum api_outcome api_begin(struct api *api, const struct api_context *context, const struct http_request *request,
                           struct api_write *write, struct http_answer *answer, struct out *body, uint32_t number)
{
    struct pending_signature *pending = &api->pending_signatures[number];
    enum api_outcome          outcome;

    assert(number < API_PENDING_SIGNATURES);
    pending->context = *context;
    call_init(&pending->call, api, &pending->context, request, write, answer, body);
    pending->call.pending = pending;
    outcome = call_handle(&pending->call);
    pending->noted = api->noted;
    return outcome;
}

void api_recover(struct api *api, uint32_t count)
{
    struct hash256   digests[API_PENDING_SIGNATURES];
    struct signature signatures[API_PENDING_SIGNATURES];
    struct address   signers[API_PENDING_SIGNATURES];
    bool             recovered[API_PENDING_SIGNATURES];

    assert(count >= 1 && count <= API_PENDING_SIGNATURES);
    for (uint32_t i = 0; i < count; i++) {
        assert(api->pending_signatures[i].call.waits);
        digests[i] = api->pending_signatures[i].digest;
        signatures[i] = api->pending_signatures[i].signing.headers.signature;
    }
    recover_signers(count, digests, signatures, signers, recovered);
    for (uint32_t i = 0; i < count; i++) {
        api->pending_signatures[i].recovered = recovered[i];
        if (recovered[i]) api->pending_signatures[i].signer = signers[i];
    }
}

enum api_outcome api_signature_done(struct api *api, uint32_t number)
{
    struct pending_signature *pending = &api->pending_signatures[number];

    assert(number < API_PENDING_SIGNATURES && pending->call.waits);
    api->noted = pending->noted;
    return write_signature_done(&pending->call) ? API_COMMAND : call_finish(&pending->call);
}
