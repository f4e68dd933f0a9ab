/* SPDX-License-Identifier: MIT */
/*
 * impersonation.h — the addresses that clients on this machine may act as without a signature, in development only
 * (decision 624). Shared by all threads; it is no part of the state, and a start begins with none.
 */
#ifndef API_IMPERSONATION_H
#define API_IMPERSONATION_H

#include <stdatomic.h>

#include "model/text.h"

#define IMPERSONATED_MAX 256 /* different addresses in the life of a process */

struct impersonated {
    struct address   address;
    _Atomic uint32_t is_on;
};

struct impersonation {
    atomic_flag         adding; /* one thread at a time adds */
    _Atomic uint32_t    count;
    _Atomic uint32_t    all; /* 1: every address */
    struct impersonated rows[IMPERSONATED_MAX];
};

/* From now on clients may act as this address. False: there are too many addresses. */
bool impersonation_begin(struct impersonation *impersonation, const struct address *address) MUST_USE;

/* From now on they may not; nothing when they might not. */
void impersonation_end(struct impersonation *impersonation, const struct address *address);

/* Whether clients may act as every address; the list is kept beside it. */
void impersonation_set_all(struct impersonation *impersonation, bool all);

/* From now on they may act as nobody. */
void impersonation_clear(struct impersonation *impersonation);

/* Whether clients may act as this address. */
bool impersonation_has(const struct impersonation *impersonation, const struct address *address);

#endif
