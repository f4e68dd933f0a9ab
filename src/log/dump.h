/* SPDX-License-Identifier: MIT */
/*
 * dump.h — a log as one piece of bytes: genesis and batches, compressed; for a development exchange's state (dojima dev
 * --state, anvil_dumpState). It holds what is alive of a log that went back, so its commands have the numbers 1, 2, 3 …
 *
 *     "DOJIMADP" | version 4 | engine version 4 | zstd of:  genesis's bytes 8 | genesis, filled to a multiple of 8 |
 *                                                           batch … | 8 bytes of keccak-256 of all before
 *     batch      first_seq 8 | time_ms 8 | count 4 | bytes 4 | block before it: number 8, hash 32 | records (batch.h)
 *
 * Numbers are little endian.
 */
#ifndef LOG_DUMP_H
#define LOG_DUMP_H

#include "log/log.h"

struct dump_writer {
    void         *stream;
    uint8_t      *at; /* what is finished; the caller frees it */
    size_t        len, cap, max;
    struct keccak keccak;
    bool          failed, too_large;
};

/* At most `max` bytes. Where memory is short, or that is not enough, `failed` is set and nothing more is done. */
void dump_begin(struct dump_writer *writer, struct slice genesis, size_t max);
void dump_add(struct dump_writer *writer, const struct log_batch *batch, const struct log_applied *claim);

/* The end; false: it failed. *bytes.at is from malloc; NULL when it failed. */
bool dump_end(struct dump_writer *writer, struct slice *bytes) MUST_USE;

struct dump_reader {
    uint8_t     *at; /* all of it, unpacked */
    size_t       len, next;
    struct slice genesis;
    const char  *wrong; /* why it cannot be read; NULL = it can */
};

/* Unpacks and checks all of it. False: `wrong` says why. dump_close follows. */
bool dump_open(struct dump_reader *reader, struct slice bytes) MUST_USE;
void dump_close(struct dump_reader *reader);

/* The next batch into batch->at, ready to be submitted; false: there is none. batch->cap: at least as large as any. */
bool dump_next(struct dump_reader *reader, struct log_batch *batch, struct log_applied *claim) MUST_USE;

#endif
