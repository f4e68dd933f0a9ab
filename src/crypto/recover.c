/* SPDX-License-Identifier: MIT */
#include "crypto/recover.h"

#include "crypto/eight.h"

#include <stdatomic.h>

/* Fewer are recovered one by one: eight lanes take the time of one and a half to two (benches/recover.c). */
#define WORTH_LANES 2

static _Atomic bool lanes_are_good, lanes_are_used;

/* ---- the question ---- */

static bool part_read(const struct hash256 *digest, const struct signature *signature, struct part *part)
{
    (void)!scalar_read(digest->bytes, &part->z);
    scalar_reduce(&part->z);
    part->odd = signature->v != 0;
    if (signature->v > 1 || !scalar_read(signature->r, &part->r) || !scalar_read(signature->s, &part->s)) return false;
    return !scalar_is_zero(&part->r) && !scalar_is_zero(&part->s);
}

/* 1 / r of each by one inversion: 1 / (r₀ … rᵢ) times r₀ … rᵢ₋₁ is 1 / rᵢ, and times rᵢ it is 1 / (r₀ … rᵢ₋₁). */
static void invert_all(struct part parts[], uint32_t count)
{
    struct scalar raised[RECOVER_GROUP], product[RECOVER_GROUP], left;

    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        raised[i] = scalar_raise(&parts[i].r);
        product[i] = i == 0 ? raised[i] : scalar_mul(&raised[i], &product[i - 1]);
    }
    left = scalar_inverse(&product[count - 1]);
    for (uint32_t i = count; i-- > 1;) {
        parts[i].inverse = scalar_mul(&left, &product[i - 1]);
        left = scalar_mul(&left, &raised[i]);
    }
    parts[0].inverse = left;
}

uint32_t recover_parts(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                       struct part parts[RECOVER_GROUP])
{
    uint32_t good = 0;

    assert(count <= RECOVER_GROUP);
    for (uint32_t i = 0; i < count; i++) {
        parts[good].index = i;
        good += part_read(&digests[i], &signatures[i], &parts[good]);
    }
    invert_all(parts, good);
    return good;
}

/* Digits of ±k into a column of `rows`. */
static bool put_digits(const struct scalar *k, bool minus, uint32_t bits, uint32_t count, int16_t rows[][LANES],
                       uint32_t lane)
{
    int16_t digits[HALF_DIGITS > BASE_DIGITS ? HALF_DIGITS : BASE_DIGITS];

    if (!scalar_digits(k, bits, count, digits)) return false;
    for (uint32_t i = 0; i < count; i++) rows[i][lane] = minus ? (int16_t)-digits[i] : digits[i];
    return true;
}

/* u = -z / r, the lower one of ±u so that 32 digits suffice, and w = s / r in two halves. */
static bool put_part(const struct part *part, uint32_t lane, struct lanes_question *question)
{
    static const struct scalar one = { { 1, 0, 0, 0 } };
    struct scalar              u = scalar_mul(&part->z, &part->inverse), w = scalar_mul(&part->s, &part->inverse);
    struct scalar              check = scalar_mul(&part->r, &part->inverse);
    struct scalar_halves       halves;
    bool                       turned = scalar_make_low(&u);

    if (!scalar_equal(&check, &one) || !scalar_split(&w, &halves)) return false;
    if (!put_digits(&u, !turned, BASE_BITS, BASE_DIGITS, question->base, lane)) return false;
    for (uint32_t i = 0; i < 2; i++)
        if (!put_digits(&halves.half[i], halves.minus[i], HALF_BITS, HALF_DIGITS, question->half[i], lane))
            return false;
    for (uint32_t i = 0; i < 4; i++) question->x[i][lane] = part->r.at[i]; /* r < n < p */
    question->odd |= (uint8_t)(part->odd << lane);
    return true;
}

uint8_t recover_question(const struct part parts[], uint32_t count, struct lanes_question *question)
{
    uint8_t asked = 0;

    assert(count <= LANES);
    memset(question, 0, sizeof(*question));
    for (uint32_t lane = 0; lane < count; lane++) asked |= (uint8_t)(put_part(&parts[lane], lane, question) << lane);
    return asked;
}

/* ---- the answers ---- */

/* An address is the last 20 bytes of its key's hash. */
static void hash_keys(uint32_t count, const struct lanes_key keys[LANES], struct hash256 hashes[LANES])
{
    struct eight_job jobs[LANES];

    for (uint32_t lane = 0; lane < count; lane++)
        jobs[lane] =
            (struct eight_job){ .parts = { slice_make((const char *)keys[lane].bytes, sizeof(keys[lane].bytes)) },
                                .hash = &hashes[lane] };
    eight_hash_all(jobs, count);
}

/* The signers of the parts whose lanes are sure. */
static void name_signers(const struct part parts[], uint32_t count, const struct lanes_key keys[LANES], uint8_t sure,
                         struct address signers[], bool recovered[])
{
    struct hash256 hashes[LANES];

    hash_keys(count, keys, hashes);
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t at = parts[lane].index;

        if ((sure >> lane & 1) == 0) continue;
        memcpy(signers[at].bytes, hashes[lane].bytes + 12, sizeof(signers[at].bytes));
        recovered[at] = true;
    }
}

/* Those of a group that the lanes are sure of: their signers, and
   true in `recovered`, which is not written for others. */
static void recover_group(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                          struct address signers[], bool recovered[])
{
    struct part           parts[RECOVER_GROUP];
    struct lanes_question questions[LANES_GROUPS];
    struct lanes_key      keys[LANES_GROUPS][LANES];
    uint8_t               asked[LANES_GROUPS], sure[LANES_GROUPS];
    uint32_t              good, groups = 0;

    if (count < WORTH_LANES) return;
    good = recover_parts(count, digests, signatures, parts);
    for (uint32_t first = 0; first + WORTH_LANES <= good; first += LANES, groups++)
        asked[groups] = recover_question(parts + first, min_u32(good - first, LANES), &questions[groups]);
    if (groups == 0) return;
    lanes_answers(questions, groups, keys, sure);
    for (uint32_t group = 0; group < groups; group++)
        name_signers(parts + group * LANES, min_u32(good - group * LANES, LANES), keys[group],
                     asked[group] & sure[group], signers, recovered);
}

void recover_signers(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                     struct address signers[], bool recovered[])
{
    bool lanes = recover_uses_lanes();

    if (count == 0) return;
    memset(recovered, 0, count * sizeof(*recovered));
    for (uint32_t first = 0; lanes && first < count; first += RECOVER_GROUP)
        recover_group(min_u32(count - first, RECOVER_GROUP), digests + first, signatures + first, signers + first,
                      recovered + first);
    for (uint32_t i = 0; i < count; i++)
        if (!recovered[i]) recovered[i] = recover_signer(&digests[i], &signatures[i], &signers[i]);
}

/* ---- the beginning ---- */

/* Eight signatures by eight keys, which touch every digit's table: the lanes must be sure of all, and right. */
static bool known_answers_hold(void)
{
    struct hash256   digests[LANES];
    struct signature signatures[LANES];
    struct address   signers[LANES], owner;
    bool             sure[LANES] = { false };
    char             text[] = "signature of lane 0";

    for (uint32_t i = 0; i < LANES; i++) {
        struct hash256 secret;

        text[sizeof(text) - 2] = (char)('0' + i);
        secret = keccak256(text, sizeof(text) - 1);
        digests[i] = keccak256(secret.bytes, sizeof(secret.bytes));
        if (!sign_digest(&digests[i], secret.bytes, 1, &signatures[i])) return false;
    }
    recover_group(LANES, digests, signatures, signers, sure);
    for (uint32_t i = 0; i < LANES; i++)
        if (!sure[i] || !recover_signer(&digests[i], &signatures[i], &owner) || !address_equal(&owner, &signers[i]))
            return false;
    return true;
}

void recover_begin(const struct lanes_key bases[BASE_DIGITS])
{
    bool good = lanes_begin(bases) && known_answers_hold();

    atomic_store_explicit(&lanes_are_good, good, memory_order_relaxed);
    recover_use_lanes(true);
}

bool recover_uses_lanes(void) { return atomic_load_explicit(&lanes_are_used, memory_order_relaxed); }

void recover_use_lanes(bool use)
{
    atomic_store_explicit(&lanes_are_used, use && atomic_load_explicit(&lanes_are_good, memory_order_relaxed),
                          memory_order_relaxed);
}
