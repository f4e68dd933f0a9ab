/* SPDX-License-Identifier: MIT */
/* logbook.h — the log as the interface sees it: what stands at a place of it, read back (struct api_log). */
#ifndef PIPELINE_LOGBOOK_H
#define PIPELINE_LOGBOOK_H

#include "api/api.h"
#include "base/outside.h"

struct logbook {
    const struct disk *disk;
    struct hash256     instance; /* of the log: the hash of its genesis */
    struct api_log     log;      /* what api_shared is given */
};

/* `disk` and the logbook itself must stay where they are. */
void logbook_init(struct logbook *logbook, const struct disk *disk, struct slice genesis_json);

#endif
