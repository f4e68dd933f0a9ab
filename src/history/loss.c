/* SPDX-License-Identifier: MIT */
/*
 * loss.c — the disk refused a part of the store.
 *
 * The system drops the pages that a disk refuses, reports it once, and calls the file whole at every later sync. So
 * from then on nothing more of the store counts as kept: no moment, no close, and no copy for another node. The state
 * file says so, and the next start goes back to the moment that was kept before, or makes the store anew from the log
 * (decision 160). Rows are still written and read meanwhile, each with its check.
 */
#include "history/state.h"

#include <errno.h>

/* The state file lies on the same disk: it is tried again until it can be written. */
int loss_note(struct history *history, int error)
{
    int loss = loss_of(history);

    if (loss == 0 && error == 0) return 0;
    if (loss == 0) __atomic_store_n(&history->loss, error, __ATOMIC_RELEASE);
    if (!history->loss_is_told) history->loss_is_told = history_tell_state(history, STATE_LOST) == 0;
    return loss_of(history);
}

/* A part that does not fit waits in memory; behind an error of the disk itself nobody knows what it has. */
int loss_note_write(struct history *history, int error)
{
    if (error == -EIO) (void)!loss_note(history, EIO);
    return history_note(history, error);
}

int history_write_back(struct history *history, int64_t elapsed_ns)
{
    return loss_note(history, -store_write_back(&history->store, elapsed_ns));
}

struct history_unkept history_unkept(const struct history *history)
{
    struct unkept unkept = store_unkept(&history->store);

    return (struct history_unkept){ unkept.since_ns, unkept.bytes };
}
