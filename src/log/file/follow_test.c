/* SPDX-License-Identifier: MIT */
/*
 * A reader continues from a saved position with exactly the rest; a position that the log does not have is refused. A
 * follower gets every batch once, in order, over segments and cuts, and never half of one.
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"

#include "log/file/state.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <xxhash.h>

#define SEGMENT_BYTES (48 * 1024)
#define BATCHES       24

static struct rig      rig;
static struct log_mark positions[RIG_BATCHES];

/* Many batches over some segments; places[i] is behind batch i. */
static void make_log(void)
{
    struct slice       genesis;
    struct log_applied applied;
    bool               end = false;

    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    for (uint32_t i = 0; i < BATCHES; i++) assert_int_equal(rig_append(&rig, i % 6 == 5 ? 0 : i * 7 % 25), 0);
    for (uint32_t i = 0; i < 1; i++) assert_int_equal(rig_append(&rig, 0), 0);
    journal_close(rig.journal);
    rig.options.read_only = true;
    assert_int_equal(
        journal_open(rig.journal_memory, &rig.memory.disk, &rig.options, &rig.journal, &genesis, &rig.report), LOG_OK);
    for (uint32_t i = 0;; i++) {
        assert_int_equal(journal_next(rig.journal, &rig.batch, &applied, &end, &rig.report), LOG_OK);
        if (end) break;
        positions[i] = log_mark_behind(&rig.batch);
        assert_int_equal(positions[i].next_seq, rig.ledger[i].first_seq + rig.ledger[i].count);
    }
    assert_true(log_position_first(&positions[BATCHES].position) >= 3);
    journal_close(rig.journal);
}

static enum log_fault resume(const struct log_mark *position)
{
    struct slice genesis;

    assert_int_equal(
        journal_open(rig.journal_memory, &rig.memory.disk, &rig.options, &rig.journal, &genesis, &rig.report), LOG_OK);
    return journal_resume(rig.journal, position, &rig.batch, &rig.report);
}

/* Everything from batch `from` on, as it was handed over. */
static void read_rest(uint32_t from)
{
    struct log_applied applied;
    bool               end = false;

    for (uint32_t i = from;; i++) {
        assert_int_equal(journal_next(rig.journal, &rig.batch, &applied, &end, &rig.report), LOG_OK);
        if (end) {
            assert_int_equal(i, rig.handed);
            return;
        }
        assert_true(rig_batch_is(&rig, &rig.ledger[i], &applied));
    }
}

static void what_is_left_behind_every_place_is_read(void **state)
{
    (void)state;
    make_log();
    for (uint32_t i = 0; i <= BATCHES; i++) {
        assert_int_equal(resume(&positions[i]), LOG_OK);
        read_rest(i + 1);
        assert_false(rig.report.torn);
        assert_true(rig.report.bytes <= rig.report.bytes_total);
        journal_close(rig.journal);
    }
    rig_free(&rig);
}

static void the_log_goes_on_behind_what_was_read_from_a_place(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= BATCHES; i += 3) {
        make_log();
        rig.options.read_only = false;
        assert_int_equal(resume(&positions[i]), LOG_OK);
        read_rest(i + 1);
        for (uint32_t k = 0; k < 5; k++) assert_int_equal(rig_append(&rig, 9), 0);
        journal_close(rig.journal);
        bool same;
        assert_int_equal(rig_open(&rig, &same), LOG_OK);
        assert_true(same);
        assert_int_equal(rig.recovered, rig.handed);
        journal_close(rig.journal);
        rig_free(&rig);
    }
}

static void a_place_that_the_log_does_not_have_is_refused(void **state)
{
    (void)state;
    make_log();
    for (uint32_t i = 0; i <= BATCHES; i++)
        for (int wrong = 0; wrong < 11; wrong++) {
            struct log_mark position = positions[i];
            uint64_t number = log_position_first(&position.position), offset = log_position_second(&position.position);

            switch (wrong) {
            case 0: position.chain.bytes[31] ^= 1; break;
            case 1: position.next_seq += 1; break;
            case 2: position.next_seq -= 1; break;
            case 3: position.time_ms += 1; break;
            case 4: position.position = log_position_make(number, offset + 4096); break;
            case 5: position.position = log_position_make(number + 1, offset); break;
            case 6: position.position = log_position_make(0, offset); break;
            case 7: position.position = log_position_make(number, offset + 8); break;
            case 8: position.position = log_position_make(number, SEGMENT_BYTES); break;
            case 9: position.position = log_position_make(number, UINT64_MAX - JOURNAL_BLOCK + 1); break;
            default: position.position = log_position_make(99, offset); break;
            }
            assert_int_equal(resume(&position), LOG_DAMAGED);
            assert_true(strlen(rig.report.text) > 40);
            journal_close(rig.journal);
        }
    rig_free(&rig);
}

static void a_place_whose_batch_is_damaged_is_refused(void **state)
{
    (void)state;
    make_log();
    char name[32];
    segment_name(log_position_first(&positions[4].position), name);
    memory_disk_find(&rig.memory, name)->cache[log_position_second(&positions[4].position) + 200] ^= 1;
    assert_int_equal(resume(&positions[4]), LOG_DAMAGED);
    journal_close(rig.journal);
    assert_int_equal(resume(&positions[5]), LOG_OK); /* damage before it is left to dojima verify */
    journal_close(rig.journal);
    rig_free(&rig);
}

/* ---- following ---- */

static struct journal   *follower;
static void             *follower_memory;
static struct log_batch  follower_batch;
static struct log_report follower_report;
static uint32_t          followed;

static void begin_to_follow(void)
{
    struct log_settings options = rig.options;
    struct slice        genesis;

    options.read_only = true;
    followed = 0;
    follower_memory = aligned_alloc(4096, align_up(journal_size(), 4096));
    follower_batch = (struct log_batch){ .at = aligned_alloc(4096, RIG_BATCH_BYTES), .cap = RIG_BATCH_BYTES };
    assert_int_equal(journal_open(follower_memory, &rig.memory.disk, &options, &follower, &genesis, &follower_report),
                     LOG_OK);
}

static void end_following(void)
{
    journal_close(follower);
    free(follower_memory);
    free(follower_batch.at);
}

/* Reads the available batches; each must be the next of the ledger. True when there are bytes that are no batch yet. */
static bool follow_all(void)
{
    struct log_applied applied;
    bool               there, partial;

    for (;;) {
        assert_int_equal(journal_follow(follower, &follower_batch, &applied, &there, &partial, &follower_report),
                         LOG_OK);
        if (!there) return partial;
        struct log_batch own = rig.batch;
        rig.batch = follower_batch;
        assert_true(rig_batch_is(&rig, &rig.ledger[followed], &applied));
        rig.batch = own;
        followed++;
    }
}

static void every_batch_is_seen_once_it_is_there(void **state)
{
    (void)state;
    for (int spare = 0; spare < 2; spare++) {
        rig_init(&rig, SEGMENT_BYTES);
        rig.options.spare = spare == 1;
        assert_int_equal(rig_create(&rig), LOG_OK);
        begin_to_follow();
        assert_false(follow_all());
        for (uint32_t i = 0; i < 40; i++) {
            if (spare == 1 && journal_wants_spare(rig.journal)) assert_int_equal(journal_prepare(rig.journal), 0);
            assert_int_equal(rig_append(&rig, i * 5 % 23), 0);
            if (i % 3 == 0) {
                assert_false(follow_all());
                assert_int_equal(followed, rig.handed);
            }
        }
        assert_false(follow_all());
        assert_int_equal(followed, 40);
        end_following();
        journal_close(rig.journal);
        rig_free(&rig);
    }
}

static void half_a_batch_is_waited_for_and_a_cut_is_followed(void **state)
{
    (void)state;
    bool same;
    rig_init(&rig, SEGMENT_BYTES);
    assert_int_equal(rig_create(&rig), LOG_OK);
    begin_to_follow();
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(rig_append(&rig, 3), 0);
    assert_false(follow_all());
    rig.memory.fail_at = rig.memory.calls + 1;
    rig.memory.fail_writes_half = true;
    assert_int_equal(rig_append(&rig, 23), EIO);
    memory_disk_kill(&rig.memory);
    for (int i = 0; i < 3; i++) assert_true(follow_all());
    assert_int_equal(followed, 3);

    journal_close(rig.journal);
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same && rig.report.torn);
    rig_go_on(&rig);
    assert_false(follow_all());
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(rig_append(&rig, 11), 0);
    assert_false(follow_all());
    assert_int_equal(followed, 7);
    end_following();
    journal_close(rig.journal);
    rig_free(&rig);
}

static void a_batch_that_does_not_continue_is_no_half_one(void **state)
{
    struct log_applied applied;
    bool               there, partial;

    (void)state;
    make_log();
    begin_to_follow();
    assert_false(follow_all());
    end_following();
    begin_to_follow();
    struct memory_file *file = memory_disk_find(&rig.memory, "journal-00000001.log");
    assert_int_equal(journal_follow(follower, &follower_batch, &applied, &there, &partial, &follower_report), LOG_OK);
    struct batch_header *header =
        (struct batch_header *)(void *)(file->cache + log_position_second(&positions[1].position));
    header->previous.bytes[0] ^= 1; /* with a renewed checksum */
    uint64_t seed;
    memcpy(&seed, keccak256(RIG_GENESIS, sizeof(RIG_GENESIS) - 1).bytes, sizeof(seed));
    header->checksum = XXH3_64bits_withSeed(header, offsetof(struct batch_header, checksum),
                                            seed + (UINT64_C(1) << 40) + log_position_second(&positions[1].position));
    assert_int_equal(journal_follow(follower, &follower_batch, &applied, &there, &partial, &follower_report),
                     LOG_DAMAGED);
    end_following();
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_behind_every_place_is_read),
        cmocka_unit_test(the_log_goes_on_behind_what_was_read_from_a_place),
        cmocka_unit_test(a_place_that_the_log_does_not_have_is_refused),
        cmocka_unit_test(a_place_whose_batch_is_damaged_is_refused),
        cmocka_unit_test(every_batch_is_seen_once_it_is_there),
        cmocka_unit_test(half_a_batch_is_waited_for_and_a_cut_is_followed),
        cmocka_unit_test(a_batch_that_does_not_continue_is_no_half_one),
    };
    return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
