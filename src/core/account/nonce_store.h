/* SPDX-License-Identifier: MIT */
/*
 * nonce_store.h — the nonces of one signer in one domain, as bytes (decision 244).
 *
 * A nonce is kept as what it and its command's number are above those of the nonce before, which is little: the set
 * itself has both of the highest nonce. The bytes of all of them follow one another through a list of chunks, from the
 * lowest to the highest nonce; one may begin in a chunk and end in the next.
 *
 *     small, 8 bytes: 1 bit 0, 26 bits tag of the payload (nonce_tag), 20 bits the number's step, 17 the nonce's
 *     large, 9 to 21: 1 bit 1, 2 lengths of 2 bits, the lower 3 bits of the nonce's step
 *                     4 bytes tag; the rest of the nonce's step, then the number's, each in 2, 3, 4 or 8 bytes
 *
 * A nonce is small when it is within 131 seconds of the one before, in milliseconds, and a million commands. A step of
 * the number that is below 0 takes 8 bytes.
 *
 * Nothing is removed at the lower end but whole chunks, when another chunk is needed: so a set may have more than
 * NONCES_MAX nonces, and those below the highest NONCES_MAX are forgotten although their bytes are there.
 */
#ifndef CORE_ACCOUNT_NONCE_STORE_H
#define CORE_ACCOUNT_NONCE_STORE_H

#include "core/state/state.h"

struct nonce_entry {
    uint64_t nonce, seq, payload_tag; /* the tag is nonce_tag of the command */
};

#define NONCE_TAG_BITS 26

/* Bytes of the longest nonce. */
#define NONCE_BYTES_MAX 21

/* Appends a nonce above all others. There is always a chunk for it (NONCE_SET_CHUNKS). */
void nonce_store_append(struct engine *e, struct nonce_set *set, uint64_t nonce, uint64_t seq, uint32_t tag);

/* The nonces that are kept, ascending, at most NONCES_MAX; returns how many. */
uint32_t nonce_store_read(const struct engine *e, const struct nonce_set *set, struct nonce_entry *entries);

/* Makes these `count` nonces, ascending, at most NONCES_MAX, the only ones of the set. */
void nonce_store_write(struct engine *e, struct nonce_set *set, const struct nonce_entry *entries, uint32_t count);

/* Asks early for the memory that the next nonce above all others will be written to; reads the set itself. */
void nonce_store_prefetch(const struct engine *e, const struct nonce_set *set);

/* The set's list of chunks is whole; returns how many chunks it has. */
uint32_t nonce_store_verify(const struct engine *e, const struct nonce_set *set);

#endif
