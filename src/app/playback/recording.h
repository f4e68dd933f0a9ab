/* SPDX-License-Identifier: MIT */
/*
 * recording.h — the file of `dojima record` (docs/replay.md): lines of JSON, the first one with the version, the last
 * one with the number of lines and their hash, so that a file that is cut is noticed.
 */
#ifndef APP_PLAYBACK_RECORDING_H
#define APP_PLAYBACK_RECORDING_H

#include "base/keccak.h"
#include "io/lines.h"

#define RECORDING_VERSION 1

struct recording {
    struct lines_writer writer;
    struct keccak       hash; /* of the lines so far, with their line feeds */
    uint64_t            lines;
    int64_t             last_ms; /* the times of lines do not fall */
};

/* Creates the file, which must not exist, with its first line. 0 or errno. */
int recording_create(struct recording *recording, const char *path, const char *url, int64_t now_ms) MUST_USE;

/* One line: {"t":MS,"base":"spot",KEY:VALUE}. `base` NULL: without it; `value` is JSON on one line. 0 or errno. */
int recording_add(struct recording *recording, int64_t now_ms, const char *base, const char *key,
                  struct slice value) MUST_USE;

/* The last line; the file is durable and closed, also when this fails. 0 or errno. */
int recording_finish(struct recording *recording, int64_t now_ms) MUST_USE;

/* Is this the first line of a recording, whatever its version? */
bool recording_begins(struct slice line);

#endif
