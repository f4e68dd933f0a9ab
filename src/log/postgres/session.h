/* SPDX-License-Identifier: MIT */
/*
 * session.h — opens a link that was checked: it is the primary, it commits with synchronous_commit on, it waits for
 * another machine, and its role may do no more than it must.
 */
#ifndef LOG_POSTGRES_SESSION_H
#define LOG_POSTGRES_SESSION_H

#include "log/postgres/link.h"

enum link_use {
    LINK_WRITES, /* appends: all checks */
    LINK_TELLS,  /* lease and announcements: its role is checked */
    LINK_READS,
};

/*
 * LOG_OK; LOG_IO: not reachable now; LOG_REFUSED: the database must be set up differently. report->text says it in one
 * sentence, without the password. The statements of its use are prepared.
 */
enum log_fault session_open(struct link *link, const struct log_settings *settings, enum link_use use, const char *name,
                            struct log_report *report) MUST_USE;

#define LINK_MEND_MS 250 /* between two attempts to connect */

/* The same for a link that may be open, but not more often than each LINK_MEND_MS; false when it is not connected. */
bool session_mend(struct link *link, const struct log_settings *settings, enum link_use use, const char *name);

/* Statements that session_open prepares. */
#define STATEMENT_APPEND "dojima_append" /* LINK_WRITES */
#define STATEMENT_WAITED "dojima_waited" /* LINK_WRITES */
#define STATEMENT_PAGE   "dojima_page"   /* LINK_WRITES, LINK_READS */
#define STATEMENT_LAST   "dojima_last"   /* LINK_WRITES */
#define STATEMENT_TELL   "dojima_tell"   /* LINK_TELLS */

#define LINK_ASK_MS 2000 /* for a statement that waits for no other machine */

#endif
