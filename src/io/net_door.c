/* SPDX-License-Identifier: MIT */
/* net_door.c — the listening address, and how many are connected from where. */
#include "io/net_inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BACKLOG        4096     /* who does not find room is silent for a second, then for two, then for four: SYNs are sent again */
#define KERNEL_BYTES   131072   /* what is sent to a connection that is not read waits with the peer, not here  */

/* ---- peers, and their seats ---- */

struct peer peer_of(const struct sockaddr_storage *address)
{
    struct peer peer = { { 0 } };

    if (address->ss_family == AF_INET6) {
        memcpy(peer.bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    } else if (address->ss_family == AF_INET) {
        peer.bytes[10] = peer.bytes[11] = 0xff;
        memcpy(peer.bytes + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    }
    return peer;
}

void peer_text(const struct peer *peer, char text[48])
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

    if (memcmp(peer->bytes, mapped, 12) == 0) (void)inet_ntop(AF_INET, peer->bytes + 12, text, 48);
    else (void)inet_ntop(AF_INET6, peer->bytes, text, 48);
}

static uint32_t seat_home(const struct net_listener *listener, const struct peer *peer)
{
    uint64_t words[2];

    memcpy(words, peer->bytes, sizeof(words));
    return (uint32_t)(((words[0] * UINT64_C(0x9E3779B97F4A7C15) ^ words[1]) * UINT64_C(0xD6E8FEB86659FD93)) >> 32) & listener->mask;
}

/* The seat of an address, or the free one where it would be. */
static uint32_t seat_of(const struct net_listener *listener, const struct peer *peer)
{
    uint32_t at = seat_home(listener, peer);

    while (listener->seats[at].count != 0 && memcmp(&listener->seats[at].peer, peer, sizeof(*peer)) != 0) at = (at + 1) & listener->mask;
    return at;
}

bool listener_admit(struct net_listener *listener, const struct peer *peer)
{
    struct seat *seat;
    bool         admitted;

    (void)pthread_mutex_lock(&listener->lock);
    seat = &listener->seats[seat_of(listener, peer)];
    admitted = listener->count < listener->connections && seat->count < listener->per_address;
    if (admitted) {
        seat->peer = *peer;
        seat->count += 1;
        listener->count += 1;
    }
    (void)pthread_mutex_unlock(&listener->lock);
    return admitted;
}

/* Nobody is there from that address any more: who stands behind the hole moves up if it stands there because of it. */
static void seat_leave(struct net_listener *listener, uint32_t hole)
{
    struct seat *seats = listener->seats;

    for (uint32_t at = (hole + 1) & listener->mask; seats[at].count != 0; at = (at + 1) & listener->mask) {
        uint32_t home = seat_home(listener, &seats[at].peer);
        if (((at - home) & listener->mask) < ((at - hole) & listener->mask)) continue;
        seats[hole] = seats[at];
        seats[at].count = 0;
        hole = at;
    }
}

void listener_release(struct net_listener *listener, const struct peer *peer)
{
    uint32_t at;

    (void)pthread_mutex_lock(&listener->lock);
    at = seat_of(listener, peer);
    assert(listener->seats[at].count != 0 && listener->count != 0);
    listener->count -= 1;
    listener->seats[at].count -= 1;
    if (listener->seats[at].count == 0) seat_leave(listener, at);
    (void)pthread_mutex_unlock(&listener->lock);
}

/* ---- the address ---- */

static int listen_on(const struct addrinfo *address, uint16_t *port)
{
    struct sockaddr_storage bound;
    socklen_t               len = sizeof(bound);
    int handle = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, kernel = KERNEL_BYTES, error;

    if (handle < 0) return -1;
    (void)setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    (void)setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &kernel, sizeof(kernel));
    if (bind(handle, address->ai_addr, address->ai_addrlen) == 0 && listen(handle, BACKLOG) == 0
        && getsockname(handle, (struct sockaddr *)&bound, &len) == 0) {
        *port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
                                                  : ((struct sockaddr_in *)(void *)&bound)->sin_port);
        return handle;
    }
    error = errno;
    (void)close(handle);
    errno = error;
    return -1;
}

static void fault_set(struct net_fault *fault, int code, const char *host, uint16_t port, const char *why)
{
    fault->code = code;
    (void)snprintf(fault->text, sizeof(fault->text), "%s:%u: %s", host, port, why);
}

struct net_listener *net_listen(const char *host, uint16_t port, uint32_t connections, uint32_t per_address,
                                struct slice (*refusal)(void), struct net_fault *fault)
{
    struct addrinfo      hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    struct addrinfo     *found = NULL;
    struct net_listener *listener = NULL;
    char                 service[8];
    int                  error;

    (void)snprintf(service, sizeof(service), "%u", port);
    error = getaddrinfo(host, service, &hints, &found);
    if (error != 0) {
        fault_set(fault, EADDRNOTAVAIL, host, port, gai_strerror(error));
        return NULL;
    }
    listener = calloc(1, sizeof(*listener));
    if (listener != NULL) {
        for (listener->mask = 1; listener->mask < 2 * connections; listener->mask = 2 * listener->mask + 1) continue;
        listener->seats = calloc((size_t)listener->mask + 1, sizeof(struct seat));
    }
    if (listener == NULL || listener->seats == NULL) errno = ENOMEM;
    else listener->handle = listen_on(found, &listener->port);
    error = errno;
    freeaddrinfo(found);
    if (listener == NULL || listener->seats == NULL || listener->handle < 0) {
        fault_set(fault, error, host, port, strerror(error));
        if (listener != NULL) free(listener->seats);
        free(listener);
        return NULL;
    }
    listener->connections = connections;
    listener->per_address = per_address;
    listener->refusal = refusal;
    listener->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)pthread_mutex_init(&listener->lock, NULL);
    return listener;
}

uint16_t net_port(const struct net_listener *listener) { return listener->port; }

void net_unlisten(struct net_listener *listener)
{
    (void)close(listener->handle);
    if (listener->reserve >= 0) (void)close(listener->reserve);
    (void)pthread_mutex_destroy(&listener->lock);
    free(listener->seats);
    free(listener);
}

/* ---- who cannot come in ---- */

void listener_refuse(const struct net_listener *listener, int handle)
{
    if (listener->refusal != NULL) {
        struct slice text = listener->refusal();
        (void)!send(handle, text.at, text.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)shutdown(handle, SHUT_WR);
    }
    (void)close(handle);
}

void listener_hang_up(struct net_listener *listener)
{
    int handle;

    (void)pthread_mutex_lock(&listener->lock);
    if (listener->reserve >= 0) (void)close(listener->reserve);
    handle = accept4(listener->handle, NULL, NULL, SOCK_CLOEXEC);
    if (handle >= 0) (void)close(handle);
    listener->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)pthread_mutex_unlock(&listener->lock);
}
