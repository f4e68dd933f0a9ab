/* SPDX-License-Identifier: MIT */
/*
 * bench_streams — the streams under load.
 *
 *     bench_streams [--folder DIR] [--only push|many|latency|memory|trading] [--subscribers N] [--readers N]
 *     [--connections N] [--seconds S]
 *
 * push     CPU of the I/O thread for each 150-byte message of one channel, one after the other, to 1,000 subscribers,
 *          against `send` of as many bytes to as many sockets in the same run (goal: at most 1.3 times)
 * many     CPU of the I/O thread for each 150 bytes that a subscriber is sent, at 10,000 trades a second to 1,000
 *          subscribers of three channels, where one send carries several messages and a message several trades (goal:
 *          at most 400 ns)
 * latency  from durable to a subscriber's socket at 10,000 trades a second, to --readers, 10 (goal: p99 under 200 us).
 *          The bytes are on the socket when the next `send` has returned: on the loopback it puts them there itself.
 *          Against the same threads, load and disk without an exchange (streams_bare.h)
 * memory   resident memory of the server for 10,000 subscribers (goal: under 200 MiB) trading  signed orders per
 * second with 1,000 subscribers of the best prices and of the book against without, in
 *          turns, medians (goal: at least 0.9)
 *
 * The server is this program's child and runs `dojima serve` unchanged; only the functions between log and socket are
 * wrapped by ones that record, on the same clock, how far each trade is. The I/O thread has the first core.
 */
#include "figure.h"
#include "machine.h"
#include "standstill.h"
#include "streams_bare.h"
#include "streams_clients.h"
#include "streams_notes.h"
#include "streams_trade.h"

#include "app/cli/commands.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH_ORDERS 10
#define BUSY_POLL_US 300 /* unless the command line has other values */
#define CLIENT_NICE                                                                                                    \
    19 /* nice value of the traders where latency is measured: in service they are on other machines                   \
        */
#define BARE_REQUEST_NS 60000 /* of an I/O thread: parsing ten orders, hashing them, recovering the signer */
#define BARE_MESSAGE_NS 6000  /* ten trades are written */
#define PUSHES          30.0  /* a second, one after the other: each is published by itself */

struct options {
    const char *folder, *only;
    int         subscribers, readers, connections;
    double      seconds;
    uint32_t    busy_poll_us;
};

/* ---- the server ---- */

struct venue {
    pid_t                pid;
    uint16_t             port;
    struct bench_account accounts[BENCH_ACCOUNTS];
    uint64_t             nonce;
    size_t               sent;
};

static uint16_t free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          len = sizeof(address);
    int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0
        || getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        clients_fail("no port");
    (void)close(fd);
    return ntohs(address.sin_port);
}

static void write_config(const char *path, const struct options *options, const struct venue *venue)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) clients_fail("cannot write the configuration");
    (void)fprintf(file,
                  "[dojima]\nlisten = 127.0.0.1:%u\ndata = %s/data\nchainIds = %d\nioThreads = 1\n"
                  "connections = 20000\nconnectionsPerAddress = 20000\nbusyPollMicros = %u\n"
                  "[limits]\nweightPerMinute = 0\n[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n"
                  "[market vBTC_vUSDC]\nbaseCoin = vBTC\nquoteCoin = vUSDC\n"
                  "pricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\n"
                  "minNotional = 5\nlistingReferencePrice = 100000\n",
                  venue->port, options->folder, BENCH_CHAIN_ID, options->busy_poll_us);
    for (int i = 0; i < BENCH_ACCOUNTS; i++) {
        (void)fprintf(file, "\n[account 0x");
        for (size_t k = 0; k < 20; k++) (void)fprintf(file, "%02x", venue->accounts[i].address.bytes[k]);
        (void)fprintf(file, "]\nvUSDC = 1000000\nvBTC = 10\n");
    }
    if (fclose(file) != 0) clients_fail("cannot write the configuration");
}

static bool answers(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    static const char  request[] = "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    char               text[256];
    int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool               good = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0
             && send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 && recv(fd, text, sizeof(text), 0) > 12
             && memcmp(text + 9, "200", 3) == 0;

    if (fd >= 0) (void)close(fd);
    return good;
}

static void start(struct venue *venue, const struct options *options)
{
    char config[512], command[600], log[512];

    (void)snprintf(command, sizeof(command), "rm -rf '%s' && mkdir -p '%s'", options->folder, options->folder);
    if (system(command) != 0) clients_fail("cannot make the folder");
    bench_accounts(venue->accounts, BENCH_ACCOUNTS);
    venue->port = free_port();
    (void)snprintf(config, sizeof(config), "%s/dojima.ini", options->folder);
    (void)snprintf(log, sizeof(log), "%s/server.log", options->folder);
    write_config(config, options, venue);
    memset(notes, 0, sizeof(*notes));
    venue->pid = fork();
    if (venue->pid == 0) {
        char *argv[] = { (char *)(uintptr_t) "serve", (char *)(uintptr_t) "--config", config, NULL };
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (freopen(log, "w", stdout) == NULL || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(1);
        _exit(command_serve(3, argv));
    }
    for (int i = 0; i < 600 && !answers(venue->port); i++) (void)usleep(50000);
    if (!answers(venue->port)) clients_fail("the server is not ready after 30 s; see server.log in the folder");
    venue->nonce = bench_unix_ms();
    venue->sent = 0;
}

static void stop(struct venue *venue)
{
    (void)kill(venue->pid, SIGTERM); /* SIGINT is ignored in what a shell runs in the background */
    (void)waitpid(venue->pid, NULL, 0);
}

static void pin(pid_t thread, int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    (void)sched_setaffinity(thread, sizeof(set), &set);
}

/* CPU nanoseconds that the I/O thread has run; pins it and the others on request. */
static double io_ns(pid_t pid, bool pins)
{
    char           path[320], name[32];
    double         ran = 0;
    struct dirent *entry;
    DIR           *tasks;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
    tasks = opendir(path);
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        unsigned long long ns = 0;
        FILE              *file;
        bool               is_io;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, entry->d_name);
        file = fopen(path, "r");
        is_io = file != NULL && fgets(name, sizeof(name), file) != NULL && strncmp(name, "io", 2) == 0;
        if (file != NULL) (void)fclose(file);
        if (pins) pin((pid_t)atoi(entry->d_name), is_io ? 0 : sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0);
        if (!is_io) continue;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        file = fopen(path, "r");
        if (file != NULL && fscanf(file, "%llu", &ns) == 1) ran += (double)ns;
        if (file != NULL) (void)fclose(file);
    }
    if (tasks != NULL) (void)closedir(tasks);
    return ran;
}

static double resident_mib(pid_t pid)
{
    char          path[64];
    unsigned long pages = 0;
    FILE         *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/statm", pid);
    file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*u %lu", &pages) != 1) clients_fail("no statm");
    (void)fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

/* ---- trading ---- */

static struct trade_request *prepare(struct venue *venue, size_t count, uint32_t orders)
{
    struct trade_request *requests = trade_requests(venue->accounts, venue->nonce, venue->sent, count, orders);

    venue->nonce += count;
    venue->sent += count;
    return requests;
}

static struct trade_result trade(struct venue *venue, int connections, size_t count, uint32_t orders, double per_second)
{
    struct trade_request *requests = prepare(venue, count, orders);
    struct trade_result   result = trade_run(venue->port, connections, requests, count, per_second);

    trade_forget(requests, count);
    return result;
}

/* Runs in a thread of its own with the lowest priority; an unprivileged process cannot take a nice value back. */
struct errand {
    struct venue       *venue;
    size_t              count;
    double              per_second;
    struct trade_result result;
};

static void *run_errand(void *argument)
{
    struct errand *errand = argument;

    if (setpriority(PRIO_PROCESS, 0, CLIENT_NICE) != 0) clients_fail("nice");
    errand->result = trade(errand->venue, 16, errand->count, BATCH_ORDERS, errand->per_second);
    return NULL;
}

static struct trade_result trade_behind(struct venue *venue, size_t count, double per_second)
{
    struct errand errand = { .venue = venue, .count = count, .per_second = per_second };
    pthread_t     thread;

    if (pthread_create(&thread, NULL, run_errand, &errand) != 0 || pthread_join(thread, NULL) != 0)
        clients_fail("thread");
    return errand.result;
}

static pthread_t listen_in(struct stream_clients *clients)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, clients_run, clients) != 0) clients_fail("thread");
    return thread;
}

static void end_clients(struct stream_clients *clients, pthread_t thread)
{
    atomic_store(&clients->stop, true);
    (void)pthread_join(thread, NULL);
    clients_close(clients);
}

/* Whether nothing has arrived for a while. */
static void settle(struct stream_clients *clients)
{
    uint64_t before;

    do {
        before = atomic_load(&clients->bytes);
        (void)usleep(300000);
    } while (atomic_load(&clients->bytes) != before);
}

/* ---- the figures ---- */

struct cost {
    double   ns, bytes;
    uint64_t messages;
};

/* CPU of the I/O thread for each message while trading goes on. */
static struct cost measure_cost(struct venue *venue, struct stream_clients *clients, int connections, size_t count,
                                uint32_t orders, double per_second)
{
    struct trade_request *requests = prepare(venue, count, orders);
    uint64_t              messages, bytes;
    double                began;

    settle(clients);
    messages = atomic_load(&clients->messages);
    bytes = atomic_load(&clients->bytes);
    began = io_ns(venue->pid, true);
    (void)trade_run(venue->port, connections, requests, count, per_second);
    settle(clients);
    trade_forget(requests, count);
    messages = atomic_load(&clients->messages) - messages;
    bytes = atomic_load(&clients->bytes) - bytes;
    if (messages == 0) clients_fail("no messages");
    return (struct cost){ (io_ns(venue->pid, true) - began) / (double)messages, (double)bytes / (double)messages,
                          messages };
}

/* The cost of the requests is in it, a thousandth of it for each message.
   Both are sent at the same pace: caches cool between pushes. */
static void figure_push(struct venue *venue, const struct options *options)
{
    static const char *const channels[] = { "bookTicker", NULL };
    struct stream_clients    clients;
    pthread_t                thread;
    struct cost              cost;
    double                   before, after;

    clients_open(&clients, venue->port, options->subscribers, channels);
    thread = listen_in(&clients);
    pin(0, 0);
    before = clients_bare_send(options->subscribers, 150, (int)(PUSHES * options->seconds / 2), PUSHES);
    pin(0, 1);
    cost = measure_cost(venue, &clients, 1, (size_t)(PUSHES * options->seconds), 1, PUSHES);
    pin(0, 0);
    after = clients_bare_send(options->subscribers, (size_t)cost.bytes, (int)(PUSHES * options->seconds / 2), PUSHES);
    pin(0, 1);
    printf("streams push: %.2f times send (goal at most 1.3): %.0f ns of the I/O thread for each of %lu messages of "
           "%.0f bytes to %d subscribers; send of as many bytes %.0f ns (before %.0f)\n",
           cost.ns / after, cost.ns, (unsigned long)cost.messages, cost.bytes, options->subscribers, after, before);
    figure("streams-push", cost.ns, after);
    end_clients(&clients, thread);
}

/* At this pace a message holds many trades: the measure is the cost of 150 bytes. */
static void figure_many(struct venue *venue, const struct options *options)
{
    static const char *const channels[] = { "trade", "bookTicker", "l4Book", NULL };
    struct stream_clients    clients;
    pthread_t                thread;
    struct cost              cost;

    clients_open(&clients, venue->port, options->subscribers, channels);
    thread = listen_in(&clients);
    cost = measure_cost(venue, &clients, 16, (size_t)(20000 * options->seconds / BATCH_ORDERS), BATCH_ORDERS,
                        20000.0 / BATCH_ORDERS);
    printf("streams many: %.0f ns of the I/O thread, requests included, for each 150 bytes that a subscriber was sent "
           "(aim: 400): 10,000 trades/s, %d subscribers of three channels, %lu messages of %.0f bytes\n",
           cost.ns * 150 / cost.bytes, options->subscribers, (unsigned long)cost.messages, cost.bytes);
    figure("streams-many", cost.ns * 150 / cost.bytes, 0);
    end_clients(&clients, thread);
}

struct spread {
    double p50, p90, p99, p999, most;
};
static struct spread spread_of(int64_t *ns, size_t count)
{
    qsort(ns, count, sizeof(*ns), bench_by_ns);
    return (struct spread){ (double)ns[count / 2] / 1e3, (double)ns[count * 9 / 10] / 1e3,
                            (double)ns[count * 99 / 100] / 1e3, (double)ns[count * 999 / 1000] / 1e3,
                            (double)ns[count - 1] / 1e3 };
}

/* The latency of the published trades, stage by stage. */
struct way {
    const char         *name;
    const struct tally *from, *to;
};
static struct spread spread_of_way(uint64_t first, uint64_t last, const struct way *way, int64_t *ns)
{
    for (uint64_t id = first; id <= last; id++) ns[id - first] = way->to->at_ns[id - 1] - way->from->at_ns[id - 1];
    return spread_of(ns, last - first + 1);
}

/* The same without trades whose latency includes a stopped core: the figure of the exchange on a shared machine. */
static void print_undisturbed(struct watcher *watcher, uint64_t first, uint64_t last, int64_t *ns)
{
    double stood = watch_end(watcher);
    size_t count = 0;

    for (uint64_t id = first; id <= last; id++) {
        int64_t from_ns = notes->durable.at_ns[id - 1], to_ns = notes->sent.at_ns[id - 1];
        if (!watch_stood_still(watcher, from_ns, to_ns)) ns[count++] = to_ns - from_ns;
    }
    if (count != 0) {
        struct spread part = spread_of(ns, count);
        printf("streams latency, undisturbed: p50 %.0f, p90 %.0f, p99 %.0f, p99.9 %.0f us for %.2f %% of the trades; "
               "cores stood still (over %d us) for %.2f %% of the time%s\n",
               part.p50, part.p90, part.p99, part.p999, 100.0 * (double)count / (double)(last - first + 1),
               (int)(STANDSTILL_NS / 1000), 100 * stood, stood > 0.002 ? "; NOISY: something else ran beside it" : "");
    }
    watch_forget(watcher);
}

/* The same load and the same way without an exchange, whose engine takes as long as this one's at the median. */
static struct spread bare_spread(const struct venue *venue, const struct options *options, double engine_us)
{
    struct bare_work      work = { BARE_REQUEST_NS, (int64_t)(engine_us * 1e3), BARE_MESSAGE_NS };
    struct bare_times    *times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct venue          bare = *venue;
    struct stream_clients clients;
    pthread_t             thread;
    struct spread         spread;
    struct watcher       *watcher;

    if (times == MAP_FAILED) clients_fail("memory");
    bare.port = free_port();
    bare.pid = bare_start(bare.port, options->readers, options->folder, &work, times);
    clients_open(&clients, bare.port, options->readers, NULL);
    thread = listen_in(&clients);
    (void)trade_behind(&bare, 1000, 2000);                            /* warm */
    watcher = watch_cores(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1); /* it interrupts these threads as the others */
    atomic_store(&times->count, 0);
    (void)trade_behind(&bare, (size_t)(20000 * options->seconds / BATCH_ORDERS), 20000.0 / BATCH_ORDERS);
    settle(&clients);
    if (atomic_load(&times->count) == 0) clients_fail("nothing was pushed without an exchange");
    if (watcher != NULL) {
        (void)watch_end(watcher);
        watch_forget(watcher);
    }
    spread = spread_of(times->ns, atomic_load(&times->count));
    atomic_store(&clients.stop, true);
    (void)pthread_join(thread, NULL);
    bare_stop(bare.pid);
    clients_close(&clients);
    (void)munmap(times, sizeof(*times));
    return spread;
}

static void figure_latency(struct venue *venue, const struct options *options)
{
    static const char *const channels[] = { "trade", NULL };
    struct way               ways[] = {
                      { "until the engine begins", &notes->durable, &notes->begun },
                      { "shown", &notes->begun, &notes->shown },
                      { "told", &notes->shown, &notes->told },
                      { "on the socket", &notes->told, &notes->sent },
    };
    struct stream_clients clients;
    pthread_t             thread;
    int64_t              *ns = calloc(TRADES_MAX, sizeof(*ns));
    uint64_t              first, last;
    struct trade_result   result;
    struct spread         all, shown, bare;
    struct watcher       *watcher;

    if (ns == NULL) clients_fail("memory");
    clients_open(&clients, venue->port, options->readers, channels);
    clients_look(&clients);
    (void)io_ns(venue->pid, true);
    thread = listen_in(&clients);
    (void)trade_behind(venue, 1000, 2000); /* warm */
    settle(&clients);
    watcher = watch_cores(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1);
    first = atomic_load(&clients.last_trade) + 1;
    result = trade_behind(venue, (size_t)(20000 * options->seconds / BATCH_ORDERS), 20000.0 / BATCH_ORDERS);
    settle(&clients);
    last = atomic_load(&clients.last_trade);
    if (last < first || last > TRADES_MAX || atomic_load(&notes->sent.trades) < last)
        clients_fail("no trades, or too many");
    all = spread_of_way(first, last, &(struct way){ "", &notes->durable, &notes->sent }, ns);
    printf("streams latency: p99 %.0f us from durable to a subscriber's socket (goal under 200): p50 %.0f, p90 %.0f, "
           "p99.9 %.0f, most %.0f us; %lu trades, %.0f a second, %d subscribers\n",
           all.p99, all.p50, all.p90, all.p999, all.most, (unsigned long)(last - first + 1),
           (double)result.answered * BATCH_ORDERS / 2 / result.seconds, options->readers);
    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        struct spread part = spread_of_way(first, last, &ways[i], ns);
        printf("streams latency, %s: p50 %.0f, p90 %.0f, p99 %.0f, p99.9 %.0f us\n", ways[i].name, part.p50, part.p90,
               part.p99, part.p999);
    }
    if (watcher != NULL) print_undisturbed(watcher, first, last, ns);
    shown = spread_of_way(first, last, &ways[1], ns);
    bare = bare_spread(venue, options, shown.p50);
    printf(
        "streams latency, without an exchange: p50 %.0f, p90 %.0f, p99 %.0f, p99.9 %.0f us where the same threads take "
        "%d us for a request, %.0f for its trades and %d for the message; p99 is %.2f times that\n",
        bare.p50, bare.p90, bare.p99, bare.p999, BARE_REQUEST_NS / 1000, shown.p50, BARE_MESSAGE_NS / 1000,
        all.p99 / bare.p99);
    figure("streams-latency", all.p99, bare.p99);
    free(ns);
    end_clients(&clients, thread);
}

static void figure_memory(struct venue *venue, const struct options *options)
{
    static const char *const channels[] = { "trade", "bookTicker", NULL };
    struct stream_clients    clients;
    pthread_t                thread;
    double                   before, after;

    (void)trade(venue, 4, 200, BATCH_ORDERS, 0);
    before = resident_mib(venue->pid);
    clients_open(&clients, venue->port, options->connections, channels);
    thread = listen_in(&clients);
    (void)trade(venue, 4, 200, BATCH_ORDERS, 100); /* all of them receive messages */
    settle(&clients);
    after = resident_mib(venue->pid);
    printf("streams memory: %.1f MiB for %d subscribers (goal under 200 for 10,000): %.1f KiB each; the server had "
           "%.1f MiB and has %.1f\n",
           after - before, options->connections, (after - before) * 1024 / options->connections, before, after);
    figure("streams-memory", after - before, 0);
    end_clients(&clients, thread);
}

#define ROUNDS 7
static void figure_trading(struct venue *venue, const struct options *options)
{
    static const char *const channels[] = { "bookTicker", "l4Book", NULL }, *const nothing[] = { NULL };
    struct stream_clients clients;
    pthread_t             thread;
    double                alone[ROUNDS], beside[ROUNDS], ratio[ROUNDS];
    size_t                count = (size_t)(10000 * options->seconds / ROUNDS * 2);
    uint64_t              messages = 0;

    clients_open(&clients, venue->port, options->subscribers, nothing);
    thread = listen_in(&clients);
    (void)io_ns(venue->pid, true);
    (void)trade(venue, 64, 4000, 1, 0); /* warm */
    for (int i = 0; i < ROUNDS; i++) {
        struct trade_result result = trade(venue, 64, count, 1, 0);
        alone[i] = (double)result.answered / result.seconds;
        clients_say(&clients, "subscribe", channels);
        settle(&clients);
        messages -= atomic_load(&clients.messages);
        result = trade(venue, 64, count, 1, 0);
        messages += atomic_load(&clients.messages);
        beside[i] = (double)result.answered / result.seconds;
        ratio[i] = beside[i] / alone[i];
        clients_say(&clients, "unsubscribe", channels);
        settle(&clients);
    }
    qsort(alone, ROUNDS, sizeof(double), bench_by_value);
    qsort(beside, ROUNDS, sizeof(double), bench_by_value);
    qsort(ratio, ROUNDS, sizeof(double), bench_by_value);
    printf("streams trading: %.3f of the throughput without subscribers (goal 0.9): medians of %d turns, %.0f signed "
           "orders/s with %d subscribers, who were told %.0f messages, %.0f without; ratios of turns %.3f to %.3f\n",
           ratio[ROUNDS / 2], ROUNDS, beside[ROUNDS / 2], options->subscribers, (double)messages, alone[ROUNDS / 2],
           ratio[0], ratio[ROUNDS - 1]);
    figure("streams-trading", beside[ROUNDS / 2], alone[ROUNDS / 2]);
    end_clients(&clients, thread);
}

static struct options read_options(int argc, char **argv)
{
    static const struct option rows[] = { { "folder", required_argument, NULL, 'f' },
                                          { "only", required_argument, NULL, 'o' },
                                          { "subscribers", required_argument, NULL, 's' },
                                          { "connections", required_argument, NULL, 'c' },
                                          { "seconds", required_argument, NULL, 't' },
                                          { "readers", required_argument, NULL, 'r' },
                                          { NULL, 0, NULL, 0 } };
    struct options             options = { "build/bench-streams", NULL, 1000, 10, 10000, 5, BUSY_POLL_US };
    int                        c;

    while ((c = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (c == 'f') options.folder = optarg;
        else if (c == 'o') options.only = optarg;
        else if (c == 's') options.subscribers = atoi(optarg);
        else if (c == 'r') options.readers = atoi(optarg);
        else if (c == 'c') options.connections = atoi(optarg);
        else if (c == 't') options.seconds = atof(optarg);
        else exit(2);
    }
    if (options.subscribers < 1 || options.readers < 1 || options.connections < 1 || options.seconds < 0.5)
        clients_fail("too few subscribers or seconds");
    return options;
}

int main(int argc, char **argv)
{
    /* While the processor time of messages is measured, the server does not busy-poll. */
    /* clang-format off */
    static const struct { const char *name; void (*run)(struct venue *, const struct options *); uint32_t busy_poll_us;
        } figures[] = {
        { "push", figure_push, 0 }, { "many", figure_many, 0 }, { "latency", figure_latency, BUSY_POLL_US },
          { "memory", figure_memory, BUSY_POLL_US },
        { "trading", figure_trading, BUSY_POLL_US },
    };
    /* clang-format on */
    struct options options = read_options(argc, argv);
    struct venue   venue;
    char           command[600];

    (void)signal(SIGPIPE, SIG_IGN);
    if (!crypto_init()) clients_fail("crypto");
    notes_open();
    for (size_t i = 0; i < ARRAY_COUNT(figures); i++) {
        if (options.only != NULL && strcmp(options.only, figures[i].name) != 0) continue;
        options.busy_poll_us = figures[i].busy_poll_us;
        start(&venue, &options);
        figures[i].run(&venue, &options);
        stop(&venue);
    }
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", options.folder);
    return system(command) == 0 ? 0 : 1;
}
