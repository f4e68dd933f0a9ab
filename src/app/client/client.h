/* SPDX-License-Identifier: MIT */
/*
 * client.h — what the sub-commands for people have in common: the exchange at a URL, its options, whose account it is,
 * and the form of what is printed. Functions that return int give an exit code of ruling 52, after the message.
 */
#ifndef APP_CLIENT_CLIENT_H
#define APP_CLIENT_CLIENT_H

#include "app/cli/arguments.h"
#include "app/cli/venue.h"
#include "app/client/signer.h"
#include "diagnostics/program_log.h"

/* The command line of one command. */
struct client {
    const char          *command;
    const char          *url;
    struct signer_source source;  /* where the key is */
    const char          *address; /* whose account, 0x and 40 hex digits; NULL: the signer's */
    uint64_t             account; /* 0: the address's first one */
    bool                 json, dry_run;
    bool                 mine, history, all;
    uint64_t             limit;   /* rows; 0: not given */
    const char          *symbol;  /* only this one; NULL: all */
    uint64_t             give_up; /* seconds after which a lost reply is not asked for again; 0: never */
    char               **words;
    int                  count;    /* of words */
    json_t              *outcomes; /* an array: what writes print with --json is gathered there; NULL: printed */

    /* after client_open */
    struct venue  venue;
    char          origin[300]; /* the URL without a slash at its end */
    bool          colours;
    struct signer signer; /* filled by client_sign_in and client_find_owner */
    char          owner[ADDRESS_TEXT];
};

/*
 * Reads the options and from `least` to `most` words, and calls `run`, which returns an exit code. A private key among
 * the arguments is refused before anything else is done.
 */
int client_run(struct client *client, const struct arguments *arguments, int argc, char **argv, int least, int most,
               int (*run)(struct client *));

/* Opens the exchange at client->url. EXIT_USAGE, after the message, when it is no URL of one. */
int client_open(struct client *client);

/* True when an argument holds a private key; says so and why it is refused. */
bool client_refuses_key(const char *command, int argc, char **argv);

/* Says why venue_… gave nothing, with an exchange's text cleaned. EXIT_GENERAL. */
int client_fail(const struct client *client);

/* `data` of a read, owned by the caller; NULL: the reason was printed. */
json_t *client_read(struct client *client, const char *format, ...) MUST_USE __attribute__((format(printf, 2, 3)));

/* Both bases: {"spot": data, "perps": data} of "/api/v1/BASE" and this path. NULL: the reason was printed. */
json_t *client_read_both(struct client *client, const char *path) MUST_USE;

/* Prints one JSON value on a line. */
int client_print(const struct client *client, const json_t *value);

/* The outcome of one write, with --json: printed, or gathered where one command writes more than once. */
int client_outcome(const struct client *client, json_t *value);

/* Finds whose account is read: client->owner, and the account where one was named. Needs no password. */
int client_find_owner(struct client *client);

/* Finds the key that signs: client->signer, client->owner and client->account. */
int client_sign_in(struct client *client);

/* "?accountID=N", or "" where the account is the address's first one, and `more` behind it. */
const char *client_query(const struct client *client, const char *more, char text[128]);

/* The rows of the common options. */
/* clang-format off */
#define ROW_CLIENT(client)                                                                                             \
    { "url", ARGUMENT_TEXT, 0, &(client).url, "URL",                                                                   \
      "The exchange, http://HOST:PORT or https://HOST; else DOJIMA_URL, else " VENUE_URL "." },                        \
    { "json", ARGUMENT_FLAG, 0, &(client).json, "", "One JSON value instead of text." }
#define ROW_KEY(source)                                                                                                \
    { "key-file", ARGUMENT_TEXT, 0, &(source).key_file, "FILE",                                                        \
      "The private key: 0x and 64 hex digits in a file of mode 0600; else the one in DOJIMA_KEY, or the file of "      \
      "DOJIMA_KEY_FILE." },                                                                                            \
    { "keystore", ARGUMENT_TEXT, 0, &(source).keystore, "NAME",                                                        \
      "The private key: a name of dojima keys list, or a file of Web3 Secret Storage; else DOJIMA_KEYSTORE." }
#define ROW_PASSWORD(source)                                                                                           \
    { "password-file", ARGUMENT_TEXT, 0, &(source).password_file, "FILE",                                              \
      "The keystore's password, in a file of mode 0600; else DOJIMA_PASSWORD, else it is asked for." }
#define ROW_ACCOUNT(client)                                                                                            \
    { "account", ARGUMENT_U64, INT64_MAX, &(client).account, "ID",                                                     \
      "The account; else DOJIMA_ACCOUNT, else the first one of the address. 1001 to 1010 name the accounts of a "      \
      "development exchange, whose keys are known." },                                                                 \
    { "address", ARGUMENT_TEXT, 0, &(client).address, "0x…",                                                           \
      "Whose account it is; else DOJIMA_ADDRESS, else the address of the key." },                                      \
    ROW_KEY((client).source)
#define ROW_WRITE(client)                                                                                              \
    ROW_PASSWORD((client).source),                                                                                     \
    { "key", ARGUMENT_TEXT, 0, &(client).source.key_name, "NAME",                                                      \
      "The name of the API key that signs; then --account and --address say whose account it is." },                   \
    { "dry-run", ARGUMENT_FLAG, 0, &(client).dry_run, "",                                                              \
      "Sends no write: prints the typed data, the digest, the headers and the body." },                                \
    { "give-up", ARGUMENT_U64, 86400, &(client).give_up, "S",                                                          \
      "Stops to ask for a lost reply after so many seconds; without it the program asks until the outcome is known." }
/* clang-format on */

#endif
