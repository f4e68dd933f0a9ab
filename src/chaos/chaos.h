/* SPDX-License-Identifier: MIT */
/*
 * chaos.h — all rules of faults of an exchange. Any thread may call any function: a lock protects the rules. While
 * there is no rule, chaos_is_active is one load, and nothing else need be asked.
 *
 * A rule counts what it matches and what it does. Whether and how it acts depends on its seed and its own count of
 * matches alone, so the same subjects in the same order meet the same faults.
 */
#ifndef CHAOS_CHAOS_H
#define CHAOS_CHAOS_H

#include "chaos/rule.h"

#include <pthread.h>
#include <stdatomic.h>

#define CHAOS_RULES_MAX 64
#define CHAOS_NAMED_MAX 8 /* rules that a verdict names */

/* A rule at work. */
struct chaos_entry {
    uint32_t          id;             /* from 1; an id is not used again */
    uint32_t          place;          /* below CHAOS_RULES_MAX, no other rule's as long as this one is there */
    uint64_t          matched, acted; /* subjects that were its; on which it acted */
    struct chaos_rule rule;
};

struct chaos {
    pthread_mutex_t    lock;   /* of what follows */
    _Atomic uint32_t   active; /* rules */
    uint32_t           next_id;
    struct chaos_entry entries[CHAOS_RULES_MAX];
};

/* What becomes of a subject; all zero: nothing happens to it. */
struct chaos_verdict {
    uint8_t  refusal; /* CHAOS_RATE_LIMIT, CHAOS_UNAVAILABLE, CHAOS_INTERNAL; 0 = none */
    bool     drop, reset_before, reset_after, cut, skip, repeat, stale;
    uint16_t code;          /* of a cut */
    uint32_t retry_after;   /* seconds, of a 429 */
    int64_t  in_us, out_us; /* it waits so long: before it is handled (a message: before it is sent);
                             * its answer */
    int64_t  skew_ms;
    uint32_t count, ids[CHAOS_NAMED_MAX]; /* rules that act, in the order of their ids */
};

void chaos_init(struct chaos *chaos);
void chaos_deinit(struct chaos *chaos);

static inline bool chaos_is_active(const struct chaos *chaos)
{
    return atomic_load_explicit(&chaos->active, memory_order_acquire) != 0;
}

/* Adds a rule that chaos_rule_check has passed; its id, 0 = there is no place. */
uint32_t chaos_add(struct chaos *chaos, const struct chaos_rule *rule) MUST_USE;
/* False: there is no such rule. */
bool chaos_remove(struct chaos *chaos, uint32_t id) MUST_USE;
/* Removes all; how many there were. */
uint32_t chaos_clear(struct chaos *chaos);
/* Copies the rules in the order of their ids; how many. */
uint32_t chaos_list(struct chaos *chaos, struct chaos_entry entries[CHAOS_RULES_MAX]);

/* What the rules do to this subject. Counts. */
void chaos_judge(struct chaos *chaos, const struct chaos_subject *subject, struct chaos_verdict *verdict);

#endif
