/* SPDX-License-Identifier: MIT */
/*
 * replay.h — a data folder opened and its log read to the end: what the start of the server and
 * dojima verify have in common. Every failure prints one line and returns the exit code it means.
 */
#ifndef PIPELINE_REPLAY_H
#define PIPELINE_REPLAY_H

#include "io/disk.h"
#include "log/log.h"
#include "pipeline/exchange.h"

struct replay {
    const char         *path;
    struct disk_folder  folder;
    struct disk         disk; /* the folder */
    int                 lock;
    struct log_settings settings;
    struct log         *log;
    struct log_report   report;
    struct slice        genesis_json; /* in the log's memory */
    struct log_batch    batch;
    struct log_applied  last_claim; /* of the batch read last */
    void               *log_memory;
    void (*passed)(void *self, const struct log_batch *batch); /* told of every batch that was applied; NULL: nobody */
    void *passed_self;
};

/*
 * Locks (but not with DISK_BESIDE) and opens the folder; with DISK_WRITE it is made when absent. When there is no log
 * in it and `genesis` is given, a new one begins with it. EXIT_FINE, or a code whose reason was printed.
 */
int replay_open(struct replay *replay, const char *path, enum disk_use use, const struct log_settings *settings,
                const struct genesis *genesis);

/* The log's genesis. */
int replay_genesis(const struct replay *replay, struct genesis *genesis);

/* Looks at every record while it is replayed; false stops it (the looker has said why). */
typedef bool replay_look(void *self, const struct log_record *record);

/* Hash of the log's genesis: what the log, its history and its snapshots are recognised by. */
struct hash256 replay_instance(const struct replay *replay);

/* Prints why reading the log failed, and returns the exit code. */
int replay_failed(const struct replay *replay, enum log_fault fault);

/* Does a batch's header say the same about an earlier block as the
   exchange? Otherwise prints that, and returns the exit code. */
int replay_agree(const struct replay *replay, const struct exchange *exchange, const struct log_applied *claim);

/*
 * The next batch of a log that may be written to meanwhile, into replay->batch; *there false: it ends here, as far as
 * there is a log. What stays half a batch is told, and is EXIT_DAMAGE.
 */
int replay_follow(struct replay *replay, bool *there);

/*
 * Applies what was not read yet of the log to an exchange that stands there, checks what the batch headers say about
 * earlier blocks, and shows its progress on a terminal.
 */
int replay_run(struct replay *replay, struct exchange *exchange, replay_look *look, void *self);

void replay_close(struct replay *replay);

/* The canonical JSON of a genesis; memory from malloc, the caller frees slice.at. */
struct slice genesis_write(const struct genesis *genesis);

#endif
