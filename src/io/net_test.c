/* SPDX-License-Identifier: MIT */
#include "rigs/io/net_rig.h"

#include "rigs/test_pages.h"

static void it_echoes_and_ends_when_the_peer_has_ended(void **state)
{
    char text[64] = "";
    int  peer = dial();

    (void)state;
    assert_int_equal(send(peer, "hello", 5, 0), 5);
    assert_int_equal(hear(peer, text, 5), 5);
    assert_memory_equal(text, "hello", 5);
    assert_int_equal(send(peer, "more", 4, 0), 4);
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    assert_int_equal(hear(peer, text, sizeof(text)), 4);
    close(peer);
    wait_for(&rig.closed, 1);
}

static void who_comes_beyond_the_cap_of_an_address_is_refused(void **state)
{
    char text[64] = "";
    int  peers[5];

    (void)state;
    for (int i = 0; i < 4; i++) peers[i] = dial();
    wait_for(&rig.opened, 4);
    peers[4] = dial();
    assert_int_equal(hear(peers[4], text, sizeof(text)), 4);
    assert_memory_equal(text, "full", 4);
    close(peers[4]);
    close(peers[0]);
    wait_for(&rig.closed, 1);
    peers[0] = dial(); /* a place is free again */
    assert_int_equal(send(peers[0], "x", 1, 0), 1);
    assert_int_equal(hear(peers[0], text, 1), 1);
    for (int i = 0; i < 4; i++) close(peers[i]);
    wait_for(&rig.closed, 5);
}

/*
 * Addresses come and go in any order: the table admits exactly the peers that a list of the open connections would
 * admit.
 */
static void connections_are_counted_by_address(void **state)
{
    struct {
        int     peer;
        uint8_t last;
    } open[6];
    uint32_t count = 0, closed = 0, refused = 0, seed = 7;
    char     text[8];

    (void)state;
    for (int round = 0; round < 600; round++) {
        uint8_t  last;
        uint32_t same = 0;
        int      peer;

        seed = seed * 1664525u + 1013904223u;
        if (count == 6 || (count != 0 && (seed >> 16) % 100 < 45)) { /* where every place is taken another rule holds */
            uint32_t gone = (seed >> 8) % count;
            close(open[gone].peer);
            open[gone] = open[--count];
            wait_for(&rig.closed, ++closed);
            continue;
        }
        last = (uint8_t)((seed >> 24) % 3 == 0 ? 1 + (seed >> 10) % 200 : 201);
        for (uint32_t i = 0; i < count; i++) same += open[i].last == last;
        peer = dial_from(last);
        if (same == 4) {
            assert_int_equal(hear(peer, text, 4), 4);
            assert_memory_equal(text, "full", 4);
            close(peer);
            refused += 1;
            continue;
        }
        assert_int_equal(send(peer, "x", 1, 0), 1);
        assert_int_equal(hear(peer, text, 1), 1);
        assert_int_equal(text[0], 'x');
        open[count].peer = peer;
        open[count++].last = last;
    }
    assert_true(refused > 20 && closed > 120);
    while (count != 0) close(open[--count].peer);
    wait_for(&rig.closed, rig.opened);
}

static bool echoes(int peer)
{
    char text[1];

    return send(peer, "x", 1, MSG_NOSIGNAL) == 1 && recv(peer, text, 1, 0) == 1 && text[0] == 'x';
}

/*
 * Ruling 76: connections that have sent nothing are closed first, of the address with the most; one that has sent
 * something stays.
 */
static void a_newcomer_gets_in_where_every_place_is_taken(void **state)
{
    int  silent[4], busy[2], newcomers[4];
    char text[1];

    (void)state;
    for (int i = 0; i < 4; i++) {
        silent[i] = dial_from(1);
        wait_for(&rig.opened, (uint32_t)i + 1);
        thread_sleep_ms(2); /* the loop counts in milliseconds: each is older than what comes after it */
    }
    for (int i = 0; i < 2; i++) {
        busy[i] = dial_from((uint8_t)(2 + i));
        assert_true(echoes(busy[i]));
    }
    wait_for(&rig.opened, 6);
    for (int i = 0; i < 4; i++) {
        newcomers[i] = dial_from((uint8_t)(4 + i));
        assert_true(echoes(newcomers[i]));
        assert_int_equal(recv(silent[i], text, 1, 0), 0); /* the oldest went */
        wait_for(&rig.closed, (uint32_t)i + 1);
    }
    for (int i = 0; i < 2; i++) assert_true(echoes(busy[i]));
    assert_int_equal(net_tally(rig.listener)->dismissed, 4);
    for (int i = 0; i < 4; i++) close(silent[i]), close(newcomers[i]);
    for (int i = 0; i < 2; i++) close(busy[i]);
    wait_for(&rig.closed, rig.opened);
}

static void a_deadline_that_passes_is_told_and_the_answer_arrives(void **state)
{
    char    text[64] = "";
    int64_t began = clock_mono_ns();
    int     peer = dial();

    (void)state;
    assert_int_equal(hear(peer, text, sizeof(text)), 4);
    assert_memory_equal(text, "late", 4);
    assert_true(clock_mono_ns() - began >= 250000000);
    assert_int_equal(rig.expired, 1);
    close(peer);
    wait_for(&rig.closed, 1);
}

static void an_answer_is_not_lost_to_what_the_peer_still_sends(void **state)
{
    static char body[1 << 20];
    char        text[64] = "";
    int         peer = dial();

    (void)state;
    body[0] = '!';
    for (size_t at = 0; at < sizeof(body);) {
        ssize_t sent = send(peer, body + at, sizeof(body) - at, MSG_NOSIGNAL);
        if (sent <= 0) break;
        at += (size_t)sent;
    }
    assert_int_equal(hear(peer, text, sizeof(text)), 7);
    assert_memory_equal(text, "refused", 7);
    close(peer);
    wait_for(&rig.closed, 1);
}

static void a_peer_cannot_make_us_hold_more_than_its_input_buffer(void **state)
{
    static char body[8 << 20];
    int         peer = dial();
    size_t      sent = 0;
    ssize_t     put;

    (void)state;
    rig.hold = 1;
    while (sent < sizeof(body) && (put = send(peer, body, sizeof(body) - sent, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
        sent += (size_t)put;
    thread_sleep_ms(100);
    while (sent < sizeof(body) && (put = send(peer, body, sizeof(body) - sent, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
        sent += (size_t)put;
    assert_true(sent < sizeof(body)); /* the kernel's buffers are full, and ours took no more */
    close(peer);
}

static void a_slow_reader_gets_everything_in_the_end(void **state)
{
    static char text[16 * 32 * 1024 + 1];
    int         peer = dial();

    (void)state;
    rig.flood = 32;
    assert_int_equal(send(peer, "0123456789abcdef", 16, 0), 16);
    thread_sleep_ms(50);
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    assert_int_equal(hear(peer, text, 16 * 32 * 1024), 16 * 32 * 1024);
    close(peer);
}

static void what_is_sent_from_where_it_lies_keeps_its_place(void **state)
{
    enum { BODY = 20 * 1024, ANSWERS = 400 };
    static char heard[ANSWERS * (BODY + 3)], asked[ANSWERS];
    int         peer = dial();

    (void)state;
    rig.direct = BODY / 1024;
    for (int i = 0; i < ANSWERS; i++) asked[i] = (char)('A' + i % 26);
    assert_int_equal(send(peer, asked, sizeof(asked), MSG_NOSIGNAL), sizeof(asked));
    thread_sleep_ms(50); /* both sockets are full now */
    assert_int_equal(hear(peer, heard, sizeof(heard)), sizeof(heard));
    for (int i = 0; i < ANSWERS; i++) {
        const char *at = heard + (size_t)i * (BODY + 3);
        assert_true(at[0] == '[' && at[1] == asked[i] && at[BODY + 2] == ']');
        for (int b = 0; b < BODY; b++) assert_int_equal(at[2 + b], asked[i] ^ 1);
    }
    close(peer);
}

/*
 * A client connects, is sent 32 KiB and disconnects; returns how many pages are left then, when it is `expected` or
 * has not become so in time.
 */
static uint32_t pages_left_by_one(uint32_t expected)
{
    static char text[32768];
    int         peer = dial();

    rig.flood = 32;
    assert_int_equal(send(peer, "x", 1, 0), 1);
    assert_int_equal(hear(peer, text, sizeof(text)), sizeof(text));
    assert_true((uint32_t)pages_there(rig.output, OUTPUT) >= 8);
    close(peer);
    for (int i = 0; i < 300 && (rig.closed < rig.opened || (uint32_t)pages_there(rig.output, OUTPUT) != expected); i++)
        thread_sleep_ms(10);
    return (uint32_t)pages_there(rig.output, OUTPUT);
}

static void who_goes_leaves_a_page_of_memory(void **state)
{
    (void)state;
    assert_int_equal(pages_left_by_one(1), 1);
}

static void memory_that_was_taken_at_the_start_is_kept(void **state)
{
    (void)state;
    assert_int_equal(pages_left_by_one(OUTPUT / 4096), OUTPUT / 4096);
}

static void a_port_in_use_is_said(void **state)
{
    struct net_fault fault = { 0 };

    (void)state;
    assert_null(net_listen(
        &(struct net_address){ "127.0.0.1", net_port(rig.listener), 6, 4, 262144, 65536, NULL, NULL, NULL }, &fault));
    assert_int_equal(fault.code, EADDRINUSE);
    assert_non_null(strstr(fault.text, "Address already in use"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_echoes_and_ends_when_the_peer_has_ended, make, unmake),
        cmocka_unit_test_setup_teardown(who_comes_beyond_the_cap_of_an_address_is_refused, make, unmake),
        cmocka_unit_test_setup_teardown(connections_are_counted_by_address, make, unmake),
        cmocka_unit_test_setup_teardown(a_newcomer_gets_in_where_every_place_is_taken, make, unmake),
        cmocka_unit_test_setup_teardown(a_deadline_that_passes_is_told_and_the_answer_arrives, make_hasty, unmake),
        cmocka_unit_test_setup_teardown(an_answer_is_not_lost_to_what_the_peer_still_sends, make, unmake),
        cmocka_unit_test_setup_teardown(a_peer_cannot_make_us_hold_more_than_its_input_buffer, make, unmake),
        cmocka_unit_test_setup_teardown(a_slow_reader_gets_everything_in_the_end, make, unmake),
        cmocka_unit_test_setup_teardown(what_is_sent_from_where_it_lies_keeps_its_place, make, unmake),
        cmocka_unit_test_setup_teardown(who_goes_leaves_a_page_of_memory, make, unmake),
        cmocka_unit_test_setup_teardown(memory_that_was_taken_at_the_start_is_kept, make_touched, unmake),
        cmocka_unit_test_setup_teardown(a_port_in_use_is_said, make, unmake),
    };
    return cmocka_run_group_tests_name("io/net", tests, NULL, NULL);
}
