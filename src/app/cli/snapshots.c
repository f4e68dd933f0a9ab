/* SPDX-License-Identifier: MIT */
/* snapshots.c — dojima snapshot, revert, snapshots: calls of /rpc of a running development exchange. */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/cli/venue.h"
#include "diagnostics/program_log.h"

#include <stdio.h>
#include <time.h>

/* The result of a call; NULL: the reason was printed. */
static json_t *call(const char *word, const char *url, const char *method, const char *operand)
{
    struct venue venue;
    json_t      *params = operand != NULL ? json_pack("[s]", operand) : json_array(), *result = NULL;
    bool         open = venue_open(&venue, venue_url(url));

    if (open) result = venue_call(&venue, method, params);
    if (result == NULL) (void)complain(EXIT_GENERAL, "%s: %s", word, venue.why);
    if (open) venue_close(&venue);
    json_decref(params);
    return result;
}

static bool read_arguments(const char *word, const char *operand, const char *doc, int argc, char **argv,
                           const char **url, int *at, int *code)
{
    const struct argument  rows[] = { { "url", ARGUMENT_TEXT, 0, url, "URL",
                                        "The exchange; else DOJIMA_URL, else " VENUE_URL "." } };
    const struct arguments arguments = { word, operand, doc, rows, ARRAY_COUNT(rows), NULL };

    return arguments_read(&arguments, argc, argv, at, code);
}

int command_snapshot(int argc, char **argv)
{
    const char *url = NULL, *name = NULL;
    json_t     *result;
    int         at, code;

    if (!read_arguments("snapshot", "…", "Makes a snapshot of a development exchange, perhaps with a name.", argc, argv,
                        &url, &at, &code))
        return code;
    if (argc - at > 1) return complain(EXIT_USAGE, "snapshot: at most one name is taken");
    if (argc - at == 1) name = argv[at];
    result = call("snapshot", url, "evm_snapshot", name);
    if (result == NULL) return EXIT_GENERAL;
    (void)printf("%s\n", json_string_value(result));
    json_decref(result);
    return EXIT_FINE;
}

int command_revert(int argc, char **argv)
{
    const char *url = NULL;
    json_t     *result;
    int         at, code;

    if (!read_arguments("revert", "SNAPSHOT", "Takes a development exchange back to a snapshot, by its number or name.",
                        argc, argv, &url, &at, &code))
        return code;
    if (argc - at != 1) return complain(EXIT_USAGE, "revert: name one snapshot (see dojima revert --help)");
    result = call("revert", url, "evm_revert", argv[at]);
    if (result == NULL) return EXIT_GENERAL;
    json_decref(result);
    return EXIT_FINE;
}

static void print_row(const json_t *row)
{
    time_t    seconds = (time_t)(number_at(row, "time") / 1000);
    struct tm parts;
    char      text[32] = "";

    if (gmtime_r(&seconds, &parts) != NULL) (void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
    (void)printf("  %-7s %-32s block %-10lld %s\n", text_at(row, "id"), text_at(row, "name"),
                 number_at(row, "blockNumber"), text);
}

int command_snapshots(int argc, char **argv)
{
    const char *url = NULL;
    json_t     *result, *row;
    size_t      index;
    int         at, code;

    if (!read_arguments("snapshots", NULL, "Lists the snapshots of a development exchange.", argc, argv, &url, &at,
                        &code))
        return code;
    result = call("snapshots", url, "dojima_snapshots", NULL);
    if (result == NULL) return EXIT_GENERAL;
    json_array_foreach(result, index, row) print_row(row);
    json_decref(result);
    return EXIT_FINE;
}
