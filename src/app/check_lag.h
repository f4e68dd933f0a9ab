/* SPDX-License-Identifier: MIT */
/*
 * check_lag.h — for how long the oldest command that is not checked again has been in the log: from samples of how far
 * the log was, taken about once a second. Bounded memory: where there is no place every other sample goes, and later
 * ones are taken so far apart: the oldest stays, and the resolution is at least a thirty-second of the whole.
 */
#ifndef APP_CHECK_LAG_H
#define APP_CHECK_LAG_H

#include "base/base.h"

#define CHECK_LAG_SAMPLES 64

struct check_lag {
    struct {
        int64_t  ns;
        uint64_t seq; /* the last command of the log at that time */
    } samples[CHECK_LAG_SAMPLES];
    uint32_t count;
    int64_t  apart_ns; /* the least between two samples */
};

/*
 * At time `ns` the log ends with command `logged`, and all up to `checked` are checked. Returns nanoseconds, 0 where
 * nothing waits; too small by at most the distance of two samples. Where the log of a development exchange went
 * back, `logged` is below earlier samples: they then wait for its end.
 */
int64_t check_lag_note(struct check_lag *lag, int64_t ns, uint64_t logged, uint64_t checked);

/* What follows for the lanes: off above CHECK_LAG_MOST, on again below CHECK_LAG_LEAST, as they are between. */
#define CHECK_LAG_MOST  INT64_C(60000000000)
#define CHECK_LAG_LEAST INT64_C(5000000000)
bool check_lag_allows(int64_t lag_ns, bool allowed);

#endif
