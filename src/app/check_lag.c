/* SPDX-License-Identifier: MIT */
#include "app/check_lag.h"

static void forget_checked(struct check_lag *lag, uint64_t logged, uint64_t checked)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < lag->count; i++) {
        if (lag->samples[i].seq > logged) lag->samples[i].seq = logged;
        if (lag->samples[i].seq > checked) lag->samples[kept++] = lag->samples[i];
    }
    lag->count = kept;
}

static void thin(struct check_lag *lag)
{
    for (uint32_t i = 0; i < CHECK_LAG_SAMPLES / 2; i++) lag->samples[i] = lag->samples[2 * i];
    lag->count = CHECK_LAG_SAMPLES / 2;
    lag->apart_ns = lag->samples[2].ns - lag->samples[1].ns;
}

int64_t check_lag_note(struct check_lag *lag, int64_t ns, uint64_t logged, uint64_t checked)
{
    forget_checked(lag, logged, checked);
    if (logged <= checked) return 0;
    if (lag->count == CHECK_LAG_SAMPLES) thin(lag);
    if (lag->count == 0) lag->apart_ns = 0;
    if (lag->count == 0 || ns - lag->samples[lag->count - 1].ns >= lag->apart_ns) {
        lag->samples[lag->count].ns = ns;
        lag->samples[lag->count++].seq = logged;
    }
    return ns - lag->samples[0].ns;
}

bool check_lag_allows(int64_t lag_ns, bool allowed)
{
    return allowed ? lag_ns <= CHECK_LAG_MOST : lag_ns < CHECK_LAG_LEAST;
}
