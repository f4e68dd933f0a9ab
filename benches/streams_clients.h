/* SPDX-License-Identifier: MIT */
/* streams_clients.h — many WebSocket connections that only listen, drained by one thread. */
#ifndef BENCH_STREAMS_CLIENTS_H
#define BENCH_STREAMS_CLIENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_client {
    int      fd;
    uint8_t  head[10], head_len; /* of the frame at hand */
    uint64_t left;               /* bytes of its payload */
    char    *text;               /* of the one that is looked into, else NULL */
    size_t   len;
};

struct stream_clients {
    struct stream_client *clients;
    int                   count, poll;
    _Atomic uint64_t      messages, bytes;         /* frames with text, and all bytes */
    _Atomic uint64_t      first_trade, last_trade; /* trades that the first client has received, when it counts them */
    _Atomic bool          stop;
};

/* Connects `count` clients to /ws/spot, 1000 from each loopback address,
   and subscribes each to the channels; exits when it cannot. */
void clients_open(struct stream_clients *clients, uint16_t port, int count, const char *const *channels);
/* Subscribes or unsubscribes all of them. */
void clients_say(struct stream_clients *clients, const char *op, const char *const *channels);
/* The first client looks into `trade` messages: exits when one of the trades is missing or out of order. */
void clients_look(struct stream_clients *clients);
/* A thread's work, until stop. */
void *clients_run(void *clients);
void  clients_close(struct stream_clients *clients);

/* Sends the same bytes to pairs of sockets of our own, so many rounds a second; CPU nanoseconds of one send. */
double clients_bare_send(int sockets, size_t bytes, int rounds, double per_second);

_Noreturn void clients_fail(const char *what);

#endif
