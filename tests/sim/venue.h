/* SPDX-License-Identifier: MIT */
/*
 * venue.h — the whole server in the simulated world, one life after the other on the same disk: it starts, serves, is
 * killed, loses power, is stopped or finds its disk broken, and starts again; and the clients' ledger is compared with
 * its state.
 */
#ifndef SIM_VENUE_H
#define SIM_VENUE_H

#include "client.h"
#include "follower.h"
#include "world.h"

struct venue_counts {
    uint64_t lives, recoveries, kills, power_cuts, stops, disk_faults, exits, torn, commands, calls, jumps, fundings;
    uint64_t liquidations; /* receipts */
    uint64_t raised_recoveries,
        raised_snapshots; /* recoveries of a log with a raise of a limit; of those where a snapshot had one */
    uint64_t failed_starts, failed_switches,
        failed_snapshots; /* lives ended, or a disk that failed, while a log was being read; at a new segment; while a
                             snapshot is written */
    uint64_t switches;    /* segments that were begun while serving */
    uint64_t loops;       /* lives that ended while they started, as at least four before them did */
    uint64_t shadows;     /* snapshots that were written between two lives */
    uint64_t lies, lies_refused;              /* disks that lied, and logs that were refused for it */
    uint64_t corrupt_file, corrupted_refused; /* flipped bits in written files that were detected */
};

struct venue_run {
    uint64_t       seed;
    uint32_t       lives; /* at most */
    bool           verbose;
    bool           followed;  /* there are followers of the streams; otherwise random numbers decide */
    bool           one_death; /* exactly one life that ends at call `die_at` (0: not at all), and one that checks */
    uint64_t       die_at;
    enum world_end die_how;
    uint32_t       pattern; /* of its power failure: the sectors that arrive (storage.h) */
    void (*inject)(void);   /* of a test: called when a life begins; NULL */
    struct venue_counts    counts;
    struct ledger_counts   ledger;
    struct follower_counts streams;
    uint64_t               trace;
    char                   wrong[320]; /* the first broken rule, "" = none */
};

/* Plays a seed. False: run->wrong. */
bool venue_play(struct venue_run *run) MUST_USE;

/*
 * One short life of a seed again and again: killed, and cut off in every pattern of arriving sectors, at its first
 * call of the disk, its second, … (every `stride`-th) up to its last; each time the next life checks. Adds to
 * run->counts.
 */
bool venue_sweep(struct venue_run *run, uint64_t stride) MUST_USE;

/* Faults that tests inject into the server. */
extern struct injected_faults {
    bool append_says_yes;    /* failed writes are reported as durable */
    bool end_is_cut;         /* recovery cuts a good last batch off */
    bool one_unit;           /* a unit of money out of nothing */
    bool half_batch;         /* the last item of a batch is not executed */
    bool phantom;            /* a command of a user that no user sent */
    bool other_answer;       /* an answer names another order */
    bool other_replay;       /* a replay emits other events */
    bool snapshot_cuts;      /* a process stopped while writing a snapshot has cut the log */
    bool corruption_is_fine; /* damage is not noticed */
    bool applied_early;      /* a batch is applied before it is durable */
    bool trade_twice;        /* a message of trades is sent twice */
    bool trade_lost;         /* … is not sent */
    bool level_lost;         /* the last level of a side is not shown */
    bool other_account;      /* an account's events go to the next one */
    bool receipt_lost;       /* a message of receipts of liquidations is not sent */
    bool receipt_twice;      /* … is sent twice */
    bool receipt_hole;       /* a list of receipts leaves out the second one */
    bool raise_lost;         /* the limits are those of the beginning */
    bool raise_moves_wrong;  /* a replay of a raise reaches another state */
    bool slow_misses;        /* messages that do not fit are left out, and the client stays connected */
} injected_faults;

#endif
