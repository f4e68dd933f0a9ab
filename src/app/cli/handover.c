/* SPDX-License-Identifier: MIT */
/* handover.c — dojima handover: the leader of several nodes lets another one lead, for planned work. */
#include "app/cli/asking.h"
#include "app/cli/commands.h"
#include "wire/shape.h"

#include <stdio.h>

static int run_handover(struct asking *asking)
{
    char       text[LOCAL_LINE_MAX + 1];
    struct out line = out_make(text, LOCAL_LINE_MAX - 1);
    json_t    *answer;
    int        code;

    out_literal(&line, "{\"type\":\"handover\",\"params\":{\"to\":");
    json_write_string(&line, slice_of(asking->to != NULL ? asking->to : ""));
    out_literal(&line, "}}");
    if (line.overflow) return complain(EXIT_USAGE, "handover: the name of the node is too long");
    code = asking_line(asking, out_slice(&line), "", text, &answer);
    if (code != EXIT_FINE) return code;
    if (asking->json) (void)printf("%s\n", text);
    if (number_at(answer, "code") != 0 && asking->json) code = EXIT_GENERAL;
    else if (number_at(answer, "code") != 0) code = complain(EXIT_GENERAL, "handover: %s", text_at(answer, "error"));
    else if (!asking->json) (void)printf("%s\n", text_at(json_object_get(answer, "data"), "outcome"));
    json_decref(answer);
    return code;
}

int command_handover(int argc, char **argv)
{
    struct asking          asking = { .command = "handover" };
    const struct argument  rows[] = { ROW_DATA(asking),
                                      { "to", ARGUMENT_TEXT, 0, &asking.to, "NODE",
                                        "The node that leads then; any other one "
                                         "when not given." },
                                      ROW_JSON(asking) };
    const struct arguments arguments = { "handover",
                                         NULL,
                                         "The exchange of this folder, which leads, ends what is on its way and lets "
                                         "another node lead (docs/cluster.md).",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };

    return asking_run(&asking, &arguments, argc, argv, 0, 0, run_handover);
}
