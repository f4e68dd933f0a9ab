/* SPDX-License-Identifier: MIT */
/*
 * main.c — the adversary: several accounts that cooperate search for a gain at the expense of others, and for harm to
 * others (G7, ruling 72).
 *
 *     adversary [--sequences N] [--each N] [--seconds S] [--seed K] [--goal all|profit|fund|harm|print|tier] [--world
 *     any|flat|moves|newborn] [--without 65[,66]] [--replay FILE]
 *
 * --each: sequences in one world. One line of JSON; exit 1 when something was taken, after a list of the moves that a
 * later run plays with --replay.
 */
#include "climb.h"

#include "core/state/rulings.h"
#include "report.h"

#include <time.h>

struct options {
    uint64_t     sequences, seconds, seed, each;
    enum goal    goal;
    enum setting setting;
    const char  *without, *replay;
};

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool take_out(const char *text)
{
    while (*text != '\0') {
        char *end;
        long  number = strtol(text, &end, 10);

        if (end == text || number < RULING_FIRST || number > 71) return false;
        rulings_off |= UINT32_C(1) << (number - RULING_FIRST);
        text = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '\0') return false;
    }
    return true;
}

static bool options_read(int argc, char **argv, struct options *options)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];

        if (strcmp(argv[i], "--sequences") == 0) options->sequences = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0) options->seconds = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0) options->seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--each") == 0) options->each = max_u64(1, strtoull(value, NULL, 10));
        else if (strcmp(argv[i], "--replay") == 0) options->replay = value;
        else if (strcmp(argv[i], "--goal") == 0) {
            if (!goal_read(value, &options->goal)) return false;
        } else if (strcmp(argv[i], "--world") == 0) {
            if (!setting_read(value, &options->setting)) return false;
        } else if (strcmp(argv[i], "--without") == 0) {
            options->without = value;
            if (!take_out(value)) return false;
        } else return false;
    }
    return argc % 2 == 1;
}

static int search(const struct options *options)
{
    struct tally tally = { 0 };
    struct found found;
    double       began = now_s();
    bool         gained = false;

    for (uint32_t i = 0; i < GOALS; i++) tally.best[i] = -((int128_t)1 << 100);
    while (!gained && tally.sequences < options->sequences && now_s() - began < (double)options->seconds)
        gained = climb_world((struct site){ options->seed + tally.worlds, options->goal, options->setting },
                             min_u64(options->each, options->sequences - tally.sequences), &tally, &found);
    if (gained) report_found(stderr, &found);
    report_tally(&tally, options->seed, options->without, gained ? &found : NULL, now_s() - began);
    return gained ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct options options = {
        .sequences = 1000000, .seconds = 1000000, .seed = 1, .each = 6000, .setting = WORLD_SETTINGS
    };

    if (!options_read(argc, argv, &options)) {
        (void)fprintf(
            stderr,
            "adversary [--sequences N] [--each N] [--seconds S] [--seed K] [--goal all|profit|fund|harm|print|tier] "
            "[--world any|flat|moves|newborn] [--without 65[,66]] [--replay FILE]\n");
        return 2;
    }
    return options.replay != NULL ? report_replay(options.replay) : search(&options);
}
