/* SPDX-License-Identifier: MIT */
/*
 * state.h — the shared log in memory. Private to this folder.
 *
 * One thread reads, fences and appends over the link `rows`; `news` tells a follower what is committed, and the others
 * what this writer has committed. Other threads read single batches over `reader`, under its lock.
 */
#ifndef LOG_POSTGRES_STATE_H
#define LOG_POSTGRES_STATE_H

#include "log/kind.h"
#include "log/postgres/beginning.h"
#include "log/postgres/session.h"
#include "log/postgres/row.h"

#include <errno.h>
#include <pthread.h>
#include <stdalign.h>

#define GENESIS_MAX (1024 * 1024)
#define FLIGHTS_MAX 2
#define READ_MS     1000 /* bound of a read of one batch, by any thread */

enum phase {
    PHASE_READS = 0, /* follows the writer */
    PHASE_FENCED,    /* its own fence is durable; it reads what stands before it, and behind it if another node leads */
    PHASE_WRITES,
    PHASE_LOST, /* an append failed */
};

/* A batch that is under way. */
struct flight {
    struct log_batch *batch;
    struct row_place  behind;
    bool              was_inserted, was_fenced;
    bool              was_waited; /* the commit waited for all that it should (append_question) */
    uint32_t          ends;       /* of its statements that have come */
};

struct postgres_log {
    struct log          log;
    struct log_settings settings;
    struct hash256      instance;
    size_t              genesis_bytes;
    struct link         rows, news;
    bool                listens, announces; /* what the link `news` is set up for */
    uint32_t            announced;          /* announcements whose answer is outstanding */
    int                 announcer;          /* process of the database that was seen to be a writer's; 0 = none */
    int                 wake;               /* eventfd of log_nudge */

    enum phase       phase;
    struct row_place at;        /* behind the last row that was read or is durable */
    struct row_place ahead;     /* and behind what is under way */
    struct row_place fence;     /* PHASE_FENCED: behind our fence */
    uint64_t         committed; /* atomic: the highest row known to be durable */
    uint64_t         known_seq; /* log_knows */
    const char      *holder;    /* likewise */
    uint64_t         last;      /* row behind which a read-only reader stops; 0 = not asked yet */
    bool             look;      /* ask the database what is committed */
    struct flight    flights[FLIGHTS_MAX];
    uint32_t         under_way;
    int              error; /* PHASE_LOST: what log_wait answers */

    struct beginning beginning; /* that it was opened at; its row is 0: at the genesis */

    PGresult *page; /* rows that were fetched */
    int       page_at;
    uint64_t  batches, records, bytes, bytes_total;

    pthread_mutex_t reader_lock; /* guards what follows */
    pthread_cond_t  reader_changed;
    pthread_t       reader_thread;
    bool            has_thread, closing;
    struct link     reader;

    alignas(64) uint8_t genesis[sizeof(struct row_header) + GENESIS_MAX];
};

static inline struct postgres_log *postgres_of(struct log *log) { return (struct postgres_log *)(void *)log; }

static inline uint64_t postgres_committed(const struct postgres_log *log)
{
    return __atomic_load_n(&log->committed, __ATOMIC_ACQUIRE);
}

static inline void postgres_commit_to(struct postgres_log *log, uint64_t number)
{
    if (number > postgres_committed(log)) __atomic_store_n(&log->committed, number, __ATOMIC_RELEASE);
}

static inline uint32_t postgres_engine(const struct postgres_log *log)
{
    return log->settings.engine != 0 ? log->settings.engine : LOG_ENGINE_VERSION;
}

/* ---- read.c ---- */
enum log_fault read_begin(struct postgres_log *log, struct log_report *report) MUST_USE; /* the genesis */
enum log_fault read_next(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *end,
                         struct log_report *report);
enum log_fault read_resume(struct log *log, const struct log_mark *mark, struct log_batch *batch,
                           struct log_report *report);
enum log_fault read_follow(struct log *log, struct log_batch *batch, struct log_applied *applied, bool *there,
                           bool *partial, struct log_report *report);
void           read_follow_again(struct log *log);
void           read_forget_page(struct postgres_log *log);
enum log_fault read_say(const struct postgres_log *log, struct log_report *report, enum log_fault fault,
                        const char *what);

/* The last row of the table, as far as its columns tell; false: no answer. */
struct last_row {
    struct row_place place; /* but its chain */
    uint64_t         committed;
};
bool read_last(struct postgres_log *log, struct last_row *last) MUST_USE;

/* ---- single.c ---- */
int single_read(const struct log *log, const struct log_position *position, void *room, size_t cap,
                struct log_batch *batch);
/* Starts the thread that keeps the link `reader` connected, 0 or errno; and ends it. */
int  single_begin(struct postgres_log *log) MUST_USE;
void single_end(struct postgres_log *log);

/* ---- append.c ---- */
void append_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied);
int  append_wait(struct log *log);
/* Fills in the statement that inserts a row. The bytes must stay until link_send. */
struct row_bytes {
    struct row_header header;
    struct hash256    hash;
};
void append_describe(const struct postgres_log *log, struct link_statement *statement, struct row_bytes *bytes,
                     uint8_t *payload, const struct row_place *before);
/* The statement behind it: whether its commit waited for all that it should. */
struct link_statement append_question(const struct postgres_log *log);

/* ---- lead.c ---- */
enum log_fault lead_lead(struct log *log, uint64_t *term, bool *leads, struct log_report *report);

/* ---- news.c ---- */
void news_await(struct log *log, int64_t ms);
void news_nudge(struct log *log);
void news_announce(struct postgres_log *log); /* the committed row, to the followers */
void news_collect(struct postgres_log *log);  /* what has come, without waiting */
bool news_take_nudge(struct postgres_log *log);

/* ---- told.c ---- */
int told_snapshots(struct log *log, const struct log_mark *older, const struct log_mark *newer);

/* ---- lease.c ---- */
int  lease_of_row_open(struct log *log, struct lease **lease, struct log_report *report);
int  lease_of_row_step(struct lease *lease, const struct lease_wish *wish, struct lease_view *view);
int  lease_of_row_hand_over(struct lease *lease, const char *node);
void lease_of_row_close(struct lease *lease);
void lease_of_row_await(struct lease *lease, int64_t ms);
void lease_of_row_nudge(struct lease *lease);

#endif
