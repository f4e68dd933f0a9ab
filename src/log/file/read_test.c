/* SPDX-License-Identifier: MIT */
/*
 * A batch read back from its position, while the log continues, after a restart, and where there is none or a damaged
 * one.
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define BATCHES 40

static struct rig rig;
static struct {
    uint64_t segment, offset;
} positions[BATCHES];
static _Alignas(8) uint8_t room[RIG_BATCH_BYTES];
static struct hash256 instance;

static int begin(void **state)
{
    (void)state;
    rig_init(&rig, 256 * 1024);
    assert_int_equal(rig_create(&rig), LOG_OK);
    instance = keccak256(RIG_GENESIS, sizeof(RIG_GENESIS) - 1);
    for (uint32_t i = 0; i < BATCHES; i++) {
        assert_int_equal(rig_append(&rig, 1 + i % 50), 0);
        positions[i].segment = log_position_first(&rig.batch.position);
        positions[i].offset = log_position_second(&rig.batch.position);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    rig_free(&rig);
    return 0;
}

static int read_at(uint64_t segment, uint64_t offset, struct log_batch *batch)
{
    return journal_read_batch(&rig.memory.disk, &instance, segment, offset, room, sizeof(room), batch);
}

static void every_batch_is_read_back_record_by_record(void **state)
{
    (void)state;
    assert_true(positions[BATCHES - 1].segment > 1);
    for (uint32_t i = BATCHES; i-- > 0;) {
        struct log_batch    batch;
        struct log_cursor   cursor = { 0, 0 };
        struct log_record   got;
        struct command_room wanted;
        struct record_parts parts;
        uint32_t            count = 0;
        assert_int_equal(read_at(positions[i].segment, positions[i].offset, &batch), 0);
        assert_int_equal(batch.first_seq, rig.ledger[i].first_seq);
        assert_int_equal(batch.count, rig.ledger[i].count);
        assert_int_equal(batch.time_ms, rig.ledger[i].time_ms);
        for (; log_batch_next(&batch, &cursor, &got); count++) {
            struct log_record record = record_at(rig.variant, batch.first_seq + count, batch.time_ms, &wanted, &parts);
            wanted.head.origin = 0;
            assert_memory_equal(got.command, &wanted, wanted.head.bytes);
            assert_true(slice_equal(got.signed_bytes, record.signed_bytes));
            assert_memory_equal(got.signature, record.signature, sizeof(parts.signature));
        }
        assert_int_equal(count, batch.count);
    }
}

static void a_place_without_a_batch_is_an_error(void **state)
{
    struct log_batch batch;
    struct hash256   other = { { 1 } };

    (void)state;
    assert_int_not_equal(read_at(positions[3].segment, positions[3].offset + JOURNAL_BLOCK * 64, &batch), 0);
    assert_int_equal(read_at(positions[3].segment, positions[3].offset + 8, &batch), EUCLEAN);
    assert_int_equal(read_at(positions[3].segment, 0, &batch), EUCLEAN);
    assert_int_not_equal(read_at(999, positions[3].offset, &batch), 0);
    assert_int_not_equal(read_at(positions[3].segment, UINT64_C(1) << 40, &batch), 0);
    assert_int_equal(journal_read_batch(&rig.memory.disk, &other, positions[3].segment, positions[3].offset, room,
                                        sizeof(room), &batch),
                     EUCLEAN);
    assert_int_equal(journal_read_batch(&rig.memory.disk, &instance, positions[30].segment, positions[30].offset, room,
                                        1024, &batch),
                     EUCLEAN);
}

/* A batch with any changed byte on the disk is not returned. */
static void a_damaged_batch_is_an_error(void **state)
{
    struct log_batch batch;
    char             name[32];
    int              handle;
    size_t           bytes;

    (void)state;
    assert_int_equal(read_at(positions[5].segment, positions[5].offset, &batch), 0);
    bytes = batch.len + 32;
    (void)snprintf(name, sizeof(name), "journal-%08llu.log", (unsigned long long)positions[5].segment);
    assert_int_equal(rig.memory.disk.open(rig.memory.disk.self, name, true, &handle), 0);
    for (size_t at = 0; at < bytes; at += 1 + at % 7) {
        uint8_t byte;
        assert_int_equal(rig.memory.disk.read(rig.memory.disk.self, handle, positions[5].offset + at, &byte, 1), 0);
        byte ^= 0x10;
        assert_int_equal(rig.memory.disk.write(rig.memory.disk.self, handle, positions[5].offset + at, &byte, 1), 0);
        assert_int_not_equal(read_at(positions[5].segment, positions[5].offset, &batch), 0);
        byte ^= 0x10;
        assert_int_equal(rig.memory.disk.write(rig.memory.disk.self, handle, positions[5].offset + at, &byte, 1), 0);
    }
    rig.memory.disk.close(rig.memory.disk.self, handle);
    assert_int_equal(read_at(positions[5].segment, positions[5].offset, &batch), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_batch_is_read_back_record_by_record),
        T(a_place_without_a_batch_is_an_error),
        T(a_damaged_batch_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
