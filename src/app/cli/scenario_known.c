/* SPDX-License-Identifier: MIT */
#include "app/cli/scenario_known.h"

#include "base/in_program.h"
#include "wire/shape.h"

#include <stdlib.h>

FILE_IN_PROGRAM(scenario_flash_crash, APP_SCENARIO_FOLDER "/flash-crash.json");
FILE_IN_PROGRAM(scenario_cascade, APP_SCENARIO_FOLDER "/cascade-with-adl.json");
FILE_IN_PROGRAM(scenario_oracle, APP_SCENARIO_FOLDER "/oracle-outage.json");
FILE_IN_PROGRAM(scenario_funding, APP_SCENARIO_FOLDER "/funding-spike.json");
FILE_IN_PROGRAM(scenario_restart, APP_SCENARIO_FOLDER "/restart-under-load.json");
FILE_IN_PROGRAM(scenario_weekend, APP_SCENARIO_FOLDER "/thin-weekend.json");
FILE_IN_PROGRAM(scenario_delisting, APP_SCENARIO_FOLDER "/delisting.json");
FILE_IN_PROGRAM(scenario_storm, APP_SCENARIO_FOLDER "/reconnect-storm.json");

static const struct known {
    const char *text, *end;
} known[] = {
    { scenario_flash_crash, scenario_flash_crash_end }, { scenario_cascade, scenario_cascade_end },
    { scenario_oracle, scenario_oracle_end },           { scenario_funding, scenario_funding_end },
    { scenario_restart, scenario_restart_end },         { scenario_weekend, scenario_weekend_end },
    { scenario_delisting, scenario_delisting_end },     { scenario_storm, scenario_storm_end },
};

const uint32_t scenario_known_count = ARRAY_COUNT(known);

struct slice scenario_known_text(uint32_t number)
{
    assert(number < ARRAY_COUNT(known));
    return slice_make(known[number].text, (size_t)(known[number].end - known[number].text));
}

/* The program's own scenarios are well formed: tests read them all. */
static struct timeline *open_known(uint32_t number)
{
    struct timeline *timeline = malloc(sizeof(*timeline));
    char             why[256];
    bool             ok;

    if (timeline == NULL) return NULL;
    ok = timeline_read(scenario_known_text(number), timeline, why);
    assert(ok);
    return timeline;
}

static void close_known(struct timeline *timeline)
{
    timeline_free(timeline);
    free(timeline);
}

bool scenario_known_find(struct slice name, uint32_t *number)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct timeline *timeline = open_known(i);
        bool             same = timeline != NULL && slice_is(name, timeline->name);

        *number = i;
        if (timeline != NULL) close_known(timeline);
        if (same) return true;
    }
    return false;
}

bool scenario_needs_own(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->step_count; i++)
        if (timeline->steps[i].row->number == DO_RESTART) return true;
    return false;
}

static void write_text(struct out *out, const char *key, const char *text)
{
    out_literal(out, "\"");
    out_text(out, key);
    out_literal(out, "\":");
    json_write_string(out, slice_of(text));
    out_char(out, ',');
}

static void write_number(struct out *out, const char *key, int64_t number)
{
    out_literal(out, "\"");
    out_text(out, key);
    out_literal(out, "\":");
    out_i64(out, number);
    out_char(out, ',');
}

static void write_known(struct out *out, const struct timeline *timeline)
{
    out_char(out, '{');
    write_text(out, "name", timeline->name);
    write_text(out, "about", timeline->about);
    write_text(out, "market", timeline->market);
    write_number(out, "endsMs", timeline->ends_ms);
    write_number(out, "steps", timeline->step_count);
    write_number(out, "expectations", timeline->expectation_count);
    out_literal(out, "\"own\":");
    out_text(out, scenario_needs_own(timeline) ? "true}" : "false}");
}

void scenario_known_write(struct out *out)
{
    out_char(out, '[');
    for (uint32_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct timeline *timeline = open_known(i);

        if (timeline == NULL) continue;
        if (i != 0) out_char(out, ',');
        write_known(out, timeline);
        close_known(timeline);
    }
    out_char(out, ']');
}
