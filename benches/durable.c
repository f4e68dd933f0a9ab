/* SPDX-License-Identifier: MIT */
/*
 * durable.c — the latency until a command is durable and answered, the throughput, and both compared with the bare
 * disk.
 *
 *     bench_durable [one hundred single history] [--operations N] [--commands N] [--folder DIR]
 *
 * A whole exchange with all its threads, as `dojima serve` starts it, on a data folder on a disk, fdatasync on, with
 * segments preallocated and overwritten and large enough for the run. A thread of this program puts commands into an
 * inbox ring of its own and takes the replies: no socket and no signature, neither recovered nor checked again; the
 * signed bytes are there and go into the log. It shows them to the engine's thread in groups, as an I/O thread shows
 * what one turn of its loop has decoded: WRITES_AT_ONCE, or fewer when there is no room for more.
 *
 * one: one command of one order outstanding, from before it is put into the ring until its reply is about to be put
 * into the other one; in turns with a bare write and fdatasync of as many bytes into a file that was written before.
 * All threads and the bare loop run on one core, the second: the disk's interrupt goes to one core, and a waiting
 * thread on another core needs an interrupt between cores, which takes half as long as the disk itself and would be on
 * one side of the comparison only. The others have the engine's thread on the first core, the threads of the log and
 * of this program on the second. hundred, single, history: operations per second until the last reply (history: until
 * the last row, too), compared with the same bytes in as many writes and fdatasyncs in a row.
 */
#include "cycle.h"
#include "figure.h"
#include "machine.h"

#include "io/clock.h"
#include "io/files.h"
#include "io/signals.h"
#include "log/file/format.h"
#include "diagnostics/program_log.h"
#include "app/start.h"
#include "app/threads.h"

#include <dirent.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TMPFS_MAGIC 0x01021994
#define RING_BYTES  (4u * 1024 * 1024)
#define WARM_UP     200 /* commands of `one` */
#define GIVE_UP_NS  INT64_C(60000000000)

struct part {
    const char *name, *figure;
    uint32_t    per_command;
    bool        history;
};

/* clang-format off */
static const struct part parts[] = {
    { "one",     "durable-one",     1,             false },
    { "hundred", "durable-hundred", CYCLE_COMMAND, false },
    { "single",  "durable-single",  1,             false },
    { "history", "durable-history", CYCLE_COMMAND, true  },
};
/* clang-format on */

struct bench {
    const struct part *part;
    char               folder[256], bare_folder[256];
    uint64_t           operations, commands; /* how many are wanted */
    struct instance   *instance;
    struct cycle       cycle;
    struct hints      *hints; /* of each command of the cycle */
    struct ring        writes, replies;
    uint32_t           ring;                        /* their number */
    uint64_t           nonce, sent, answered, done; /* commands; operations answered */
    uint64_t           unshown;                     /* commands sent that the engine's thread has not been shown */
    uint64_t           promised;                    /* bytes of `replies` that the outstanding commands may need */
    struct disk_folder bare_place;
    struct disk        bare_disk;
    int                bare;
    uint64_t           bare_at, bare_bytes;
    uint8_t           *bytes; /* number of bytes written there */
};

static void must(bool good, const char *what)
{
    if (good) return;
    (void)fprintf(stderr, "durable: %s failed\n", what);
    exit(1);
}

/* ---- the exchange's threads ---- */

static void pin(pid_t thread, int core)
{
    cpu_set_t set;

    if (core >= (int)sysconf(_SC_NPROCESSORS_ONLN)) return;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    (void)sched_setaffinity(thread, sizeof(set), &set);
}

static void pin_all(int engine_core)
{
    char           path[320], name[32];
    struct dirent *entry;
    DIR           *tasks = opendir("/proc/self/task");

    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        FILE *file;

        (void)snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
        file = fopen(path, "r");
        if (file == NULL) continue;
        if (fgets(name, sizeof(name), file) != NULL && strcmp(name, "engine\n") == 0)
            pin((pid_t)atoi(entry->d_name), engine_core);
        if (strcmp(name, "journal\n") == 0 || strcmp(name, "load\n") == 0) pin((pid_t)atoi(entry->d_name), 1);
        (void)fclose(file);
    }
    if (tasks != NULL) (void)closedir(tasks);
}

static void nap(void) { (void)nanosleep(&(struct timespec){ 0, 20000 }, NULL); }

/* ---- commands in, replies out ---- */

/* What the I/O thread that decodes a command sends along; the nonce follows with each sending. */
static void decode_cycle(struct bench *bench, const struct genesis *genesis)
{
    struct hint_tables tables;

    hint_tables_make(genesis, &tables);
    bench->hints = calloc(bench->cycle.count, sizeof(*bench->hints));
    must(bench->hints != NULL, "memory");
    for (uint32_t i = 0; i < bench->cycle.count; i++)
        must(hints_make(&tables, (const void *)bench->cycle.commands[i].at, &bench->hints[i]) != 0, "a batch");
}

/* Puts a command into the inbox when its reply will have room too: the sender reserves that room, as the gateway does.
 */
static bool send_one(struct bench *bench)
{
    const struct cycle_command *next = &bench->cycle.commands[bench->sent % bench->cycle.count];
    struct hints               *hints = &bench->hints[bench->sent % bench->cycle.count];
    size_t                      hints_bytes = hints_size(hints->count);
    uint64_t              bytes = sizeof(struct write_message) + next->command_bytes + hints_bytes + next->text_bytes;
    uint64_t              cost = ring_cost(reply_bytes_max(next->operations));
    struct write_message *message =
        bench->promised + cost + ring_cost(REPLY_BYTES_MAX) > RING_BYTES ? NULL : ring_reserve(&bench->writes, bytes);
    struct command *command = (struct command *)(void *)(message + 1);

    if (message == NULL) return false;
    bench->promised += cost;
    *message = (struct write_message){ .origin = origin_pack(
                                           (struct origin){ bench->ring, 0, 1, (uint32_t)bench->sent & 0xffff }),
                                       .sent_ns = clock_mono_ns(),
                                       .command_bytes = next->command_bytes,
                                       .signed_bytes = next->text_bytes,
                                       .reply_bytes = reply_bytes_max(next->operations),
                                       .hints_bytes = (uint16_t)hints_bytes };
    memcpy(command, next->at, next->command_bytes);
    hints->nonce = command->nonce = bench->nonce++;
    memcpy((uint8_t *)command + next->command_bytes, hints, hints_bytes);
    memcpy((uint8_t *)command + next->command_bytes + hints_bytes, next->at + next->command_bytes, next->text_bytes);
    ring_fill(&bench->writes, bytes);
    bench->sent += 1;
    bench->unshown += 1;
    return true;
}

/* As writes_show of the gateway. */
static void show(struct bench *bench, uint32_t enough)
{
    if (bench->unshown < enough) return;
    bench->unshown = 0;
    ring_show(&bench->writes);
    park_nudge(&bench->instance->server.shared.engine);
}

/* Takes the next reply; every item of it must have been accepted. When it was handed over, or 0: there is none. */
static int64_t take_one(struct bench *bench)
{
    const struct cycle_command *asked = &bench->cycle.commands[bench->answered % bench->cycle.count];
    uint64_t                    bytes;
    const struct reply_message *reply = ring_peek(&bench->replies, &bytes);
    int64_t                     at_ns;

    if (reply == NULL) return 0;
    at_ns = reply->applied_ns;
    must(reply->events_bytes == asked->operations * sizeof(struct result), "a command");
    for (uint32_t i = 0; i < asked->operations; i++) {
        const struct result *result = (const struct result *)(const void *)(reply + 1) + i;
        must(result->head.kind == EVENT_RESULT && result->reject == REJECT_NONE, "an operation");
    }
    bench->promised -= ring_cost(reply->reply_bytes);
    ring_next(&bench->replies);
    bench->answered += 1;
    bench->done += asked->operations;
    return at_ns;
}

/* ---- the bare disk ---- */

static void bare_open(struct bench *bench, uint64_t bytes)
{
    bench->bare_bytes = align_up(bytes, JOURNAL_BLOCK);
    must(disk_open(&bench->bare_place, bench->bare_folder, DISK_WRITE, false, &bench->bare_disk) == 0,
         "the bare folder");
    must(bench->bare_disk.create(bench->bare_disk.self, "bare", bench->bare_bytes) == 0, "the bare file");
    must(bench->bare_disk.open(bench->bare_disk.self, "bare", true, &bench->bare) == 0, "the bare file");
    bench->bytes = files_take_memory(BATCH_BYTES + JOURNAL_BLOCK);
    must(bench->bytes != NULL, "memory");
    memset(bench->bytes, 0x5a, BATCH_BYTES + JOURNAL_BLOCK);
}

/* One write and one fdatasync, behind the one before; nanoseconds. */
static int64_t bare_write(struct bench *bench, size_t bytes)
{
    size_t  padded = align_up(bytes, JOURNAL_BLOCK);
    int64_t began_ns;

    if (bench->bare_at + padded > bench->bare_bytes) bench->bare_at = 0;
    began_ns = clock_mono_ns();
    must(bench->bare_disk.write(bench->bare_disk.self, bench->bare, bench->bare_at, bench->bytes, padded) == 0,
         "a bare write");
    must(bench->bare_disk.sync(bench->bare_disk.self, bench->bare) == 0, "a bare sync");
    bench->bare_at += padded;
    return clock_mono_ns() - began_ns;
}

/* ---- what is measured ---- */

static double at(const int64_t *times, uint64_t count, uint64_t thousandths)
{
    return (double)times[count * thousandths / 1000] / 1e3;
}

static void measure_one(struct bench *bench)
{
    const struct commit_counters *commit = &bench->instance->server.commit.counters;
    int64_t *ours = calloc(bench->commands, sizeof(*ours)), *bare = calloc(bench->commands, sizeof(*bare)), began_ns,
            taken_ns;

    must(ours != NULL && bare != NULL, "memory");
    for (uint64_t i = 0; i < WARM_UP + bench->commands; i++) {
        uint64_t bytes = tally_of(&commit->bytes), batches = tally_of(&commit->batches);

        began_ns = clock_mono_ns();
        must(send_one(bench), "room");
        show(bench, 1);
        while ((taken_ns = take_one(bench)) == 0) nap();
        bytes = (tally_of(&commit->bytes) - bytes) / max_u64(1, tally_of(&commit->batches) - batches);
        if (i < WARM_UP) continue;
        ours[i - WARM_UP] = taken_ns - began_ns;
        bare[i - WARM_UP] = bare_write(bench, bytes + 32);
    }
    qsort(ours, bench->commands, sizeof(*ours), bench_by_ns);
    qsort(bare, bench->commands, sizeof(*bare), bench_by_ns);
    (void)printf("durable one: inbox to hand-over p50 %.0f us, p99 %.0f us; bare write and fdatasync of as many bytes "
                 "p50 %.0f us, p99 %.0f us; ratio %.2f, %lu commands\n",
                 at(ours, bench->commands, 500), at(ours, bench->commands, 990), at(bare, bench->commands, 500),
                 at(bare, bench->commands, 990), at(ours, bench->commands, 500) / at(bare, bench->commands, 500),
                 (unsigned long)bench->commands);
    figure("durable-one", at(ours, bench->commands, 500), at(bare, bench->commands, 500));
    figure("durable-one-p99", at(ours, bench->commands, 990), at(bare, bench->commands, 990));
}

/*
 * Sends as many commands as possible, and takes the replies; while rows of the history wait for the disk it sends
 * none, as the gateway would.
 */
static void run_through(struct bench *bench)
{
    struct server *server = &bench->instance->server;
    uint64_t       wanted = bench->operations / bench->part->per_command;
    int64_t        heard_ns = clock_mono_ns();

    while (bench->answered < wanted) {
        bool moved = false;

        while (bench->sent < wanted && atomic_load_explicit(&server->shared.shed, memory_order_relaxed) == 0
               && send_one(bench)) {
            show(bench, WRITES_AT_ONCE);
            moved = true;
        }
        show(bench, 1);
        while (take_one(bench) != 0) moved = true;
        if (moved) heard_ns = clock_mono_ns();
        else nap();
        must(clock_mono_ns() - heard_ns < GIVE_UP_NS, "an answer within a minute");
    }
    while (bench->part->history && history_waiting(bench->instance->history) != 0) nap();
}

static void measure_many(struct bench *bench)
{
    const struct commit_counters *commit = &bench->instance->server.commit.counters;
    int64_t                       began_ns = clock_mono_ns(), took_ns, bare_ns = 0;
    uint64_t                      bytes = tally_of(&commit->bytes), batches = tally_of(&commit->batches);
    double                        rate, bare_rate;

    run_through(bench);
    took_ns = clock_mono_ns() - began_ns;
    bytes = tally_of(&commit->bytes) - bytes;
    batches = tally_of(&commit->batches) - batches;
    for (uint64_t i = 0; i < batches; i++) bare_ns += bare_write(bench, bytes / batches);
    rate = (double)bench->done * 1e9 / (double)took_ns;
    bare_rate = (double)bench->done * 1e9 / (double)bare_ns;
    (void)printf("durable %s: %.3f M operations/s in commands of %u%s; the bare disk loop %.3f M/s, ratio %.2f; %lu "
                 "operations, %lu bytes each, %lu batches of %lu KiB\n",
                 bench->part->name, rate / 1e6, bench->part->per_command,
                 bench->part->history ? ", history on disk" : "", bare_rate / 1e6, rate / bare_rate,
                 (unsigned long)bench->done, (unsigned long)(bytes / bench->done), (unsigned long)batches,
                 (unsigned long)(bytes / batches >> 10));
    figure(bench->part->figure, rate, bare_rate);
}

static void *run_load(void *argument)
{
    struct bench *bench = argument;
    bool          one = strcmp(bench->part->name, "one") == 0;

    while (log_wants_spare(bench->instance->replay.log)) thread_sleep_ms(5);
    pin_all(one ? 1 : 0);
    if (one) measure_one(bench);
    else measure_many(bench);
    signals_stop_self();
    return NULL;
}

static pthread_t load;

static void start_load(void *bench) { must(thread_start(&load, "load", run_load, bench) == 0, "a thread"); }

/* ---- the exchange ---- */

static void run_part(struct bench *bench)
{
    static struct config config;
    uint64_t             whole = max_u64(bench->operations, bench->commands * (JOURNAL_BLOCK / 512))
                       * (bench->part->per_command == 1 ? 600 : 250)
                   + (16 << 20);
    struct options options = { .folder = bench->folder,
                               .host = "127.0.0.1",
                               .io_threads = 1,
                               .connections = 64,
                               .connections_per_address = 64,
                               .file_bytes = align_up(whole, 1 << 20),
                               .production = true,
                               .library_signatures = true, /* no second check: nobody has signed these commands */
                               .genesis = &config.genesis,
                               .faucet = config.faucet,
                               .metrics = &config.metrics };
    uint8_t       *memory = files_take_memory(2 * (size_t)RING_BYTES);
    struct server *server;

    cycle_config(&config);
    bench->cycle = cycle_make(bench->part->per_command);
    decode_cycle(bench, &config.genesis);
    bench->nonce = (uint64_t)clock_wall_ms();
    bare_open(bench, options.file_bytes);
    bench->instance = instance_take();
    must(memory != NULL && bench->instance != NULL, "memory");
    files_touch_memory(memory, 2 * (size_t)RING_BYTES);
    must(instance_open(bench->instance, &options) == EXIT_FINE, "the start");
    server = &bench->instance->server;
    bench->ring = server->ring_count++;
    ring_init(&bench->writes, memory, RING_BYTES);
    ring_init(&bench->replies, memory + RING_BYTES, RING_BYTES);
    server->writes[bench->ring] = &bench->writes;
    server->replies[bench->ring] = &bench->replies;
    if (!bench->part->history) server->exchange.history = NULL;
    must(instance_run(bench->instance, start_load, bench) == EXIT_FINE, "the exchange");
    thread_join(load);
    instance_close(bench->instance);
    bench->bare_disk.close(bench->bare_disk.self, bench->bare);
    disk_close(&bench->bare_place);
}

/* Each part in a process of its own, so that none sees the memory of another. */
static bool fork_part(const struct part *part, const char *folder, uint64_t operations, uint64_t commands)
{
    static struct bench bench;
    int                 status = 1;
    pid_t               pid;

    (void)fflush(stdout);
    bench = (struct bench){ .part = part,
                            .operations = operations - operations % part->per_command,
                            .commands = strcmp(part->name, "one") == 0 ? commands : 0 };
    if (bench.commands != 0) bench.operations = 0;
    (void)snprintf(bench.folder, sizeof(bench.folder), "%s/%s", folder, part->name);
    (void)snprintf(bench.bare_folder, sizeof(bench.bare_folder), "%s/bare", folder);
    files_remove_tree(bench.folder);
    files_remove_tree(bench.bare_folder);
    pid = fork();
    if (pid == 0) {
        run_part(&bench);
        (void)fflush(stdout);
        _exit(0);
    }
    must(pid > 0 && waitpid(pid, &status, 0) == pid, "a process");
    files_remove_tree(bench.folder);
    files_remove_tree(bench.bare_folder);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void check_folder(const char *folder)
{
    struct statfs disk;

    must(files_make_folder(folder) == 0 && statfs(folder, &disk) == 0, folder);
    must(disk.f_type != TMPFS_MAGIC, "a folder on a disk (--folder): tmpfs syncs for nothing, and that");
}

int main(int argc, char **argv)
{
    static const struct option rows[] = { { "operations", required_argument, NULL, 'n' },
                                          { "commands", required_argument, NULL, 'c' },
                                          { "folder", required_argument, NULL, 'f' },
                                          { NULL, 0, NULL, 0 } };
    const char                *folder = "build/bench-durable";
    uint64_t                   operations = 1000000, commands = 2000;
    bool                       good = true;
    int                        c;

    while ((c = getopt_long(argc, argv, "", rows, NULL)) != -1) {
        if (c == 'n') operations = strtoull(optarg, NULL, 10);
        else if (c == 'c') commands = strtoull(optarg, NULL, 10);
        else if (c == 'f') folder = optarg;
        else return 2;
    }
    must(operations >= CYCLE_COMMAND && commands >= 10, "an argument");
    signals_block();
    log_init(true);
    check_folder(folder);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        bool asked = optind == argc;

        for (int word = optind; word < argc; word++) asked |= strcmp(argv[word], parts[i].name) == 0;
        if (asked) good &= fork_part(&parts[i], folder, operations, commands);
    }
    (void)rmdir(folder);
    return good ? 0 : 1;
}
