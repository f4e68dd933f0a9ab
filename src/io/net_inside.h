/* SPDX-License-Identifier: MIT */
/* net_inside.h — the listening address and who is connected, shared by all loops (net_door.c), for the loop (net.c). */
#ifndef IO_NET_INSIDE_H
#define IO_NET_INSIDE_H

#include "io/net.h"

#include <pthread.h>
#include <sys/socket.h>

struct peer { uint8_t bytes[16]; };             /* IPv4 as ::ffff:a.b.c.d */
struct seat { struct peer peer; uint32_t count; };  /* connections of an address; 0 = free */

struct net_listener {
    int             handle, reserve;            /* reserve: a file number to give up when there are no more */
    uint16_t        port;
    uint32_t        connections, per_address, count;
    struct slice  (*refusal)(void);
    pthread_mutex_t lock;
    struct seat    *seats;                      /* by address, mask + 1 of them: twice as many as there are connections, or more */
    uint32_t        mask;
};

struct peer peer_of(const struct sockaddr_storage *address);
void        peer_text(const struct peer *peer, char text[48]);

/* Counts a new connection in, unless one of the caps is reached. Whatever the number of connections it costs a look or two. */
bool listener_admit(struct net_listener *listener, const struct peer *peer);
/* It has ended. */
void listener_release(struct net_listener *listener, const struct peer *peer);
/* Says no: the refusal is a courtesy and goes only if the socket takes it at once. */
void listener_refuse(const struct net_listener *listener, int handle);
/* No file numbers left: the one in reserve lets us take the peer off the queue and hang up. */
void listener_hang_up(struct net_listener *listener);

#endif
