/* SPDX-License-Identifier: MIT */
#include "chaos/rule.h"

#define POINT(point) (1u << (point))
#define ON_REQUEST   (KEY_PATH | KEY_METHOD | KEY_ACCOUNT | KEY_ADDRESS)
#define ON_MESSAGE   (KEY_PATH | KEY_ACCOUNT | KEY_ADDRESS | KEY_CHANNEL | KEY_AT)

/* What each fault acts on, the keys that it may have, and the one or two of which it needs one. */
/* clang-format off */
static const struct fault_row {
    const char *name;
    uint32_t    points, may, needs;
    const char *missing, *need;
} faults[CHAOS_FAULTS] = {
    [CHAOS_RATE_LIMIT]   = { "429", POINT(POINT_REQUEST), ON_REQUEST | KEY_RETRY_AFTER, 0, NULL, NULL },
    [CHAOS_UNAVAILABLE]  = { "503", POINT(POINT_REQUEST), ON_REQUEST, 0, NULL, NULL },
    [CHAOS_INTERNAL]     = { "500", POINT(POINT_REQUEST), ON_REQUEST, 0, NULL, NULL },
    [CHAOS_DELAY]        = { "delay", POINT(POINT_REQUEST), ON_REQUEST | KEY_MS | KEY_JITTER | KEY_IN, KEY_MS | KEY_IN,
                             "ms", "how long, ms, or a distribution in `in`" },
    [CHAOS_LATENCY]      = { "latency", POINT(POINT_REQUEST) | POINT(POINT_FRAME) | POINT(POINT_INPUT),
                             ON_REQUEST | KEY_IN | KEY_OUT, KEY_IN | KEY_OUT, "in", "one of `in` and `out`" },
    [CHAOS_DROP_REPLY]   = { "drop-reply", POINT(POINT_REQUEST), ON_REQUEST, 0, NULL, NULL },
    [CHAOS_RESET_BEFORE] = { "reset-before", POINT(POINT_REQUEST), ON_REQUEST, 0, NULL, NULL },
    [CHAOS_RESET_AFTER]  = { "reset-after", POINT(POINT_REQUEST), ON_REQUEST, 0, NULL, NULL },
    [CHAOS_SKEW]         = { "skew", POINT(POINT_REQUEST), ON_REQUEST | KEY_MS, KEY_MS, "ms",
                             "how far ahead, ms; behind is negative" },
    [CHAOS_CUT]          = { "cut", POINT(POINT_MESSAGE), ON_MESSAGE | KEY_CODE, 0, NULL, NULL },
    [CHAOS_SKIP]         = { "skip", POINT(POINT_MESSAGE), ON_MESSAGE, 0, NULL, NULL },
    [CHAOS_REPEAT]       = { "repeat", POINT(POINT_MESSAGE), ON_MESSAGE, 0, NULL, NULL },
    [CHAOS_STALL]        = { "stall", POINT(POINT_MESSAGE), ON_MESSAGE | KEY_MS | KEY_JITTER | KEY_IN, KEY_MS | KEY_IN,
                             "ms", "how long, ms, or a distribution in `in`" },
    [CHAOS_STALE_INDEX]  = { "stale-index", POINT(POINT_INDEX), KEY_SYMBOL, 0, NULL, NULL },
    [CHAOS_SLOW_SYNC]    = { "slow-fsync", POINT(POINT_SYNC), KEY_MS | KEY_JITTER | KEY_IN, KEY_MS | KEY_IN, "ms",
                             "how long, ms, or a distribution in `in`" },
};

static const char *const keys[] = {
    "path", "method", "account", "address", "channel", "symbol", "at", "ms", "jitter", "in", "out", "retryAfter",
    "code",
};
/* clang-format on */

const char *chaos_fault_name(uint8_t fault) { return fault < CHAOS_FAULTS ? faults[fault].name : NULL; }

uint8_t chaos_fault_by_name(struct slice name)
{
    for (uint8_t fault = 1; fault < CHAOS_FAULTS; fault++)
        if (slice_is(name, faults[fault].name)) return fault;
    return 0;
}

static bool is_wrong(struct chaos_wrong *wrong, const char *key, const char *need)
{
    *wrong = (struct chaos_wrong){ key, need };
    return false;
}

static bool check_keys(const struct chaos_rule *rule, struct chaos_wrong *wrong)
{
    const struct fault_row *row = &faults[rule->fault];
    uint32_t                excess = rule->given & ~row->may;

    if (excess != 0) return is_wrong(wrong, keys[__builtin_ctz(excess)], "a fault that has this key");
    if (row->needs != 0 && (rule->given & row->needs) == 0) return is_wrong(wrong, row->missing, row->need);
    if ((rule->given & KEY_JITTER) != 0 && (rule->given & KEY_MS) == 0)
        return is_wrong(wrong, "jitter", "ms, around which it lies");
    if ((rule->given & KEY_MS) != 0 && (rule->given & KEY_IN) != 0)
        return is_wrong(wrong, "in", "either ms or in, not both");
    return true;
}

/* A rule that could keep its own removal away would stay for ever. */
static bool check_path(const struct chaos_rule *rule, struct chaos_wrong *wrong)
{
    if (rule->path.len != 0 && rule->path.at[0] == '/'
        && memcmp(rule->path.at, "/api/", min_size(rule->path.len, 5)) != 0
        && memcmp(rule->path.at, "/ws/", min_size(rule->path.len, 4)) != 0)
        return is_wrong(wrong, "path", "a path below /api/ or /ws/: others, with /rpc, are never disturbed");
    return true;
}

bool chaos_rule_check(const struct chaos_rule *rule, struct chaos_wrong *wrong)
{
    if (rule->fault == 0 || rule->fault >= CHAOS_FAULTS) return is_wrong(wrong, "fault", "the name of a fault");
    if (!check_keys(rule, wrong) || !check_path(rule, wrong)) return false;
    if (rule->probability == 0 || rule->probability > CHAOS_CERTAIN)
        return is_wrong(wrong, "probability", "more than 0 and at most 1");
    if (rule->skew_ms > CHAOS_SKEW_MAX || rule->skew_ms < -CHAOS_SKEW_MAX)
        return is_wrong(wrong, "ms", "at most 366 days, in ms");
    if (rule->code != 0 && (rule->code < 1000 || rule->code > 4999))
        return is_wrong(wrong, "code", "a close code from 1000 to 4999");
    if (rule->retry_after > 3600) return is_wrong(wrong, "retryAfter", "seconds, at most 3600");
    return true;
}

/* ---- matching ---- */

static struct slice slice_of_text(const struct chaos_text *text) { return slice_make(text->at, text->len); }

static bool path_matches(const struct chaos_text *want, struct slice path)
{
    if (want->len == 0) return true;
    if (path.len < want->len) return false;
    if (want->at[0] == '/') return memcmp(path.at, want->at, want->len) == 0;
    return memmem(path.at, path.len, want->at, want->len) != NULL;
}

static bool name_matches(const struct chaos_text *want, struct slice name)
{
    return want->len == 0 || slice_equal(name, slice_of_text(want));
}

static bool client_matches(const struct chaos_rule *rule, const struct chaos_subject *subject)
{
    if (rule->account_id != 0 && rule->account_id != subject->account_id) return false;
    if (rule->has_ip && (subject->ip == NULL || memcmp(rule->ip, subject->ip, sizeof(rule->ip)) != 0)) return false;
    return !rule->has_owner
        || (subject->owner != NULL && memcmp(rule->owner.bytes, subject->owner->bytes, sizeof(rule->owner.bytes)) == 0);
}

/* A latency in one direction alone is no matter of the other. */
static bool has_effect(const struct chaos_rule *rule, const struct chaos_subject *subject)
{
    if (rule->fault != CHAOS_LATENCY) return true;
    if (subject->point == POINT_INPUT) return rule->in.kind != DISTRIBUTION_NONE;
    return subject->point != POINT_FRAME || rule->out.kind != DISTRIBUTION_NONE;
}

bool chaos_rule_matches(const struct chaos_rule *rule, const struct chaos_subject *subject)
{
    if ((faults[rule->fault].points & POINT(subject->point)) == 0 || !has_effect(rule, subject)) return false;
    if (subject->now_ms < rule->from_ms || (rule->until_ms != 0 && subject->now_ms >= rule->until_ms)) return false;
    if (rule->method != 0 && rule->method != subject->method) return false;
    return path_matches(&rule->path, subject->path) && name_matches(&rule->channel, subject->channel)
        && (rule->symbol_id == 0 || rule->symbol_id == subject->symbol_id) && client_matches(rule, subject);
}

bool chaos_rule_hits(const struct chaos_rule *rule, uint64_t match)
{
    struct draw draw = { .seed = rule->seed, .match = match, .purpose = DRAW_HIT };

    if (rule->every > 1 && match % rule->every != 0) return false;
    return rule->probability >= CHAOS_CERTAIN || draw_below(&draw, CHAOS_CERTAIN) < rule->probability;
}
