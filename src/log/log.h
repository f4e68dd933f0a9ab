/* SPDX-License-Identifier: MIT */
/*
 * log.h — the log: the one order of all commands, durable before anything follows from it (ruling 17).
 *
 * A batch of commands is submitted, log_wait says whether it is durable, and from then on it can be read: by a reader
 * that goes through the log from its beginning or from a place it remembers (log_next, log_follow), and by any
 * thread at any position (log_read). A reader holds the position from which it needs the log unpacked; the log may
 * pack everything before all holds.
 *
 * An implementation is a folder of this room with a struct log_kind (log/kind.h), and a row of log/open.c. The first
 * one is log/file: a row of files in a folder. Other rooms include this header, batch.h and position.h only.
 *
 *     log_open ─▶ log_resume (perhaps) ─▶ log_next … *end ─▶ log_submit, log_wait, log_submit, log_wait … ─▶ log_close
 *     log_open ─▶ log_resume (perhaps) ─▶ log_follow …                                                     ─▶ log_close
 *
 * A shared log (log_is_shared) has several processes that may write. One leads; the others follow:
 *
 *     log_open ─▶ log_resume (perhaps) ─▶ log_follow … ─▶ log_lead, log_follow … ─▶ log_submit, log_wait …
 *                                         ▲                                         │ log_wait failed
 *                                         └───────── log_follow_again ◀─────────────┘
 */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "base/outside.h"
#include "log/batch.h"

/* Raised when the engine would make other events of an old log, or blocks would hash them in another form. */
#define LOG_ENGINE_VERSION 11
#define LOG_CONVERTIBLE    6          /* the oldest version that dojima convert reads; it reads all from there on */
#define LOG_ANY_OLDER      UINT32_MAX /* log_settings.engine of replay_open: the version of the log, if convertible */

#define LOG_FIRST_FILE "journal-00000001.log" /* of a log of files: what log_create makes */

static inline bool log_is_convertible(uint32_t engine)
{
    return engine >= LOG_CONVERTIBLE && engine < LOG_ENGINE_VERSION;
}

/* The last block known to be applied when a batch was submitted. */
struct log_applied {
    uint64_t       number;
    struct hash256 hash;
};

enum { LOG_KIND_FILE = 0, LOG_KIND_POSTGRES };

struct log_settings {
    uint32_t kind;        /* LOG_KIND_… : row of log/open.c */
    uint64_t file_bytes;  /* the file log: of each of its files; 8 MiB in dev, 64 MiB in serve (ruling 52) */
    bool     spare;       /* log_prepare makes room ahead of the log; without it the disk may give sparse files,
                           * and zeros are written a little ahead */
    bool     strict_tail; /* refuse even a tail that looks torn */
    bool     read_only;   /* nothing is written, created or cut */
    uint32_t engine;      /* with read_only: the engine version of the log; 0 = LOG_ENGINE_VERSION */

    /* of a shared log */
    const char *url;          /* of the database; lives as long as the log */
    const char *node;         /* name of this node, unique among the nodes; likewise */
    uint32_t    lease_ms;     /* bound of a connection's silence */
    bool        needs_quorum; /* refuse a database that acknowledges without a second machine */
    bool        is_owner;     /* with read_only: the role of the URL may remove rows (dojima trim-log) */
    bool        past_trimmed; /* begin behind what was trimmed, instead of refusing a log that lacks it */
};

enum log_fault {
    LOG_OK = 0,
    LOG_ABSENT,  /* there is no log */
    LOG_DAMAGED, /* not a torn tail: refuse to start, exit code 70 */
    LOG_FOREIGN, /* format or engine version unknown: untouched */
    LOG_IO,      /* the disk failed: exit code 74; the database of a shared log does not answer */
    LOG_REFUSED, /* the database of a shared log must be set up differently, or the log was trimmed behind what this
                  * reader needs: exit code 1, nothing was written */
};

struct log_report {
    enum log_fault fault;
    int            error;                      /* errno of LOG_IO */
    char           text[256];                  /* one sentence: fault, position, seq */
    char           warning[256];               /* the same about damage that could be gone around; "" = none */
    uint32_t       parts;                      /* files of a file log */
    uint64_t       batches, records, bytes;    /* read so far */
    uint64_t       bytes_total;                /* of all the log, for progress */
    bool           torn;                       /* the tail was torn and has been (or would be) cut */
    uint64_t       torn_at, torn_bytes;        /* offset within its part, bytes cut */
    uint64_t       torn_after_seq;             /* last command before the cut */
    char           torn_file[32];              /* the name under which the bytes are kept */
    uint32_t       found_format, found_engine; /* LOG_FOREIGN: the versions of the log */
};

struct log;

/* Bytes of memory that a log of any kind takes. */
size_t log_bytes(void);

/*
 * A new log in an empty folder, which begins with `genesis` (canonical JSON); log_open opens it. `memory` is needed for
 * the call alone.
 */
enum log_fault log_create(void *memory, const struct disk *folder, const struct log_settings *settings,
                          struct slice genesis, struct log_report *report) MUST_USE;

/*
 * Opens a log in `memory` (log_bytes, aligned to 64) and reads its genesis, a slice of that memory. The folder must
 * outlive the log. After LOG_OK log_close follows.
 */
enum log_fault log_open(void *memory, const struct disk *folder, const struct log_settings *settings, struct log **log,
                        struct slice *genesis, struct log_report *report) MUST_USE;

/*
 * A reader that gets durable batches only has command `seq`: a log that ends before it is damaged, however torn its
 * tail looks. To continue would lose answered commands and free their nonces. A shared log gives what stands up to it
 * without having heard that it is durable; there it may be told more at any time. `holder`: where that command is, for
 * people ("the history"); it outlives the log.
 */
void log_knows(struct log *log, uint64_t seq, const char *holder);

/* ---- reading ---- */

/*
 * The next batch, checked: checksums, chain, order. *end is set after the last one, and from then on
 * (unless read_only) the log can be appended to; a torn tail has been cut by then. `applied` is what the batch claims
 * about the block before it.
 */
enum log_fault log_next(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *end,
                        struct log_report *report) MUST_USE;

/*
 * Right after log_open: continues behind a mark, without reading what precedes it. LOG_DAMAGED, with a sentence, when
 * the log has no such position: no batch there, another one, or one with another chain. `batch` is memory to read
 * into.
 */
enum log_fault log_resume(struct log *log, const struct log_mark *mark, struct log_batch *batch,
                          struct log_report *report) MUST_USE;

/*
 * The next batch of a log that another process is writing to, in place of log_next and read_only: *there is false when
 * there is none yet, or only a part of one. A batch may not be durable until the next one is found; *partial: there
 * are bytes that are no batch yet.
 */
enum log_fault log_follow(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *there,
                          bool *partial, struct log_report *report) MUST_USE;

/*
 * Reads the batch at a position into `room` (aligned to 8), and checks all of it but its predecessors. Any thread, at
 * any time. 0; EUCLEAN when no whole batch is there, or none that fits; ENODATA when it was trimmed; or errno.
 */
int log_read(const struct log *log, const struct log_position *position, void *room, size_t cap,
             struct log_batch *batch) MUST_USE;

/* ---- appending: one thread ---- */

/*
 * Hands over a batch behind the last one; it must stay as it is until log_wait has returned for it, and at most
 * log_under_way batches are under way at a time. A batch without records is a closing batch: it proves that everything
 * before it was durable. A clean shutdown ends with one.
 */
void log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied);

/*
 * Waits until the oldest batch under way is durable: 0, and batch->position is where it stands. EAGAIN: log_nudge ended
 * the wait, and the batch is still under way. Otherwise errno: it is not known to be durable, and nothing can be
 * appended any more. A log that is not shared then answers every later call with the same errno, and the process must
 * stop. With a shared log, ESTALE says that another writer leads and that the batch is not in the log, now or later;
 * any other errno leaves open whether it is. log_follow_again continues.
 */
int log_wait(struct log *log) MUST_USE;

/* How many batches may be under way at a time, 1 or more. */
uint32_t log_under_way(const struct log *log);

/* Both, for a thread that has nothing else to do meanwhile. */
static inline int MUST_USE log_append(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    log_submit(log, batch, applied);
    return log_wait(log);
}

/* ---- a shared log ---- */

/* Whether the text names a log in a database, and not a folder. */
static inline bool log_is_url(const char *text)
{
    return strncmp(text, "postgres://", 11) == 0 || strncmp(text, "postgresql://", 13) == 0;
}

/* Whether other processes may write to this log too. */
bool log_is_shared(const struct log *log);

/* The log's thread: sleeps until log_follow may find something new, at most `ms`. Only for a shared log. */
void log_await(struct log *log, int64_t ms);

/* Any thread: ends a log_await or a log_wait that is running, or the next one. A log that is not shared ignores it. */
void log_nudge(struct log *log);

/*
 * Behind a log_follow that found nothing: becomes the writer, by appending a record with a higher term behind
 * everything (decision 127). Once that record is durable, no earlier writer can append, and everything before it is
 * final. *leads false: there is more to read; log_follow, and then call it again. True: everything is read, and the log
 * can be appended to. *term is the number of this leadership, from 1. LOG_IO: the database did not answer, or another
 * process was faster; log_follow continues. Only for a shared log.
 */
enum log_fault log_lead(struct log *log, uint64_t *term, bool *leads, struct log_report *report) MUST_USE;

/*
 * The writer becomes a reader: what is under way is given up, and log_follow continues behind the last batch for which
 * log_wait answered 0. Only for a shared log.
 */
void log_follow_again(struct log *log);

/*
 * Tells the database which two snapshots this node (settings.node) has and has verified: the places behind which it can
 * start. NULL: it has fewer than two. Below the older ones of all nodes the log may be trimmed (log/trim.h). By the
 * thread that reads. 0; ENOENT: the database has no table for it, dojima init-log makes it; EACCES: the role may not;
 * or errno. Only for a shared log.
 */
int log_tell_snapshots(struct log *log, const struct log_mark *older, const struct log_mark *newer) MUST_USE;

/* ---- both ---- */

/* Chain value after the last batch; next seq. */
struct hash256 log_chain(const struct log *log);
uint64_t       log_next_seq(const struct log *log);

/* ---- beside appending: any thread, at any time after the log can be appended to ---- */

/*
 * Allocates space ahead of the log when it is missing, so that log_submit need not; 0 or errno (the log continues: it
 * allocates its space itself, and uses its reserve when the disk is full). log_wants_spare is cheap.
 */
bool log_wants_spare(const struct log *log);
int  log_prepare(struct log *log) MUST_USE;

/* The disk had no room ahead of the log, or what was put by is used up: take no new risk. */
bool log_is_short(const struct log *log);

/* For /metrics; by the thread that appends, or before it does. */
struct log_figures {
    uint64_t part;       /* number of the part that is written; the file log: of the file, from 1 */
    uint64_t part_used;  /* bytes of it that are written */
    uint64_t part_bytes; /* and that it has room for */
};
struct log_figures log_figures(const struct log *log);

/* ---- for a reader beside a log that grows ---- */

/* Bytes of the folder's disk that are reserved for the log: other writers must leave them free. */
uint64_t log_reserve(const struct log *log);

#define LOG_HOLDS     8
#define LOG_PART_NAME 40

/*
 * A reader needs the batch at a position and everything behind it unpacked. Returns a number for log_release; at most
 * LOG_HOLDS at a time. The position where the log itself is read is always held.
 */
uint32_t log_hold(struct log *log, const struct log_position *position) MUST_USE;
void     log_release(struct log *log, uint32_t hold);

/*
 * Packs the next part of the log that no reader holds; it reads back as before. 0 or errno (it stays unpacked then).
 * *packed is the name of the packed part; "": nothing was left to pack.
 */
struct log_packed {
    char     name[LOG_PART_NAME];
    uint64_t bytes;
};
int log_pack(struct log *log, struct log_packed *packed) MUST_USE;

/*
 * Behind the last batch of a read-only log: reads every packed part to its last byte. *packed: their number. 0; or
 * errno, and `name` is the faulty part.
 */
int log_check(const struct log *log, uint32_t *packed, char name[LOG_PART_NAME]) MUST_USE;

void log_close(struct log *log);

#endif
