/* SPDX-License-Identifier: MIT */
/*
 * The connection to close first when there is no slot for a new one (ruling 76), by addresses, /64s, /24s and /48s that
 * no loopback device has.
 */
#include "io/peer_table.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#define CAPACITY          64
#define PER_CLIENT_PREFIX 8

static struct peer_table peers;
static int               the_net;

static int make(void **state)
{
    (void)state;
    assert_true(peer_table_open(&peers, CAPACITY, PER_CLIENT_PREFIX));
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    peer_table_close(&peers);
    return 0;
}

static struct peer peer_at(const char *text)
{
    struct peer peer = { { [10] = 0xff, [11] = 0xff } };

    if (inet_pton(AF_INET, text, peer.bytes + 12) != 1) assert_int_equal(inet_pton(AF_INET6, text, peer.bytes), 1);
    return peer;
}

static uint32_t enter_at(const char *text, int64_t now_ms)
{
    struct peer peer = peer_at(text);

    return peer_table_enter(&peers, &peer, false, &the_net, now_ms);
}

static uint32_t enter_proxy(int64_t now_ms)
{
    struct peer peer = peer_at("10.0.0.1");

    return peer_table_enter(&peers, &peer, true, &the_net, now_ms);
}

static bool move_to(uint32_t row, const char *text)
{
    struct peer peer = peer_at(text);

    return peer_table_move(&peers, row, &peer, strcmp(text, "10.0.0.1") == 0);
}

static void heard_at(uint32_t row, int64_t now_ms)
{
    peers.rows[row].heard = 1;
    peers.rows[row].active_ms = now_ms;
}

#define LATER_MS 100000 /* after every connection's time to send something */

static uint32_t first_of(void)
{
    uint32_t chosen[PEERS_CHOSEN_MAX];

    assert_int_equal(peer_table_choose(&peers, LATER_MS, chosen, 1), 1);
    return chosen[0];
}

static void a_client_prefix_of_ipv6_is_its_64_and_of_ipv4_its_address(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PER_CLIENT_PREFIX; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "2001:db8:0:1:%x::%x", i, 100 + i);
        assert_int_not_equal(enter_at(text, 0), PEER_ROW_NONE);
    }
    assert_int_equal(enter_at("2001:db8:0:1:ffff::1", 0), PEER_ROW_NONE); /* the ninth of this /64 */
    assert_int_not_equal(enter_at("2001:db8:0:2::1", 0), PEER_ROW_NONE);  /* the next one is another client prefix */
    for (uint32_t i = 0; i < PER_CLIENT_PREFIX; i++) assert_int_not_equal(enter_at("198.51.100.1", 0), PEER_ROW_NONE);
    assert_int_equal(enter_at("198.51.100.1", 0), PEER_ROW_NONE);
    assert_int_equal(enter_at("::ffff:198.51.100.1", 0), PEER_ROW_NONE); /* the same, as IPv6 spells it */
    assert_int_not_equal(enter_at("198.51.100.2", 0), PEER_ROW_NONE);
}

static void those_that_have_sent_nothing_are_chosen_first(void **state)
{
    uint32_t silent;

    (void)state;
    for (uint32_t i = 0; i < 5; i++) heard_at(enter_at("198.51.100.1", 0), 0);
    silent = enter_at("203.0.113.1", 1000); /* alone, and the newest */
    assert_int_equal(first_of(), silent);
    heard_at(silent, 1000);
    assert_int_not_equal(first_of(), silent);
}

/* Busy connections hold all slots but one: the newest is not the first to be ended, until its second is over. */
static void a_new_one_has_a_second_to_send_something(void **state)
{
    uint32_t new_one, chosen[PEERS_CHOSEN_MAX];

    (void)state;
    for (uint32_t i = 0; i < 5; i++) heard_at(enter_at("198.51.100.1", 0), 4000 + i);
    new_one = enter_at("203.0.113.1", 4000);
    assert_false(peer_table_have_silent(&peers, 4000 + SILENT_GRACE_MS - 1));
    assert_int_equal(peer_table_choose(&peers, 4000 + SILENT_GRACE_MS - 1, chosen, 1), 1);
    assert_int_not_equal(chosen[0], new_one);
    assert_true(peer_table_have_silent(&peers, 4000 + SILENT_GRACE_MS));
    assert_int_equal(peer_table_choose(&peers, 4000 + SILENT_GRACE_MS, chosen, 1), 1);
    assert_int_equal(chosen[0], new_one);
}

static void of_the_client_prefix_with_the_most_the_longest_idle_is_chosen(void **state)
{
    uint32_t rows[5];

    (void)state;
    heard_at(enter_at("203.0.113.1", 0), 1); /* idle for longer than any */
    for (uint32_t i = 0; i < 5; i++) heard_at(rows[i] = enter_at("198.51.100.1", 0), 100 + (i * 3) % 5);
    assert_int_equal(first_of(), rows[0]);
    heard_at(rows[0], 1000);
    assert_int_equal(first_of(), rows[2]); /* 101 */
    peers.rows[rows[2]].must_close = 1;    /* it is being closed */
    assert_int_equal(first_of(), rows[4]); /* 102 */
}

/* One of each /64 of a /48: none has more than one, but together they have more than one client prefix may. */
static void a_network_with_more_than_a_client_prefix_may_have_is_chosen_first(void **state)
{
    static const struct {
        const char *form, *maker;
    } worlds[] = { { "2001:db8:7:%x::1", "2001:db8:8:1::1" }, { "198.51.100.%u", "203.0.113.9" } };

    for (uint32_t w = 0; w < ARRAY_COUNT(worlds); w++) {
        uint32_t makers[5], found, chosen[PEERS_CHOSEN_MAX];
        for (uint32_t i = 0; i < 5; i++) heard_at(makers[i] = enter_at(worlds[w].maker, 0), 0);
        for (uint32_t i = 0; i <= PER_CLIENT_PREFIX; i++) {
            char text[64];
            /* up to as many as one may have the maker has the most */
            if (i == PER_CLIENT_PREFIX) assert_int_equal(first_of(), makers[0]);
            (void)snprintf(text, sizeof(text), worlds[w].form, i);
            heard_at(enter_at(text, 0), 500 + i);
        }
        found = peer_table_choose(&peers, LATER_MS, chosen, PEERS_CHOSEN_MAX);
        assert_int_equal(found, PER_CLIENT_PREFIX + 1);
        for (uint32_t i = 0; i < found; i++) {
            assert_int_equal(peers.rows[chosen[i]].active_ms, 500 + i); /* longest idle first; none of the maker's */
        }
        (void)unmake(state);
        (void)make(state);
    }
}

static void in_a_network_the_client_prefix_with_the_most_is_chosen_first(void **state)
{
    uint32_t stranger, chosen[PEERS_CHOSEN_MAX];

    (void)state;
    stranger = enter_at("127.0.0.99", 0); /* next to those who fill the table */
    for (uint32_t i = 0; i < CAPACITY - 1; i++) {
        char text[32];
        (void)snprintf(text, sizeof(text), "127.0.0.%u", 1 + i / PER_CLIENT_PREFIX);
        assert_int_not_equal(enter_at(text, 1 + i), PEER_ROW_NONE);
    }
    assert_true(peer_table_are_full(&peers));
    assert_int_equal(enter_at("203.0.113.1", 0), PEER_ROW_NONE);
    for (uint32_t round = 0; round < CAPACITY - 1; round++) { /* each of the others is ended before it */
        assert_int_equal(peer_table_choose(&peers, LATER_MS, chosen, 1), 1);
        if (round + 8 < CAPACITY - 1) assert_int_not_equal(chosen[0], stranger);
        peer_table_leave(&peers, chosen[0]);
        if (chosen[0] == stranger) return;
    }
}

/* Ruling 15: a trusted proxy speaks for many clients, so what one client may have is no bound of it. */
static void a_proxy_may_have_more_than_a_client_prefix(void **state)
{
    uint32_t last = 0;

    (void)state;
    for (uint32_t i = 0; i < PER_CLIENT_PREFIX; i++) assert_int_not_equal(enter_at("203.0.113.1", 0), PEER_ROW_NONE);
    for (uint32_t i = PER_CLIENT_PREFIX; i < CAPACITY; i++) {
        last = enter_proxy(0);
        assert_int_not_equal(last, PEER_ROW_NONE);
    }
    assert_int_equal(enter_proxy(0), PEER_ROW_NONE); /* every slot is taken */
    peer_table_leave(&peers, last);
    assert_int_not_equal(enter_proxy(0), PEER_ROW_NONE);
}

static void a_client_behind_a_proxy_has_what_a_client_prefix_may_have(void **state)
{
    uint32_t rows[PER_CLIENT_PREFIX + 1];

    (void)state;
    for (uint32_t i = 0; i <= PER_CLIENT_PREFIX; i++) rows[i] = enter_proxy(0);
    for (uint32_t i = 0; i < PER_CLIENT_PREFIX; i++) assert_true(move_to(rows[i], "203.0.113.1"));
    assert_false(move_to(rows[PER_CLIENT_PREFIX], "203.0.113.1"));
    assert_true(move_to(rows[0], "203.0.113.1")); /* it is one of his already */
    assert_true(move_to(rows[PER_CLIENT_PREFIX], "203.0.113.2"));
    assert_int_equal(enter_at("203.0.113.1", 0), PEER_ROW_NONE); /* nor one without the proxy */
    assert_true(move_to(rows[0], "10.0.0.1"));
    assert_int_not_equal(enter_at("203.0.113.1", 0), PEER_ROW_NONE);
}

/* In a full table of rows with a client each, one that moves finds a row of counts. */
static void a_connection_moves_where_every_slot_is_taken(void **state)
{
    uint32_t row = enter_proxy(0);

    (void)state;
    for (uint32_t i = 1; i < CAPACITY; i++) {
        char text[32];
        (void)snprintf(text, sizeof(text), "10.1.%u.1", i);
        assert_int_not_equal(enter_at(text, 0), PEER_ROW_NONE);
    }
    assert_true(move_to(row, "203.0.113.1"));
    assert_true(move_to(row, "10.0.0.1"));
    assert_int_equal(peers.count, CAPACITY);
}

/* However many they are: those that a proxy keeps unused go with the silent ones, others for want of clients'. */
static void connections_of_a_proxy_are_chosen_last(void **state)
{
    uint32_t proxies[20], client, found, chosen[PEERS_CHOSEN_MAX];

    (void)state;
    for (uint32_t i = 0; i < 20; i++) heard_at(proxies[i] = enter_proxy(0), LATER_MS - UNUSED_MS + 1 + i);
    client = enter_at("203.0.113.1", 0);
    heard_at(client, LATER_MS); /* the newest of all */
    found = peer_table_choose(&peers, LATER_MS, chosen, PEERS_CHOSEN_MAX);
    assert_int_equal(found, 1);
    assert_int_equal(chosen[0], client);
    heard_at(proxies[7], LATER_MS - UNUSED_MS);
    assert_int_equal(first_of(), proxies[7]);
    assert_true(move_to(proxies[7], "203.0.113.2")); /* a stream: its client has it */
    assert_int_equal(first_of(), proxies[7]);        /* idle for longer than the other client's */
    heard_at(proxies[7], LATER_MS);
    heard_at(client, 0);
    assert_int_equal(first_of(), client);
    peer_table_leave(&peers, client);
    peer_table_leave(&peers, proxies[7]);
    assert_int_equal(first_of(), proxies[0]);
}

/* Connections opened and closed in any order: the tables agree with a list. */
static void counts_are_those_of_a_list(void **state)
{
    uint32_t rows[CAPACITY], owner[CAPACITY], count = 0, seed = 11, refused = 0;

    (void)state;
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t who, same = 0, row;
        char     text[32];
        seed = seed * 1664525u + 1013904223u;
        if (count != 0 && (seed >> 16) % 100 < 48) {
            uint32_t gone = (seed >> 8) % count;
            peer_table_leave(&peers, rows[gone]);
            rows[gone] = rows[--count];
            owner[gone] = owner[count];
            continue;
        }
        who = (seed >> 10) % 12;
        for (uint32_t i = 0; i < count; i++) same += owner[i] == who;
        (void)snprintf(text, sizeof(text), "10.0.%u.7", who);
        row = enter_at(text, round);
        assert_int_equal(row == PEER_ROW_NONE, count == CAPACITY || same == PER_CLIENT_PREFIX);
        refused += row == PEER_ROW_NONE;
        if (row == PEER_ROW_NONE) continue;
        rows[count] = row;
        owner[count++] = who;
    }
    assert_true(refused > 20);
    assert_int_equal(peers.count, count);
}

#define T(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_client_prefix_of_ipv6_is_its_64_and_of_ipv4_its_address),
        T(those_that_have_sent_nothing_are_chosen_first),
        T(a_new_one_has_a_second_to_send_something),
        T(of_the_client_prefix_with_the_most_the_longest_idle_is_chosen),
        T(a_network_with_more_than_a_client_prefix_may_have_is_chosen_first),
        T(in_a_network_the_client_prefix_with_the_most_is_chosen_first),
        T(a_proxy_may_have_more_than_a_client_prefix),
        T(a_client_behind_a_proxy_has_what_a_client_prefix_may_have),
        T(a_connection_moves_where_every_slot_is_taken),
        T(connections_of_a_proxy_are_chosen_last),
        T(counts_are_those_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
