/* SPDX-License-Identifier: MIT */
#include "served.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define TMPFS_MAGIC 0x01021994

void bench_fail(const char *what)
{
    (void)fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

void served_pin(pid_t thread, int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (core < 0 || i == (size_t)core) CPU_SET(i, &set);
    (void)sched_setaffinity(thread, sizeof(set), &set);
}

void bench_go_first(bool first)
{
    struct sched_param place = { .sched_priority = first ? 1 : 0 };

    if (sched_setscheduler(0, first ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &place) != 0 && first)
        (void)fprintf(stderr, "bench: may not go before other threads\n");
}

static uint16_t free_port(void)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t          len = sizeof(address);
    int                fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0
        || getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        bench_fail("no port");
    (void)close(fd);
    return ntohs(address.sin_port);
}

/* The first market of ruling 31. */
static const char market[] = "[coin vUSDC]\nprecision = 6\n[coin vBTC]\nprecision = 8\n\n[market vBTC_vUSDC]\n"
                             "baseCoin = vBTC\nquoteCoin = vUSDC\n"
                             "pricePrecision = 1\ntickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\n"
                             "minQuantity = 0.00001\nmaxQuantity = 1000\n"
                             "marketMinQuantity = 0.00001\nmarketMaxQuantity = 100\nminNotional = 5\n"
                             "maxNotional = 10000000\nlistingReferencePrice = 100000\n";

static void write_config(const char *path, const struct served_plan *plan, uint16_t port,
                         const struct bench_account *accounts)
{
    FILE *file = fopen(path, "w");

    if (!file) bench_fail("cannot write the configuration");
    (void)fprintf(file,
                  "[dojima]\nlisten = 127.0.0.1:%u\ndata = %s/data\nchainIds = %d\nioThreads = %d\n"
                  "[limits]\nweightPerMinute = 0\n\n%s",
                  port, plan->folder, BENCH_CHAIN_ID, plan->io_threads, market);
    for (size_t i = 0; i < plan->account_count; i++) {
        (void)fprintf(file, "\n[account 0x");
        for (size_t k = 0; k < sizeof(accounts[i].address.bytes); k++)
            (void)fprintf(file, "%02x", accounts[i].address.bytes[k]);
        (void)fprintf(file, "]\nvUSDC = 100000000\nvBTC = 1000\n");
    }
    if (fclose(file) != 0) bench_fail("cannot write the configuration");
}

static pid_t start_server(const struct served_plan *plan, const char *config, uint16_t port)
{
    pid_t pid;

    (void)fflush(stdout); /* else the child would print what waits there as well */
    pid = fork();
    if (pid == 0) {
        char log[512];
        (void)snprintf(log, sizeof(log), "%s/server.log", plan->folder);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* however we end, it does not stay */
        if (!freopen(log, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(1);
        served_pin(0, -1); /* the exchange asks how many cores it has; we may stand on one since an earlier run */
        if (plan->preload != NULL) (void)setenv("LD_PRELOAD", plan->preload, 1);
        execl(plan->dojima, plan->dojima, "serve", "--config", config, (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 600; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid) bench_fail("the server ended; see server.log in the folder");
        if (load_probe(port, "/readyz")) return pid;
        (void)usleep(50000);
    }
    (void)kill(pid, SIGKILL);
    bench_fail("the server is not ready after 30 s");
}

static void check_disk(const char *folder)
{
    struct statfs disk;

    if (statfs(folder, &disk) != 0) bench_fail("no such folder");
    if (disk.f_type == TMPFS_MAGIC)
        bench_fail("the folder is on tmpfs, where fdatasync costs nothing; name one on a disk with --folder");
}

struct served served_start(const struct served_plan *plan, const struct bench_account *accounts)
{
    struct served served = { .port = free_port() };
    char          config[512], command[600];

    (void)snprintf(served.folder, sizeof(served.folder), "%s", plan->folder);
    (void)snprintf(command, sizeof(command), "rm -rf '%s' && mkdir -p '%s'", plan->folder, plan->folder);
    if (system(command) != 0) bench_fail("cannot make the folder");
    check_disk(plan->folder);
    (void)snprintf(config, sizeof(config), "%s/dojima.ini", plan->folder);
    write_config(config, plan, served.port, accounts);
    served.pid = start_server(plan, config, served.port);
    return served;
}

void served_stop(const struct served *served)
{
    char command[600];

    (void)kill(served->pid, SIGINT);
    (void)waitpid(served->pid, NULL, 0);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", served->folder);
    if (system(command) != 0) bench_fail("cannot remove the folder");
}

/* Every thread of the server, with its name. */
static void each_thread(const struct served *served,
                        void (*look)(void *self, const struct served *served, const char *thread, const char *name),
                        void *self)
{
    char           path[320], name[32];
    struct dirent *entry;
    DIR           *tasks;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", served->pid);
    tasks = opendir(path);
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        FILE *file;
        bool  named;

        (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", served->pid, entry->d_name);
        file = fopen(path, "r");
        named = file != NULL && fgets(name, sizeof(name), file) != NULL;
        if (file != NULL) (void)fclose(file);
        if (named) look(self, served, entry->d_name, name);
    }
    if (tasks != NULL) (void)closedir(tasks);
}

struct cores {
    int io, other, count;
};

static void pin_thread(void *self, const struct served *served, const char *thread, const char *name)
{
    struct cores *cores = self;
    bool          io = strncmp(name, "io", 2) == 0;

    (void)served;
    served_pin((pid_t)atoi(thread), io ? cores->io : cores->other);
    cores->count += io;
}

int served_pin_all(const struct served *served, int io_core, int other_core)
{
    struct cores cores = { io_core, other_core, 0 };

    each_thread(served, pin_thread, &cores);
    return cores.count;
}

struct sum {
    const char *prefix;
    double      seconds, waited, sleeps;
};

static void add_thread(void *self, const struct served *served, const char *thread, const char *name)
{
    struct sum        *sum = self;
    unsigned long long ran_ns = 0, waited_ns = 0;
    char               path[320];
    FILE              *file;

    if (strncmp(name, sum->prefix, strlen(sum->prefix)) != 0) return;
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", served->pid, thread);
    file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%llu %llu", &ran_ns, &waited_ns) == 2) {
        sum->seconds += (double)ran_ns * 1e-9;
        sum->waited += (double)waited_ns * 1e-9;
    }
    if (file != NULL) (void)fclose(file);
}

double served_seconds(const struct served *served, const char *prefix)
{
    struct sum sum = { .prefix = prefix };

    each_thread(served, add_thread, &sum);
    return sum.seconds;
}

static void add_sleeps(void *self, const struct served *served, const char *thread, const char *name)
{
    struct sum *sum = self;
    char        path[320], line[256];
    FILE       *file;

    if (strncmp(name, sum->prefix, strlen(sum->prefix)) != 0) return;
    (void)snprintf(path, sizeof(path), "/proc/%d/task/%s/status", served->pid, thread);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0) sum->sleeps += strtod(line + 24, NULL);
    if (file != NULL) (void)fclose(file);
}

void served_waits(const struct served *served, const char *prefix, double *seconds, double *sleeps)
{
    struct sum sum = { .prefix = prefix };

    each_thread(served, add_thread, &sum);
    each_thread(served, add_sleeps, &sum);
    *seconds = sum.waited;
    *sleeps = sum.sleeps;
}
