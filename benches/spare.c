/* SPDX-License-Identifier: MIT */
/*
 * spare.c — what the making of a segment ahead costs those who wait for the log: how long a block's write and sync take
 * alone and while a file of 64 MiB is filled with zeros, in turns, and the processor time of the filling.
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
static struct syncs alone, beside;

struct filling {
    _Atomic bool ended;
    int64_t      took_ns, cpu_ns; /* both of the filling thread */
};

static void check(int error, const char *what)
{
    if (error == 0) return;
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(1);
}

static void *fill(void *given)
{
    struct filling *filling = given;
    int64_t         began_ns = bench_ns(), cpu_ns = bench_thread_ns();

    check(disk.create(disk.self, "spare", SEGMENT), "spare");
    filling->took_ns = bench_ns() - began_ns;
    filling->cpu_ns = bench_thread_ns() - cpu_ns;
    atomic_store(&filling->ended, true);
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
    printf("spare: %s, p50 %ld us, p90 %ld, p99 %ld (%zu)\n", what, syncs->ns[syncs->count / 2] / 1000,
           syncs->ns[syncs->count * 9 / 10] / 1000, syncs->ns[syncs->count * 99 / 100] / 1000, syncs->count);
}

int main(void)
{
    char    path[] = "build/bench-spare-XXXXXX";
    int64_t took_ns = 0, cpu_ns = 0;
    int     log;

    if (mkdtemp(path) == NULL) check(errno, path);
    check(disk_open(&folder, path, DISK_WRITE, false, &disk), path);
    check(disk.create(disk.self, "log", 1024 * JOURNAL_BLOCK), "log");
    check(disk.open(disk.self, "log", true, &log), "log");
    for (int round = 0; round < ROUNDS; round++) {
        struct filling filling = { 0 };
        pthread_t      thread;

        for (int i = 0; i < 300; i++) sync_one(log, &alone);
        check(pthread_create(&thread, NULL, fill, &filling), "thread");
        while (!atomic_load(&filling.ended)) sync_one(log, &beside);
        (void)pthread_join(thread, NULL);
        took_ns += filling.took_ns;
        cpu_ns += filling.cpu_ns;
        check(disk.remove(disk.self, "spare"), "spare");
    }
    print("a write and sync alone", &alone);
    print("while 64 MiB are filled with zeros", &beside);
    printf("spare: the filling takes %ld ms, %ld of them a processor\n", took_ns / ROUNDS / 1000000,
           cpu_ns / ROUNDS / 1000000);
    disk.close(disk.self, log);
    check(disk.remove(disk.self, "log"), "log");
    disk_close(&folder);
    return rmdir(path);
}
