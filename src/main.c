/* SPDX-License-Identifier: MIT */
/* main.c — the sub-commands. */
#include "io/signals.h"
#include "io/thread.h"
#include "diagnostics/program_log.h"
#include "app/cli/commands.h"

#include <stdio.h>

static int command_version(int argc, char **argv);
static int command_help(int argc, char **argv);

/* clang-format off */
static const struct command_row {
    const char *name;
    int       (*run)(int argc, char **argv);
    bool        serves;             /* waits for signals itself; the others end by them at once */
    const char *doc;
} commands[] = {
    { "dev",     command_dev,     true,  "a whole exchange with funded accounts, on http://127.0.0.1:8080" },
    { "serve",   command_serve,   true,  "a venue with a configuration file" },
    { "init",    command_init,    false, "writes the configuration of a new venue and makes its data folder" },
    { "verify", command_verify, false, "replays a data folder and reports its last block, state hash and invariants" },
    { "convert", command_convert, false, "makes a data folder of this version out of one of an older version" },
    { "init-log", command_init_log, false, "makes the tables and roles of a shared log in a PostgreSQL database" },
    { "copy-log", command_copy_log, false, "copies a log from a data folder to a database, or back, and compares" },
    { "trim-log", command_trim_log, false, "removes the beginning of a shared log from its database, into an archive" },
    { "shadow",  command_shadow,  true,  "follows the log of an exchange and writes snapshots of it" },
    { "log",     command_log,     false, "prints the log as text, or as a scenario that can be played" },
    { "explain-liquidation", command_explain_liquidation, false,
      "replays a data folder and prints how one liquidation was decided" },
    { "sign",    command_sign,    false, "the headers of a signed write, for trying with curl" },
    { "account", command_account, false, "one more account for an address, on a running exchange" },
    { "deposit", command_deposit, false, "money from outside into an account of a running exchange" },
    { "redeem",  command_redeem,  false, "burns withdrawn money that has left a running exchange" },
    { "market",  command_market,  false, "halts a symbol of a running exchange, lets it trade, or settles it" },
    { "cancel",  command_cancel_either, false,
      "cancels your open orders; with --data DIR, as operator, those of any account" },
    { "staking", command_staking, false, "the staking tier of a user of a running exchange: its discount on fees" },
    { "mode",    command_mode,    false, "the mode of a running exchange: all may trade, only cancel, or only reduce" },
    { "limits",  command_limits,  false, "the pools of a running exchange: how full they are, and more places" },
    { "request", command_request, false, "any operator's command of a running exchange, by its type and fields" },
    { "doctor", command_doctor, false,
      "what needs attention of an exchange and the machine under it, before it is a fault" },
    { "health",  command_health,  false, "whether an exchange serves, as an exit code" },
    { "faucet",  command_faucet,  false, "money for trying things out, on a running exchange" },
    { "snapshot", command_snapshot, false, "a place to which a running development exchange can go back" },
    { "revert",  command_revert,  false, "takes a running development exchange back to a snapshot" },
    { "snapshots", command_snapshots, false, "lists the snapshots of a running development exchange" },
    { "chaos",   command_chaos,   false, "faults on demand, on a running development exchange" },
    { "handover", command_handover, false, "of several nodes with one log, lets another one lead" },
    { "join",    command_join,    false, "begins a new node with the snapshot and history of a running one" },
    { "oracle",  command_oracle,  true,  "posts index prices, signed, from a command, a file or a URL" },
    { "record",  command_record,  true,  "writes what an exchange publishes into a file: books, trades, marks" },
    { "replay",  command_replay,  true,  "plays a recorded market into a development exchange" },
    { "scenario", command_scenario, true, "plays a scenario against a development exchange: a crash, an outage" },
    { "markets", command_markets, false, "the symbols of an exchange and their prices" },
    { "book",    command_book,    false, "the order book of a symbol" },
    { "trades",  command_trades,  false, "the last trades of a symbol, or one's own" },
    { "balances", command_balances, false, "the money of an account" },
    { "positions", command_positions, false, "the open positions of an account" },
    { "orders",  command_orders,  false, "the open orders of an account" },
    { "buy",     command_buy,     false, "places an order to buy" },
    { "sell",    command_sell,    false, "places an order to sell" },
    { "bracket", command_bracket, false, "places an order with its take profit and stop loss" },
    { "replace", command_replace, false, "changes price or size of an open order" },
    { "transfer", command_transfer, false, "moves money of an account between spot, perps and the EVM ledger" },
    { "keys",    command_keys,    false, "private keys in encrypted files" },
    { "env",     command_env,     false, "how programs reach an exchange, for a shell, a .env file or as JSON" },
    { "watch",   command_watch,   true,  "a live table of prices, or of one symbol's book and trades" },
    { "conform", command_conform, true,  "compares what an exchange answers with the contract of this program" },
    { "version", command_version, false, "the version of this program" },
    { "help",    command_help,    false, "lists the sub-commands" },
};
/* clang-format on */

static void print_help(FILE *to)
{
    (void)fprintf(to, "dojima %s: a complete exchange in one program\n\n", DOJIMA_VERSION);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        (void)fprintf(to, "  dojima %-19s %s\n", commands[i].name, commands[i].doc);
    (void)fprintf(to, "\n`dojima COMMAND --help` describes each.\n");
}

static int command_version(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        (void)printf("dojima version\n\n  Prints name and version.\n");
        return EXIT_FINE;
    }
    if (argc > 1) return complain(EXIT_USAGE, "version: unexpected argument %s", argv[1]);
    (void)printf("dojima %s\n", DOJIMA_VERSION);
    return EXIT_FINE;
}

static int run(const struct command_row *row, int argc, char **argv)
{
    int code;

    if (row->serves) signals_block();
    code = row->run(argc, argv);
    return code == EXIT_STOPPED ? EXIT_FINE : code;
}

/* The row of a command; NULL: there is none of that name. */
static const struct command_row *find(const char *name)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

/* `help COMMAND` is `COMMAND --help`. */
static int command_help(int argc, char **argv)
{
    static char               word[] = "--help";
    const struct command_row *row = argc == 2 ? find(argv[1]) : NULL;

    if (argc > 2) return complain(EXIT_USAGE, "help: one command at a time");
    if (row != NULL && row->run != command_help) return run(row, 2, (char *[]){ argv[1], word, NULL });
    if (argc == 2 && row == NULL && strcmp(argv[1], word) != 0)
        return complain(EXIT_USAGE, "help: there is no command %.60s (dojima help lists them)", argv[1]);
    print_help(stdout);
    return EXIT_FINE;
}

/* "dev, serve, … and help", from the rows. */
static const char *names(const char *last, char *text, size_t cap)
{
    size_t count = sizeof(commands) / sizeof(commands[0]), len = 0;

    for (size_t i = 0; i < count && len < cap; i++)
        len += (size_t)snprintf(text + len, cap - len, "%s%s",
                                i == 0           ? ""
                                : i + 1 == count ? last
                                                 : ", ",
                                commands[i].name);
    return text;
}

/* The deepest calls take 100 kB; the environment is on the same stack. */
#define STACK_LEAST ((uint64_t)256 << 10)

/* What was printed and is lost is a failure of every command; a code that says more stays. */
static int close_output(int code)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0) return code;
    return code == EXIT_FINE ? complain(EXIT_DISK, "the output cannot be written") : code;
}

static int choose(int argc, char **argv)
{
    const struct command_row *row;
    char                      text[768];
    uint64_t                  stack = thread_set_stacks();

    if (stack < STACK_LEAST)
        return complain(EXIT_GENERAL, "the stack may have %lu kB (ulimit -s); at least %lu kB are needed",
                        (unsigned long)(stack >> 10), (unsigned long)(STACK_LEAST >> 10));
    if (argc < 2) return complain(EXIT_USAGE, "name a command: %s (try dojima dev)", names(" or ", text, sizeof(text)));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return command_help(1, argv);
    if (strcmp(argv[1], "--version") == 0) return command_version(1, argv);
    row = find(argv[1]);
    if (row != NULL) return run(row, argc - 1, argv + 1);
    return complain(EXIT_USAGE, "unknown command %.60s; there are %s", argv[1], names(" and ", text, sizeof(text)));
}

int main(int argc, char **argv)
{
    signals_let_writes_fail();
    return close_output(choose(argc, argv));
}
