/* SPDX-License-Identifier: MIT */
#ifndef CORE_ACCOUNT_NONCE_H
#define CORE_ACCOUNT_NONCE_H

#include "core/account/nonce_store.h"

/*
 * Whether the command's nonce may be used by the signer at the command's time; reads only. Under time travel
 * the window goes by the clock that clients have: engine time without the offset (ruling 44).
 * Notes in the speaker the set that an ordinary one is above, all others of its domain. When it was used before, *used
 * names by which command; when it is too small, *used is the smallest one stored.
 */
enum nonce_reason nonce_check(const struct engine *e, struct speaker *speaker, const struct command *command,
                              struct nonce_entry *used) MUST_USE;

/* What is kept of a payload's tag to recognize a repetition (decision 244). */
static inline uint32_t nonce_tag(const struct command *command)
{
    return (uint32_t)command->payload_tag & ((1u << NONCE_TAG_BITS) - 1);
}

/*
 * Asks early for the signer's set, whose index it returns (0 = none, as for any other domain); later, with that index,
 * for the memory that a nonce above all others will be written to.
 */
uint32_t nonce_prefetch(const struct engine *e, const struct signer *signer, uint8_t domain);
void     nonce_prefetch_end(const struct engine *e, uint32_t ix);

/*
 * Stores the nonce; nonce_check has accepted it, and no other nonce of this signer was stored since. There is always a
 * set: an account's row and a key's record reserve one for each domain (ruling 73), so a first signature is never
 * refused.
 */
void nonce_use(struct engine *e, const struct speaker *speaker, const struct command *command);

/*
 * The two for the ordinary nonce alone, above all others of its domain, which is one of users. The first finds the set
 * that it is above and says whether it may be used; false when nonce_check must say.
 */
bool nonce_ordinary(const struct engine *e, const struct signer *signer, const struct command *command,
                    struct nonce_set **set) MUST_USE;
void nonce_use_ordinary(struct engine *e, struct signer *signer, struct nonce_set *set, const struct command *command);

/* The highest nonce of the signer in a domain of users, 0 = it has none. */
uint64_t nonce_highest(const struct engine *e, const struct signer *signer, uint8_t domain);

/* The T of the nonce window for an engine time; never below 0. */
static inline int64_t nonce_time(const struct engine *e, int64_t time_ms)
{
    return max_i64(time_ms - e->time_offset_ms, 0);
}

/* An address that was a key becomes a wallet: its sets go to the account's row. */
void nonce_move(struct engine *e, struct signer *from, uint32_t slot);

/* Drops all nonces and keeps the sets for another address. Only for an address whose nonces are all too old for good.
 */
void nonce_forget(struct engine *e, struct signer *signer);

/* I16: sorted, no duplicates, at most 100. */
void nonce_verify(const struct engine *e);

#endif
