/* SPDX-License-Identifier: MIT */
/* write_rig.h — shared by the tests of signed writes: requests with real signatures. Header only. */
#ifndef RIGS_API_WRITE_RIG_H
#define RIGS_API_WRITE_RIG_H

#include "rigs/api/test_rig.h"

#define PLACE "/api/v1/spot/trade/orders/batch"
#define NONCE NOW_TEXT
#define ONE_ORDER                                                                                                      \
    "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"     \
    "\"price\":\"95000\",\"quantity\":\"0.01\"}]}"
#define ONE_CANCEL "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"c-1\",\"orderID\":7}]}"

static char sign_text[4][135];

/* The X-API-Sign of a payload; slot keeps several at a time. */
static const char *sign_as(int slot, const uint8_t secret[32], uint8_t domain, uint64_t chain_id, const char *type,
                           const char *params, uint64_t nonce)
{
    struct hash256 separator = domain_separator(domain, chain_id),
                   payload = payload_hash(slice_of(type), slice_of(params));
    struct hash256   digest = action_digest(&separator, &payload, nonce);
    struct signature signature;

    assert_true(sign_digest(&digest, secret, 1, &signature));
    signature_write(&signature, sign_text[slot]);
    sign_text[slot][134] = '\0';
    return sign_text[slot];
}

static const char *sign_place(const char *params)
{
    return sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", params, NOW);
}

static inline struct http_request place(const char *body, const char *sign)
{
    struct http_request request = rig_request(HTTP_POST, PLACE);

    request.body = slice_of(body);
    rig_put_header(&request, HEADER_API_NONCE, NONCE);
    rig_put_header(&request, HEADER_API_SIGN, sign);
    return request;
}

static inline void expect_refused(const struct http_request *request, int code)
{
    assert_int_equal(rig_handle(request), API_ANSWER);
    if (rig_code() != code) fail_msg("%d wanted: %s", code, rig_body);
    rig_expect("\"nonce\":\"not used\"");
}

#endif
