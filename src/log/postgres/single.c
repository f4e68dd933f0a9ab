/* SPDX-License-Identifier: MIT */
/*
 * single.c — one batch at its position, for any thread. Threads that read strangers' bytes may not open sockets
 * (io/sandbox.h), and the log's thread may sleep for long: a thread of its own connects again.
 */
#include "log/postgres/rows.h"
#include "log/postgres/state.h"

#include <time.h>

/* ---- the thread that connects ---- */

static void wait_ms(struct postgres_log *log, int64_t ms)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms % 1000 * 1000000;
    until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_clockwait(&log->reader_changed, &log->reader_lock, CLOCK_MONOTONIC, &until);
}

/* Under the lock, which is given up while it connects. */
static void connect_reader(struct postgres_log *log)
{
    struct link       fresh = { 0 };
    struct log_report report = { 0 };
    enum log_fault    fault;

    pthread_mutex_unlock(&log->reader_lock);
    fault = session_open(&fresh, &log->settings, LINK_READS, "dojima reader", &report);
    pthread_mutex_lock(&log->reader_lock);
    if (fault == LOG_OK) {
        link_close(&log->reader);
        link_move(&fresh, &log->reader);
        pthread_cond_broadcast(&log->reader_changed);
    } else if (!log->closing) {
        wait_ms(log, LINK_MEND_MS);
    }
}

static void *keep_connected(void *self)
{
    struct postgres_log *log = self;

    pthread_mutex_lock(&log->reader_lock);
    while (!log->closing) {
        if (link_is_open(&log->reader)) pthread_cond_wait(&log->reader_changed, &log->reader_lock);
        else connect_reader(log);
    }
    pthread_mutex_unlock(&log->reader_lock);
    return NULL;
}

int single_begin(struct postgres_log *log)
{
    int error = pthread_create(&log->reader_thread, NULL, keep_connected, log);

    log->has_thread = error == 0;
    return error;
}

void single_end(struct postgres_log *log)
{
    pthread_mutex_lock(&log->reader_lock);
    log->closing = true;
    pthread_cond_broadcast(&log->reader_changed);
    pthread_mutex_unlock(&log->reader_lock);
    if (log->has_thread) (void)pthread_join(log->reader_thread, NULL);
    link_close(&log->reader);
}

/* ---- reading ---- */

/* A connection that breaks is waited for once; while the database cannot be reached, nothing is. */
static PGresult *ask_row(struct postgres_log *log, uint64_t number)
{
    PGresult *page = NULL;

    pthread_mutex_lock(&log->reader_lock);
    if (link_is_open(&log->reader)) {
        page = rows_ask(&log->reader, number, number, READ_MS);
        if (page == NULL) {
            pthread_cond_broadcast(&log->reader_changed);
            wait_ms(log, READ_MS);
            if (link_is_open(&log->reader)) page = rows_ask(&log->reader, number, number, READ_MS);
        }
    }
    pthread_mutex_unlock(&log->reader_lock);
    return page;
}

/* Whether a row that is not there was trimmed. */
static bool was_trimmed(struct postgres_log *log, uint64_t number)
{
    struct beginning beginning = { 0 };

    pthread_mutex_lock(&log->reader_lock);
    if (link_is_open(&log->reader) && !beginning_ask(&log->reader, &beginning, READ_MS))
        pthread_cond_broadcast(&log->reader_changed);
    pthread_mutex_unlock(&log->reader_lock);
    return number < beginning.gone.row;
}

int single_read(const struct log *base, const struct log_position *position, void *room, size_t cap,
                struct log_batch *batch)
{
    struct postgres_log *log = postgres_of((struct log *)(uintptr_t)base);
    uint64_t             number = log_position_second(position);
    struct row_header    header;
    struct row           row;
    PGresult            *page;
    int                  error = EUCLEAN;

    if (log_position_first(position) != 0 || number == 0) return EUCLEAN;
    page = ask_row(log, number);
    if (page == NULL) return ENOTCONN;
    if (pq.ntuples(page) == 0) {
        if (was_trimmed(log, number)) error = ENODATA;
    } else {
        row = rows_at(page, 0);
        if (row.column.bytes + sizeof(row.hash) <= cap) memcpy(room, row.payload, row.column.bytes);
        if (row.column.bytes + sizeof(row.hash) <= cap && row.column.kind == ROW_BATCH
            && row_judge(&row, room, postgres_engine(log), &header) == ROW_GOOD)
            error = 0;
    }
    if (error == 0) memcpy((uint8_t *)room + row.column.bytes, row.hash.bytes, sizeof(row.hash.bytes));
    pq.clear(page);
    if (error != 0) return error;
    *batch = (struct log_batch){ .at = room,
                                 .len = header.bytes,
                                 .cap = cap,
                                 .first_seq = header.first_seq,
                                 .count = header.count,
                                 .time_ms = header.time_ms,
                                 .position = *position };
    return 0;
}
