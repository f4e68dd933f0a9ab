/* SPDX-License-Identifier: MIT */
/* scenarios.c — dojima scenario: plays a scenario against a development exchange, and says whether what it expects
 * came true. */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/members.h"
#include "app/cli/rehearsal.h"
#include "app/cli/scenario_known.h"
#include "crypto/crypto.h"
#include "diagnostics/program_log.h"
#include "io/child.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/signals.h"
#include "wire/shape.h"

#include <stdio.h>
#include <stdlib.h>

#define FILE_BYTES (1024 * 1024)

struct playing {
    const char      *url, *market;
    uint64_t         seed;
    uint64_t         parent; /* 0 = none */
    bool             json, progress;
    struct timeline  timeline;
    struct rehearsal rehearsal;
    bool             held[TIMELINE_EXPECT_MAX]; /* came true */
    char             got[TIMELINE_EXPECT_MAX][96];
};

/* ---- what is printed ---- */

static void print_text(const char *key, const char *text)
{
    char       room[1024];
    struct out out = out_make(room, sizeof(room));

    json_write_string(&out, slice_of(text));
    (void)printf(",\"%s\":%.*s", key, (int)out.len, room);
}

/* One line: at which time of the scenario, what, and how it went. */
static void tell(const struct playing *playing, const char *what, const char *name, const json_t *keys,
                 const char *outcome)
{
    const char *note = text_at(keys, "note");
    int64_t     ms = playing->rehearsal.now_ms;

    if (playing->json) {
        (void)printf("{\"ms\":%ld", (long)ms);
        print_text(what, name);
        print_text("note", note);
        print_text("outcome", outcome);
        (void)printf("}\n");
    } else {
        (void)printf("%6ld.%03ld s  %-7s %-12s %s%s%s\n", (long)(ms / 1000), (long)(ms % 1000), what, name, outcome,
                     note[0] != '\0' ? "  " : "", note);
    }
    (void)fflush(stdout);
}

/* How far it is, for a program that reads along. */
static void tell_time(const struct playing *playing)
{
    if (!playing->progress) return;
    (void)printf("{\"now\":%ld}\n", (long)playing->rehearsal.now_ms);
    (void)fflush(stdout);
}

/* It cannot go on, for this reason. */
static int give_up(const struct playing *playing, const char *why)
{
    if (playing->json) {
        (void)printf("{\"ms\":%ld", (long)playing->rehearsal.now_ms);
        print_text("failed", why);
        (void)printf("}\n");
        (void)fflush(stdout);
    }
    return complain(EXIT_GENERAL, "scenario: %s", why);
}

/* ---- time ---- */

/* The next instant at which there is something to do: a step, or a look. */
static int64_t next_instant(const struct playing *playing, uint32_t next_step)
{
    int64_t look_ms = playing->timeline.look_ms, next_ms = (playing->rehearsal.now_ms / look_ms + 1) * look_ms;

    if (next_step < playing->timeline.step_count) next_ms = min_i64(next_ms, playing->timeline.steps[next_step].at_ms);
    return min_i64(next_ms, playing->timeline.ends_ms);
}

static int64_t engine_time(struct rehearsal *rehearsal)
{
    json_t *data = venue_read(&rehearsal->venue, "/api/v1/time");
    int64_t time_ms = number_at(data, "serverTime");

    json_decref(data);
    return time_ms;
}

/* A clock that stands is moved; else the program sleeps until the exchange's clock is there. False: why, or a signal
 * came (why is empty). */
static bool go_on(struct rehearsal *rehearsal, int64_t to_ms)
{
    if (rehearsal->is_own) {
        json_t *params = json_pack("[I]", (json_int_t)(to_ms - rehearsal->now_ms));
        json_t *result = venue_call(&rehearsal->venue, "dojima_step", params);
        bool    ok = result != NULL;

        json_decref(params);
        json_decref(result);
        if (!ok) (void)snprintf(rehearsal->why, sizeof(rehearsal->why), "%s", rehearsal->venue.why);
        rehearsal->now_ms = to_ms;
        return ok && signals_wait(0) == 0;
    }
    while (rehearsal->now_ms < to_ms) {
        if (signals_wait(min_i64(to_ms - rehearsal->now_ms, 200)) != 0) return false;
        rehearsal->now_ms = max_i64(rehearsal->now_ms, engine_time(rehearsal) - rehearsal->began_ms);
    }
    return true;
}

/* ---- playing ---- */

static bool do_steps(struct playing *playing, uint32_t *next)
{
    struct rehearsal *rehearsal = &playing->rehearsal;

    for (; *next < playing->timeline.step_count && playing->timeline.steps[*next].at_ms <= rehearsal->now_ms;
         *next += 1) {
        const struct step *step = &playing->timeline.steps[*next];

        rehearsal->why[0] = '\0';
        if (!rehearsal_act(rehearsal, step)) {
            tell(playing, "step", step->row->name, step->keys, rehearsal->why);
            return false;
        }
        tell(playing, "step", step->row->name, step->keys, "done");
    }
    return rehearsal_move_indexes(rehearsal);
}

/* False: one did not come true in time. */
static bool look(struct playing *playing)
{
    const struct timeline *timeline = &playing->timeline;
    struct rehearsal      *rehearsal = &playing->rehearsal;
    bool                   ok = true;

    for (uint32_t i = 0; i < timeline->expectation_count; i++) {
        const struct expectation *expectation = &timeline->expectations[i];

        if (playing->held[i] || rehearsal->now_ms < expectation->from_ms) continue;
        if (rehearsal->now_ms > expectation->by_ms) continue;
        playing->held[i] = rehearsal_holds(rehearsal, expectation, playing->got[i], sizeof(playing->got[i]));
        if (rehearsal->why[0] != '\0')
            tell(playing, "expect", expectation->row->name, expectation->keys, rehearsal->why);
        if (playing->held[i]) tell(playing, "expect", expectation->row->name, expectation->keys, "holds");
        ok = ok && rehearsal->why[0] == '\0';
    }
    return ok;
}

/* True when all came true. */
static bool sum_up(const struct playing *playing)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < playing->timeline.expectation_count; i++) {
        const struct expectation *expectation = &playing->timeline.expectations[i];
        char                      text[160];

        held += playing->held[i];
        if (playing->held[i]) continue;
        (void)snprintf(text, sizeof(text), "did not come true by %ld s: found %s", (long)(expectation->by_ms / 1000),
                       playing->got[i]);
        tell(playing, "expect", expectation->row->name, expectation->keys, text);
    }
    if (playing->json) (void)printf("{\"expected\":%u,\"held\":%u}\n", playing->timeline.expectation_count, held);
    else (void)printf("%u of %u expectations hold\n", held, playing->timeline.expectation_count);
    return held == playing->timeline.expectation_count;
}

static int play(struct playing *playing)
{
    struct rehearsal *rehearsal = &playing->rehearsal;
    uint32_t          next = 0;

    rehearsal->began_ms = engine_time(rehearsal);
    if (rehearsal->began_ms == 0) return give_up(playing, rehearsal->venue.why);
    for (;;) {
        tell_time(playing);
        if (!do_steps(playing, &next)) return give_up(playing, rehearsal->why);
        if (!look(playing)) return EXIT_GENERAL;
        if (rehearsal->now_ms >= playing->timeline.ends_ms) return sum_up(playing) ? EXIT_FINE : EXIT_GENERAL;
        if (!go_on(rehearsal, next_instant(playing, next)))
            return rehearsal->why[0] != '\0' ? give_up(playing, rehearsal->why) : EXIT_GENERAL;
    }
}

static int play_somewhere(struct playing *playing)
{
    struct rehearsal *rehearsal = &playing->rehearsal;
    int               code;

    rehearsal->timeline = &playing->timeline;
    rehearsal->run = (uint64_t)clock_wall_ms();
    rehearsal->is_own = playing->url == NULL;
    if (rehearsal->is_own ? !rehearsal_start(rehearsal) : !venue_open(&rehearsal->venue, playing->url))
        code = give_up(playing, rehearsal->is_own ? rehearsal->why : rehearsal->venue.why);
    else code = play(playing);
    rehearsal_stop(rehearsal);
    return code;
}

/* ---- which ---- */

/* The text of a scenario that the program knows, or of a file. */
static int find(const char *name, char *room, struct slice *text, struct timeline *timeline)
{
    char     why[256];
    size_t   len = 0;
    uint32_t number;
    int      error;

    if (scenario_known_find(slice_of(name), &number)) {
        *text = scenario_known_text(number);
        return timeline_read(*text, timeline, why) ? EXIT_FINE : complain(EXIT_GENERAL, "scenario: %s", why);
    }
    error = files_read(name, room, FILE_BYTES, &len);
    if (error != 0)
        return complain(EXIT_USAGE,
                        "scenario: %.200s is neither a scenario of this program (dojima scenario list) nor a file: %s",
                        name, strerror(error));
    *text = slice_make(room, len);
    if (timeline_read(*text, timeline, why)) return EXIT_FINE;
    timeline_free(timeline);
    return complain(EXIT_USAGE, "scenario: %.200s: %s", name, why);
}

static int list(struct timeline *timeline)
{
    char why[256];

    for (uint32_t i = 0; i < scenario_known_count; i++) {
        if (!timeline_read(scenario_known_text(i), timeline, why)) return complain(EXIT_GENERAL, "scenario: %s", why);
        (void)printf("%-20s %s\n", timeline->name, timeline->about);
        timeline_free(timeline);
    }
    return EXIT_FINE;
}

static int run_words(struct playing *playing, int count, char **words)
{
    struct slice text;
    char        *room;
    int          code;

    if (count == 1 && strcmp(words[0], "list") == 0) return list(&playing->timeline);
    if (count != 2 || (strcmp(words[0], "run") != 0 && strcmp(words[0], "show") != 0))
        return complain(EXIT_USAGE, "scenario: list, run FILE or show FILE");
    room = malloc(FILE_BYTES);
    if (room == NULL) return complain(EXIT_GENERAL, "not enough memory");
    code = find(words[1], room, &text, &playing->timeline);
    if (code == EXIT_FINE && strcmp(words[0], "show") == 0) (void)printf("%.*s", (int)text.len, text.at);
    else if (code == EXIT_FINE) {
        if (playing->market != NULL) playing->timeline.market = playing->market;
        if (playing->seed != 0) playing->timeline.seed = playing->seed;
        code = play_somewhere(playing);
    }
    if (code == EXIT_FINE || playing->timeline.json != NULL) timeline_free(&playing->timeline);
    free(room);
    return code;
}

static void print_rows(const char *title, const struct timeline_row *rows, uint32_t count)
{
    (void)printf("\n%s\n", title);
    for (uint32_t i = 0; i < count; i++) {
        (void)printf("  %-12s %s\n", rows[i].name, rows[i].doc);
        for (uint32_t key = 0; key < KEYS_MAX && rows[i].keys[key].name != NULL; key++)
            (void)printf("    %-12s %s%s\n", rows[i].keys[key].name, rows[i].keys[key].needed ? "" : "(optional) ",
                         rows[i].keys[key].doc);
    }
}

static void print_kinds(void)
{
    print_rows("Steps, {\"at\": TIME, \"do\": KIND, …}:", timeline_steps, timeline_step_count);
    print_rows("Expectations, {\"by\": TIME, KIND: …}, optionally \"from\": TIME:", timeline_expectations,
               timeline_expectation_count);
}

int command_scenario(int argc, char **argv)
{
    static struct playing playing; /* its tables are large */
    const struct argument rows[] = {
        { "url", ARGUMENT_TEXT, 0, &playing.url, "URL",
          "A development exchange that runs, in its own time; else one is started, whose clock this program moves." },
        { "market", ARGUMENT_TEXT, 0, &playing.market, "NAME", "Instead of the scenario's market." },
        { "seed", ARGUMENT_U64, UINT64_MAX, &playing.seed, "N", "Instead of the scenario's seed." },
        { "json", ARGUMENT_FLAG, 0, &playing.json, "", "Each line as JSON." },
        { "progress", ARGUMENT_FLAG, 0, &playing.progress, "",
          "At each look a line {\"now\":MS} besides, the time of the scenario." },
        { "parent", ARGUMENT_U64, UINT64_MAX, &playing.parent, "PID",
          "Ends when this process does, which started it." },
    };
    const struct arguments arguments = {
        "scenario",
        "…",
        "list: the scenarios that the program knows. show NAME: prints one. run NAME or "
        "FILE: plays it; exit 0 when everything that it expects came true, else 1.",
        rows,
        ARRAY_COUNT(rows),
        print_kinds
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    log_init(true);
    if (playing.parent != 0 && !child_of(playing.parent)) return EXIT_FINE;
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    return run_words(&playing, argc - operand, argv + operand);
}
