/* SPDX-License-Identifier: MIT */
/*
 * oracle.c — POST /oracle: prices from a feeder (ruling 45, mechanics 3.8). Its signature is over typed data with
 * integers in the symbols' price units; `seq` takes the place of a nonce.
 */
#include "api/rest/proof.h"
#include "crypto/typed.h"

#include <stdatomic.h>

/* ---- the body as a payload ---- */

static bool fail_price(struct failure *failure, enum reject reject, const char *field, struct decimal price)
{
    struct out got = out_make(failure->got, sizeof(failure->got));

    fail(failure, reject, slice_of(field), SLICE(""));
    decimal_write(&got, price);
    failure->details.got = out_slice(&got);
    return false;
}

static bool take_price(const struct symbol *symbol, const char *field, struct decimal price, int64_t *units,
                       struct failure *failure)
{
    if (decimal_to_units(price, (int)symbol->price_precision, PRICE_MAX, units)) return true;
    return fail_price(failure, price.scale > symbol->price_precision ? REJECT_PRICE_DECIMALS : REJECT_PRICE_MAX, field,
                      price);
}

static bool take_item(const struct genesis *genesis, const struct oracle_item *item, struct oracle_price *price,
                      struct failure *failure)
{
    const struct symbol *symbol;

    if (item->symbol_id < 1 || item->symbol_id > genesis->perps_count) {
        fail_number(failure, REJECT_SYMBOL_NOT_FOUND, SLICE("symbolID"), item->symbol_id);
        return false;
    }
    symbol = &genesis->perps[item->symbol_id - 1];
    *price = (struct oracle_price){ .symbol_id = (uint32_t)item->symbol_id };
    if (!take_price(symbol, "price", item->price, &price->price, failure)) return false;
    return item->perp_mid.digits == 0 || take_price(symbol, "perpMid", item->perp_mid, &price->perp_mid, failure);
}

static bool fill_post(const struct genesis *genesis, const struct oracle_request *request, struct oracle_post *post,
                      struct failure *failure)
{
    post->seq = request->seq;
    post->count = request->count;
    post->reserved = 0;
    post->timestamp_ms = request->timestamp_ms;
    for (uint32_t i = 0; i < request->count; i++)
        if (!take_item(genesis, &request->items[i], &post->items[i], failure)) return false;
    return true;
}

bool api_oracle_read(const struct genesis *genesis, struct slice body, struct oracle_post *post)
{
    struct oracle_request request;
    struct shape_error    error;
    struct failure        failure = { 0 };

    return shape_read(&oracle_request_shape, body, &request, &error) == REJECT_NONE
        && fill_post(genesis, &request, post, &failure);
}

/* ---- signer ---- */

static uint32_t find_feeder(const struct genesis *genesis, const struct address *signer)
{
    for (uint32_t i = 0; i < genesis->feeder_count; i++)
        if (address_equal(&genesis->feeders[i].address, signer)) return i;
    return UINT32_MAX;
}

/* Under each chain id the post may be signed for; the first one explains a refusal. */
static uint32_t prove_feeder(struct call *call, const struct signed_headers *headers, const struct oracle_post *post,
                             struct proof *proof)
{
    const struct api *api = call->api;
    struct proof      first = { 0 };

    proof->domain = DOMAIN_ORACLE;
    proof->signature = headers->signature;
    for (uint32_t i = 0; i < api->chain_count; i++) {
        uint32_t feeder;

        if (headers->chain_id != 0 && headers->chain_id != api->chain_ids[i]) continue;
        proof->chain_id = api->chain_ids[i];
        proof->digest = oracle_prices_digest(&api->separators[DOMAIN_ORACLE][i], post);
        proof->recovered = recover_signer(&proof->digest, &proof->signature, &proof->signer);
        feeder = proof->recovered ? find_feeder(api->shared->genesis, &proof->signer) : UINT32_MAX;
        if (feeder != UINT32_MAX) return feeder;
        if (first.chain_id == 0) first = *proof;
    }
    fail(&call->failure, REJECT_NOT_A_FEEDER, SLICE("X-API-Sign"), call->request->header[HEADER_API_SIGN]);
    if (first.chain_id == 0) {
        call->failure.details.need = SLICE("X-API-Chain: a chain id of this exchange, see /version");
        return UINT32_MAX;
    }
    call->failure.details.digest = first.digest;
    call->failure.details.chain_id = first.chain_id;
    if (first.recovered) call->failure.details.recovered = first.signer;
    return UINT32_MAX;
}

/* ---- what cannot pass is refused here ---- */

static bool check_time(struct call *call, int64_t timestamp_ms)
{
    int64_t    now = call->context->now_ms - call->context->offset_ms; /* as for nonces (ruling 44) */
    char       text[24];
    struct out got = out_make(text, sizeof(text));

    if (timestamp_ms >= now - ORACLE_PAST_MS && timestamp_ms <= now + ORACLE_FUTURE_MS) return true;
    out_i64(&got, timestamp_ms);
    fail(&call->failure, REJECT_ORACLE_TIME, SLICE("timestamp"), out_slice(&got));
    call->failure.details.server_time = now;
    return false;
}

static bool check_seq(struct call *call, uint32_t feeder, uint64_t seq)
{
    uint64_t   last = atomic_load_explicit(&call->api->shared->oracle_seqs[feeder], memory_order_acquire);
    struct out need = out_make(call->failure.need, sizeof(call->failure.need));

    if (seq > last) return true;
    fail_number(&call->failure, REJECT_ORACLE_SEQ, SLICE("seq"), seq);
    out_literal(&need, "more than ");
    out_u64(&need, last);
    call->failure.details.need = out_slice(&need);
    return false;
}

static struct slice signed_text(struct call *call)
{
    struct out out = out_make(call->api->signed_raw, sizeof(call->api->signed_raw));

    out_literal(&out, "{\"type\":\"");
    out_text(&out, endpoint_type(call->endpoint));
    out_literal(&out, "\",\"params\":");
    json_compact(call->request->body, &out);
    out_char(&out, '}');
    assert(!out.overflow);
    return out_slice(&out);
}

static void fill_write(struct call *call, const struct proof *proof, struct api_write *write)
{
    const struct oracle_post *post = &write->room.oracle_post;
    struct command           *head = &write->room.head;
    struct hash256            payload;

    write->signed_bytes = signed_text(call);
    payload = keccak256(write->signed_bytes.at, write->signed_bytes.len);
    *head = (struct command){
        .bytes = (uint32_t)align_up(sizeof(*head) + PAYLOAD_BYTES(oracle_post, post->count), 8),
        .kind = CMD_ORACLE_POST,
        .domain = DOMAIN_ORACLE,
        .nonce = post->seq,
        .chain_id = proof->chain_id,
        .signer = proof->signer,
    };
    memcpy(&head->payload_tag, payload.bytes, sizeof(head->payload_tag));
    write->endpoint = call->endpoint;
    write->signature = proof->signature;
    write->class = CLASS_CANCEL; /* a book without an index is the greater risk */
    write->warn_foreign = write->alone = false;
    write->advance_kind = ADVANCE_NONE;
    write->quota.limit = 0;
}

bool oracle_prepare(struct call *call, const struct signed_headers *headers, struct api_write *write)
{
    struct oracle_request request;
    struct shape_error    error;
    struct proof          proof = { 0 };
    uint32_t              feeder;

    call->failure.details.nonce = (struct slice){ NULL, 0 }; /* there is none here */
    if (shape_read(&oracle_request_shape, call->request->body, &request, &error) != REJECT_NONE) {
        fail_shape(&call->failure, &error);
        return false;
    }
    if (!fill_post(call->api->shared->genesis, &request, &write->room.oracle_post, &call->failure)) return false;
    if (!headers->in_range) {
        fail(&call->failure, REJECT_BAD_SIGNATURE, SLICE("X-API-Sign"), call->request->header[HEADER_API_SIGN]);
        call->failure.details.need = SLICE("r and s in range, s in the lower half, v of 0, 1, 27 or 28");
        return false;
    }
    if (!check_time(call, request.timestamp_ms)) return false;
    call_reached(call, API_PARSED);
    feeder = prove_feeder(call, headers, &write->room.oracle_post, &proof);
    call_reached(call, API_VERIFIED);
    if (feeder == UINT32_MAX || !check_seq(call, feeder, request.seq)) return false;
    fill_write(call, &proof, write);
    return true;
}
