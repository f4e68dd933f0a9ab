/* SPDX-License-Identifier: MIT */
/*
 * pending_signature.c — requests that wait until their signers are recovered, several at once. A request that waits has
 * passed the checks before the signature (write.c), and passes those behind it in the same order as if it had not
 * waited.
 */
#include "api/rest/proof.h"

size_t pending_signature_size(void) { return align_up(sizeof(struct pending_signature), 64); }

enum api_outcome api_begin(struct api *api, const struct api_context *context, const struct http_request *request,
                           struct api_write *write, struct http_answer *answer, struct out *body,
                           struct pending_signature *pending)
{
    enum api_outcome outcome;

    pending->context = *context;
    call_init(&pending->call, api, &pending->context, request, write, answer, body);
    pending->call.pending = pending;
    outcome = call_handle(&pending->call);
    pending->noted = api->noted;
    return outcome;
}

static_assert(API_PENDING_SIGNATURES <= ACTION_TEXTS, "hashed together");

void api_recover(struct pending_signature *const waiting[], uint32_t count)
{
    struct action_text texts[API_PENDING_SIGNATURES];
    struct hash256     payloads[API_PENDING_SIGNATURES], digests[API_PENDING_SIGNATURES];
    struct signature   signatures[API_PENDING_SIGNATURES];
    struct address     signers[API_PENDING_SIGNATURES];
    bool               recovered[API_PENDING_SIGNATURES];

    assert(count >= 1 && count <= API_PENDING_SIGNATURES);
    for (uint32_t i = 0; i < count; i++) {
        assert(waiting[i]->call.waits);
        texts[i] = (struct action_text){ waiting[i]->text, waiting[i]->separator, waiting[i]->signing.headers.nonce };
        signatures[i] = waiting[i]->signing.headers.signature;
    }
    action_digests(count, texts, payloads, digests);
    recover_signers(count, digests, signatures, signers, recovered);
    for (uint32_t i = 0; i < count; i++) {
        waiting[i]->payload = payloads[i];
        waiting[i]->digest = digests[i];
        waiting[i]->recovered = recovered[i];
        if (recovered[i]) waiting[i]->signer = signers[i];
    }
}

enum api_outcome api_signature_done(struct pending_signature *pending)
{
    assert(pending->call.waits);
    pending->call.api->noted = pending->noted;
    return write_signature_done(&pending->call) ? API_COMMAND : call_finish(&pending->call);
}
