/* SPDX-License-Identifier: MIT */
/*
 * position.h — a position in the log. Only the log that made it can interpret its bytes; other rooms store them, pass
 * them back, and compare them with the functions here. Snapshots and the history keep them on disk.
 */
#ifndef LOG_POSITION_H
#define LOG_POSITION_H

#include "base/base.h"

/*
 * Where a batch stands: two little-endian numbers of 8 bytes each, such that the pairs are in the order of the batches.
 * The first number is less than 2^32. All zeros: no batch, the beginning of the log.
 */
struct log_position {
    uint8_t bytes[16];
};

/* The same without the zeros of the first number, as the history keeps it: the second number, then 4 bytes of the
 * first. */
struct log_position_short {
    uint8_t bytes[12];
};

/* For the logs themselves. */
struct log_position log_position_make(uint64_t first, uint64_t second);
uint64_t            log_position_first(const struct log_position *position);
uint64_t            log_position_second(const struct log_position *position);

/* Less than 0, 0 or more than 0: the batch at `one` stands before the one at `other`, is the same one, or stands behind
 * it. */
int  log_position_compare(const struct log_position *one, const struct log_position *other);
bool log_position_is_none(const struct log_position *position);

struct log_position_short log_position_shorten(const struct log_position *position);
struct log_position       log_position_lengthen(const struct log_position_short *position);

#endif
