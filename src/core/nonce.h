/* SPDX-License-Identifier: MIT */
/*
 * nonce.h — each signature once: the 100 highest nonces per (domain, signer), rulings 9 and 35.
 *
 * A set is a ring in ascending order, so the ordinary nonce — larger than all before it — is written
 * over the smallest one without moving anything.
 */
#ifndef CORE_NONCE_H
#define CORE_NONCE_H

#include "core/state.h"

/*
 * Whether the command's nonce may be used by the owner of `slot` at the command's time; reads only.
 * When it was used before, *used names by which command; when it is too small, *used is the smallest one stored.
 */
enum nonce_reason nonce_check(const struct engine *e, uint32_t slot, const struct command *command,
                              struct nonce_entry *used) MUST_USE;

/* False when the signer needs a first set and the pool has none. */
bool nonce_has_room(const struct engine *e, uint32_t slot, uint8_t domain) MUST_USE;

/* Asks early for the place that a nonce above all others will get. */
void nonce_expect(const struct engine *e, uint32_t slot, uint8_t domain);

/* Uses the nonce up; nonce_check and nonce_has_room have said yes. */
void nonce_use(struct engine *e, uint32_t slot, const struct command *command);

/* I16: sorted, no duplicates, at most 100. */
void nonce_verify(const struct engine *e);

#endif
