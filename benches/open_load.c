/* SPDX-License-Identifier: MIT */
#include "open_load.h"

#include "served.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define REPLY_BYTES     32768
#define QUEUE           8192 /* requests of one connection: the exchange has stood still when there are more */
#define READY           256
#define GIVE_UP_SECONDS 10
#define NAP_NS          50000
#define AGAIN_SECONDS   0.01

/* Numbers of requests in the order in which they go out, as running indices: answered ≤ sent ≤ queued. */
struct way {
    int      socket;
    uint64_t answered, sent, queued;
    size_t   sent_bytes; /* of the request that is being sent */
    double   again_at;   /* until then nothing goes out; 0 = it may */
    size_t   filled;
    uint32_t first; /* of its requests the first without an answer that counts; a 503 does not */
    uint32_t queue[QUEUE];
    bool     done[QUEUE]; /* of the requests from the first on */
    char     reply[REPLY_BYTES];
};

struct again {
    uint32_t number;
    double   at;
};

struct open_load {
    const struct open_plan *plan;
    struct open_result     *result;
    struct way             *ways;
    size_t                  next, outstanding, again_first, again_count;
    double                 *due_at;
    float                  *latency_us, *late_us;
    struct again           *again; /* in the order of their time */
    int                     poll;
    double                  began;
};

static void fail_way(struct open_load *load, const char *what)
{
    if (load->result->load.wrong++ == 0)
        (void)snprintf(load->result->load.first_wrong, sizeof(load->result->load.first_wrong), "%.500s", what);
}

/* Which request of its connection it is. */
static uint32_t turn_of(const struct open_load *load, uint32_t number)
{
    return number / (uint32_t)load->plan->connections;
}

/* Not too far ahead of one that may have to be sent again. */
static bool may_go(const struct open_load *load, const struct way *way, uint32_t number)
{
    return turn_of(load, number) - way->first < load->plan->ahead;
}

static void note_done(const struct open_load *load, struct way *way, uint32_t number)
{
    way->done[turn_of(load, number) % QUEUE] = true;
    for (; way->done[way->first % QUEUE]; way->first++) way->done[way->first % QUEUE] = false;
}

/* As much as the socket takes; the rest goes at the next look. */
static void flush(struct open_load *load, struct way *way)
{
    if (way->again_at != 0 && way->sent_bytes == 0) return;
    while (way->sent != way->queued && may_go(load, way, way->queue[way->sent % QUEUE])) {
        const struct bench_request *request = &load->plan->requests[way->queue[way->sent % QUEUE]];
        ssize_t done = send(way->socket, request->text + way->sent_bytes, request->len - way->sent_bytes,
                            MSG_NOSIGNAL | MSG_DONTWAIT);

        if (done < 0 && errno != EAGAIN && errno != EINTR) fail_way(load, "connection closed");
        if (done <= 0) return;
        way->sent_bytes += (size_t)done;
        if (way->sent_bytes != request->len) return;
        way->sent_bytes = 0;
        way->sent += 1;
    }
}

static void put(struct open_load *load, uint32_t number)
{
    struct way *way = &load->ways[number % (uint32_t)load->plan->connections];

    if (way->queued - way->answered == QUEUE) {
        fail_way(load, "thousands of requests are outstanding on one connection");
        return;
    }
    way->queue[way->queued++ % QUEUE] = number;
    flush(load, way);
}

/* A request that was sent away, before all that wait. */
static void put_again(struct open_load *load, uint32_t number)
{
    struct way *way = &load->ways[number % (uint32_t)load->plan->connections];
    uint64_t    at = way->sent + (way->sent_bytes != 0);

    if (way->queued - way->answered == QUEUE) {
        fail_way(load, "thousands of requests are outstanding on one connection");
        return;
    }
    for (uint64_t i = way->queued++; i > at; i--) way->queue[i % QUEUE] = way->queue[(i - 1) % QUEUE];
    way->queue[at % QUEUE] = number;
    way->again_at = 0;
}

static void put_next(struct open_load *load, double now)
{
    double due = load->plan->rate == 0 ? now : load->began + (double)load->next / load->plan->rate;

    load->due_at[load->next] = due;
    load->late_us[load->next] = (float)((now - due) * 1e6);
    load->outstanding += 1;
    if (load->outstanding > load->result->most) load->result->most = load->outstanding;
    put(load, (uint32_t)load->next++);
}

static void put_due(struct open_load *load)
{
    double now = bench_now();

    while (load->plan->rate != 0 && load->next < load->plan->count
           && load->began + (double)load->next / load->plan->rate <= now)
        put_next(load, now);
    for (; load->again_count != 0 && load->again[load->again_first].at <= now; load->again_count--) {
        put_again(load, load->again[load->again_first].number);
        load->again_first = (load->again_first + 1) % load->plan->count;
    }
    for (int i = 0; i < load->plan->connections; i++) flush(load, &load->ways[i]);
}

static void judge(struct open_load *load, struct way *way, const char *body)
{
    struct load_result *result = &load->result->load;
    uint32_t            number = way->queue[way->answered++ % QUEUE];
    double              now = bench_now();

    /* The requests behind it wait as long: an account takes no nonce that is far behind its last ones. */
    if (memcmp(way->reply, "HTTP/1.1 503", 12) == 0) {
        way->again_at = now + AGAIN_SECONDS;
        load->again[(load->again_first + load->again_count++) % load->plan->count] =
            (struct again){ number, now + AGAIN_SECONDS };
        result->again += 1;
        return;
    }
    note_done(load, way, number);
    load->latency_us[result->answered++] = (float)((now - load->due_at[number]) * 1e6);
    load->outstanding -= 1;
    if (load->plan->late != NULL && now - load->due_at[number] > LATE_US / 1e6)
        (void)fprintf(load->plan->late, "%.6f %.6f\n", load->due_at[number], now);
    if (!load_reply_good(&load->plan->requests[number], way->reply, body)) fail_way(load, way->reply);
    /* At no rate the number that follows on this connection, which may not be the next one of all. */
    if (load->plan->rate == 0 && load->next < load->plan->count) put_next(load, now);
}

static void receive(struct open_load *load, struct way *way)
{
    ssize_t     got = recv(way->socket, way->reply + way->filled, REPLY_BYTES - 1 - way->filled, MSG_DONTWAIT);
    const char *body;
    size_t      bytes;

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        fail_way(load, "connection closed");
        return;
    }
    way->filled += (size_t)got;
    while ((bytes = load_reply_bytes(way->reply, way->filled, &body)) != 0) {
        char behind = way->reply[bytes];

        way->reply[bytes] = 0;
        judge(load, way, body);
        way->reply[bytes] = behind;
        memmove(way->reply, way->reply + bytes, way->filled - bytes);
        way->filled -= bytes;
    }
}

static void run(struct open_load *load)
{
    struct epoll_event ready[READY];
    struct timespec    nap = { 0, NAP_NS };
    double             heard_at = bench_now();

    (void)prctl(PR_SET_TIMERSLACK, 1); /* else a nap is 50 us longer */
    while (load->result->load.answered < load->plan->count && load->result->load.wrong == 0
           && bench_now() - heard_at < GIVE_UP_SECONDS) {
        int count = epoll_wait(load->poll, ready, READY, 0);

        if (count > 0) heard_at = bench_now();
        for (int i = 0; i < count; i++) receive(load, ready[i].data.ptr);
        put_due(load);
        if (count <= 0 && !load->plan->own_core) (void)nanosleep(&nap, NULL);
    }
}

static bool open_all(struct open_load *load)
{
    for (int i = 0; i < load->plan->connections; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &load->ways[i] };

        load->ways[i].socket = load_connect(load->plan->port, i);
        if (load->ways[i].socket < 0 || epoll_ctl(load->poll, EPOLL_CTL_ADD, load->ways[i].socket, &event) != 0)
            return false;
    }
    return true;
}

static void sum_up(struct open_load *load)
{
    struct load_result late = { .answered = load->next };

    load->result->load.seconds = bench_now() - load->began;
    load_percentiles(&load->result->load, load->latency_us);
    load_percentiles(&late, load->late_us);
    load->result->late_p99_us = late.p99_us;
}

bool open_load_run(const struct open_plan *plan, struct open_result *result)
{
    struct open_load load = { .plan = plan,
                              .result = result,
                              .ways = calloc((size_t)plan->connections, sizeof(struct way)),
                              .due_at = calloc(plan->count + 1, sizeof(double)),
                              .latency_us = calloc(plan->count + 1, sizeof(float)),
                              .late_us = calloc(plan->count + 1, sizeof(float)),
                              .again = calloc(plan->count + 1, sizeof(struct again)),
                              .poll = epoll_create1(EPOLL_CLOEXEC) };
    bool             good = false;

    *result = (struct open_result){ 0 };
    if (!plan->own_core) bench_go_first(true);
    if (load.ways != NULL && load.due_at != NULL && load.latency_us != NULL && load.late_us != NULL
        && load.again != NULL)
        good = open_all(&load);
    load.began = bench_now();
    for (size_t i = 0; good && plan->rate == 0 && i < plan->depth * (size_t)plan->connections && i < plan->count; i++)
        put_next(&load, bench_now());
    if (good) run(&load);
    if (!plan->own_core) bench_go_first(false);
    if (good) sum_up(&load);
    for (int i = 0; load.ways != NULL && i < plan->connections; i++)
        if (load.ways[i].socket > 0) (void)close(load.ways[i].socket);
    (void)close(load.poll);
    free(load.ways);
    free(load.due_at);
    free(load.latency_us);
    free(load.late_us);
    free(load.again);
    return good;
}
