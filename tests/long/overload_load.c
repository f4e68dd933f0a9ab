/* SPDX-License-Identifier: MIT */
/*
 * overload_load — offers an exchange more signed orders than it can take, and counts the outcomes.
 *
 *     overload_load --addresses COUNT                        owners of the accounts 1001, 1002, … it will use
 *     overload_load PORT PID CONNECTIONS SECONDS FACTOR [plain]
 *
 * PID: of the exchange, for the time of its I/O threads. plain: sends new orders in place of cancels. The program may
 * be run again on the same exchange some seconds later: nonces and client ids begin with the clock.
 *
 * First it measures the capacity: 64 connections that always have two requests under way. Then it sends FACTOR times
 * as many requests a second over all connections for SECONDS, each at its scheduled time whatever the replies (an open
 * loop); one in 64 of them cancels a resting order, and 8 further connections only cancel, one every 20 ms each. Then
 * it repeats one shed request twice. All requests are signed beforehand. One line of JSON; capacity and goodput are
 * given per second, and per second of the I/O threads' processor time, a measure that other work on the machine does
 * not change.
 */
#include "crypto/crypto.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FIRST_ACCOUNT     1001
#define CHAIN_ID          31337
#define CANCELLERS        8
#define CANCEL_MS         20
#define CANCEL_EACH       64
#define CLOSED_PEERS      64
#define CLOSED_WINDOW     2
#define CAPACITY_REQUESTS 200 /* of each of these, for each of SECONDS: as many as take a few tenths of it */
#define REQUEST_MAX       16384
#define REPLY_MAX         65536
#define QUIET_SECONDS     10.0

/* A connection with its account and the requests it will send, one behind the other. */
struct peer {
    uint8_t  secret[32];
    uint64_t account, nonce;
    int      socket;
    char    *bytes; /* of all requests */
    size_t   len, cap, sent;
    size_t  *ends; /* in bytes, of each */
    double  *sent_at;
    bool    *cancels;                               /* of each, whether it is one */
    uint32_t count, room, due, under_way, answered; /* under_way: sent whole */
    uint32_t orders;                                /* the next one's number, for its id */
    char     reply[REPLY_MAX];
    size_t   filled;
    size_t   shed_at; /* 1 + the last that was sent away */
};

struct tally {
    uint32_t good, shed, wrong;
    double   last;
    float   *ms;
    char     first_wrong[300];
};

static struct hash256 separator;
static int            poll_handle;
static struct peer   *peers;
static uint32_t       peer_count;
static uint16_t       exchange_port;

static void fail(const char *what)
{
    (void)fprintf(stderr, "overload_load: %s\n", what);
    exit(2);
}

static double now(void)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static void secret_of(uint32_t number, uint8_t secret[32])
{
    char           text[32];
    struct hash256 hash = keccak256(text, (size_t)snprintf(text, sizeof(text), "overload account %u", number));

    memcpy(secret, hash.bytes, 32);
}

/* ---- requests ---- */

static void add_request(struct peer *peer, const char *method, const char *type, const char *body, size_t body_len)
{
    struct hash256 payload = payload_hash(slice_of(type), slice_make(body, body_len)),
                   digest = action_digest(&separator, &payload, peer->nonce);
    struct signature signature;
    char             sign[SIGNATURE_TEXT];
    int              len;

    if (peer->len + REQUEST_MAX > peer->cap)
        peer->bytes = realloc(peer->bytes, peer->cap = 2 * peer->cap + REQUEST_MAX);
    if (peer->count == peer->room) {
        peer->room = 2 * peer->room + 64;
        peer->ends = realloc(peer->ends, peer->room * sizeof(*peer->ends));
        peer->sent_at = realloc(peer->sent_at, peer->room * sizeof(*peer->sent_at));
        peer->cancels = realloc(peer->cancels, peer->room * sizeof(*peer->cancels));
    }
    if (!peer->bytes || !peer->ends || !peer->sent_at || !peer->cancels
        || !sign_digest(&digest, peer->secret, 1, &signature))
        fail("memory");
    signature_write(&signature, sign);
    len = snprintf(peer->bytes + peer->len, REQUEST_MAX,
                   "%s /api/v1/spot/trade/orders/batch HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\n"
                   "X-API-Nonce: %" PRIu64 "\r\nX-API-Sign: %.*s\r\nContent-Length: %zu\r\n\r\n%.*s",
                   method, peer->nonce, SIGNATURE_TEXT, sign, body_len, (int)body_len, body);
    if (len < 0 || len >= REQUEST_MAX) fail("a request is too long");
    peer->nonce += 1;
    peer->len += (size_t)len;
    peer->cancels[peer->count] = false;
    peer->ends[peer->count++] = peer->len;
}

/* Orders that rest far from any other side. */
static void add_orders(struct peer *peer, uint32_t count)
{
    char   body[REQUEST_MAX];
    size_t len = (size_t)snprintf(body, sizeof(body), "{\"accountID\":%" PRIu64 ",\"orders\":[", peer->account);

    for (uint32_t i = 0; i < count; i++, peer->orders++)
        len += (size_t)snprintf(body + len, sizeof(body) - len,
                                "%s{\"symbolID\":1,\"clOrdID\":\"o%u\",\"side\":1,\"type\":1,\"timeInForce\":1,"
                                "\"price\":\"%u\",\"quantity\":\"0.00006\"}",
                                i == 0 ? "" : ",", peer->orders, 96000 + peer->orders % 100);
    len += (size_t)snprintf(body + len, sizeof(body) - len, "]}");
    add_request(peer, "POST", "batchNewOrder", body, len);
}

static void add_cancel(struct peer *peer, uint32_t number)
{
    char body[200];
    int  len =
        snprintf(body, sizeof(body), "{\"accountID\":%" PRIu64 ",\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"o%u\"}]}",
                 peer->account, number);

    add_request(peer, "DELETE", "batchCancelOrder", body, (size_t)len);
    peer->cancels[peer->count - 1] = true;
}

/* The planted bug of `plain`: an order is sent and counted as a cancel. */
static void add_order_for_cancel(struct peer *peer)
{
    add_orders(peer, 1);
    peer->cancels[peer->count - 1] = true;
}

/* ---- connections ---- */

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int                one = 1, bytes = 65536, handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (handle < 0 || setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) != 0
        || connect(handle, (struct sockaddr *)&address, sizeof(address)) != 0)
        fail("cannot connect");
    (void)setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return handle;
}

/* New connections, which send at once: signing takes longer than the exchange waits for a silent one. */
static void connect_peers(uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &peers[i] };
        if (peers[i].socket >= 0) (void)close(peers[i].socket);
        peers[i].socket = connect_to(exchange_port);
        if (epoll_ctl(poll_handle, EPOLL_CTL_ADD, peers[i].socket, &event) != 0) fail("epoll");
    }
}

static void make_peers(uint32_t count, uint64_t nonce)
{
    peer_count = count;
    peers = calloc(count, sizeof(*peers));
    poll_handle = epoll_create1(EPOLL_CLOEXEC);
    if (!peers || poll_handle < 0) fail("memory");
    for (uint32_t i = 0; i < count; i++) {
        secret_of(i, peers[i].secret);
        peers[i].account = FIRST_ACCOUNT + i;
        peers[i].nonce = nonce;
        peers[i].orders = (uint32_t)(nonce % 4000000000);
        peers[i].socket = -1;
    }
}

/* Sends as many of the due bytes as the socket takes. */
static void push(struct peer *peer)
{
    size_t  end = peer->due == 0 ? 0 : peer->ends[peer->due - 1];
    ssize_t went;

    if (peer->sent >= end) return;
    went = send(peer->socket, peer->bytes + peer->sent, end - peer->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (went < 0 && errno != EAGAIN) fail("a connection was closed");
    if (went > 0) peer->sent += (size_t)went;
    while (peer->under_way < peer->due && peer->ends[peer->under_way] <= peer->sent)
        peer->sent_at[peer->under_way++] = now();
}

static bool item_good(const char *body)
{
    return strncmp(body, "{\"code\":0,", 10) == 0 && strstr(body, "\"data\":[{\"code\":0,") != NULL;
}

static void judge(struct peer *peer, const char *reply, const char *body, struct tally *orders, struct tally *cancels)
{
    uint32_t      number = peer->answered++;
    struct tally *tally = peer->cancels[min_u32(number, peer->count - 1)] ? cancels : orders;

    orders->last = tally->last = now();
    if (memcmp(reply, "HTTP/1.1 200", 12) == 0 && item_good(body)) {
        if (tally->ms) tally->ms[tally->good] = (float)((tally->last - peer->sent_at[number]) * 1e3);
        tally->good += 1;
    } else if (memcmp(reply, "HTTP/1.1 503", 12) == 0 && strstr(body, "\"code\":50301")
               && strstr(body, "\"nonce\":\"not used\"")) {
        tally->shed += 1;
        if (tally == orders) peer->shed_at = 1 + number; /* nonces of earlier ones may be too small by the end */
    } else if (tally->wrong++ == 0) {
        (void)snprintf(tally->first_wrong, sizeof(tally->first_wrong), "%.280s", body);
    }
}

static void receive(struct peer *peer, struct tally *orders, struct tally *cancels)
{
    ssize_t got = recv(peer->socket, peer->reply + peer->filled, REPLY_MAX - 1 - peer->filled, MSG_DONTWAIT);
    size_t  at = 0;

    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) fail("a connection was closed");
    peer->filled += (size_t)got;
    peer->reply[peer->filled] = 0;
    for (;;) {
        char *head = peer->reply + at, *end = strstr(head, "\r\n\r\n"),
             *length = end ? strcasestr(head, "\r\ncontent-length:") : NULL, kept;
        size_t total;
        if (!end || !length || length > end) break;
        total = (size_t)(end + 4 - head) + strtoul(length + 17, NULL, 10);
        if (at + total > peer->filled) break;
        kept = head[total];
        head[total] = 0;
        judge(peer, head, end + 4, orders, cancels);
        head[total] = kept;
        at += total;
    }
    peer->filled -= at;
    memmove(peer->reply, peer->reply + at, peer->filled);
}

/* ---- driving ---- */

/* Whether every request of the peers from `from` on has been answered. */
static bool all_answered(uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (peers[i].answered != peers[i].count) return false;
    return true;
}

static bool look(struct tally *orders, struct tally *cancels)
{
    struct epoll_event ready[256];
    int                count = epoll_wait(poll_handle, ready, 256, 0);

    for (int i = 0; i < count; i++) receive(ready[i].data.ptr, orders, cancels);
    return count > 0;
}

/* Sleeps while there is nothing to do: the exchange may need the processor. */
static void nap(void)
{
    struct timespec moment = { 0, 50000 };
    (void)nanosleep(&moment, NULL);
}

static double run_closed(uint32_t from, uint32_t to, uint32_t window, struct tally *tally)
{
    double began, heard;

    connect_peers(from, to);
    began = heard = now();
    while (!all_answered(from, to)) {
        for (uint32_t i = from; i < to; i++) {
            struct peer *peer = &peers[i];
            peer->due = min_u32(peer->count, peer->answered + window);
            push(peer);
        }
        if (look(tally, tally)) heard = now();
        else nap();
        if (now() - heard > QUIET_SECONDS) fail("no answer for 10 s");
    }
    return tally->last - began;
}

/* Requests become due by the clock, round and round; cancels every CANCEL_MS. The seconds until the last answer. */
static double run_open(double rate, double seconds, struct tally *orders, struct tally *cancels)
{
    uint32_t senders = peer_count - CANCELLERS, total = 0, next = 0, beats = 0;
    uint32_t base[CANCELLERS];
    double   began, heard, at;

    connect_peers(0, peer_count);
    began = heard = now();
    for (uint32_t i = 0; i < CANCELLERS; i++) base[i] = peers[i].count - (uint32_t)(seconds * 1000 / CANCEL_MS);
    for (;;) {
        bool work = false;
        at = now();
        for (uint32_t due = (uint32_t)((at - began) * rate); total < due && at - began < seconds;
             total++, next = (next + 1) % senders)
            if (peers[CANCELLERS + next].due < peers[CANCELLERS + next].count) peers[CANCELLERS + next].due += 1;
        beats = min_u32((uint32_t)((at - began) * 1000 / CANCEL_MS), (uint32_t)(seconds * 1000 / CANCEL_MS));
        for (uint32_t i = 0; i < peer_count; i++) {
            if (at - began >= seconds) peers[i].due = peers[i].count;
            else if (i < CANCELLERS) peers[i].due = base[i] + beats;
            if (peers[i].under_way < peers[i].due) push(&peers[i]);
        }
        work = look(orders, cancels);
        if (work) heard = now();
        else nap();
        if (at - began > seconds && all_answered(0, peer_count)) break;
        if (now() - heard > QUIET_SECONDS) fail("no answer for 10 s");
    }
    return orders->last - began;
}

/* Processor seconds of the exchange's threads called io… */
static double io_seconds(const char *pid)
{
    char           path[320], name[32];
    double         sum = 0;
    struct dirent *entry;
    DIR           *tasks;

    (void)snprintf(path, sizeof(path), "/proc/%s/task", pid);
    tasks = opendir(path);
    if (!tasks) fail("no such process");
    while ((entry = readdir(tasks))) {
        unsigned long long ran_ns = 0;
        FILE              *file;
        (void)snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, entry->d_name);
        file = fopen(path, "r");
        bool wanted = file && fgets(name, sizeof(name), file) && strncmp(name, "io", 2) == 0;
        if (file) (void)fclose(file);
        if (!wanted) continue;
        (void)snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid, entry->d_name);
        file = fopen(path, "r");
        if (file && fscanf(file, "%llu", &ran_ns) == 1) sum += (double)ran_ns * 1e-9;
        if (file) (void)fclose(file);
    }
    (void)closedir(tasks);
    return sum;
}

static int compare_ms(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double percentile(struct tally *tally, double part)
{
    if (tally->good == 0) return 0;
    qsort(tally->ms, tally->good, sizeof(float), compare_ms);
    return (double)tally->ms[(uint32_t)((double)(tally->good - 1) * part)];
}

/* The same bytes of a request that was sent away, twice: it runs, and then it has run. 0 = there was none. */
static int again(void)
{
    for (uint32_t i = CANCELLERS; i < peer_count; i++) {
        struct peer *peer = &peers[i];
        struct tally once = { 0 }, twice = { 0 };
        size_t       from, bytes;
        if (peer->shed_at == 0) continue;
        from = peer->shed_at == 1 ? 0 : peer->ends[peer->shed_at - 2];
        bytes = peer->ends[peer->shed_at - 1] - from;
        for (int k = 0; k < 2; k++) {
            struct tally *tally = k == 0 ? &once : &twice;
            double        began = now();
            if (send(peer->socket, peer->bytes + from, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
                fail("a connection was closed");
            while (tally->good + tally->shed + tally->wrong == 0 && now() - began < QUIET_SECONDS)
                receive(peer, tally, tally);
        }
        if (once.wrong != 0 && strstr(once.first_wrong, "too small")) continue; /* a hundred later ones have run */
        return once.good == 1 && twice.wrong == 1 && strstr(twice.first_wrong, "40102") ? 1 : -1;
    }
    return 0;
}

static void print_addresses(uint32_t count)
{
    for (uint32_t i = 0; i < count + CANCELLERS; i++) {
        uint8_t        secret[32];
        struct address address;
        secret_of(i, secret);
        if (!address_of_secret(secret, &address)) fail("a key");
        (void)printf("0x");
        for (size_t k = 0; k < sizeof(address.bytes); k++) (void)printf("%02x", address.bytes[k]);
        (void)printf("\n");
    }
}

/* What is offered, and what came of it. */
struct load {
    const char  *pid;                    /* of the exchange */
    double       seconds, factor;        /* factor: how many times its capacity is offered */
    uint32_t     number;                 /* of the first order that the cancellers cancel */
    uint32_t     each, beats, mixed;     /* requests of a peer; cancels of a canceller; cancels of a peer */
    double       capacity, capacity_cpu; /* good answers a second without a crowd; of its I/O threads' time */
    double       spent, took;            /* seconds of I/O threads, of the clock */
    struct tally orders, cancels;
};

/* What the cancellers will cancel. */
static void place_for_cancels(struct load *load)
{
    struct tally closed = { 0 };

    load->beats = (uint32_t)(load->seconds * 1000 / CANCEL_MS);
    load->number = peers[0].orders;
    for (uint32_t i = 0; i < CANCELLERS; i++)
        for (uint32_t k = 0; k < load->beats; k += 50) add_orders(&peers[i], min_u32(50, load->beats - k));
    (void)run_closed(0, CANCELLERS, 1, &closed);
    if (closed.wrong + closed.shed != 0) fail(closed.first_wrong);
}

static void measure_capacity(struct load *load)
{
    struct tally closed = { 0 };
    double       spent, took;

    for (uint32_t i = CANCELLERS; i < CANCELLERS + CLOSED_PEERS; i++)
        for (uint32_t k = 0; k < (uint32_t)(CAPACITY_REQUESTS * load->seconds); k++) add_orders(&peers[i], 1);
    spent = io_seconds(load->pid);
    took = run_closed(CANCELLERS, CANCELLERS + CLOSED_PEERS, CLOSED_WINDOW, &closed);
    load->capacity_cpu = (double)closed.good / (io_seconds(load->pid) - spent);
    load->capacity = (double)closed.good / took;
    if (closed.wrong + closed.shed != 0) fail(closed.shed != 0 ? "sent away without a crowd" : closed.first_wrong);
}

/* The requests of the crowd; plain: orders are sent and counted as its cancels. */
static void prepare_crowd(struct load *load, bool plain)
{
    struct tally closed = { 0 };

    load->each = (uint32_t)(load->factor * load->capacity * load->seconds / (double)(peer_count - CANCELLERS)) + 1;
    for (uint32_t i = 0; i < CANCELLERS; i++)
        for (uint32_t k = 0; k < load->beats; k++) add_cancel(&peers[i], load->number + k);
    load->mixed = min_u32(100, load->each / CANCEL_EACH);
    for (uint32_t i = CANCELLERS; i < peer_count; i++) {
        uint32_t first = peers[i].orders;
        add_orders(&peers[i], max_u32(1, load->mixed));
        (void)run_closed(i, i + 1, 1, &closed);
        for (uint32_t k = 0; k < load->each; k++) {
            uint32_t turn = k / CANCEL_EACH;
            if (k % CANCEL_EACH != CANCEL_EACH - 1 || turn >= load->mixed) add_orders(&peers[i], 1);
            else if (!plain) add_cancel(&peers[i], first + turn);
            else add_order_for_cancel(&peers[i]);
        }
    }
    if (closed.wrong + closed.shed != 0) fail("an order that was to be cancelled was not placed");
}

static void run_crowd(struct load *load)
{
    load->orders.ms = calloc((size_t)load->each * peer_count, sizeof(float));
    load->cancels.ms = calloc((size_t)load->each * peer_count + (size_t)load->beats * CANCELLERS, sizeof(float));
    if (!load->orders.ms || !load->cancels.ms) fail("memory");
    load->spent = io_seconds(load->pid);
    load->took = run_open(load->factor * load->capacity, load->seconds, &load->orders, &load->cancels);
    load->spent = io_seconds(load->pid) - load->spent;
}

static void print_load(struct load *load)
{
    struct tally *orders = &load->orders, *cancels = &load->cancels;
    uint32_t      crowd = peer_count - CANCELLERS;

    (void)printf("{\"capacity\":%.0f,\"capacity_cpu\":%.0f,\"offered\":%u,\"seconds\":%.2f,\"good\":%u,\"shed\":%u,"
                 "\"wrong\":%u,\"goodput\":%.0f,\"goodput_cpu\":%.0f,"
                 "\"io_busy\":%.2f,\"p50_ms\":%.1f,\"p99_ms\":%.1f,\"cancels\":%u,\"cancels_good\":%u,\"cancel_p50_"
                 "ms\":%.1f,\"cancel_p99_ms\":%.1f,\"again\":%d,\"first_wrong\":\"%s\"}\n",
                 load->capacity, load->capacity_cpu, load->each * crowd + load->beats * CANCELLERS, load->took,
                 orders->good, orders->shed, orders->wrong + cancels->wrong, (double)orders->good / load->took,
                 (double)(orders->good + cancels->good) / load->spent, load->spent / load->took,
                 percentile(orders, 0.5), percentile(orders, 0.99), load->beats * CANCELLERS + load->mixed * crowd,
                 cancels->good, percentile(cancels, 0.5), percentile(cancels, 0.99), again(),
                 orders->wrong + cancels->wrong == 0 ? "" : "yes");
    if (orders->wrong != 0) (void)fprintf(stderr, "%s\n", orders->first_wrong);
    if (cancels->wrong != 0) (void)fprintf(stderr, "%s\n", cancels->first_wrong);
}

int main(int argc, char **argv)
{
    struct timespec wall;
    struct load     load = { 0 };

    if (!crypto_init()) fail("crypto");
    if (argc == 3 && strcmp(argv[1], "--addresses") == 0) {
        print_addresses((uint32_t)atoi(argv[2]));
        return 0;
    }
    if ((argc != 6 && argc != 7) || atoi(argv[3]) < CLOSED_PEERS)
        fail("PORT PID CONNECTIONS SECONDS FACTOR, with at least 64 connections");
    load.pid = argv[2];
    load.seconds = atof(argv[4]);
    load.factor = atof(argv[5]);
    separator = domain_separator(DOMAIN_SPOT, CHAIN_ID);
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    exchange_port = (uint16_t)atoi(argv[1]);
    make_peers((uint32_t)atoi(argv[3]) + CANCELLERS, (uint64_t)wall.tv_sec * 1000);
    place_for_cancels(&load);
    measure_capacity(&load);
    prepare_crowd(&load, argc == 7);
    run_crowd(&load);
    print_load(&load);
    return 0;
}
