/* SPDX-License-Identifier: MIT */
/* password.h — the password of a keystore: from a file, the environment, or the terminal. */
#ifndef APP_CLIENT_PASSWORD_H
#define APP_CLIENT_PASSWORD_H

#include "app/client/secret.h"

#define PASSWORD_BYTES 1024

/* `file` first, where it is not NULL, then DOJIMA_PASSWORD, then the terminal is asked. False: `why`. */
bool password_get(const char *file, const char *prompt, char password[PASSWORD_BYTES], char why[SIGNER_WHY]) MUST_USE;

/* The password of a new keystore: the terminal is asked twice. It has at least 8 bytes. False: `why`. */
bool password_choose(const char *file, char password[PASSWORD_BYTES], char why[SIGNER_WHY]) MUST_USE;

#endif
