/* SPDX-License-Identifier: MIT */
/* A loop in a thread of its own that echoes, and plain sockets as its peers. */
#include "io/clock.h"
#include "io/net.h"
#include "io/thread.h"

#include "rigs/test_pages.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define INPUT  4096
#define OUTPUT 65536

static struct slice refusal(void) { return SLICE("full"); }

struct rig {
    struct net_listener *listener;
    struct net          *net;
    pthread_t            thread;
    _Atomic uint32_t     opened, closed, woken, expired;
    _Atomic uint32_t     flood;        /* answer each byte with this many kilobytes */
    _Atomic uint32_t     direct;       /* the same, sent from where it lies behind an appended head */
    _Atomic uint32_t     hold;         /* consume nothing */
    _Atomic uint32_t     release;      /* at the end of a turn, read the input of all connections again */
    _Atomic uint32_t     again;        /* so many turns that do not wait, one after the other */
    _Atomic uint32_t     soon, turned; /* once woken, turn again within as many ms */
    _Atomic int64_t      watch;        /* once woken, do not sleep for so long */
    char *_Atomic        output;       /* of the newest connection */
    _Atomic uint32_t     said, heard;  /* the word published before a wake, and the one that the loop saw */
};

static struct rig rig;

static void on_opened(void *self, struct net_conn *conn)
{
    (void)self;
    rig.output = conn->output.at;
    rig.opened++;
}
static void on_closed(void *self, struct net_conn *conn)
{
    (void)self;
    (void)conn;
    rig.closed++;
}
static void on_swept(void *self) { (void)self; }

static void on_expired(void *self, struct net_conn *conn)
{
    (void)self;
    rig.expired++;
    out_literal(&conn->output, "late");
    net_finish(rig.net, conn, true);
}

static void on_received(void *self, struct net_conn *conn)
{
    (void)self;
    if (rig.hold) return;
    while (rig.direct != 0 && conn->input_len != 0 && net_room(conn, rig.direct * 1024 + 8)) {
        static char body[OUTPUT];
        out_literal(&conn->output, "[");
        out_bytes(&conn->output, conn->input, 1);
        memset(body, conn->input[0] ^ 1, rig.direct * 1024);
        net_consume(rig.net, conn, 1);
        net_send(rig.net, conn, &(struct slice){ body, rig.direct * 1024 }, 1);
        if (conn->closing) return;
        memset(body, 'x', sizeof(body)); /* bytes that could not be sent at once were copied */
        out_literal(&conn->output, "]");
        net_flush(rig.net, conn);
        if (conn->closing) return;
    }
    if (rig.direct != 0) return;
    while (rig.flood != 0 && conn->input_len != 0 && net_room(conn, rig.flood * 1024)) {
        memset(conn->output.at + conn->output.len, 'f', rig.flood * 1024);
        conn->output.len += rig.flood * 1024;
        net_consume(rig.net, conn, 1);
        net_flush(rig.net, conn);
        if (conn->closing) return;
    }
    if (rig.flood == 0) {
        if (conn->input_len != 0 && conn->input[0] == '!') { /* an answer before everything was read */
            out_literal(&conn->output, "refused");
            net_finish(rig.net, conn, true);
            return;
        }
        out_bytes(&conn->output, conn->input, conn->input_len);
        net_consume(rig.net, conn, conn->input_len);
    }
    conn->deadline_ms = INT64_MAX;
    if (conn->ended && conn->input_len == 0) net_finish(rig.net, conn, false);
    else net_flush(rig.net, conn);
}

static void on_woken(void *self)
{
    (void)self;
    if (rig.watch >= 0) net_watch(rig.net, rig.watch);
    if (rig.soon != 0) net_turn_within(rig.net, rig.soon);
    rig.heard = rig.said;
    rig.woken++;
}

static void on_turned(void *self)
{
    (void)self;
    rig.turned++;
    if (rig.again != 0) {
        rig.again--;
        net_turn_within(rig.net, 0);
    }
    if (rig.release == 0) return;
    rig.release = 0;
    for (uint32_t slot = 0; slot < net_slot_count(rig.net); slot++) {
        struct net_conn *conn = net_at(rig.net, slot);
        if (conn != NULL) on_received(NULL, conn);
    }
}

static void *run(void *unused)
{
    (void)unused;
    net_run(rig.net);
    return NULL;
}

static int make_that(uint32_t first_wait_ms, bool touches)
{
    struct net_settings settings = { 8, INPUT, OUTPUT, 64, first_wait_ms, 1024 * 1024 };
    struct net_owner    owner = { NULL,      on_opened, on_received, on_received, on_expired,
                                  on_closed, on_woken,  on_turned,   on_swept };
    struct net_fault    fault;

    memset(&rig, 0, sizeof(rig));
    rig.listener =
        net_listen(&(struct net_address){ "127.0.0.1", 0, 6, 4, 262144, 65536, refusal, NULL, NULL }, &fault);
    assert_non_null(rig.listener);
    rig.net = net_open(rig.listener, &settings, &owner);
    assert_non_null(rig.net);
    if (touches) net_touch(rig.net);
    assert_int_equal(thread_start(&rig.thread, "net", run, NULL), 0);
    return 0;
}

static int make(void **state)
{
    (void)state;
    return make_that(60000, false);
}
static int make_hasty(void **state)
{
    (void)state;
    return make_that(300, false);
}
static int make_touched(void **state)
{
    (void)state;
    return make_that(60000, true);
}

static int unmake(void **state)
{
    (void)state;
    net_stop(rig.net);
    thread_join(rig.thread);
    assert_int_equal(rig.opened, rig.closed);
    net_close(rig.net);
    net_unlisten(rig.listener);
    return 0;
}

static int dial_from(uint8_t last)
{
    struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000900u + last) };
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(net_port(rig.listener)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct timeval     patience = { 20, 0 };
    int                peer = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
    if (last != 0) assert_int_equal(bind(peer, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(connect(peer, (struct sockaddr *)&address, sizeof(address)), 0);
    return peer;
}

static int dial(void) { return dial_from(0); }

/* Everything until the peer's end, or `cap` bytes. */
static size_t hear(int peer, char *into, size_t cap)
{
    size_t  len = 0;
    ssize_t got = 1;

    while (len < cap && (got = recv(peer, into + len, cap - len, 0)) > 0) len += (size_t)got;
    return got < 0 ? SIZE_MAX : len;
}

static void wait_for(_Atomic uint32_t *counter, uint32_t least)
{
    for (int i = 0; i < 300 && *counter < least; i++) thread_sleep_ms(10);
    assert_true(*counter >= least);
}

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

static void it_can_be_woken_from_another_thread(void **state)
{
    (void)state;
    net_wake(rig.net);
    wait_for(&rig.woken, 1);
}

/* Each wake is waited for before the next, so that it finds the loop about to sleep, asleep, and polling. */
static void no_wake_is_lost(void **state)
{
    static const int64_t watches[] = { 0, 5000, 50000, 0 };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(watches); i++) {
        rig.watch = watches[i];
        for (uint32_t k = 0; k < 2000; k++) {
            int64_t until_ns = clock_mono_ns() + INT64_C(20000000000);
            rig.said++;
            net_wake(rig.net);
            while (rig.heard != rig.said && clock_mono_ns() < until_ns) {}
            assert_int_equal(rig.heard, rig.said);
            for (uint32_t pause = k % 64; pause != 0; pause--) (void)clock_mono_ns();
        }
    }
}

static void a_loop_that_watches_takes_what_comes_and_sleeps_again(void **state)
{
    struct timespec began, ended;
    int64_t         idle_ns = net_idle_ns(rig.net);
    uint32_t        woken = rig.woken;
    char            text[8];
    int             peer;

    (void)state;
    rig.watch = INT64_C(400000000);
    net_wake(rig.net);
    wait_for(&rig.woken, woken + 1);
    rig.watch = -1; /* a wake now does not change that */
    peer = dial();
    assert_int_equal(send(peer, "now", 3, 0), 3);
    assert_int_equal(hear(peer, text, 3), 3);
    assert_memory_equal(text, "now", 3);
    net_wake(rig.net);
    wait_for(&rig.woken, woken + 2);
    for (int i = 0; i < 100 && net_idle_ns(rig.net) - idle_ns < 300000000; i++) thread_sleep_ms(50);
    assert_true(net_idle_ns(rig.net) - idle_ns >= 300000000); /* it has had nothing to do */
    (void)close(peer);
    wait_for(&rig.closed, 1);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    thread_sleep_ms(300);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    assert_true((ended.tv_sec - began.tv_sec) * 1000000000 + ended.tv_nsec - began.tv_nsec < 200000000);
}

/* ---- changes during a poll, which is longer than a peer's patience: a change that the loop missed would show ---- */

static void begin_to_watch(void)
{
    rig.watch = INT64_C(600000000000);
    net_wake(rig.net);
    wait_for(&rig.woken, 1);
    rig.watch = -1; /* a wake now does not change that */
}

static void end_watching(int peer)
{
    (void)close(peer);
    rig.watch = 0;
    net_wake(rig.net);
    wait_for(&rig.closed, 1);
}

static void a_loop_that_watches_hears_who_has_just_come(void **state)
{
    char text[8];
    int  peer;

    (void)state;
    begin_to_watch();
    peer = dial();
    wait_for(&rig.opened, 1);
    assert_int_equal(send(peer, "now", 3, 0), 3);
    assert_int_equal(hear(peer, text, 3), 3);
    end_watching(peer);
}

static void a_loop_that_watches_hears_whom_it_had_stopped_to_read(void **state)
{
    static char body[INPUT + 3];
    int         peer = dial();

    (void)state;
    rig.hold = 1;
    assert_int_equal(send(peer, body, sizeof(body), 0), sizeof(body));
    thread_sleep_ms(100); /* its input is full; further bytes stay in the kernel */
    begin_to_watch();
    rig.hold = 0;
    rig.release = 1;
    net_wake(rig.net);
    assert_int_equal(hear(peer, body, sizeof(body)), sizeof(body));
    end_watching(peer);
}

static void a_loop_that_watches_sends_to_whom_it_had_to_wait_for(void **state)
{
    enum { ANSWERS = 600 }; /* more than both sockets hold: 19 MB */
    static char heard[ANSWERS * 32 * 1024], asked[ANSWERS];
    int         peer = dial();

    (void)state;
    rig.flood = 32;
    begin_to_watch();
    assert_int_equal(send(peer, asked, sizeof(asked), 0), sizeof(asked));
    assert_int_equal(hear(peer, heard, sizeof(heard)), sizeof(heard));
    end_watching(peer);
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

static void a_turn_comes_within_its_time_though_nothing_happens(void **state)
{
    uint32_t turned;

    (void)state;
    net_wake(rig.net);
    thread_sleep_ms(100);
    turned = rig.turned;
    thread_sleep_ms(100);
    assert_int_equal(rig.turned, turned); /* no connection: it sleeps */
    assert_true(net_idle_ns(rig.net) >= 100000000);
    rig.soon = 100; /* so long that a loop which comes to its core late still takes two turns and not both as one */
    net_wake(rig.net);
    for (int i = 0; i < 200 && rig.turned < turned + 2; i++) thread_sleep_ms(5);
    assert_true(rig.turned >= turned + 2);
    rig.soon = 0;
    rig.again = 1000; /* and a thousand turns at once take no thousand sleeps */
    net_wake(rig.net);
    for (int i = 0; i < 400 && rig.again != 0; i++) thread_sleep_ms(5);
    assert_int_equal(rig.again, 0);
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
        cmocka_unit_test_setup_teardown(it_can_be_woken_from_another_thread, make, unmake),
        cmocka_unit_test_setup_teardown(no_wake_is_lost, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_takes_what_comes_and_sleeps_again, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_hears_who_has_just_come, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_hears_whom_it_had_stopped_to_read, make, unmake),
        cmocka_unit_test_setup_teardown(a_loop_that_watches_sends_to_whom_it_had_to_wait_for, make, unmake),
        cmocka_unit_test_setup_teardown(a_turn_comes_within_its_time_though_nothing_happens, make, unmake),
        cmocka_unit_test_setup_teardown(a_port_in_use_is_said, make, unmake),
    };
    return cmocka_run_group_tests_name("io/net", tests, NULL, NULL);
}
