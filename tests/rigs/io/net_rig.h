/* SPDX-License-Identifier: MIT */
/* net_rig.h — a loop in a thread of its own that echoes, and plain sockets as its peers. Header only. */
#ifndef RIGS_IO_NET_RIG_H
#define RIGS_IO_NET_RIG_H

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

static inline struct slice refusal(void) { return SLICE("full"); }

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
    _Atomic uint32_t     next;         /* at the end of each turn, turn again within as many ms */
    _Atomic int64_t      watch;        /* once woken, do not sleep for so long */
    char *_Atomic        output;       /* of the newest connection */
    _Atomic uint32_t     said, heard;  /* the word published before a wake, and the one that the loop saw */
};

static struct rig rig;

static inline void on_opened(void *self, struct net_conn *conn)
{
    (void)self;
    rig.output = conn->output.at;
    rig.opened++;
}
static inline void on_closed(void *self, struct net_conn *conn)
{
    (void)self;
    (void)conn;
    rig.closed++;
}
static inline void on_swept(void *self) { (void)self; }

static inline void on_expired(void *self, struct net_conn *conn)
{
    (void)self;
    rig.expired++;
    out_literal(&conn->output, "late");
    net_finish(rig.net, conn, true);
}

static inline void on_received(void *self, struct net_conn *conn)
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

static inline void on_woken(void *self)
{
    (void)self;
    if (rig.watch >= 0) net_watch(rig.net, rig.watch);
    if (rig.soon != 0) net_turn_within(rig.net, rig.soon);
    rig.heard = rig.said;
    rig.woken++;
}

static inline void on_turned(void *self)
{
    (void)self;
    rig.turned++;
    if (rig.next != 0) net_turn_within(rig.net, rig.next);
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

static inline void *run(void *unused)
{
    (void)unused;
    net_run(rig.net);
    return NULL;
}

static inline int make_that(uint32_t first_wait_ms, bool touches)
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

static inline int make(void **state)
{
    (void)state;
    return make_that(60000, false);
}
static inline int make_hasty(void **state)
{
    (void)state;
    return make_that(300, false);
}
static inline int make_touched(void **state)
{
    (void)state;
    return make_that(60000, true);
}

static inline int unmake(void **state)
{
    (void)state;
    net_stop(rig.net);
    thread_join(rig.thread);
    assert_int_equal(rig.opened, rig.closed);
    net_close(rig.net);
    net_unlisten(rig.listener);
    return 0;
}

static inline int dial_from(uint8_t last)
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

static inline int dial(void) { return dial_from(0); }

/* Everything until the peer's end, or `cap` bytes. */
static inline size_t hear(int peer, char *into, size_t cap)
{
    size_t  len = 0;
    ssize_t got = 1;

    while (len < cap && (got = recv(peer, into + len, cap - len, 0)) > 0) len += (size_t)got;
    return got < 0 ? SIZE_MAX : len;
}

static inline void wait_for(_Atomic uint32_t *counter, uint32_t least)
{
    for (int i = 0; i < 300 && *counter < least; i++) thread_sleep_ms(10);
    assert_true(*counter >= least);
}

#endif
