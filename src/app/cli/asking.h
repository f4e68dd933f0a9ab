/* SPDX-License-Identifier: MIT */
/*
 * asking.h — what the sub-commands that ask a running exchange have in common: the connection to its administration
 * socket, the options --data, --id, --digest, --signature and --json, the request, and its outcome in text (rulings
 * 30, 49). Functions return an exit code of ruling 52, after the message.
 */
#ifndef APP_CLI_ASKING_H
#define APP_CLI_ASKING_H

#include "app/cli/arguments.h"
#include "app/cli/members.h"
#include "diagnostics/program_log.h"
#include "model/operator.h"
#include "admin/admin.h"

/* The command line of one request. */
struct asking {
    const char *command;
    const char *data, *id, *engine, *tx;
    const char *to;                      /* a node */
    const char *signature;               /* of a second person */
    const char *address, *coin, *amount; /* the first three words */
    char      **words;
    int         count; /* of words */
    struct {
        const char *coin, *amount;
    } money;             /* as options */
    const char *symbol;  /* of orders that are canceled */
    uint64_t    account; /* 0 = the address's first one */
    uint64_t    at;      /* when a symbol is settled, Unix ms */
    bool        json, all, digest, between;
    char        fresh[40]; /* an id of our own */
    int         handle;
};

/*
 * Reads the options and from `least` to `most` words, connects to the exchange and calls `run`. Closes the connection.
 */
int asking_run(struct asking *asking, const struct arguments *arguments, int argc, char **argv, int least, int most,
               int (*run)(struct asking *));

/* One line there and back. `id` stands in the advice to ask again. *answer is the envelope, which the caller frees. */
int asking_line(const struct asking *asking, struct slice line, const char *id, char text[LOCAL_LINE_MAX],
                json_t **answer);

/* Sends a request and prints its outcome; with --digest: sends nothing, prints what a second person signs. */
int asking_request(const struct asking *asking, const char *type, const struct shape *shape, const void *params,
                   const char *id);

/* The rows of the common options. */
#define ROW_DATA(asking)                                                                                               \
    {                                                                                                                  \
        "data", ARGUMENT_TEXT, 0, &(asking).data, "DIR", "Folder of the running exchange."                             \
    }
/* clang-format off */
#define ROW_ID(asking) { "id", ARGUMENT_TEXT, 0, &(asking).id, "ID", \
    "Asking again with the same id changes nothing; a fresh one when not given." }, \
                           { "digest", ARGUMENT_FLAG, 0, &(asking).digest, "", \
                             "Sends nothing: prints what a second person signs where the exchange wants one (with " \
                             "--json: for a wallet)." }, \
                           { "signature", ARGUMENT_TEXT, 0, &(asking).signature, "HEX", \
                             "That person's signature: 0x, 01, r, s and v." }
/* clang-format on */
#define ROW_JSON(asking)                                                                                               \
    {                                                                                                                  \
        "json", ARGUMENT_FLAG, 0, &(asking).json, "", "The answer as a line of JSON."                                  \
    }

#endif
