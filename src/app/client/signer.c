/* SPDX-License-Identifier: MIT */
#include "app/client/signer.h"

#include "app/client/keystore.h"
#include "app/client/password.h"
#include "app/dev_accounts.h"
#include "base/out.h"
#include "base/hex.h"
#include "crypto/crypto.h"
#include "io/secret_file.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_ACCOUNT 1001

bool signer_development(uint64_t account, struct signer *signer)
{
    if (account < FIRST_ACCOUNT || account >= FIRST_ACCOUNT + DEV_ACCOUNTS) return false;
    *signer = (struct signer){ .unlocked = true, .is_development = true, .account = account };
    memcpy(signer->secret, dev_secrets[account - FIRST_ACCOUNT], sizeof(signer->secret));
    return signer_address(signer->secret, signer->address);
}

static uint64_t development_number(const uint8_t secret[32])
{
    for (uint64_t i = 0; i < DEV_ACCOUNTS; i++)
        if (memcmp(dev_secrets[i], secret, 32) == 0) return FIRST_ACCOUNT + i;
    return 0;
}

enum signer_find signer_read(struct slice text, const char *where, struct signer *signer, char why[SIGNER_WHY])
{
    while (text.len != 0 && strchr(" \t\r\n", text.at[text.len - 1]) != NULL) text.len--;
    *signer = (struct signer){ .unlocked = true };
    if (!hex_read_0x(text, signer->secret, sizeof(signer->secret))
        || !signer_address(signer->secret, signer->address)) {
        (void)snprintf(why, SIGNER_WHY, "%.200s is no private key: 0x and 64 hex digits", where);
        secret_forget(signer->secret, sizeof(signer->secret));
        return SIGNER_FAILED;
    }
    signer->account = development_number(signer->secret);
    signer->is_development = signer->account != 0;
    return SIGNER_FOUND;
}

static enum signer_find from_file(const char *path, struct signer *signer, char why[SIGNER_WHY])
{
    char             text[80], reason[SECRET_WHY_BYTES];
    size_t           len;
    enum signer_find found = SIGNER_FAILED;

    if (secret_file_read(path, text, sizeof(text), &len, reason))
        found = signer_read(slice_make(text, len), path, signer, why);
    else (void)snprintf(why, SIGNER_WHY, "the key file %s", reason);
    secret_forget(text, sizeof(text));
    return found;
}

static enum signer_find from_keystore(const struct signer_source *source, const char *name, bool unlock,
                                      struct signer *signer, char why[SIGNER_WHY])
{
    struct keystore  keystore;
    char             password[PASSWORD_BYTES];
    enum signer_find found = SIGNER_FAILED;

    *signer = (struct signer){ 0 };
    if (!keystore_load(&keystore, name, why)) return SIGNER_FAILED;
    if (!unlock && keystore.address[0] != '\0') {
        memcpy(signer->address, keystore.address, sizeof(signer->address));
        found = SIGNER_FOUND;
    } else if (password_get(source->password_file, "Password of the keystore: ", password, why)
               && keystore_open(&keystore, slice_of(password), signer->secret, why)) {
        signer->unlocked = signer_address(signer->secret, signer->address);
        found = signer->unlocked ? SIGNER_FOUND : SIGNER_FAILED;
        if (!signer->unlocked) (void)snprintf(why, SIGNER_WHY, "the keystore %.200s holds no private key", name);
    }
    secret_forget(password, sizeof(password));
    keystore_close(&keystore);
    return found;
}

const char *signer_variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

enum signer_find signer_find(const struct signer_source *source, uint64_t account, bool unlock, struct signer *signer,
                             char why[SIGNER_WHY])
{
    const char *key = signer_variable("DOJIMA_KEY"), *file = signer_variable("DOJIMA_KEY_FILE"),
               *keystore = signer_variable("DOJIMA_KEYSTORE");
    enum signer_find found;

    if (source->key_file != NULL && source->keystore != NULL) {
        (void)snprintf(why, SIGNER_WHY, "--key-file and --keystore both name a key; give one of them");
        return SIGNER_FAILED;
    }
    if (source->key_file != NULL) return from_file(source->key_file, signer, why);
    if (source->keystore != NULL) return from_keystore(source, source->keystore, unlock, signer, why);
    if (key != NULL) {
        found = signer_read(slice_of(key), "DOJIMA_KEY", signer, why);
        if (found == SIGNER_FOUND && signer->is_development && account != 0) (void)signer_development(account, signer);
        return found;
    }
    if (file != NULL) return from_file(file, signer, why);
    if (keystore != NULL) return from_keystore(source, keystore, unlock, signer, why);
    return SIGNER_NONE;
}
