/* SPDX-License-Identifier: MIT */
/* logbook.h — the log as the interface sees it: what stands at a place of it, read back (struct api_log). */
#ifndef PIPELINE_LOGBOOK_H
#define PIPELINE_LOGBOOK_H

#include "api/api.h"
#include "log/log.h"

/* The log for api_shared; it reads as long as `log` is open. */
struct api_log logbook_of(struct log *log);

#endif
