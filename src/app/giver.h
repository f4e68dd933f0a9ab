/* SPDX-License-Identifier: MIT */
/*
 * giver.h — what a running node gives to a new one: its newest snapshot, its history behind that, and the genesis. A
 * thread of its own prepares them; the I/O threads read pieces of open files (gateway/gateway_copy.c).
 *
 * What `look` writes, one fact a line:
 *
 *     preparing                        ask again in a moment
 *     failed SENTENCE                  there is no copy, and why
 *     ready COPY                       the number of the copy, and then:
 *     command N                        the last one that is in the snapshot
 *     block N
 *     file NAME BYTES 0xKECCAK         of each file, in the order of their numbers: snapshot, history, genesis
 *
 * The snapshot is the file that was open when it was chosen, whatever takes its name later; the copy of the history has
 * no name any more. So nothing is left behind when the process ends. A copy is closed when no piece of it was read for
 * two minutes, or ten seconds behind its end.
 */
#ifndef APP_GIVER_H
#define APP_GIVER_H

#include "base/keccak.h"
#include "base/outside.h"
#include "gateway/gateway.h"
#include "history/history.h"
#include "io/disk.h"
#include "io/thread.h"
#include "snapshot/snapshot.h"

enum giver_state { GIVER_IDLE = 0, GIVER_ASKED, GIVER_READY, GIVER_FAILED };

#define GIVER_FILES 3
struct giver_file {
    const char    *name;
    uint64_t       bytes;
    struct hash256 hash;
    int            handle; /* -1: the bytes are in `memory` */
    const uint8_t *memory;
};

struct giver {
    struct gateway_copy copy; /* for the gateways */
    const char         *folder;
    const struct disk  *disk; /* of the folder */
    struct history     *history;
    struct slice        genesis;
    pthread_t           thread;
    bool                runs;
    _Atomic uint32_t    stop;
    struct park         park;

    pthread_mutex_t        lock; /* of what follows */
    enum giver_state       state;
    uint64_t               number; /* of the copy, never used again */
    int64_t                used_ns, idle_ns;
    struct snapshot_header facts;
    struct giver_file      files[GIVER_FILES];
    char                   why[192];
};

/* The folder and its disk, the history and the genesis stay. `giver` holds zeros. */
void giver_init(struct giver *giver, const char *folder, const struct disk *disk, struct history *history,
                struct slice genesis);
/* 0 or errno; giver_stop follows, when no I/O thread runs any more. */
int  giver_start(struct giver *giver) MUST_USE;
void giver_stop(struct giver *giver);

#endif
