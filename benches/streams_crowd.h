/* SPDX-License-Identifier: MIT */
/* streams_crowd.h — many WebSocket connections that only listen, drained by one thread. */
#ifndef BENCH_STREAMS_CROWD_H
#define BENCH_STREAMS_CROWD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crowd_client {
    int      fd;
    uint8_t  head[10], head_len;    /* of the frame at hand                       */
    uint64_t left;                  /* bytes of its payload                       */
    char    *text;                  /* of the one that is looked into, else NULL  */
    size_t   len;
};

struct crowd {
    struct crowd_client *clients;
    int                  count, poll;
    _Atomic uint64_t     messages, bytes;       /* frames with text, and all bytes */
    _Atomic uint64_t     first_trade, last_trade;   /* that the first client was told of, when it looks */
    _Atomic bool         stop;
};

/* Connects `count` clients to /ws/spot, 1000 from each loopback address, and subscribes each to the channels; exits when it cannot. */
void crowd_open(struct crowd *crowd, uint16_t port, int count, const char *const *channels);
/* Subscribes or unsubscribes all of them. */
void crowd_say(struct crowd *crowd, const char *op, const char *const *channels);
/* The first client looks into `trade` messages: exits when one of the trades is missing or out of order. */
void crowd_look(struct crowd *crowd);
/* A thread's work, until stop. */
void *crowd_run(void *crowd);
void crowd_close(struct crowd *crowd);

/* Sends the same bytes to pairs of sockets of our own, so many rounds a second; CPU nanoseconds of one send. */
double crowd_bare_send(int sockets, size_t bytes, int rounds, double per_second);

_Noreturn void crowd_fail(const char *what);

#endif
