/* SPDX-License-Identifier: MIT */
/* transfer.c — dojima transfer: money between the sides of an account (wire 2.4). */
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/amount.h"
#include "app/client/plain.h"
#include "app/client/write.h"
#include "io/clock.h"
#include "model/enums.h"
#include "model/text.h"

#include <stdio.h>

#define OTHER_SIDE 999 /* toAccountID of every direction on offer */

static const struct direction {
    const char *from, *to;
    uint8_t     market, type;
} directions[] = {
    { "spot", "perps", MARKET_SPOT, TRANSFER_PERPS_WITHDRAW },
    { "spot", "evm", MARKET_SPOT, TRANSFER_EVM_WITHDRAW },
    { "perps", "spot", MARKET_PERPS, TRANSFER_SPOT_WITHDRAW },
};

static uint64_t id; /* 0: the clock */

static const struct direction *find_direction(const char *from, const char *to)
{
    for (size_t i = 0; i < ARRAY_COUNT(directions); i++)
        if (strcmp(directions[i].from, from) == 0 && strcmp(directions[i].to, to) == 0) return &directions[i];
    return NULL;
}

/* The coin's id on the side that gives it. -1: the reason was printed. */
static json_int_t find_coin(struct client *client, const struct direction *direction, const char *name)
{
    json_t    *rows = client_read(client, "/api/v1/%s/markets/coins", direction->from), *row;
    json_int_t found = -1;
    char       asked[40];
    size_t     i;

    if (rows == NULL) return -1;
    json_array_foreach(rows, i, row)
        if (strncasecmp(text_at(row, "name"), name, NAME_MAX_LEN + 1) == 0) found = number_at(row, "id");
    json_decref(rows);
    (void)snprintf(asked, sizeof(asked), "%s", name);
    plain_clean(asked);
    if (found < 0) (void)complain(EXIT_GENERAL, "transfer: there is no coin \"%s\" on %s", asked, direction->from);
    return found;
}

static void say_moved(const json_t *data) { (void)printf("moved, transfer %lld\n", number_at(data, "id")); }

static int run_transfer(struct client *client)
{
    const struct direction *direction = find_direction(client->words[2], client->words[3]);
    const char             *amount = client->words[0];
    struct client_write     write = { 0, "POST", "/accounts/transfers", "transferAsset", NULL };
    json_int_t              coin;
    int                     code;

    if (direction == NULL)
        return complain(EXIT_USAGE, "transfer: money goes from spot to perps, from perps to spot, or from spot to evm");
    code = amount_check("transfer", "AMOUNT", &amount);
    if (code == EXIT_FINE) code = client_sign_in(client);
    if (code != EXIT_FINE) return code;
    coin = find_coin(client, direction, client->words[1]);
    if (coin < 0) return EXIT_GENERAL;
    write.market = direction->market;
    write.body = json_pack("{s:I,s:I,s:I,s:I,s:s,s:I}", "id", (json_int_t)(id != 0 ? id : (uint64_t)clock_wall_ms()),
                           "fromAccountID", (json_int_t)client->account, "toAccountID", (json_int_t)OTHER_SIDE,
                           "coinID", coin, "amount", amount, "type", (json_int_t)direction->type);
    if (write.body == NULL) return complain(EXIT_GENERAL, "transfer: not enough memory");
    code = client_write(client, &write, say_moved);
    json_decref(write.body);
    return code;
}

int command_transfer(int argc, char **argv)
{
    struct client          client = { .command = "transfer" };
    const struct argument  rows[] = { ROW_CLIENT(client),
                                      { "id", ARGUMENT_U64, INT64_MAX, &id, "N",
                                        "The transfer's own number: the same again moves nothing again; the clock's "
                                         "milliseconds when not given." },
                                      ROW_ACCOUNT(client),
                                      ROW_WRITE(client) };
    const struct arguments arguments = {
        "transfer", "AMOUNT COIN FROM TO", "Moves money of an account: spot perps, perps spot, or spot evm.",
        rows,       ARRAY_COUNT(rows),     NULL
    };

    return client_run(&client, &arguments, argc, argv, 4, 4, run_transfer);
}
