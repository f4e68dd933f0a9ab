/* SPDX-License-Identifier: MIT */
/* env.c — dojima env: what a program needs to reach an exchange, for a shell, a .env file, or as JSON. */
#include "app/cli/commands.h"
#include "app/client/client.h"
#include "app/client/plain.h"
#include "base/out.h"

#include <stdio.h>

static bool dotenv;

static const char *hex_key(const struct client *client, char text[67])
{
    struct out out = out_make(text, 66);

    out_literal(&out, "0x");
    out_hex(&out, client->signer.secret, sizeof(client->signer.secret));
    text[out.len] = '\0';
    return text;
}

/* The key of a development account only: everybody knows it. Others never leave their store. */
static json_t *gather(const struct client *client)
{
    const char *host = strstr(client->origin, "://");
    char        urls[5][400], chain[24], account[24], key[67] = "";

    (void)snprintf(urls[0], sizeof(urls[0]), "%s/api/v1/spot", client->origin);
    (void)snprintf(urls[1], sizeof(urls[1]), "%s/api/v1/perps", client->origin);
    (void)snprintf(urls[2], sizeof(urls[2]), "%s/rpc", client->origin);
    (void)snprintf(urls[3], sizeof(urls[3]), "%s%s/ws", strncmp(client->origin, "https", 5) == 0 ? "wss" : "ws", host);
    (void)snprintf(chain, sizeof(chain), "%lu", (unsigned long)client->venue.chain_id);
    (void)snprintf(account, sizeof(account), "%lu", (unsigned long)client->account);
    if (client->signer.is_development) (void)hex_key(client, key);
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s*,s:s,s:s*}", "DOJIMA_URL", client->origin, "DOJIMA_SPOT_URL",
                     urls[0], "DOJIMA_PERPS_URL", urls[1], "DOJIMA_RPC_URL", urls[2], "DOJIMA_WS_URL", urls[3],
                     "DOJIMA_CHAIN_ID", chain, "DOJIMA_ACCOUNT", client->account != 0 ? account : NULL,
                     "DOJIMA_ADDRESS", client->owner, "DOJIMA_KEY", key[0] != '\0' ? key : NULL);
}

static void print_lines(const json_t *values)
{
    const char *name;
    json_t     *value;

    json_object_foreach((json_t *)values, name, value) {
        char text[512];

        (void)printf("%s%s=", dotenv ? "" : "export ", name);
        (void)plain_value(value, text, sizeof(text));
        if (dotenv) (void)printf("%s", text);
        else plain_quoted(stdout, text);
        (void)printf("\n");
    }
}

static int run_env(struct client *client)
{
    json_t *values;
    int     code;

    if (dotenv && client->json) return complain(EXIT_USAGE, "env: either --dotenv or --json");
    code = client_find_owner(client);
    if (code != EXIT_FINE) return code;
    if (!venue_learn_chain(&client->venue)) return client_fail(client);
    values = gather(client);
    if (values == NULL) return complain(EXIT_GENERAL, "env: not enough memory");
    if (client->json) code = client_print(client, values);
    else print_lines(values);
    json_decref(values);
    return code;
}

int command_env(int argc, char **argv)
{
    struct client          client = { .command = "env" };
    const struct argument  rows[] = { ROW_CLIENT(client),
                                      { "dotenv", ARGUMENT_FLAG, 0, &dotenv, "", "Lines for a .env file." },
                                      ROW_ACCOUNT(client) };
    const struct arguments arguments = { "env",
                                         NULL,
                                         "Prints how programs reach an exchange, for eval \"$(dojima env)\". A private "
                                         "key stands there only when it is one of a development exchange.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };

    return client_run(&client, &arguments, argc, argv, 0, 0, run_env);
}
