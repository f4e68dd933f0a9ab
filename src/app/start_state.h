/* SPDX-License-Identifier: MIT */
/* start_state.h — the start's first half: log, genesis, history and snapshot of the folder become the state. */
#ifndef APP_START_STATE_H
#define APP_START_STATE_H

#include "app/instance.h"

/* Files in the folder, or a database that several nodes share. */
struct log_settings log_settings_of(const struct options *options);

/* Opens log and history, replays, and checks the state that results: EXIT_FINE, or the code whose reason was printed.
 */
int open_exchange(struct instance *instance);

#endif
