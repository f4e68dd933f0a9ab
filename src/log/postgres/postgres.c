/* SPDX-License-Identifier: MIT */
/* postgres.c — the rows of a table as a log: making, opening and closing it. */
#include "log/postgres/postgres.h"

#include "log/postgres/state.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static_assert(offsetof(struct postgres_log, log) == 0, "a struct log is the beginning of one");

static const struct postgres_log *const_of(const struct log *log)
{
    return (const struct postgres_log *)(const void *)log;
}

static size_t log_size(void) { return sizeof(struct postgres_log); }

/* ---- making one ---- */

#define INSERT_GENESIS                                                                                                 \
    "INSERT INTO dojima.log"                                                                                           \
    " (shard, seq, term, kind, first_command, commands, engine_ms, committed, prev, hash, payload)"                    \
    " VALUES (0, 0, 0, 0, 1, 0, 0, 0, $1, $2, $3)"

static enum log_fault insert_genesis(struct link *link, const struct log_settings *settings, struct slice genesis,
                                     uint8_t *payload, struct log_report *report)
{
    struct row_header     header = { .magic = ROW_MAGIC,
                                     .format = ROW_FORMAT,
                                     .engine = LOG_ENGINE_VERSION,
                                     .kind = ROW_GENESIS,
                                     .first_seq = 1,
                                     .bytes = (uint32_t)(sizeof(header) + genesis.len) };
    struct link_statement statement = { .text = INSERT_GENESIS };
    struct hash256        previous = { { 0 } }, hash;
    enum log_fault        fault = LOG_OK;
    PGresult             *result;

    memcpy(payload + sizeof(header), genesis.at, genesis.len);
    row_seal(payload, &header, &previous, &hash);
    link_add_bytes(&statement, previous.bytes, sizeof(previous.bytes));
    link_add_bytes(&statement, hash.bytes, sizeof(hash.bytes));
    link_add_bytes(&statement, payload, header.bytes);
    result = link_ask(link, &statement, max_i64(2 * (int64_t)settings->lease_ms, LINK_ASK_MS));
    if (result != NULL && link_was_fenced(result)) {
        fault = link_say(report, LOG_IO, NULL, "the database holds a log already");
        report->error = EEXIST;
    } else if (result == NULL || !link_did_insert(result) || link->warnings != 0) {
        fault = link_say(report, LOG_IO, link, "the database of the log did not make the genesis durable");
    }
    pq.clear(result);
    return fault;
}

static enum log_fault create(void *memory, const struct disk *folder, const struct log_settings *settings,
                             struct slice genesis, struct log_report *report)
{
    struct postgres_log *log = memory;
    enum log_fault       fault;

    (void)folder;
    assert(genesis.len > 0 && genesis.len <= GENESIS_MAX && settings->url != NULL && !settings->read_only);
    memset(log, 0, offsetof(struct postgres_log, genesis));
    memset(report, 0, sizeof(*report));
    fault = session_open(&log->rows, settings, LINK_WRITES, "dojima log", report);
    if (fault == LOG_OK) fault = insert_genesis(&log->rows, settings, genesis, log->genesis, report);
    link_close(&log->rows);
    return fault;
}

/* ---- opening and closing one ---- */

static void close_log(struct log *base)
{
    struct postgres_log *log = postgres_of(base);

    single_end(log);
    read_forget_page(log);
    link_close(&log->rows);
    link_close(&log->news);
    if (log->wake >= 0) (void)close(log->wake);
    pthread_cond_destroy(&log->reader_changed);
    pthread_mutex_destroy(&log->reader_lock);
}

static uint64_t bytes_of_table(struct postgres_log *log)
{
    struct link_statement statement = { .text = "SELECT pg_total_relation_size('dojima.log')" };
    PGresult             *result = link_ask(&log->rows, &statement, LINK_ASK_MS);
    uint64_t              bytes = 0;

    if (result != NULL && pq.resultStatus(result) == PGRES_TUPLES_OK) bytes = (uint64_t)link_number(result, 0, 0);
    pq.clear(result);
    return bytes;
}

static enum log_fault begin(struct postgres_log *log, const struct log_settings *settings, struct log_report *report)
{
    enum log_fault fault;

    memset(log, 0, offsetof(struct postgres_log, genesis));
    memset(report, 0, sizeof(*report));
    log->log.kind = &log_postgres;
    log->settings = *settings;
    log->look = true;
    pthread_mutex_init(&log->reader_lock, NULL);
    pthread_cond_init(&log->reader_changed, NULL);
    log->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (log->wake < 0) {
        fault = link_say(report, LOG_IO, NULL, "no event can be made");
        report->error = errno;
        return fault;
    }
    fault = session_open(&log->rows, settings, LINK_WRITES, "dojima log", report);
    if (fault == LOG_OK) fault = session_open(&log->reader, settings, LINK_READS, "dojima reader", report);
    if (fault == LOG_OK) fault = read_begin(log, report);
    if (fault != LOG_OK) return fault;
    log->bytes_total = bytes_of_table(log);
    report->error = single_begin(log);
    return report->error == 0 ? LOG_OK : link_say(report, LOG_IO, NULL, "no thread can be started");
}

static enum log_fault open_log(void *memory, const struct disk *folder, const struct log_settings *settings,
                               struct log **base, struct slice *genesis, struct log_report *report)
{
    struct postgres_log *log = memory;
    enum log_fault       fault;

    (void)folder;
    assert((uintptr_t)memory % alignof(struct postgres_log) == 0 && settings->url != NULL);
    fault = begin(log, settings, report);
    if (fault != LOG_OK) {
        close_log(&log->log);
        return fault;
    }
    log->ahead = log->at;
    *base = &log->log;
    *genesis = slice_make(log->genesis + sizeof(struct row_header), log->genesis_bytes);
    return LOG_OK;
}

/* ---- the rest ---- */

static void knows(struct log *log, uint64_t seq, const char *holder)
{
    postgres_of(log)->known_seq = seq;
    postgres_of(log)->holder = holder;
}
static struct hash256 chain(const struct log *log) { return const_of(log)->at.chain; }
static uint64_t       next_seq(const struct log *log) { return const_of(log)->at.next_seq; }

/* The database takes care of its disk. */
static bool     wants_spare(const struct log *log) { return log == NULL; }
static int      prepare(struct log *log) { return log == NULL ? EINVAL : 0; }
static bool     is_short(const struct log *log) { return log == NULL; }
static uint64_t reserve(const struct log *log) { return log == NULL; }

static bool trimmed(const struct log *log, struct log_trimmed *gone)
{
    *gone = const_of(log)->beginning.gone;
    return gone->row != 0;
}

static struct log_figures figures(const struct log *log)
{
    return (struct log_figures){ .part = const_of(log)->at.number, .part_used = const_of(log)->bytes };
}

static int pack(struct log *log, const struct log_position *needed, struct log_packed *packed)
{
    (void)log, (void)needed, (void)packed;
    return 0;
}

static int check(const struct log *log, uint32_t *packed, char name[LOG_PART_NAME])
{
    (void)log;
    *packed = 0;
    name[0] = '\0';
    return 0;
}

const struct log_kind log_postgres = {
    .name = "postgres",
    .bytes = log_size,
    .create = create,
    .open = open_log,
    .close = close_log,
    .knows = knows,
    .next = read_next,
    .resume = read_resume,
    .follow = read_follow,
    .read = single_read,
    .submit = append_submit,
    .wait = append_wait,
    .under_way = FLIGHTS_MAX,
    .await = news_await,
    .nudge = news_nudge,
    .lead = lead_lead,
    .follow_again = read_follow_again,
    .tell_snapshots = told_snapshots,
    .trimmed = trimmed,
    .lease_open = lease_of_row_open,
    .lease_step = lease_of_row_step,
    .lease_hand_over = lease_of_row_hand_over,
    .lease_close = lease_of_row_close,
    .lease_await = lease_of_row_await,
    .lease_nudge = lease_of_row_nudge,
    .chain = chain,
    .next_seq = next_seq,
    .wants_spare = wants_spare,
    .prepare = prepare,
    .is_short = is_short,
    .figures = figures,
    .reserve = reserve,
    .pack = pack,
    .check = check,
};
