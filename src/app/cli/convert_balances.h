/* SPDX-License-Identifier: MIT */
/* convert_balances.h — every account's balances at the end of the old log, and now. */
#ifndef APP_CLI_CONVERT_BALANCES_H
#define APP_CLI_CONVERT_BALANCES_H

#include "app/cli/engine6.h"
#include "views/views.h"

/* Accounts that were compared, and how many of them differ in money, positions or the number of open orders. */
struct balances_report {
    uint32_t accounts, differ;
};

/* Prints a line for everything that differs. False: there is not enough memory. */
bool balances_compare(const struct engine6_state *then, const struct views *now,
                      struct balances_report *report) MUST_USE;

#endif
