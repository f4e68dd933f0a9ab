/* SPDX-License-Identifier: MIT */
/*
 * house.h — the administration socket of a running exchange, DIR/admin.sock (ruling 49): one line of JSON
 * in, one out, on a thread of its own. What it asks for goes the way of every write: into a ring, the log,
 * the engine, and back through the other ring when it is durable and has happened.
 *
 * Nothing is done that is not in the audit log first, and nothing is answered before its outcome is there too, as far as
 * its disk lets us. A slow disk under it keeps operators waiting, and nobody else: this thread does nothing besides.
 */
#ifndef SERVER_HOUSE_H
#define SERVER_HOUSE_H

#include "base/outside.h"
#include "base/ring.h"
#include "io/local.h"
#include "server/audit.h"
#include "server/gateway.h"

#define HOUSE_SOCKET "admin.sock"
#define HOUSE_PATH   "admin.path"       /* a file in the folder that says where the socket is, when it is not there under its name */

struct house;

/* Where it lies: `socket` is a path, relative to the folder; NULL = the standard one. */
struct house_place { const char *folder, *socket; };

/*
 * `ring`: its number among the writers, for origins. `disk`: the folder, in which a place elsewhere is noted for those who look
 * for it. NULL: *fault says why (code 0: memory is short).
 */
struct house *house_open(struct gateway_shared *shared, const struct house_place *place, const struct disk *disk, struct audit *audit,
                         uint32_t ring, struct local_fault *fault);
void          house_touch(struct house *house);     /* takes its pages now; before house_run  */
void          house_run(struct house *house);       /* the thread's life, until house_stop */
void          house_close(struct house *house);

/* ---- from the engine's thread ---- */
struct ring *house_writes(struct house *house);
struct ring *house_replies(struct house *house);

/* ---- from any thread ---- */
void house_wake(struct house *house);
void house_stop(struct house *house);

/* Where the socket of a folder's exchange is. False: the path does not fit. */
bool house_path(const char *folder, char *path, size_t cap) MUST_USE;

#endif
