/* SPDX-License-Identifier: MIT */
#include "chaos/chaos.h"

void chaos_init(struct chaos *chaos)
{
    memset(chaos, 0, sizeof(*chaos));
    (void)pthread_mutex_init(&chaos->lock, NULL);
    chaos->next_id = 1;
}

void chaos_deinit(struct chaos *chaos) { (void)pthread_mutex_destroy(&chaos->lock); }

/* Entries stand in the order of their ids: those behind one that goes move up. */
static uint32_t count_of(const struct chaos *chaos)
{
    return atomic_load_explicit(&chaos->active, memory_order_relaxed);
}

static void set_count(struct chaos *chaos, uint32_t count)
{
    atomic_store_explicit(&chaos->active, count, memory_order_release);
}

/* There are as many places as rules. */
static uint32_t free_place(const struct chaos *chaos)
{
    uint64_t taken = 0;

    _Static_assert(CHAOS_RULES_MAX == 64, "a bit for each place");
    for (uint32_t i = 0; i < count_of(chaos); i++) taken |= UINT64_C(1) << chaos->entries[i].place;
    assert(taken != UINT64_MAX);
    return (uint32_t)__builtin_ctzll(~taken);
}

uint32_t chaos_add(struct chaos *chaos, const struct chaos_rule *rule)
{
    uint32_t count, id = 0;

    (void)pthread_mutex_lock(&chaos->lock);
    count = count_of(chaos);
    if (count < CHAOS_RULES_MAX) {
        id = chaos->next_id++;
        chaos->entries[count] = (struct chaos_entry){ .id = id, .place = free_place(chaos), .rule = *rule };
        set_count(chaos, count + 1);
    }
    (void)pthread_mutex_unlock(&chaos->lock);
    return id;
}

bool chaos_remove(struct chaos *chaos, uint32_t id)
{
    uint32_t count, at = 0;
    bool     found;

    (void)pthread_mutex_lock(&chaos->lock);
    count = count_of(chaos);
    while (at < count && chaos->entries[at].id != id) at++;
    found = at < count;
    if (found) {
        memmove(&chaos->entries[at], &chaos->entries[at + 1], (count - at - 1) * sizeof(chaos->entries[0]));
        set_count(chaos, count - 1);
    }
    (void)pthread_mutex_unlock(&chaos->lock);
    return found;
}

uint32_t chaos_clear(struct chaos *chaos)
{
    uint32_t count;

    (void)pthread_mutex_lock(&chaos->lock);
    count = count_of(chaos);
    set_count(chaos, 0);
    (void)pthread_mutex_unlock(&chaos->lock);
    return count;
}

uint32_t chaos_list(struct chaos *chaos, struct chaos_entry entries[CHAOS_RULES_MAX])
{
    uint32_t count;

    (void)pthread_mutex_lock(&chaos->lock);
    count = count_of(chaos);
    memcpy(entries, chaos->entries, count * sizeof(*entries));
    (void)pthread_mutex_unlock(&chaos->lock);
    return count;
}

/* ---- what happens ---- */

static int64_t drawn(const struct distribution *distribution, const struct chaos_entry *entry,
                     enum draw_purpose purpose)
{
    struct draw draw = { .seed = entry->rule.seed, .match = entry->matched, .purpose = purpose };

    return distribution_draw(distribution, &draw);
}

/* The answer of a request leaves late, and so does a frame of a stream. */
static void add_latency(const struct chaos_entry *entry, const struct chaos_subject *subject,
                        struct chaos_verdict *verdict)
{
    if (subject->point != POINT_FRAME) verdict->in_us += drawn(&entry->rule.in, entry, DRAW_IN);
    if (subject->point != POINT_INPUT) verdict->out_us += drawn(&entry->rule.out, entry, DRAW_OUT);
}

static void act(const struct chaos_entry *entry, const struct chaos_subject *subject, struct chaos_verdict *verdict)
{
    const struct chaos_rule *rule = &entry->rule;

    switch (rule->fault) {
    case CHAOS_RATE_LIMIT: verdict->retry_after = rule->retry_after; /* fall through */
    case CHAOS_UNAVAILABLE:
    case CHAOS_INTERNAL: verdict->refusal = rule->fault; break;
    case CHAOS_LATENCY: add_latency(entry, subject, verdict); break;
    case CHAOS_DROP_REPLY: verdict->drop = true; break;
    case CHAOS_RESET_BEFORE: verdict->reset_before = true; break;
    case CHAOS_RESET_AFTER: verdict->reset_after = true; break;
    case CHAOS_SKEW: verdict->skew_ms += rule->skew_ms; break;
    case CHAOS_CUT:
        verdict->cut = true;
        verdict->code = rule->code;
        break;
    case CHAOS_SKIP: verdict->skip = true; break;
    case CHAOS_REPEAT: verdict->repeat = true; break;
    case CHAOS_STALE_INDEX: verdict->stale = true; break;
    default: verdict->in_us += drawn(&rule->in, entry, DRAW_IN); break; /* delay, stall, slow-fsync */
    }
    if (verdict->count < CHAOS_NAMED_MAX) verdict->ids[verdict->count++] = entry->id;
}

/* A request is refused once, by the first rule that does. */
static bool is_decided(const struct chaos_rule *rule, const struct chaos_verdict *verdict)
{
    bool refuses = rule->fault == CHAOS_RATE_LIMIT || rule->fault == CHAOS_UNAVAILABLE || rule->fault == CHAOS_INTERNAL;

    return refuses && verdict->refusal != 0;
}

/* A message that is not the one of its connection that the rule names is none of its matches. */
static bool is_its_message(const struct chaos_entry *entry, const struct chaos_subject *subject)
{
    struct chaos_seen *seen;

    if (entry->rule.at == 0) return true;
    if (subject->seen == NULL) return false;
    seen = &subject->seen[entry->place];
    if (seen->rule != entry->id) *seen = (struct chaos_seen){ entry->id, 0 };
    seen->count += 1;
    return seen->count == entry->rule.at;
}

static void judge_one(struct chaos_entry *entry, const struct chaos_subject *subject, struct chaos_verdict *verdict)
{
    if (entry->rule.most != 0 && entry->acted >= entry->rule.most) return;
    if (!chaos_rule_matches(&entry->rule, subject) || is_decided(&entry->rule, verdict)) return;
    if (!is_its_message(entry, subject)) return;
    entry->matched += 1;
    if (!chaos_rule_hits(&entry->rule, entry->matched)) return;
    entry->acted += 1;
    act(entry, subject, verdict);
}

void chaos_judge(struct chaos *chaos, const struct chaos_subject *subject, struct chaos_verdict *verdict)
{
    uint32_t count;

    memset(verdict, 0, sizeof(*verdict));
    (void)pthread_mutex_lock(&chaos->lock);
    count = count_of(chaos);
    for (uint32_t i = 0; i < count; i++) judge_one(&chaos->entries[i], subject, verdict);
    (void)pthread_mutex_unlock(&chaos->lock);
}
