/* SPDX-License-Identifier: MIT */
/* memory.c — where the parts of the views lie, how they begin, and how they move to another place. */
#include "views/inside.h"

#include "base/keccak.h"

#include <sched.h>

/* Slack over the core's pools: within one item an addition may be emitted before the removal that it follows. */
#define SLACK 4096

/* Places the arrays behind each other; with base NULL it only measures. */
struct layout {
    uint8_t *base;
    size_t   at;
};

static void *layout_take(struct layout *layout, size_t count, size_t bytes)
{
    size_t at = align_up(layout->at, 64);

    layout->at = at + count * bytes;
    return layout->base != NULL ? layout->base + at : NULL;
}

static struct id_map layout_map(struct layout *layout, uint32_t count)
{
    uint64_t places = id_map_places(count);

    return (struct id_map){ layout_take(layout, places, sizeof(struct id_entry)), places - 1 };
}

/* The part that no limit sizes: it does not move while others read. */
static void fixed_layout(struct views *views, const struct genesis *genesis, struct layout *layout)
{
    for (int m = 0; m < MARKETS; m++)
        views->symbols[m] = layout_take(layout, views->symbol_count[m], sizeof(struct symbol_state));
    views->prices = layout_take(layout, genesis->perps_count, sizeof(struct price_changed));
    views->compositions = layout_take(layout, genesis->perps_count, sizeof(struct index_composed));
    views->phases = layout_take(layout, genesis->perps_count, sizeof(struct phase_changed));
    views->price_versions = layout_take(layout, genesis->perps_count, sizeof(*views->price_versions));
}

static size_t views_layout(struct views *views, const struct genesis *genesis, uint8_t *base)
{
    const struct limits *limits = &genesis->limits;
    struct layout        layout = { base, sizeof(struct views) };
    uint32_t             heads = chained_heads(limits->accounts);
    struct depth_node   *nodes;

    views->genesis = genesis;
    views->symbol_count[MARKET_SPOT - 1] = genesis->spot_count;
    views->symbol_count[MARKET_PERPS - 1] = genesis->perps_count;
    views->position_cap = limits->positions + SLACK;
    views->account_cap = views->user_cap = limits->accounts + SLACK;
    views->key_cap = limits->keys + SLACK;
    views->order_cap = limits->orders + SLACK;
    views->owner_mask = heads - 1;
    fixed_layout(views, genesis, &layout);
    for (int m = 0; m < MARKETS; m++) {
        views->balances[m] =
            layout_take(&layout, (size_t)views->account_cap * genesis->coin_count, sizeof(struct coin_balance));
        views->tiers[m] = layout_take(&layout, views->user_cap, sizeof(struct view_fee_tier));
    }
    nodes = layout_take(&layout, (size_t)limits->levels + SLACK, sizeof(*nodes));
    depth_pool_init(&views->depth, nodes, limits->levels + SLACK, (uint32_t)((uintptr_t)base >> 12));
    views->accounts = layout_take(&layout, views->account_cap, sizeof(struct account_node));
    views->account_by_id = layout_map(&layout, views->account_cap);
    views->owner_heads = layout_take(&layout, heads, sizeof(uint32_t));
    views->orders = layout_take(&layout, views->order_cap, sizeof(struct order_node));
    views->order_parts = layout_take(&layout, views->order_cap, sizeof(struct order_part));
    views->positions = layout_take(&layout, views->position_cap, sizeof(struct position_node));
    views->order_by_id = layout_map(&layout, views->order_cap);
    views->user_by_id = layout_map(&layout, views->user_cap);
    views->users = layout_take(&layout, views->user_cap, sizeof(struct user_node));
    views->keys = layout_take(&layout, views->key_cap, sizeof(struct key_node));
    views->evm = layout_take(&layout, (size_t)views->account_cap * genesis->coin_count, sizeof(int64_t));
    return align_up(layout.at, 64);
}

size_t views_size(const struct genesis *genesis)
{
    struct views measured = { 0 };

    return views_layout(&measured, genesis, NULL);
}

size_t views_head_bytes(void) { return sizeof(struct views); }

size_t views_kept_bytes(void) { return offsetof(struct views, lock); }

size_t views_fixed_bytes(const struct genesis *genesis)
{
    struct views  measured = { .symbol_count = { genesis->spot_count, genesis->perps_count } };
    struct layout layout = { NULL, sizeof(struct views) };

    fixed_layout(&measured, genesis, &layout);
    return layout.at;
}

/* Until the first TICK a symbol has the prices that it was listed at (mechanics 3.8; ruling 77). */
static void prices_init(struct views *views)
{
    const struct genesis *genesis = views->genesis;

    for (uint32_t i = 0; i < genesis->perps_count; i++)
        views->prices[i] = (struct price_changed){
            .symbol_id = i + 1,
            .state = genesis->prices_by_hand != 0 ? ORACLE_LIVE : ORACLE_IS_STALE,
            .index = genesis->perps[i].reference_price,
            .mark = genesis->perps[i].reference_price,
            .next_funding_ms = (genesis->time_ms / FUNDING_HOUR_MS + 1) * FUNDING_HOUR_MS,
        };
    for (uint32_t i = 0; i < genesis->perps_count; i++)
        views->compositions[i] = (struct index_composed){
            .symbol_id = i + 1,
            .state = ORACLE_BOOTSTRAP,
            .time_ms = genesis->time_ms,
            .quorum = genesis->rules.oracle_quorum,
            .index = genesis->perps[i].reference_price,
            .mark = genesis->perps[i].reference_price,
        };
}

static void lock_init(struct views *views)
{
    pthread_rwlockattr_t kind;

    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&views->lock, &kind);
    pthread_rwlockattr_destroy(&kind);
}

struct views *views_init(void *memory, const struct genesis *genesis)
{
    struct views *views = memory;

    (void)views_layout(views, genesis, memory);
    views->order_used = views->account_count = views->user_count = views->key_used = views->position_used =
        1; /* slot 0 means none */
    prices_init(views);
    /* The address of the memory differs from run to run, so a client cannot choose addresses of one chain. */
    views->owner_seed = (uintptr_t)memory * UINT64_C(0xd6e8feb86659fd93);
    views->block.time_ms = genesis->time_ms;
    atomic_init(&views->time_ms, genesis->time_ms);
    atomic_init(&views->mode, VENUE_RUN);
    lock_init(views);
    return views;
}

/* ---- as memory ---- */

#define MEMORY_VERSION 3 /* raised when the same bytes begin to mean something else, and no size shows it */

uint64_t views_layout_id(const struct genesis *genesis)
{
    /* clang-format off */
    const uint64_t sizes[] = {
        MEMORY_VERSION, views_size(genesis), sizeof(struct views), sizeof(struct symbol_state),
        sizeof(struct coin_balance), sizeof(struct view_fee_tier),
        sizeof(struct depth_node), sizeof(struct account_node), sizeof(struct id_entry), sizeof(struct order_node),
            sizeof(struct order_part),
        sizeof(struct position_node), sizeof(struct price_changed), sizeof(struct phase_changed),
            sizeof(struct index_composed), sizeof(struct user_node), sizeof(struct key_node), SLACK,
        offsetof(struct views, depth), offsetof(struct views, order_used), offsetof(struct views, position_used),
            offsetof(struct views, offset_ms),
    };
    /* clang-format on */
    struct hash256 hash = keccak256(sizes, sizeof(sizes));
    uint64_t       id;

    memcpy(&id, hash.bytes, sizeof(id));
    return id;
}

/* Counters in front of the arrays lead into them. */
static bool counters_fit(const struct views *views, const struct depth_pool *depth)
{
    return views->account_count >= 1 && views->account_count <= views->account_cap && views->user_count >= 1
        && views->user_count <= views->user_cap && views->order_used >= 1 && views->order_used <= views->order_cap
        && views->order_free < views->order_used && views->position_used >= 1
        && views->position_used <= views->position_cap && views->position_free < views->position_used
        && views->key_used >= 1 && views->key_used <= views->key_cap && views->key_free < views->key_used
        && depth->used >= 1 && depth->used <= views->depth.cap && depth->free < depth->used && depth->random != 0
        && !views->folding;
}

/* Members that are no addresses keep their values: counters, times, the seed of the chains of owners. */
struct views *views_adopt(void *memory, const struct genesis *genesis)
{
    struct views     *views = memory;
    struct depth_pool depth = views->depth;

    (void)views_layout(views, genesis, memory);
    if (!counters_fit(views, &depth)) return NULL;
    views->depth.used = depth.used;
    views->depth.free = depth.free;
    views->depth.random = depth.random;
    memset(&views->lock, 0, sizeof(views->lock));
    lock_init(views);
    atomic_init(&views->moving, 0);
    memset((void *)views->readers, 0, sizeof(views->readers));
    return views;
}

/* ---- owners ---- */

uint64_t owner_hash(const struct views *views, const struct address *owner)
{
    uint64_t head, middle;
    uint32_t tail;

    memcpy(&head, owner->bytes, 8);
    memcpy(&middle, owner->bytes + 8, 8);
    memcpy(&tail, owner->bytes + 16, 4);
    head = (head ^ views->owner_seed) * UINT64_C(0x9e3779b97f4a7c15);
    head = (head ^ (head >> 32) ^ middle) * UINT64_C(0xc2b2ae3d27d4eb4f);
    head = (head ^ (head >> 29) ^ tail) * UINT64_C(0x165667b19e3779f9);
    return head >> 24;
}

/* ---- into a larger block ---- */

#define MOVE_STEP 4096

/* Unused memory is zero on both sides, and stays untouched. */
static void move_bytes(void *to, const void *from, size_t bytes)
{
    static const uint8_t zeros[MOVE_STEP];

    for (size_t at = 0; at < bytes; at += MOVE_STEP) {
        size_t step = bytes - at < MOVE_STEP ? bytes - at : MOVE_STEP;

        if (memcmp((const uint8_t *)from + at, zeros, step) != 0)
            memcpy((uint8_t *)to + at, (const uint8_t *)from + at, step);
    }
}

#define MOVE(part, count) move_bytes(to->part, from->part, (size_t)(count) * sizeof(*from->part))

static void move_map(struct id_map *to, const struct id_map *from)
{
    for (uint64_t i = 0; i <= from->mask; i++)
        if (from->entries[i].key != 0) id_map_put(to, from->entries[i].key, from->entries[i].value);
}

/* The chains of owners are made anew, because there are more of them. */
static void move_owners(struct views *to)
{
    struct chained owners = owners_of(to);

    for (uint32_t slot = 1; slot < to->account_count; slot++)
        if (to->accounts[slot].account.is_primary)
            chained_add(&owners, owner_hash(to, &to->accounts[slot].account.owner), slot);
}

static void move_fixed(struct views *to, const struct views *from)
{
    uint32_t perps = from->genesis->perps_count;

    for (int m = 0; m < MARKETS; m++) MOVE(symbols[m], from->symbol_count[m]);
    MOVE(prices, perps);
    MOVE(compositions, perps);
    MOVE(phases, perps);
    move_bytes((void *)(uintptr_t)to->price_versions, (const void *)(uintptr_t)from->price_versions,
               perps * sizeof(*from->price_versions));
}

static void move_arrays(struct views *to, const struct views *from)
{
    uint32_t coins = from->genesis->coin_count;

    for (int m = 0; m < MARKETS; m++) {
        MOVE(balances[m], (size_t)from->account_count * coins);
        MOVE(tiers[m], from->user_count);
    }
    MOVE(depth.nodes, from->depth.used);
    MOVE(accounts, from->account_count);
    MOVE(orders, from->order_used);
    MOVE(order_parts, from->order_used);
    MOVE(positions, from->position_used);
    MOVE(users, from->user_count);
    MOVE(keys, from->key_used);
    MOVE(evm, (size_t)from->account_count * coins);
    move_map(&to->account_by_id, &from->account_by_id);
    move_map(&to->order_by_id, &from->order_by_id);
    move_map(&to->user_by_id, &from->user_by_id);
    move_owners(to);
}

/* The views stay where they are, with other arrays. */
static void show_arrays(struct views *views, const struct views *grown)
{
    for (int m = 0; m < MARKETS; m++) {
        views->balances[m] = grown->balances[m];
        views->tiers[m] = grown->tiers[m];
    }
    views->depth = grown->depth;
    views->accounts = grown->accounts;
    views->owner_heads = grown->owner_heads;
    views->owner_mask = grown->owner_mask;
    views->account_by_id = grown->account_by_id;
    views->order_by_id = grown->order_by_id;
    views->user_by_id = grown->user_by_id;
    views->evm = grown->evm;
    views->orders = grown->orders;
    views->order_parts = grown->order_parts;
    views->positions = grown->positions;
    views->users = grown->users;
    views->keys = grown->keys;
    views->account_cap = grown->account_cap;
    views->user_cap = grown->user_cap;
    views->order_cap = grown->order_cap;
    views->position_cap = grown->position_cap;
    views->key_cap = grown->key_cap;
}

/* No thread reads the arrays while they are exchanged: readers with the lock wait for it, the others for `moving`. */
static void exchange_arrays(struct views *views, const struct views *grown)
{
    atomic_store(&views->moving, 1);
    for (uint32_t place = 0; place < READER_PLACES; place++)
        while (atomic_load(&views->readers[place * READER_STRIDE]) != 0) (void)sched_yield();
    show_arrays(views, grown);
    atomic_store(&views->moving, 0);
}

struct views *views_move(void *memory, struct views *from, const struct genesis *genesis, bool stay)
{
    struct views *to = memory;
    bool          locks = !from->folding;

    if (locks) pthread_rwlock_wrlock(&from->lock);
    memcpy((void *)to, (const void *)from, views_kept_bytes()); /* the readers are not its own */
    (void)views_layout(to, genesis, memory);
    to->depth.used = from->depth.used;
    to->depth.free = from->depth.free;
    to->depth.random = from->depth.random;
    if (!stay) move_fixed(to, from);
    move_arrays(to, from);
    if (stay) exchange_arrays(from, to);
    if (locks || !stay) pthread_rwlock_unlock(&from->lock);
    if (stay) return from;
    lock_init(to);
    if (to->folding) pthread_rwlock_wrlock(&to->lock); /* the batch continues in the new arrays */
    return to;
}

void views_deinit(struct views *views) { pthread_rwlock_destroy(&views->lock); }
