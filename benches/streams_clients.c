/* SPDX-License-Identifier: MIT */
#include "streams_clients.h"

#include "machine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PER_ADDRESS 1000
#define TEXT_BYTES  (1 << 16)

void clients_fail(const char *what)
{
    (void)fprintf(stderr, "bench_streams: %s\n", what);
    exit(1);
}

static void send_all(int fd, const void *bytes, size_t len)
{
    if (send(fd, bytes, len, MSG_NOSIGNAL) != (ssize_t)len) clients_fail("send");
}

static int connect_from(int number, uint16_t port)
{
    struct sockaddr_in from = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(0x7f000002u + (uint32_t)(number / PER_ADDRESS)) };
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    if (fd < 0 || bind(fd, (struct sockaddr *)&from, sizeof(from)) != 0
        || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        clients_fail(strerror(errno));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

static void upgrade(int fd)
{
    static const char request[] =
        "GET /ws/spot HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    char   answer[512];
    size_t len = 0;

    send_all(fd, request, sizeof(request) - 1);
    for (;;) {
        ssize_t got = recv(fd, answer + len, sizeof(answer) - 1 - len, 0);
        if (got <= 0) clients_fail("no answer to an upgrade");
        len += (size_t)got;
        answer[len] = '\0';
        if (strstr(answer, "\r\n\r\n") != NULL) break;
    }
    if (strncmp(answer, "HTTP/1.1 101", 12) != 0) clients_fail(answer);
}

static void say(int fd, const char *op, const char *channel)
{
    char    payload[160];
    uint8_t frame[200] = { 0x81 };
    int     len =
        snprintf(payload, sizeof(payload),
                 "{\"op\":\"%s\",\"id\":1,\"params\":{\"channel\":\"%s\",\"symbol\":\"vBTC_vUSDC\"}}", op, channel);

    if (len >= 126) clients_fail("a long channel");
    frame[1] = (uint8_t)(0x80 | len); /* masked with zeros */
    memcpy(frame + 6, payload, (size_t)len);
    send_all(fd, frame, 6 + (size_t)len);
}

void clients_open(struct stream_clients *clients, uint16_t port, int count, const char *const *channels)
{
    memset(clients, 0, sizeof(*clients));
    clients->clients = calloc((size_t)count, sizeof(*clients->clients));
    clients->poll = epoll_create1(EPOLL_CLOEXEC);
    if (clients->clients == NULL || clients->poll < 0) clients_fail("memory");
    for (clients->count = 0; clients->count < count; clients->count++) {
        struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t)clients->count };
        int                fd = connect_from(clients->count, port);
        clients->clients[clients->count].fd = fd;
        if (channels != NULL) upgrade(fd);
        for (const char *const *channel = channels; channel != NULL && *channel != NULL; channel++)
            say(fd, "subscribe", *channel);
        if (epoll_ctl(clients->poll, EPOLL_CTL_ADD, fd, &event) != 0) clients_fail("epoll");
    }
}

void clients_say(struct stream_clients *clients, const char *op, const char *const *channels)
{
    for (int i = 0; i < clients->count; i++)
        for (const char *const *channel = channels; *channel != NULL; channel++)
            say(clients->clients[i].fd, op, *channel);
}

void clients_look(struct stream_clients *clients)
{
    clients->clients[0].text = malloc(TEXT_BYTES + 1);
    if (clients->clients[0].text == NULL) clients_fail("memory");
}

/* The number of trades in a whole message. */
static void look(struct stream_clients *clients, struct stream_client *client)
{
    static const char updates[] = "{\"channel\":\"trade\",\"type\":\"update\"";
    const char       *at = client->text;

    client->text[client->len] = '\0';
    if (strncmp(at, updates, sizeof(updates) - 1) != 0) return;
    while ((at = strstr(at, "\"t\":")) != NULL) {
        uint64_t id = strtoull(at + 4, NULL, 10), last = atomic_load(&clients->last_trade);
        if (last != 0 && id != last + 1) clients_fail("a trade was not told");
        if (last == 0) atomic_store(&clients->first_trade, id);
        atomic_store(&clients->last_trade, id);
        at += 4;
    }
}

static uint32_t head_bytes(const struct stream_client *client)
{
    return client->head_len < 2 ? 2 : client->head[1] == 126 ? 4 : client->head[1] == 127 ? 10 : 2;
}

static void begin_frame(struct stream_client *client)
{
    uint32_t bytes = head_bytes(client);

    client->left = bytes == 2 ? client->head[1] : 0;
    for (uint32_t i = 2; i < bytes; i++) client->left = client->left << 8 | client->head[i];
    client->len = 0;
}

/* Walks along frames; counts those that are whole. */
static uint64_t walk(struct stream_clients *clients, struct stream_client *client, const uint8_t *at, size_t len)
{
    uint64_t whole = 0;

    while (len != 0) {
        if (client->head_len < head_bytes(client)) {
            client->head[client->head_len++] = *at++;
            len--;
            if (client->head_len == head_bytes(client)) begin_frame(client);
            continue;
        }
        size_t part = client->left < len ? (size_t)client->left : len;
        if (client->text != NULL && client->len + part <= TEXT_BYTES) {
            memcpy(client->text + client->len, at, part);
            client->len += part;
        }
        client->left -= part;
        at += part;
        len -= part;
        if (client->left != 0) continue;
        whole += client->head[0] == 0x81;
        client->head_len = 0;
        if (client->text != NULL) look(clients, client);
    }
    return whole;
}

static void drain(struct stream_clients *clients, struct stream_client *client)
{
    static _Thread_local uint8_t room[1 << 16];
    ssize_t                      got = recv(client->fd, room, sizeof(room), MSG_DONTWAIT);
    uint64_t                     whole;

    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) clients_fail("a subscriber was closed");
    whole = walk(clients, client, room, (size_t)got);
    atomic_fetch_add_explicit(&clients->messages, whole, memory_order_relaxed);
    atomic_fetch_add_explicit(&clients->bytes, (uint64_t)got, memory_order_relaxed);
}

/* Off the sender's core: a receiver on that core and one on this core cost the sender differently. */
static void stand_aside(void)
{
    long      cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;

    CPU_ZERO(&set);
    for (long i = cores > 1 ? 1 : 0; i < cores; i++) CPU_SET((size_t)i, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/* Looks now and then instead of being woken by every message. */
void *clients_run(void *argument)
{
    struct stream_clients *clients = argument;
    struct epoll_event     ready[1024];
    struct timespec        nap = { 0, 1000000 };

    (void)prctl(PR_SET_TIMERSLACK, 1);
    stand_aside();
    while (!atomic_load(&clients->stop)) {
        int count = epoll_wait(clients->poll, ready, 1024, 0);
        for (int i = 0; i < count; i++) drain(clients, &clients->clients[ready[i].data.u32]);
        if (count <= 0) (void)nanosleep(&nap, NULL);
    }
    return NULL;
}

void clients_close(struct stream_clients *clients)
{
    for (int i = 0; i < clients->count; i++) {
        (void)close(clients->clients[i].fd);
        free(clients->clients[i].text);
    }
    (void)close(clients->poll);
    free(clients->clients);
}

/* ---- the same bytes without an exchange ---- */

static int listen_here(struct sockaddr_in *address)
{
    socklen_t len = sizeof(*address);
    int       fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    *address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (fd < 0 || bind(fd, (struct sockaddr *)address, len) != 0 || listen(fd, 1024) != 0
        || getsockname(fd, (struct sockaddr *)address, &len) != 0)
        clients_fail("cannot listen");
    return fd;
}

double clients_bare_send(int sockets, size_t bytes, int rounds, double per_second)
{
    struct stream_clients clients = { .clients = calloc((size_t)sockets, sizeof(*clients.clients)),
                                      .count = sockets,
                                      .poll = epoll_create1(EPOLL_CLOEXEC) };
    int                  *ends = calloc((size_t)sockets, sizeof(int));
    uint8_t               frame[256] = { 0x81, 126 };
    struct sockaddr_in    address;
    pthread_t             thread;
    double                spent = 0;
    int                   door = listen_here(&address), one = 1;

    if (clients.clients == NULL || ends == NULL || bytes > sizeof(frame) || bytes < 130) clients_fail("memory");
    frame[2] = 0, frame[3] = (uint8_t)(bytes - 4);
    for (int i = 0; i < sockets; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t)i };
        clients.clients[i].fd = connect_from(i, ntohs(address.sin_port));
        ends[i] = accept(door, NULL, NULL);
        if (ends[i] < 0 || epoll_ctl(clients.poll, EPOLL_CTL_ADD, clients.clients[i].fd, &event) != 0)
            clients_fail("accept");
        (void)setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    }
    if (pthread_create(&thread, NULL, clients_run, &clients) != 0) clients_fail("thread");
    for (int round = 0; round < rounds; round++) {
        double began;
        (void)usleep((useconds_t)(1e6 / per_second));
        began = (double)bench_thread_ns();
        for (int i = 0; i < sockets; i++) send_all(ends[i], frame, bytes);
        spent += (double)bench_thread_ns() - began;
        while (atomic_load(&clients.messages) < (uint64_t)(round + 1) * (uint64_t)sockets) (void)usleep(200);
    }
    atomic_store(&clients.stop, true);
    (void)pthread_join(thread, NULL);
    for (int i = 0; i < sockets; i++) (void)close(ends[i]);
    (void)close(door);
    free(ends);
    clients_close(&clients);
    return spent / rounds / sockets;
}
