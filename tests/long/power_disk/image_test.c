/* SPDX-License-Identifier: MIT */
/*
 * The guarantees of power_disk about a loss, and that it uses them to the worst: a disk that lost less would prove
 * nothing.
 */
#include "image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define SEEDS 400u
#define BYTES (8 * IMAGE_SECTOR)

static struct image_file *file_in(struct image *image, struct image_file *folder, const char *name)
{
    struct image_file *file = image_new(image, S_IFREG | 0600);

    image_name(image, folder, name, file);
    image_unuse(file, 1);
    return file;
}

static void fill(struct image_file *file, uint64_t at, int byte, size_t len)
{
    uint8_t bytes[BYTES];

    memset(bytes, byte, len);
    image_write(file, at, bytes, len);
}

static struct image_file *stable_name(const struct image_file *folder, const char *name)
{
    for (uint32_t i = 0; i < folder->stable_names.count; i++)
        if (strcmp(folder->stable_names.rows[i].text, name) == 0) return folder->stable_names.rows[i].file;
    return NULL;
}

static size_t stable_bytes(const struct image_file *file, uint64_t at, uint8_t *bytes, size_t len)
{
    ssize_t got = pread(file->stable, bytes, len, (off_t)at);
    return got < 0 ? 0 : (size_t)got;
}

static bool all_are(const uint8_t *bytes, int byte, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != byte) return false;
    return true;
}

/* A file of BYTES bytes 'a' that is durable, with its name. */
static struct image_file *durable(struct image *image)
{
    struct image_file *file;

    image_init(image);
    file = file_in(image, image->root, "file");
    fill(file, 0, 'a', BYTES);
    image_sync(file);
    image_sync_names(image, image->root);
    return file;
}

static void what_was_synced_stays(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct image       image;
        struct image_loss  loss;
        struct image_file *file = durable(&image);
        uint8_t            bytes[BYTES];

        fill(file, BYTES, 'b', BYTES);
        image_lose(&image, seed, &loss);
        assert_ptr_equal(stable_name(image.root, "file"), file);
        assert_int_equal(stable_bytes(file, 0, bytes, sizeof(bytes)), BYTES);
        assert_true(all_are(bytes, 'a', BYTES));
        image_unuse(image.root, 1);
    }
}

static void what_was_not_synced_is_lost_kept_torn_reordered_zero_or_noise(void **state)
{
    uint32_t lost = 0, kept = 0, begun = 0, ended = 0, zero = 0, noise = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct image       image;
        struct image_loss  loss;
        struct image_file *file = durable(&image);
        uint8_t            bytes[BYTES] = { 0 };

        fill(file, BYTES, 'b', BYTES);
        image_lose(&image, seed, &loss);
        size_t got = stable_bytes(file, BYTES, bytes, sizeof(bytes));
        bool first = all_are(bytes, 'b', IMAGE_SECTOR), last = all_are(bytes + BYTES - IMAGE_SECTOR, 'b', IMAGE_SECTOR),
             odd = false;
        for (size_t at = 0; at < got; at += IMAGE_SECTOR)
            odd = odd || (!all_are(bytes + at, 'b', IMAGE_SECTOR) && !all_are(bytes + at, 0, IMAGE_SECTOR));
        lost += got == 0;
        kept += got == BYTES && all_are(bytes, 'b', BYTES);
        begun += first && !last;
        ended += last && !first;
        zero += got == BYTES && all_are(bytes, 0, BYTES);
        noise += odd;
        image_unuse(image.root, 1);
    }
    assert_true(lost > 0 && kept > 0 && begun > 0 && ended > 0 && zero > 0 && noise > 0);
}

static void a_sector_that_is_overwritten_holds_the_old_or_the_new(void **state)
{
    uint32_t mixed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct image       image;
        struct image_loss  loss;
        struct image_file *file = durable(&image);
        uint8_t            bytes[BYTES];
        uint32_t new = 0;

        fill(file, 0, 'b', BYTES);
        image_lose(&image, seed, &loss);
        assert_int_equal(stable_bytes(file, 0, bytes, sizeof(bytes)), BYTES);
        for (size_t at = 0; at < BYTES; at += IMAGE_SECTOR) {
            new += all_are(bytes + at, 'b', IMAGE_SECTOR);
            assert_true(all_are(bytes + at, 'a', IMAGE_SECTOR) || all_are(bytes + at, 'b', IMAGE_SECTOR));
        }
        mixed += new > 0 && new < BYTES / IMAGE_SECTOR;
        image_unuse(image.root, 1);
    }
    assert_true(mixed > SEEDS / 4);
}

static void a_name_is_durable_with_its_folder_and_never_half(void **state)
{
    uint32_t old = 0, new = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct image       image;
        struct image_loss  loss;
        struct image_file *file = durable(&image);

        image_rename(&image, image.root, "file", "other");
        image_sync(file); /* of its bytes, not of its name */
        assert_null(image_find(image.root, "file"));
        image_lose(&image, seed, &loss);
        assert_true((stable_name(image.root, "file") == file) != (stable_name(image.root, "other") == file));
        old += stable_name(image.root, "file") == file;
        new += stable_name(image.root, "other") == file;
        image_unuse(image.root, 1);
    }
    assert_true(old > 0 && new > 0);
}

static void a_file_in_a_folder_without_a_name_is_gone(void **state)
{
    uint32_t gone = 0;

    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct image      image;
        struct image_loss loss;

        image_init(&image);
        struct image_file *folder = image_new(&image, S_IFDIR | 0700);
        image_name(&image, image.root, "folder", folder);
        struct image_file *file = file_in(&image, folder, "file");
        fill(file, 0, 'a', BYTES);
        image_sync(file);
        image_sync_names(&image, folder);
        image_lose(&image, seed, &loss);
        gone += stable_name(image.root, "folder") == NULL;
        image_unuse(folder, 1);
        image_unuse(image.root, 1);
    }
    assert_true(gone > SEEDS / 4 && gone < SEEDS);
}

static void one_seed_is_one_loss(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        uint8_t           bytes[2][BYTES] = { { 0 } };
        struct image_loss losses[2];
        for (int i = 0; i < 2; i++) {
            struct image       image;
            struct image_file *file = durable(&image);
            fill(file, 100, 'b', BYTES - 200);
            fill(file, 700, 'c', 1000);
            image_lose(&image, seed, &losses[i]);
            (void)stable_bytes(file, 0, bytes[i], BYTES);
            image_unuse(image.root, 1);
        }
        assert_memory_equal(bytes[0], bytes[1], BYTES);
        assert_memory_equal(&losses[0], &losses[1], sizeof(losses[0]));
    }
}

static void what_is_left_becomes_a_folder_and_an_image_again(void **state)
{
    char               path[] = "power-image-XXXXXX", left[64], name[96];
    struct image       image, again;
    struct image_file *folder, *file = durable(&image);
    uint8_t            bytes[BYTES];

    (void)state;
    assert_non_null(mkdtemp(path));
    (void)snprintf(left, sizeof(left), "%s/left", path);
    folder = image_new(&image, S_IFDIR | 0700);
    image_name(&image, image.root, "folder", folder);
    fill(file_in(&image, folder, "inside"), 100000, 'c', 10);
    image_sync_all(&image);
    image_resize(file, 3); /* waits: it is not left */
    assert_int_equal(image_leave(&image, left), 0);
    image_init(&again);
    assert_int_equal(image_load(&again, left), 0);
    assert_int_equal(image_read(image_find(again.root, "file"), 0, bytes, sizeof(bytes)), BYTES);
    assert_true(all_are(bytes, 'a', BYTES));
    assert_int_equal(image_size(image_find(image_find(again.root, "folder"), "inside")), 100010);
    assert_ptr_equal(stable_name(again.root, "file"), image_find(again.root, "file"));
    image_unuse(again.root, 1);
    image_unuse(folder, 1);
    image_unuse(image.root, 1);
    static const char *const names[] = { "left/folder/inside", "left/folder", "left/file", "left", "" };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        (void)snprintf(name, sizeof(name), "%s/%s", path, names[i]);
        assert_int_equal(remove(name), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_synced_stays),
        cmocka_unit_test(what_was_not_synced_is_lost_kept_torn_reordered_zero_or_noise),
        cmocka_unit_test(a_sector_that_is_overwritten_holds_the_old_or_the_new),
        cmocka_unit_test(a_name_is_durable_with_its_folder_and_never_half),
        cmocka_unit_test(a_file_in_a_folder_without_a_name_is_gone),
        cmocka_unit_test(one_seed_is_one_loss),
        cmocka_unit_test(what_is_left_becomes_a_folder_and_an_image_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
