/* SPDX-License-Identifier: MIT */
#include "streams_trade.h"
#include "machine.h"
#include "streams_clients.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MAX 64
#define REPLY_BYTES     32768
#define PATIENCE_NS     INT64_C(10000000000)

/* ---- requests ---- */

static size_t write_body(char *text, size_t cap, size_t number, uint32_t orders)
{
    size_t account = number % BENCH_ACCOUNTS,
           len = (size_t)snprintf(text, cap, "{\"accountID\":%zu,\"orders\":[", BENCH_FIRST_ACCOUNT + account);

    for (uint32_t i = 0; i < orders; i++)
        len += (size_t)snprintf(text + len, cap - len,
                                "%s{\"symbolID\":1,\"clOrdID\":\"s%zu-%u\",\"side\":%d,\"type\":1,\"timeInForce\":1,"
                                "\"price\":\"100000\",\"quantity\":\"0.00006\"}",
                                i == 0 ? "" : ",", number, i, account % 2 == 0 ? 2 : 1);
    len += (size_t)snprintf(text + len, cap - len, "]}");
    if (len >= cap) clients_fail("a long body");
    return len;
}

struct trade_request *trade_requests(const struct bench_account *accounts, uint64_t nonce, size_t from, size_t count,
                                     uint32_t orders)
{
    static const char     type[] = "batchNewOrder";
    struct hash256        separator = domain_separator(DOMAIN_SPOT, BENCH_CHAIN_ID);
    struct trade_request *requests = calloc(count, sizeof(*requests));
    size_t                cap = 200 + 140 * (size_t)orders;
    char                 *body = malloc(cap), sign[SIGNATURE_TEXT];

    if (requests == NULL || body == NULL) clients_fail("memory");
    for (size_t i = 0; i < count; i++) {
        size_t           len = write_body(body, cap, from + i, orders);
        struct hash256   payload = payload_hash((struct slice){ type, sizeof(type) - 1 }, (struct slice){ body, len });
        struct hash256   digest = action_digest(&separator, &payload, nonce + i);
        struct signature signature;
        int              written;

        if (!sign_digest(&digest, accounts[(from + i) % BENCH_ACCOUNTS].secret, 1, &signature)) clients_fail("sign");
        signature_write(&signature, sign);
        requests[i].text = malloc(len + 400);
        if (requests[i].text == NULL) clients_fail("memory");
        written = snprintf(requests[i].text, len + 400,
                           "POST /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           "Content-Type: application/json\r\nX-API-Nonce: %" PRIu64
                           "\r\nX-API-Sign: %.*s\r\nContent-Length: %zu\r\n\r\n%.*s",
                           nonce + i, SIGNATURE_TEXT, sign, len, (int)len, body);
        if (written < 0 || (size_t)written >= len + 400) clients_fail("a long request");
        requests[i].len = (uint32_t)written;
    }
    free(body);
    return requests;
}

void trade_forget(struct trade_request *requests, size_t count)
{
    for (size_t i = 0; i < count; i++) free(requests[i].text);
    free(requests);
}

/* ---- traffic ---- */

struct line {
    int    fd;
    bool   busy;
    size_t filled;
    char   reply[REPLY_BYTES];
};

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int                one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) clients_fail("cannot connect");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return fd;
}

/* True when the answer is whole; it has to be good. */
static bool take_reply(struct line *line)
{
    ssize_t     got = recv(line->fd, line->reply + line->filled, REPLY_BYTES - 1 - line->filled, MSG_DONTWAIT);
    const char *end, *length;

    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) clients_fail("a trader was closed");
    line->filled += (size_t)got;
    line->reply[line->filled] = '\0';
    end = strstr(line->reply, "\r\n\r\n");
    length = end == NULL ? NULL : strcasestr(line->reply, "\r\ncontent-length:");
    if (length == NULL || line->filled < (size_t)(end + 4 - line->reply) + strtoul(length + 17, NULL, 10)) return false;
    if (strncmp(line->reply, "HTTP/1.1 200", 12) != 0 || strncmp(end + 4, "{\"code\":0,", 10) != 0)
        clients_fail(line->reply);
    for (const char *at = end; (at = strstr(at, "\"code\":")) != NULL; at += 7)
        if (at[7] != '0') clients_fail(line->reply);
    line->busy = false;
    return true;
}

static void send_request(struct line *line, const struct trade_request *request)
{
    line->busy = true;
    line->filled = 0;
    if (send(line->fd, request->text, request->len, MSG_NOSIGNAL) != (ssize_t)request->len) clients_fail("send");
}

/*
 * Whether to send the next request now. At a pace, they are sent at equal distances; a delayed sender catches up at
 * twice the pace, not all at once.
 */
struct pace {
    double  per_second;
    int64_t began_ns, sent_ns;
};

static bool is_due(struct pace *pace, size_t sent)
{
    int64_t now_ns = bench_ns();

    if (pace->per_second == 0) return true;
    if ((double)(now_ns - pace->began_ns) * 1e-9 * pace->per_second < (double)sent
        || (double)(now_ns - pace->sent_ns) * 1e-9 * pace->per_second < 0.5)
        return false;
    pace->sent_ns = now_ns;
    return true;
}

struct trade_result trade_run(uint16_t port, int connections, const struct trade_request *requests, size_t count,
                              double per_second)
{
    static struct line lines[CONNECTIONS_MAX];
    struct epoll_event ready[CONNECTIONS_MAX];
    struct timespec    nap = { 0, 30000 };
    size_t             sent = 0, answered = 0;
    int                poll = epoll_create1(EPOLL_CLOEXEC);
    int64_t            began_ns = bench_ns(), heard_ns = began_ns;
    struct pace        pace = { per_second, began_ns, 0 };

    for (int i = 0; i < connections; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &lines[i] };
        lines[i].busy = false;
        lines[i].fd = connect_to(port);
        if (epoll_ctl(poll, EPOLL_CTL_ADD, lines[i].fd, &event) != 0) clients_fail("epoll");
    }
    (void)prctl(PR_SET_TIMERSLACK, 1);
    while (answered < count) {
        int got = epoll_wait(poll, ready, CONNECTIONS_MAX, 0);
        for (int i = 0; i < got; i++) answered += take_reply(ready[i].data.ptr);
        for (int i = 0; i < connections && sent < count; i++)
            if (!lines[i].busy && is_due(&pace, sent)) send_request(&lines[i], &requests[sent++]);
        if (got > 0) heard_ns = bench_ns();
        else if (bench_ns() - heard_ns > PATIENCE_NS) clients_fail("no answers any more");
        else (void)nanosleep(&nap, NULL);
    }
    for (int i = 0; i < connections; i++) (void)close(lines[i].fd);
    (void)close(poll);
    return (struct trade_result){ answered, (double)(bench_ns() - began_ns) * 1e-9 };
}
