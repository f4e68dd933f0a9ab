/* SPDX-License-Identifier: MIT */
/*
 * keystore.h — private keys in files, encrypted: version 3 of Web3 Secret Storage, with scrypt or pbkdf2-sha256 and
 * aes-128-ctr, as other wallets write and read it.
 */
#ifndef APP_CLIENT_KEYSTORE_H
#define APP_CLIENT_KEYSTORE_H

#include "app/client/scrypt.h"
#include "app/client/secret.h"

#include <jansson.h>

struct keystore {
    json_t *json;
    char    path[512];
    char    address[ADDRESS_TEXT]; /* as the file has it, not proven; "" = it has none */
};

/* The folder of keystores that have names: DOJIMA_KEYS, else $XDG_DATA_HOME/dojima/keys, else
 * ~/.local/share/dojima/keys. False: `why`; so where others can change which files are in it. */
bool keystore_folder(char path[400], char why[SIGNER_WHY]) MUST_USE;

/* A keystore by its name in that folder, or by its path (anything with a slash). False: `why`. */
bool keystore_path(const char *name, char path[512], char why[SIGNER_WHY]) MUST_USE;

/* Reads a keystore. The file must have mode 0600. False: `why`. */
bool keystore_load(struct keystore *keystore, const char *name, char why[SIGNER_WHY]) MUST_USE;
void keystore_close(struct keystore *keystore);

/* Decrypts the key. A wrong password, and a file that says another address than its key has, are refused. */
bool keystore_open(const struct keystore *keystore, struct slice password, uint8_t secret[32],
                   char why[SIGNER_WHY]) MUST_USE;

/* The text of a new keystore, of scrypt; owned by the caller. NULL: `why`. */
char *keystore_write(const uint8_t secret[32], struct slice password, const struct scrypt_cost *cost,
                     char why[SIGNER_WHY]) MUST_USE;

#endif
