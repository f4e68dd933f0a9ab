/* SPDX-License-Identifier: MIT */
/* init_log.c — dojima init-log: the place of a shared log in a PostgreSQL database. */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "io/signals.h"
#include "log/setup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PASSWORD_LETTERS 32
#define PATH_BYTES       4096

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

/* A file that only this user can read. */
static int keep_password(const char *path, const char *password)
{
    char        folder[PATH_BYTES], line[LOG_PASSWORD_MAX + 2];
    const char *slash = strrchr(path, '/');
    size_t      len = slash == NULL ? 0 : (size_t)(slash - path);
    int         bytes = snprintf(line, sizeof(line), "%s\n", password);

    if (len >= sizeof(folder)) return ENAMETOOLONG;
    memcpy(folder, path, len);
    folder[len] = '\0';
    if (slash == NULL) (void)snprintf(folder, sizeof(folder), ".");
    if (slash == path) (void)snprintf(folder, sizeof(folder), "/");
    return files_append(folder, slash == NULL ? path : slash + 1, slice_make(line, (size_t)bytes));
}

/* The first line of the file; a new password, kept there, when there is no such file. */
static int take_password(const char *path, char text[LOG_PASSWORD_MAX + 1])
{
    size_t len = 0;
    int    error = path == NULL ? ENOENT : files_read(path, text, LOG_PASSWORD_MAX, &len);

    if (error == 0) {
        text[len] = '\0';
        text[strcspn(text, "\r\n")] = '\0';
        return EXIT_FINE;
    }
    if (error != ENOENT) return complain(EXIT_GENERAL, "init-log: %s cannot be read: %s", path, strerror(error));
    if (!make_password(text)) return complain(EXIT_GENERAL, "init-log: the system gives no random bytes");
    error = path == NULL ? 0 : keep_password(path, text);
    if (error != 0) return complain(EXIT_GENERAL, "init-log: %s cannot be written: %s", path, strerror(error));
    return EXIT_FINE;
}

int command_init_log(int argc, char **argv)
{
    const char           *writer = NULL, *reader = NULL;
    struct log_setup      setup = { 0 };
    struct log_report     report;
    const struct argument rows[] = {
        { "writer-password-file", ARGUMENT_TEXT, 0, &writer, "FILE",
          "The password of the role dojima_writer; made, and readable by this user only, when it is absent." },
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
