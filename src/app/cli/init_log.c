/* SPDX-License-Identifier: MIT */
/* init_log.c — dojima init-log: the place of a shared log in a PostgreSQL database. */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "io/secret_file.h"
#include "log/setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PASSWORD_LETTERS 32

static bool make_password(char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint8_t           bytes[4 * PASSWORD_LETTERS];
    size_t            len = 0;

    if (!files_random(bytes, sizeof(bytes))) return false;
    for (size_t i = 0; i < sizeof(bytes) && len < PASSWORD_LETTERS; i++)
        if (bytes[i] % 64 < 62) text[len++] = letters[bytes[i] % 64];
    text[len] = '\0';
    return len == PASSWORD_LETTERS;
}

static bool is_absent(const char *path)
{
    char   byte;
    size_t len;

    return files_read(path, &byte, 1, &len) == ENOENT;
}

/* A new password, kept in a file that only this user can read; NULL: kept nowhere. */
static int new_password(const char *path, char text[LOG_PASSWORD_MAX + 1])
{
    char line[LOG_PASSWORD_MAX + 2], why[SECRET_WHY_BYTES];
    int  len;

    if (!make_password(text)) return complain(EXIT_GENERAL, "init-log: the system gives no random bytes");
    if (path == NULL) return EXIT_FINE;
    len = snprintf(line, sizeof(line), "%s\n", text);
    if (secret_file_make(path, slice_make(line, (size_t)len), why)) return EXIT_FINE;
    return complain(EXIT_GENERAL, "init-log: the password file %s", why);
}

/* The first line of the file; a new password, kept there, when there is no such file. */
static int take_password(const char *path, char text[LOG_PASSWORD_MAX + 1])
{
    char   room[LOG_PASSWORD_MAX + sizeof("\r\n")], why[SECRET_WHY_BYTES];
    size_t len;

    if (path == NULL || is_absent(path)) return new_password(path, text);
    if (!secret_file_read(path, room, sizeof(room) - 1, &len, why))
        return complain(EXIT_GENERAL, "init-log: the password file %s", why);
    room[len] = '\0';
    room[strcspn(room, "\r\n")] = '\0';
    if (strlen(room) > LOG_PASSWORD_MAX)
        return complain(EXIT_GENERAL, "init-log: the password in %s has more than %d characters", path,
                        LOG_PASSWORD_MAX);
    (void)strcpy(text, room);
    return EXIT_FINE;
}

int command_init_log(int argc, char **argv)
{
    const char           *writer = NULL, *reader = NULL;
    struct log_setup      setup = { 0 };
    struct log_report     report;
    const struct argument rows[] = {
        { "writer-password-file", ARGUMENT_TEXT, 0, &writer, "FILE",
          "The password of the role dojima_writer, in a file with mode 0600; made when it is absent." },
        { "reader-password-file", ARGUMENT_TEXT, 0, &reader, "FILE", "The same of the role dojima_reader." },
    };
    const struct arguments arguments = {
        "init-log",
        "URL",
        "Makes the tables of a shared log in a PostgreSQL database, and two roles, and prints the URL of each: the "
        "writer's is for [log] url. Without a file a role gets a new password each time.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    setup.url = argv[operand];
    code = take_password(writer, setup.writer);
    if (code == EXIT_FINE) code = take_password(reader, setup.reader);
    if (code != EXIT_FINE) return code;
    if (log_set_up(&setup, &report) != LOG_OK) return complain(EXIT_GENERAL, "init-log: %s", report.text);
    (void)printf("writer  %s\nreader  %s\n", setup.writer_url, setup.reader_url);
    return EXIT_FINE;
}
