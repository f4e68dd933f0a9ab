/* SPDX-License-Identifier: MIT */
/*
 * init.c — dojima init: the configuration and the data folder of a new venue. The configuration is config/example.ini
 * with the values that differ from venue to venue; it is read as `serve` reads it before it is kept.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/config.h"
#include "base/hex.h"
#include "base/in_program.h"
#include "diagnostics/program_log.h"
#include "io/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE_IN_PROGRAM(init_example, APP_EXAMPLE_FILE);

#define TEXT_BYTES     65536
#define CHAIN_ID_FIRST UINT64_C(100000000) /* drawn ids lie above those that chains have */
#define CHAIN_ID_MAX   UINT64_C(2147483647)

struct init {
    const char *config, *data, *listen, *feeder, *operator;
    uint64_t chain_id; /* 0 = drawn */
    char     text[TEXT_BYTES];
};

static void put(struct out *out, struct slice text) { out_bytes(out, text.at, text.len); }

static bool draw_chain_id(uint64_t *id)
{
    uint64_t bytes;

    if (!files_random(&bytes, sizeof(bytes))) return false;
    *id = CHAIN_ID_FIRST + bytes % (CHAIN_ID_MAX - CHAIN_ID_FIRST);
    return true;
}

static bool begins(struct slice line, const char *key)
{
    size_t len = strlen(key);

    return line.len > len + 3 && memcmp(line.at, key, len) == 0 && memcmp(line.at + len, " = ", 3) == 0;
}

/* The line of the example, or that of this venue in its place. */
static void copy_line(const struct init *init, struct slice line, struct out *out)
{
    char        id[24];
    const char *value = NULL;

    (void)snprintf(id, sizeof(id), "%lu", (unsigned long)init->chain_id);
    if (begins(line, "listen")) value = init->listen;
    else if (begins(line, "data")) value = init->data;
    else if (begins(line, "chainIds")) value = id;
    else if (begins(line, "bootstrap") && init->feeder != NULL) value = "off";
    if (value == NULL) {
        put(out, line);
        return;
    }
    put(out, slice_make(line.at, (size_t)((const char *)memchr(line.at, '=', line.len) - line.at)));
    out_literal(out, "= ");
    put(out, slice_of(value));
    out_literal(out, "\n");
}

/* A section of its own at the end of the file, where the order of sections does not matter. */
static void add_section(struct out *out, const char *kind, const char *address, const char *line)
{
    if (address == NULL) return;
    out_literal(out, "\n[");
    put(out, slice_of(kind));
    out_literal(out, " ");
    put(out, slice_of(address));
    out_literal(out, "]\n");
    put(out, slice_of(line));
}

/* False: it is too long. */
static bool write_text(struct init *init)
{
    struct out  out = out_make(init->text, sizeof(init->text) - 1);
    const char *at = init_example;

    while (at < init_example_end) {
        const char *end = memchr(at, '\n', (size_t)(init_example_end - at));
        end = end == NULL ? init_example_end : end + 1;
        copy_line(init, slice_make(at, (size_t)(end - at)), &out);
        at = end;
    }
    add_section(&out, "feeder", init->feeder, "weight = 1\n");
    add_section(&out, "operator", init->operator, "name = operator\n");
    if (out.overflow) return false;
    init->text[out.len] = '\0';
    return true;
}

/* What `serve` would say of it. */
static int try_text(const struct init *init)
{
    char           error[1024];
    struct config *config = calloc(1, sizeof(*config));
    bool           ok;

    if (config == NULL) return complain(EXIT_GENERAL, "not enough memory");
    ok = config_read(init->text, init->config, false, config, error, sizeof(error));
    if (ok && strcmp(config->data, init->data) != 0) {
        (void)snprintf(error, sizeof(error), "--data %.200s cannot stand in a configuration", init->data);
        ok = false;
    }
    free(config);
    return ok ? EXIT_FINE : complain(EXIT_USAGE, "init: %s", error);
}

/* A folder is taken only when it is absent or empty. */
static int take_folder(const struct init *init)
{
    static const char *const none[] = { NULL };
    char                     name[256];
    int                      error = files_find_other(init->data, none, name);

    if (error == EEXIST)
        return complain(EXIT_GENERAL, "init: the folder %s is not empty: it has %.100s", init->data, name);
    if (error == 0) error = files_make_folder(init->data);
    if (error == 0) error = files_check_folder(init->data, true);
    return error == 0 ? EXIT_FINE
                      : complain(EXIT_GENERAL, "init: the folder %s cannot be made: %s", init->data, strerror(error));
}

static int check_absent(const struct init *init)
{
    char   byte;
    size_t len;

    return files_read(init->config, &byte, 1, &len) == ENOENT
             ? EXIT_FINE
             : complain(EXIT_GENERAL, "init: %s is there already, or its folder cannot be read; nothing was changed",
                        init->config);
}

static int write_venue(struct init *init)
{
    int code, error;

    if (init->chain_id == 0 && !draw_chain_id(&init->chain_id))
        return complain(EXIT_GENERAL, "init: the system gives no random bytes");
    if (!write_text(init)) return complain(EXIT_USAGE, "init: a value is too long");
    code = try_text(init);
    if (code == EXIT_FINE) code = check_absent(init);
    if (code == EXIT_FINE) code = take_folder(init);
    if (code != EXIT_FINE) return code;
    error = files_create(init->config, slice_make(init->text, strlen(init->text)));
    if (error != 0) return complain(EXIT_GENERAL, "init: %s cannot be written: %s", init->config, strerror(error));
    (void)printf("%s: chain id %lu, listens on %s, data in %s\n", init->config, (unsigned long)init->chain_id,
                 init->listen, init->data);
    (void)printf("next: dojima doctor --config %s; dojima serve --config %s\n", init->config, init->config);
    return EXIT_FINE;
}

int command_init(int argc, char **argv)
{
    static struct init    init = { .config = "dojima.ini", .data = "./dojima-data", .listen = "127.0.0.1:8080" };
    const struct argument rows[] = {
        { "config", ARGUMENT_TEXT, 0, &init.config, "FILE", "The configuration to write; dojima.ini when not given." },
        { "data", ARGUMENT_TEXT, 0, &init.data, "DIR",
          "The data folder, absent or empty; ./dojima-data when not given." },
        { "listen", ARGUMENT_TEXT, 0, &init.listen, "ADDRESS:PORT", "127.0.0.1:8080 when not given." },
        { "chain-id", ARGUMENT_U64, CHAIN_ID_MAX, &init.chain_id, "N",
          "What clients sign for; a random one that no chain has when not given." },
        { "feeder", ARGUMENT_TEXT, 0, &init.feeder, "ADDRESS",
          "Who posts index prices; when not given the spot markets stand in (bootstrap = on)." },
        { "operator", ARGUMENT_TEXT, 0, &init.operator, "ADDRESS",
          "Who must sign operators' commands as a second person; nobody when not given." },
    };
    const struct arguments arguments = { "init",
                                         NULL,
                                         "Writes the configuration of a new venue and makes its data folder. Nothing "
                                         "that exists is overwritten. Exit code 1: it exists or cannot be written, 2: "
                                         "a value is wrong.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };
    int                    operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    return write_venue(&init);
}
