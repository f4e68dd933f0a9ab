/* SPDX-License-Identifier: MIT */
/* beginning.h — where a trimmed log begins in the table: the mark that the trim left (decision 133). */
#ifndef LOG_POSTGRES_BEGINNING_H
#define LOG_POSTGRES_BEGINNING_H

#include "log/postgres/link.h"
#include "log/postgres/row.h"
#include "log/trim.h"

struct beginning {
    struct log_trimmed gone;   /* gone.row is 0: the log is whole */
    struct row_place   before; /* behind the last row that is gone: the first one that is left continues it */
};

/* Asks for it; a database without such a table holds a whole log. False: no answer, and the link is closed. */
bool beginning_ask(struct link *link, struct beginning *beginning, int64_t ms) MUST_USE;

/* The refusal of a reader that needs an earlier row; returns LOG_REFUSED. */
enum log_fault beginning_refuse(const struct beginning *beginning, struct log_report *report);

#endif
