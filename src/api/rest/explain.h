/* SPDX-License-Identifier: MIT */
/* explain.h — what a signed request hashes to, and why its signature may prove nothing. */
#ifndef API_REST_EXPLAIN_H
#define API_REST_EXPLAIN_H

#include "api/rest/proof.h"

/*
 * The facts of a signed request as members of a JSON object that has others: what was hashed, with which domain
 * and nonce, the digest, the address behind the signature, and the address that is expected. `signing` is what the
 * checks of the request have found (write_explain), `failure` what they refused it for.
 */
void explain_facts(struct call *call, const struct signing *signing, struct out *out);

/*
 * The likely causes as the items of a JSON array, each a sentence: the signature is tried with other domains, chain
 * ids, texts, nonces and parities, and those that give an address which may sign are named. Only recoveries, no rules.
 */
void explain_causes(struct call *call, const struct signing *signing, struct out *out);

#endif
