/* SPDX-License-Identifier: MIT */
#include "app/cli/explain_check.h"

#include <stdio.h>
#include <string.h>

void explain_expect(struct explain_check *check, const char *what, int128_t told, int128_t computed)
{
    check->compared += 1;
    if (told != computed) {
        check->wrong += 1;
        (void)printf("    DISAGREES    %s: the receipt has %ld, the rule gives %ld\n", what, (long)told,
                     (long)computed);
        return;
    }
    for (uint32_t i = 0; i < check->agreed_count; i++)
        if (strcmp(check->agreed[i], what) == 0) return;
    if (check->agreed_count < EXPLAIN_AGREED_MAX) check->agreed[check->agreed_count++] = what;
}

void explain_agreed(struct explain_check *check)
{
    for (uint32_t i = 0; i < check->agreed_count; i++)
        (void)printf("%s%s", i == 0 ? "    agrees       " : ", ", check->agreed[i]);
    if (check->agreed_count != 0) (void)printf("\n");
    check->agreed_count = 0;
}
