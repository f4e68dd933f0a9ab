/* SPDX-License-Identifier: MIT */
/*
 * audit.h — DIR/audit.log: a line of JSON for every action of an operator, and for each start, refused start, torn
 * tail and orderly stop (process 8). It is for people and for a copy kept elsewhere; the program never reads it back,
 * and the log stays the truth. It never contains a signature: it is shipped elsewhere, and a refused request could be
 * sent again.
 *
 * A line is durable when its function returns true. Each is one append to the file under its name, so the file may be
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
    _Atomic uint32_t failing;                /* 1: the last line could not be written, and that was logged */
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
    const struct operator_key *confirmed; /* address that confirmed; NULL = none */
    struct address             stranger;  /* address that signed without the right to; zeros = none */
    struct slice               command;   /* canonical, without a signature; empty: not understood */
    struct slice               line;      /* then this is the request */
};

/* Before it goes to the log. False: it must not go there. Lines that were kept are written first. */
bool audit_asked(struct audit *audit, const struct audit_case *said);

/*
 * After a command was applied and before it is answered: its place in the log. A line that cannot be written now is
 * kept for later.
 */
void audit_answered(struct audit *audit, const struct audit_case *said, enum reject reject,
                    const struct reply_message *reply);

/* It never reached the log; `text` is the reason. */
void audit_refused(struct audit *audit, const struct audit_case *said, enum reject reject, const char *text);

/* A process of another user connected to the administration socket. */
void audit_stranger(struct audit *audit, struct local_who who);

/* ---- the life of the process; on the thread that starts and stops it, but for the head: the keeper's ---- */

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

/* The reason of a refused start. Silent when the line cannot be written: the folder may be another user's, or absent.
 */
void audit_not_started(struct audit *audit, int code, const char *reason);

/* The part cut off the end of the log: bytes, the command before it, and the file that keeps them. */
void audit_torn(struct audit *audit, uint64_t bytes, uint64_t after_seq, const char *kept);

/* The newest block, an anchor: a holder of this line notices a log that was rewritten. */
void audit_head(struct audit *audit, uint64_t seq, uint64_t block, const struct hash256 *hash);

void audit_stopped(struct audit *audit, int code, const struct audit_position *place);

/* The commit this program was built from, "-dirty" behind it when files had changed; "unknown" without git. */
extern const char build_commit[];

#endif
