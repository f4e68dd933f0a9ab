/* SPDX-License-Identifier: MIT */
#include "streams_bare.h"

#include "machine.h"
#include "streams_clients.h"

#include "io/thread.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define CONNECTIONS_MAX 128
#define REQUEST_BYTES   16384
#define FRAME_BYTES     1300 /* ten trades */
#define REPLY_BODY      1200 /* ten orders */
#define RECORD_BYTES    3072 /* ten orders with their text, in the log */
#define LOG_BYTES       (16 << 20)
#define IN_FLIGHT       64 /* a power of two, and as many connections of traders at most */

struct line {
    int    fd;
    size_t filled;
    char   request[REQUEST_BYTES];
};

/* One thread asks, the other answers in the same order. */
struct bare {
    struct bare_work   work;
    struct bare_times *times;
    int                readers, count, door, poll, asks, tells, log;
    off_t              log_at;
    struct line        lines[CONNECTIONS_MAX];
    int                asked_by[IN_FLIGHT];
    int64_t            durable_ns[IN_FLIGHT];
    _Atomic uint64_t   asked, told;
    uint64_t           answered;
    char               frame[FRAME_BYTES], reply[REPLY_BODY + 256];
    size_t             reply_len;
};

static void work_for(int64_t ns)
{
    int64_t until_ns = bench_thread_ns() + ns;

    while (bench_thread_ns() < until_ns) {}
}

static void take_core(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)(core < sysconf(_SC_NPROCESSORS_ONLN) ? core : 0), &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
    thread_stand_forward(true);
}

static void signal_to(int fd)
{
    if (eventfd_write(fd, 1) != 0) clients_fail("eventfd");
}

/* A file that has all its blocks, as the log's files do. */
static void open_log(struct bare *bare, const char *folder)
{
    static const char zeros[1 << 20];
    char              path[512];

    (void)snprintf(path, sizeof(path), "%s/bare", folder);
    bare->log = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (off_t at = 0; at < LOG_BYTES; at += (off_t)sizeof(zeros))
        if (bare->log < 0 || pwrite(bare->log, zeros, sizeof(zeros), at) != (ssize_t)sizeof(zeros))
            clients_fail("cannot write a file");
    if (fsync(bare->log) != 0) clients_fail("cannot write a file");
}

static void make_durable(struct bare *bare, uint64_t records)
{
    static const char bytes[IN_FLIGHT * RECORD_BYTES];
    size_t            len = (records * RECORD_BYTES + 4095) & ~(size_t)4095;

    if (bare->log_at + (off_t)len > LOG_BYTES) bare->log_at = 0;
    if (pwrite(bare->log, bytes, len, bare->log_at) != (ssize_t)len || fdatasync(bare->log) != 0)
        clients_fail("cannot write a file");
    bare->log_at += (off_t)len;
}

static void *run_engine(void *argument)
{
    struct bare *bare = argument;
    eventfd_t    some;

    take_core(1);
    while (eventfd_read(bare->asks, &some) == 0) {
        uint64_t next = atomic_load(&bare->told), end = atomic_load(&bare->asked);
        int64_t  durable_ns;

        if (next == end) continue;
        make_durable(bare, end - next);
        durable_ns = bench_ns();
        for (; next < end; next++) {
            bare->durable_ns[next % IN_FLIGHT] = durable_ns;
            work_for(bare->work.engine_ns);
            atomic_store(&bare->told, next + 1);
            signal_to(bare->tells);
        }
    }
    return NULL;
}

static void watch(struct bare *bare, int fd, uint32_t number)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };

    if (epoll_ctl(bare->poll, EPOLL_CTL_ADD, fd, &event) != 0) clients_fail("epoll");
}

static void take_connection(struct bare *bare)
{
    struct line *line = &bare->lines[bare->count];
    int          one = 1;

    if (bare->count == CONNECTIONS_MAX) clients_fail("too many connections");
    line->fd = accept(bare->door, NULL, NULL);
    if (line->fd < 0) clients_fail("accept");
    (void)setsockopt(line->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    watch(bare, line->fd, (uint32_t)bare->count++);
}

static bool is_whole(struct line *line)
{
    const char *end, *length;

    line->request[line->filled] = '\0';
    end = strstr(line->request, "\r\n\r\n");
    length = end == NULL ? NULL : strstr(line->request, "\r\nContent-Length:");
    return length != NULL && line->filled >= (size_t)(end + 4 - line->request) + strtoul(length + 17, NULL, 10);
}

static void take_request(struct bare *bare, uint32_t number)
{
    struct line *line = &bare->lines[number];
    ssize_t      got = recv(line->fd, line->request + line->filled, REQUEST_BYTES - 1 - line->filled, MSG_DONTWAIT);
    uint64_t     next = atomic_load(&bare->asked);

    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
        (void)close(line->fd);
        return;
    }
    line->filled += (size_t)got;
    if (!is_whole(line)) return;
    line->filled = 0;
    work_for(bare->work.request_ns);
    bare->asked_by[next % IN_FLIGHT] = (int)number;
    atomic_store(&bare->asked, next + 1);
    signal_to(bare->asks);
}

static void push(struct bare *bare, uint64_t number)
{
    uint64_t at = atomic_load(&bare->times->count);

    work_for(bare->work.message_ns);
    for (int i = 0; i < bare->readers; i++) {
        if (send(bare->lines[i].fd, bare->frame, sizeof(bare->frame), MSG_NOSIGNAL | MSG_DONTWAIT) < 0
            && errno != EAGAIN)
            clients_fail("send");
        if (i == 0 && at < BARE_TIMES_MAX) bare->times->ns[at] = bench_ns() - bare->durable_ns[number % IN_FLIGHT];
    }
    if (at < BARE_TIMES_MAX) atomic_store(&bare->times->count, at + 1);
}

static void take_answers(struct bare *bare)
{
    for (; bare->answered < atomic_load(&bare->told); bare->answered++) {
        int fd = bare->lines[bare->asked_by[bare->answered % IN_FLIGHT]].fd;
        if (bare->answered % 2 == 1) push(bare, bare->answered);
        if (send(fd, bare->reply, bare->reply_len, MSG_NOSIGNAL) != (ssize_t)bare->reply_len) clients_fail("send");
    }
}

/* Polls while something is awaited, as an exchange with busyPollMicros. */
static void run_io(struct bare *bare)
{
    struct epoll_event ready[64];
    eventfd_t          some;

    take_core(0);
    for (;;) {
        int count = epoll_wait(bare->poll, ready, 64, bare->answered != atomic_load(&bare->asked) ? 0 : -1);
        for (int i = 0; i < count; i++) {
            if (ready[i].data.u32 == UINT32_MAX) take_connection(bare);
            else if (ready[i].data.u32 == UINT32_MAX - 1) (void)eventfd_read(bare->tells, &some);
            else take_request(bare, ready[i].data.u32);
            take_answers(bare);
        }
        take_answers(bare);
    }
}

static void write_bytes(struct bare *bare)
{
    int head = snprintf(bare->reply, sizeof(bare->reply),
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{\"code\":0,",
                        REPLY_BODY);

    bare->reply_len = (size_t)head - strlen("{\"code\":0,") + REPLY_BODY;
    memset(bare->reply + head, ' ', bare->reply_len - (size_t)head);
    bare->reply[bare->reply_len - 1] = '}';
    memset(bare->frame, ' ', sizeof(bare->frame));
    bare->frame[0] = (char)0x81;
    bare->frame[1] = 126;
    bare->frame[2] = (char)((FRAME_BYTES - 4) >> 8);
    bare->frame[3] = (char)((FRAME_BYTES - 4) & 255);
}

static _Noreturn void run(struct bare *bare)
{
    pthread_t engine;

    write_bytes(bare);
    bare->poll = epoll_create1(EPOLL_CLOEXEC);
    bare->asks = eventfd(0, EFD_CLOEXEC);
    bare->tells = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (bare->poll < 0 || bare->asks < 0 || bare->tells < 0) clients_fail("eventfd");
    watch(bare, bare->door, UINT32_MAX);
    watch(bare, bare->tells, UINT32_MAX - 1);
    if (pthread_create(&engine, NULL, run_engine, bare) != 0) clients_fail("thread");
    run_io(bare);
    _exit(0);
}

pid_t bare_start(uint16_t port, int readers, const char *folder, const struct bare_work *work, struct bare_times *times)
{
    static struct bare bare;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int                one = 1;
    pid_t              child;

    bare = (struct bare){ .work = *work, .times = times, .readers = readers };
    bare.door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)setsockopt(bare.door, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bare.door < 0 || bind(bare.door, (struct sockaddr *)&address, sizeof(address)) != 0
        || listen(bare.door, CONNECTIONS_MAX) != 0)
        clients_fail("cannot listen");
    open_log(&bare, folder);
    child = fork();
    if (child < 0) clients_fail("fork");
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        run(&bare);
    }
    (void)close(bare.door);
    (void)close(bare.log);
    return child;
}

void bare_stop(pid_t bare)
{
    int status;

    (void)kill(bare, SIGKILL);
    if (waitpid(bare, &status, 0) != bare || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        clients_fail("the process without an exchange ended before it was stopped: it measured nothing whole");
}
