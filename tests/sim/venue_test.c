/* SPDX-License-Identifier: MIT */
/*
 * venue_test.c — a short slice of the simulated venue, the proof that a seed plays the same twice, and for each thing
 * that the ledger and the disk are there to notice a plant that makes it true, which must be noticed.
 */
#include "storage.h"
#include "venue.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define SLICE_SEEDS 40
#define LIVES       40

static void a_slice_of_the_venue_keeps_every_promise(void **state)
{
    struct venue_counts  sum = { 0 };
    struct ledger_counts ledger = { 0 };
    struct follower_counts streams = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SLICE_SEEDS; seed++) {
        struct venue_run run = { .seed = seed, .lives = LIVES };

        if (!venue_play(&run)) fail_msg("seed %lu: %s", (unsigned long)seed, run.wrong);
        sum.recoveries += run.counts.recoveries;
        sum.kills += run.counts.kills;
        sum.power_cuts += run.counts.power_cuts;
        sum.disk_faults += run.counts.disk_faults;
        sum.torn += run.counts.torn;
        sum.rot += run.counts.rot;
        sum.rot_refused += run.counts.rot_refused;
        sum.lies += run.counts.lies;
        sum.jumps += run.counts.jumps;
        sum.harmed_starts += run.counts.harmed_starts;
        sum.harmed_switches += run.counts.harmed_switches;
        sum.harmed_snapshots += run.counts.harmed_snapshots;
        sum.loops += run.counts.loops;
        sum.liquidations += run.counts.liquidations;
        sum.raised_snapshots += run.counts.raised_snapshots;
        sum.raised_recoveries += run.counts.raised_recoveries;
        ledger.raises_answered += run.ledger.raises_answered;
        streams.receipts += run.streams.receipts;
        ledger.acknowledged += run.ledger.acknowledged;
        ledger.unknown += run.ledger.unknown;
        ledger.answers_of_used += run.ledger.answers_of_used;
        ledger.cuts += run.ledger.cuts;
        streams.messages += run.streams.messages;
        streams.account_messages += run.streams.account_messages;
        streams.answers += run.streams.answers;
        streams.behind += run.streams.behind;
        streams.slow += run.streams.slow;
        streams.lost += run.streams.lost;
        streams.lulls += run.streams.lulls;
    }
    print_message("           %lu recoveries, %lu acknowledged, %lu unknown, %lu torn, %lu bits changed and %lu noticed\n", (unsigned long)sum.recoveries,
                  (unsigned long)ledger.acknowledged, (unsigned long)ledger.unknown, (unsigned long)sum.torn, (unsigned long)sum.rot, (unsigned long)sum.rot_refused);
    print_message("           %lu messages of streams, %lu of accounts, %lu lulls, %lu connections ended because nobody read\n", (unsigned long)streams.messages,
                  (unsigned long)streams.account_messages, (unsigned long)streams.lulls, (unsigned long)streams.slow);
    assert_true(sum.recoveries > 200 && sum.kills > 50 && sum.power_cuts > 50 && sum.disk_faults > 20 && sum.jumps > 20);
    print_message("           %lu starts, %lu new segments and %lu snapshots harmed, %lu lives in loops\n", (unsigned long)sum.harmed_starts, (unsigned long)sum.harmed_switches,
                  (unsigned long)sum.harmed_snapshots, (unsigned long)sum.loops);
    assert_true(sum.harmed_starts > 50 && sum.harmed_switches > 20 && sum.harmed_snapshots > 1 && sum.loops > 10);
    print_message("           %lu raises of limits, %lu recoveries across one, %lu of them from a snapshot behind it, %lu stages of liquidation, %lu receipts told\n", (unsigned long)ledger.raises_answered,
                  (unsigned long)sum.raised_recoveries, (unsigned long)sum.raised_snapshots, (unsigned long)sum.liquidations, (unsigned long)streams.receipts);
    assert_true(ledger.raises_answered > 50 && sum.raised_recoveries > 50 && sum.raised_snapshots > 0 && sum.liquidations > 50 && streams.receipts > 50);
    assert_true(sum.torn > 2 && sum.rot > 1 && sum.rot_refused > 0 && sum.lies > 1);
    assert_true(ledger.acknowledged > 5000 && ledger.unknown > 200 && ledger.answers_of_used > 100 && ledger.cuts > 20);
    assert_true(streams.messages > 2000 && streams.account_messages > 500 && streams.answers > 500 && streams.behind > 2 && streams.slow > 1 && streams.lost > 0 && streams.lulls > 10);
}

static void the_same_seed_is_the_same_world(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 16; seed++) {
        struct venue_run a = { .seed = seed, .lives = 12 }, b = a, other = { .seed = seed + 1000, .lives = 12 };

        assert_true(venue_play(&a) && venue_play(&other) && venue_play(&b));
        if (a.trace != b.trace) fail_msg("seed %lu: trace %lx, and then %lx", (unsigned long)seed, (unsigned long)a.trace, (unsigned long)b.trace);
        assert_int_not_equal(a.trace, other.trace);
        assert_memory_equal(&a.counts, &b.counts, sizeof(a.counts));
    }
}

static void a_life_may_end_at_any_call_of_the_disk(void **state)
{
    struct venue_run run = { .seed = 5 };

    (void)state;
    if (!venue_sweep(&run, 11)) fail_msg("%s", run.wrong);
    print_message("           %lu lives cut off, %lu recoveries\n", (unsigned long)(run.counts.power_cuts + run.counts.kills), (unsigned long)run.counts.recoveries);
    assert_true(run.counts.power_cuts + run.counts.kills > 100 && run.counts.recoveries > 100);
}

/* ---- plants ---- */

static void sync_does_nothing(void) { storage_plant_sync_nothing = true; }
static void sync_nothing_at_a_switch(void) { storage_plant_sync_nothing_at = AT_SWITCH; }
static void sync_nothing_at_a_start(void)  { storage_plant_sync_nothing_at = AT_START; }
static void append_says_yes(void)   { venue_plants.append_says_yes = true; }
static void end_is_cut(void)        { venue_plants.end_is_cut = true; }
static void one_unit(void)          { venue_plants.one_unit = true; }
static void snapshot_cuts(void)     { venue_plants.snapshot_cuts = true; }
static void half_batch(void)        { venue_plants.half_batch = true; }
static void phantom(void)           { venue_plants.phantom = true; }
static void other_answer(void)      { venue_plants.other_answer = true; }
static void other_replay(void)      { venue_plants.other_replay = true; }
static void rot_is_fine(void)       { venue_plants.rot_is_fine = true; }
static void told_early(void)        { venue_plants.told_early = true; }
static void trade_twice(void)       { venue_plants.trade_twice = true; }
static void trade_lost(void)        { venue_plants.trade_lost = true; }
static void level_lost(void)        { venue_plants.level_lost = true; }
static void other_account(void)     { venue_plants.other_account = true; }
static void receipt_lost(void)      { venue_plants.receipt_lost = true; }
static void receipt_twice(void)     { venue_plants.receipt_twice = true; }
static void receipt_hole(void)      { venue_plants.receipt_hole = true; }
static void raise_lost(void)        { venue_plants.raise_lost = true; }
static void raise_moves_wrong(void) { venue_plants.raise_moves_wrong = true; }
static void slow_misses(void)       { venue_plants.slow_misses = true; }

/* What is planted in streams is to be noticed by those who follow them; what somebody else sees first in a world does not count. */
static const struct { const char *name; void (*plant)(void); const char *said; bool followed; } plants[] = {
    { "a sync that does nothing", sync_does_nothing, "", false },
    { "a sync that does nothing when a segment is begun", sync_nothing_at_a_switch, "", false },
    { "a sync that does nothing while a log is read", sync_nothing_at_a_start, "", false },
    { "a snapshot that is not finished and takes the end of the log with it", snapshot_cuts, "", false },
    { "an acknowledgement without a sync that worked", append_says_yes, "", false },
    { "a recovery that cuts off what was good", end_is_cut, "have happened", false },
    { "half a batch", half_batch, "items of", false },
    { "a command that nobody sent", phantom, "never sent by anybody", false },
    { "an answer that is not what happened", other_answer, "otherwise than it was answered", false },
    { "a replay that tells something else", other_replay, "told other events", false },
    { "a bit that changes and is not noticed", rot_is_fine, "a bit has changed", false },
    { "a stream that tells what is not durable", told_early, "somebody was told of command", true },
    { "a trade that is told twice", trade_twice, "trade (", true },
    { "a trade that is not told", trade_lost, "trade (", true },
    { "a book without its last level", level_lost, "is not the book", true },
    { "an account's messages to another one", other_account, "told of what has not happened", true },
    { "a receipt that is told twice", receipt_twice, "iquidation (", true },
    { "a receipt that is not told", receipt_lost, "iquidation (", true },
    { "a list of receipts with a hole", receipt_hole, "receipts", true },
    { "a raise that a recovery forgets", raise_lost, "are not those that were raised", false },
    { "a raise that a replay comes out of otherwise", raise_moves_wrong, "is another one than it was", false },
    { "a slow reader who misses what is his", slow_misses, "not what comes next", true },
};

static void each_plant_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
        bool noticed = false;

        for (uint64_t seed = 1; seed <= 60 && !noticed; seed++) {
            struct venue_run run = { .seed = seed, .lives = LIVES, .plant = plants[i].plant, .followed = plants[i].followed };
            noticed = !venue_play(&run);
            storage_plant_sync_nothing = false;
            storage_plant_sync_nothing_at = 0;
            venue_plants = (struct venue_plants){ 0 };
            if (plants[i].followed && strstr(run.wrong, plants[i].said) == NULL) noticed = false;
            else if (noticed && strstr(run.wrong, plants[i].said) == NULL) fail_msg("%s: noticed as \"%s\"", plants[i].name, run.wrong);
        }
        if (!noticed) fail_msg("%s was not noticed", plants[i].name);
    }
}

/* In a child, because a broken state stops the process; of a few worlds, because in some nobody has an account yet. */
static void a_unit_of_money_from_nowhere_stops_the_process(void **state)
{
    int status = 0;

    (void)state;
    for (uint64_t seed = 3; seed < 13 && !WIFSIGNALED(status); seed++) {
        pid_t child = fork();
        if (child == 0) {
            struct venue_run run = { .seed = seed, .lives = 4, .plant = one_unit };
            if (freopen("/dev/null", "w", stderr) == NULL) _exit(2);
            _exit(venue_play(&run) ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    }
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_of_the_venue_keeps_every_promise),
        cmocka_unit_test(the_same_seed_is_the_same_world),
        cmocka_unit_test(a_life_may_end_at_any_call_of_the_disk),
        cmocka_unit_test(each_plant_is_noticed),
        cmocka_unit_test(a_unit_of_money_from_nowhere_stops_the_process),
    };

    return cmocka_run_group_tests_name("venue", tests, NULL, NULL);
}
