/* SPDX-License-Identifier: MIT */
/*
 * main.c — ./sim: plays seeds until it is told to stop, on as many processes as it may use; says how fast, which seed
 * it is at, and what was found; ends with one line per goal. --replay SEED plays one again and prints it.
 */
#include "crowd.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX        64
#define GAME_COMMANDS   20000           /* of one seed of the crowd                    */
#define CELL_GOAL       1000

/* What a job tells; one writer each, read by the parent. */
struct job {
    volatile uint64_t seed, seeds, commands, violations, done;
    struct crowd_counts sum;
    struct outcomes     outcomes;
};

struct plan {
    uint64_t    first_seed, last_seed, commands, replay;
    double      minutes;
    uint32_t    jobs;
    bool        replays;
    const char *record;
};

static struct job *jobs;
static volatile sig_atomic_t told_to_stop;

static void on_signal(int number)
{
    (void)number;
    told_to_stop = 1;
}

static double now(void)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* A broken invariant stops the process; what to type to see it again comes before. */
static void on_abort(int number)
{
    char text[160];
    int  len = snprintf(text, sizeof(text), "\nsim: stopped in seed %lu at command %lu; again: ./sim --replay %lu\n",
                        (unsigned long)crowd_seed, (unsigned long)crowd_command, (unsigned long)crowd_seed);

    (void)number;
    if (write(2, text, (size_t)len) < 0) _exit(2);
}

/* ---- one job ---- */

static void add_counts(struct crowd_counts *sum, const struct crowd_counts *one)
{
    sum->commands += one->commands;
    sum->trades += one->trades;
    sum->liquidations += one->liquidations;
    sum->fundings += one->fundings;
    sum->triggered += one->triggered;
    sum->replayed += one->replayed;
}

static void run_job(const struct plan *plan, uint32_t number)
{
    struct job *job = &jobs[number];
    uint64_t    wanted = plan->commands / plan->jobs;
    double      until = plan->minutes > 0 ? now() + plan->minutes * 60 : 1e300;

    for (uint64_t seed = plan->first_seed + number; seed <= plan->last_seed; seed += plan->jobs) {
        struct crowd_run run = { .seed = seed, .commands = GAME_COMMANDS, .outcomes = &job->outcomes };

        if (told_to_stop || now() >= until || (wanted != 0 && job->commands >= wanted)) break;
        job->seed = seed;
        if (!crowd_play(&run)) {
            job->violations += 1;
            (void)fprintf(stderr, "\nsim: seed %lu: %s; again: ./sim --replay %lu\n", (unsigned long)seed, run.wrong, (unsigned long)seed);
        }
        add_counts(&job->sum, &run.counts);
        job->commands += run.counts.commands;
        job->seeds += 1;
    }
    job->done = 1;
}

/* ---- the parent ---- */

struct total { uint64_t seed, seeds, commands, violations; };

static struct total add_up(const struct plan *plan)
{
    struct total total = { 0 };

    for (uint32_t i = 0; i < plan->jobs; i++) {
        total.seed = total.seed > jobs[i].seed ? total.seed : jobs[i].seed;
        total.seeds += jobs[i].seeds;
        total.commands += jobs[i].commands;
        total.violations += jobs[i].violations;
    }
    return total;
}

static void show(const struct total *total, double seconds, const char *end)
{
    (void)printf("  seed %lu   %lu commands   %.0f a second   %lu violations   %.0f s%s", (unsigned long)total->seed, (unsigned long)total->commands,
                 (double)total->commands / (seconds > 0 ? seconds : 1), (unsigned long)total->violations, seconds, end);
    (void)fflush(stdout);
}

/* Which command ended how, how often; cells that the goal asks more of are marked. */
static void print_outcomes(const struct plan *plan)
{
    uint64_t cells = 0, few = 0;

    (void)printf("\noutcomes (command, result, times)\n");
    for (uint32_t kind = 1; kind < CROWD_KINDS; kind++)
        for (uint32_t reject = 0; reject < REJECT_COUNT; reject++) {
            uint64_t count = 0;

            for (uint32_t i = 0; i < plan->jobs; i++) count += jobs[i].outcomes.cell[kind][reject];
            if (count == 0) continue;
            cells += 1;
            few += count < CELL_GOAL;
            (void)printf("  %-18s %-22s %12lu%s\n", command_name((uint16_t)kind), reject == 0 ? "accepted" : reject_row((enum reject)reject)->name,
                         (unsigned long)count, count < CELL_GOAL ? "  (below 1,000)" : "");
        }
    (void)printf("  %lu cells, %lu of them below 1,000\n", (unsigned long)cells, (unsigned long)few);
}

static void record(const struct plan *plan, const struct total *total, double seconds, double processor_seconds, bool died)
{
    char        line[640];
    const char *commit = getenv("DOJIMA_COMMIT");
    bool        good = total->violations == 0 && !died;
    struct crowd_counts sum = { 0 };
    FILE       *file;

    for (uint32_t i = 0; i < plan->jobs; i++) {
        struct crowd_counts one = jobs[i].sum;
        add_counts(&sum, &one);
    }
    (void)snprintf(line, sizeof(line), "{\"goal\":\"G1 crowd\",\"commit\":\"%s\",\"seeds\":\"%lu..%lu\",\"commands\":%lu,\"trades\":%lu,\"liquidations\":%lu,"
                   "\"fundings\":%lu,\"triggered\":%lu,\"replayed\":%lu,\"violations\":%lu,\"jobs\":%u,\"wall\":%.0f,\"processor\":%.0f,\"perSecondAndCore\":%.0f,\"verdict\":\"%s\"}\n",
                   commit != NULL ? commit : "unknown", (unsigned long)plan->first_seed, (unsigned long)total->seed, (unsigned long)total->commands,
                   (unsigned long)sum.trades, (unsigned long)sum.liquidations, (unsigned long)sum.fundings, (unsigned long)sum.triggered,
                   (unsigned long)sum.replayed, (unsigned long)total->violations, plan->jobs, seconds, processor_seconds,
                   (double)total->commands / (processor_seconds > 0 ? processor_seconds : 1), good ? "good" : "bad");
    (void)printf("%s", line);
    file = plan->record != NULL ? fopen(plan->record, "a") : NULL;
    if (file == NULL) return;
    (void)fputs(line, file);
    (void)fclose(file);
}

static double seconds_of(const struct timeval *span) { return (double)span->tv_sec + (double)span->tv_usec / 1e6; }

static int run_all(const struct plan *plan)
{
    double        began = now();
    bool          died = false;
    uint32_t      left = plan->jobs;
    struct rusage used;
    struct total  total;

    for (uint32_t i = 0; i < plan->jobs; i++) {
        pid_t child = fork();
        if (child == 0) {
            (void)signal(SIGABRT, on_abort);
            run_job(plan, i);
            _exit(0);
        }
        if (child < 0) return 1;
    }
    while (left != 0) {
        int   status;
        pid_t gone = waitpid(-1, &status, WNOHANG);

        if (gone > 0) {
            left -= 1;
            died |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
            continue;
        }
        (void)usleep(200000);
        total = add_up(plan);
        if (isatty(1)) show(&total, now() - began, "\033[K\r");
    }
    total = add_up(plan);
    show(&total, now() - began, "\n");
    print_outcomes(plan);
    (void)getrusage(RUSAGE_CHILDREN, &used);
    record(plan, &total, now() - began, seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime), died);
    return total.violations == 0 && !died ? 0 : 1;
}

static int play_again(const struct plan *plan)
{
    struct crowd_run run = { .seed = plan->replay, .commands = GAME_COMMANDS, .verbose = true, .outcomes = &jobs[0].outcomes };
    bool             good;

    (void)signal(SIGABRT, on_abort);
    good = crowd_play(&run);
    (void)printf("seed %lu: %s\n", (unsigned long)plan->replay, good ? "nothing is broken" : run.wrong);
    return good ? 0 : 1;
}

/* ---- what is asked ---- */

static int usage(void)
{
    (void)printf("./sim [--seeds A..B] [--seed N] [--commands N] [--minutes M] [--jobs N] [--record FILE] [--replay SEED]\n\n"
                 "Plays seeds of the crowd, %d commands each, with every invariant checked after each command, until the\n"
                 "commands, the minutes or the seeds are used up, or Ctrl-C. --replay plays one seed again and prints it.\n", GAME_COMMANDS);
    return 64;
}

static bool read_plan(int argc, char **argv, struct plan *plan)
{
    *plan = (struct plan){ .first_seed = 1, .last_seed = UINT64_MAX / 2, .jobs = 1 };
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1], *dots = strstr(value, "..");

        if (strcmp(argv[i], "--seeds") == 0 && dots != NULL) { plan->first_seed = strtoull(value, NULL, 10); plan->last_seed = strtoull(dots + 2, NULL, 10); }
        else if (strcmp(argv[i], "--seed") == 0)     plan->first_seed = plan->last_seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--commands") == 0) plan->commands = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--minutes") == 0)  plan->minutes = strtod(value, NULL);
        else if (strcmp(argv[i], "--jobs") == 0)     plan->jobs = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--record") == 0)   plan->record = value;
        else if (strcmp(argv[i], "--replay") == 0) { plan->replay = strtoull(value, NULL, 10); plan->replays = true; }
        else return false;
    }
    return argc % 2 == 1 && plan->jobs >= 1 && plan->jobs <= JOBS_MAX && plan->first_seed <= plan->last_seed;
}

int main(int argc, char **argv)
{
    struct plan plan;

    if (!read_plan(argc, argv, &plan)) return usage();
    jobs = mmap(NULL, sizeof(*jobs) * JOBS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (jobs == MAP_FAILED) return 1;
    if (plan.replays) return play_again(&plan);
    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
    return run_all(&plan);
}
