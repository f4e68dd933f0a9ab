/* SPDX-License-Identifier: MIT */
/* keys.c — dojima keys: keystores of private keys. */
#include "app/cli/commands.h"
#include "app/client/client.h"
#include "app/client/keystore.h"
#include "app/client/password.h"
#include "app/client/plain.h"
#include "base/hex.h"
#include "crypto/crypto.h"
#include "io/files.h"
#include "io/secret_file.h"
#include "io/terminal.h"

#include <stdio.h>
#include <stdlib.h>

/* 256 MiB and a second; --light: 4 MiB */
static const struct scrypt_cost strong = { 1 << 18, 8, 1 }, light = { 1 << 12, 8, 6 };

struct keys {
    struct signer_source source;
    bool                 is_light, json;
    const char          *name;
};

static int refuse(const char *why)
{
    char text[SIGNER_WHY];

    (void)snprintf(text, sizeof(text), "%s", why);
    plain_clean(text);
    return complain(EXIT_GENERAL, "keys: %s", text);
}

static int print_one(const struct keys *keys, const char *name, const char *address, const char *path)
{
    json_t *value;

    if (!keys->json) {
        (void)printf("%s  %s%s%s\n", address, name, path != NULL ? "  " : "", path != NULL ? path : "");
        return EXIT_FINE;
    }
    value = json_pack("{s:s,s:s,s:s*}", "name", name, "address", address, "path", path);
    (void)plain_json(stdout, value);
    json_decref(value);
    return EXIT_FINE;
}

/* ---- new, import ---- */

static bool has_plain_name(const char *name)
{
    return strlen(name) <= 64 && name[0] != '.' && name[0] != '\0'
        && strspn(name, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.") == strlen(name);
}

static int store(const struct keys *keys, const uint8_t secret[32])
{
    char  folder[400], path[512], password[PASSWORD_BYTES], address[ADDRESS_TEXT], why[SIGNER_WHY];
    char *text = NULL;
    bool  ok = keystore_folder(folder, why) && keystore_path(keys->name, path, why) && secret_folder_make(folder, why)
           && password_choose(keys->source.password_file, password, why);

    if (ok) text = keystore_write(secret, slice_of(password), keys->is_light ? &light : &strong, why);
    secret_forget(password, sizeof(password));
    ok = text != NULL && secret_file_make(path, slice_of(text), why);
    free(text);
    if (!ok) return refuse(why);
    (void)signer_address(secret, address);
    return print_one(keys, keys->name, address, path);
}

static int make_new(const struct keys *keys)
{
    uint8_t secret[32];
    char    address[ADDRESS_TEXT];
    int     code;

    do
        if (!files_random(secret, sizeof(secret))) return refuse("there are no random bytes");
    while (!signer_address(secret, address)); /* all but one of 2^127 are private keys */
    code = store(keys, secret);
    secret_forget(secret, sizeof(secret));
    return code;
}

/* From --key-file, DOJIMA_KEY or a hidden line on the terminal. */
static int import_key(const struct keys *keys)
{
    struct signer    signer;
    char             why[SIGNER_WHY], line[80];
    enum signer_find found = signer_find(&keys->source, 0, true, &signer, why);
    int              code;

    if (found == SIGNER_NONE) {
        if (!terminal_ask_secret("Private key: ", line, sizeof(line)))
            return refuse("no key was typed on a terminal; name a file with --key-file, or set DOJIMA_KEY");
        if (!hex_read_0x(slice_of(line), signer.secret, sizeof(signer.secret))
            || !signer_address(signer.secret, signer.address))
            found = SIGNER_FAILED;
        secret_forget(line, sizeof(line));
        (void)snprintf(why, sizeof(why), "this is no private key: 0x and 64 hex digits");
    }
    if (found == SIGNER_FAILED) return refuse(why);
    code = store(keys, signer.secret);
    secret_forget(&signer, sizeof(signer));
    return code;
}

/* ---- list, show-address ---- */

struct listing {
    json_t *rows;
};

/* Where a name stands among the rows, which are sorted by name. */
static size_t place_of(const json_t *rows, const char *name)
{
    size_t at = 0;

    while (at < json_array_size(rows)
           && strcmp(json_string_value(json_object_get(json_array_get(rows, at), "name")), name) < 0)
        at++;
    return at;
}

static void list_one(void *self, const char *file)
{
    struct listing *listing = self;
    struct keystore keystore;
    char            name[128], why[SIGNER_WHY];
    bool            ok;

    if (snprintf(name, sizeof(name), "%.*s", (int)(strlen(file) - strlen(".json")), file) >= (int)sizeof(name)) return;
    ok = keystore_load(&keystore, name, why);
    (void)json_array_insert_new(
        listing->rows, place_of(listing->rows, name),
        ok ? json_pack("{s:s,s:s,s:s}", "name", name, "address", keystore.address, "path", keystore.path)
           : json_pack("{s:s,s:s}", "name", name, "error", why));
    if (ok) keystore_close(&keystore);
}

static void print_rows(const struct keys *keys, const json_t *rows, const char *folder)
{
    char    texts[3][SIGNER_WHY];
    json_t *row;
    size_t  i;

    if (keys->json) (void)plain_json(stdout, rows);
    else
        json_array_foreach(rows, i, row)
            (void)printf("%-42s  %s  %s\n", plain_member(row, "address", texts[0], SIGNER_WHY),
                         plain_member(row, "name", texts[1], SIGNER_WHY),
                         plain_member(row, "error", texts[2], SIGNER_WHY));
    if (!keys->json && json_array_size(rows) == 0)
        (void)printf("There are no keystores in %s; dojima keys new NAME makes one.\n", folder);
}

static int list(const struct keys *keys)
{
    struct listing listing = { 0 };
    char           folder[400], why[SIGNER_WHY];
    bool           ok;

    if (!keystore_folder(folder, why)) return refuse(why);
    listing.rows = json_array();
    ok = secret_folder_list(folder, ".json", &listing, list_one) == 0;
    if (ok) print_rows(keys, listing.rows, folder);
    json_decref(listing.rows);
    return ok ? EXIT_FINE : refuse("the folder cannot be read");
}

static int show_address(struct keys *keys)
{
    struct signer    signer;
    char             why[SIGNER_WHY];
    enum signer_find found;

    if (keys->name != NULL) keys->source.keystore = keys->name;
    found = signer_find(&keys->source, 0, false, &signer, why);
    if (found == SIGNER_NONE) return refuse("name a keystore, or set DOJIMA_KEY");
    if (found == SIGNER_FAILED) return refuse(why);
    if (keys->json) return print_one(keys, keys->name != NULL ? keys->name : "", signer.address, NULL);
    (void)printf("%s\n", signer.address);
    return EXIT_FINE;
}

/* ---- the command line ---- */

static int choose(struct keys *keys, int count, char **words)
{
    static const char actions[] = "new NAME, list, import NAME or show-address [NAME]";
    const char       *action = count != 0 ? words[0] : "";
    bool              makes = strcmp(action, "new") == 0 || strcmp(action, "import") == 0;

    keys->name = count > 1 ? words[1] : NULL;
    if (count > 2 || (makes && keys->name == NULL) || (strcmp(action, "list") == 0 && count != 1))
        return complain(EXIT_USAGE, "keys: say %s", actions);
    if (makes && !has_plain_name(keys->name))
        return complain(EXIT_USAGE, "keys: a name has 1 to 64 of 0-9 a-z A-Z _ - and ., and does not begin with .");
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    if (strcmp(action, "new") == 0) return make_new(keys);
    if (strcmp(action, "import") == 0) return import_key(keys);
    if (strcmp(action, "list") == 0) return list(keys);
    if (strcmp(action, "show-address") == 0) return show_address(keys);
    return complain(EXIT_USAGE, "keys: say %s", actions);
}

int command_keys(int argc, char **argv)
{
    struct keys           keys = { 0 };
    const struct argument rows[] = {
        { "json", ARGUMENT_FLAG, 0, &keys.json, "", "One JSON value instead of text." },
        { "key-file", ARGUMENT_TEXT, 0, &keys.source.key_file, "FILE",
          "import: the key, in a file of mode 0600; else DOJIMA_KEY, else it is asked for." },
        { "password-file", ARGUMENT_TEXT, 0, &keys.source.password_file, "FILE",
          "The password, in a file of mode 0600; else DOJIMA_PASSWORD, else it is asked for." },
        { "light", ARGUMENT_FLAG, 0, &keys.is_light, "",
          "new, import: 4 MiB of memory to open it instead of 256: weaker against guessing." },
    };
    const struct arguments arguments = { "keys",
                                         "new NAME|list|import NAME|show-address [NAME]",
                                         "Private keys in encrypted files (Web3 Secret Storage), in the folder of "
                                         "DOJIMA_KEYS, else ~/.local/share/dojima/keys.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };
    int                    operand, code;

    if (client_refuses_key("keys", argc, argv)) return EXIT_USAGE;
    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    return choose(&keys, argc - operand, argv + operand);
}
