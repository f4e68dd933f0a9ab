/* SPDX-License-Identifier: MIT */
/*
 * journal.c — the journal's overhead over the disk. Batches of single orders are appended to a real folder, and the
 * same number of bytes is written and synced bare, in turns, in the same run.
 *
 *   bench_journal [records per batch]       in a folder below build/, which must be on a disk
 */
#include "io/disk.h"
#include "log/file/format.h"
#include "log/file/journal.h"
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCHES 400

static struct command_room room;
static const char          text[] =
    "{\"type\":\"batchNewOrder\",\"params\":{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"bench-1\","
    "\"side\":1,\"type\":1,\"timeInForce\":1,\"price\":\"100000.1\",\"quantity\":\"0.00123\"}]}}";

static void fill(struct log_batch *batch, uint64_t first_seq, uint32_t records)
{
    struct hash256    hash = { { 0 } };
    struct log_record record = { .command = &room.head, .signed_bytes = { text, sizeof(text) - 1 }, .tx_hash = &hash };

    log_batch_begin(batch, first_seq, 1);
    for (uint32_t i = 0; i < records; i++) {
        room.head = (struct command){ .bytes = (uint32_t)(sizeof(struct command) + PAYLOAD_BYTES(place_orders, 1)),
                                      .kind = CMD_PLACE_ORDERS,
                                      .seq = first_seq + i,
                                      .time_ms = 1,
                                      .nonce = first_seq + i };
        memcpy(hash.bytes, &room.head.seq, 8);
        if (!log_batch_add(batch, &record)) exit(1);
    }
}

static void check(int error, const char *what)
{
    if (error == 0) return;
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    exit(1);
}

int main(int argc, char **argv)
{
    uint32_t            records = argc > 1 ? (uint32_t)atoi(argv[1]) : 64;
    char                path[] = "build/bench-journal-XXXXXX";
    struct log_settings options = { .file_bytes = 64 * 1024 * 1024, .spare = true };
    struct log_batch    batch = { .at = aligned_alloc(4096, 1024 * 1024), .cap = 1024 * 1024 };
    void               *memory = aligned_alloc(4096, align_up(journal_size(), 4096));
    struct log_applied  applied = { 0 };
    struct log_report   report;
    struct disk_folder  folder;
    struct journal     *journal;
    struct disk         disk;
    uint64_t            journal_ns = 0, bare_ns = 0, fill_ns = 0, bytes = 0;
    int                 bare;

    if (records == 0 || mkdtemp(path) == NULL) {
        fprintf(stderr, "usage: bench_journal [records per batch]\n");
        return 2;
    }
    check(disk_open(&folder, path, DISK_WRITE, false, &disk), path);
    if (journal_create(memory, &disk, &options, SLICE("{}"), &journal, &report) != LOG_OK) {
        fprintf(stderr, "%s\n", report.text);
        return 1;
    }
    check(disk.create(disk.self, "bare", options.file_bytes), "bare");
    check(disk.open(disk.self, "bare", true, &bare), "bare");

    for (uint32_t i = 0; i < BATCHES; i++) {
        int64_t t0 = bench_ns();
        fill(&batch, journal_next_seq(journal), records);
        int64_t t1 = bench_ns();
        journal_submit(journal, &batch, &applied);
        check(journal_wait(journal), "append");
        int64_t t2 = bench_ns();
        size_t  padded = align_up(batch.len + 32, JOURNAL_BLOCK);
        check(disk.write(disk.self, bare, bytes, batch.at, padded), "bare");
        check(disk.sync(disk.self, bare), "bare");
        int64_t t3 = bench_ns();
        fill_ns += (uint64_t)(t1 - t0);
        journal_ns += (uint64_t)(t2 - t1);
        bare_ns += (uint64_t)(t3 - t2);
        bytes += padded;
        if (bytes + padded > options.file_bytes) break;
    }
    uint64_t appended = journal_next_seq(journal) - 1, batches = appended / records;
    printf("journal: %u records per batch, %" PRIu64 " bytes per record on disk\n", records, bytes / appended);
    printf("journal: append %" PRIu64 " us per batch, bare write + fdatasync %" PRIu64 " us, ratio %" PRIu64
           ".%02" PRIu64 "\n",
           journal_ns / batches / 1000, bare_ns / batches / 1000, journal_ns / bare_ns,
           journal_ns * 100 / bare_ns % 100);
    printf("journal: %" PRIu64 " durable commands per second; adding a record %" PRIu64 " ns\n",
           appended * 1000000000u / (journal_ns + fill_ns), fill_ns / appended);
    journal_close(journal);
    disk.close(disk.self, bare);
    check(disk.remove(disk.self, "bare"), "bare");
    check(disk.remove(disk.self, "journal-00000001.log"), "journal");
    disk_close(&folder);
    return rmdir(path);
}
