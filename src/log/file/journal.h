/* SPDX-License-Identifier: MIT */
/*
 * journal.h — the form of the log, and what "durable" means.
 *
 * The journal is a row of pre-zeroed segment files that hold batches of records, one record per
 * command (ruling 55). The form is drawn in log/file/format.h. A batch is durable when its write and
 * its fdatasync have both returned; before that nobody is told anything (process 6).
 */
#ifndef LOG_FILE_JOURNAL_H
#define LOG_FILE_JOURNAL_H

#include "base/keccak.h"
#include "base/outside.h"
#include "model/commands.h"

/* What one command leaves in the log. */
struct log_record {
    const struct command *command; /* origin is written as 0 */
    struct slice
        signed_bytes; /* {"type":…,"params":…} exactly as hashed, or the JSON cause of a TX_SYSTEM; empty for a TICK */
    uint8_t        signature[65]; /* r, s, v(0/1); zero when nobody signed */
    uint8_t        reserved[7];
    struct hash256 tx_hash; /* zero when it can be no transaction */
};

/* The last block known to be applied when a batch was sealed. */
struct log_applied {
    uint64_t       number;
    struct hash256 hash;
};

/* ---- collecting a batch (sequencer) ---- */
struct log_batch {
    uint8_t *at;       /* the encoded batch, header first; caller's memory */
    size_t   len, cap; /* cap at least LOG_BATCH_BYTES_MIN */
    uint64_t first_seq;
    uint32_t count; /* records */
    int64_t  time_ms;
    uint64_t segment, offset; /* where it stands in the log; known once it was written or read */
};
#define LOG_BATCH_BYTES_MIN (512 * 1024)

/* Starts a batch whose first command will have first_seq; all its commands carry time_ms. */
void log_batch_begin(struct log_batch *batch, uint64_t first_seq, int64_t time_ms);

/* Appends a record; false when the rest of the batch is too small (it starts the next one). */
bool log_batch_add(struct log_batch *batch, const struct log_record *record) MUST_USE;

/* Reads record number `index` back; slices and command point into the batch. */
struct log_cursor {
    size_t   offset;
    uint32_t index;
};
bool log_batch_next(const struct log_batch *batch, struct log_cursor *cursor, struct log_record *record) MUST_USE;

/* Where the transaction hash of the record stands that log_batch_next
   reads next; it may be filled in until the batch is sealed. */
struct hash256 *log_batch_hash(struct log_batch *batch, const struct log_cursor *cursor);

/* ---- the log on disk ---- */
struct log_settings {
    uint64_t file_bytes;  /* 8 MiB in dev, 64 MiB in serve (ruling 52) */
    bool     spare;       /* journal_prepare keeps a zeroed segment ahead, and the ballast; without it
                           * the disk may give sparse files, and zeros are written a little ahead */
    bool     strict_tail; /* refuse even a tail that looks torn */
    bool     read_only;   /* dojima verify: nothing is written, created or cut */
    uint32_t engine;      /* with read_only: the engine version of the log; 0 = LOG_ENGINE_VERSION */
};

enum log_fault {
    LOG_OK = 0,
    LOG_ABSENT,  /* no log in this folder */
    LOG_DAMAGED, /* not a torn tail: refuse to start, exit code 70 */
    LOG_FOREIGN, /* format or engine version unknown: untouched */
    LOG_IO,      /* the disk said no: exit code 74 */
};

struct log_report {
    enum log_fault fault;
    int            error;        /* errno of LOG_IO */
    char           text[256];    /* one sentence: what, file, offset, seq */
    char           warning[256]; /* the same about damage that could be gone around; "" = none */
    uint32_t       segments;
    uint64_t       batches, records, bytes; /* read so far */
    uint64_t       bytes_total;             /* of all segments, for progress */
    bool           torn;                    /* the tail was torn and has been (or would be) cut */
    uint64_t       torn_at, torn_bytes;     /* offset within its segment, bytes cut */
    uint64_t       torn_after_seq;          /* last command before the cut */
    char           torn_file[32];
    uint32_t       found_format, found_engine; /* LOG_FOREIGN: what the log is of */
};

struct journal;
size_t journal_size(void);

/* A new log in an empty folder; `genesis` (canonical JSON) begins it and its chain. */
enum log_fault journal_create(void *memory, const struct disk *disk, const struct log_settings *options,
                              struct slice genesis, struct journal **journal, struct log_report *report) MUST_USE;

/* Opens the log and reads its genesis (a slice of the journal's own memory). Then journal_next until it says end. */
enum log_fault journal_open(void *memory, const struct disk *disk, const struct log_settings *options,
                            struct journal **journal, struct slice *genesis, struct log_report *report) MUST_USE;

/*
 * Somebody who is told of durable batches only (the history) knows command `seq`: a log that ends before it
 * is damaged, however torn its tail looks. Going on would forget what was answered and open its nonces again.
 */
void journal_knows(struct journal *journal, uint64_t seq);

/*
 * The next batch, checked: checksums, chain, order. *end is set after the last one, and from then on
 * (unless read_only) the journal can be appended to; a torn tail has been cut by then, its bytes kept
 * in a .torn copy. `applied` is what the batch's header claims about the block before it.
 */
enum log_fault journal_next(struct journal *journal, struct log_batch *batch, struct log_applied *applied, bool *end,
                            struct log_report *report) MUST_USE;

/*
 * A place of the log: behind the batch that stands at (segment, offset). What was read up to there need not be
 * read again by somebody who kept what followed from it.
 */
struct log_mark {
    uint64_t       segment, offset;
    uint64_t       next_seq; /* of the command behind it */
    int64_t        time_ms;  /* of that batch */
    struct hash256 chain;    /* behind it */
};

/* The place behind a batch that was read. */
struct log_mark log_mark_behind(const struct log_batch *batch);

/*
 * Right after journal_open: goes on behind a place, without what stands before it. LOG_DAMAGED, with a sentence,
 * when the log has no such place: no batch there, another one, or one with another chain. `batch` is room to read in.
 */
enum log_fault journal_resume(struct journal *journal, const struct log_mark *position, struct log_batch *batch,
                              struct log_report *report) MUST_USE;

/*
 * The next batch of a log that somebody else is writing to, in place of journal_next and read_only: *there is false
 * when there is none yet, or only a part of one. What is found may not be durable until the batch behind it is
 * found (durable_seq); *partial says that something stands there which is no batch yet.
 */
enum log_fault journal_follow(struct journal *journal, struct log_batch *batch, struct log_applied *applied,
                              bool *there, bool *partial, struct log_report *report) MUST_USE;

/* The name of the file of a segment; `name` has room for 32 bytes. */
void journal_segment_name(uint64_t number, char name[32]);

/*
 * Seals the batch (chain, checksums, applied) and makes it durable. 0, or errno: then the process must
 * stop; every later call answers the same errno and touches nothing. A batch without records is a
 * closing batch: it proves that everything before it was durable. A clean shutdown ends with one.
 */
int journal_append(struct journal *journal, struct log_batch *batch, const struct log_applied *applied) MUST_USE;

/*
 * Reads a batch that stands at a place of the log into `room` (aligned to 8), and checks all of it but what came
 * before. Any thread, at any time. 0; EUCLEAN when no whole batch stands there, or none that fits; or errno.
 */
int journal_read_batch(const struct disk *disk, const struct hash256 *instance, uint64_t segment, uint64_t offset,
                       void *room, size_t cap, struct log_batch *batch) MUST_USE;

/*
 * Makes the spare segment and the ballast when they are missing, so that journal_append need not. For a
 * background thread, at any time after the log can be appended to; 0 or errno (the log goes on: append
 * makes its segment itself, and frees the ballast when the disk is full). journal_wants_spare is cheap.
 */
bool journal_wants_spare(const struct journal *journal);
int  journal_prepare(struct journal *journal) MUST_USE;

/* The disk had no room for the spare, or the ballast was used up: take no new risk. */
bool journal_is_short(const struct journal *journal);

/* Chain value after the last batch; next seq. */
struct hash256 journal_chain(const struct journal *journal);
uint64_t       journal_next_seq(const struct journal *journal);

/* Where the next batch goes; for who appends, or before anybody does. */
struct log_position {
    uint64_t segment, offset, file_bytes;
};
struct log_position log_position(const struct journal *journal);

void journal_close(struct journal *journal);

#endif
