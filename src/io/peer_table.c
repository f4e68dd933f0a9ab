/* SPDX-License-Identifier: MIT */
/*
 * peer_table.c — rows of connections, and their numbers by client prefix and by network. A choice walks over all rows:
 * it happens only when every slot is taken, and then finds several connections to close.
 */
#include "io/peer_table.h"

#include "io/files.h"

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

struct peer peer_client_prefix(const struct peer *peer) { return peer_cut(peer, is_v4(peer) ? 16 : 8); }
struct peer peer_network(const struct peer *peer) { return peer_cut(peer, is_v4(peer) ? 15 : 6); }

/* ---- tables of counts ---- */

struct tally {
    struct peer key;
    uint32_t    next, connections;
    uint32_t    round, chosen; /* of the connections, how many may be chosen in that round of peer_table_choose */
};

static bool tallies_open(struct chained *tallies, uint32_t capacity)
{
    uint32_t      heads = chained_heads(capacity);
    struct tally *rows = calloc((size_t)capacity + 1, sizeof(*rows));

    *tallies = CHAINED(calloc(heads, sizeof(uint32_t)), heads - 1, rows, next, capacity, .key = sizeof(struct peer));
    return rows != NULL && tallies->heads != NULL && files_random(tallies->seed, sizeof(tallies->seed));
}

static void tallies_close(struct chained *tallies)
{
    free(tallies->rows);
    free(tallies->heads);
}

static struct tally *tally_of(const struct chained *tallies, uint32_t ix) { return chained_row(tallies, ix); }

/* A connection more; the row of its key. */
static uint32_t count_up(struct chained *tallies, const struct peer *key)
{
    uint32_t ix = chained_find_or_take(tallies, key);

    assert(ix != 0); /* there are as many rows as connections */
    tally_of(tallies, ix)->connections += 1;
    return ix;
}

static void count_down(struct chained *tallies, uint32_t ix)
{
    assert(tally_of(tallies, ix)->connections != 0);
    tally_of(tallies, ix)->connections -= 1;
    if (tally_of(tallies, ix)->connections == 0) chained_drop(tallies, ix);
}

/* Counts one more of its connections that may be chosen in this round; how many there are. */
static uint32_t count_chosen(const struct peer_table *peers, struct tally *tally)
{
    if (tally->round != peers->round) tally->chosen = 0;
    tally->round = peers->round;
    return ++tally->chosen;
}

/* ---- entering and leaving ---- */

bool peer_table_open(struct peer_table *peers, uint32_t capacity, uint32_t per_client_prefix)
{
    bool fits;

    *peers = (struct peer_table){ .capacity = capacity, .per_client_prefix = per_client_prefix };
    peers->rows = calloc(capacity, sizeof(struct peer_entry));
    fits = tallies_open(&peers->client_prefixes, capacity);
    fits &= tallies_open(&peers->networks, capacity);
    if (!fits || peers->rows == NULL) return false;
    for (uint32_t i = 0; i < capacity; i++) peers->rows[i].next = i + 1 < capacity ? i + 1 : PEER_ROW_NONE;
    return true;
}

void peer_table_close(struct peer_table *peers)
{
    free(peers->rows);
    tallies_close(&peers->client_prefixes);
    tallies_close(&peers->networks);
}

/* The row of the client prefix of this peer; 0: it has no connection. */
static uint32_t find_client_prefix(const struct peer_table *peers, const struct peer *peer)
{
    const struct chained *client_prefixes = &peers->client_prefixes;
    struct peer           client_prefix = peer_client_prefix(peer);

    return chained_find(client_prefixes, chained_hash(client_prefixes, &client_prefix), &client_prefix);
}

static bool has_the_most(const struct peer_table *peers, const struct peer *peer)
{
    uint32_t tally = find_client_prefix(peers, peer);

    return tally_of(&peers->client_prefixes, tally)->connections >= peers->per_client_prefix;
}

static void count_for(struct peer_table *peers, struct peer_entry *entry, const struct peer *peer, bool is_proxy)
{
    struct peer client_prefix = peer_client_prefix(peer), network = peer_network(&client_prefix);

    entry->client_prefix = count_up(&peers->client_prefixes, &client_prefix);
    entry->network = count_up(&peers->networks, &network);
    entry->of_proxy = is_proxy;
}

static void count_no_more(struct peer_table *peers, const struct peer_entry *entry)
{
    count_down(&peers->client_prefixes, entry->client_prefix);
    count_down(&peers->networks, entry->network);
}

uint32_t peer_table_enter(struct peer_table *peers, const struct peer *peer, bool is_proxy, void *net, int64_t now_ms)
{
    uint32_t           row = peers->free;
    struct peer_entry *entry;

    assert(net != NULL && peers->count <= peers->capacity);
    if (peer_table_are_full(peers) || (!is_proxy && has_the_most(peers, peer))) return PEER_ROW_NONE;
    entry = &peers->rows[row];
    peers->count += 1;
    peers->free = entry->next;
    count_for(peers, entry, peer, is_proxy);
    entry->net = net;
    atomic_store_explicit(&entry->heard, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->must_close, 0, memory_order_relaxed);
    atomic_store_explicit(&entry->active_ms, now_ms, memory_order_relaxed);
    return row;
}

bool peer_table_move(struct peer_table *peers, uint32_t row, const struct peer *peer, bool is_proxy)
{
    struct peer_entry *entry = &peers->rows[row];

    assert(entry->net != NULL);
    if (!is_proxy && find_client_prefix(peers, peer) != entry->client_prefix && has_the_most(peers, peer)) return false;
    count_no_more(peers, entry);
    count_for(peers, entry, peer, is_proxy);
    return true;
}

void peer_table_leave(struct peer_table *peers, uint32_t row)
{
    struct peer_entry *entry = &peers->rows[row];

    assert(entry->net != NULL && peers->count != 0);
    peers->count -= 1;
    count_no_more(peers, entry);
    entry->net = NULL;
    entry->next = peers->free;
    peers->free = row;
}

/* ---- choice of connections to close ---- */

/* The state of a choice. */
struct choice {
    int64_t  now_ms;
    bool     silent;     /* only those that have been silent */
    bool     of_proxies; /* those of proxies, for want of others */
    bool     by_network; /* only those of `network` */
    uint32_t network;
    uint32_t network_count, client_prefix_count; /* the most of one */
};

static bool is_silent(const struct peer_entry *entry, int64_t now_ms)
{
    int64_t idle_ms = now_ms - atomic_load_explicit(&entry->active_ms, memory_order_relaxed);

    if (entry->of_proxy && idle_ms >= UNUSED_MS) return true;
    return atomic_load_explicit(&entry->heard, memory_order_relaxed) == 0 && idle_ms >= SILENT_GRACE_MS;
}

static bool is_candidate(const struct peer_entry *entry, const struct choice *choice)
{
    if (entry->net == NULL || atomic_load_explicit(&entry->must_close, memory_order_relaxed) != 0) return false;
    if (choice->silent && !is_silent(entry, choice->now_ms)) return false;
    if (entry->of_proxy != choice->of_proxies) return false;
    return !choice->by_network || entry->network == choice->network;
}

static bool have_candidate(const struct peer_table *peers, const struct choice *choice)
{
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (is_candidate(&peers->rows[i], choice)) return true;
    return false;
}

bool peer_table_have_silent(const struct peer_table *peers, int64_t now_ms)
{
    const struct choice clients = { .now_ms = now_ms, .silent = true };
    const struct choice proxies = { .now_ms = now_ms, .silent = true, .of_proxies = true };

    return have_candidate(peers, &clients) || have_candidate(peers, &proxies);
}

static void count_all(struct peer_table *peers, struct choice *choice)
{
    peers->round += 1;
    for (uint32_t i = 0; i < peers->capacity; i++) {
        const struct peer_entry *entry = &peers->rows[i];
        uint32_t                 count;
        if (!is_candidate(entry, choice)) continue;
        (void)count_chosen(peers, tally_of(&peers->client_prefixes, entry->client_prefix));
        count = count_chosen(peers, tally_of(&peers->networks, entry->network));
        if (count <= choice->network_count) continue;
        choice->network_count = count;
        choice->network = entry->network;
    }
    choice->by_network = choice->network_count > peers->per_client_prefix;
}

static uint32_t count_of(const struct peer_table *peers, const struct peer_entry *entry)
{
    return tally_of(&peers->client_prefixes, entry->client_prefix)->chosen;
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

    assert(most >= 1 && most <= PEERS_CHOSEN_MAX);
    choice.of_proxies = !have_candidate(peers, &choice);
    count_all(peers, &choice);
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (is_candidate(&peers->rows[i], &choice))
            choice.client_prefix_count = max_u32(choice.client_prefix_count, count_of(peers, &peers->rows[i]));
    for (uint32_t i = 0; i < peers->capacity; i++)
        if (is_candidate(&peers->rows[i], &choice) && count_of(peers, &peers->rows[i]) == choice.client_prefix_count)
            found = keep(peers, chosen, found, most, i);
    return found;
}
