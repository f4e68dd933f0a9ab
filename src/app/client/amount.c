/* SPDX-License-Identifier: MIT */
#include "app/client/amount.h"

#include "app/client/plain.h"
#include "diagnostics/program_log.h"
#include "model/decimal.h"

#include <stdio.h>

#define AMOUNT_BYTES 48
#define AMOUNTS      8 /* no command has more */

int amount_check(const char *command, const char *name, const char **text)
{
    static char        texts[AMOUNTS][AMOUNT_BYTES];
    static uint32_t    used;
    struct decimal     value;
    enum decimal_fault fault;
    struct out         out;
    char               typed[40];

    if (*text == NULL) return EXIT_FINE;
    fault = decimal_read(slice_of(*text), &value);
    if (fault != DECIMAL_OK || value.digits <= 0) {
        (void)snprintf(typed, sizeof(typed), "%s", *text);
        plain_clean(typed);
        return complain(EXIT_USAGE, "%s: %s: \"%s\" is not %s", command, name, typed,
                        fault == DECIMAL_TOO_LONG ? "a number of at most 18 digits and 18 decimals"
                                                  : "a number above zero, such as 0.01");
    }
    assert(used < AMOUNTS);
    out = out_make(texts[used++], AMOUNT_BYTES - 1);
    decimal_write(&out, value);
    assert(!out.overflow);
    out.at[out.len] = '\0';
    *text = out.at;
    return EXIT_FINE;
}
