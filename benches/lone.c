/* SPDX-License-Identifier: MIT */
#include "lone.h"

#include "machine.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <secp256k1_recovery.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define REPLY_BYTES  4096
#define BLOCK        4096 /* the least that the log writes (JOURNAL_BLOCK) */
#define FILE_BYTES   (16 << 20)
#define FORWARD_NICE (-10) /* of the exchange's threads (src/io/thread.c) */

/* The other end of the echo. */
struct echo {
    pthread_t thread;
    int       core, listener, client;
    size_t    asked, answered; /* bytes of a request, of a reply */
};

struct lone {
    const struct lone_plan *plan;
    secp256k1_context      *context;
    struct echo             echo;
    int                     socket, file;
    uint64_t                written;
    size_t                  reply_bytes; /* of the last answer */
    double                 *order_us, *recover_us, *sync_us, *echo_us, *bare_us;
    char                    reply[REPLY_BYTES];
};

static void must(bool good, const char *what)
{
    if (!good) bench_fail(what);
}

static void send_all(int handle, const char *text, size_t len)
{
    must(send(handle, text, len, MSG_NOSIGNAL) == (ssize_t)len, "cannot send");
}

/* ---- the echo ---- */

static bool receive_all(int handle, size_t bytes)
{
    char    text[REPLY_BYTES];
    ssize_t got = 1;

    for (; bytes > 0 && got > 0; bytes -= (size_t)(got > 0 ? got : 0))
        got = recv(handle, text, bytes < sizeof(text) ? bytes : sizeof(text), 0);
    return bytes == 0;
}

static void *answer(void *argument)
{
    static const char text[REPLY_BYTES];
    struct echo      *echo = argument;
    int               one = 1, handle = accept(echo->listener, NULL, NULL);

    must(handle >= 0, "no echo");
    (void)setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void)setpriority(PRIO_PROCESS, 0, FORWARD_NICE);
    served_pin(0, echo->core);
    while (receive_all(handle, echo->asked)) send_all(handle, text, echo->answered);
    (void)close(handle);
    return NULL;
}

static void echo_open(struct echo *echo)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          len = sizeof(address);

    echo->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(echo->listener >= 0 && bind(echo->listener, (struct sockaddr *)&address, len) == 0
             && listen(echo->listener, 1) == 0 && getsockname(echo->listener, (struct sockaddr *)&address, &len) == 0
             && pthread_create(&echo->thread, NULL, answer, echo) == 0,
         "no echo");
    echo->client = load_connect(ntohs(address.sin_port), 0);
    must(echo->client >= 0, "no echo");
}

static void echo_close(struct echo *echo)
{
    (void)close(echo->client);
    (void)pthread_join(echo->thread, NULL);
    (void)close(echo->listener);
}

/* ---- the parts ---- */

/* Written once, so that later writes change no metadata, as the log's segments are. */
static void file_open(struct lone *lone)
{
    static const char zeros[1 << 20];
    char              path[320];

    (void)snprintf(path, sizeof(path), "%s/bare", lone->plan->folder);
    lone->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(lone->file >= 0 && posix_fallocate(lone->file, 0, FILE_BYTES) == 0, "the bare file");
    for (off_t at = 0; at < FILE_BYTES; at += (off_t)sizeof(zeros))
        must(pwrite(lone->file, zeros, sizeof(zeros), at) == (ssize_t)sizeof(zeros), "the bare file");
    must(fsync(lone->file) == 0, "the bare file");
}

static void recover(const struct lone *lone, size_t number)
{
    const struct signature               *signature = &lone->plan->signatures[number];
    secp256k1_ecdsa_recoverable_signature parsed;
    secp256k1_pubkey                      key;
    uint8_t                               compact[64];

    memcpy(compact, signature->r, 32);
    memcpy(compact + 32, signature->s, 32);
    must(secp256k1_ecdsa_recoverable_signature_parse_compact(lone->context, &parsed, compact, signature->v)
             && secp256k1_ecdsa_recover(lone->context, &key, &parsed, lone->plan->digests[number].bytes),
         "recover");
}

static void write_block(struct lone *lone)
{
    static char block[BLOCK];

    block[0] = (char)(block[0] + 1);
    must(pwrite(lone->file, block, BLOCK, (off_t)(lone->written % FILE_BYTES)) == BLOCK && fdatasync(lone->file) == 0,
         "a bare sync");
    lone->written += BLOCK;
}

static double since_us(double *from)
{
    double now = bench_now(), us = (now - *from) * 1e6;

    *from = now;
    return us;
}

static void measure_parts(struct lone *lone, size_t i)
{
    double at = bench_now();

    send_all(lone->echo.client, lone->plan->requests[i].text, lone->echo.asked);
    must(receive_all(lone->echo.client, lone->echo.answered), "no echo");
    lone->echo_us[i] = since_us(&at);
    recover(lone, i);
    lone->recover_us[i] = since_us(&at);
    write_block(lone);
    lone->sync_us[i] = since_us(&at);
    lone->bare_us[i] = lone->echo_us[i] + lone->recover_us[i] + lone->sync_us[i];
}

/* ---- the order ---- */

static void measure_order(struct lone *lone, size_t i)
{
    const struct bench_request *request = &lone->plan->requests[i];
    const char                 *body;
    size_t                      filled = 0;
    double                      at = bench_now();

    send_all(lone->socket, request->text, request->len);
    do {
        ssize_t got = recv(lone->socket, lone->reply + filled, REPLY_BYTES - 1 - filled, 0);

        must(got > 0, "the exchange closed the connection");
        filled += (size_t)got;
        lone->reply_bytes = load_reply_bytes(lone->reply, filled, &body);
    } while (lone->reply_bytes == 0);
    lone->order_us[i] = since_us(&at);
    if (!load_reply_good(request, lone->reply, body)) bench_fail(lone->reply);
}

static void sleep_until(double when)
{
    struct timespec at = { (time_t)when, (long)((when - (double)(time_t)when) * 1e9) };

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static double *room(size_t count)
{
    double *values = calloc(count, sizeof(*values));

    must(values != NULL, "memory");
    return values;
}

static void lone_open(struct lone *lone, const struct lone_plan *plan)
{
    *lone = (struct lone){ .plan = plan,
                           .context = secp256k1_context_create(SECP256K1_CONTEXT_NONE),
                           .socket = load_connect(plan->port, 0),
                           .order_us = room(plan->count),
                           .recover_us = room(plan->count),
                           .sync_us = room(plan->count),
                           .echo_us = room(plan->count),
                           .bare_us = room(plan->count) };
    must(lone->socket >= 0, "cannot connect");
    (void)prctl(PR_SET_TIMERSLACK, 1);
    file_open(lone);
    measure_order(lone, 0); /* the sizes of the echo */
    lone->echo = (struct echo){ .core = plan->io_core, .asked = plan->requests[1].len, .answered = lone->reply_bytes };
    echo_open(&lone->echo);
    served_pin(0, plan->client_core);
}

static void lone_close(struct lone *lone)
{
    echo_close(&lone->echo);
    secp256k1_context_destroy(lone->context);
    (void)close(lone->file);
    (void)close(lone->socket);
    free(lone->order_us);
    free(lone->recover_us);
    free(lone->sync_us);
    free(lone->echo_us);
    free(lone->bare_us);
}

void lone_run(const struct lone_plan *plan, struct lone_result *result)
{
    static struct lone lone;
    size_t             count = plan->count - 1;
    double             began;

    must(plan->count > 1, "too few orders");
    lone_open(&lone, plan);
    bench_go_first(true);
    began = bench_now();
    for (size_t i = 1; i < plan->count; i++) {
        sleep_until(began + (double)i * LONE_MS * 1e-3);
        measure_order(&lone, i);
        sleep_until(began + ((double)i + 0.5) * LONE_MS * 1e-3);
        measure_parts(&lone, i);
    }
    bench_go_first(false);
    *result = (struct lone_result){ bench_median(lone.order_us + 1, count), 0,
                                    bench_median(lone.bare_us + 1, count),  bench_median(lone.recover_us + 1, count),
                                    bench_median(lone.sync_us + 1, count),  bench_median(lone.echo_us + 1, count) };
    result->p99_us = lone.order_us[1 + count * 99 / 100];
    lone_close(&lone);
}
