/* SPDX-License-Identifier: MIT */
/* SPDX-License-Identifier: MIT */
#include "core/state/layout.h"
#include "core/engine.h"

#define MEMORY_VERSION 11 /* raised when the same bytes begin to mean something else, and no size shows it */

/* The engine's header of this genesis before the first command. */
static void probe(struct engine *e, const struct genesis *genesis)
{
    memset(e, 0, sizeof(*e)); /* padding too: it is compared */
    e->limits = genesis->limits;
    e->rules = genesis->rules;
    e->coin_count = genesis->coin_count;
    e->perps_count = genesis->perps_count;
    layout_set(e);
    assert(e->coin_count <= COINS_MAX && e->bytes % 64 == 0);
}

struct hash256 engine_layout(const struct genesis *genesis)
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
            offsetof(struct engine, at_schedules),
    };
    /* clang-format on */
    struct keccak keccak;
    struct engine e;

    probe(&e, genesis);
    keccak_init(&keccak);
    keccak_add(&keccak, sizes, sizeof(sizes));
    keccak_add(&keccak, &e.account_stride, sizeof(e) - offsetof(struct engine, account_stride));
    return keccak_end(&keccak);
}

struct engine *engine_adopt(void *memory, const struct genesis *genesis)
{
    struct engine *e = memory, own;

    assert((uintptr_t)memory % 64 == 0);
    probe(&own, genesis);
    if (memcmp(&e->limits, &own.limits, sizeof(own.limits)) != 0) return NULL;
    if (e->coin_count != own.coin_count || e->perps_count != own.perps_count || e->market_count != genesis->spot_count)
        return NULL;
    if (memcmp(&e->account_stride, &own.account_stride,
               offsetof(struct engine, bytes) - offsetof(struct engine, account_stride))
        != 0)
        return NULL;
    return e->bytes == own.bytes ? e : NULL;
}
