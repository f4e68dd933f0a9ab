/* SPDX-License-Identifier: MIT */
#include "http_load.h"

#include "machine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1024
#define OF_AN_ADDRESS   128 /* an exchange takes 256 of one (connectionsPerAddress), the warm-up's beside them */
#define REPLY_BYTES     32768
#define GIVE_UP_SECONDS 10
#define NAP_NS          200000 /* a tenth of the time of a response in these benchmarks */
#define AGAIN_SECONDS   0.01   /* pause after the response that the server is busy */

struct connection {
    int    socket;
    size_t request;          /* the outstanding request */
    double due_at, again_at; /* again_at: when a shed request is sent again, 0 = there is none */
    size_t filled;
    char   reply[REPLY_BYTES];
};

struct load {
    const struct bench_request *requests;
    size_t                      next, end, count;
    int                         poll, sent_away; /* sent_away: connections that wait for their again_at */
    float                      *latency_us;
    struct load_result         *result;
};

double bench_now(void) { return (double)bench_ns() * 1e-9; }

/* From 127.0.0.1 or a later address: `number` is the number of the connection. */
int load_connect(uint16_t port, int number)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_in own = { .sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(number / OF_AN_ADDRESS)) };
    int                one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) return -1;
    if (number >= OF_AN_ADDRESS && bind(fd, (struct sockaddr *)&own, sizeof(own)) != 0) {
        (void)close(fd);
        return -1;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

bool load_probe(uint16_t port, const char *path)
{
    char text[512];
    int  fd = load_connect(port, 0),
        len = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
    bool good = fd >= 0 && write(fd, text, (size_t)len) == len && read(fd, text, sizeof(text)) > 12
             && memcmp(text + 9, "200", 3) == 0;

    if (fd >= 0) (void)close(fd);
    return good;
}

/* A request fits the socket's buffer, because it is the only one outstanding. */
static void send_request(struct load *load, struct connection *connection)
{
    const struct bench_request *request = &load->requests[connection->request];

    connection->filled = 0;
    if (send(connection->socket, request->text, request->len, MSG_NOSIGNAL) != (ssize_t)request->len)
        load->result->wrong++;
}

/* Sends the next request. */
static void send_next(struct load *load, struct connection *connection)
{
    if (load->next == load->end) return;
    connection->due_at = bench_now();
    connection->request = load->next++;
    send_request(load, connection);
}

/* A busy server has not used the nonce: the same bytes are sent again, and the latency goes on counting. */
static bool is_sent_away(const struct connection *connection)
{
    return memcmp(connection->reply, "HTTP/1.1 503", 12) == 0;
}

static void send_again(struct load *load, struct connection *connections, int count)
{
    for (int i = 0; load->sent_away != 0 && i < count; i++) {
        if (connections[i].again_at == 0 || connections[i].again_at > bench_now()) continue;
        connections[i].again_at = 0;
        load->sent_away -= 1;
        send_request(load, &connections[i]);
    }
}

size_t load_reply_bytes(char *reply, size_t filled, const char **body)
{
    char *end, *length;

    reply[filled] = 0;
    end = strstr(reply, "\r\n\r\n");
    if (!end) return 0;
    length = strcasestr(reply, "\r\ncontent-length:");
    if (!length || length > end) return 0;
    *body = end + 4;
    size_t total = (size_t)(end + 4 - reply) + strtoul(length + 17, NULL, 10);
    return filled >= total ? total : 0;
}

bool load_reply_good(const struct bench_request *request, const char *reply, const char *body)
{
    uint32_t items = 0;
    char     item[80];

    if (memcmp(reply, "HTTP/1.1 200", 12) != 0 || strncmp(body, "{\"code\":0,", 10) != 0) return false;
    if (request->orders == 0) return true;
    (void)snprintf(item, sizeof(item), "\"data\":[{\"code\":0,\"clOrdID\":\"h%zu\",\"orderID\":", request->first);
    if (strstr(body, item) == NULL) return false;
    for (const char *at = body + 10; (at = strstr(at, "{\"code\":0,")) != NULL; at += 10) items += 1;
    return items == request->orders;
}

static void judge(struct load *load, struct connection *connection, const char *body)
{
    struct load_result *result = load->result;

    load->latency_us[result->answered++] = (float)((bench_now() - connection->due_at) * 1e6);
    if (load_reply_good(&load->requests[connection->request], connection->reply, body)) return;
    if (result->wrong++ == 0)
        (void)snprintf(result->first_wrong, sizeof(result->first_wrong), "%.500s", connection->reply);
}

/* False when the connection has ended. */
static bool receive(struct load *load, struct connection *connection)
{
    const char *body;
    ssize_t got = recv(connection->socket, connection->reply + connection->filled, REPLY_BYTES - 1 - connection->filled,
                       MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got <= 0) {
        load->result->wrong++;
        (void)snprintf(load->result->first_wrong, sizeof(load->result->first_wrong), "connection closed");
        return false;
    }
    connection->filled += (size_t)got;
    if (load_reply_bytes(connection->reply, connection->filled, &body) == 0) return true;
    if (is_sent_away(connection)) {
        connection->again_at = bench_now() + AGAIN_SECONDS;
        load->sent_away += 1;
        load->result->again += 1;
    } else {
        judge(load, connection, body);
        send_next(load, connection);
    }
    return true;
}

static int compare_latency(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/*
 * Looks every 200 us instead of sleeping in epoll_wait: a sleeper has to be woken by every single answer, and on a
 * virtual machine the waking (an interrupt to another core) costs the server more than the answer.
 */
static void run_until_done(struct load *load, struct connection *connections, int open)
{
    struct epoll_event ready[CONNECTIONS_MAX];
    struct timespec    nap = { 0, NAP_NS };
    double             heard_at = bench_now();

    (void)prctl(PR_SET_TIMERSLACK, 1); /* else a nap is 50 us longer */
    while (load->result->answered < load->count && bench_now() - heard_at < GIVE_UP_SECONDS) {
        int count = epoll_wait(load->poll, ready, CONNECTIONS_MAX, 0);

        send_again(load, connections, open);
        if (count <= 0) {
            (void)nanosleep(&nap, NULL);
            continue;
        }
        heard_at = bench_now();
        for (int i = 0; i < count; i++)
            if (!receive(load, ready[i].data.ptr)) return;
    }
}

static bool open_connections(struct load *load, struct connection *connections, int count, uint16_t port)
{
    for (int i = 0; i < count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &connections[i] };
        connections[i].again_at = 0;
        connections[i].socket = load_connect(port, i);
        if (connections[i].socket < 0 || epoll_ctl(load->poll, EPOLL_CTL_ADD, connections[i].socket, &event) != 0)
            return false;
    }
    return true;
}

static double percentile(const float *latency_us, size_t count, size_t thousandths)
{
    return (double)latency_us[count * thousandths / 1000];
}

void load_percentiles(struct load_result *result, float *latency_us)
{
    size_t count = result->answered;

    if (count == 0) return;
    qsort(latency_us, count, sizeof(float), compare_latency);
    result->p50_us = percentile(latency_us, count, 500);
    result->p90_us = percentile(latency_us, count, 900);
    result->p99_us = percentile(latency_us, count, 990);
    result->p999_us = percentile(latency_us, count, 999);
    result->max_us = (double)latency_us[count - 1];
}

bool load_run(uint16_t port, int connections, const struct bench_request *requests, size_t first, size_t count,
              struct load_result *result)
{
    static struct connection all[CONNECTIONS_MAX];
    struct load              load = { .requests = requests,
                                      .next = first,
                                      .end = first + count,
                                      .count = count,
                                      .poll = epoll_create1(EPOLL_CLOEXEC),
                                      .result = result,
                                      .latency_us = calloc(count + 1, sizeof(float)) };

    *result = (struct load_result){ 0 };
    if (connections > CONNECTIONS_MAX || !load.latency_us || !open_connections(&load, all, connections, port))
        return false;
    double began = bench_now();
    for (int i = 0; i < connections; i++) send_next(&load, &all[i]);
    run_until_done(&load, all, connections);
    result->seconds = bench_now() - began;
    load_percentiles(result, load.latency_us);
    for (int i = 0; i < connections; i++) (void)close(all[i].socket);
    (void)close(load.poll);
    free(load.latency_us);
    return true;
}
