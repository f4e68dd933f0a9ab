/* SPDX-License-Identifier: MIT */
/*
 * spare.c — what the making of a segment ahead costs those who wait for the log: how long a block's write and sync take
 * alone, while a file of 64 MiB is filled with zeros and while it is removed, in turns, and the time of both.
 *
 *   bench_spare        in a folder below build/, which must be on a disk
 */
#include "io/disk.h"
#include "log/file/format.h"
#include "machine.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS    5
#define SYNCS_MAX 20000
#define PAUSE_US  200 /* between two syncs */
#define SEGMENT   (64ull * 1024 * 1024)

static struct disk_folder folder;
static struct disk        disk;

struct syncs {
    int64_t ns[SYNCS_MAX];
    size_t  count;
};
static struct syncs alone, beside[2];

enum phase { FILLING, REMOVING, ENDED };
struct spare {
    _Atomic int phase;
    int64_t     took_ns[2], cpu_ns[2]; /* of a thread that fills a file and removes it */
};

static void check(int error, const char *what)
{
    if (error == 0) return;
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(1);
}

static void *make_and_remove(void *given)
{
    struct spare *spare = given;

    for (int phase = FILLING; phase < ENDED; phase++) {
        int64_t began_ns = bench_ns(), cpu_ns = bench_thread_ns();

        if (phase == FILLING) check(disk.create(disk.self, "spare", SEGMENT), "spare");
        else check(disk.remove(disk.self, "spare"), "spare");
        spare->took_ns[phase] += bench_ns() - began_ns;
        spare->cpu_ns[phase] += bench_thread_ns() - cpu_ns;
        atomic_store(&spare->phase, phase + 1);
    }
    return NULL;
}

static void sync_one(int log, struct syncs *syncs)
{
    static const uint8_t block[JOURNAL_BLOCK] = { 1 };
    int64_t              began_ns = bench_ns();

    if (syncs->count == SYNCS_MAX) return;
    check(disk.write(disk.self, log, syncs->count % 1024 * JOURNAL_BLOCK, block, sizeof(block)), "write");
    check(disk.sync(disk.self, log), "sync");
    syncs->ns[syncs->count++] = bench_ns() - began_ns;
    usleep(PAUSE_US);
}

static void print(const char *what, struct syncs *syncs)
{
    qsort(syncs->ns, syncs->count, sizeof(syncs->ns[0]), bench_by_ns);
    if (syncs->count == 0) return;
    printf("spare: %s, p50 %ld us, p90 %ld, p99 %ld, the longest %ld (%zu)\n", what, syncs->ns[syncs->count / 2] / 1000,
           syncs->ns[syncs->count * 9 / 10] / 1000, syncs->ns[syncs->count * 99 / 100] / 1000,
           syncs->ns[syncs->count - 1] / 1000, syncs->count);
}

int main(void)
{
    char         path[] = "build/bench-spare-XXXXXX";
    struct spare spare = { 0 };
    int          log;

    if (mkdtemp(path) == NULL) check(errno, path);
    check(disk_open(&folder, path, DISK_WRITE, false, &disk), path);
    check(disk.create(disk.self, "log", 1024 * JOURNAL_BLOCK), "log");
    check(disk.open(disk.self, "log", true, &log), "log");
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;

        for (int i = 0; i < 300; i++) sync_one(log, &alone);
        atomic_store(&spare.phase, FILLING);
        check(pthread_create(&thread, NULL, make_and_remove, &spare), "thread");
        for (int phase; (phase = atomic_load(&spare.phase)) != ENDED;) sync_one(log, &beside[phase]);
        (void)pthread_join(thread, NULL);
    }
    print("a write and sync alone", &alone);
    print("begun while 64 MiB are filled with zeros", &beside[FILLING]);
    print("begun while they are removed", &beside[REMOVING]);
    printf("spare: the filling takes %ld ms, %ld of them a processor; the removal %ld and %ld\n",
           spare.took_ns[FILLING] / ROUNDS / 1000000, spare.cpu_ns[FILLING] / ROUNDS / 1000000,
           spare.took_ns[REMOVING] / ROUNDS / 1000000, spare.cpu_ns[REMOVING] / ROUNDS / 1000000);
    disk.close(disk.self, log);
    check(disk.remove(disk.self, "log"), "log");
    disk_close(&folder);
    return rmdir(path);
}
