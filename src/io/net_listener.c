/* SPDX-License-Identifier: MIT */
/* net_listener.c — the listening address, and how many are connected from where. */
#include "io/net_inside.h"

#include "io/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BACKLOG      4096  /* a client whose SYN is dropped sends it again after one, two and four seconds */
#define SILENT_MS    30000 /* a peer that confirms nothing for so long is gone: TCP_USER_TIMEOUT (ruling 76) */
#define SHARE_SILENT 256   /* one choice closes up to 1 + 1/256 of all slots while connections have sent nothing, */
#define SHARE_OTHERS 1024  /* otherwise 1 + 1/1024: finding several takes as long as finding one */

/* ---- peers ---- */

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

/* ---- connections come and go ---- */

bool listener_join(struct net_listener *listener, struct net *net)
{
    bool joins;

    (void)pthread_mutex_lock(&listener->lock);
    joins = listener->loop_count < NET_LOOPS_MAX;
    if (joins) listener->loops[listener->loop_count++] = net;
    (void)pthread_mutex_unlock(&listener->lock);
    return joins;
}

void listener_part(struct net_listener *listener, struct net *net)
{
    (void)pthread_mutex_lock(&listener->lock);
    for (uint32_t i = 0; i < listener->loop_count; i++)
        if (listener->loops[i] == net) listener->loops[i] = listener->loops[--listener->loop_count];
    (void)pthread_mutex_unlock(&listener->lock);
}

static bool is_proxy(const struct net_listener *listener, const struct peer *peer)
{
    return listener->place.is_proxy != NULL && listener->place.is_proxy(listener->place.self, peer->bytes);
}

uint32_t listener_admit(struct net_listener *listener, const struct peer *peer, struct net *net)
{
    bool     proxy = is_proxy(listener, peer);
    uint32_t entry;

    (void)pthread_mutex_lock(&listener->lock);
    entry = peer_table_enter(&listener->peers, peer, proxy, net, net_now_ms(net));
    (void)pthread_mutex_unlock(&listener->lock);
    return entry;
}

bool listener_move(struct net_listener *listener, uint32_t entry, const struct peer *peer)
{
    bool proxy = is_proxy(listener, peer), moved;

    (void)pthread_mutex_lock(&listener->lock);
    moved = peer_table_move(&listener->peers, entry, peer, proxy);
    (void)pthread_mutex_unlock(&listener->lock);
    return moved;
}

void listener_release(struct net_listener *listener, uint32_t entry)
{
    (void)pthread_mutex_lock(&listener->lock);
    if (atomic_load_explicit(&listener_entry(listener, entry)->must_close, memory_order_relaxed) != 0)
        listener->leaving -= 1;
    peer_table_leave(&listener->peers, entry);
    (void)pthread_mutex_unlock(&listener->lock);
}

/* Under the lock. */
static void dismiss(struct net_listener *listener, int64_t now_ms)
{
    uint32_t chosen[PEERS_CHOSEN_MAX],
        share = peer_table_have_silent(&listener->peers, now_ms) ? SHARE_SILENT : SHARE_OTHERS;
    uint32_t most = min_u32(PEERS_CHOSEN_MAX, 1 + listener->place.connections / share);

    if (listener->leaving != 0) return;
    listener->leaving = peer_table_choose(&listener->peers, now_ms, chosen, most);
    atomic_fetch_add_explicit(&listener->tally.dismissed, listener->leaving, memory_order_relaxed);
    for (uint32_t i = 0; i < listener->leaving; i++) {
        struct peer_entry *entry = listener_entry(listener, chosen[i]);
        struct net        *net = entry->net;
        atomic_store_explicit(&entry->must_close, 1, memory_order_release);
        atomic_store_explicit(&net->dismissals, 1, memory_order_release);
        net_wake(net);
    }
}

/* Another loop may have been quicker. */
static bool somebody_waits(const struct net_listener *listener)
{
    struct pollfd listener_poll = { listener->handle, POLLIN, 0 };

    return poll(&listener_poll, 1, 0) == 1;
}

bool listener_is_full(struct net_listener *listener, int64_t now_ms)
{
    bool full;

    (void)pthread_mutex_lock(&listener->lock);
    full = peer_table_are_full(&listener->peers);
    if (full && somebody_waits(listener)) dismiss(listener, now_ms);
    (void)pthread_mutex_unlock(&listener->lock);
    return full;
}

void listener_counts_reset(struct net_listener *listener)
{
    atomic_fetch_add_explicit(&listener->tally.reset, 1, memory_order_relaxed);
}

const struct net_tally *net_tally(const struct net_listener *listener) { return &listener->tally; }

/* ---- the address ---- */

/* Options set on the listening socket hold for every accepted connection. */
static void set_bounds(int handle, const struct net_address *place)
{
    const int one = 1, send = (int)place->send_bytes, receive = (int)place->receive_bytes, silent_ms = SILENT_MS;

    (void)setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    (void)setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &send, sizeof(send));
    (void)setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive));
    (void)setsockopt(handle, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof(silent_ms));
}

static int listen_on(const struct addrinfo *address, struct net_listener *listener)
{
    struct sockaddr_storage bound;
    socklen_t               len = sizeof(bound);
    int                     handle = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

    if (handle < 0) return -1;
    set_bounds(handle, &listener->place);
    if (bind(handle, address->ai_addr, address->ai_addrlen) == 0 && listen(handle, BACKLOG) == 0
        && getsockname(handle, (struct sockaddr *)&bound, &len) == 0) {
        listener->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
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

/*
 * libuv from 1.46 on (Debian 13) sends its changes of epoll through a ring of io_uring, without a switch against it. It
 * aborts when the sandbox refuses a ring that it has, and a loop that looks at its epoll itself (net_loop.c, is_ready)
 * misses what waits in one. Without rings libuv calls epoll_ctl. Where the kernel has no filters there is no sandbox
 * either, and nothing more can be done.
 */
static void leave_out_rings(void)
{
    const unsigned first = 1u << 16 | 46u << 8;
    int            error = uv_version() >= first ? sandbox_refuse_rings() : 0;

    (void)error;
}

struct net_listener *net_listen(const struct net_address *place, struct net_fault *fault)
{
    struct addrinfo      hints = { .ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
    struct addrinfo     *found = NULL;
    struct net_listener *listener = calloc(1, sizeof(*listener));
    char                 service[8];
    int                  error;

    assert(listener != NULL);
    leave_out_rings();
    listener->place = *place;
    (void)snprintf(service, sizeof(service), "%u", place->port);
    error = getaddrinfo(place->host, service, &hints, &found);
    if (error != 0) {
        fault_set(fault, EADDRNOTAVAIL, place->host, place->port, gai_strerror(error));
        free(listener);
        return NULL;
    }
    errno = ENOMEM;
    listener->handle =
        peer_table_open(&listener->peers, place->connections, place->per_address) ? listen_on(found, listener) : -1;
    error = errno;
    freeaddrinfo(found);
    if (listener->handle < 0) {
        fault_set(fault, error, place->host, place->port, strerror(error));
        peer_table_close(&listener->peers);
        free(listener);
        return NULL;
    }
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
    peer_table_close(&listener->peers);
    free(listener);
}

/* ---- connections that find no slot ---- */

void listener_refuse(const struct net_listener *listener, int handle)
{
    if (listener->place.refusal != NULL) {
        struct slice text = listener->place.refusal();
        (void)!send(handle, text.at, text.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)shutdown(handle, SHUT_WR);
    }
    (void)close(handle);
}

void listener_hang_up(struct net_listener *listener, int64_t now_ms)
{
    int handle;

    (void)pthread_mutex_lock(&listener->lock);
    dismiss(listener, now_ms);
    if (listener->reserve >= 0) (void)close(listener->reserve);
    handle = accept4(listener->handle, NULL, NULL, SOCK_CLOEXEC);
    if (handle >= 0) (void)close(handle);
    listener->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)pthread_mutex_unlock(&listener->lock);
}
