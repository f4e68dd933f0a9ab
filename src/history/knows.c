/* SPDX-License-Identifier: MIT */
/* knows.c — how far a store goes that no process has open: for a reader of its folder, who writes nothing there. */
#include "history/state.h"

#include <stdlib.h>

/* Of the store as it is, which was checked. */
static uint64_t known_by(struct history *history, const struct log_position *branch)
{
    struct log_position of;
    uint64_t            seq = 0;
    int                 error = bars_init(&history->bars);

    if (error != 0) return 0;
    error = -store_load_bars(&history->store, &history->bars);
    if (error == 0) error = -history_branch(history, &of);
    if (error == 0 && log_position_compare(&of, branch) == 0) seq = history_knows(history);
    bars_deinit(&history->bars);
    return seq;
}

static uint64_t open_and_ask(struct history *history, const char *folder, const struct log_position *branch)
{
    uint64_t seq;

    if (store_open_read(&history->store, folder, &history->seq) != 0) return 0;
    seq = known_by(history, branch);
    store_close(&history->store);
    return seq;
}

uint64_t history_knows_in(const char *folder, const struct hash256 *instance, struct slice boot_id,
                          const struct log_position *branch)
{
    struct history   *history = calloc(1, sizeof(*history));
    struct state_file state;
    uint64_t          seq = 0;

    if (history == NULL) return 0;
    history->instance = *instance;
    history->boot = history_boot(boot_id);
    history->damaged = true; /* a read that meets damage marks nothing */
    if (disk_open(&history->folder, folder, DISK_READ, true, &history->disk) == 0) {
        enum store_use use = history_judge(history, folder, &state);

        if (use == USE_ALL) seq = open_and_ask(history, folder, branch);
        if (use == USE_KEPT) seq = history_kept_in(folder, instance);
        disk_close(&history->folder);
    }
    free(history);
    return seq;
}
