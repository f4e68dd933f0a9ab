/* SPDX-License-Identifier: MIT */
/*
 * signed_rig.h — requests with real signatures, at the rig's time, and what comes of them; and the account whose
 * signatures the wire reference publishes. Header only.
 */
#ifndef RIGS_API_SIGNED_RIG_H
#define RIGS_API_SIGNED_RIG_H

#include "rigs/api/test_rig.h"

static char sign_text[4][135];

/* The X-API-Sign of a digest; `slot` keeps several at a time. */
static inline const char *sign_digest_as(int slot, const uint8_t secret[32], const struct hash256 *digest, uint8_t type)
{
    struct signature signature;

    assert_true(sign_digest(digest, secret, type, &signature));
    signature_write(&signature, sign_text[slot]);
    sign_text[slot][134] = '\0';
    return sign_text[slot];
}

/* The same of a payload, as an ExchangeAction of this domain. */
static inline const char *sign_as(int slot, const uint8_t secret[32], uint8_t domain, uint64_t chain_id,
                                  const char *type, const char *params, uint64_t nonce)
{
    struct hash256 separator = domain_separator(domain, chain_id),
                   payload = payload_hash(slice_of(type), slice_of(params));
    struct hash256 digest = action_digest(&separator, &payload, nonce);

    return sign_digest_as(slot, secret, &digest, domain == DOMAIN_UNIVERSAL ? 2 : 1);
}

static inline struct http_request write_of(uint8_t method, const char *path, const char *body, const char *sign)
{
    struct http_request request = rig_request(method, path);

    request.body = slice_of(body);
    rig_put_header(&request, HEADER_API_NONCE, NOW_TEXT);
    rig_put_header(&request, HEADER_API_SIGN, sign);
    return request;
}

static inline void expect_refused(const struct http_request *request, int code)
{
    assert_int_equal(rig_handle(request), API_ANSWER);
    if (rig_code() != code) fail_msg("%d wanted: %s", code, rig_body);
    rig_expect("\"nonce\":\"not used\"");
}

static inline void expect_command(const struct http_request *request)
{
    if (rig_handle(request) != API_COMMAND) fail_msg("a command wanted: %s", rig_body);
}

/* Whose signatures the vectors of the wire reference are. */
static const struct address published_owner = { { 0x14, 0x79, 0x16, 0x97, 0x26, 0x0E, 0x4c, 0x9A, 0x71, 0xf1,
                                                  0x84, 0x84, 0xC9, 0xf9, 0x97, 0xB3, 0x08, 0xe5, 0x93, 0x25 } };

/* Leaves one account, 1001, and gives it to this owner. */
static inline void rig_publish_owner(void)
{
    views_deinit(rig_shared.views);
    memset(rig_shared.views, 0, views_size(&rig_genesis));
    views_init(rig_shared.views, &rig_genesis);
    rig_account(1001, 11, &published_owner);
}

#endif
