/* SPDX-License-Identifier: MIT */
/*
 * audit.h — DIR/audit.log: a line of JSON for whatever an operator does to the exchange, and for each start, refused
 * start, torn tail and orderly stop (process 8). It is for people and for whoever keeps a copy out of our reach;
 * nothing is ever read back from it, and the log stays the truth. It never has a signature in it: it is shipped
 * elsewhere, and what was refused could be sent again.
 *
 * A line is durable when its function returns true. Each is one append to the file under its name, so that it may be
 * renamed at any time.
 */
#ifndef ADMIN_AUDIT_H
#define ADMIN_AUDIT_H

#include "api/api.h"
#include "base/histogram.h"
#include "io/local.h"
#include "gateway/engine_messages.h"

#define AUDIT_LOG        "audit.log"
#define AUDIT_LINE_MAX   8192
#define AUDIT_KEPT_BYTES 65536

struct audit {
    const char      *folder;
    tally            failures;               /* for /metrics */
    _Atomic uint32_t failing;                /* 1: the last one could not be written, and that was said */
    size_t           kept_len;               /* lines about what has happened that could not be written yet: */
    char             kept[AUDIT_KEPT_BYTES]; /* the admin thread alone */
};

/* `folder` must stay. */
void audit_init(struct audit *audit, const char *folder);

/* ---- commands of operators, on the admin thread ---- */

/* One command of an operator, as far as it is known. Slices and pointers are the caller's. */
struct audit_case {
    uint64_t                   number; /* of this process, from 1; 0 = it was refused before the log */
    int64_t                    engine_ms;
    struct local_who           who;
    const struct operator_key *confirmed; /* who signed besides; NULL = nobody */
    struct address             stranger;  /* who did and may not; zeros = nobody */
    struct slice               command;   /* canonical, without a signature; empty: not understood */
    struct slice               line;      /* then this is what came */
};

/* Before it goes to the log. False: it must not go there. Lines that were kept are written first. */
bool audit_asked(struct audit *audit, const struct audit_case *said);

/* When it has happened, before it is answered: what the log says of
   it. When that cannot be written now, it is kept for later. */
void audit_answered(struct audit *audit, const struct audit_case *said, enum reject reject,
                    const struct reply_message *reply);

/* It never reached the log; `text` says why. */
void audit_refused(struct audit *audit, const struct audit_case *said, enum reject reject, const char *text);

/* A process of another user knocked at the administration socket. */
void audit_stranger(struct audit *audit, struct local_who who);

/* ---- the life of the process; on the thread that starts and stops it, but for the head: the history writer's ---- */

/* Where the exchange stands. */
struct audit_position {
    uint64_t       seq, block;
    struct hash256 block_hash, chain;
};

struct audit_start {
    struct audit_position place;
    struct hash256        state, genesis;
    const struct hash256 *config;    /* of the configuration file's bytes; NULL = there is none */
    uint32_t              operators; /* keys of which one must sign */
};
void audit_started(struct audit *audit, const struct audit_start *start);

/* Why there is no start. Silent when the line cannot be written: the folder may be nobody's, or not there. */
void audit_not_started(struct audit *audit, int code, const char *reason);

/* What was cut off the end of the log: bytes, behind which command, and where they are kept. */
void audit_torn(struct audit *audit, uint64_t bytes, uint64_t after_seq, const char *kept);

/* The newest block, an anchor: whoever has this line knows of a log that was written anew. */
void audit_head(struct audit *audit, uint64_t seq, uint64_t block, const struct hash256 *hash);

void audit_stopped(struct audit *audit, int code, const struct audit_position *place);

/* The commit this program was built from, "-dirty" behind it when files had changed; "unknown" without git. */
extern const char build_commit[];

#endif
