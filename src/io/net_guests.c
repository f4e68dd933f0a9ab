/* SPDX-License-Identifier: MIT */
/*
 * net_guests.c — rows of connections, and tables of how many there are by customer and by network. Counting is a walk over all
 * rows: it happens only when every place is taken, and then finds several who go.
 */
#include "io/net_guests.h"

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
struct peer peer_network(const struct peer *peer)  { return peer_cut(peer, is_v4(peer) ? 15 : 6); }

/* ---- tables of counts ---- */

struct tally { struct peer key; uint32_t round, count; };      /* of another round: free */

static uint32_t home_of(const struct guests *guests, const struct peer *key)
{
    uint64_t words[2];

    memcpy(words, key->bytes, sizeof(words));
    return (uint32_t)(((words[0] * UINT64_C(0x9E3779B97F4A7C15) ^ words[1]) * UINT64_C(0xD6E8FEB86659FD93)) >> 32) & guests->mask;
}

/* The place of a key, or the free one where it would be. */
static struct tally *place_of(const struct guests *guests, struct tally *table, const struct peer *key, uint32_t round)
{
    uint32_t at = home_of(guests, key);

    while (table[at].round == round && table[at].count != 0 && memcmp(&table[at].key, key, sizeof(*key)) != 0) at = (at + 1) & guests->mask;
    return &table[at];
}

static uint32_t count_up(const struct guests *guests, struct tally *table, const struct peer *key, uint32_t round)
{
    struct tally *place = place_of(guests, table, key, round);

    if (place->round != round || place->count == 0) *place = (struct tally){ *key, round, 0 };
    return ++place->count;
}

/* Nobody is there from that customer any more: whoever stands behind the hole because of it moves up. */
static void close_hole(struct guests *guests, uint32_t hole)
{
    struct tally *seats = guests->seats;

    for (uint32_t at = (hole + 1) & guests->mask; seats[at].count != 0; at = (at + 1) & guests->mask) {
        uint32_t home = home_of(guests, &seats[at].key);
        if (((at - home) & guests->mask) < ((at - hole) & guests->mask)) continue;
        seats[hole] = seats[at];
        seats[at].count = 0;
        hole = at;
    }
}

/* ---- coming and going ---- */

bool guests_open(struct guests *guests, uint32_t capacity, uint32_t per_customer)
{
    *guests = (struct guests){ .capacity = capacity, .per_customer = per_customer, .mask = 1 };
    while (guests->mask < 2 * capacity) guests->mask = 2 * guests->mask + 1;
    guests->rows = calloc(capacity, sizeof(struct guest));
    guests->seats = calloc((size_t)guests->mask + 1, sizeof(struct tally));
    guests->customers = calloc((size_t)guests->mask + 1, sizeof(struct tally));
    guests->networks = calloc((size_t)guests->mask + 1, sizeof(struct tally));
    if (guests->rows == NULL || guests->seats == NULL || guests->customers == NULL || guests->networks == NULL) return false;
    for (uint32_t i = 0; i < capacity; i++) guests->rows[i].next = i + 1 < capacity ? i + 1 : GUEST_NONE;
    return true;
}

void guests_close(struct guests *guests)
{
    free(guests->rows);
    free(guests->seats);
    free(guests->customers);
    free(guests->networks);
}

uint32_t guests_enter(struct guests *guests, const struct peer *peer, void *net, int64_t now_ms)
{
    struct peer   customer = peer_customer(peer);
    struct tally *seat = place_of(guests, guests->seats, &customer, 0);
    uint32_t      row = guests->free;
    struct guest *guest;

    assert(net != NULL && guests->count <= guests->capacity);
    if (guests_are_full(guests) || seat->count >= guests->per_customer) return GUEST_NONE;
    guest = &guests->rows[row];
    (void)count_up(guests, guests->seats, &customer, 0);
    guests->count += 1;
    guests->free = guest->next;
    guest->customer = customer;
    guest->net = net;
    atomic_store_explicit(&guest->heard, 0, memory_order_relaxed);
    atomic_store_explicit(&guest->dismissed, 0, memory_order_relaxed);
    atomic_store_explicit(&guest->active_ms, now_ms, memory_order_relaxed);
    return row;
}

void guests_leave(struct guests *guests, uint32_t row)
{
    struct guest *guest = &guests->rows[row];
    struct tally *seat = place_of(guests, guests->seats, &guest->customer, 0);

    assert(guest->net != NULL && seat->count != 0 && guests->count != 0);
    guests->count -= 1;
    seat->count -= 1;
    if (seat->count == 0) close_hole(guests, (uint32_t)(seat - guests->seats));
    guest->net = NULL;
    guest->next = guests->free;
    guests->free = row;
}

/* ---- who goes ---- */

/* What a choice has found out so far. */
struct choice {
    int64_t     now_ms;
    bool        silent;                         /* only those that have been silent                    */
    bool        crowded;                        /* only those of `network`                             */
    struct peer network;
    uint32_t    network_count, customer_count;  /* the most of one                                     */
};

static bool is_silent(const struct guest *guest, int64_t now_ms)
{
    return atomic_load_explicit(&guest->heard, memory_order_relaxed) == 0
        && now_ms - atomic_load_explicit(&guest->active_ms, memory_order_relaxed) >= GUEST_GRACE_MS;
}

static bool may_go(const struct guest *guest, const struct choice *choice)
{
    struct peer network;

    if (guest->net == NULL || atomic_load_explicit(&guest->dismissed, memory_order_relaxed) != 0) return false;
    if (choice->silent && !is_silent(guest, choice->now_ms)) return false;
    if (!choice->crowded) return true;
    network = peer_network(&guest->customer);
    return memcmp(&network, &choice->network, sizeof(network)) == 0;
}

bool guests_have_silent(const struct guests *guests, int64_t now_ms)
{
    const struct choice choice = { .now_ms = now_ms, .silent = true };

    for (uint32_t i = 0; i < guests->capacity; i++)
        if (may_go(&guests->rows[i], &choice)) return true;
    return false;
}

static void count_all(struct guests *guests, struct choice *choice)
{
    guests->round += 1;
    for (uint32_t i = 0; i < guests->capacity; i++) {
        const struct guest *guest = &guests->rows[i];
        struct peer         network;
        uint32_t            count;
        if (!may_go(guest, choice)) continue;
        network = peer_network(&guest->customer);
        (void)count_up(guests, guests->customers, &guest->customer, guests->round);
        count = count_up(guests, guests->networks, &network, guests->round);
        if (count <= choice->network_count) continue;
        choice->network_count = count;
        choice->network = network;
    }
    choice->crowded = choice->network_count > guests->per_customer;
}

static uint32_t count_of(struct guests *guests, const struct guest *guest)
{
    return place_of(guests, guests->customers, &guest->customer, guests->round)->count;
}

static int64_t active_ms(const struct guests *guests, uint32_t row)
{
    return atomic_load_explicit(&guests->rows[row].active_ms, memory_order_relaxed);
}

/* In its place among those longest idle, when it is one of them. */
static uint32_t keep(const struct guests *guests, uint32_t chosen[], uint32_t count, uint32_t most, uint32_t row)
{
    uint32_t at = count;

    if (count == most && active_ms(guests, chosen[count - 1]) <= active_ms(guests, row)) return count;
    if (count == most) at -= 1;
    for (count = at + 1; at > 0 && active_ms(guests, chosen[at - 1]) > active_ms(guests, row); at--) chosen[at] = chosen[at - 1];
    chosen[at] = row;
    return count;
}

uint32_t guests_choose(struct guests *guests, int64_t now_ms, uint32_t chosen[], uint32_t most)
{
    struct choice choice = { .now_ms = now_ms, .silent = guests_have_silent(guests, now_ms) };
    uint32_t      found = 0;

    assert(most >= 1 && most <= GUESTS_CHOSEN);
    count_all(guests, &choice);
    for (uint32_t i = 0; i < guests->capacity; i++)
        if (may_go(&guests->rows[i], &choice)) choice.customer_count = max_u32(choice.customer_count, count_of(guests, &guests->rows[i]));
    for (uint32_t i = 0; i < guests->capacity; i++)
        if (may_go(&guests->rows[i], &choice) && count_of(guests, &guests->rows[i]) == choice.customer_count)
            found = keep(guests, chosen, found, most, i);
    return found;
}
