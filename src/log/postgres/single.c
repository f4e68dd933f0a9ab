/* SPDX-License-Identifier: MIT */
/* single.c — one batch at its position, for any thread. */
#include "log/postgres/rows.h"
#include "log/postgres/state.h"

void single_mend(struct postgres_log *log)
{
    if (pthread_mutex_trylock(&log->reader_lock) != 0) return;
    (void)session_mend(&log->reader, &log->settings, LINK_READS, "dojima reader");
    pthread_mutex_unlock(&log->reader_lock);
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
    pthread_mutex_lock(&log->reader_lock);
    page = link_is_open(&log->reader) ? rows_ask(&log->reader, number, number, READ_MS) : NULL;
    pthread_mutex_unlock(&log->reader_lock);
    if (page == NULL) return ENOTCONN;
    if (PQntuples(page) == 1) {
        row = rows_at(page, 0);
        if (row.column.bytes + sizeof(row.hash) <= cap) memcpy(room, row.payload, row.column.bytes);
        if (row.column.bytes + sizeof(row.hash) <= cap && row.column.kind == ROW_BATCH
            && row_judge(&row, room, postgres_engine(log), &header) == ROW_GOOD)
            error = 0;
    }
    if (error == 0) memcpy((uint8_t *)room + row.column.bytes, row.hash.bytes, sizeof(row.hash.bytes));
    PQclear(page);
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
