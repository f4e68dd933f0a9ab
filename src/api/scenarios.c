/* SPDX-License-Identifier: MIT */
#include "api/scenarios.h"

#include "wire/shape.h"

void scenarios_init(struct scenarios *scenarios, const struct scenario_means *means)
{
    memset(scenarios, 0, offsetof(struct scenarios, lines)); /* their length is 0 */
    scenarios->means = means;
    (void)pthread_mutex_init(&scenarios->lock, NULL);
}

void scenarios_deinit(struct scenarios *scenarios) { (void)pthread_mutex_destroy(&scenarios->lock); }

static enum scenario_begin begin(struct scenarios *scenarios, struct slice name, bool own)
{
    const struct scenario_means *means = scenarios->means;
    uint32_t                     number;
    bool                         is_own;

    if (name.len > SCENARIO_NAME_MAX || !means->find(name, &number, &is_own)) return SCENARIO_UNKNOWN;
    if (scenarios->state == SCENARIO_PLAYING) return SCENARIO_BUSY;
    if (!means->start(means->self, number, own || is_own)) return SCENARIO_NO_PLAYER;
    scenarios->state = SCENARIO_PLAYING;
    scenarios->id += 1;
    scenarios->is_own = own || is_own;
    scenarios->is_stopping = scenarios->is_cut = false;
    scenarios->now_ms = 0;
    scenarios->len = 0;
    memcpy(scenarios->name, name.at, name.len);
    scenarios->name[name.len] = '\0';
    atomic_store(&scenarios->plays_here, scenarios->is_own ? 0 : 1);
    return SCENARIO_BEGUN;
}

enum scenario_begin scenarios_start(struct scenarios *scenarios, struct slice name, bool own)
{
    enum scenario_begin how;

    (void)pthread_mutex_lock(&scenarios->lock);
    how = begin(scenarios, name, own);
    (void)pthread_mutex_unlock(&scenarios->lock);
    return how;
}

bool scenarios_stop(struct scenarios *scenarios)
{
    bool plays;

    (void)pthread_mutex_lock(&scenarios->lock);
    plays = scenarios->state == SCENARIO_PLAYING;
    if (plays) scenarios->is_stopping = scenarios->means->stop(scenarios->means->self);
    (void)pthread_mutex_unlock(&scenarios->lock);
    return plays;
}

bool scenarios_busy(struct scenarios *scenarios)
{
    bool plays;

    (void)pthread_mutex_lock(&scenarios->lock);
    plays = scenarios->state == SCENARIO_PLAYING;
    (void)pthread_mutex_unlock(&scenarios->lock);
    return plays;
}

void scenarios_line(struct scenarios *scenarios, struct slice json)
{
    (void)pthread_mutex_lock(&scenarios->lock);
    if (scenarios->len + json.len + 1 > sizeof(scenarios->lines)) scenarios->is_cut = true;
    else {
        if (scenarios->len != 0) scenarios->lines[scenarios->len++] = ',';
        memcpy(scenarios->lines + scenarios->len, json.at, json.len);
        scenarios->len += (uint32_t)json.len;
    }
    (void)pthread_mutex_unlock(&scenarios->lock);
}

void scenarios_now(struct scenarios *scenarios, int64_t now_ms)
{
    (void)pthread_mutex_lock(&scenarios->lock);
    scenarios->now_ms = now_ms;
    (void)pthread_mutex_unlock(&scenarios->lock);
}

void scenarios_ended(struct scenarios *scenarios, int64_t exit_code)
{
    (void)pthread_mutex_lock(&scenarios->lock);
    if (scenarios->state == SCENARIO_PLAYING)
        scenarios->state = exit_code == 0         ? SCENARIO_PASSED
                         : scenarios->is_stopping ? SCENARIO_STOPPED
                                                  : SCENARIO_FAILED;
    atomic_store(&scenarios->plays_here, 0);
    (void)pthread_mutex_unlock(&scenarios->lock);
}

static void write_run(const struct scenarios *scenarios, struct out *out)
{
    static const char *const states[] = { "", "playing", "passed", "failed", "stopped" };

    out_literal(out, "{\"id\":");
    out_u64(out, scenarios->id);
    out_literal(out, ",\"name\":");
    json_write_string(out, slice_of(scenarios->name));
    out_literal(out, ",\"own\":");
    out_text(out, scenarios->is_own ? "true" : "false");
    out_literal(out, ",\"state\":\"");
    out_text(out,
             scenarios->state == SCENARIO_PLAYING && scenarios->is_stopping ? "stopping" : states[scenarios->state]);
    out_literal(out, "\",\"ms\":");
    out_i64(out, scenarios->now_ms);
    out_literal(out, ",\"cut\":");
    out_text(out, scenarios->is_cut ? "true" : "false");
    out_literal(out, ",\"lines\":[");
    out_bytes(out, scenarios->lines, scenarios->len);
    out_literal(out, "]}");
}

void scenarios_write(struct scenarios *scenarios, struct out *out)
{
    (void)pthread_mutex_lock(&scenarios->lock);
    if (scenarios->state == SCENARIO_NONE) out_literal(out, "null");
    else write_run(scenarios, out);
    (void)pthread_mutex_unlock(&scenarios->lock);
}
