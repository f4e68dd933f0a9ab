/* SPDX-License-Identifier: MIT */
/*
 * Every bit of a small log flipped, every length it can be cut to, every sector swapped, repeated or of an older
 * version. The log is never silently wrong: it reads the same as before, or it reports a torn tail and has lost its
 * last batch and nothing else, or it refuses. One kind of damage cannot be distinguished from a write that never
 * happened: the whole last batch turned to zeros. So the last batch here is longer than a block, or the closing one;
 * in service a closing batch follows within 100 ms (ruling 28).
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"
#include "rigs/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <xxhash.h>

#define SEGMENT_BYTES (28 * 1024)
#define AGES          8

/* Sanitized builds look at every 13th case: they are after other faults, and twenty times slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STEP 13
#else
#define STEP 1
#endif

static struct rig rig;
static uint64_t   same_as_before, cut, refused;

/* Two segments in use; the last batch has records, or is the closing one of a clean shutdown. */
static void small_log(bool closed)
{
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(rig_append(&rig, i == 1 ? 0 : i == 4 ? 9 : 3 + i), 0);
    if (closed) assert_int_equal(rig_append(&rig, 0), 0);
    journal_close(rig.journal);
    rig.options.read_only = true;
    assert_non_null(memory_disk_find(&rig.memory, "journal-00000002.log"));
    assert_null(memory_disk_find(&rig.memory, "journal-00000003.log"));
    same_as_before = cut = refused = 0;
}

static struct memory_file *segment_file(uint64_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "journal-%08llu.log", (unsigned long long)number);
    return memory_disk_find(&rig.memory, name);
}

/* The one promise. */
static void never_silently_wrong(void)
{
    bool           same;
    enum log_fault fault = rig_open(&rig, &same);

    assert_true(same);
    if (fault == LOG_DAMAGED) {
        assert_non_null(strstr(rig.report.text, "journal-0000000"));
        assert_non_null(strstr(rig.report.text, "after seq"));
        refused++;
        return;
    }
    assert_int_equal(fault, LOG_OK);
    if (rig.recovered == rig.handed) {
        same_as_before++;
        return;
    }
    /* A closing batch of one block that became zeros looks as if it
       had never been written; no record is lost with it. */
    assert_true(rig.report.torn || rig.ledger[rig.handed - 1].count == 0);
    assert_int_equal(rig.recovered, rig.handed - 1);
    assert_true(!rig.report.torn || rig.report.torn_after_seq == rig.ledger[rig.handed - 1].first_seq - 1);
    cut++;
}

static void print_counts(const char *what)
{
    print_message("           %s: %llu read the same, %llu cut the last batch, %llu refused\n", what,
                  (unsigned long long)same_as_before, (unsigned long long)cut, (unsigned long long)refused);
}

static bool sector_is_zero(const struct memory_file *file, uint64_t at)
{
    static const uint8_t zeros[512];
    return memcmp(file->cache + at / 512 * 512, zeros, 512) == 0;
}

/* Every bit of every sector that was written, one bit of every byte of the others. */
static void every_bit_of_a_log_that_was_killed(void **state)
{
    (void)state;
    small_log(false);
    for (uint64_t number = 1; number <= 2; number++) {
        struct memory_file *file = segment_file(number);
        for (uint64_t bit = 0; bit < file->bytes * 8; bit += STEP) {
            if (bit % 8 != bit / 8 % 8 && sector_is_zero(file, bit / 8)) continue;
            file->cache[bit / 8] ^= (uint8_t)(1 << bit % 8);
            never_silently_wrong();
            file->cache[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    print_counts("bits");
    assert_true(refused > 50000 / STEP && cut > 0 && cut <= 2 * 4096 * 8); /* the last batch has two blocks */
    never_silently_wrong();
    assert_int_equal(rig.recovered, rig.handed);
    rig_free(&rig);
}

static void every_byte_of_a_log_that_was_closed_loses_no_record(void **state)
{
    (void)state;
    small_log(true);
    for (uint64_t number = 1; number <= 2; number++) {
        struct memory_file *file = segment_file(number);
        for (uint64_t at = 0; at < file->bytes; at += STEP) {
            file->cache[at] ^= (uint8_t)(1 + at % 255);
            never_silently_wrong();
            file->cache[at] ^= (uint8_t)(1 + at % 255);
        }
    }
    print_counts("bytes");
    assert_int_equal(rig.ledger[rig.handed - 1].count, 0); /* all that can be cut is the closing batch */
    rig_free(&rig);
}

static void every_length_a_segment_can_be_cut_to(void **state)
{
    (void)state;
    small_log(false);
    for (uint64_t number = 1; number <= 2; number++) {
        struct memory_file *file = segment_file(number);
        static uint8_t      whole[SEGMENT_BYTES];
        memcpy(whole, file->cache, SEGMENT_BYTES);
        for (uint64_t len = 0; len < SEGMENT_BYTES; len += STEP) {
            bool same;
            memory_disk_truncate(file, len);
            assert_int_equal(rig_open(&rig, &same), LOG_DAMAGED);
            assert_true(same);
            memory_disk_truncate(file, SEGMENT_BYTES);
            memcpy(file->cache, whole, SEGMENT_BYTES);
        }
        memory_disk_truncate(file, SEGMENT_BYTES + 4096);
        bool same;
        assert_int_equal(rig_open(&rig, &same), LOG_DAMAGED);
        memory_disk_truncate(file, SEGMENT_BYTES);
    }
    never_silently_wrong();
    assert_int_equal(rig.recovered, rig.handed);
    rig_free(&rig);
}

static uint8_t *block_at(uint64_t index, size_t bytes)
{
    uint64_t per_file = SEGMENT_BYTES / bytes;
    return segment_file(1 + index / per_file)->cache + index % per_file * bytes;
}

static void every_pair(size_t bytes)
{
    static uint8_t a[4096], b[4096];
    uint64_t       count = 2 * SEGMENT_BYTES / bytes;

    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t j = i % STEP; j < count; j += STEP) {
            uint8_t *x = block_at(i, bytes), *y = block_at(j, bytes);
            if (memcmp(x, y, bytes) == 0) continue;
            memcpy(a, x, bytes);
            memcpy(b, y, bytes);
            memcpy(y, a, bytes); /* repeated: x is in two places */
            never_silently_wrong();
            memcpy(x, b, bytes); /* swapped */
            if (i < j) never_silently_wrong();
            memcpy(x, a, bytes);
            memcpy(y, b, bytes);
        }
    }
}

static void sectors_and_blocks_swapped_and_repeated(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        small_log(closed == 1);
        every_pair(512);
        every_pair(4096);
        print_counts("pairs");
        assert_true(refused > 1000 / STEP);
        never_silently_wrong();
        assert_int_equal(rig.recovered, rig.handed);
        rig_free(&rig);
    }
}

/* The contents of a sector after each append are put back into the final log. */
static void sectors_and_blocks_of_an_earlier_age(void **state)
{
    (void)state;
    static uint8_t      ages[AGES][2][SEGMENT_BYTES], now[4096];
    static const size_t sizes[] = { 512, 4096 };
    uint32_t            count = 0;

    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 6; i++, count++) {
        for (uint64_t number = 1; number <= 2; number++)
            if (segment_file(number) != NULL)
                memcpy(ages[count][number - 1], segment_file(number)->cache, SEGMENT_BYTES);
        assert_int_equal(rig_append(&rig, 4 + i), 0);
    }
    journal_close(rig.journal);
    rig.options.read_only = true;
    for (uint32_t age = 0; age < count; age++) {
        for (size_t s = 0; s < ARRAY_COUNT(sizes); s++) {
            for (uint64_t i = 0; i < 2 * SEGMENT_BYTES / sizes[s]; i++) {
                uint8_t *at = block_at(i, sizes[s]);
                memcpy(now, at, sizes[s]);
                memcpy(at, &ages[age][i / (SEGMENT_BYTES / sizes[s])][i % (SEGMENT_BYTES / sizes[s]) * sizes[s]],
                       sizes[s]);
                never_silently_wrong();
                memcpy(at, now, sizes[s]);
            }
        }
    }
    print_counts("ages");
    assert_true(refused > 50 && cut > 0);
    rig_free(&rig);
}

static void many_bytes_at_random(void **state)
{
    (void)state;
    uint64_t random_state = 12345;
    small_log(false);
    for (int round = 0; round < 20000 / STEP; round++) {
        struct {
            uint8_t *at, old;
        } changed[16];
        int count = 1 + round % 16;
        for (int i = 0; i < count; i++) {
            (void)random_congruent(&random_state);
            changed[i].at = segment_file(1 + (random_state >> 62) % 2)->cache + (random_state >> 20) % SEGMENT_BYTES;
            changed[i].old = *changed[i].at;
            *changed[i].at = (uint8_t)(random_state >> 12);
        }
        never_silently_wrong();
        while (count-- > 0) *changed[count].at = changed[count].old;
    }
    print_counts("random");
    rig_free(&rig);
}

static void a_segment_that_is_missing_between_others_is_noticed(void **state)
{
    (void)state;
    bool same;
    for (int number = 1; number <= 2; number++) {
        small_log(false);
        rig.options.read_only = false;
        rig.options.spare = true;
        assert_int_equal(rig_open(&rig, &same), LOG_OK);
        assert_int_equal(journal_prepare(rig.journal), 0);
        journal_close(rig.journal);
        char name[32];
        snprintf(name, sizeof(name), "journal-%08d.log", number);
        assert_int_equal(rig.memory.disk.remove(&rig.memory, name), 0);
        assert_int_equal(rig_open(&rig, &same), LOG_DAMAGED);
        assert_non_null(strstr(rig.report.text, name));
        rig_free(&rig);
    }
}

/* Batches of another log with the same shape, at the same place: the instance in the seed keeps them out. */
static void a_batch_of_another_log_is_not_taken(void **state)
{
    (void)state;
    static uint8_t other[SEGMENT_BYTES];
    bool           same;

    rig_init(&rig, SEGMENT_BYTES);
    rig.variant = 1;
    struct slice genesis = SLICE("{\"name\":\"another one\"}");
    assert_int_equal(
        journal_create(rig.journal_memory, &rig.memory.disk, &rig.options, genesis, &rig.journal, &rig.report), LOG_OK);
    assert_int_equal(rig_append(&rig, 4), 0);
    memcpy(other, segment_file(1)->cache, SEGMENT_BYTES);
    rig_free(&rig);

    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    rig.options.read_only = true;
    memcpy(segment_file(1)->cache + 12288, other + 12288, 4096);
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_int_equal(rig.recovered, 0);
    assert_true(same && rig.report.torn);
    rig_free(&rig);
}

/* Flips a bit of the nonce of a batch's first record and renews the checksum. */
static void forge(struct memory_file *file, uint64_t batch_at)
{
    uint8_t                        *record = file->cache + batch_at + sizeof(struct batch_header);
    const struct log_record_header *header = (const struct log_record_header *)(const void *)record;

    record[sizeof(*header) + offsetof(struct command, nonce)] ^= 1;
    uint64_t checksum = XXH3_64bits(record, header->bytes - 8);
    memcpy(record + header->bytes - 8, &checksum, 8);
}

static void a_record_that_was_changed_with_its_checksum_breaks_the_chain(void **state)
{
    (void)state;
    bool same;
    small_log(true);
    forge(segment_file(1), 12288);
    assert_int_equal(rig_open(&rig, &same), LOG_DAMAGED);
    assert_int_equal(rig.recovered, 0);
    rig_free(&rig);

    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    assert_int_equal(rig_append(&rig, 2), 0);
    rig.options.read_only = true;
    forge(segment_file(1), 12288);
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same && rig.report.torn); /* no batch follows it: it looks like a tear, and is cut */
    assert_int_equal(rig.recovered, 0);
    rig_free(&rig);
}

/* The power failed between the header of a new segment and its first batch: the header proves the earlier batches. */
static void a_segment_that_has_only_a_header_proves_the_one_before(void **state)
{
    (void)state;
    bool same;
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(rig_append(&rig, 9), 0);
    rig.memory.fail_at = rig.memory.calls + 7; /* size, create, size, open, header, sync, and then the batch */
    rig.memory.fail_sticky = true;
    assert_int_not_equal(rig_append(&rig, 9), 0);
    memory_disk_crash(&rig.memory, CRASH_NONE_ARRIVES);
    rig.handed--;
    rig.options.read_only = true;
    never_silently_wrong();
    assert_int_equal(rig.recovered, 2);
    assert_memory_equal(segment_file(2)->cache, SEGMENT_MAGIC, 8);

    struct memory_file *file = segment_file(1);
    for (uint64_t at = 12288; at < SEGMENT_BYTES; at += STEP) {
        file->cache[at] ^= 0x40;
        enum log_fault fault = rig_open(&rig, &same);
        assert_true(same);
        assert_true(fault == LOG_DAMAGED || (fault == LOG_OK && rig.recovered == 2 && !rig.report.torn));
        file->cache[at] ^= 0x40;
    }
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_of_a_log_that_was_killed),
        cmocka_unit_test(every_byte_of_a_log_that_was_closed_loses_no_record),
        cmocka_unit_test(every_length_a_segment_can_be_cut_to),
        cmocka_unit_test(sectors_and_blocks_swapped_and_repeated),
        cmocka_unit_test(sectors_and_blocks_of_an_earlier_age),
        cmocka_unit_test(many_bytes_at_random),
        cmocka_unit_test(a_segment_that_is_missing_between_others_is_noticed),
        cmocka_unit_test(a_batch_of_another_log_is_not_taken),
        cmocka_unit_test(a_record_that_was_changed_with_its_checksum_breaks_the_chain),
        cmocka_unit_test(a_segment_that_has_only_a_header_proves_the_one_before),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
