/* SPDX-License-Identifier: MIT */
/*
 * replay.h — opens a data folder and reads its log to the end; shared by the start of the server and dojima verify.
 * Every failure prints one line and returns its exit code.
 */
#ifndef PIPELINE_REPLAY_H
#define PIPELINE_REPLAY_H

#include "io/disk.h"
#include "log/dump.h"
#include "pipeline/branches.h"
#include "pipeline/exchange.h"

struct replay {
    const char         *path;
    struct disk_folder  folder;
    struct disk         disk; /* the folder */
    int                 lock;
    bool                has_begun; /* the log, of files: replay_open made it */
    struct log_settings settings;
    struct log         *log;
    struct log_report   report;
    struct slice        genesis_json; /* in the log's memory */
    struct log_batch    batch;
    struct log_applied  last_claim; /* of the batch read last */
    void               *log_memory;
    void (*passed)(void *self, const struct log_batch *batch); /* called after every applied batch; NULL: none */
    void *passed_self;
    /* Called by replay_run before a batch is applied: another code than EXIT_FINE ends it, printed. NULL: none. */
    int (*comes)(void *self, const struct log_batch *batch);
    void             *comes_self;
    struct branches   branches; /* of a development log, by replay_find_branches */
    struct live_path  live;     /* what of it leads to its end */
    struct log_report whole;    /* of all of the log, by replay_find_branches */
    bool              has_live;
    struct log_mark   mark; /* behind the last batch that replay_run has read; position none: there was none */
};

/*
 * Locks (but not with DISK_BESIDE) and opens the folder; with DISK_WRITE it is made when absent. When it has no log
 * and `genesis` is given, a new one begins with it. EXIT_FINE, or a code whose reason was printed.
 */
int replay_open(struct replay *replay, const char *path, enum disk_use use, const struct log_settings *settings,
                const struct genesis *genesis);

/* The log's genesis. */
int replay_genesis(const struct replay *replay, struct genesis *genesis);

/* Called for every record during the replay; false stops it (the callback has printed why). */
typedef bool replay_look(void *self, const struct log_record *record);

/* Shows it the records of a batch; false when one stops it. */
bool replay_look_at(const struct log_batch *batch, replay_look *look, void *self);

/* Hash of the log's genesis, which identifies the log, its history and its snapshots. */
struct hash256 replay_instance(const struct replay *replay);

/* Prints why a folder cannot be opened or locked, and returns the exit code: of the disk, or of its user. */
int replay_folder_failed(const char *path, int error);

/* Prints why reading the log failed, and returns the exit code. */
int replay_failed(const struct replay *replay, enum log_fault fault);

/*
 * Whether a batch's header agrees with the exchange about an earlier block. Otherwise prints the difference, and
 * returns the exit code.
 */
int replay_agree(const struct replay *replay, const struct exchange *exchange, const struct log_applied *claim);

/*
 * The next batch of a log that may be written to meanwhile, into replay->batch; *there false: the log ends here for
 * now. A batch that stays incomplete is reported, and is EXIT_DAMAGE. Behind replay_find_branches only what leads to
 * the end of the log that was found then; a REVERT since then ends it.
 */
int replay_follow(struct replay *replay, bool *there);

/* Prints that the log went back with this batch, which its reader cannot follow, and returns the exit code. */
int replay_went_back(const struct replay *replay, const struct log_batch *revert);

/*
 * EXIT_FINE when a log never went back; else the result of replay_went_back for its first REVERT. Reads all of a
 * development log, and nothing of another one, which has no REVERT. Right after replay_open.
 */
int replay_check_linear(const struct replay *replay);

/*
 * Reads all of a development log for the places where it went back; replay_run and replay_follow then leave out what
 * is void. Right after replay_open.
 */
int replay_find_branches(struct replay *replay);

/*
 * Behind replay_find_branches, in place of replay_run, for dojima verify: applies every branch of the log, each that is
 * void in a process of its own, and ends with the state at the log's end. A REVERT must name the place that it goes to.
 */
int replay_run_branches(struct replay *replay, struct exchange *exchange, replay_look *look, void *self);

/*
 * Applies the batches that lead to the state at `end` and stand behind `from` (none: the beginning), on a live path to
 * `end`, to an exchange that has the state at `from`. The log may be written to meanwhile.
 */
int replay_again(const struct replay *replay, struct exchange *exchange, const struct log_mark *from,
                 const struct log_position *end);

/*
 * What is alive of the log, up to its end, as one piece of at most `max` bytes, from malloc; the log may be written to
 * meanwhile. Behind replay_find_branches. *too_large: that is why it failed.
 */
int replay_dump(const struct replay *replay, size_t max, struct slice *bytes, bool *too_large);

/*
 * Tells the log of a folder the last command that its history (`history_seq`; 0: none is known) or, unless the log went
 * back, a snapshot has: a log that ends before it has lost commands that were answered (decision 161).
 */
void replay_tell_log(const struct replay *replay, uint64_t history_seq);

/*
 * Applies the unread rest of the log to an exchange at that position, checks the claims of batch headers about earlier
 * blocks, and shows its progress on a terminal.
 */
int replay_run(struct replay *replay, struct exchange *exchange, replay_look *look, void *self);

/*
 * When too many rows of the history wait in memory, this writes them. For a thread behind which no other writes.
 * EXIT_DISK: they cannot be written; nothing may be added to them then.
 */
int replay_spare_history(const struct exchange *exchange) MUST_USE;

/*
 * Behind a refused start, before replay_close, with the history closed: a log that replay_open has begun is removed. No
 * one else has seen it, and the next start may begin one with another configuration.
 */
void replay_take_back(struct replay *replay);

void replay_close(struct replay *replay);

/* The canonical JSON of a genesis; memory from malloc, the caller frees slice.at. */
struct slice genesis_write(const struct genesis *genesis);

#endif
