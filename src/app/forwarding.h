/* SPDX-License-Identifier: MIT */
/* forwarding.h — what a node needs to pass writes on to the leader of the cluster: its name, the secret, the thread. */
#ifndef APP_FORWARDING_H
#define APP_FORWARDING_H

#include "app/instance.h"

#define SECRET_BYTES_MIN 16
#define SECRET_BYTES_MAX 256

/*
 * The word in a file, into `room`. EXIT_FINE, or EXIT_CONFIG, and the reason was printed; `what` names the file in
 * messages.
 */
int forwarding_read_secret(const char *what, const char *path, char *room, size_t cap, struct slice *word);

/* By options.cluster; nothing for a node that is alone. EXIT_FINE, or the code whose reason was printed. Before any
 * thread runs. */
int  forwarding_open(struct instance *instance);
void forwarding_close(struct instance *instance); /* when no thread runs any more */

#endif
