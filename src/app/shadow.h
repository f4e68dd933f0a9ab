/* SPDX-License-Identifier: MIT */
/*
 * shadow.h — the second process: it follows the log that the exchange writes, applies it with the same engine and
 * reports the result; writes snapshots of its state and continues from each of them as loaded, and archives the
 * segments that no snapshot needs any more. It shares only the folder with the exchange.
 *
 *     exchange ──▶ log ──▶ shadow ──▶ snapshot.tmp ──▶ loaded back ──▶ snapshot-a / snapshot-b
 *        ▲                   │
 *        └──── messages ─────┘      block 17 has hash …, a snapshot was made, a difference was found
 *
 * From a log of files a batch is applied when the next one is there: by then it was durable (log/log.h, log_follow).
 * From a shared log it is read as any follower reads it, only when it is committed: so on the node that leads too the
 * snapshots are the work of a follower, with a process and memory of its own (decision 129).
 */
#ifndef APP_SHADOW_H
#define APP_SHADOW_H

#include "base/keccak.h"

struct shadow_settings {
    const char *folder;
    const char *config;            /* a file; NULL: the log is files in the folder */
    uint64_t    seconds, commands; /* between snapshots: whichever is over first, when anything happened */
    bool        archive;           /* segments that both snapshots have behind them */
    bool        once;              /* to the end of a log at rest, one snapshot, and out */
    bool        words;             /* on standard output, for the exchange */
};

/* A message of the shadow to the exchange that started it, in one piece. */
enum shadow_message_kind { SHADOW_BLOCK = 1, SHADOW_SNAPSHOT = 2, SHADOW_DIFFERS = 3, SHADOW_ENDED = 4 };
#define SHADOW_MESSAGE_MAGIC 0x57444853u
struct shadow_message {
    uint32_t       magic, kind;
    uint64_t       seq;                    /* commands it has applied */
    uint64_t       block;                  /* the last block */
    struct hash256 block_hash, state_hash; /* the latter of a snapshot */
    uint64_t       bytes, ms;              /* of a snapshot: of the file, and how long all of it took */
    int64_t        code;                   /* SHADOW_ENDED: exit code, or minus a signal */
};
static_assert(sizeof(struct shadow_message) == 112, "less than a pipe takes in one piece");

#endif
