/* SPDX-License-Identifier: MIT */
/* killed.h — the folder of a store as a killed process leaves it. Header only. */
#ifndef RIGS_HISTORY_KILLED_H
#define RIGS_HISTORY_KILLED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* Copies the open store in `from`, whose state file says open, into a new folder, whose name it writes to `into`. */
static inline void copy_killed(const char *from, char *into, size_t cap)
{
    static const char *const names[] = { "data.mdb", "state" };
    char                     line[256];

    snprintf(into, cap, "%s/dojima-killed-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(into));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(line, sizeof(line), "cp %s/%s %s/%s", from, names[i], into, names[i]);
        assert_int_equal(system(line), 0);
    }
}

#endif
