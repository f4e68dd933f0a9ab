/* SPDX-License-Identifier: MIT */
/* logbook.h — the log for the interface: reads back the record at a position (struct api_log). */
#ifndef PIPELINE_LOGBOOK_H
#define PIPELINE_LOGBOOK_H

#include "api/api.h"
#include "log/log.h"

/* The log for api_shared; it reads as long as `log` is open. */
struct api_log logbook_of(struct log *log);

#endif
