/* SPDX-License-Identifier: MIT */
/*
 * second_check.h — every signature that was accepted is verified once more, by libsecp256k1 alone, off the path of
 * commands (decision 243). Lanes of our own arithmetic may have accepted it (crypto/recover.h); what is checked is what
 * was logged, so a reader of the log does it, and continues after a restart behind the mark that it keeps.
 *
 *     accepted ──▶ log ──▶ "check-idle", where a processor is free ──▶ mark
 *                    └───▶ "check", when that one is a minute behind: lanes are off until it has caught up
 *
 * One of the two threads owns the reader at a time. A signature that is not confirmed ends the process with 70. An
 * operator's redemption, the one way in which money leaves, waits until everything before it is checked.
 */
#ifndef APP_SECOND_CHECK_H
#define APP_SECOND_CHECK_H

#include "api/api.h"
#include "app/check_lag.h"
#include "app/signed_record.h"
#include "io/thread.h"
#include "pipeline/replay.h"

#define SECOND_CHECK_HELD 256 /* redemptions that are remembered while they wait */

/* Facts; any thread may read. */
struct second_check_counts {
    tally runs;       /* 1: a second check there is */
    tally seq;        /* all commands up to this one are checked */
    tally signatures; /* that were confirmed, by this process */
    tally mismatches;
    tally lag_ns; /* for how long the oldest unchecked command has been in the log */
    tally lanes;  /* 1: the lanes may be used */
    tally late;   /* how often they were switched off */
};

struct second_check_settings {
    const char           *folder;
    struct log_settings   log;     /* of a reader */
    const struct genesis *genesis; /* outlives the check */
    const tally          *logged;  /* last command that is durable and applied */
};

/* A redemption that was asked for, and the command up to which must be checked before it may go. */
struct held_redemption {
    struct hash256 command;
    uint64_t       seq; /* 0 = no redemption */
};

/* The reader's; only of the thread that owns it. */
struct second_check_reader {
    struct replay     replay;
    struct log_cursor cursor; /* in replay.batch */
    struct log_mark   place;  /* behind the last batch that is checked; position none: the beginning */
    int64_t           kept_ns, failed_ns;
    uint64_t          kept_seq;
    bool              is_open, in_batch, has_failed, from_beginning;
    uint8_t          *room; /* SIGNED_RECORD_ROOM */
};

struct second_check {
    struct second_check_settings settings;
    struct second_check_counts   counts;
    struct second_check_reader   reader;
    struct check_lag             lag; /* of "check" */
    struct api_second_check      shown;
    pthread_t                    check, idle;
    struct park                  check_park, idle_park;
    _Atomic uint32_t             owner; /* enum reader_owner */
    _Atomic uint32_t             stop;
    pthread_mutex_t              held_lock;
    struct held_redemption       held[SECOND_CHECK_HELD];
    uint32_t                     held_next;
    bool                         running;
};

/* For api_shared. Before second_check_start. */
void second_check_init(struct second_check *check, const struct second_check_settings *settings);

/* Starts both threads. 0 or errno. */
int  second_check_start(struct second_check *check) MUST_USE;
void second_check_stop(struct second_check *check);

/* ---- for tests ---- */

/*
 * One record, or the next batch: true. False: the log has nothing new, or cannot be read. The mark follows what is
 * checked. By the owner of the reader.
 */
bool second_check_step(struct second_check *check);

/* One look at the lag, at this time; decides about the lanes. */
void second_check_look(struct second_check *check, int64_t now_ns);

/* Closes what second_check_step has opened. */
void second_check_close(struct second_check *check);

#endif
