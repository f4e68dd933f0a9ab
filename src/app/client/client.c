/* SPDX-License-Identifier: MIT */
#include "app/client/client.h"

#include "app/cli/members.h"
#include "app/client/plain.h"
#include "base/hex.h"
#include "crypto/crypto.h"
#include "io/files.h"
#include "io/secret_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the command line ---- */

bool client_refuses_key(const char *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *equals = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;

        if (!signer_is_key(equals != NULL ? equals + 1 : argv[i])) continue;
        (void)complain(EXIT_USAGE,
                       "%s: a private key is not taken from the command line: every user of this machine can read it "
                       "there, and the shell keeps it in its history; put it into DOJIMA_KEY or a file of mode 0600 "
                       "(--key-file), or encrypt it with dojima keys import",
                       command);
        return true;
    }
    return false;
}

static const char *variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : otherwise;
}

/* The options that the environment gives where the command line does not. */
static int take_environment(struct client *client)
{
    const char   *account = variable("DOJIMA_ACCOUNT", NULL);
    struct signer development;
    char         *end;
    uint8_t       bytes[20];
    bool          is_named = client->source.key_name == NULL && signer_development(client->account, &development);

    client->url = venue_url(client->url);
    /* a development account that the command line names comes with its own address */
    if (client->address == NULL && !is_named) client->address = variable("DOJIMA_ADDRESS", NULL);
    if (client->address != NULL && !hex_read_0x(slice_of(client->address), bytes, sizeof(bytes)))
        return complain(EXIT_USAGE, "%s: the address is 0x and 40 hex digits", client->command);
    if (client->account == 0 && account != NULL) {
        client->account = strtoull(account, &end, 10);
        if (*end != '\0' || client->account == 0 || client->account > INT64_MAX)
            return complain(EXIT_USAGE, "%s: DOJIMA_ACCOUNT is not the number of an account", client->command);
    }
    return EXIT_FINE;
}

int client_open(struct client *client)
{
    size_t len = strlen(client->url);

    while (len != 0 && client->url[len - 1] == '/') len--;
    if (len >= sizeof(client->origin)) return complain(EXIT_USAGE, "%s: the URL is too long", client->command);
    (void)snprintf(client->origin, sizeof(client->origin), "%.*s", (int)len, client->url);
    if (!venue_open(&client->venue, client->origin)) {
        plain_clean(client->venue.why);
        return complain(EXIT_USAGE, "%s: %s", client->command, client->venue.why);
    }
    client->colours =
        files_is_terminal(1) && variable("NO_COLOR", NULL) == NULL && strcmp(variable("TERM", "dumb"), "dumb") != 0;
    return EXIT_FINE;
}

int client_run(struct client *client, const struct arguments *arguments, int argc, char **argv, int least, int most,
               int (*run)(struct client *))
{
    int operand, code;

    if (client_refuses_key(client->command, argc, argv)) return EXIT_USAGE;
    if (!arguments_read(arguments, argc, argv, &operand, &code)) return code;
    client->words = argv + operand;
    client->count = argc - operand;
    if (client->count < least || client->count > most)
        return complain(EXIT_USAGE, "%s: %s: dojima %s [OPTIONS] %s (see dojima %s --help)", client->command,
                        client->count < least ? "words are missing" : "too many words", client->command,
                        arguments->operand != NULL ? arguments->operand : "", client->command);
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    code = take_environment(client);
    if (code == EXIT_FINE) code = client_open(client);
    if (code == EXIT_FINE) code = run(client);
    venue_close(&client->venue);
    secret_forget(&client->signer, sizeof(client->signer));
    return code;
}

/* ---- reading ---- */

int client_fail(const struct client *client)
{
    char why[sizeof(client->venue.why)];

    memcpy(why, client->venue.why, sizeof(why));
    plain_clean(why);
    if (client->venue.status == 0)
        return complain(EXIT_GENERAL,
                        "%s: no exchange answers: %s; start one with dojima dev, or name one with --url or DOJIMA_URL",
                        client->command, why);
    return complain(EXIT_GENERAL, "%s: %s", client->command, why);
}

json_t *client_read(struct client *client, const char *format, ...)
{
    char    path[1024];
    va_list arguments;
    json_t *data;

    va_start(arguments, format);
    (void)vsnprintf(path, sizeof(path), format, arguments);
    va_end(arguments);
    data = venue_read(&client->venue, path);
    if (data == NULL) (void)client_fail(client);
    return data;
}

json_t *client_read_both(struct client *client, const char *path)
{
    json_t *spot = client_read(client, "/api/v1/spot%s", path);
    json_t *perps = spot != NULL ? client_read(client, "/api/v1/perps%s", path) : NULL;

    if (perps != NULL) return json_pack("{s:o,s:o}", "spot", spot, "perps", perps);
    json_decref(spot);
    return NULL;
}

int client_print(const struct client *client, const json_t *value)
{
    if (plain_json(stdout, value)) return EXIT_FINE;
    return complain(EXIT_GENERAL, "%s: cannot write to standard output", client->command);
}

int client_outcome(const struct client *client, json_t *value)
{
    if (client->outcomes == NULL) return client_print(client, value);
    return json_array_append(client->outcomes, value) == 0 ? EXIT_FINE : EXIT_GENERAL;
}

const char *client_query(const struct client *client, const char *more, char text[128])
{
    if (client->account != 0)
        (void)snprintf(text, 128, "?accountID=%lu%s%s", (unsigned long)client->account, more[0] != '\0' ? "&" : "",
                       more);
    else (void)snprintf(text, 128, "%s%s", more[0] != '\0' ? "?" : "", more);
    return text;
}

/* ---- whose account it is ---- */

/* Does the exchange say itself that this account's key is known to all? Only a development exchange does. */
static bool lists_account(struct client *client, const struct signer *signer)
{
    json_t *settings = venue_ask(&client->venue, NULL, "/docs/settings.json", SLICE(""), SLICE("")), *row;
    size_t  i;
    bool    listed = false;

    json_array_foreach(json_object_get(settings, "accounts"), i, row)
        if (strncasecmp(text_at(row, "address"), signer->address, ADDRESS_TEXT) == 0) listed = true;
    json_decref(settings);
    return listed;
}

/* A development key signs for a development exchange only: elsewhere everybody could take the money. */
static int check_development(struct client *client, bool was_named)
{
    if (!client->signer.is_development || lists_account(client, &client->signer)) return EXIT_FINE;
    if (client->venue.status == 0) return client_fail(client);
    if (was_named)
        return complain(EXIT_GENERAL,
                        "%s: the key of development account %lu is public, and %.200s is no development exchange",
                        client->command, (unsigned long)client->signer.account, client->origin);
    return complain(EXIT_GENERAL,
                    "%s: no key: name one with --key-file or --keystore, or set DOJIMA_KEY (%.200s is no development "
                    "exchange, whose keys are known)",
                    client->command, client->origin);
}

static int find_signer(struct client *client, bool unlock)
{
    char             why[SIGNER_WHY] = "";
    enum signer_find found = signer_find(&client->source, client->account, unlock, &client->signer, why);
    bool             was_named = found == SIGNER_FOUND || client->account != 0;

    plain_clean(why);
    if (found == SIGNER_FAILED) return complain(EXIT_GENERAL, "%s: %s", client->command, why);
    if (found == SIGNER_NONE && !signer_development(client->account != 0 ? client->account : 1001, &client->signer))
        return complain(EXIT_USAGE,
                        "%s: no key: name one with --key-file or --keystore, or set DOJIMA_KEY; --account 1001 to 1010 "
                        "are the accounts of a development exchange",
                        client->command);
    if (client->signer.is_development && client->account == 0) client->account = client->signer.account;
    return check_development(client, was_named);
}

int client_find_owner(struct client *client)
{
    int code = EXIT_FINE;

    if (client->address != NULL) {
        (void)snprintf(client->owner, sizeof(client->owner), "%.42s", client->address);
        return EXIT_FINE;
    }
    code = find_signer(client, false);
    (void)snprintf(client->owner, sizeof(client->owner), "%s", client->signer.address);
    return code;
}

/* The account that a write names: the owner's first one. */
static int find_account(struct client *client)
{
    json_t *data = client_read(client, "/api/v1/user/%s/subaccounts", client->owner);

    if (data == NULL) return EXIT_GENERAL;
    client->account = (uint64_t)number_at(data, "primaryAccountID");
    json_decref(data);
    if (client->account != 0) return EXIT_FINE;
    return complain(EXIT_GENERAL, "%s: %s has no account on %.200s: nothing was ever deposited to it", client->command,
                    client->owner, client->origin);
}

int client_sign_in(struct client *client)
{
    int code;

    if (client->source.key_name != NULL && (client->account == 0 || client->address == NULL))
        return complain(EXIT_USAGE, "%s: with --key NAME say whose account it is: --account ID and --address 0x…",
                        client->command);
    if (client->source.key_name != NULL && !text_is_client_id(slice_of(client->source.key_name)))
        return complain(EXIT_USAGE, "%s: --key wants a name of 1 to 36 of 0-9 a-z A-Z _ -", client->command);
    code = find_signer(client, true);
    if (code != EXIT_FINE) return code;
    (void)snprintf(client->owner, sizeof(client->owner), "%.42s",
                   client->address != NULL ? client->address : client->signer.address);
    return client->account != 0 ? EXIT_FINE : find_account(client);
}
