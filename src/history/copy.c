/* SPDX-License-Identifier: MIT */
/* copy.c — the store for another node: a file with the rows of one moment, and a store made of such a file. */
#include "history/state.h"

#include "io/files.h"

#include <errno.h>
#include <stdlib.h>

/* The map must not move while its pages are read. */
int history_copy(struct history *history, const char *folder)
{
    struct store *store = &history->store;
    int           code = loss_of(history); /* pages that the disk dropped may be read back as they were before */

    if (code != 0) return code;
    pthread_rwlock_rdlock(&store->map_lock);
    code = mdb_env_copy2(store->env, folder, MDB_CP_COMPACT);
    pthread_rwlock_unlock(&store->map_lock);
    return -store_error(code);
}

/* Opens the store for its number, and closes it again without changes. */
static int read_seq(struct history *history, const char *folder, uint64_t *seq)
{
    int error = store_open(&history->store, folder, seq);

    if (error != 0) return error;
    error = store_sync(&history->store);
    store_close(&history->store);
    return error;
}

int history_adopt(const char *folder, const struct hash256 *instance, uint64_t *seq)
{
    struct history *history = calloc(1, sizeof(*history));
    int             error;

    if (history == NULL) return ENOMEM;
    history->instance = *instance;
    history->boot = history_boot(files_boot_id());
    error = disk_open(&history->folder, folder, DISK_WRITE, true, &history->disk);
    if (error == 0) {
        error = store_check(folder) ? read_seq(history, folder, seq) : EUCLEAN;
        if (error == 0) error = history_mark_closed(history);
        disk_close(&history->folder);
    }
    free(history);
    return error;
}
