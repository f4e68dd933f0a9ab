/* SPDX-License-Identifier: MIT */
/*
 * sign.c — dojima sign: the three headers of a signed write, for trying the interface with curl. It signs
 * with a development account, or with a key from the environment, which keeps it off the command line.
 */
#include "base/hex.h"
#include "crypto/crypto.h"
#include "io/clock.h"
#include "server/arguments.h"
#include "server/dev_accounts.h"
#include "server/log.h"
#include "server/server.h"
#include "wire/shape.h"

#include <stdio.h>
#include <stdlib.h>

#define KEY_VARIABLE "DOJIMA_PRIVATE_KEY"

static int find_secret(uint64_t account, uint8_t secret[32])
{
    const char *key = getenv(KEY_VARIABLE);

    if (account >= 1001 && account < 1001 + DEV_ACCOUNTS) {
        memcpy(secret, dev_secrets[account - 1001], 32);
        return EXIT_FINE;
    }
    if (account != 0) return complain(EXIT_USAGE, "sign: --account %lu is none of the development accounts 1001 to 1010", (unsigned long)account);
    if (key == NULL || !hex_read_0x(slice_of(key), secret, 32))
        return complain(EXIT_USAGE, "sign: name a development account with --account, or put 0x and 64 hex digits into " KEY_VARIABLE);
    return EXIT_FINE;
}

static int print_headers(const uint8_t secret[32], uint8_t domain, uint64_t chain_id, uint64_t nonce, const char *type, const char *body)
{
    struct out       params = out_make(malloc(strlen(body) + 1), strlen(body) + 1);
    struct hash256   separator, payload, digest;
    struct signature signature;
    char             text[134];

    assert(params.at != NULL);
    json_compact(slice_of(body), &params);
    separator = domain_separator(domain, chain_id);
    payload = payload_hash(slice_of(type), out_slice(&params));
    digest = action_digest(&separator, &payload, nonce);
    free(params.at);
    if (!sign_digest(&digest, secret, 1, &signature)) return complain(EXIT_USAGE, "sign: the key is not a private key");
    signature_write(&signature, text);
    (void)printf("Content-Type: application/json\nX-API-Nonce: %lu\nX-API-Chain: %lu\nX-API-Sign: %.134s\n", (unsigned long)nonce,
                 (unsigned long)chain_id, text);
    return EXIT_FINE;
}

int command_sign(int argc, char **argv)
{
    uint64_t              account = 0, nonce = 0, chain_id = 286623;
    const struct argument rows[] = {
        { "account", ARGUMENT_U64, UINT32_MAX, &account,  "ID", "A development account, 1001 to 1010; else the key is taken from " KEY_VARIABLE "." },
        { "nonce",   ARGUMENT_U64, INT64_MAX,  &nonce,    "N",  "The nonce; the clock's milliseconds when not given." },
        { "chain",   ARGUMENT_U64, INT64_MAX,  &chain_id, "ID", "The chain id to sign for; 286623 when not given." },
    };
    const struct arguments arguments = { "sign", "spot|futures TYPE BODY", "Prints the headers of a signed write, for curl -H @FILE. TYPE is the action's name (batchNewOrder).",
                                         rows, ARRAY_COUNT(rows), NULL };
    uint8_t secret[32];
    int     operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    if (argc - operand != 3) return complain(EXIT_USAGE, "sign: three words are needed: spot or futures, the action's type, the body");
    if (strcmp(argv[operand], "spot") != 0 && strcmp(argv[operand], "futures") != 0)
        return complain(EXIT_USAGE, "sign: the domain is spot or futures, not \"%.40s\"", argv[operand]);
    if (!json_is_valid(slice_of(argv[operand + 2]))) return complain(EXIT_USAGE, "sign: the body is not JSON");
    code = find_secret(account, secret);
    if (code != EXIT_FINE) return code;
    if (!crypto_init()) return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    return print_headers(secret, strcmp(argv[operand], "spot") == 0 ? DOMAIN_SPOT : DOMAIN_FUTURES, chain_id,
                         nonce != 0 ? nonce : (uint64_t)clock_wall_ms(), argv[operand + 1], argv[operand + 2]);
}
