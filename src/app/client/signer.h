/* SPDX-License-Identifier: MIT */
/*
 * signer.h — the private key of a command: from the environment, a file of mode 0600, an encrypted keystore, or a
 * development account, never from an argument (decision 240).
 */
#ifndef APP_CLIENT_SIGNER_H
#define APP_CLIENT_SIGNER_H

#include "app/client/secret.h"
#include "base/slice.h"

/* Options; NULL = not given. */
struct signer_source {
    const char *key_file, *keystore, *password_file, *key_name;
};

struct signer {
    uint8_t  secret[32]; /* only when `unlocked` */
    bool     unlocked;
    bool     is_development; /* a key that everybody knows */
    uint64_t account;        /* of a development key; else 0 */
    char     address[ADDRESS_TEXT];
};

enum signer_find { SIGNER_FOUND, SIGNER_NONE, SIGNER_FAILED };

/*
 * Finds the signer. `account` other than 0 is one that the command line names: for 1001 to 1010 the development key
 * comes before a development key of the environment. `unlock`: the secret too, which may ask for a password; else the
 * address alone may be known. SIGNER_NONE: no key is named anywhere. SIGNER_FAILED: `why` is one sentence.
 */
enum signer_find signer_find(const struct signer_source *source, uint64_t account, bool unlock, struct signer *signer,
                             char why[SIGNER_WHY]);

/* A variable of the environment; NULL where it is not set, or empty. */
const char *signer_variable(const char *name);

/* A key as text, perhaps with a line feed behind it; `where` it stands is told in `why`. */
enum signer_find signer_read(struct slice text, const char *where, struct signer *signer, char why[SIGNER_WHY]);

/* The development account with this number. False: it is none of 1001 to 1010. */
bool signer_development(uint64_t account, struct signer *signer);

#endif
