/* SPDX-License-Identifier: MIT */
/*
 * crypto.h — EIP-712 digests and signer recovery over libsecp256k1: bytes in, bytes out (wire 3). Only recover_signers
 * uses curve arithmetic of our own, and the library decides every case that it does not confirm.
 */
#ifndef CRYPTO_CRYPTO_H
#define CRYPTO_CRYPTO_H

#include "base/keccak.h"
#include "model/enums.h"
#include "model/text.h"

/* crypto_begin and crypto_check. Once per process, before any other call. False: this machine cannot be trusted. */
bool crypto_init(void) MUST_USE;

/* Makes the library's context and the hashes of all domains. Behind it any thread may hash, sign and derive addresses,
 * but what is signed by others is recovered behind crypto_check only. A second call does nothing. */
bool crypto_begin(void) MUST_USE;

/* Runs the known-answer tests of keccak, EIP-712 and recovery (process 7); recovery of many at once is used only when
 * it gives the library's answers. Some milliseconds; any thread may do it, once, while others do what crypto_begin
 * permits. */
bool crypto_check(void) MUST_USE;

/* Whether crypto_check has given true. */
bool crypto_is_ready(void);

#define SIGNATURE_BYTES 66
#define SIGNATURE_TEXT  134 /* "0x" and two hex digits per byte, no zero behind */

struct signature {
    uint8_t type; /* 1 = engine action, 2 = wallet-level */
    uint8_t v;    /* 0 or 1 (27 and 28 were folded) */
    uint8_t r[32], s[32];
};

/*
 * Reads the X-API-Sign header: 66 bytes as hex of either case, "0x" optional; type byte 01 or 02;
 * r and s in [1, n-1]; s <= n/2; v in {0, 1, 27, 28} (ruling 6). False on anything else.
 */
bool signature_read(struct slice header, struct signature *signature) MUST_USE;

/* keccak256 of {"type":"<type>","params":<params>} (wire 3.1). */
struct hash256 payload_hash(struct slice type, struct slice params);

/* The domain separator of "spot", "futures", "universal", "oracle" or "operator" (enum domain) on a chain. */
struct hash256 domain_separator(uint8_t domain, uint64_t chain_id);

/* hashStruct of ExchangeAction(bytes32 payloadHash,uint64 nonce), and its digest in a domain. */
struct hash256 action_struct_hash(const struct hash256 *payload, uint64_t nonce);
struct hash256 action_digest(const struct hash256 *separator, const struct hash256 *payload, uint64_t nonce);

/*
 * The payload hash and the digest of each of at most ACTION_TEXTS actions that sign these texts: those of keccak256 and
 * action_digest, eight at once where the processor can (eight.h).
 */
#define ACTION_TEXTS 32
struct action_text {
    struct slice          text; /* {"type":…,"params":…} */
    const struct hash256 *separator;
    uint64_t              nonce;
};
void action_digests(uint32_t count, const struct action_text texts[], struct hash256 payloads[],
                    struct hash256 digests[]);

/* keccak256(0x19 0x01 ‖ domain separator ‖ hashStruct of the message). */
struct hash256 typed_digest(const struct hash256 *separator, const struct hash256 *message);

/* The address whose key made the signature over the digest. False when there is none. */
bool recover_signer(const struct hash256 *digest, const struct signature *signature, struct address *signer) MUST_USE;

/*
 * The same for `count` signatures, with the same answers: signers[i] and recovered[i] as recover_signer(&digests[i],
 * …) gives them. Eight at once on processors with AVX-512 IFMA (recover.h).
 */
void recover_signers(uint32_t count, const struct hash256 digests[], const struct signature signatures[],
                     struct address signers[], bool recovered[]);

/* Whether recover_signers uses lanes; and from now on not, or again if crypto_init has found them good. Any thread. */
bool recover_uses_lanes(void);
void recover_use_lanes(bool use);

/* For development accounts, tests and benchmarks: a recoverable signature, deterministic (RFC 6979). */
bool sign_digest(const struct hash256 *digest, const uint8_t secret[32], uint8_t type,
                 struct signature *signature) MUST_USE;
bool address_of_secret(const uint8_t secret[32], struct address *address) MUST_USE;

/* "0x" + 132 hex digits into text[134]. */
void signature_write(const struct signature *signature, char text[SIGNATURE_TEXT]);

#endif
