/* SPDX-License-Identifier: MIT */
/*
 * sign.c — dojima sign: the headers of a signed write, for trying the interface with curl, and the second signature of
 * an operator's command. It signs with a development account, or with a key from where the other commands have it.
 */
#include "api/api.h"
#include "base/hex.h"
#include "crypto/typed.h"
#include "io/clock.h"
#include "io/local.h"
#include "io/secret_file.h"
#include "app/cli/arguments.h"
#include "diagnostics/program_log.h"
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/cli/venue.h"
#include "app/client/client.h"
#include "wire/shape.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY_VARIABLE "DOJIMA_PRIVATE_KEY" /* that the samples of the API page set: it comes before DOJIMA_KEY */

/* The key of a development account, or the one that the options or the environment name. */
static int find_secret(const struct signer_source *source, uint64_t account, struct signer *signer)
{
    const char      *key = signer_variable(KEY_VARIABLE);
    char             why[SIGNER_WHY];
    enum signer_find found;

    if (account != 0 && (source->key_file != NULL || source->keystore != NULL))
        return complain(EXIT_USAGE, "sign: --account names a development account; give it without a key of your own");
    if (account != 0)
        return signer_development(account, signer)
                 ? EXIT_FINE
                 : complain(EXIT_USAGE, "sign: --account %lu is none of the development accounts 1001 to 1010",
                            (unsigned long)account);
    if (key != NULL && source->key_file == NULL && source->keystore == NULL)
        found = signer_read(slice_of(key), KEY_VARIABLE, signer, why);
    else found = signer_find(source, 0, true, signer, why);
    if (found == SIGNER_FAILED) return complain(EXIT_USAGE, "sign: %s", why);
    if (found == SIGNER_NONE)
        return complain(EXIT_USAGE, "sign: no key: name one with --key-file or --keystore, set DOJIMA_KEY, or give a "
                                    "development account with --account");
    return EXIT_FINE;
}

/* The text to be signed, and the form. */
struct order_to_sign {
    const char *type, *body, *key_name, *typed; /* key_name, typed: NULL = not given */
    uint8_t     domain;
    uint64_t    chain_id, nonce;
};

/* clang-format off */
static const struct { const char *name; uint8_t domain; } domains[] = {
    { "spot", DOMAIN_SPOT }, { "futures", DOMAIN_FUTURES }, { "universal", DOMAIN_UNIVERSAL },
      { "operator", DOMAIN_OPERATOR },
};
/* clang-format on */

static struct hash256 digest_of_action(const struct order_to_sign *order)
{
    struct out     params = out_make(malloc(strlen(order->body) + 1), strlen(order->body) + 1);
    struct hash256 separator = domain_separator(order->domain, order->chain_id), payload;

    assert(params.at != NULL);
    json_compact(slice_of(order->body), &params);
    payload = payload_hash(slice_of(order->type), out_slice(&params));
    free(params.at);
    return action_digest(&separator, &payload, order->nonce);
}

/* The first spelling that fits the body, or the requested one (wire 3.5). */
static int digest_of_grant(const struct order_to_sign *order, struct hash256 *digest)
{
    struct add_key_request request;
    struct shape_error     error;
    struct grant_walk      walk = { .chain_ids = &order->chain_id, .chain_count = 1 };

    if (shape_read(&add_key_shape, slice_of(order->body), &request, &error) != REJECT_NONE)
        return complain(EXIT_USAGE, "sign: the body is no addAPIKey: %s %s%s%s", error.field,
                        reject_row(error.reject)->text, error.got[0] != '\0' ? ", got " : "", error.got);
    walk.grant = key_grant_of(&request, order->nonce);
    while (grant_walk_next(&walk, digest))
        if (order->typed == NULL || strcmp(walk.spelling->primary_type, order->typed) == 0) return EXIT_FINE;
    return complain(EXIT_USAGE, "sign: the typed data %.60s does not match the body",
                    order->typed != NULL ? order->typed : "");
}

/* A command of an operator, by the second person: the signature alone, for --signature. */
static int print_signature(const uint8_t secret[32], const struct order_to_sign *order)
{
    char text_room[LOCAL_LINE_MAX], command_room[LOCAL_LINE_MAX], id[OPERATOR_ID_MAX + 1], signed_text[SIGNATURE_TEXT];
    struct out text = out_make(text_room, sizeof(text_room)), command = out_make(command_room, sizeof(command_room));
    struct shape_error error;
    struct hash256     digest;
    struct signature   signature;

    if (order->key_name != NULL || order->nonce != 0 || order->typed != NULL)
        return complain(EXIT_USAGE, "sign: a command of an operator has neither --key nor --nonce nor --typed");
    out_literal(&text, "{\"type\":\"");
    out_text(&text, order->type);
    out_literal(&text, "\",\"params\":");
    out_text(&text, order->body);
    out_char(&text, '}');
    if (text.overflow || !api_operator_canonical(out_slice(&text), &command, id, &error))
        return complain(EXIT_USAGE, "sign: this is no command of an operator: %s: %s",
                        text.overflow ? "too long" : error.field,
                        text.overflow           ? ""
                        : error.need[0] != '\0' ? error.need
                                                : reject_row(error.reject)->rule);
    digest = api_operator_digest(order->chain_id, slice_of(id), out_slice(&command));
    if (!sign_digest(&digest, secret, 1, &signature)) return complain(EXIT_USAGE, "sign: the key is not a private key");
    signature_write(&signature, signed_text);
    (void)printf("%.134s\n", signed_text);
    return EXIT_FINE;
}

/* Whether a client's write of this type is signed in the domain. */
static bool is_signed_there(const struct order_to_sign *order)
{
    for (uint16_t kind = 0; kind < COMMAND_KINDS; kind++) {
        const struct command_row *row = &command_rows[kind];

        if (row->sender < SENDER_KEY || row->name == NULL || strcmp(row->name, order->type) != 0) continue;
        if (order->domain == DOMAIN_UNIVERSAL) return row->sender != SENDER_KEY;
        if ((row->sides & (order->domain == DOMAIN_SPOT ? SIDES_SPOT : SIDES_PERPS)) != 0) return true;
    }
    return false;
}

static int print_headers(const uint8_t secret[32], const struct order_to_sign *order)
{
    bool             grant = strcmp(order->type, command_name(CMD_ADD_KEY)) == 0;
    struct hash256   digest;
    struct signature signature;
    char             text[SIGNATURE_TEXT];
    int              code = EXIT_FINE;

    if (grant && order->domain != DOMAIN_UNIVERSAL)
        return complain(EXIT_USAGE, "sign: %s is signed in the domain universal", order->type);
    if (!grant && order->typed != NULL) return complain(EXIT_USAGE, "sign: --typed is for addAPIKey");
    if (!grant && !is_signed_there(order))
        return complain(EXIT_USAGE, "sign: %.60s is no action that is signed in this domain (docs/api.md)",
                        order->type);
    if (grant) code = digest_of_grant(order, &digest);
    else digest = digest_of_action(order);
    if (code != EXIT_FINE) return code;
    if (!sign_digest(&digest, secret, order->domain == DOMAIN_UNIVERSAL ? 2 : 1, &signature))
        return complain(EXIT_USAGE, "sign: the key is not a private key");
    signature_write(&signature, text);
    (void)printf("Content-Type: application/json\n");
    if (order->key_name != NULL) (void)printf("X-API-Key: %s\n", order->key_name);
    (void)printf("X-API-Nonce: %lu\nX-API-Chain: %lu\nX-API-Sign: %.134s\n", (unsigned long)order->nonce,
                 (unsigned long)order->chain_id, text);
    return EXIT_FINE;
}

/* The parameters of dojima_explainSignature: a write whose nonce is too old in every year. It is not made. */
static json_t *old_write(void)
{
    char signature[SIGNATURE_TEXT + 1] = "0x01";

    memset(signature + 4, '1', sizeof(signature) - 5);
    return json_pack("[{s:s,s:s,s:s,s:{s:s,s:s}}]", "method", "POST", "path", "/api/v1/spot/trade/orders/batch", "body",
                     "{}", "headers", "X-API-Sign", signature, "X-API-Nonce", "1");
}

/*
 * The time by which nonces are judged. An exchange of development may have leapt, which moves no nonces (ruling 44): it
 * tells its time without the leaps when it explains why a nonce is too old. Any other one explains nothing and does not
 * leap. 0: venue->why.
 */
static int64_t nonce_time(struct venue *venue)
{
    json_t *params = old_write(), *result = venue_call(venue, "dojima_explainSignature", params), *time = NULL;
    int64_t ms = number_at(json_object_get(json_object_get(result, "answer"), "details"), "serverTime");

    if (ms <= 0) {
        time = venue_read(venue, "/api/v1/time");
        ms = number_at(time, "serverTime");
    }
    json_decref(params);
    json_decref(result);
    json_decref(time);
    return ms;
}

/* The nonce where none was given: of this machine's clock, or of the exchange at `url`, which is asked for its time. */
static int take_nonce(struct order_to_sign *order, const char *url)
{
    struct venue venue;
    int64_t      ms;
    bool         open;

    if (order->nonce != 0) return EXIT_FINE;
    if (url == NULL) {
        order->nonce = (uint64_t)clock_wall_ms();
        return EXIT_FINE;
    }
    open = venue_open(&venue, url);
    ms = open ? nonce_time(&venue) : 0;
    order->nonce = (uint64_t)ms;
    if (open) venue_close(&venue);
    return ms > 0 ? EXIT_FINE : complain(EXIT_GENERAL, "sign: --url: %s", venue.why);
}

/* The three words behind the options. */
static int read_words(int count, char **words, struct order_to_sign *order)
{
    if (count != 3)
        return complain(
            EXIT_USAGE,
            "sign: three words are needed: spot, futures, universal or operator, the action's type, the body");
    for (size_t i = 0; i < ARRAY_COUNT(domains); i++)
        if (strcmp(words[0], domains[i].name) == 0) order->domain = domains[i].domain;
    if (order->domain == 0)
        return complain(EXIT_USAGE, "sign: the domain is spot, futures, universal or operator, not \"%.40s\"",
                        words[0]);
    if (!json_is_valid(slice_of(words[2]))) return complain(EXIT_USAGE, "sign: the body is not JSON");
    if (order->key_name != NULL && !text_is_client_id(slice_of(order->key_name)))
        return complain(EXIT_USAGE, "sign: --key wants a name of 1 to 36 of 0-9 a-z A-Z _ -");
    order->type = words[1];
    order->body = words[2];
    return EXIT_FINE;
}

int command_sign(int argc, char **argv)
{
    struct order_to_sign order = { .chain_id = PUBLIC_CHAIN };
    struct signer_source source = { 0 };
    struct signer        signer = { 0 };
    uint64_t             account = 0;
    const char          *url = NULL;
    /* clang-format off */
    const struct argument rows[] = {
        { "account", ARGUMENT_U64, UINT32_MAX, &account, "ID",
          "A development account, 1001 to 1010. Without it the key is your own, and " KEY_VARIABLE
          " comes before DOJIMA_KEY." },
        ROW_KEY(source),
        ROW_PASSWORD(source),
        { "key", ARGUMENT_TEXT, 0, &order.key_name, "NAME",
          "The name of the API key that signs; without it the main wallet does." },
        { "nonce", ARGUMENT_U64, INT64_MAX, &order.nonce, "N", "The nonce; the clock's milliseconds when not given." },
        { "url", ARGUMENT_TEXT, 0, &url, "URL",
          "Where --nonce is not given: an exchange of another time, http://HOST:PORT; it is asked for its time." },
        { "chain", ARGUMENT_U64, INT64_MAX, &order.chain_id, "ID", "The chain id to sign for; 286623 when not given." },
        { "typed", ARGUMENT_TEXT, 0, &order.typed, "TYPE",
          "addAPIKey: the primary type to sign; the first that fits the body when not given." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "sign",
        "spot|futures|universal|operator TYPE BODY",
        "Prints the headers of a signed write, for curl -H @FILE. TYPE is the action's name (batchNewOrder). "
        "With operator: the second signature of an operator command, alone; dojima deposit --digest prints TYPE and "
        "BODY.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    code = read_words(argc - operand, argv + operand, &order);
    if (code != EXIT_FINE) return code;
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    code = find_secret(&source, account, &signer);
    if (code == EXIT_FINE && order.domain == DOMAIN_OPERATOR) code = print_signature(signer.secret, &order);
    else if (code == EXIT_FINE && (code = take_nonce(&order, url)) == EXIT_FINE)
        code = print_headers(signer.secret, &order);
    secret_forget(signer.secret, sizeof(signer.secret));
    return code;
}
