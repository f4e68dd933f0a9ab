/* SPDX-License-Identifier: MIT */
/* A log as one piece: it comes back to the last byte, and whatever is cut or changed of it is noticed. */
#include "log/dump.h"
#include "support/log_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define ROOM    (64 * 1024)
#define BATCHES 12

static const struct slice genesis = { "{\"name\":\"x\"}", 12 };

static struct log_batch batch_of_room(void) { return (struct log_batch){ .at = aligned_alloc(64, ROOM), .cap = ROOM }; }

static struct log_applied claim_of(uint32_t index)
{
    struct log_applied claim = { .number = index };

    memset(claim.hash.bytes, (int)index, sizeof(claim.hash.bytes));
    return claim;
}

static struct slice written(size_t max, bool *fine)
{
    struct dump_writer writer;
    struct log_batch   batch = batch_of_room();
    struct slice       bytes;
    uint64_t           seq = 1;

    dump_begin(&writer, genesis, max);
    for (uint32_t i = 0; i < BATCHES; i++) {
        struct log_applied claim = claim_of(i);
        uint32_t           count = i % 4; /* one without commands among them */

        log_batch_begin(&batch, seq, 1000 + i);
        if (count != 0) records_fill(&batch, 0, seq, count, 1000 + i);
        for (size_t at = LOG_BATCH_HEAD; at < batch.len;) {
            size_t len = ((const struct log_record_header *)(const void *)(batch.at + at))->bytes;

            log_record_seal(batch.at + at);
            at += len;
        }
        dump_add(&writer, &batch, &claim);
        seq += count;
    }
    *fine = dump_end(&writer, &bytes);
    free(batch.at);
    return bytes;
}

static void it_comes_back_to_the_last_byte(void **state)
{
    struct log_batch   batch = batch_of_room();
    struct dump_reader reader;
    struct log_applied claim, expected;
    bool               fine;
    struct slice       bytes = written(1 << 20, &fine);
    uint64_t           seq = 1;

    (void)state;
    assert_true(fine && dump_open(&reader, bytes));
    assert_true(reader.genesis.len == genesis.len && memcmp(reader.genesis.at, genesis.at, genesis.len) == 0);
    for (uint32_t i = 0; i < BATCHES; i++) {
        if (i % 4 == 0) continue;
        expected = claim_of(i);
        assert_true(dump_next(&reader, &batch, &claim));
        assert_true(records_are(&batch, 0, seq, i % 4, 1000 + i));
        assert_true(claim.number == expected.number && hash256_equal(&claim.hash, &expected.hash));
        seq += i % 4;
    }
    assert_false(dump_next(&reader, &batch, &claim));
    dump_close(&reader);
    free(batch.at);
    free((void *)(uintptr_t)bytes.at);
}

static bool opens(const char *at, size_t len)
{
    struct dump_reader reader;
    bool               fine = dump_open(&reader, slice_make(at, len));

    assert_true(fine == (reader.wrong == NULL));
    dump_close(&reader);
    return fine;
}

/* The packer has bits that change nothing of what is packed. */
static bool opens_as_another(const char *at, const struct slice *original)
{
    struct dump_reader one, other;
    bool               same, fine = dump_open(&one, slice_make(at, original->len));

    assert_true(dump_open(&other, *original));
    same = fine && one.len == other.len && memcmp(one.at, other.at, one.len) == 0;
    dump_close(&one);
    dump_close(&other);
    return fine && !same;
}

static void every_cut_and_every_change_is_noticed(void **state)
{
    bool         fine;
    struct slice bytes = written(1 << 20, &fine);
    char        *copy = malloc(bytes.len + 1);

    (void)state;
    assert_true(fine);
    memcpy(copy, bytes.at, bytes.len);
    copy[bytes.len] = 0;
    assert_true(opens(copy, bytes.len));
    assert_false(opens(copy, bytes.len + 1));
    for (size_t len = 0; len < bytes.len; len++) assert_false(opens(copy, len));
    for (size_t at = 0; at < bytes.len; at++) {
        copy[at] = (char)(copy[at] ^ 1);
        assert_false(opens_as_another(copy, &bytes));
        copy[at] = (char)(copy[at] ^ 1);
    }
    free(copy);
    free((void *)(uintptr_t)bytes.at);
}

static void it_is_not_made_larger_than_wanted(void **state)
{
    bool         fine;
    struct slice bytes = written(64, &fine);

    (void)state;
    assert_true(!fine && bytes.at == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_comes_back_to_the_last_byte),
        cmocka_unit_test(every_cut_and_every_change_is_noticed),
        cmocka_unit_test(it_is_not_made_larger_than_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
