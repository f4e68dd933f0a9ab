/* SPDX-License-Identifier: MIT */
/* setup.h — makes the place of a shared log in a database: schema, tables, and two roles that may do no more than they
 * must. */
#ifndef LOG_SETUP_H
#define LOG_SETUP_H

#include "log/log.h"

#define LOG_PASSWORD_MAX 64
#define LOG_URL_MAX      512

struct log_setup {
    const char *url; /* of a superuser, or of a role that owns the database and creates roles */
    char        writer[LOG_PASSWORD_MAX + 1], reader[LOG_PASSWORD_MAX + 1]; /* their passwords: letters and digits */
    char        writer_url[LOG_URL_MAX], reader_url[LOG_URL_MAX];           /* filled in; with the passwords */
};

/* May be repeated: what is there stays, the passwords are set. LOG_REFUSED: the role may not, or a text does not fit.
 */
enum log_fault log_set_up(struct log_setup *setup, struct log_report *report) MUST_USE;

#endif
