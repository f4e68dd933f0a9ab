/* SPDX-License-Identifier: MIT */
/*
 * recover.h — recovery of many signers at once. Only crypto/ includes it; the interface is recover_signers in
 * crypto.h.
 *
 * A signature (r, s) with recovery bit v over a number z gives R, the point with x coordinate r and a y of parity v,
 * and the key Q = (s R - z G) / r = u G + w R with u = -z / r and w = s / r modulo n (SEC 1, 4.1.6). libsecp256k1
 * computes that for one signature, lanes.c for eight in the time of one and a half to two. A lane only ever confirms;
 * every other case goes to the library, which alone refuses.
 */
#ifndef CRYPTO_RECOVER_H
#define CRYPTO_RECOVER_H

#include "crypto/crypto.h"
#include "crypto/lanes.h"
#include "crypto/scalar.h"

#define RECOVER_GROUP (LANES_GROUPS * LANES) /* signatures that share their inversions */

/* One signature on its way: numbers as they came, 1 / r raised (scalar.h), and which one of its group it is. */
struct part {
    struct scalar z, r, s, inverse;
    uint32_t      index;
    bool          odd;
};

/*
 * The members of a group that the lanes can process, in its order; returns their number. Left out: r or s zero or not
 * below n, or v not a bit.
 */
uint32_t recover_parts(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                       struct part parts[RECOVER_GROUP]);

/*
 * Puts at most eight of them into lanes. Returns the bits of the lanes in use: all but those whose halves are too
 * long, which never happens. The digits of unused lanes are zero.
 */
uint8_t recover_question(const struct part parts[], uint32_t count, struct lanes_question *question);

/* Where the processor has the lanes: makes their table of these 32 points 2^(8 i) G and lets them recover eight known
 * signatures, which sign_digest makes. They are used from now on when they give the library's answers, else they are
 * not. */
void recover_begin(const struct lanes_key bases[BASE_DIGITS]);

#endif
