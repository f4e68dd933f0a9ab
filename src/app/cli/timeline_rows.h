/* SPDX-License-Identifier: MIT */
/* timeline_rows.h — the kinds of steps and expectations of a scenario, and their keys, as rows. */
#ifndef APP_CLI_TIMELINE_ROWS_H
#define APP_CLI_TIMELINE_ROWS_H

#include "base/base.h"

enum key_kind { KEY_TEXT = 1, KEY_TIME, KEY_COUNT, KEY_FLAG, KEY_OBJECT, KEY_LIST };

/* A key of a step or of an expectation. */
struct key_row {
    const char *name;
    uint8_t     kind; /* enum key_kind */
    bool        needed;
    const char *doc;
};

enum { KEYS_MAX = 10 };

/* One kind of step ("do") or of expectation (its first key names it). */
struct timeline_row {
    const char    *name, *doc;
    uint8_t        number; /* enum step_kind or enum expect_kind */
    struct key_row keys[KEYS_MAX];
};

enum step_kind { DO_INDEX = 1, DO_MARKET, DO_ORDER, DO_LEVERAGE, DO_HALT, DO_CHAOS, DO_CALL, DO_RESTART, DO_STORM };
enum expect_kind { EXPECT_READ = 1, EXPECT_CALL, EXPECT_LIQUIDATED, EXPECT_DELEVERAGED };

extern const struct timeline_row timeline_steps[], timeline_expectations[];
extern const uint32_t            timeline_step_count, timeline_expectation_count;

#endif
