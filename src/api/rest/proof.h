/* SPDX-License-Identifier: MIT */
/* proof.h — between write.c, which reads a signed request, and proof.c, which determines its signer. */
#ifndef API_REST_PROOF_H
#define API_REST_PROOF_H

#include "api/inside.h"

struct signed_headers {
    struct signature signature;
    bool             in_range; /* r, s and v are in range; checked after the body */
    uint64_t         nonce;
    uint64_t         chain_id; /* 0 = not sent */
    struct slice     key_name; /* empty = the main wallet (ruling 7) */
};

/* The identity that a request claims. */
struct claim {
    uint64_t account_id; /* of the body; 0 = the signer's primary one */
    /* the named one, in the body or by the owner in the path; user_id 0 = none */
    struct view_account account;
    struct view_key     key; /* key_id 0 = the main wallet */
};

/* The input of one recovery; the first one of a request explains a refusal. */
struct proof {
    struct signature signature;
    uint64_t         chain_id; /* of the domain */
    uint8_t          domain;
    struct slice     text; /* the signed bytes; of a refused grant its message */
    struct hash256   payload, digest;
    struct address   signer;
    bool             recovered;
};

/* The state of a signed request on its way through the checks. */
struct signing {
    struct signed_headers headers;
    struct claim          claim;
    struct proof          proof;
};

/* Bytes signed by a request that may wait: a batch of 100 orders has 15,000. */
#define PENDING_SIGNATURE_TEXT 32768

/* A request that waits for its signer. api_recover makes the hash of its text and, of the first possible digest, the
 * signer. */
struct pending_signature {
    struct call           call;
    struct api_context    context;
    struct api_noted      noted;
    struct signing        signing;
    struct slice          text;
    const struct hash256 *separator; /* of the domain and chain id of that digest */
    struct hash256        payload, digest;
    struct address        signer;
    bool                  recovered;
    char                  room[PENDING_SIGNATURE_TEXT];
};

/* Whom the request names, and that there are such an account and key. False after fail(). */
bool claim_read(struct call *call, const struct signed_headers *headers, uint64_t account_id, struct claim *claim);

/*
 * Determines the signer, and checks its right. A request that fails costs at most two recoveries per chain id it may
 * be signed for: over the body as received and, where it differs, over its canonical form (ruling 4). A revocation at
 * the gateway with type byte 01 may be of either engine and costs twice that; a grant costs one per spelling that
 * fits, two at most, three with permissions of 0 (crypto/typed.h). False after fail().
 */
bool prove(struct call *call, struct signing *signing, const void *payload);

/* write_prepare for a request that is explained, with what the checks found in *signing; call->tries is set. */
bool write_explain(struct call *call, struct signing *signing, struct api_write *write);

/* The named key, else the owner of the account; without an account any user (ruling 62). */
bool is_authorised(const struct views *views, const struct claim *claim, const struct address *signer);

/* The text in canonical form; empty when it does not fit. Valid until the next call. */
struct slice signed_canonical(struct call *call, const void *payload);

/* Domains an action may be signed in, a bit each: that of its base; wallet-level ones with type byte 02. */
uint32_t domains_of(const struct call *call, const struct signed_headers *headers);

/* The text that an action signs, around the body as it was received; valid until the next call. */
struct slice signed_as_received(struct call *call);

/* Whether the request, an action, has a digest worth waiting for. Fills its `pending` with the signed values. */
bool prove_later(struct call *call, const struct signing *signing);

/* A feeder's post (oracle.c). False after fail(). */
bool oracle_prepare(struct call *call, const struct signed_headers *headers, struct api_write *write);

#endif
