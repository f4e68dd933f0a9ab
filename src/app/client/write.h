/* SPDX-License-Identifier: MIT */
/*
 * write.h — a signed write and its outcome. A reply that was lost is asked for again with the same bytes and the same
 * nonce: the exchange executes them once, and says so (ruling 35). With --dry-run nothing is sent.
 */
#ifndef APP_CLIENT_WRITE_H
#define APP_CLIENT_WRITE_H

#include "app/client/preview.h"

/*
 * Signs and sends. The client has signed in. Prints the outcome: with --json one object {outcome, code, error, details,
 * data, tx, block, index, nonce}; else a line per item that was refused, and `say` for what was done, which may be
 * NULL. EXIT_GENERAL when anything was refused, or its outcome stays unknown.
 */
int client_write(struct client *client, const struct client_write *write, void (*say)(const json_t *data));

#endif
