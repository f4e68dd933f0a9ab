/* SPDX-License-Identifier: MIT */
/* What a reader of a folder learns of its history is what a start would find there, and the folder stays as it was. */
#include "rigs/history/naive_rig.h"

#include <sys/stat.h>

static const struct log_position none = { { 0 } }, other_branch = { { 7 } };

/* All files of the folder: their names, bytes and times of change, as one hash. */
static void describe(char text[64])
{
    char  line[256];
    FILE *output;

    snprintf(line, sizeof(line),
             "cd %s && (ls -l --time-style=full-iso; cat data.mdb state $(ls kept 2>/dev/null)) | sha256sum", path);
    output = popen(line, "r");
    assert_non_null(output);
    assert_int_equal(fread(text, 1, 64, output), 64);
    assert_int_equal(pclose(output), 0);
}

static uint64_t known(const struct hash256 *of, const char *boot, const struct log_position *branch)
{
    char     before[64], after[64];
    uint64_t seq;

    describe(before);
    seq = history_knows_in(path, of, slice_of(boot), branch);
    describe(after);
    assert_memory_equal(before, after, sizeof(before));
    return seq;
}

static void some_batches(void)
{
    for (int i = 0; i < 200; i++) random_batch();
    write_all();
}

/* The files of the store as a process leaves them that is killed now. */
static void kill_it(void)
{
    char line[512], copied[96];

    assert_true(snprintf(copied, sizeof(copied), "%s-killed", path) < (int)sizeof(copied));
    snprintf(line, sizeof(line), "mkdir %s && cd %s && cp -p data.mdb state $(ls kept 2>/dev/null) %s", copied, path,
             copied);
    assert_int_equal(system(line), 0);
    assert_int_equal(teardown(NULL), 0);
    snprintf(path, sizeof(path), "%s", copied);
}

static void of_a_closed_store_all_is_known(void **state)
{
    static const struct hash256 other = { { 9 } };

    (void)state;
    some_batches();
    history_close(history);
    history = NULL;
    assert_int_equal(known(&instance, "boot one", &none), next_seq - 1);
    assert_int_equal(known(&instance, "boot two", &none), next_seq - 1);
    assert_int_equal(known(&other, "boot one", &none), 0);
    assert_int_equal(known(&instance, "boot one", &other_branch), 0);
    open_it(&instance, "boot one");
    assert_int_equal(history_knows(history), next_seq - 1);
}

static void of_an_open_one_all_is_known_until_the_machine_goes_down(void **state)
{
    uint64_t knows;

    (void)state;
    some_batches();
    knows = history_knows(history);
    assert_true(knows > 0);
    kill_it();
    assert_int_equal(known(&instance, "boot one", &none), knows);
    assert_int_equal(known(&instance, "boot two", &none), 0);
    assert_int_equal(known(&instance, "", &none), 0);
}

static void of_a_moment_that_was_kept_is_known_up_to_it(void **state)
{
    uint64_t kept, knows;

    (void)state;
    some_batches();
    assert_int_equal(history_keep(history), 0);
    kept = history_seq(history);
    some_batches();
    knows = history_knows(history);
    assert_true(kept > 0 && knows > kept);
    kill_it();
    assert_int_equal(known(&instance, "boot one", &none), knows);
    assert_int_equal(known(&instance, "boot two", &none), kept);
}

static void of_another_branch_its_own_is_known(void **state)
{
    (void)state;
    some_batches();
    assert_int_equal(history_begin_anew(history, &other_branch), 0);
    forget();
    some_batches();
    history_close(history);
    history = NULL;
    assert_int_equal(known(&instance, "boot one", &none), 0);
    assert_int_equal(known(&instance, "boot one", &other_branch), next_seq - 1);
}

static void of_a_damaged_or_absent_one_nothing_is_known(void **state)
{
    char  file[160];
    FILE *data;

    (void)state;
    some_batches();
    history_close(history);
    history = NULL;
    snprintf(file, sizeof(file), "%s/data.mdb", path);
    data = fopen(file, "r+b");
    assert_non_null(data);
    assert_int_equal(fseek(data, 3 * 4096 + 100, SEEK_SET), 0);
    assert_int_equal(fputc(0x5a, data), 0x5a);
    assert_int_equal(fclose(data), 0);
    assert_int_equal(known(&instance, "boot one", &none), 0);
    assert_int_equal(remove(file), 0);
    assert_int_equal(history_knows_in(path, &instance, SLICE("boot one"), &none), 0);
    assert_int_equal(folder_remove(path), 0);
    assert_int_equal(history_knows_in(path, &instance, SLICE("boot one"), &none), 0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* for the end of the test */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(of_a_closed_store_all_is_known),
        T(of_an_open_one_all_is_known_until_the_machine_goes_down),
        T(of_a_moment_that_was_kept_is_known_up_to_it),
        T(of_another_branch_its_own_is_known),
        T(of_a_damaged_or_absent_one_nothing_is_known),
    };
    return cmocka_run_group_tests_name("history/knows", tests, NULL, NULL);
}
