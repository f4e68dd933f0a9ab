/* SPDX-License-Identifier: MIT */
/* state.h — struct history. Private to this room. */
#ifndef HISTORY_STATE_H
#define HISTORY_STATE_H

#include "history/store.h"
#include "io/disk.h"

struct history {
    struct pending     pending;
    struct store       store;
    struct bars        bars;
    struct disk_folder folder;
    struct disk        disk;     /* over the folder */
    uint64_t           seq;      /* atomic: last command whose rows are all on disk */
    uint64_t           skip_seq; /* the same at the start: the replay emits these rows again */
    struct hash256     instance, boot;
    const char        *thrown_away;                /* why the store that lay there was not used, NULL = it was */
    char               version[64];                /* that reason, when it is of another version */
    void (*on_damage)(void);                       /* of damage, once */
    bool                           damaged;        /* atomic: a read met damage */
    int                            loss;           /* atomic: errno with which the disk refused a part; 0 = none */
    bool                           loss_is_told;   /* by the state file */
    bool                           went_back;      /* at the start, to the moment that was kept */
    uint64_t                       kept_seq;       /* of the moment that is kept; 0 = none */
    uint64_t                       newest_receipt; /* atomic: of a batch that is complete */
    uint64_t                       heard_receipt;  /* the last one of any batch */
    struct history_receipt         receipt;        /* the last one: rows of its ranking may follow */
    struct receipt_piece           piece;          /* of its ranking, not yet full */
    struct index_composed          compositions[PERPS_MAX]; /* the last of each symbol */
    const struct history_backfill *backfill;                /* NULL: there is none */
};

/* What the state file says of the store: how it is to be judged at the next start. */
enum state_kind { STATE_OPEN = 0, STATE_CLOSED = 1, STATE_DAMAGED = 2, STATE_LOST = 3 };

/* Facts about a closed data.mdb. Hash 0: too long to be hashed. */
struct data_file {
    uint64_t bytes, hash;
    int64_t  changed_ns;
};

struct state_file {
    char             magic[8]; /* "DOJIMAHI" */
    uint32_t         version, kind;
    struct hash256   instance, boot;
    struct data_file data;  /* zero unless closed */
    uint64_t         check; /* XXH3-64 of all before */
};
static_assert(sizeof(struct state_file) == 112, "reaches disk");

/*
 * ---- state.c: the state file. `state` is zero when there is none; true: it is whole and of this version. Writes it,
 * or that of a store that is not closed: 0 or errno ----
 */
uint64_t state_check(const struct state_file *state);
bool     state_read(const struct history *history, struct state_file *state);
int      state_write(const struct history *history, enum state_kind kind, struct data_file data) MUST_USE;
int      history_tell_state(const struct history *history, enum state_kind kind) MUST_USE;

/* What the state file says of the boot of the machine; zero: nobody knows it. */
struct hash256 history_boot(struct slice boot_id);

/*
 * What a start makes of the store that lies in `folder`, by its state file, which is read into `state`, and its bytes;
 * writes nothing. Why it is not used although it should be good: thrown_away.
 */
enum store_use {
    USE_NONE, /* it is made anew */
    USE_KEPT, /* the disk may lack pages of it: the moment that was kept is used, if there is one */
    USE_ALL
};
enum store_use history_judge(struct history *history, const char *folder, struct state_file *state) MUST_USE;

/* Marks the store as damaged for the next start when `error` means damage. Returns the error. */
int history_note(struct history *history, int error);

/* Writes down that the store in `folder` is whole and closed, which it is. 0 or errno. */
int history_mark_closed(const struct history *history) MUST_USE;

/*
 * ---- loss.c: `error` is what a write back or a sync ended with. The errno of the first that failed, from then on; the
 * state file says so. And the same errno at any time, for any thread ----
 */
int loss_of(const struct history *history);
int loss_note(struct history *history, int error) MUST_USE;
int loss_note_write(struct history *history, int error); /* the negative one of a write, which it returns */

/*
 * ---- keep.c: a store goes back to the moment that was kept, if it can; one that goes on keeps the moment of now in
 * its place, or none, 0 or errno; and the reader that holds the moment ends ----
 */
bool keep_restore(struct history *history, const char *folder);
int  keep_again(struct history *history) MUST_USE;
void keep_end(struct history *history);

/* ---- receipts.c: facts kept of events, under the lock of pending ---- */
void receipts_composed(struct history *history, const struct index_composed *event);
void receipts_liquidated(struct history *history, const struct liquidated *event, uint64_t seq);
void receipts_ranked(struct history *history, const struct adl_ranked *event);
void receipts_end(struct history *history);           /* the next event is no row of a ranking */
int  receipts_load(struct history *history) MUST_USE; /* the newest one on the disk; 0 or a negative errno */

#endif
