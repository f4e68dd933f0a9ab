/* SPDX-License-Identifier: MIT */
/* postgres.h — the log as rows of a table of PostgreSQL that several nodes share (log/kind.h, decision 127). */
#ifndef LOG_POSTGRES_POSTGRES_H
#define LOG_POSTGRES_POSTGRES_H

#include "log/kind.h"

extern const struct log_kind log_postgres;

#endif
