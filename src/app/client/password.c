/* SPDX-License-Identifier: MIT */
#include "app/client/password.h"

#include "io/secret_file.h"
#include "io/terminal.h"

#include <stdio.h>
#include <stdlib.h>

#define SHORTEST 8

static bool from_file(const char *path, char password[PASSWORD_BYTES], char why[SIGNER_WHY])
{
    char   reason[SECRET_WHY_BYTES];
    size_t len;

    if (!secret_file_read(path, password, PASSWORD_BYTES - 1, &len, reason)) {
        (void)snprintf(why, SIGNER_WHY, "the password file %s", reason);
        return false;
    }
    while (len != 0 && (password[len - 1] == '\n' || password[len - 1] == '\r')) len--;
    password[len] = '\0';
    return true;
}

/* False: neither a file nor the environment has one; *failed: the file cannot be used. */
static bool from_elsewhere(const char *file, char password[PASSWORD_BYTES], bool *failed, char why[SIGNER_WHY])
{
    const char *value = getenv("DOJIMA_PASSWORD");

    *failed = false;
    if (file != NULL) {
        *failed = !from_file(file, password, why);
        return !*failed;
    }
    if (value == NULL) return false;
    if (strlen(value) < PASSWORD_BYTES) {
        memcpy(password, value, strlen(value) + 1);
        return true;
    }
    *failed = true;
    (void)snprintf(why, SIGNER_WHY, "DOJIMA_PASSWORD is too long");
    return false;
}

static bool ask(const char *prompt, char password[PASSWORD_BYTES], char why[SIGNER_WHY])
{
    if (terminal_ask_secret(prompt, password, PASSWORD_BYTES)) return true;
    (void)snprintf(why, SIGNER_WHY,
                   "no password was typed on a terminal; name a file with --password-file, or set "
                   "DOJIMA_PASSWORD");
    return false;
}

bool password_get(const char *file, const char *prompt, char password[PASSWORD_BYTES], char why[SIGNER_WHY])
{
    bool failed;

    if (from_elsewhere(file, password, &failed, why)) return true;
    return !failed && ask(prompt, password, why);
}

bool password_choose(const char *file, char password[PASSWORD_BYTES], char why[SIGNER_WHY])
{
    char again[PASSWORD_BYTES];
    bool failed, same = true;

    if (!from_elsewhere(file, password, &failed, why)) {
        if (failed || !ask("New password: ", password, why) || !ask("Once more: ", again, why)) return false;
        same = strcmp(password, again) == 0;
        secret_forget(again, sizeof(again));
    }
    if (!same) (void)snprintf(why, SIGNER_WHY, "the two passwords differ");
    else if (strlen(password) < SHORTEST)
        (void)snprintf(why, SIGNER_WHY, "the password has fewer than %d characters", SHORTEST);
    return same && strlen(password) >= SHORTEST;
}
