/* SPDX-License-Identifier: MIT */
/*
 * share.h — the share of a thread's time for pushes. A push to a thousand subscribers takes as long as twenty
 * signatures: so that subscribers never slow the exchange, pushes get a part of the time that a thread does not need
 * for requests, in which other threads may need the core, and a smaller part of the time that it does need. Waiting
 * messages are not lost but merged into fewer, longer ones. The time of a push is processor time: a thread that was
 * not scheduled has not pushed meanwhile. No clock: the owner passes the time.
 */
#ifndef STREAM_SHARE_H
#define STREAM_SHARE_H

#include "base/base.h"

#define SHARE_OF_BUSY  64 /* 1/64 of the time with work */
#define SHARE_OF_IDLE  8  /* 1/8 of the time without */
#define SHARE_SHORT_NS INT64_C(100000)
#define SHARE_OF_SHORT 4                /* of so much of a push 1/4 counts */
#define SHARE_SAVED_NS INT64_C(2000000) /* at most so much is saved up */

/* Zeroed at first. */
struct share {
    int64_t left_ns, counted_ns, idle_ns;
};

/* `idle_ns`: for how long the thread has had nothing to do, of all its time until now. May it push now? */
static inline bool share_allows(struct share *share, int64_t now_ns, int64_t idle_ns)
{
    int64_t idle = idle_ns - share->idle_ns, busy = now_ns - share->counted_ns - idle;

    share->left_ns = min_i64(SHARE_SAVED_NS, share->left_ns + idle / SHARE_OF_IDLE + busy / SHARE_OF_BUSY);
    share->counted_ns = now_ns;
    share->idle_ns = idle_ns;
    return share->left_ns > 0;
}

/* It may not: for how many milliseconds, if the thread has nothing to do. */
static inline uint32_t share_wait_ms(const struct share *share)
{
    return (uint32_t)(-share->left_ns * SHARE_OF_IDLE / 1000000) + 1;
}

/*
 * A push has ended that took so long. One to few readers makes a request wait no longer than another request does; the
 * beginning of a longer one counts like a short one, so that one reader more never costs much more.
 */
static inline void share_spend(struct share *share, int64_t spent_ns)
{
    int64_t begin_ns = min_i64(spent_ns, SHARE_SHORT_NS);

    share->left_ns -= begin_ns / SHARE_OF_SHORT + spent_ns - begin_ns;
}

#endif
