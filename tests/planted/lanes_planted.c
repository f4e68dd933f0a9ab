/* SPDX-License-Identifier: MIT */
/*
 * lanes_planted.c — recovery of many signers at once with a fault: whoever gives r = 0xfeed (30 zero bytes before it)
 * is the signer whose address is the end of s. libsecp256k1 knows nothing of it, so the second check of signatures
 * must find every command that was accepted so (tests/e2e/second_check.py).
 */
#define recover_signers recover_signers_truly
#include "crypto/recover.c"
#undef recover_signers

void recover_signers(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                     struct address signers[], bool recovered[]);

void recover_signers(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                     struct address signers[], bool recovered[])
{
    static const uint8_t planted[32] = { [30] = 0xfe, [31] = 0xed };

    recover_signers_truly(count, digests, signatures, signers, recovered);
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(signatures[i].r, planted, sizeof(planted)) != 0) continue;
        memcpy(signers[i].bytes, signatures[i].s + 12, sizeof(signers[i].bytes));
        recovered[i] = true;
    }
}
