/* SPDX-License-Identifier: MIT */
/* arguments.h — the command line as a table per sub-command; getopt_long and --help both read it. */
#ifndef APP_CLI_ARGUMENTS_H
#define APP_CLI_ARGUMENTS_H

#include "base/base.h"

enum argument_kind { ARGUMENT_FLAG = 1, ARGUMENT_U64, ARGUMENT_TEXT };

struct argument {
    const char *name; /* without "--" */
    uint8_t     kind;
    uint64_t    max;        /* of a number */
    void       *into;       /* bool *, uint64_t * or const char ** */
    const char *word, *doc; /* "N", "DIR"; one sentence */
};

struct arguments {
    const char            *command; /* "dev" */
    const char            *operand; /* "DIR" when exactly one is taken, "…" for any number, else NULL */
    const char            *doc;
    const struct argument *rows;
    uint32_t               count;
    void (*more_help)(void);
};

/*
 * Reads argv (argv[0] is the sub-command). False: *code is the exit code, after --help was printed or the
 * mistake named. *first_operand is the index of the first operand in argv, which getopt has ordered.
 */
bool arguments_read(const struct arguments *arguments, int argc, char **argv, int *first_operand, int *code);

#endif
