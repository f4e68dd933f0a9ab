/* SPDX-License-Identifier: MIT */
/*
 * pause.c — requests that wait for who signed them, so that the signers of several are recovered together. Whoever waits has passed
 * the checks before the signature (write.c), and passes those behind it in the same order as if it had not waited: what is worked
 * out together is only what its first recovery gives, and that is used where exactly this digest and signature are asked for.
 */
#include "api/proof.h"

size_t pauses_size(void) { return API_PAUSES * sizeof(struct pause); }

bool call_signer(const struct call *call, const struct hash256 *digest, const struct signature *signature, struct address *signer)
{
    const struct pause *pause = call->pause;

    if (!call->waits || !hash256_equal(&pause->digest, digest) || memcmp(&pause->signing.headers.signature, signature, sizeof(*signature)) != 0)
        return recover_signer(digest, signature, signer);
    if (pause->recovered) *signer = pause->signer;
    return pause->recovered;
}

enum api_outcome api_begin(struct api *api, const struct api_context *context, const struct http_request *request,
                           struct api_write *write, struct http_answer *answer, struct out *body, uint32_t number)
{
    struct pause    *pause = &api->pauses[number];
    enum api_outcome outcome;

    assert(number < API_PAUSES);
    pause->context = *context;
    call_init(&pause->call, api, &pause->context, request, write, answer, body);
    pause->call.pause = pause;
    outcome = call_handle(&pause->call);
    pause->noted = api->noted;
    return outcome;
}

void api_recover(struct api *api, uint32_t count)
{
    struct hash256   digests[API_PAUSES];
    struct signature signatures[API_PAUSES];
    struct address   signers[API_PAUSES];
    bool             recovered[API_PAUSES];

    assert(count >= 1 && count <= API_PAUSES);
    for (uint32_t i = 0; i < count; i++) {
        assert(api->pauses[i].call.waits);
        digests[i] = api->pauses[i].digest;
        signatures[i] = api->pauses[i].signing.headers.signature;
    }
    recover_signers(count, digests, signatures, signers, recovered);
    for (uint32_t i = 0; i < count; i++) {
        api->pauses[i].recovered = recovered[i];
        if (recovered[i]) api->pauses[i].signer = signers[i];
    }
}

enum api_outcome api_go_on(struct api *api, uint32_t number)
{
    struct pause *pause = &api->pauses[number];

    assert(number < API_PAUSES && pause->call.waits);
    api->noted = pause->noted;
    return write_go_on(&pause->call) ? API_COMMAND : call_finish(&pause->call);
}
