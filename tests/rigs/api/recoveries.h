/* SPDX-License-Identifier: MIT */
/* recoveries.h — counts how often a test made the exchange recover a signer. For one file of a test program. */
#ifndef RIGS_API_RECOVERIES_H
#define RIGS_API_RECOVERIES_H

#include <dlfcn.h>
#include <secp256k1_recovery.h>
#include <string.h>

/* Wraps the library's function and counts its calls. */
static int recoveries;

int secp256k1_ecdsa_recover(const secp256k1_context *context, secp256k1_pubkey *key,
                            const secp256k1_ecdsa_recoverable_signature *signature, const unsigned char *digest)
{
    int (*real)(const secp256k1_context *, secp256k1_pubkey *, const secp256k1_ecdsa_recoverable_signature *,
                const unsigned char *);
    void *symbol = dlsym(RTLD_NEXT, "secp256k1_ecdsa_recover");

    memcpy(&real, &symbol, sizeof(real));
    recoveries++;
    return real(context, key, signature, digest);
}

#endif
