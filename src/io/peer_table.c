/* SPDX-License-Identifier: MIT */
/*
 * peer_table.c — rows of connections, and tables of how many there are by customer and by network. Counting is a walk
 * over all rows: it happens only when every place is taken, and then finds several who go.
 */
#include "io/peer_table.h"

#include <stdlib.h>

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* ---- addresses ---- */

static bool is_v4(const struct peer *peer) { return memcmp(peer->bytes, mapped, sizeof(mapped)) == 0; }

static struct peer peer_cut(const struct peer *peer, uint32_t bytes)
{
    struct peer cut = { { 0 } };

    memcpy(cut.bytes, peer->bytes, bytes);
    return cut;
}

struct peer peer_customer(const struct peer *peer) { return peer_cut(peer, is_v4(peer) ? 16 : 8); }
struct peer peer_network(const struct peer *peer) { return peer_cut(peer, is_v4(peer) ? 15 : 6); }

/* ---- tables of counts ---- */

struct tally {
    struct peer key;
    uint32_t    round, count;
}; /* of another round: free */

static uint32_t hash_of(const struct peer_table *peers, const struct peer *key)
{
    uint64_t words[2];

    memcpy(words, key->bytes, sizeof(words));
    return (uint32_t)(((words[0] * UINT64_C(0x9E3779B97F4A7C15) ^ words[1]) * UINT64_C(0xD6E8FEB86659FD93)) >> 32)
         & peers->mask;
}

/* The place of a key, or the free one where it would be. */
static struct tally *place_of(const struct peer_table *peers, struct tally *table, const struct peer *key,
                              uint32_t round)
{
    uint32_t at = hash_of(peers, key);

    while (table[at].round == round && table[at].count != 0 && memcmp(&table[at].key, key, sizeof(*key)) != 0)
        at = (at + 1) & peers->mask;
    return &table[at];
}

static uint32_t count_up(const struct peer_table *peers, struct tally *table, const struct peer *key, uint32_t round)
{
    struct tally *place = place_of(peers, table, key, round);

    if (place->round != round || place->count == 0) *place = (struct tally){ *key, round, 0 };
    return ++place->count;
}

/* Nobody is there from that customer any more: whoever stands behind the hole because of it moves up. */
static void fill_hole(struct peer_table *peers, uint32_t hole)
{
    struct tally *by_customer = peers->by_customer;

    for (uint32_t at = (hole + 1) & peers->mask; by_customer[at].count != 0; at = (at + 1) & peers->mask) {
        uint32_t home = hash_of(peers, &by_customer[at].key);
        if (((at - home) & peers->mask) < ((at - hole) & peers->mask)) continue;
        by_customer[hole] = by_customer[at];
        by_customer[at].count = 0;
        hole = at;
    }
}

/* ---- coming and going ---- */

bool peer_table_open(struct peer_table *peers, uint32_t capacity, uint32_t per_customer)
{
    *peers = (struct peer_table){ .capacity = capacity, .per_customer = per_customer, .mask = 1 };
    while (peers->mask < 2 * capacity) peers->mask = 2 * peers->mask + 1;
    peers->rows = calloc(capacity, sizeof(struct peer_entry));
    peers->by_customer = calloc((size_t)peers->mask + 1, sizeof(struct tally));
    peers->customers = calloc((size_t)peers->mask + 1, sizeof(struct tally));
    peers->networks = calloc((size_t)peers->mask + 1, sizeof(struct tally));
    if (peers->rows == NULL || peers->by_customer == NULL || peers->customers == NULL || peers->networks == NULL)
        return false;
    for (uint32_t i = 0; i < capacity; i++) peers->rows[i].next = i + 1 < capacity ? i + 1 : GUEST_NONE;
    return true;
}

void peer_table_close(struct peer_table *peers)
{
    free(peers->rows);
    free(peers->by_customer);
    free(peers->customers);
    free(peers->networks);
}

uint32_t peer_table_enter(struct peer_table *peers, const struct peer *peer, void *net, int64_t now_ms)
{
    struct peer        customer = peer_customer(peer);
    struct tally      *slot = place_of(peers, peers->by_customer, &customer, 0);
    uint32_t           row = peers->free;
    struct peer_entry *entry;

    assert(net != NULL && peers->count <= peers->capacity);
    if (peer_table_are_full(peers) || slot->count >= peers->per_customer) return GUEST_NONE;
    entry = &peers->rows[row];
    (void)count_up(peers, peers->by_customer, &customer, 0);
    peers->count += 1;
    peers->free = entry->next;
    entry->customer = customer;
    entry->net = net;
    atomic_store_explicit(&entry->heard, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->dismissed, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->active_ms, now_ms, memory_order_relaxed);
    return row;
}

void peer_table_leave(struct peer_table *peers, uint32_t row)
{
    struct peer_entry *entry = &peers->rows[row];
    struct tally      *slot = place_of(peers, peers->by_customer, &entry->customer, 0);

    assert(entry->net != NULL && slot->count != 0 && peers->count != 0);
    peers->count -= 1;
    slot->count -= 1;
    if (slot->count == 0) fill_hole(peers, (uint32_t)(slot - peers->by_customer));
    entry->net = NULL;
    entry->next = peers->free;
    peers->free = row;
}

/* ---- who goes ---- */

/* What a choice has found out so far. */
struct choice {
    int64_t     now_ms;
    bool        silent;  /* only those that have been silent */
    bool        crowded; /* only those of `network` */
    struct peer network;
    uint32_t    network_count, customer_count; /* the most of one */
};

static bool is_silent(const struct peer_entry *entry, int64_t now_ms)
{
    return atomic_load_explicit(&entry->heard, memory_order_relaxed) == 0
        && now_ms - atomic_load_explicit(&entry->active_ms, memory_order_relaxed) >= GUEST_GRACE_MS;
}

static bool may_go(const struct peer_entry *entry, const struct choice *choice)
{
    struct peer network;

    if (entry->net == NULL || atomic_load_explicit(&entry->dismissed, memory_order_relaxed) != 0) return false;
    if (choice->silent && !is_silent(entry, choice->now_ms)) return false;
    if (!choice->crowded) return true;
    network = peer_network(&entry->customer);
    return memcmp(&network, &choice->network, sizeof(network)) == 0;
}

bool peer_table_have_silent(const struct peer_table *peers, int64_t now_ms)
{
    const struct choice choice = { .now_ms = now_ms, .silent = true };

    for (uint32_t i = 0; i < peers->capacity; i++)
        if (may_go(&peers->rows[i], &choice)) return true;
    return false;
}

static void count_all(struct peer_table *peers, struct choice *choice)
{
    peers->round += 1;
    for (uint32_t i = 0; i < peers->capacity; i++) {
        const struct peer_entry *entry = &peers->rows[i];
        struct peer              network;
        uint32_t                 count;
        if (!may_go(entry, choice)) continue;
        network = peer_network(&entry->customer);
        (void)count_up(peers, peers->customers, &entry->customer, peers->round);
        count = count_up(peers, peers->networks, &network, peers->round);
        if (count <= choice->network_count) continue;
        choice->network_count = count;
        choice->network = network;
    }
    choice->crowded = choice->network_count > peers->per_customer;
}

static uint32_t count_of(struct peer_table *peers, const struct peer_entry *entry)
{
    return place_of(peers, peers->customers, &entry->customer, peers->round)->count;
}

static int64_t active_ms(const struct peer_table *peers, uint32_t row)
{
    return atomic_load_explicit(&peers->rows[row].active_ms, memory_order_relaxed);
}

/* In its place among those longest idle, when it is one of them. */
static uint32_t keep(const struct peer_table *peers, uint32_t chosen[], uint32_t count, uint32_t most, uint32_t row)
{
    uint32_t at = count;

    if (count == most && active_ms(peers, chosen[count - 1]) <= active_ms(peers, row)) return count;
    if (count == most) at -= 1;
    for (count = at + 1; at > 0 && active_ms(peers, chosen[at - 1]) > active_ms(peers, row); at--)
        chosen[at] = chosen[at - 1];
    chosen[at] = row;
    return count;
}

uint32_t peer_table_choose(struct peer_table *peers, int64_t now_ms, uint32_t chosen[], uint32_t most)
{
    struct choice choice = { .now_ms = now_ms, .silent = peer_table_have_silent(peers, now_ms) };
    uint32_t      found = 0;

    assert(most >= 1 && most <= GUESTS_CHOSEN);
    count_all(peers, &choice);
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (may_go(&peers->rows[i], &choice))
            choice.customer_count = max_u32(choice.customer_count, count_of(peers, &peers->rows[i]));
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (may_go(&peers->rows[i], &choice) && count_of(peers, &peers->rows[i]) == choice.customer_count)
            found = keep(peers, chosen, found, most, i);
    return found;
}
