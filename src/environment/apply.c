/* SPDX-License-Identifier: MIT */
/* apply.c — a command goes to the engine; the account sees its events at once, the views before the traders look. */
#include "environment/environment.h"

void environment_fold(struct dojima_environment *environment)
{
    views_apply(environment->views, (const struct events *)(const void *)&environment->events, NULL);
    environment->events.bytes = 0;
}

static void keep(struct dojima_environment *environment, const struct command *command)
{
    size_t room = environment->setup.log_bytes;

    if (environment->setup.log == NULL) return;
    if (environment->logged <= room && room - environment->logged >= command->bytes)
        memcpy(environment->setup.log + environment->logged, command, command->bytes);
    environment->logged += command->bytes;
}

void environment_apply(struct dojima_environment *environment, struct command *command)
{
    size_t             from = environment->events.bytes;
    enum dojima_status status;

    command->seq = 0;
    command->time_ms = environment->time_ms;
    status = dojima_engine_apply(environment->engine, (struct dojima_command *)(void *)command, &environment->events);
    if (status == DOJIMA_EVENTS_FULL) {
        environment_fold(environment);
        from = 0;
        status =
            dojima_engine_apply(environment->engine, (struct dojima_command *)(void *)command, &environment->events);
    }
    assert(status == DOJIMA_OK);
    keep(environment, command);
    observe_events(environment, from);
}
