/* SPDX-License-Identifier: MIT */
/*
 * bench_http — how much of a core's signature recoveries arrives as signed orders?
 *
 *     bench_http [--dojima PATH] [--folder DIR] [--orders N] [--connections N]
 *
 * Starts `dojima serve` with 100 funded accounts on a data folder on a real disk (fdatasync on), signs
 * N single-order requests beforehand, measures bare secp256k1_ecdsa_recover on the I/O thread's core,
 * sends everything over keep-alive connections without pipelining, measures the bare recoveries again,
 * and prints the ratio. On two cores or more the I/O thread has the first one for itself; everything
 * else (sequencer, journal, this program) shares the second.
 */
#include "http_load.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <secp256k1_recovery.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TMPFS_MAGIC    0x01021994
#define RECOVER_SAMPLE 4096
#define RECOVER_SECONDS 1.5
#define WARM_UP        2000

struct options { const char *dojima, *folder; size_t orders; int connections; };

static void fail(const char *what)
{
    (void)fprintf(stderr, "bench_http: %s\n", what);
    exit(1);
}

static void pin(pid_t thread, int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    (void)sched_setaffinity(thread, sizeof(set), &set);
}

/* ---- the bare library ---- */

struct bare { secp256k1_context *context; secp256k1_ecdsa_recoverable_signature *signatures; struct hash256 *digests; size_t count; };

static struct bare bare_make(struct hash256 *digests, const struct signature *signatures, size_t count)
{
    struct bare bare = { secp256k1_context_create(SECP256K1_CONTEXT_NONE), calloc(count, sizeof(*bare.signatures)), digests, count };
    uint8_t compact[64];

    for (size_t i = 0; i < count; i++) {
        memcpy(compact, signatures[i].r, 32);
        memcpy(compact + 32, signatures[i].s, 32);
        if (!secp256k1_ecdsa_recoverable_signature_parse_compact(bare.context, &bare.signatures[i], compact, signatures[i].v)) fail("signature");
    }
    return bare;
}

static double cpu_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct bare_result { double rate, cpu_us; };

/* Recoveries per second on this thread's core, and the CPU time of one. */
static struct bare_result bare_measure(const struct bare *bare)
{
    secp256k1_pubkey key;
    size_t done = 0;
    double began = bench_now(), cpu_began = cpu_now(), elapsed;

    do {
        for (int i = 0; i < 256; i++, done++)
            if (!secp256k1_ecdsa_recover(bare->context, &key, &bare->signatures[done % bare->count], bare->digests[done % bare->count].bytes))
                fail("recover");
        elapsed = bench_now() - began;
    } while (elapsed < RECOVER_SECONDS);
    return (struct bare_result){ (double)done / elapsed, (cpu_now() - cpu_began) * 1e6 / (double)done };
}

/* ---- the server ---- */

static uint16_t free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || getsockname(fd, (struct sockaddr *)&address, &len) != 0) fail("no port");
    (void)close(fd);
    return ntohs(address.sin_port);
}

/* The first market of ruling 31. */
static const char market[] =
    "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n\n[market vBTC_vUSDC]\nbaseCoin = vBTC\nquoteCoin = vUSDC\n"
    "pricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\nminQuantity = 0.00001\nmaxQuantity = 1000\n"
    "marketMinQuantity = 0.00001\nmarketMaxQuantity = 100\nminNotional = 5\nmaxNotional = 10000000\nlistingReferencePrice = 100000\n";

static void write_config(const char *path, const char *folder, uint16_t port, const struct bench_account *accounts)
{
    FILE *file = fopen(path, "w");

    if (!file) fail("cannot write the configuration");
    (void)fprintf(file, "[dojima]\nlisten = 127.0.0.1:%u\ndata = %s/data\nchainIds = %d\nioThreads = 1\n[limits]\nweightPerMinute = 0\n\n%s", port, folder, BENCH_CHAIN_ID, market);
    for (int i = 0; i < BENCH_ACCOUNTS; i++) {
        (void)fprintf(file, "\n[account 0x");
        for (size_t k = 0; k < sizeof(accounts[i].address.bytes); k++) (void)fprintf(file, "%02x", accounts[i].address.bytes[k]);
        (void)fprintf(file, "]\nvUSDC = 1000000\nvBTC = 10\n");
    }
    if (fclose(file) != 0) fail("cannot write the configuration");
}

static pid_t start_server(const struct options *options, const char *config, uint16_t port)
{
    pid_t pid = fork();

    if (pid == 0) {
        char log[512];
        (void)snprintf(log, sizeof(log), "%s/server.log", options->folder);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);         /* however we end, it does not stay */
        if (!freopen(log, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(1);
        execl(options->dojima, options->dojima, "serve", "--config", config, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 600; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid) fail("the server ended; see server.log in the folder");
        if (load_probe(port, "/readyz")) return pid;
        (void)usleep(50000);
    }
    (void)kill(pid, SIGKILL);
    fail("the server is not ready after 30 s");
    return 0;
}

/* Pins the threads of the server: those called io… to `io_core`, all others to `other_core`. How many io threads there are. */
static int pin_server(pid_t pid, int io_core, int other_core)
{
    char path[320], name[32];
    int count = 0;
    struct dirent *entry;
    DIR *tasks;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        FILE *file;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, entry->d_name);
        file = fopen(path, "r");
        if (!file) continue;
        bool io = fgets(name, sizeof(name), file) && (strncmp(name, "io", 2) == 0);
        (void)fclose(file);
        pin((pid_t)atoi(entry->d_name), io ? io_core : other_core);
        count += io;
    }
    if (tasks) (void)closedir(tasks);
    return count;
}

/* CPU seconds that the server's threads called `prefix`… have run. */
static double thread_seconds(pid_t pid, const char *prefix)
{
    char path[320], name[32];
    double sum = 0;
    struct dirent *entry;
    DIR *tasks;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        unsigned long long ran_ns = 0;
        FILE *file;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, entry->d_name);
        file = fopen(path, "r");
        bool wanted = file && fgets(name, sizeof(name), file) && strncmp(name, prefix, strlen(prefix)) == 0;
        if (file) (void)fclose(file);
        if (!wanted) continue;
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        file = fopen(path, "r");
        if (file && fscanf(file, "%llu", &ran_ns) == 1) sum += (double)ran_ns * 1e-9;
        if (file) (void)fclose(file);
    }
    if (tasks) (void)closedir(tasks);
    return sum;
}

static void check_disk(const char *folder)
{
    struct statfs disk;

    if (statfs(folder, &disk) != 0) fail("no such folder");
    if (disk.f_type == TMPFS_MAGIC) fail("the folder is on tmpfs, where fdatasync costs nothing; name one on a disk with --folder");
}

static struct options read_options(int argc, char **argv)
{
    static const struct option rows[] = { { "dojima", required_argument, NULL, 'd' }, { "folder", required_argument, NULL, 'f' },
        { "orders", required_argument, NULL, 'n' }, { "connections", required_argument, NULL, 'c' }, { NULL, 0, NULL, 0 } };
    struct options options = { "build/release/dojima", "build/bench-http", 150000, 64 };
    int c;

    while ((c = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (c == 'd') options.dojima = optarg;
        else if (c == 'f') options.folder = optarg;
        else if (c == 'n') options.orders = strtoul(optarg, NULL, 10);
        else if (c == 'c') options.connections = atoi(optarg);
        else exit(2);
    }
    if (options.orders < RECOVER_SAMPLE || options.connections < 1) fail("too few orders or connections");
    return options;
}

static void check(const struct load_result *result, size_t sent)
{
    if (result->answered == sent && result->wrong == 0) return;
    (void)fprintf(stderr, "bench_http: %zu of %zu answered, %zu wrong; the first:\n%s\n", result->answered, sent, result->wrong, result->first_wrong);
    exit(1);
}

/* io_seconds: how long the I/O thread was on its core, of result->seconds. */
static void print(const struct options *options, const struct load_result *result, struct bare_result before, struct bare_result after,
                  double io_seconds)
{
    double bare = (before.rate + after.rate) / 2, rate = (double)result->answered / result->seconds;

    (void)printf("http: %.3f of the core's bare recoveries (goal 0.80): %.0f signed orders/s, %d connections, p50 %.2f ms, p99 %.2f ms; "
                 "bare secp256k1_ecdsa_recover %.0f/s (before %.0f, after %.0f); I/O thread busy %.0f %%, %.1f us CPU per order, "
                 "bare %.1f us; %zu orders, every answer code 0%s\n",
                 rate / bare, rate, options->connections, result->p50_us / 1000, result->p99_us / 1000, bare, before.rate, after.rate,
                 100 * io_seconds / result->seconds, 1e6 * io_seconds / (double)result->answered, (before.cpu_us + after.cpu_us) / 2,
                 result->answered, fabs(before.rate - after.rate) > bare / 20 ? "; NOISY: something else ran beside it, do not trust the ratio" : "");
}

/* The measurement itself, with the server already running. */
static void measure(const struct options *options, uint16_t port, pid_t pid, const struct bench_account *accounts)
{
    size_t count = options->orders + WARM_UP;
    struct bench_request *requests = calloc(count, sizeof(*requests));
    struct hash256 *digests = calloc(count, sizeof(*digests));
    struct signature *signatures = calloc(count, sizeof(*signatures));
    struct load_result result;
    struct timespec now;

    if (!requests || !digests || !signatures) fail("memory");
    (void)clock_gettime(CLOCK_REALTIME, &now);
    bench_requests(accounts, (uint64_t)now.tv_sec * 1000, requests, count, digests, signatures);
    struct bare bare = bare_make(digests, signatures, RECOVER_SAMPLE);

    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN), other = cores > 1 ? 1 : 0;
    if (pin_server(pid, 0, other) == 0) fail("the server has no thread called io…");
    pin(0, 0);
    struct bare_result before = bare_measure(&bare);
    pin(0, other);
    if (!load_run(port, options->connections, requests, 0, WARM_UP, &result)) fail("cannot connect");
    check(&result, WARM_UP);
    double io_seconds = thread_seconds(pid, "io");
    if (!load_run(port, options->connections, requests, WARM_UP, options->orders, &result)) fail("cannot connect");
    io_seconds = thread_seconds(pid, "io") - io_seconds;
    check(&result, options->orders);
    pin(0, 0);
    struct bare_result after = bare_measure(&bare);
    print(options, &result, before, after, io_seconds);
}

int main(int argc, char **argv)
{
    struct options options = read_options(argc, argv);
    struct bench_account accounts[BENCH_ACCOUNTS];
    char config[512], command[600];
    uint16_t port = free_port();

    (void)signal(SIGPIPE, SIG_IGN);
    if (!crypto_init()) fail("crypto");
    (void)snprintf(command, sizeof(command), "rm -rf '%s' && mkdir -p '%s'", options.folder, options.folder);
    if (system(command) != 0) fail("cannot make the folder");
    check_disk(options.folder);
    bench_accounts(accounts);
    (void)snprintf(config, sizeof(config), "%s/dojima.ini", options.folder);
    write_config(config, options.folder, port, accounts);

    pid_t pid = start_server(&options, config, port);
    measure(&options, port, pid, accounts);
    (void)kill(pid, SIGINT);
    (void)waitpid(pid, NULL, 0);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", options.folder);
    return system(command) == 0 ? 0 : 1;
}
