/* SPDX-License-Identifier: MIT */
/*
 * slice.h — how much a long test does: ./test does a slice; under sanitizers, and with WHOLE in the environment, as the
 * tests with the label `whole` have it in .ci/run, it does all (docs/HACKING.md).
 */
#ifndef RIGS_SLICE_H
#define RIGS_SLICE_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool is_whole(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return getenv("WHOLE") != NULL;
#endif
}

#endif
