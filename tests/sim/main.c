/* SPDX-License-Identifier: MIT */
/*
 * main.c — ./sim: plays seeds until it is stopped, on as many processes as it may use; prints the rate, the current
 * seed and the findings; ends with one line per goal. --replay SEED plays one again and prints it.
 */
#include "random_flow.h"
#include "venue.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX      64
#define GAME_COMMANDS 20000     /* of one seed of the random flow */
#define VENUE_LIVES   40        /* of one seed of the venue */
#define CELL_GOAL     1000      /* hits of each cell of the matrix, */
#define CELL_COMMANDS 100000000 /* of so many commands or more */

/* The result of a job; one writer, read by the parent. */
struct job {
    volatile uint64_t      seed, violations;
    volatile uint64_t      flow_seeds, flow_commands, venue_seeds, venue_recoveries;
    double                 flow_seconds, venue_seconds; /* of the processor */
    struct flow_counts     flow;
    struct outcomes        outcomes;
    struct venue_counts    venue;
    struct ledger_counts   ledger;
    struct follower_counts streams;
};

struct plan {
    uint64_t    first_seed, last_seed, commands, recoveries, replay;
    double      minutes;
    uint32_t    jobs;
    bool        flow, venue, sweep, replays;
    const char *record;
};

static struct job           *jobs;
static volatile sig_atomic_t told_to_stop;
static const char           *playing = "flow";
static uint64_t              playing_seed;

static void on_signal(int number)
{
    (void)number;
    told_to_stop = 1;
}

static double seconds(clockid_t which)
{
    struct timespec at;

    (void)clock_gettime(which, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* A broken invariant stops the process; the command that reproduces it is printed before. */
static void on_abort(int number)
{
    char text[160];
    int  len = snprintf(text, sizeof(text), "\nsim: stopped; again: ./sim --world %s --replay %lu\n", playing,
                        (unsigned long)playing_seed);

    (void)number;
    if (write(2, text, (size_t)len) < 0) _exit(2);
}

/* Counts are rows of numbers. */
static void add(void *sum, const void *one, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) ((uint64_t *)sum)[i] += ((const uint64_t *)one)[i];
}

/* ---- one job ---- */

static void found(struct job *job, const char *wrong)
{
    job->violations += 1;
    (void)fprintf(stderr, "\nsim: %s seed %lu: %s; again: ./sim --world %s --replay %lu\n", playing,
                  (unsigned long)playing_seed, wrong, playing, (unsigned long)playing_seed);
}

static void play_random_flow(struct job *job, uint64_t seed)
{
    struct flow_run run = { .seed = seed, .commands = GAME_COMMANDS, .outcomes = &job->outcomes };
    double          began = seconds(CLOCK_PROCESS_CPUTIME_ID);

    playing = "flow";
    playing_seed = seed;
    if (!flow_play(&run)) found(job, run.wrong);
    add(&job->flow, &run.counts, sizeof(run.counts));
    job->flow_seconds += seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
    job->flow_commands += run.counts.commands;
    job->flow_seeds += 1;
}

static void play_venue(struct job *job, uint64_t seed, bool sweep)
{
    struct venue_run run = { .seed = seed, .lives = VENUE_LIVES };
    double           began = seconds(CLOCK_PROCESS_CPUTIME_ID);

    playing = "venue";
    playing_seed = seed;
    if (!(sweep ? venue_sweep(&run, 1) : venue_play(&run))) found(job, run.wrong);
    add(&job->venue, &run.counts, sizeof(run.counts));
    add(&job->ledger, &run.ledger, sizeof(run.ledger));
    add(&job->streams, &run.streams, sizeof(run.streams));
    job->venue_seconds += seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
    job->venue_recoveries += run.counts.recoveries;
    job->venue_seeds += 1;
}

static bool wants(uint64_t goal, const struct plan *plan, uint64_t done)
{
    return goal == 0 || done < goal / plan->jobs;
}

static void run_job(const struct plan *plan, uint32_t number)
{
    struct job *job = &jobs[number];
    double      until = plan->minutes > 0 ? seconds(CLOCK_MONOTONIC) + plan->minutes * 60 : 1e300;

    for (uint64_t seed = plan->first_seed + number; seed <= plan->last_seed; seed += plan->jobs) {
        bool flow = plan->flow && wants(plan->commands, plan, job->flow_commands);
        bool venue = plan->venue && wants(plan->recoveries, plan, job->venue_recoveries);

        if (told_to_stop || seconds(CLOCK_MONOTONIC) >= until || (!flow && !venue)) break;
        job->seed = seed;
        if (flow) play_random_flow(job, seed);
        if (venue) play_venue(job, seed, plan->sweep);
    }
}

/* ---- the parent ---- */

static struct job add_up(const struct plan *plan)
{
    struct job total = { 0 };

    for (uint32_t i = 0; i < plan->jobs; i++) {
        const struct job *job = &jobs[i];
        total.seed = total.seed > job->seed ? total.seed : job->seed;
        total.violations += job->violations;
        total.flow_seeds += job->flow_seeds;
        total.flow_commands += job->flow_commands;
        total.venue_seeds += job->venue_seeds;
        total.venue_recoveries += job->venue_recoveries;
        total.flow_seconds += job->flow_seconds;
        total.venue_seconds += job->venue_seconds;
        add(&total.flow, &job->flow, sizeof(job->flow));
        add(&total.outcomes, &job->outcomes, sizeof(job->outcomes));
        add(&total.venue, &job->venue, sizeof(job->venue));
        add(&total.ledger, &job->ledger, sizeof(job->ledger));
        add(&total.streams, &job->streams, sizeof(job->streams));
    }
    return total;
}

static double rate(uint64_t count, double span) { return (double)count / (span > 0 ? span : 1); }

static void show(const struct job *total, double span, const char *end)
{
    (void)printf(
        "  seed %lu   %lu commands (%.0f a second and core)   %lu recoveries (%.0f)   %lu violations   %.0f s%s",
        (unsigned long)total->seed, (unsigned long)total->flow_commands,
        rate(total->flow_commands, total->flow_seconds), (unsigned long)total->venue_recoveries,
        rate(total->venue_recoveries, total->venue_seconds), (unsigned long)total->violations, span, end);
    (void)fflush(stdout);
}

/* How often each command ended in each way; marks cells below the goal, and those that must be empty. */
static struct outcome_counts print_outcomes(const struct outcomes *outcomes)
{
    struct outcome_counts counts = outcomes_count(outcomes, CELL_GOAL);

    (void)printf("\noutcomes (command, result, times)\n");
    for (uint16_t kind = 1; kind < FLOW_KINDS; kind++)
        for (uint32_t reject = 0; reject < REJECT_COUNT; reject++) {
            uint64_t count = outcomes->cell[kind][reject];
            bool     possible = outcome_is_possible(kind, (enum reject)reject);

            if (count == 0 && !possible) continue;
            (void)printf("  %-18s %-22s %12lu%s\n", command_name(kind),
                         reject == 0 ? "accepted" : reject_row((enum reject)reject)->name, (unsigned long)count,
                         !possible           ? "  (cannot be: outcomes.c)"
                         : count < CELL_GOAL ? "  (below 1,000)"
                                             : "");
        }
    (void)printf("  %u cells, %u of them below 1,000, %u more that cannot be\n\n", counts.possible, counts.few,
                 counts.strange);
    return counts;
}

/* One line of JSON per goal, on stdout and behind the file of --record. */
__attribute__((format(printf, 2, 3))) static void record(const struct plan *plan, const char *format, ...)
{
    char    line[2000];
    va_list arguments;
    FILE   *file = plan->record != NULL ? fopen(plan->record, "a") : NULL;

    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    (void)fputs(line, stdout);
    if (file == NULL) return;
    (void)fputs(line, file);
    (void)fclose(file);
}

static void record_all(const struct plan *plan, const struct job *total, struct outcome_counts cells, double span,
                       bool good)
{
    const char                   *commit = getenv("DOJIMA_COMMIT"), *verdict = good ? "good" : "bad";
    const struct venue_counts    *v = &total->venue;
    const struct ledger_counts   *l = &total->ledger;
    const struct follower_counts *s = &total->streams;

    if (commit == NULL) commit = "unknown";
    if (plan->flow)
        record(plan,
               "{\"goal\":\"G1 "
               "flow\",\"commit\":\"%s\",\"seeds\":\"%lu..%lu\",\"commands\":%lu,\"trades\":%lu,\"liquidations\":%lu,"
               "\"fundings\":%lu,"
               "\"triggered\":%lu,\"replayed\":%lu,\"cells\":%u,\"cellsBelow1000\":%u,\"violations\":%lu,\"jobs\":%u,"
               "\"wall\":%.0f,\"processor\":%.0f,\"perSecondAndCore\":%.0f,\"verdict\":\"%s\"}\n",
               commit, plan->first_seed, total->seed, total->flow_commands, total->flow.trades,
               total->flow.liquidations, total->flow.fundings, total->flow.triggered, total->flow.replayed,
               cells.possible, cells.few, total->violations, plan->jobs, span, total->flow_seconds,
               rate(total->flow_commands, total->flow_seconds), verdict);
    if (plan->venue)
        record(plan,
               "{\"goal\":\"G8 "
               "%s\",\"commit\":\"%s\",\"seeds\":\"%lu..%lu\",\"recoveries\":%lu,\"kills\":%lu,\"powerCuts\":%lu,"
               "\"stops\":%lu,"
               "\"diskFaults\":%lu,\"torn\":%lu,\"clockJumps\":%lu,\"lies\":%lu,\"liesRefused\":%lu,\"rot\":%lu,"
               "\"rotRefused\":%lu,\"commands\":%lu,"
               "\"fundings\":%lu,\"liquidations\":%lu,\"snapshots\":%lu,\"diskCalls\":%lu,\"deposits\":%lu,\"raises\":%"
               "lu,\"recoveriesAcrossARaise\":%lu,\"fromASnapshotBehindARaise\":%lu,\"writes\":%lu,\"acknowledged\":%"
               "lu,\"refused\":%lu,\"unknown\":%lu,\"retried\":%lu,\"cutConnections\":%lu,"
               "\"streams\":%lu,\"told\":%lu,\"toldBooks\":%lu,\"toldTrades\":%lu,\"toldStates\":%lu,\"toldReceipts\":%"
               "lu,\"toldAccounts\":%lu,\"behind\":%lu,\"tooSlow\":%lu,\"lost\":%lu,\"idle\":%lu,\"lulls\":%lu,"
               "\"violations\":%lu,\"jobs\":%u,\"wall\":%.0f,\"processor\":%.0f,\"verdict\":\"%s\"}\n",
               plan->sweep ? "sweep" : "venue", commit, plan->first_seed, total->seed, v->recoveries, v->kills,
               v->power_cuts, v->stops, v->disk_faults, v->torn, v->jumps, v->lies, v->lies_refused, v->corrupt_file,
               v->corrupted_refused, v->commands, v->fundings, v->liquidations, v->shadows, v->calls, l->deposits,
               l->raises_answered, v->raised_recoveries, v->raised_snapshots, l->writes, l->acknowledged, l->refused,
               l->unknown, l->retried, l->cuts, s->handshakes, s->messages, s->books, s->trades, s->states, s->receipts,
               s->account_messages, s->behind, s->slow, s->lost, s->idle, s->lulls, total->violations, plan->jobs, span,
               total->venue_seconds, verdict);
    if (plan->venue && !plan->sweep)
        record(plan,
               "{\"goal\":\"G13 "
               "compound\",\"commit\":\"%s\",\"seeds\":\"%lu..%lu\",\"recoveries\":%lu,\"whileStarting\":%lu,"
               "\"atASwitch\":%lu,"
               "\"whileASnapshotIsWritten\":%lu,\"fiveStartsDeep\":%lu,\"sum\":%lu,\"switches\":%lu,\"violations\":%lu,"
               "\"verdict\":\"%s\"}\n",
               commit, plan->first_seed, total->seed, v->recoveries, v->failed_starts, v->failed_switches,
               v->failed_snapshots, v->loops, v->failed_starts + v->failed_switches + v->failed_snapshots, v->switches,
               total->violations, verdict);
}

static int run_all(const struct plan *plan)
{
    double                began = seconds(CLOCK_MONOTONIC);
    bool                  good = true;
    uint32_t              left = plan->jobs;
    struct outcome_counts cells = { 0 };
    static struct job     total;

    for (uint32_t i = 0; i < plan->jobs; i++) {
        pid_t child = fork();
        if (child < 0) return 1;
        if (child != 0) continue;
        (void)signal(SIGABRT, on_abort);
        run_job(plan, i);
        _exit(0);
    }
    while (left != 0) {
        int   status;
        pid_t gone = waitpid(-1, &status, WNOHANG);

        if (gone > 0) {
            left -= 1;
            good &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
            continue;
        }
        (void)usleep(200000);
        total = add_up(plan);
        if (isatty(1)) show(&total, seconds(CLOCK_MONOTONIC) - began, "\033[K\r");
    }
    total = add_up(plan);
    show(&total, seconds(CLOCK_MONOTONIC) - began, "\n");
    if (plan->flow) cells = print_outcomes(&total.outcomes);
    good &= total.violations == 0 && cells.strange == 0 && (cells.few == 0 || total.flow_commands < CELL_COMMANDS);
    record_all(plan, &total, cells, seconds(CLOCK_MONOTONIC) - began, good);
    return good ? 0 : 1;
}

static int play_again(const struct plan *plan)
{
    struct flow_run flow = {
        .seed = plan->replay, .commands = GAME_COMMANDS, .verbose = true, .outcomes = &jobs[0].outcomes
    };
    struct venue_run venue = { .seed = plan->replay, .lives = VENUE_LIVES, .verbose = true };
    bool             good = true;

    (void)signal(SIGABRT, on_abort);
    playing_seed = plan->replay;
    if (plan->flow) {
        good = flow_play(&flow);
        (void)printf("flow seed %lu: %s\n", (unsigned long)plan->replay, good ? "nothing is broken" : flow.wrong);
    }
    playing = "venue";
    if (plan->venue && good) {
        good = venue_play(&venue);
        (void)printf("venue seed %lu: %s; trace %016lx\n", (unsigned long)plan->replay,
                     good ? "nothing is broken" : venue.wrong, (unsigned long)venue.trace);
    }
    return good ? 0 : 1;
}

/* ---- the command line ---- */

static int usage(void)
{
    (void)printf(
        "./sim [--world flow|venue|sweep] [--seeds A..B] [--seed N] [--commands N] [--recoveries N] [--minutes M] "
        "[--jobs N]\n"
        "      [--record FILE] [--replay SEED]\n\n"
        "  flow    the engine alone: %d hostile commands a seed, every invariant after each\n"
        "  venue   the whole server with clients, clock, network and disk: up to %d lives a seed, the ledger of the\n"
        "          clients compared with the log after each recovery\n"
        "  sweep   one life of the venue, ended at each of its calls of the disk in ten ways\n\n"
        "Plays seeds, of flow and venue when none is named, until what was asked for is used up, or Ctrl-C. --replay "
        "plays\n"
        "one seed again and prints it. --record appends one line per goal to a file.\n",
        GAME_COMMANDS, VENUE_LIVES);
    return 64;
}

static bool read_plan(int argc, char **argv, struct plan *plan)
{
    *plan = (struct plan){ .first_seed = 1, .last_seed = UINT64_MAX / 2, .jobs = 1, .flow = true, .venue = true };
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1], *dots = strstr(value, "..");

        if (strcmp(argv[i], "--seeds") == 0 && dots != NULL) {
            plan->first_seed = strtoull(value, NULL, 10);
            plan->last_seed = strtoull(dots + 2, NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) plan->first_seed = plan->last_seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--commands") == 0) plan->commands = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--recoveries") == 0) plan->recoveries = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--minutes") == 0) plan->minutes = strtod(value, NULL);
        else if (strcmp(argv[i], "--jobs") == 0) plan->jobs = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--record") == 0) plan->record = value;
        else if (strcmp(argv[i], "--replay") == 0) {
            plan->replay = strtoull(value, NULL, 10);
            plan->replays = true;
        } else if (strcmp(argv[i], "--world") == 0 && (strcmp(value, "flow") == 0 || strcmp(value, "crowd") == 0))
            plan->venue = false; /* crowd: its name before */
        else if (strcmp(argv[i], "--world") == 0 && strcmp(value, "venue") == 0) plan->flow = false;
        else if (strcmp(argv[i], "--world") == 0 && strcmp(value, "sweep") == 0) {
            plan->flow = false;
            plan->sweep = true;
        } else return false;
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
