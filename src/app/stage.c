/* SPDX-License-Identifier: MIT */
#include "app/stage.h"

#include "app/cli/members.h"
#include "app/cli/scenario_known.h"
#include "diagnostics/program_log.h"
#include "io/child.h"
#include "io/files.h"
#include "io/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK_MS    50 /* between two looks whether the scenario has ended */
#define LINE_BYTES 4096

enum { ORDER_START = 1, ORDER_STOP };
struct order {
    uint32_t kind, number; /* of the scenario */
    uint32_t port;         /* of the exchange to play in; 0: in one of its own */
};

/* ---- the other process ---- */

/* The pid of the scenario; 0: it could not be started. */
static int play(int handle, const struct order *order)
{
    struct timeline *timeline = order->number < scenario_known_count ? malloc(sizeof(*timeline)) : NULL;
    char             url[48], name[64], parent[24], why[256];
    const char      *words[12] = { "dojima", "scenario", "run", name, "--json", "--progress", "--parent", parent };
    int              pid = 0, error = ENOMEM;

    if (timeline == NULL) return 0;
    if (timeline_read(scenario_known_text(order->number), timeline, why)) error = 0;
    (void)snprintf(name, sizeof(name), "%s", error == 0 ? timeline->name : "");
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", order->port & 0xffff);
    (void)snprintf(parent, sizeof(parent), "%lu", (unsigned long)child_self());
    if (order->port != 0) words[8] = "--url";
    if (order->port != 0) words[9] = url;
    if (error == 0) error = child_start((char *const *)(uintptr_t)words, handle, &pid);
    timeline_free(timeline);
    free(timeline);
    return error == 0 ? pid : 0;
}

static bool say_end(int handle, int code)
{
    char text[32];
    int  len = snprintf(text, sizeof(text), "{\"exit\":%d}\n", code);

    return child_write(handle, text, (size_t)len);
}

/* Orders, until the exchange ends. */
static int serve(int handle)
{
    int playing = 0, code;

    for (;;) {
        struct order order;
        int          got = child_read(handle, &order, sizeof(order), playing != 0 ? LOOK_MS : -1);

        if (got < 0) break;
        if (playing != 0 && child_ended(playing, &code) != 0) {
            playing = 0;
            if (!say_end(handle, code)) break;
        }
        if (got == 0) continue;
        if (order.kind == ORDER_STOP && playing != 0) {
            child_finish(playing);
            playing = 0;
            if (!say_end(handle, -1)) break;
        } else if (order.kind == ORDER_START && playing == 0) {
            playing = play(handle, &order);
            if (playing == 0 && !say_end(handle, EXIT_GENERAL)) break;
        }
    }
    if (playing != 0) child_finish(playing);
    return 0;
}

/* ---- the exchange ---- */

static bool find(struct slice name, uint32_t *number, bool *is_own)
{
    struct timeline *timeline;
    char             why[256];

    if (!scenario_known_find(name, number)) return false;
    timeline = malloc(sizeof(*timeline));
    if (timeline == NULL) return false;
    *is_own = !timeline_read(scenario_known_text(*number), timeline, why) || scenario_needs_own(timeline);
    timeline_free(timeline);
    free(timeline);
    return true;
}

static bool start(void *self, uint32_t number, bool is_own)
{
    const struct stage *stage = self;
    struct order        order = { ORDER_START, number, is_own ? 0 : stage->port };

    return stage->is_open && child_write(stage->handle, &order, sizeof(order));
}

static bool stop(void *self)
{
    const struct stage *stage = self;
    struct order        order = { .kind = ORDER_STOP };

    return stage->is_open && child_write(stage->handle, &order, sizeof(order));
}

/* A line of the scenario; those about the run itself are not kept. */
static void hear(struct stage *stage, struct slice line)
{
    json_t *json = json_loadb(line.at, line.len, 0, NULL);

    if (json_object_get(json, "exit") != NULL) scenarios_ended(&stage->scenarios, number_at(json, "exit"));
    else if (json_object_get(json, "now") != NULL) scenarios_now(&stage->scenarios, number_at(json, "now"));
    else if (json_is_object(json)) scenarios_line(&stage->scenarios, line);
    json_decref(json);
}

/* Whole lines; a line that is too long is left out. */
static void hear_all(struct stage *stage, char *text, size_t *len)
{
    char *end;

    while ((end = memchr(text, '\n', *len)) != NULL) {
        size_t used = (size_t)(end - text) + 1;

        hear(stage, slice_make(text, used - 1));
        memmove(text, text + used, *len - used);
        *len -= used;
    }
    if (*len == LINE_BYTES) *len = 0;
}

static void *listen_to(void *argument)
{
    struct stage *stage = argument;
    char          text[LINE_BYTES];
    size_t        len = 0;
    long          got;

    thread_stand_back();
    while ((got = child_take(stage->handle, text + len, sizeof(text) - len, -1)) >= 0) {
        len += (size_t)got;
        hear_all(stage, text, &len);
    }
    scenarios_ended(&stage->scenarios, -1);
    return NULL;
}

void stage_open(struct stage *stage)
{
    int error = child_copy(serve, &stage->handle, &stage->pid);

    stage->is_open = error == 0;
    if (error != 0) log_line(LOG_WARN, "no scenario can be played from /rpc: %s", strerror(error));
    stage->means = (struct scenario_means){
        .self = stage, .list = scenario_known_write, .find = find, .start = start, .stop = stop
    };
    scenarios_init(&stage->scenarios, &stage->means);
}

int stage_start(struct stage *stage, uint16_t port)
{
    int error = 0;

    stage->port = port;
    if (stage->is_open) error = thread_start(&stage->thread, "scenario", listen_to, stage);
    stage->listens = stage->is_open && error == 0;
    return error;
}

void stage_close(struct stage *stage)
{
    if (stage->is_open) child_hang_up(stage->handle);
    if (stage->listens) thread_join(stage->thread);
    if (stage->is_open) {
        if (stage->listens) child_kill(stage->pid); /* it has closed its end: nothing is left for it to do */
        else child_finish(stage->pid);
        files_close(stage->handle);
    }
    stage->is_open = stage->listens = false;
    scenarios_deinit(&stage->scenarios);
}
