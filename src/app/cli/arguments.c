/* SPDX-License-Identifier: MIT */
#include "app/cli/arguments.h"

#include "diagnostics/program_log.h"

#include <getopt.h>
#include <stdio.h>

#define ROWS_MAX 32

static void print_help(const struct arguments *arguments)
{
    (void)printf("dojima %s%s%s%s\n\n  %s\n\n", arguments->command, arguments->count != 0 ? " [OPTIONS]" : "",
                 arguments->operand != NULL ? " " : "", arguments->operand != NULL ? arguments->operand : "",
                 arguments->doc);
    for (uint32_t i = 0; i < arguments->count; i++) {
        char left[64];
        (void)snprintf(left, sizeof(left), "--%s %s", arguments->rows[i].name, arguments->rows[i].word);
        (void)printf("  %-22s %s\n", left, arguments->rows[i].doc);
    }
    (void)printf("  %-22s %s\n", "--help", "This text.");
    if (arguments->more_help != NULL) arguments->more_help();
}

static bool usage(const struct arguments *arguments, int *code, const char *what, const char *which)
{
    *code =
        complain(EXIT_USAGE, "%s: %s%s (see dojima %s --help)", arguments->command, what, which, arguments->command);
    return false;
}

static bool read_number(const char *text, uint64_t max, uint64_t *number)
{
    *number = 0;
    if (text[0] == '\0') return false;
    for (; *text != '\0'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || digit > max || *number > (max - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return *number <= max;
}

static bool take(const struct argument *row, const char *value)
{
    switch ((enum argument_kind)row->kind) {
    case ARGUMENT_FLAG: *(bool *)row->into = true; return true;
    case ARGUMENT_TEXT: *(const char **)row->into = value; return value[0] != '\0';
    case ARGUMENT_U64: return read_number(value, row->max, row->into);
    }
    return false;
}

bool arguments_read(const struct arguments *arguments, int argc, char **argv, int *first_operand, int *code)
{
    struct option long_rows[ROWS_MAX + 2] = { { "help", no_argument, NULL, 'h' } };
    int           index, letter, operands;
    char          text[192];

    assert(arguments->count <= ROWS_MAX);
    for (uint32_t i = 0; i < arguments->count; i++)
        long_rows[i + 1] = (struct option){ arguments->rows[i].name,
                                            arguments->rows[i].kind == ARGUMENT_FLAG ? no_argument : required_argument,
                                            NULL, 256 + (int)i };
    opterr = 0;
    optind = 1;
    while ((letter = getopt_long(argc, argv, ":", long_rows, &index)) != -1) {
        if (letter == 'h') {
            print_help(arguments);
            *code = EXIT_FINE;
            return false;
        }
        if (letter == ':') return usage(arguments, code, "this option needs a value: ", argv[optind - 1]);
        if (letter == '?') {
            (void)snprintf(text, sizeof(text), "-%c", optopt);
            return usage(arguments, code, "unknown option ", optopt != 0 && optopt < 128 ? text : argv[optind - 1]);
        }
        if (!take(&arguments->rows[letter - 256], optarg)) {
            const struct argument *row = &arguments->rows[letter - 256];
            (void)snprintf(text, sizeof(text), "--%s %s: \"%.60s\" is not %s", row->name, row->word, optarg,
                           row->kind == ARGUMENT_U64 ? "a whole number in range" : "a value");
            return usage(arguments, code, text, "");
        }
    }
    operands = argc - optind;
    *first_operand = optind;
    if (arguments->operand == NULL && operands > 0) return usage(arguments, code, "unexpected argument ", argv[optind]);
    if (arguments->operand != NULL && strcmp(arguments->operand, "DIR") == 0 && operands != 1)
        return usage(arguments, code, operands == 0 ? "name the data folder" : "name one data folder, not also ",
                     operands == 0 ? "" : argv[optind + 1]);
    return true;
}
