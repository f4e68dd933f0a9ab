/* SPDX-License-Identifier: MIT */
#include "core/state/layout.h"
#include "core/engine.h"

#define MEMORY_VERSION 11 /* raised when the same bytes begin to mean something else, and no size shows it */

static void probe(struct layout *layout, const struct genesis *genesis, const struct limits *limits)
{
    struct layout_of of = layout_of_raised(genesis, limits);

    layout_set(layout, &of);
    assert(genesis->coin_count <= COINS_MAX && layout->bytes % 64 == 0);
}

struct hash256 engine_layout_raised(const struct genesis *genesis, const struct limits *limits)
{
    /* clang-format off */
    static const uint32_t sizes[] = {
        MEMORY_VERSION, sizeof(struct engine), sizeof(struct account), sizeof(struct volumes),
        sizeof(struct schedule_state), sizeof(struct nonce_set), sizeof(struct nonce_chunk),
        sizeof(struct order), sizeof(struct alias), sizeof(struct level), sizeof(struct page),
            sizeof(struct rung), sizeof(struct market),
            sizeof(struct perps_market), sizeof(struct position),
        sizeof(struct stop), sizeof(struct api_key), sizeof(struct transfer), sizeof(struct transfer_list),
            sizeof(struct revocations), sizeof(struct operator_record), sizeof(struct margin_account),
        offsetof(struct engine, markets), offsetof(struct engine, position_end), offsetof(struct engine, page_hint),
            offsetof(struct engine, layout.at_schedules),
    };
    /* clang-format on */
    struct keccak keccak;
    struct layout layout;

    probe(&layout, genesis, limits);
    keccak_init(&keccak);
    keccak_add(&keccak, sizes, sizeof(sizes));
    keccak_add(&keccak, &layout, sizeof(layout));
    return keccak_end(&keccak);
}

struct hash256 engine_layout(const struct genesis *genesis) { return engine_layout_raised(genesis, &genesis->limits); }

struct engine *engine_adopt_raised(void *memory, const struct genesis *genesis, const struct limits *limits)
{
    struct engine *e = memory;
    struct layout  own;

    assert((uintptr_t)memory % 64 == 0);
    probe(&own, genesis, limits);
    if (memcmp(&e->limits, limits, sizeof(*limits)) != 0) return NULL;
    if (e->coin_count != genesis->coin_count || e->perps_count != genesis->perps_count
        || e->market_count != genesis->spot_count)
        return NULL;
    return memcmp(&e->layout, &own, sizeof(own)) == 0 ? e : NULL;
}

struct engine *engine_adopt(void *memory, const struct genesis *genesis)
{
    return engine_adopt_raised(memory, genesis, &genesis->limits);
}
