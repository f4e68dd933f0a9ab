/* SPDX-License-Identifier: MIT */
/* batch.h — sealing and judging one batch in memory. Pure: bytes in, verdict out. */
#ifndef LOG_FILE_BATCH_H
#define LOG_FILE_BATCH_H

#include "log/file/format.h"
#include "log/file/journal.h"

/* Where a batch lies; the seed of its header checksum. */
struct batch_position {
    const struct hash256 *instance;
    uint64_t              segment, offset;
};

/* The state that a batch must continue. */
struct batch_expected {
    struct hash256 chain;
    uint64_t       next_seq;
    int64_t        time_ms;
};

enum batch_verdict {
    BATCH_GOOD = 0,
    BATCH_NO_HEADER,  /* no header that was written for this place */
    BATCH_INCOMPLETE, /* such a header, but a record or the trailer is not what it should be */
    BATCH_MISPLACED,  /* a header written for this place that does not continue the log: never a tear */
};

/* The header at `bytes` (at least 128) was written for this place, whole. */
bool batch_header_is_valid(const void *bytes, const struct batch_position *position);

/* A valid header continues the log. */
bool batch_header_continues(const struct batch_header *header, const struct batch_expected *expected);

/* Judges `len` bytes that begin with a header and hold the whole batch. *chain = its chain when good. */
enum batch_verdict batch_judge(const void *bytes, size_t len, const struct batch_position *position,
                               const struct batch_expected *expected, struct hash256 *chain);

/* Fills in header and trailer and pads with zeros; returns the padded length. *chain = its chain. */
size_t batch_seal(struct log_batch *batch, const struct batch_position *position, const struct batch_expected *expected,
                  const struct log_applied *applied, struct hash256 *chain);

/* What continues the log behind a batch that was sealed or judged good. */
struct batch_expected expected_behind(const struct log_batch *batch);

/* Bytes a sealed batch takes on disk. */
static inline size_t batch_padded(const struct log_batch *batch)
{
    return align_up(batch->len + sizeof(struct hash256), JOURNAL_BLOCK);
}

#endif
