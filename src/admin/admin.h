/* SPDX-License-Identifier: MIT */
/*
 * admin.h — the administration socket of a running exchange, DIR/admin.sock (ruling 49): one line of JSON in, one out,
 * on a thread of its own. A request takes the path of every write: into a ring, the log, the engine, and back through
 * the other ring when it is durable and applied.
 *
 * A request is in the audit log before it is executed, and its outcome before it is answered, as far as the audit
 * log's disk permits. A slow disk delays operators only: this thread has no other work.
 */
#ifndef ADMIN_ADMIN_H
#define ADMIN_ADMIN_H

#include "base/outside.h"
#include "base/ring.h"
#include "io/local.h"
#include "admin/audit.h"
#include "gateway/gateway.h"

#define ADMIN_SOCKET "admin.sock"
#define ADMIN_PATH   "admin.path" /* a file in the folder with the path of a socket that is elsewhere */

struct admin;

/* Where it lies: `socket` is a path, relative to the folder; NULL = the standard one. */
struct admin_place {
    const char *folder, *socket;
};

/*
 * Of several nodes with one log: lets `to` lead ("" = any other node), which takes up to some seconds. True when it
 * does; `text` says what came of it.
 */
struct admin_cluster {
    void *self;
    bool (*hand_over)(void *self, const char *to, char *text, size_t cap);
};

/*
 * `ring`: its number among the writers, for origins. `disk`: the folder, in which the path of a socket elsewhere is
 * noted for clients. NULL: *fault says why (code 0: memory is short).
 */
struct admin *admin_open(struct gateway_shared *shared, const struct admin_place *place, const struct disk *disk,
                         struct audit *audit, uint32_t ring, struct local_fault *fault);
/* Before admin_run; it stays. Without it there is one node. */
void admin_share(struct admin *admin, const struct admin_cluster *cluster);
void admin_touch(struct admin *admin); /* takes its pages now; before admin_run */
void admin_run(struct admin *admin);   /* the thread's life, until admin_stop */
void admin_close(struct admin *admin);

/* ---- from the engine's thread ---- */
struct ring *admin_writes(struct admin *admin);
struct ring *admin_replies(struct admin *admin);

/* ---- from any thread ---- */
void admin_wake(struct admin *admin);
void admin_stop(struct admin *admin);

/* Where the socket of a folder's exchange is. False: the path does not fit. */
bool admin_path(const char *folder, char *path, size_t cap) MUST_USE;

#endif
