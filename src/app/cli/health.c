/* SPDX-License-Identifier: MIT */
/* health.c — dojima health: whether an exchange serves, as an exit code, for containers and service managers. */
#include "admin/admin.h"
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "diagnostics/program_log.h"
#include "io/fetch.h"
#include "io/files.h"
#include "io/local.h"

#include <stdio.h>

#define URL          "http://127.0.0.1:8080"
#define ANSWER_BYTES 16384
#define PAUSE_MS_MAX 600000

struct health {
    const char *url, *data;
    bool        alive; /* ask whether it answers, and not whether it serves */
    uint64_t    timeout_ms;
};

/* What the answer says, or its status alone where it is no answer of an exchange. */
static int say_status(const struct health *health, const struct fetched *fetched)
{
    json_t     *answer = json_loadb(fetched->text, fetched->len, 0, NULL);
    const char *error = text_at(answer, "error");
    bool        is_ours = json_is_string(json_object_get(json_object_get(answer, "data"), "status"));
    int         code = EXIT_FINE;

    if (fetched->status != 200 || !is_ours)
        code = complain(EXIT_GENERAL, "health: %.200s: HTTP %d%s%.100s", health->url, fetched->status,
                        error[0] != '\0' ? ", " : ", and not the answer of an exchange", error);
    json_decref(answer);
    return code;
}

static int ask_url(const struct health *health)
{
    char           url[1024], text[ANSWER_BYTES];
    struct fetch   fetch = { .url = url, .timeout_ms = (int64_t)health->timeout_ms };
    struct fetched fetched = { .text = text, .cap = sizeof(text) };

    if (snprintf(url, sizeof(url), "%s%s", health->url, health->alive ? "/healthz" : "/readyz") >= (int)sizeof(url))
        return complain(EXIT_USAGE, "health: the address is too long");
    if (!fetch_url(&fetch, &fetched)) return complain(EXIT_GENERAL, "health: %s", fetched.why);
    return say_status(health, &fetched);
}

/* Its administration socket answers; only its own user is answered there. */
static int ask_folder(const struct health *health)
{
    struct local_fault fault;
    char               path[1024], text[LOCAL_LINE_MAX + 1];
    size_t             len;
    int                handle, code = EXIT_FINE;

    if (!admin_path(health->data, path, sizeof(path)))
        return complain(EXIT_USAGE, "health: the path of the folder is too long");
    handle = local_connect(path, &fault);
    if (handle < 0) return complain(EXIT_GENERAL, "health: no exchange runs on %.200s", health->data);
    if (local_ask(handle, SLICE("{\"type\":\"pools\"}"), text, &len) != 0)
        code = complain(EXIT_GENERAL, "health: the exchange on %.200s does not answer", health->data);
    files_close(handle);
    return code;
}

int command_health(int argc, char **argv)
{
    struct health         health = { .timeout_ms = 5000 };
    const struct argument rows[] = {
        { "data", ARGUMENT_TEXT, 0, &health.data, "DIR",
          "Ask the exchange that runs on this folder, at its administration socket, and no URL." },
        { "alive", ARGUMENT_FLAG, 0, &health.alive, "",
          "Ask whether the process answers (/healthz); else whether it serves: the log is replayed and healthy "
          "(/readyz)." },
        { "timeout", ARGUMENT_U64, PAUSE_MS_MAX, &health.timeout_ms, "MS",
          "Give up after so many milliseconds; 5000 when not given." },
    };
    const struct arguments arguments = { "health",
                                         "…",
                                         "Whether the exchange at URL, " URL
                                         " when not given, serves. Exit code 0: it does; 1: it does not, and one line "
                                         "says why.",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };
    int                    at, code;

    if (!arguments_read(&arguments, argc, argv, &at, &code)) return code;
    if (argc - at > 1) return complain(EXIT_USAGE, "health: at most one URL is taken");
    if (health.timeout_ms == 0) return complain(EXIT_USAGE, "health: --timeout 0: a number from 1 is needed");
    if (health.data != NULL && (argc - at == 1 || health.alive))
        return complain(EXIT_USAGE, "health: --data asks a folder, and neither a URL nor --alive goes with it");
    health.url = argc - at == 1 ? argv[at] : URL;
    return health.data != NULL ? ask_folder(&health) : ask_url(&health);
}
