/* SPDX-License-Identifier: MIT */
#include "app/watch.h"

#include "io/child.h"
#include "io/files.h"
#include "io/signals.h"
#include "io/thread.h"
#include "diagnostics/program_log.h"

#include <stdio.h>

#define LISTEN_MS 500

static void alarm_raise(struct watch *watch, const char *what, const struct shadow_message *message)
{
    atomic_fetch_add(&watch->counts.differences, 1);
    log_line(LOG_ERROR,
             "ALARM: %s at block %lu (command %lu). One of the two processes computes wrongly: another build, a bug, "
             "or bad memory. Keep the folder, run dojima verify on a copy%s",
             what, (unsigned long)message->block, (unsigned long)message->seq,
             watch->settings.stops ? "; stopping" : "");
    if (watch->settings.stops) signals_stop_self();
}

/* Blocks of both processes; one that is not here yet is compared with the next message. */
static void compare(struct watch *watch, const struct shadow_message *message)
{
    struct history_block block;

    if (message->block == 0 || watch->history == NULL || history_block_at(watch->history, message->block, &block) != 1)
        return;
    if (hash256_equal(&block.hash, &message->block_hash)) atomic_fetch_add(&watch->counts.agreed, 1);
    else alarm_raise(watch, "the shadow's block has another hash than the exchange's", message);
}

bool watch_hear(struct watch *watch, const struct shadow_message *message)
{
    if (message->magic != SHADOW_MESSAGE_MAGIC) return false;
    if (message->kind != SHADOW_ENDED) {
        atomic_store(&watch->counts.seq, message->seq);
        atomic_store(&watch->counts.block, message->block);
    }
    switch (message->kind) {
    case SHADOW_BLOCK: compare(watch, message); return true;
    case SHADOW_SNAPSHOT:
        compare(watch, message);
        atomic_fetch_add(&watch->counts.snapshots, 1);
        atomic_store(&watch->counts.snapshot_seq, message->seq);
        return true;
    case SHADOW_DIFFERS:
        alarm_raise(watch, "the shadow computes another block than the log names", message);
        return true;
    case SHADOW_ENDED: atomic_fetch_add(&watch->counts.restarts, 1); return true;
    default: return false;
    }
}

static void *listen_to(void *argument)
{
    struct watch         *watch = argument;
    struct shadow_message message;

    thread_stand_back();
    atomic_store(&watch->counts.alive, 1);
    while (atomic_load_explicit(&watch->stop, memory_order_acquire) == 0) {
        int got = child_read(watch->handle, &message, sizeof(message), LISTEN_MS);

        if (got > 0 && watch_hear(watch, &message)) continue;
        if (got == 0) continue;
        if (atomic_load_explicit(&watch->stop, memory_order_acquire) == 0)
            log_line(LOG_WARN, "the shadow is gone: no more snapshots are written until the next start");
        break;
    }
    atomic_store(&watch->counts.alive, 0);
    return NULL;
}

/* dojima shadow --keep …, which starts shadows for as long as this process lives. */
static int start_child(struct watch *watch)
{
    char        parent[24], seconds[24], commands[24];
    const char *words[16] = { "dojima",    "shadow", "--keep",     "--words", "--parent",   parent,
                              "--seconds", seconds,  "--commands", commands,  watch->folder };
    uint32_t    count = 11;
    int         ends[2], error = child_pipe(ends);

    if (error != 0) return error;
    (void)snprintf(parent, sizeof(parent), "%lu", (unsigned long)child_self());
    (void)snprintf(seconds, sizeof(seconds), "%lu", (unsigned long)watch->settings.seconds);
    (void)snprintf(commands, sizeof(commands), "%lu", (unsigned long)watch->settings.commands);
    if (watch->settings.archive) words[count++] = "--archive";
    if (watch->settings.config != NULL) words[count++] = "--config";
    if (watch->settings.config != NULL) words[count++] = watch->settings.config;
    error = child_start((char *const *)(uintptr_t)words, ends[1], &watch->pid);
    files_close(ends[1]);
    watch->handle = ends[0];
    if (error != 0) files_close(ends[0]);
    return error;
}

void watch_start(struct watch *watch, const char *folder, struct history *history,
                 const struct watch_settings *settings)
{
    int error;

    watch->settings = *settings;
    watch->folder = folder;
    watch->history = history;
    if (settings->seconds == 0) return;
    error = start_child(watch);
    if (error == 0) {
        error = thread_start(&watch->thread, "watch", listen_to, watch);
        if (error != 0) child_finish(watch->pid);
        if (error != 0) files_close(watch->handle);
    }
    watch->running = error == 0;
    if (error != 0) log_line(LOG_WARN, "the shadow cannot be started, no snapshots are written: %s", strerror(error));
}

void watch_stop(struct watch *watch)
{
    if (!watch->running) return;
    atomic_store_explicit(&watch->stop, 1, memory_order_release);
    child_finish(watch->pid);
    thread_join(watch->thread);
    files_close(watch->handle);
    watch->running = false;
}

bool watch_stopped_all(const struct watch *watch)
{
    return watch->settings.stops && atomic_load(&watch->counts.differences) != 0;
}
