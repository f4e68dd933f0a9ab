/* SPDX-License-Identifier: MIT */
/*
 * A power cut leaves any of the pages that were written since the last sync, and none of the others; a history that
 * kept a moment goes back to it all the same.
 */
#include "rigs/history/naive_rig.h"

#include "io/files.h"

#define KEPT_BATCHES  400 /* until the moment that is kept */
#define LATER_BATCHES 400 /* behind it, each in a transaction of its own */
#define PAGE          4096u
#define FILE_MAX      (64u << 20)
#define CUTS          24

/* A file at one time. */
struct image {
    uint8_t *at;
    size_t   len;
};

static struct image image_of(const char *name)
{
    struct image image = { malloc(FILE_MAX), 0 };
    char         file[160];

    snprintf(file, sizeof(file), "%s/%s", path, name);
    assert_non_null(image.at);
    assert_int_equal(files_read(file, image.at, FILE_MAX, &image.len), 0);
    assert_true(image.len != 0 && image.len < FILE_MAX);
    return image;
}

static void image_put(const struct image *image, const char *name)
{
    char file[160];

    snprintf(file, sizeof(file), "%s/%s", path, name);
    assert_int_equal(files_create(file, slice_make(image->at, image->len)), 0);
}

/* What the disk has of a folder at a power cut. */
struct disk_then {
    struct image old, new, state, kept;
    uint64_t     seq; /* that was kept */
    uint32_t     batches;
};

static struct disk_then make_disk(void)
{
    struct disk_then disk = { .batches = KEPT_BATCHES + LATER_BATCHES };

    for (int i = 0; i < KEPT_BATCHES; i++) random_batch();
    write_all();
    assert_int_equal(history_keep(history), 0);
    disk.seq = history_seq(history);
    assert_int_equal(history_kept(history), disk.seq);
    assert_int_equal(history_kept_in(path, &instance), disk.seq);
    disk.old = image_of("data.mdb");
    for (int i = 0; i < LATER_BATCHES; i++) {
        random_batch();
        write_all();
    }
    disk.new = image_of("data.mdb");
    disk.state = image_of("state");
    disk.kept = image_of("kept");
    assert_true(history_seq(history) > disk.seq);
    assert_int_equal(teardown(NULL), 0);
    return disk;
}

static void free_disk(struct disk_then *disk)
{
    free(disk->old.at);
    free(disk->new.at);
    free(disk->state.at);
    free(disk->kept.at);
}

static void make_folder(void)
{
    snprintf(path, sizeof(path), "%s/dojima-history-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(path));
}

/* Of pages since the sync about `parts` eighths were written, and the file has any length that it had. */
static struct image mixed(const struct disk_then *disk, uint64_t parts, uint64_t *dice)
{
    struct image mix = { malloc(disk->new.len), disk->new.len };

    assert_non_null(mix.at);
    memcpy(mix.at, disk->new.at, disk->new.len);
    for (size_t at = 0; at < disk->new.len; at += PAGE) {
        if (random_xorshift(dice) % 8 < parts) continue;
        if (at < disk->old.len) memcpy(mix.at + at, disk->old.at + at, PAGE);
        else memset(mix.at + at, 0, PAGE);
    }
    if (random_xorshift(dice) % 2 == 0)
        mix.len = disk->old.len + random_xorshift(dice) % ((disk->new.len - disk->old.len) / PAGE + 1) * PAGE;
    return mix;
}

static void cut_and_open(const struct disk_then *disk, uint64_t parts, uint64_t *dice)
{
    struct image data = mixed(disk, parts, dice);

    make_folder();
    image_put(&data, "data.mdb");
    image_put(&disk->state, "state");
    image_put(&disk->kept, "kept");
    free(data.at);
    open_it(&instance, "boot two");
}

static void after_a_power_cut_the_moment_is_whole(void **state)
{
    struct disk_then disk = make_disk();
    uint64_t         dice = 42;

    (void)state;
    assert_true(disk.new.len > disk.old.len);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        cut_and_open(&disk, cut % 9, &dice);
        assert_true(history_went_back(history));
        assert_null(history_thrown_away(history));
        assert_int_equal(history_seq(history), disk.seq);
        assert_int_equal(history_kept(history), disk.seq);
        replay_from_the_start(disk.batches);
        ask_at_random(50);
        write_all(); /* and it goes on */
        ask_at_random(50);
        if (cut + 1 < CUTS) assert_int_equal(teardown(NULL), 0);
    }
    free_disk(&disk);
}

/* A start whose kept moment is damaged throws the store away. */
static void without_the_moment_it_is_thrown_away(void **state)
{
    struct disk_then disk = make_disk();
    uint64_t         dice = 42;

    (void)state;
    disk.kept.at[disk.kept.len - 1] ^= 1;
    cut_and_open(&disk, 4, &dice);
    assert_non_null(history_thrown_away(history));
    assert_int_equal(history_seq(history), 0);
    assert_int_equal(history_kept_in(path, &instance), 0);
    free_disk(&disk);
}

/* The folder as a killed process leaves it. */
static void kill_it(void)
{
    static const char *const names[] = { "data.mdb", "state", "kept" };
    struct image             images[] = { image_of(names[0]), image_of(names[1]), image_of(names[2]) };

    assert_int_equal(teardown(NULL), 0);
    make_folder();
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        image_put(&images[i], names[i]);
        free(images[i].at);
    }
}

static void a_store_that_goes_on_keeps_its_present(void **state)
{
    uint64_t first;

    (void)state;
    for (int i = 0; i < 100; i++) random_batch();
    write_all();
    assert_int_equal(history_keep(history), 0);
    first = history_kept(history);
    for (int i = 0; i < 100; i++) random_batch();
    history_close(history);
    assert_int_equal(history_kept_in(path, &instance), next_seq - 1);
    open_it(&instance, "boot one");
    assert_true(history_seq(history) > first);
    for (int i = 0; i < 100; i++) random_batch();
    write_all();
    kill_it();
    open_it(&instance, "boot one");
    assert_false(history_went_back(history));
    assert_int_equal(history_kept_in(path, &instance), history_seq(history));
}

static void the_moment_of_another_store_is_none(void **state)
{
    const struct hash256 other = { { 9 } };

    (void)state;
    for (int i = 0; i < 100; i++) random_batch();
    write_all();
    assert_int_equal(history_keep(history), 0);
    assert_int_equal(history_kept_in(path, &other), 0);
    history_close(history);
    open_it(&other, "boot one");
    assert_int_equal(history_kept(history), 0);
    assert_int_equal(history_kept_in(path, &instance), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { T(after_a_power_cut_the_moment_is_whole),
                                        T(without_the_moment_it_is_thrown_away),
                                        T(a_store_that_goes_on_keeps_its_present),
                                        T(the_moment_of_another_store_is_none) };

    return cmocka_run_group_tests_name("history/keep", tests, NULL, NULL);
}
