/* SPDX-License-Identifier: MIT */
/*
 * local.h — a Unix socket in a folder, for people on this machine: one line in, one line out. Only processes of the
 * same user get an answer; the file's mode is 0600.
 *
 * All calls but local_wake and local_stop belong to the thread that runs the server. A peer has one request at a time:
 * its next line is read when the previous one has been answered.
 *
 * When all LOCAL_PEERS slots are taken, a new peer takes the slot of the peer that has had no answer for the longest
 * time. A peer whose line is with the owner keeps its slot; while all are such, new peers wait in the kernel's queue
 * (ruling 74).
 */
#ifndef IO_LOCAL_H
#define IO_LOCAL_H

#include "base/slice.h"

#define LOCAL_LINE_MAX 8192 /* bytes of a line either way, its end included */
#define LOCAL_PEERS    16

struct local_fault {
    int  code; /* errno; ENAMETOOLONG: the path does not fit a socket's address */
    char text[256];
};

/* A process at the other end, as it was when it connected. */
struct local_who {
    uint32_t pid, uid;
};

/* Called on the server's thread for each line. `peer` and `generation` identify the peer in local_answer. */
struct local_owner {
    void *self;
    void (*line)(void *self, uint32_t peer, uint32_t generation, struct slice line); /* without its end */
    void (*woken)(void *self);
    void (*stranger)(void *self, struct local_who who); /* a process of another user was refused */
};

struct local;

/*
 * Binds to `path`. The socket of a process that has ended is replaced; a socket with a listener is left alone
 * (EADDRINUSE), and so is any other file (EEXIST). NULL: *fault says why.
 */
struct local *local_open(const char *path, const struct local_owner *owner, struct local_fault *fault);
void          local_run(struct local *local);   /* until local_stop; then answers that are left are sent */
void          local_close(struct local *local); /* and the file goes */

/* Who that is; for the owner, from a line of the peer on until that line has been answered. */
struct local_who local_who(const struct local *local, uint32_t peer);

/* Sends an answer, one line without its end; nothing when the peer has gone. */
void local_answer(struct local *local, uint32_t peer, uint32_t generation, struct slice line);

/* From any thread. */
void local_wake(struct local *local); /* `woken` will be called */
void local_stop(struct local *local); /* local_run returns soon */

/* ---- the other end ---- */

/* A connection to the socket at `path`; its number, or -1 and *fault. */
int local_connect(const char *path, struct local_fault *fault);

/* The process that listens there; 0: the system does not tell, as for one of another container. */
uint32_t local_listener(int handle);

/* Sends a line and waits for the answer, written to `answer` (LOCAL_LINE_MAX
   bytes, no end). 0 or errno; ENODATA: the other end went away. */
int local_ask(int handle, struct slice line, char *answer, size_t *len) MUST_USE;

#endif
