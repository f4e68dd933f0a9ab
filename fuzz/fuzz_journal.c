/* SPDX-License-Identifier: MIT */
/*
 * The journal reader over damaged files. The first byte: bit 0 renews checksums and chains after the damage, so that
 * the checks behind them are reached; bit 1 takes the input as the file instead of as changes of a good one; bit 2
 * reads strictly. Then changes: where (16 bits, in units of 8 bytes, over both segments), how many bytes (one), the
 * bytes.
 *
 * Without renewed checksums the log is never silently wrong: the reader returns the written records or a prefix of
 * them. With them it returns the forged records, reads nothing outside of its bounds, and numbers and times still
 * continue.
 */
#include "fuzz/fuzz.h"
#include "log/file/batch.h"
#include "tests/support/journal_rig.h"

#include <xxhash.h>

#define SEGMENT_BYTES (28 * 1024)

static struct rig     rig;
static uint8_t        good[2][SEGMENT_BYTES];
static struct hash256 instance;

static struct memory_file *segment_file(int number)
{
    return memory_disk_find(&rig.memory, number == 0 ? "journal-00000001.log" : "journal-00000002.log");
}

static void make_log(void)
{
    rig_init(&rig, SEGMENT_BYTES);
    assert(rig_create(&rig) == LOG_OK);
    for (uint32_t i = 0; i < 5; i++) assert(rig_append(&rig, i == 1 ? 0 : i == 4 ? 9 : 3 + i) == 0);
    journal_close(rig.journal);
    rig.options.read_only = true;
    for (int i = 0; i < 2; i++) memcpy(good[i], segment_file(i)->cache, SEGMENT_BYTES);
    instance = keccak256(RIG_GENESIS, sizeof(RIG_GENESIS) - 1);
}

/* ---- renewed checksums and chains ---- */

static void seal_headers(uint8_t *file)
{
    for (int copy = 0; copy < 2; copy++) {
        uint8_t *at = file + copy * JOURNAL_BLOCK;
        uint64_t checksum = XXH3_64bits(at, JOURNAL_BLOCK - 8);
        memcpy(at + JOURNAL_BLOCK - 8, &checksum, 8);
    }
}

/* Records as far as their lengths can be walked; the chain covers those. */
static void seal_batch(uint8_t *at, size_t room, uint64_t segment, uint64_t offset, struct hash256 *chain)
{
    struct batch_header *header = (struct batch_header *)(void *)at;
    struct keccak        keccak;
    uint64_t             seed;
    size_t               record = sizeof(*header);

    memcpy(&seed, instance.bytes, sizeof(seed));
    seed += (segment << 40) + offset;
    header->previous = *chain;
    header->checksum = XXH3_64bits_withSeed(header, offsetof(struct batch_header, checksum), seed);
    keccak_init(&keccak);
    keccak_add(&keccak, chain->bytes, sizeof(chain->bytes));
    keccak_add(&keccak, header, sizeof(*header));
    for (uint32_t i = 0; i < header->count && record + 128 <= room; i++) {
        const struct log_record_header *one = (const struct log_record_header *)(const void *)(at + record);
        uint64_t                        checksum;

        if (one->bytes < 128 || one->bytes > room - record || one->bytes % 8 != 0) break;
        checksum = XXH3_64bits(at + record, one->bytes - 8);
        memcpy(at + record + one->bytes - 8, &checksum, 8);
        keccak_add(&keccak, one->tx_hash.bytes, sizeof(one->tx_hash));
        keccak_add(&keccak, &checksum, sizeof(checksum));
        record += one->bytes;
    }
    *chain = keccak_end(&keccak);
    if (header->bytes >= BATCH_BYTES_LEAST && header->bytes <= room) memcpy(at + header->bytes - 32, chain->bytes, 32);
}

static void seal_all(void)
{
    struct hash256 chain = instance;

    for (int number = 0; number < 2; number++) {
        struct memory_file    *file = segment_file(number);
        struct segment_header *header = (struct segment_header *)(void *)file->cache;
        uint64_t               offset = number == 0 ? 12288 : 8192;

        if (memcmp(header->magic, SEGMENT_MAGIC, 8) == 0) header->chain = chain;
        memcpy(&((struct segment_header *)(void *)(file->cache + JOURNAL_BLOCK))->chain, &header->chain, 32);
        seal_headers(file->cache);
        while (offset + JOURNAL_BLOCK <= SEGMENT_BYTES) {
            const struct batch_header *batch = (const struct batch_header *)(const void *)(file->cache + offset);

            if (memcmp(batch->magic, BATCH_MAGIC, 8) != 0) break;
            seal_batch(file->cache + offset, SEGMENT_BYTES - offset, (uint64_t)number + 1, offset, &chain);
            offset += align_up(min_size(batch->bytes == 0 ? 1 : batch->bytes, SEGMENT_BYTES), JOURNAL_BLOCK);
        }
    }
}

/* ---- reading ---- */

static void check_records(const struct log_batch *batch)
{
    struct log_cursor cursor = { 0 };
    struct log_record record;
    uint32_t          seen = 0;

    while (log_batch_next(batch, &cursor, &record)) {
        const uint8_t *at = (const uint8_t *)record.command, *text = (const uint8_t *)record.signed_bytes.at;

        assert(at >= batch->at && at + record.command->bytes <= batch->at + batch->len);
        assert(text >= batch->at && text + record.signed_bytes.len <= batch->at + batch->len);
        assert(record.command->seq == batch->first_seq + seen && record.command->time_ms == batch->time_ms);
        assert(command_name(record.command->kind) != NULL);
        seen++;
    }
    assert(seen == batch->count);
}

static void read_forged(void)
{
    struct slice       genesis;
    struct log_applied applied;
    uint64_t           next = 1;
    int64_t            time_ms = 0;
    bool               end = false;

    if (journal_open(rig.journal_memory, &rig.memory.disk, &rig.options, &rig.journal, &genesis, &rig.report) != LOG_OK)
        return;
    while (journal_next(rig.journal, &rig.batch, &applied, &end, &rig.report) == LOG_OK && !end) {
        assert(rig.batch.first_seq == next && (rig.batch.time_ms >= time_ms));
        check_records(&rig.batch);
        next += rig.batch.count;
        time_ms = rig.batch.time_ms;
    }
    if (!end) assert(rig.report.text[0] != '\0');
}

static void read_honestly(void)
{
    bool           same;
    enum log_fault fault = rig_open(&rig, &same);

    assert(same);
    if (fault != LOG_OK) assert(rig.report.text[0] != '\0');
}

static void read_batches(void)
{
    static _Alignas(8) uint8_t room[RIG_BATCH_BYTES];
    struct log_batch           batch = { .at = room, .cap = sizeof(room) };

    for (uint64_t segment = 1; segment <= 2; segment++)
        for (uint64_t offset = 8192; offset < SEGMENT_BYTES; offset += JOURNAL_BLOCK)
            if (journal_read_batch(&rig.memory.disk, &instance, segment, offset, room, sizeof(room), &batch) == 0)
                check_records(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = { data, size };
    uint8_t        mode = (uint8_t)choose(&choices, 1);

    if (rig.batch.at == NULL) make_log();
    for (int i = 0; i < 2; i++) memcpy(segment_file(i)->cache, good[i], SEGMENT_BYTES);
    rig.options.strict_tail = (mode & 4) != 0;
    if ((mode & 2) != 0) {
        memset(segment_file(0)->cache, 0, SEGMENT_BYTES);
        memcpy(segment_file(0)->cache, choices.at, min_size(choices.len, SEGMENT_BYTES));
        memset(segment_file(1)->cache, 0, SEGMENT_BYTES);
        choices.len = 0;
    }
    while (choices.len != 0) {
        size_t   at = choose(&choices, 2) * 8 % (2 * SEGMENT_BYTES), len = choose(&choices, 1) % 65;
        uint8_t *file = segment_file(at < SEGMENT_BYTES ? 0 : 1)->cache;

        at %= SEGMENT_BYTES;
        len = min_size(min_size(len, choices.len), SEGMENT_BYTES - at);
        memcpy(file + at, choices.at, len);
        choices.at += len, choices.len -= len;
    }
    if ((mode & 1) != 0) seal_all();
    if ((mode & 3) == 0) read_honestly();
    else read_forged();
    read_batches();
    return 0;
}
