/* SPDX-License-Identifier: MIT */
/* conform.c — dojima conform URL: the contract of this program, asked of an exchange. */
#include "api/api.h"
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/client/conform_reads.h"
#include "app/client/conform_refusals.h"
#include "app/client/plain.h"
#include "app/client/symbol.h"
#include "app/client/table.h"
#include "diagnostics/program_log.h"

#include <stdio.h>
#include <stdlib.h>

#define CONTRACT_BYTES (1024 * 1024)

static void take_difference(void *self, const char *at, const char *expected, const char *got)
{
    conform_report(self, at, expected, got);
}

/* The contract, written by this program. */
static json_t *read_contract(void)
{
    struct out out = out_make(malloc(CONTRACT_BYTES), CONTRACT_BYTES);
    json_t    *contract = NULL;

    if (out.at != NULL) {
        api_write_contract(&out, SLICE(DOJIMA_VERSION));
        assert(!out.overflow);
        contract = json_loadb(out.at, out.len, 0, NULL);
    }
    free(out.at);
    return contract;
}

/* A symbol of each side, for requests that need one. */
static int find_symbols(struct conform *conform)
{
    static const char *const bases[] = { "spot", "perps" };
    json_t                  *both = client_read_both(conform->client, "/markets/symbols");

    if (both == NULL) return EXIT_GENERAL;
    for (size_t b = 0; b < 2; b++) {
        const char *name = text_at(json_array_get(json_object_get(both, bases[b]), 0), "name");

        if (symbol_is_name(name)) (void)snprintf(conform->symbols[b], sizeof(conform->symbols[b]), "%s", name);
    }
    json_decref(both);
    return EXIT_FINE;
}

static const struct column columns[] = {
    { "REQUEST", "request", COLUMN_TEXT },
    { "AT", "at", COLUMN_TEXT },
    { "EXPECTED", "expected", COLUMN_TEXT },
    { "GOT", "got", COLUMN_TEXT },
};

static void print_differences(const struct conform *conform)
{
    struct table table;
    json_t      *row;
    size_t       i;

    table_begin(&table, columns, ARRAY_COUNT(columns));
    json_array_foreach(conform->differences, i, row) table_add_record(&table, row, NULL);
    if (table_size(&table) != 0) table_print(&table, conform->client->colours, "");
    table_end(&table);
    (void)printf("%lu requests, %lu checks, %zu differences\n", (unsigned long)conform->requests,
                 (unsigned long)conform->judge.checks, json_array_size(conform->differences));
}

static int print_json(const struct conform *conform)
{
    json_t *value = json_pack("{s:s,s:I,s:I,s:b,s:O}", "url", conform->client->origin, "requests",
                              (json_int_t)conform->requests, "checks", (json_int_t)conform->judge.checks, "complete",
                              !conform->stopped, "differences", conform->differences);
    int     code = client_print(conform->client, value);

    json_decref(value);
    return code;
}

static int compare(struct conform *conform)
{
    int code = find_symbols(conform);

    if (code != EXIT_FINE) return code;
    conform_reads(conform);
    conform_refusals(conform);
    if (conform->client->json) code = print_json(conform);
    else print_differences(conform);
    if (conform->stopped) return complain(EXIT_GENERAL, "conform: not every request was made");
    return code != EXIT_FINE || json_array_size(conform->differences) != 0 ? EXIT_GENERAL : EXIT_FINE;
}

static int run_conform(struct client *client)
{
    struct conform conform = { .client = client, .contract = read_contract(), .differences = json_array() };
    int            code;

    log_init(false);
    conform.judge = (struct schema_judge){ .contract = conform.contract, .self = &conform, .differs = take_difference };
    code = conform.contract != NULL ? compare(&conform) : complain(EXIT_GENERAL, "conform: not enough memory");
    json_decref(conform.contract);
    json_decref(conform.differences);
    return code;
}

/* The URL is a word here: it is what the command is about. */
static int run_at(struct client *client)
{
    if (strcmp(client->origin, client->words[0]) == 0) return run_conform(client);
    venue_close(&client->venue);
    client->url = client->words[0];
    return client_open(client) == EXIT_FINE ? run_conform(client) : EXIT_USAGE;
}

int command_conform(int argc, char **argv)
{
    struct client          client = { .command = "conform" };
    const struct argument  rows[] = { { "json", ARGUMENT_FLAG, 0, &client.json, "", "One JSON value instead of text." },
                                      { "address", ARGUMENT_TEXT, 0, &client.address, "0x…",
                                        "The account whose reads are compared; else that of development account "
                                         "1001." } };
    const struct arguments arguments = { "conform",
                                         "URL",
                                         "Asks an exchange every read of the contract of this program and requests "
                                         "that must be refused, and prints how its answers differ. No write is sent "
                                         "that could be executed.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };

    return client_run(&client, &arguments, argc, argv, 1, 1, run_at);
}
