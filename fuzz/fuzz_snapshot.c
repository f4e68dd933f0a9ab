/* SPDX-License-Identifier: MIT */
/*
 * The readers of snapshots and archives over damaged files. The first byte: bit 0 renews hashes and checksums after
 * the damage, so that the checks behind them are reached; bit 1 takes the archive instead of the snapshot. Then
 * changes: where (16 bits), how many bytes (one), the bytes.
 *
 * Without new hashes a changed file is never accepted; with them the reader returns the forged contents, and reads and
 * writes nothing outside of its bounds.
 */
#include "log/file/archive/archive.h"
#include "log/file/archive/format.h"
#include "fuzz/fuzz.h"
#include "snapshot/snapshot.h"
#include "tests/support/memory_disk.h"

#include <xxhash.h>

#define MEMORY_BYTES (SNAPSHOT_CHUNK + 5000)
#define FILE_BYTES   (ARCHIVE_PIECE + 9000)
#define LOG          "journal-00000001.log"

static struct memory_disk     memory;
static struct snapshot_header written;
static uint8_t               *sections[2], *back[2], *file_content;
static struct {
    struct memory_file *file;
    uint8_t            *good;
    uint64_t            bytes;
} files[2];

static void keep(int number, const char *name)
{
    files[number].file = memory_disk_find(&memory, name);
    assert(files[number].file != NULL);
    files[number].bytes = files[number].file->bytes;
    files[number].good = malloc(files[number].bytes);
    assert(files[number].good != NULL);
    memcpy(files[number].good, files[number].file->cache, files[number].bytes);
}

static void list(uint8_t *const into[2], struct snapshot_section out[2])
{
    out[0] = (struct snapshot_section){ 1, 0, into[0], MEMORY_BYTES };
    out[1] = (struct snapshot_section){ 2, 0, into[1], 64 };
}

static void make_files(void)
{
    struct snapshot_section own[2];
    uint64_t                packed;
    int                     handle;

    memory_disk_init(&memory);
    for (int i = 0; i < 2; i++) {
        sections[i] = calloc(1, i == 0 ? MEMORY_BYTES : 64);
        back[i] = calloc(1, i == 0 ? MEMORY_BYTES : 64);
    }
    file_content = calloc(1, FILE_BYTES);
    for (size_t i = 0; i < 500; i++) sections[0][i * 400] = file_content[i * 300] = (uint8_t)(i * 7 + 1);
    memset(sections[1], 5, 64);
    list(sections, own);
    written = (struct snapshot_header){ .engine = 1, .seq = 9 };
    assert(snapshot_write(&memory.disk, "s", &written, own, 2) == 0);
    keep(0, "s");
    assert(memory.disk.create(&memory, LOG, FILE_BYTES) == 0 && memory.disk.open(&memory, LOG, true, &handle) == 0);
    assert(memory.disk.write(&memory, handle, 0, file_content, FILE_BYTES) == 0);
    assert(archive_pack(&memory.disk, LOG, &packed) == 0);
    keep(1, LOG ".zst");
}

static void forge_snapshot(void)
{
    struct snapshot_header *header = (struct snapshot_header *)(void *)files[0].file->cache;

    header->body = keccak256(files[0].file->cache + SNAPSHOT_HEADER_BYTES, files[0].bytes - SNAPSHOT_HEADER_BYTES);
    header->hash = keccak256(header, offsetof(struct snapshot_header, hash));
}

static void forge_archive(void)
{
    uint8_t               *at = files[1].file->cache;
    struct archive_header *header = (struct archive_header *)(void *)at;
    struct archive_piece  *index = (struct archive_piece *)(void *)(header + 1);
    uint32_t pieces = (uint32_t)min_u64(header->pieces, (files[1].bytes - sizeof(*header)) / sizeof(*index));

    for (uint32_t i = 0; i < pieces; i++)
        if (index[i].at <= files[1].bytes && index[i].bytes <= files[1].bytes - index[i].at)
            index[i].checksum = XXH3_64bits(at + index[i].at, index[i].bytes);
    header->checksum = XXH3_64bits_withSeed(index, pieces * sizeof(*index),
                                            XXH3_64bits(header, offsetof(struct archive_header, checksum)));
}

static void read_snapshot(bool forged)
{
    struct snapshot_header  facts;
    struct snapshot_report  report;
    struct snapshot_section into[2];
    enum snapshot_fault     fault = snapshot_look(&memory.disk, "s", &facts, &report);
    bool                    changed = memcmp(files[0].file->cache, files[0].good, files[0].bytes) != 0;

    (void)!snapshot_check(&memory.disk, "s", &report);
    if (fault == SNAPSHOT_OK) {
        memset(back[0], 0, MEMORY_BYTES);
        list(back, into);
        fault = snapshot_load(&memory.disk, "s", &facts, into, 2, &report);
    }
    if (fault != SNAPSHOT_OK) assert(report.text[0] != '\0');
    if (!forged) assert((fault == SNAPSHOT_OK) == !changed);
    if (!forged && fault == SNAPSHOT_OK) assert(memcmp(sections[0], back[0], MEMORY_BYTES) == 0);
}

/* Header and index are checked as a whole, pieces one by one: each is right or refused. */
static void read_archive(bool forged)
{
    static uint8_t  room[FILE_BYTES];
    struct disk     over;
    struct archive *archive = archive_open(&memory.disk, &over);
    int             handle;

    assert(archive != NULL);
    if (over.open(over.self, LOG, false, &handle) == 0) {
        for (size_t at = 0; at < FILE_BYTES; at += 61000) {
            size_t len = min_size(61000, FILE_BYTES - at);
            if (over.read(over.self, handle, at, room, len) == 0 && !forged)
                assert(memcmp(room, file_content + at, len) == 0);
        }
        over.close(over.self, handle);
    }
    archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = { data, size };
    uint8_t        mode = (uint8_t)choose(&choices, 1);
    int            which = mode >> 1 & 1;

    if (file_content == NULL) make_files();
    memcpy(files[which].file->cache, files[which].good, files[which].bytes);
    while (choices.len != 0) {
        size_t at = choose(&choices, 2) % files[which].bytes, len = choose(&choices, 1) % 33;

        len = min_size(min_size(len, choices.len), files[which].bytes - at);
        memcpy(files[which].file->cache + at, choices.at, len);
        choices.at += len, choices.len -= len;
    }
    if ((mode & 1) != 0 && which == 0) forge_snapshot();
    if ((mode & 1) != 0 && which == 1) forge_archive();
    if (which == 0) read_snapshot((mode & 1) != 0);
    else read_archive((mode & 1) != 0);
    return 0;
}
