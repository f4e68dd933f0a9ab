/* SPDX-License-Identifier: MIT */
/* sources.h — the files that are replayed, as one row of events in the order of their times. */
#ifndef APP_PLAYBACK_SOURCES_H
#define APP_PLAYBACK_SOURCES_H

#include "app/playback/source.h"

/* Looks at the first lines. False: sources->why. sources_close follows in any case. */
bool sources_open(struct sources *sources, int count, char **paths) MUST_USE;
void sources_close(struct sources *sources);

/* From the beginning again. */
bool sources_rewind(struct sources *sources) MUST_USE;

/* The next event. False: the end, or sources->why is not empty. */
bool sources_next(struct sources *sources, struct playback_event *event) MUST_USE;

/* "FILE:LINE: COLUMN WHY" of the event that sources_next gave last; false. */
bool sources_refuse(struct sources *sources, const struct playback_event *event, enum playback_part part,
                    const char *why);

#endif
