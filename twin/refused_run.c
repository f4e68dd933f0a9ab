/* SPDX-License-Identifier: MIT */
/* refused_run.c — the program: twin_refused REQUESTS SEED. One JSON line, and how often each answer was given. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "refused.h"

static void print_counts(const struct refused_counts *counts, FILE *to)
{
    for (int i = REJECT_NONE + 1; i < REJECT_COUNT; i++) {
        const struct reject_row *row = reject_row((enum reject)i);
        if (counts->rejects[i] != 0)
            (void)fprintf(to, "%5d %-22s %9" PRIu64 "\n", row->code, row->name, counts->rejects[i]);
    }
    for (uint32_t i = 0; i < mutate_count; i++)
        (void)fprintf(to, "      spoilt: %-24s %9" PRIu64 "\n", mutate_name(i), counts->spoils[i]);
}

static uint32_t kinds_of(const struct refused_counts *counts)
{
    uint32_t kinds = 0;

    for (int i = REJECT_NONE + 1; i < REJECT_COUNT; i++) kinds += counts->rejects[i] != 0;
    return kinds;
}

int main(int argc, char **argv)
{
    static struct refused_counts counts;
    uint64_t                     requests = argc > 1 ? (uint64_t)strtod(argv[1], NULL) : 100000,
             seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *wrong = refused_run(seed, requests, &counts), *commit = getenv("COMMIT");

    if (wrong != NULL) (void)printf("%s\n", wrong);
    else print_counts(&counts, stderr);
    (void)printf("{\"goal\":\"twin refusals\",\"commit\":\"%s\",\"seed\":%" PRIu64 ",\"requests\":%" PRIu64,
                 commit != NULL ? commit : "", seed, counts.requests);
    (void)printf(",\"refused\":%" PRIu64 ",\"accepted\":%" PRIu64, counts.refused, counts.accepted);
    (void)printf(",\"signatures\":%" PRIu64 ",\"kinds\":%u,\"said\":\"%016" PRIx64
                 "\",\"seconds\":%.1f,\"verdict\":\"%s\"}\n",
                 counts.asked_who, kinds_of(&counts), counts.said, (double)clock() / CLOCKS_PER_SEC,
                 wrong == NULL ? "same" : "DIFFERENT");
    return wrong != NULL;
}
