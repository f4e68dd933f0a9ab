/* SPDX-License-Identifier: MIT */
/*
 * recover.c — the cost of recovering a signer when several wait, compared with libsecp256k1 one by one.
 *
 *   bench_recover
 *
 * Both recover the same signatures, in turns so that a noisy machine hits both, and must agree. The numbers of
 * signatures are those at which the method changes: one, two (from where the lanes are used), half of the lanes, all
 * of them, and a full group.
 */
#include "crypto/recover.h"
#include "machine.h"

#define SIGNATURES 256
#define ROUNDS     9

static struct hash256   digests[SIGNATURES];
static struct signature signatures[SIGNATURES];
static struct address   together[SIGNATURES], alone[SIGNATURES];

static void make(void)
{
    for (uint32_t i = 0; i < SIGNATURES; i++) {
        struct hash256 secret = keccak256(&i, sizeof(i));

        digests[i] = keccak256(secret.bytes, sizeof(secret.bytes));
        if (!sign_digest(&digests[i], secret.bytes, 1, &signatures[i])) exit(1);
    }
}

static double measure_together(uint32_t count)
{
    bool    recovered[SIGNATURES];
    int64_t start = bench_ns();

    for (uint32_t first = 0; first < SIGNATURES; first += count)
        recover_signers(count, digests + first, signatures + first, together + first, recovered + first);
    return (double)(bench_ns() - start) / SIGNATURES / 1000;
}

static double measure_alone(void)
{
    int64_t start = bench_ns();

    for (uint32_t i = 0; i < SIGNATURES; i++)
        if (!recover_signer(&digests[i], &signatures[i], &alone[i])) exit(1);
    return (double)(bench_ns() - start) / SIGNATURES / 1000;
}

static void compare(uint32_t count)
{
    double ours[ROUNDS], theirs[ROUNDS], ours_median, theirs_median;

    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = measure_together(count);
        theirs[i] = measure_alone();
    }
    if (memcmp(together, alone, sizeof(alone)) != 0) {
        printf("WRONG: the library disagrees with %u at once\n", count);
        exit(1);
    }
    ours_median = bench_median(ours, ROUNDS);
    theirs_median = bench_median(theirs, ROUNDS);
    printf("recover: %2u at once %6.2f us each, %.2f x the library's speed (%.2f us)\n", count, ours_median,
           theirs_median / ours_median, theirs_median);
}

int main(void)
{
    static const uint32_t counts[] = { 1, 2, 4, 8, 32 };

    if (!crypto_init()) return 1;
    if (!recover_uses_lanes()) printf("recover: this processor has no AVX-512 IFMA; all goes to the library\n");
    make();
    for (size_t i = 0; i < ARRAY_COUNT(counts); i++) compare(counts[i]);
    return 0;
}
