/* SPDX-License-Identifier: MIT */
/* layout.h — where the parts of the engine lie and how much memory they are. */
#ifndef CORE_STATE_LAYOUT_H
#define CORE_STATE_LAYOUT_H

#include "core/state/state.h"

/* What all sizes follow from. */
struct layout_of {
    const struct limits *limits;
    const struct rules  *rules;
    uint32_t             coin_count, perps_count;
};

static inline struct layout_of layout_of_raised(const struct genesis *genesis, const struct limits *limits)
{
    return (struct layout_of){ limits, &genesis->rules, genesis->coin_count, genesis->perps_count };
}

static inline struct layout_of layout_of_genesis(const struct genesis *genesis)
{
    return layout_of_raised(genesis, &genesis->limits);
}

static inline struct layout_of layout_of_engine(const struct engine *e)
{
    return (struct layout_of){ &e->limits, &e->rules, e->coin_count, e->perps_count };
}

/* Sets all members; padding and offsets of parts that there are not become zero. */
void layout_set(struct layout *layout, const struct layout_of *of);

/* All nonce sets there can be: one per domain of every account row, and of every key that has a place
 * (limits->signers). */
static inline uint64_t nonce_sets(const struct limits *limits)
{
    return (uint64_t)limits->accounts * DOMAINS + limits->signers;
}

/*
 * All chunks that nonces can need: as many as the longest nonces of a set take (nonce_store.h) for every set, as far as
 * 32 bits name them.
 */
#define NONCE_SET_CHUNKS 39
static inline uint64_t nonce_chunks(const struct limits *limits)
{
    return min_u64(nonce_sets(limits) * NONCE_SET_CHUNKS, UINT32_MAX - 1);
}

/* All records of volumes there can be: each user may trade on each side on all days that count (volume.h). */
#define VOLUME_RECORDS ((2 * VOLUME_DAYS + 2 * (VOLUMES_DAYS - 1)) / VOLUMES_DAYS)
static inline uint64_t volume_records(const struct limits *limits)
{
    return VOLUME_RECORDS * ((uint64_t)limits->accounts + SLOT_USERS);
}

/* An account has transfer ids on each side. */
#define TRANSFER_SIDES 2

/* All transfer ids there can be. Reserved with an account on each side: the first id of its wallet, and of as many keys
 * as its owner may have. */
static inline uint64_t transfer_places(const struct limits *limits)
{
    return (uint64_t)limits->transfers
         + TRANSFER_SIDES * (1 + KEYS_PER_OWNER) * ((uint64_t)limits->accounts + SLOT_USERS + 1);
}

/* All lists of keys' transfer ids. Each list without a reserved slot has an id in the shared part of the pool. */
static inline uint64_t transfer_key_lists(const struct limits *limits)
{
    return (uint64_t)limits->transfers
         + TRANSFER_SIDES * KEYS_PER_OWNER * ((uint64_t)limits->accounts + SLOT_USERS + 1);
}

/* Bytes of events that liquidating one unit may take; a TICK begins no other one with less room than that. */
size_t layout_unit_events(const struct limits *limits, uint32_t open_orders);

/* Whether there is that room. */
bool layout_has_room(const struct apply_context *ctx);

#endif
