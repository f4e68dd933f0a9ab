/* SPDX-License-Identifier: MIT */
/*
 * The files ahead of the log while another thread makes them: appending waits for none of them, except on a full disk.
 */
#include "support/memory_disk.c"
#include "support/journal_rig.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <cmocka.h>

#define FILE_BYTES UINT64_C(65536)

static struct rig       rig;
static const char      *slow; /* the file that is long half made */
static sem_t            half_made, may_end;
static _Atomic uint32_t reserved; /* calls that have ended */
static int (*create_at_once)(void *self, const char *name, uint64_t bytes);

/* As on a real disk: what is half made takes its room under another name. */
static int create_slowly(void *self, const char *name, uint64_t bytes)
{
    struct memory_disk *memory = self;
    int                 error;

    if (slow == NULL || strcmp(name, slow) != 0) return create_at_once(self, name, bytes);
    error = create_at_once(self, "half", bytes);
    assert_int_equal(sem_post(&half_made), 0);
    assert_int_equal(sem_wait(&may_end), 0);
    return error != 0 ? error : memory->disk.rename(self, "half", name);
}

static int reserve_counted(void *self, const char *name, uint64_t bytes)
{
    int error = create_at_once(self, name, bytes);

    atomic_fetch_add(&reserved, 1);
    return error;
}

static int setup(void **state)
{
    (void)state;
    rig_init(&rig, FILE_BYTES);
    rig.options.spare = true;
    create_at_once = rig.memory.disk.create;
    rig.memory.disk.create = create_slowly;
    rig.memory.disk.reserve = reserve_counted;
    slow = NULL;
    atomic_store(&reserved, 0);
    assert_int_equal(sem_init(&half_made, 0, 0), 0);
    assert_int_equal(sem_init(&may_end, 0, 0), 0);
    assert_int_equal(rig_create(&rig), LOG_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    (void)sem_destroy(&half_made);
    (void)sem_destroy(&may_end);
    rig_free(&rig);
    return 0;
}

static void *prepare(void *error)
{
    *(int *)error = journal_prepare(rig.journal);
    return NULL;
}

static void append_until(const char *name)
{
    while (memory_disk_find(&rig.memory, name) == NULL) assert_int_equal(rig_append(&rig, 20), 0);
}

static void reopen_and_compare(void)
{
    bool same;

    journal_close(rig.journal);
    assert_int_equal(rig_open(&rig, &same), LOG_OK);
    assert_true(same);
    assert_int_equal(rig.recovered, rig.acked);
}

static void a_spare_that_is_half_made_is_not_waited_for_and_comes_behind(void **state)
{
    pthread_t keeper;
    int       error = -1;

    (void)state;
    slow = JOURNAL_SPARE_NAME;
    assert_int_equal(pthread_create(&keeper, NULL, prepare, &error), 0);
    assert_int_equal(sem_wait(&half_made), 0);
    append_until("journal-00000002.log");
    assert_int_equal(atomic_load(&reserved), 1);
    assert_null(memory_disk_find(&rig.memory, "journal-00000003.log"));

    assert_int_equal(sem_post(&may_end), 0);
    assert_int_equal(pthread_join(keeper, NULL), 0);
    assert_int_equal(error, 0);
    assert_true(journal_wants_spare(rig.journal)); /* it was made for a place that is taken */
    slow = NULL;
    assert_int_equal(journal_prepare(rig.journal), 0);
    assert_false(journal_wants_spare(rig.journal));
    assert_non_null(memory_disk_find(&rig.memory, "journal-00000003.log"));
    assert_null(memory_disk_find(&rig.memory, JOURNAL_SPARE_NAME));

    while (!journal_wants_spare(rig.journal)) assert_int_equal(rig_append(&rig, 20), 0);
    assert_int_equal(atomic_load(&reserved), 1); /* segment 3 was the one made ahead */
    reopen_and_compare();
}

static void a_spare_that_was_left_without_its_name_is_used(void **state)
{
    (void)state;
    assert_int_equal(create_at_once(&rig.memory, JOURNAL_SPARE_NAME, FILE_BYTES), 0);
    slow = JOURNAL_SPARE_NAME; /* another one would not end */
    assert_int_equal(journal_prepare(rig.journal), 0);
    assert_non_null(memory_disk_find(&rig.memory, "journal-00000002.log"));
    assert_null(memory_disk_find(&rig.memory, JOURNAL_SPARE_NAME));
}

/* The first segment has a second name, as a crash within a rename may leave it. */
static void a_spare_that_is_a_segment_is_not_taken(void **state)
{
    struct memory_file *spare, *first = memory_disk_find(&rig.memory, "journal-00000001.log");

    (void)state;
    assert_int_equal(create_at_once(&rig.memory, JOURNAL_SPARE_NAME, FILE_BYTES), 0);
    spare = memory_disk_find(&rig.memory, JOURNAL_SPARE_NAME);
    memcpy(spare->cache, first->cache, FILE_BYTES);
    assert_int_equal(journal_prepare(rig.journal), 0);
    assert_null(memory_disk_find(&rig.memory, JOURNAL_SPARE_NAME));
    for (uint64_t i = 0; i < FILE_BYTES; i++)
        assert_int_equal(memory_disk_find(&rig.memory, "journal-00000002.log")->cache[i], 0);
    append_until("journal-00000003.log");
    reopen_and_compare();
}

static void a_spare_left_from_a_smaller_setting_is_made_anew(void **state)
{
    (void)state;
    assert_int_equal(create_at_once(&rig.memory, JOURNAL_SPARE_NAME, FILE_BYTES - 4096), 0);
    assert_int_equal(journal_prepare(rig.journal), 0);
    assert_int_equal(memory_disk_find(&rig.memory, "journal-00000002.log")->bytes, FILE_BYTES);
}

static void *append_all(void *nothing)
{
    append_until("journal-00000003.log");
    return nothing;
}

/* Room for two segments and the ballast, and none for the third segment until the ballast is whole and is given up. */
static void a_full_disk_waits_for_the_ballast_that_is_half_made(void **state)
{
    pthread_t keeper, journal;
    int       error = -1;

    (void)state;
    rig.memory.capacity = JOURNAL_BALLAST_BYTES + 2 * FILE_BYTES;
    slow = JOURNAL_BALLAST_NAME;
    assert_int_equal(pthread_create(&keeper, NULL, prepare, &error), 0);
    assert_int_equal(sem_wait(&half_made), 0);
    assert_int_equal(pthread_create(&journal, NULL, append_all, NULL), 0);
    while (atomic_load(&reserved) == 0) (void)sched_yield();

    assert_int_equal(sem_post(&may_end), 0);
    assert_int_equal(pthread_join(keeper, NULL), 0);
    assert_int_equal(pthread_join(journal, NULL), 0);
    assert_int_equal(error, 0);
    assert_null(memory_disk_find(&rig.memory, JOURNAL_BALLAST_NAME));
    assert_true(journal_is_short(rig.journal));
    reopen_and_compare();
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_spare_that_is_half_made_is_not_waited_for_and_comes_behind),
        T(a_spare_that_was_left_without_its_name_is_used),
        T(a_spare_that_is_a_segment_is_not_taken),
        T(a_spare_left_from_a_smaller_setting_is_made_anew),
        T(a_full_disk_waits_for_the_ballast_that_is_half_made),
    };
    return cmocka_run_group_tests_name("files ahead", tests, NULL, NULL);
}
