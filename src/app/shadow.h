/* SPDX-License-Identifier: MIT */
/*
 * shadow.h — the second process: it reads the log behind the exchange that writes it, makes the same of it with the
 * same engine, and says so; writes snapshots of what it has made, lives on in each of them, and archives the segments
 * that no snapshot needs any more. It shares nothing with the exchange but the folder.
 *
 *     exchange ──▶ log ──▶ shadow ──▶ snapshot.tmp ──▶ read back, lived in ──▶ snapshot-a / snapshot-b
 *        ▲                   │
 *        └──── words ────────┘      block 17 has hash …, a snapshot was made, something differs
 *
 * A batch is applied when the one behind it is there: by then it was durable (log/log.h, log_follow).
 */
#ifndef APP_SHADOW_H
#define APP_SHADOW_H

#include "base/keccak.h"

struct shadow_settings {
    const char *folder;
    uint64_t    seconds, commands; /* between snapshots: whichever is over first, when anything happened */
    bool        archive;           /* segments that both snapshots have behind them */
    bool        once;              /* to the end of a log at rest, one snapshot, and out */
    bool        words;             /* on standard output, for the exchange */
};

/* A message of the shadow to the exchange that started it, in one piece. */
enum shadow_word_kind { WORD_BLOCK = 1, WORD_SNAPSHOT = 2, WORD_DIFFERS = 3, WORD_ENDED = 4 };
#define SHADOW_WORD_MAGIC 0x57444853u
struct shadow_word {
    uint32_t       magic, kind;
    uint64_t       seq;                    /* commands it has applied */
    uint64_t       block;                  /* the last block */
    struct hash256 block_hash, state_hash; /* the latter of a snapshot */
    uint64_t       bytes, ms;              /* of a snapshot: of the file, and how long all of it took */
    int64_t        code;                   /* WORD_ENDED: exit code, or minus a signal */
};
static_assert(sizeof(struct shadow_word) == 112, "less than a pipe takes in one piece");

#endif
