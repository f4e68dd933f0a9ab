/* SPDX-License-Identifier: MIT */
#include "app/going_back.h"

#include "app/instance.h"
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "wire/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- at the start ---- */

/* A kill can come between a REVERT and the history's part of it. */
static int match_history(struct instance *instance, const struct branch *last)
{
    struct log_position found, expected = last != NULL ? last->at : (struct log_position){ { 0 } };
    int                 error = history_branch(instance->history, &found);

    if (error == 0 && log_position_compare(&found, &expected) != 0) {
        log_line(LOG_INFO, "the history is of another branch of the log; it is made anew");
        error = -history_begin_anew(instance->history, &expected);
    }
    return error == 0 ? EXIT_FINE : complain(EXIT_DISK, "the history cannot be read: %s", strerror(-error));
}

int going_back_look(struct instance *instance)
{
    static const struct log_position end = { { [0 ... 15] = 0xff } };
    struct replay                   *replay = &instance->replay;
    const struct branch             *last;
    int                              code;

    if (instance->genesis.development == 0 || instance->options.cluster != NULL) return EXIT_FINE;
    code = replay_find_branches(replay);
    if (code != EXIT_FINE) return code;
    last = branches_last(&replay->branches, &end);
    if (last != NULL) instance->going_back.behind_ms = last->behind_ms;
    return match_history(instance, last);
}

/* ---- the other threads ---- */

static void wake_all(void *self)
{
    struct server *server = &((struct instance *)self)->server;

    for (uint32_t ring = 0; ring < server->ring_count; ring++) server_wake(server, ring);
}

static void stop(void *self)
{
    struct instance *instance = self;

    hold_all(&instance->going_back.hold, instance->server.ring_count, wake_all, instance);
    (void)pthread_mutex_lock(&instance->going_back.keeper);
}

/* What was spent on the branch that is void does not count; its seconds may lie in the future. */
static void empty_limits(struct instance *instance)
{
    struct limiter                *limiter = &instance->limiter;
    const struct limiter_settings *settings = instance->options.limits;
    uint64_t                       seed[2];

    if (instance->limiter_memory == NULL || !files_random(seed, sizeof(seed))) return;
    limiter_deinit(limiter);
    files_forget_memory(instance->limiter_memory, align_up(limiter_size(settings), 4096));
    limiter_init(limiter, instance->limiter_memory, settings, seed);
}

static void go(void *self, struct views *views)
{
    struct instance *instance = self;

    instance->api.views = views;
    instance->traders.market.views = views;
    empty_limits(instance);
    (void)pthread_mutex_unlock(&instance->going_back.keeper);
    hold_release(&instance->going_back.hold);
    wake_all(self);
}

/* ---- the list, for readers ---- */

/* Without leading zeros, as JSON-RPC wants a quantity. */
static void write_hex(struct out *out, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "0x%lx", (unsigned long)value);
    out_text(out, text);
}

static void write_point(struct out *out, const struct save_point *point)
{
    out_literal(out, "{\"id\":\"");
    write_hex(out, point->id);
    out_literal(out, "\",\"name\":");
    if (point->name[0] == '\0') out_literal(out, "null");
    else json_write_string(out, slice_make(point->name, strnlen(point->name, sizeof(point->name))));
    out_literal(out, ",\"blockNumber\":");
    out_u64(out, point->block);
    out_literal(out, ",\"seq\":");
    out_u64(out, point->place.next_seq - 1);
    out_literal(out, ",\"time\":");
    out_i64(out, point->place.time_ms);
    out_literal(out, ",\"createdAt\":");
    out_i64(out, point->created_ms);
    out_char(out, '}');
}

#define COPIED 64

static void write_list(void *self, struct out *out)
{
    struct instance  *instance = self;
    struct save_point copies[COPIED];
    uint64_t          first = 1;
    uint32_t          count;

    out_char(out, '[');
    while ((count = save_points_copy(&instance->going_back.means.points, first, copies, COPIED)) != 0) {
        for (uint32_t i = 0; i < count; i++) {
            if (first + i != 1) out_char(out, ',');
            write_point(out, &copies[i]);
        }
        first += count;
    }
    out_char(out, ']');
}

/* ---- a state as one piece ---- */

#define ANSWER_ROOM 4096 /* for what stands around it */

static bool write_dump(void *self, struct out *out)
{
    struct instance *instance = self;
    size_t           room = out->cap - out->len;
    struct slice     bytes;
    bool             too_large;

    if (room < ANSWER_ROOM) return false;
    if (replay_dump(&instance->replay, (room - ANSWER_ROOM) / 2, &bytes, &too_large) != EXIT_FINE) return false;
    out_literal(out, "\"0x");
    out_hex(out, bytes.at, bytes.len);
    out_char(out, '"');
    free((void *)(uintptr_t)bytes.at);
    return true;
}

static const char *take_state(void *self, struct slice bytes)
{
    struct instance     *instance = self;
    struct revert_means *means = &instance->going_back.means;
    struct dump_reader   reader;
    const char          *wrong = NULL;

    if (!dump_open(&reader, bytes)) wrong = reader.wrong;
    else if (reader.genesis.len != instance->replay.genesis_json.len
             || memcmp(reader.genesis.at, instance->replay.genesis_json.at, reader.genesis.len) != 0)
        wrong = "it is the state of an exchange with other settings: dojima dev --state FILE begins with them";
    if (wrong != NULL) {
        dump_close(&reader);
        return wrong;
    }
    (void)pthread_mutex_lock(&means->loading_lock);
    dump_close(&means->loading);
    means->loading = reader;
    (void)pthread_mutex_unlock(&means->loading_lock);
    return NULL;
}

int going_back_open(struct instance *instance)
{
    struct going_back *back = &instance->going_back;
    int                error;

    pthread_mutex_init(&back->keeper, NULL);
    if (instance->genesis.development == 0 || instance->options.cluster != NULL) return EXIT_FINE;
    back->means = (struct revert_means){ .replay = &instance->replay, .self = instance, .stop = stop, .go = go };
    back->means.mark = instance->replay.mark;
    error = save_points_open(&back->means.points, &instance->replay.disk);
    if (error != 0)
        return complain(EXIT_DISK, "the snapshots in %s cannot be read: %s", instance->options.folder, strerror(error));
    back->means.keeper = &back->keeper;
    checkpoints_open(&back->means.checkpoints, &instance->server.exchange);
    if (back->means.points.count != 0) history_note_undo(instance->history);
    pthread_mutex_init(&back->means.loading_lock, NULL);
    hold_init(&back->hold);
    back->snapshots = (struct api_snapshots){ instance, write_list, write_dump, take_state };
    instance->server.revert = &back->means;
    instance->server.shared.hold = &back->hold;
    return EXIT_FINE;
}

void going_back_close(struct instance *instance)
{
    if (instance->server.revert == NULL) return;
    checkpoints_close(&instance->going_back.means.checkpoints);
    dump_close(&instance->going_back.means.loading);
    save_points_close(&instance->going_back.means.points);
}
