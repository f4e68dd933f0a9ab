/* SPDX-License-Identifier: MIT */
/*
 * recover.h — many signers at once. Only crypto/ includes it; the door is recover_signers in crypto.h.
 *
 * A signature (r, s) with recovery bit v over a number z says: R is the point with x coordinate r and a y of parity v,
 * and the key is Q = (s R - z G) / r = u G + w R with u = -z / r and w = s / r modulo n (SEC 1, 4.1.6). libsecp256k1
 * works that out for one, lanes.c for eight in the time of one and a half to two. The library remains the judge: what
 * the lanes are not sure of it is asked, and it alone ever says no.
 */
#ifndef CRYPTO_RECOVER_H
#define CRYPTO_RECOVER_H

#include "crypto/crypto.h"
#include "crypto/lanes.h"
#include "crypto/scalar.h"

#define RECOVER_GROUP 32 /* signatures that share one inversion modulo n */

/* One signature on its way: numbers as they came, 1 / r raised (scalar.h), and which one of its group it is. */
struct part {
    struct scalar z, r, s, inverse;
    uint32_t      index;
    bool          odd;
};

/*
 * Of a group, what the lanes can be asked about, in its order; how many. Not among them is whose r or s is zero or not
 * below n or whose v is no bit.
 */
uint32_t recover_parts(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                       struct part parts[RECOVER_GROUP]);

/* At most eight of them as a question, a lane each. Bits of the lanes that are asked: all but where halves are too
 * long, which they never are. The digits of other lanes are all zero. */
uint8_t recover_question(const struct part parts[], uint32_t count, struct lanes_question *question);

/* Where the processor has the lanes: makes their table of these 32 points 2^(8 i) G and lets them recover eight known
 * signatures, which sign_digest makes. They are used from now on when they give the library's answers, else they are
 * not. */
void recover_begin(const struct lanes_key bases[BASE_DIGITS]);

/* For tests and benchmarks: are they used? And not used, or used again if recover_begin has found them good. */
bool recover_uses_lanes(void);
void recover_use_lanes(bool use);

#endif
