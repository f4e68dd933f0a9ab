/* SPDX-License-Identifier: MIT */
/* state.c — the state file: what the next start must know of the store before it opens it. */
#include "history/state.h"

#include <errno.h>
#include <xxhash.h>

uint64_t state_check(const struct state_file *state) { return XXH3_64bits(state, offsetof(struct state_file, check)); }

bool state_read(const struct history *history, struct state_file *state)
{
    const struct disk *disk = &history->disk;
    int                handle, error = disk->open(disk->self, "state", false, &handle);

    *state = (struct state_file){ 0 };
    if (error != 0) return false;
    error = disk->read(disk->self, handle, 0, state, sizeof(*state));
    disk->close(disk->self, handle);
    return error == 0 && memcmp(state->magic, "DOJIMAHI", 8) == 0 && state->version == STORE_VERSION
        && state->check == state_check(state);
}

struct hash256 history_boot(struct slice boot_id)
{
    return boot_id.len == 0 ? (struct hash256){ 0 } : keccak256(boot_id.at, boot_id.len);
}

int state_write(const struct history *history, enum state_kind kind, struct data_file data)
{
    struct state_file state = { "DOJIMAHI", STORE_VERSION, kind, history->instance, history->boot, data, 0 };

    state.check = state_check(&state);
    return history->disk.replace(history->disk.self, "state", &state, sizeof(state));
}

int history_tell_state(const struct history *history, enum state_kind kind)
{
    return state_write(history, kind, (struct data_file){ 0 });
}

int loss_of(const struct history *history) { return __atomic_load_n(&history->loss, __ATOMIC_ACQUIRE); }

int history_note(struct history *history, int error)
{
    if (error != -EUCLEAN || __atomic_exchange_n(&history->damaged, true, __ATOMIC_ACQ_REL)) return error;
    /* When not even this can be written, the state stays that of an
       open store, which is read as a whole at the start. */
    if (loss_of(history) == 0) (void)!history_tell_state(history, STATE_DAMAGED); /* else it is not used anyway */
    if (history->on_damage != NULL) history->on_damage();
    return error;
}
