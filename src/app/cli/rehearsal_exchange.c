/* SPDX-License-Identifier: MIT */
/* rehearsal_exchange.c — the exchange that is started for a scenario. */
#include "app/cli/rehearsal.h"

#include "app/cli/members.h"
#include "io/child.h"
#include "io/files.h"

#include <stdio.h>

#define BANNER_BYTES   8192
#define BANNER_WAIT_MS 60000

static bool fail(struct rehearsal *rehearsal, const char *what)
{
    (void)snprintf(rehearsal->why, sizeof(rehearsal->why), "the exchange of the scenario %s", what);
    return false;
}

/* The line of JSON that says where it listens. */
static bool read_banner(struct rehearsal *rehearsal, int from)
{
    char    line[BANNER_BYTES];
    size_t  len = 0;
    json_t *banner;

    while (len < sizeof(line) && child_read(from, line + len, 1, BANNER_WAIT_MS) == 1 && line[len] != '\n') len++;
    banner = json_loadb(line, len, 0, NULL);
    (void)snprintf(rehearsal->url, sizeof(rehearsal->url), "%s", text_at(banner, "url"));
    json_decref(banner);
    return rehearsal->url[0] != '\0' || fail(rehearsal, "did not start; its own message says why");
}

static bool launch(struct rehearsal *rehearsal)
{
    const struct timeline *timeline = rehearsal->timeline;
    char                   seed[24];
    char *const            argv[] = { "dojima",
                                      "dev",
                                      "--json",
                                      "--quiet",
                                      "--port",
                                      "0",
                                      "--no-limits",
                                      "--clock",
                                      "0",
                                      "--market",
                                      (char *)timeline->market,
                                      "--seed",
                                      seed,
                                      "--data",
                                      rehearsal->folder,
                                      NULL };
    int                    ends[2], error;
    bool                   ok;

    (void)snprintf(seed, sizeof(seed), "%lu", (unsigned long)timeline->seed);
    if (child_pipe(ends) != 0) return fail(rehearsal, "cannot be started: there is no pipe");
    error = child_start(argv, ends[1], &rehearsal->pid);
    files_close(ends[1]);
    ok = error == 0 ? read_banner(rehearsal, ends[0]) : fail(rehearsal, "cannot be started");
    files_close(ends[0]);
    if (!ok) return false;
    if (venue_open(&rehearsal->venue, rehearsal->url)) return true;
    (void)snprintf(rehearsal->why, sizeof(rehearsal->why), "%s", rehearsal->venue.why);
    return false;
}

bool rehearsal_start(struct rehearsal *rehearsal)
{
    if (files_make_temporary(rehearsal->folder, sizeof(rehearsal->folder)) != 0)
        return fail(rehearsal, "has no temporary folder");
    return launch(rehearsal);
}

bool rehearsal_restart(struct rehearsal *rehearsal)
{
    venue_close(&rehearsal->venue);
    child_kill(rehearsal->pid);
    rehearsal->pid = 0;
    return launch(rehearsal);
}

void rehearsal_stop(struct rehearsal *rehearsal)
{
    venue_close(&rehearsal->venue);
    if (rehearsal->pid != 0) child_finish(rehearsal->pid);
    if (rehearsal->folder[0] != '\0') files_remove_tree(rehearsal->folder);
}
