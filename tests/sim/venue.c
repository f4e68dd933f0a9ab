/* SPDX-License-Identifier: MIT */
#include "venue_inside.h"

#include "crypto/crypto.h"
#include "ledger.h"
#include "marks.h"
#include "network.h"
#include "past.h"
#include "app/config.h"
#include "diagnostics/program_log.h"
#include "app/cli/commands.h"
#include "app/start.h"
#include "app/threads.h"
#include "snapshot/snapshot.h"
#include "storage.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>

#define STEPS_MAX  60000 /* of one life, if nothing ends it before */
#define LOOP_DEPTH 5     /* crashes of starts, one behind the other, that are called a loop */

#define LULL_NS      INT64_C(1600000000)  /* messages that are sent once a second have been sent then */
#define LONG_LULL_NS INT64_C(65000000000) /* and clients that send nothing for a minute have been disconnected */

static struct config           config;
static struct options          options;
static struct venue_counts    *counts;
static const struct venue_run *fixed; /* the one death of a sweep, or NULL */

enum clock_script { CLOCK_FAIR = 0, CLOCK_FROZEN, CLOCK_SHAKES, CLOCK_HOURS, CLOCK_WILD, CLOCK_FAST, CLOCK_SCRIPTS };
static uint32_t script;                /* the script of the wall clock in this world, enum clock_script */
static bool     shadows, is_shadow;    /* worlds with snapshots; a life that writes one */
static bool     rotten, over;          /* a bit has changed; nothing more can be learnt here */
static uint32_t loop_left, loop_depth; /* starts that are to be ended still; starts that were, one behind the other */
static int64_t  lull_until_ns;         /* 0 = there is none */
static uint32_t reach, writes_max;     /* calls of the disk that a life may see; writes of a world */

/* Something happens within the next few calls of the disk. */
static void fail_soon(void)
{
    uint64_t at = world.calls + 1 + world_random(12);

    if (world_chance(2)) {
        world.die_at = at;
        world.die_how = world_chance(2) ? END_POWER : END_KILL;
        return;
    }
    world.fault_at = at;
    world.fault = (enum disk_fault)(DISK_EIO + world_random(4));
    world.fault_stays = world.fault != DISK_INTERRUPTED && world_chance(2);
    counts->disk_faults += 1;
}

int __real_snapshot_write(const struct disk *disk, const char *name, struct snapshot_header *facts,
                          const struct snapshot_section *sections, uint32_t count);
int __wrap_snapshot_write(const struct disk *disk, const char *name, struct snapshot_header *facts,
                          const struct snapshot_section *sections, uint32_t count);
int __wrap_snapshot_write(const struct disk *disk, const char *name, struct snapshot_header *facts,
                          const struct snapshot_section *sections, uint32_t count)
{
    int error;

    world.moments |= AT_SNAPSHOT;
    if (world.die_at == 0 && world.fault_at == 0 && world_chance(2)) fail_soon();
    error = __real_snapshot_write(disk, name, facts, sections, count);
    world.moments &= ~(uint32_t)AT_SNAPSHOT;
    return error;
}

bool __real_crypto_init(void);
bool __wrap_crypto_init(void);
bool __wrap_crypto_init(void) { return true; } /* its known answers were checked when the simulator started */

/* ---- a world ---- */

static const char base_config[] =
    "[dojima]\ndata = d\nchainIds = 286623\naccounts = 12\norders = 300\nlevels = 200\n"
    "signers = 30\ndeposits = 150\nkeys = 8\ntransfers = 40\npositions = 24\n"
    "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n[coin vETH]\nprecision = 8\n"
    "[market vBTC_vUSDC]\nbaseCoin = vBTC\nquoteCoin = vUSDC\npricePrecision = 1\n"
    "tickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\n"
    "minQuantity = 0.00001\nmaxQuantity = 1000\nmarketMinQuantity = 0.00001\n"
    "marketMaxQuantity = 100\nminNotional = 5\nmaxNotional = 10000000\n"
    "buyLimitUpRatio = 0.05\nsellLimitDownRatio = 0.05\nmarketDeviationRatio = 0.01\n"
    "makerFee = 0.00035\ntakerFee = 0.00065\nlistingReferencePrice = 100000\n"
    "[market vETH_vUSDC]\nbaseCoin = vETH\nquoteCoin = vUSDC\npricePrecision = 2\n"
    "tickSize = 0.01\nquantityPrecision = 4\nstepSize = 0.0001\n"
    "minQuantity = 0.0001\nmaxQuantity = 1000\nmarketMinQuantity = 0.0001\n"
    "marketMaxQuantity = 100\nminNotional = 5\nmaxNotional = 10000000\n"
    "buyLimitUpRatio = 0.05\nsellLimitDownRatio = 0.05\nmarketDeviationRatio = 0.01\n"
    "makerFee = 0.00035\ntakerFee = 0.00065\nlistingReferencePrice = 100000\n"
    "[perps BTC-USD]\nbaseCoin = BTC\npricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\n"
    "minQuantity = 0.00001\nmaxQuantity = 1000\nmarketMinQuantity = 0.00001\n"
    "marketMaxQuantity = 100\nminNotional = 1\nmaxNotional = 50000000\n"
    "listingReferencePrice = 100000\nmarginTiers = 4000000:25, 10000000:20\n"
    "openInterestCapUSD = 500000000\nspotMarket = vBTC_vUSDC\n";

/* `perps`: the perps money of each account, dollars. */
static void make_config(uint32_t perps)
{
    static char text[16384];
    char        error[256];
    struct out  out = out_make(text, sizeof(text) - 1);
    bool        good;

    out_bytes(&out, base_config, strlen(base_config));
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct address address;
        good = address_of_secret(dev_secrets[i], &address);
        assert(good);
        out_literal(&out, "[account 0x");
        out_hex(&out, address.bytes, 20);
        out_literal(&out, "]\nvUSDC = 1000000\nvBTC = 10\nvETH = 10\nperps = ");
        out_u64(&out, perps);
        out_char(&out, '\n');
    }
    text[out.len] = '\0';
    memset(&config, 0, sizeof(config));
    good = config_read(text, "the simulated venue", true, &config, error, sizeof(error));
    if (!good) (void)fprintf(stderr, "%s\n", error);
    assert(good);
}

/* Seconds before something in the calendar: an ordinary hour and day, month's
   ends, the leap day, new year, and where counters of others end. */
static const int64_t epochs[] = {
    INT64_C(1776000000000), INT64_C(1776038397000), INT64_C(1777593597000), INT64_C(1835395197000),
    INT64_C(1835481597000), INT64_C(1830297597000), INT64_C(2147483645000), INT64_C(4294967293000),
};

static void draw_world(const struct venue_run *run)
{
    static const uint32_t reaches[] = { 40, 60, 100, 300 }, sizes[] = { 100, 200, 500, 2500 };
    uint32_t              size = world_random(4);
    bool                  production = world_chance(8);

    reach = reaches[size];
    writes_max = sizes[size];

    world.verbose = run->verbose;
    world.signed_for_real = world_chance(16);
    world.epoch_ms = epochs[world_random(ARRAY_COUNT(epochs))];
    script = world_chance(2) ? CLOCK_FAIR : world_random(CLOCK_SCRIPTS);
    world.by_hand = !production && !world_chance(3);
    if (world.by_hand && !world_chance(3)) script = CLOCK_FAST;
    borders.followers = run->followed || world_chance(3) ? 1 + world_random(FOLLOWERS_MAX) : 0;
    world.is_narrow = world_chance(2);
    world.loses = world_chance(3);
    make_config(!world.by_hand ? 1000000 : (uint32_t[]){ 1000000, 3000, 3000, 10000 }[world_random(4)]);
    config.genesis.fund = (int64_t[]){ config.genesis.fund, 2000000000, 0 }[world_random(3)];
    config.genesis.time_ms = world_wall_ms();
    options = (struct options){
        .folder = "/simulated/data",
        .host = "127.0.0.1",
        .io_threads = 1 + world_random(2), /* one polls, two have no core for that */
        .connections = 8 + borders.followers,
        .connections_per_address = 8 + borders.followers,
        .busy_poll_us = 300,
        .production = production,
        .clock_rate = CLOCK_RATE_ONE,
        .allow_public_chain_ids = true,
        .seed = run->seed,
        .genesis = &config.genesis,
        .faucet = config.faucet,
    };
    options.file_bytes = (uint64_t)(16 + world_random(48)) * 4096;
    options.has_dev_prices = !world_chance(3);
    storage_begin(0);
    past_begin();
    clients_begin();
    operator_begin(&config.genesis.limits);
    marks_begin();
    truth_begin(borders.followers != 0);
    followers_begin(borders.followers);
    borders.place_count = 0;
    rotten = over = false;
    loop_left = loop_depth = 0;
    shadows = world_chance(3);
}

/* ---- a life ---- */

static void on_ready(void *self)
{
    (void)self;
    world.ready = true;
}

static void live(void *self)
{
    struct instance *instance = instance_take();
    int              code = instance_open(instance, &options);

    (void)self;
    if (code == EXIT_FINE) code = instance_run(instance, on_ready, NULL);
    instance_close(instance);
    fiber_end_life(END_EXIT, code);
}

/*
 * Another process, while no server runs: reads the log, writes a snapshot, compresses the part of the log before the
 * last two snapshots.
 */
static void shadow(void *self)
{
    char *words[] = { (char *)(uintptr_t) "shadow", (char *)(uintptr_t) "--once", (char *)(uintptr_t) "--archive",
                      (char *)(uintptr_t)options.folder, NULL };

    (void)self;
    fiber_end_life(END_EXIT, command_shadow(4, words));
}

/* Decides how this life will end, and its faults. */
static void draw_life(bool calm)
{
    uint32_t what = calm || fixed != NULL ? 99 : world_random(100);

    world.ended = END_NONE;
    world.exit_code = 0;
    world.ready = world.stop_asked = world.fault_stays = world.is_lull = false;
    lull_until_ns = 0;
    world.calls = world.die_at = world.fault_at = borders.die_later = borders.fault_later = 0;
    world.said[0] = '\0';
    world.moments = counts->recoveries != 0 ? AT_START : 0;
    world.failed_at = 0;
    world.appends = 0;
    storage_set_capacity(0);
    world.forgives = world.lies || (world.forgives && !ledger_serves()); /* until a start has repaired the log */
    world.lies = !calm && !world.forgives && world_chance(50) && fixed == NULL;
    if (world.lies) {
        counts->lies += 1;
        what = 0;
    }
    if (loop_left == 0 && !calm && fixed == NULL && !world.lies && world_chance(30))
        loop_left = LOOP_DEPTH + world_random(4);
    if (fixed != NULL && !calm) {
        world.die_at = fixed->die_at;
        world.die_how = fixed->die_how;
    } else if (loop_left != 0 && !calm && !world.lies) {
        loop_left -= 1;
        world.die_how = world_chance(2) ? END_POWER : END_KILL;
        world.die_at = 1 + world_random(14);
    } else if (what < 72) {
        world.die_how = world.lies || world_chance(2) ? END_POWER : END_KILL;
        if (world_chance(4)) world.die_at = 1 + world_random(40 + reach); /* while it starts, most of the time */
        else borders.die_later = 1 + world_random(reach);
    } else if (what < 90) {
        if (world_chance(4)) world.fault_at = 1 + world_random(40 + reach);
        else borders.fault_later = 1 + world_random(reach);
        world.fault = (enum disk_fault)(DISK_EIO + world_random(4));
        world.fault_stays = world.fault != DISK_INTERRUPTED && world_chance(2);
        counts->disk_faults += 1;
    } else if (what < 94) {
        storage_set_capacity(storage_used() + 4096 + world_random(400000));
        world.fault_at = UINT64_MAX; /* the disk may fail */
    }
}

/* Somebody sets the clock, or it does so by itself: rarely, at each second, or all the time. */
static void move_clock(void)
{
    static const int64_t jumps[] = { 1, -1, 700, -700, 6000, -6000, HOUR_MS, -HOUR_MS, 48 * HOUR_MS, -48 * HOUR_MS };
    static int64_t       shown_ns;
    int64_t              passed_ns = world.mono_ns - shown_ns, before = world.wall_offset_ms;

    shown_ns = world.mono_ns;
    switch (script) {
    case CLOCK_FROZEN:
        world.wall_offset_ms -= passed_ns > 0 && passed_ns < INT64_C(1000000000) ? passed_ns / 1000000 : 0;
        break;
    case CLOCK_SHAKES:
        if (world_chance(1000)) world.wall_offset_ms += (int64_t)world_random(1001) - 500;
        break;
    case CLOCK_HOURS:
        if (world_chance(3000)) world.wall_offset_ms += (int64_t)(1 + world_random(3)) * HOUR_MS;
        break;
    case CLOCK_FAST:
        if (world_chance(60)) world.wall_offset_ms += 1000;
        break; /* a TICK of prices in each */
    case CLOCK_WILD:
        if (world_chance(2000)) world.wall_offset_ms += jumps[world_random(ARRAY_COUNT(jumps))];
        break;
    default:
        if (world_chance(8000)) world.wall_offset_ms += jumps[world_random(ARRAY_COUNT(jumps) - 2)];
        break;
    }
    counts->jumps += world.wall_offset_ms != before && script != CLOCK_FAST;
}

/*
 * Before the server stops, if it has followers, no client sends new requests for some time, and then all followers
 * have received everything.
 */
static void stop_or_rest(void)
{
    if (borders.followers == 0 || world.stop_asked || !world.ready) {
        world.stop_asked = true;
    } else if (lull_until_ns == 0) {
        world.lull_ns = world_chance(8) ? LONG_LULL_NS : LULL_NS;
        lull_until_ns = world.mono_ns + world.lull_ns;
        followers_lull(true);
    } else if (world.mono_ns >= lull_until_ns) {
        followers_lull(false);
        if (clients_wait()) world_wrong("a client waits for an answer, and nothing else is asked");
        world.stop_asked = true;
    }
}

/* The events around the server between two of its steps. */
static void change_conditions(uint64_t step, uint64_t stop_step)
{
    move_clock();
    if (step >= stop_step) stop_or_rest();
    world.mono_ns += world_random(3000);
}

/* Clients and followers. */
static bool actors_step(int64_t *wake_ns)
{
    int64_t others_ns;
    bool    first = borders.followers != 0 && world_chance(2);
    bool    moved = first ? followers_step(wake_ns) : clients_step(wake_ns);

    if (moved || borders.followers == 0) return moved;
    moved = first ? clients_step(&others_ns) : followers_step(&others_ns);
    *wake_ns = min_i64(*wake_ns, others_ns);
    return moved;
}

static void run_life(void (*run)(void *self))
{
    uint64_t stop_step = world.die_at != 0 || borders.die_later != 0 ? UINT64_MAX
                       : fixed != NULL                               ? 300
                                                                     : 500 + world_random(reach * 30);

    truth_keep(ledger_happened());
    marks_keep(ledger_happened());
    ledger_life_begins();
    borders_life_begins();
    (void)fiber_start(run, NULL);
    for (uint64_t step = 0; world.ended == END_NONE; step++) {
        int64_t fiber_ns, client_ns;
        bool    moved;

        world.steps += 1;
        if (step > STEPS_MAX) fiber_ns = 0, world.ended = END_KILL;
        change_conditions(step, stop_step);
        moved = world_chance(3) ? actors_step(&client_ns) : fiber_turn(&fiber_ns);
        if (moved || world.ended != END_NONE) continue;
        moved = actors_step(&client_ns) || fiber_turn(&fiber_ns);
        if (!moved)
            world.mono_ns =
                max_i64(world.mono_ns + 1, min_i64(fiber_turn(&fiber_ns) ? world.mono_ns : fiber_ns, client_ns));
        if (world_what_is_wrong() != NULL) break;
    }
    followers_lost();
    network_clear();
    clients_lost();
    fiber_clear();
    outside_clear();
}

/* Flips a bit of old bytes, or, for a test, removes the whole last batch. */
static void corrupt_file(void)
{
    uint64_t     kept = min_u64(borders.place_count, PLACES), back = 1 + world_random((uint32_t)kept - 1);
    struct place place = borders.places[(borders.place_count - 1 - back) % PLACES];
    char         name[32];

    (void)snprintf(name, sizeof(name), "journal-%08lu.log", (unsigned long)log_position_first(&place.position));
    if (storage_bytes(name) == 0) return; /* an injected fault of the disk has lost it */
    if (!injected_faults.corruption_is_fine) {
        uint8_t bit = (uint8_t)(1u << world_random(8));
        storage_flip(name, log_position_second(&place.position) + world_random((uint32_t)place.bytes), bit);
    }
    counts->corrupt_file += 1;
    rotten = true;
}

static void cut_good_end(void)
{
    const struct place *place = &borders.places[(borders.place_count - 1) % PLACES];
    char                name[32], byte;

    (void)snprintf(name, sizeof(name), "journal-%08lu.log", (unsigned long)log_position_first(&place->position));
    for (uint64_t i = 0; i < place->bytes + 32; i++)
        if (storage_read(name, log_position_second(&place->position) + i, &byte, 1) && byte != 0)
            storage_flip(name, log_position_second(&place->position) + i, (uint8_t)byte);
}

/* The way it ended is one of those that its faults allow. */
static void judge_end(void)
{
    bool fault = world.fault_at != 0 || borders.fault_later != 0,
         fine = world.exit_code == EXIT_FINE || world.exit_code == EXIT_STOPPED;

    if (rotten && ledger_serves()) world_wrong("it serves from a log in which a bit has changed");
    if (world.ended != END_EXIT) return;
    counts->exits += 1;
    if (world.exit_code == EXIT_DAMAGE && (rotten || world.forgives || injected_faults.end_is_cut)) {
        counts->corrupted_refused += rotten;
        counts->lies_refused += !rotten;
        over = true;
        return;
    }
    if (fine && (world.stop_asked || is_shadow)) return;
    if (fine) world_wrong("it stopped, and nobody had asked");
    else if (world.exit_code == EXIT_DAMAGE) world_wrong("it refuses its own log: %s", world.said);
    else if (is_shadow && (counts->recoveries == 0 || world.forgives))
        return; /* there is no log yet, or none any more */
    else if (!fault) world_wrong("it ended with %d: %s", world.exit_code, world.said);
}

static void end_life_anywhere(void)
{
    bool power =
        world.lies || world.ended == END_POWER || (world.ended == END_EXIT && fixed == NULL && world_chance(2));

    counts->kills += world.ended == END_KILL;
    counts->power_cuts += power;
    counts->stops += world.ended == END_EXIT && world.exit_code == EXIT_FINE;
    counts->calls += world.calls;
    if (power) {
        storage_power_cut(fixed != NULL ? fixed->pattern : world_random(STORAGE_PATTERNS));
        past_power_cut();
    } else {
        storage_kill();
        past_kill();
    }
    world.mono_ns += (int64_t)world_random(world_chance(10) ? 2000000000 : 20000000) * 1000 / 1000;
}

/* Counts the accidents at moments that are harder than others (G13). */
static void count_moments(void)
{
    bool crashed = world.ended == END_KILL || world.ended == END_POWER;

    counts->failed_starts += !is_shadow && (world.failed_at & AT_START) != 0;
    counts->failed_switches += (world.failed_at & AT_SWITCH) != 0;
    counts->failed_snapshots += (world.failed_at & AT_SNAPSHOT) != 0;
    loop_depth = crashed && !is_shadow && (world.moments & AT_START) != 0 ? loop_depth + 1 : 0;
    counts->loops += loop_depth >= LOOP_DEPTH;
}

static const char *const ends[] = { "nothing", "exit", "kill", "power cut" };

static void one_life(const struct venue_run *run, bool calm)
{
    draw_life(calm);
    if (run->inject != NULL) run->inject();
    is_shadow = shadows && !calm && fixed == NULL && loop_left == 0 && counts->lives != 0 && world_chance(5);
    run_life(is_shadow ? shadow : live);
    counts->lives += 1;
    counts->shadows += is_shadow && world.ended == END_EXIT && world.exit_code == EXIT_FINE;
    counts->torn += strstr(world.said, "torn") != NULL;
    if (run->verbose)
        (void)printf("%15ld  %s%slife %lu ends by %s with %d after %lu calls, %lu commands applied, the last %lu\n",
                     (long)world.mono_ns, world.lies ? "lying " : "", world.forgives ? "forgiven " : "",
                     (unsigned long)counts->lives, ends[world.ended], world.exit_code, (unsigned long)world.calls,
                     (unsigned long)borders.commands, (unsigned long)ledger_last_seq());
    count_moments();
    judge_end();
    end_life_anywhere();
    if (injected_faults.end_is_cut && borders.place_count > 0 && !calm) cut_good_end();
    if (injected_faults.snapshot_cuts && borders.place_count > 0 && (world.failed_at & AT_SNAPSHOT) != 0)
        cut_good_end();
    if (!calm && borders.place_count > 2 && !shadows && fixed == NULL && !world.lies && !world.forgives
        && world_chance(40) && !over)
        corrupt_file();
}

bool venue_play(struct venue_run *run)
{
    static bool began;
    const char *wrong;

    if (!began) began = __real_crypto_init();
    assert(began);
    run->counts = (struct venue_counts){ 0 };
    counts = borders.counts = &run->counts;
    borders.limits = &config.genesis.limits;
    fixed = run->one_death ? run : NULL;
    world_begin(run->seed);
    draw_world(run);
    for (uint32_t life = 0;
         life < run->lives && !over && world_what_is_wrong() == NULL && ledger_counts().writes < writes_max; life++)
        one_life(run, false);
    if (world_what_is_wrong() == NULL && !over) one_life(run, true);
    wrong = world_what_is_wrong();
    (void)snprintf(run->wrong, sizeof(run->wrong), "%s", wrong == NULL ? "" : wrong);
    run->ledger = ledger_counts();
    run->streams = follower_counts();
    run->trace = world.trace;
    storage_clear();
    return wrong == NULL;
}

/* The counts of one play into those of the sweep. */
static void add_counts(struct venue_run *sum, const struct venue_run *one)
{
    uint64_t *to = (uint64_t *)&sum->counts, *ledger = (uint64_t *)&sum->ledger, *streams = (uint64_t *)&sum->streams;
    const uint64_t *from = (const uint64_t *)&one->counts, *from_ledger = (const uint64_t *)&one->ledger,
                   *from_streams = (const uint64_t *)&one->streams;

    for (size_t i = 0; i < sizeof(sum->counts) / sizeof(*to); i++) to[i] += from[i];
    for (size_t i = 0; i < sizeof(sum->ledger) / sizeof(*ledger); i++) ledger[i] += from_ledger[i];
    for (size_t i = 0; i < sizeof(sum->streams) / sizeof(*streams); i++) streams[i] += from_streams[i];
}

bool venue_sweep(struct venue_run *run, uint64_t stride)
{
    struct venue_run one = { .seed = run->seed, .lives = 1, .one_death = true };
    uint64_t         calls;

    if (!venue_play(&one)) {
        (void)snprintf(run->wrong, sizeof(run->wrong), "%s", one.wrong);
        return false;
    }
    calls = one.counts.calls; /* of the life, and of the one behind it: a little too many */
    for (uint64_t at = 1; at <= calls; at += stride)
        for (uint32_t pattern = 0; pattern <= STORAGE_PATTERNS; pattern++) {
            one = (struct venue_run){ .seed = run->seed,
                                      .lives = 1,
                                      .one_death = true,
                                      .die_at = at,
                                      .pattern = pattern,
                                      .die_how = pattern == STORAGE_PATTERNS ? END_KILL : END_POWER };
            if (!venue_play(&one)) {
                (void)snprintf(run->wrong, sizeof(run->wrong), "at call %lu, pattern %u: %.200s", (unsigned long)at,
                               pattern, one.wrong);
                return false;
            }
            add_counts(run, &one);
        }
    run->wrong[0] = '\0';
    return true;
}
